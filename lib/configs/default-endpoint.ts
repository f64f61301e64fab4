import { AppError } from '../errors.ts';
import { DEFAULT_ENDPOINT } from '../store/keys.ts';
import { ABSENT, type Condition, ConditionFailed, type Store } from '../store/ports.ts';
import { loadEndpoint } from './endpoint-records.ts';

/** Name in the item that says which endpoint is the default, whether or not that endpoint is there. */
export async function readDefaultClaim(store: Store): Promise<string | undefined> {
  const name = (await store.get(DEFAULT_ENDPOINT))?.['name'];
  return typeof name === 'string' ? name : undefined;
}

/**
 * Makes an endpoint the default by one conditional write. A claim whose endpoint is gone (a crash, or a removal that was
 * cut off) is taken over.
 * @returns whether the claim is new
 * @throws AppError CONFLICT while another endpoint is the default
 */
export async function claimDefault(store: Store, name: string): Promise<boolean> {
  const holder = await readDefaultClaim(store);
  if (holder === name) return false;
  if (holder !== undefined && (await loadEndpoint(store, holder))) throw taken(holder);
  const condition: Condition = holder === undefined ? ABSENT : { attribute: 'name', equals: holder };
  try {
    await store.put({ ...DEFAULT_ENDPOINT, name }, condition);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const winner = await readDefaultClaim(store);
    if (winner === name) return true;
    throw taken(winner);
  }
}

/** Gives the claim up, if this endpoint has it. */
export async function releaseDefault(store: Store, name: string): Promise<void> {
  try {
    await store.remove(DEFAULT_ENDPOINT, { attribute: 'name', equals: name });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

function taken(holder: string | undefined): AppError {
  const hint = 'Set default: false there first; only one endpoint can be the default.';
  return new AppError('CONFLICT', `The endpoint ${holder ?? 'of another request'} is the default. ${hint}`);
}
