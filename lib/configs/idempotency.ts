import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { MAX_ITEM_BYTES } from '../store/item-size.ts';
import { idempotencyKey } from '../store/keys.ts';
import { ABSENT, type Condition, ConditionFailed, type Item, type Store, ttlAt } from '../store/ports.ts';
import type { IdempotencyState, IdempotencyStore, IdempotentResponse } from './types.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
/** Longer than any request may run: an open record that is older belongs to a request that died. */
const LEASE_MS = 60_000;

export function createIdempotencyStore({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  return {
    begin: (key, requestHash) => begin(store, clock, keyOf(key), requestHash),
    async complete(key, response) {
      const item = await store.get(keyOf(key));
      if (item === undefined) return;
      const { status, headers, body } = response;
      const done = { ...item, lease: 0, status, headers, body };
      // An answer that is too large to keep is forgotten: the request can then be repeated, and is judged afresh.
      if (Buffer.byteLength(body) > MAX_ITEM_BYTES - 4096) await store.remove(item);
      else await store.put(done);
    },
    async abandon(key) {
      await store.remove(keyOf(key));
    },
  } satisfies IdempotencyStore;
}

async function begin(
  store: Store,
  clock: Clock,
  key: ReturnType<typeof idempotencyKey>,
  requestHash: string,
): Promise<IdempotencyState> {
  const now = clock.now();
  const open: Item = { ...key, requestHash, lease: now + LEASE_MS, expiresAt: ttlAt(now + KEPT_MS) };
  if (await claim(store, open, ABSENT)) return { state: 'new' };
  const found = await store.get(key);
  // Past its time between the two calls, or abandoned: the next attempt of the client begins anew.
  if (found === undefined) return { state: 'in-progress' };
  if (found['requestHash'] !== requestHash) return { state: 'mismatch' };
  const response = responseOf(found);
  if (response !== undefined) return { state: 'replay', response };
  const lease = Number(found['lease']);
  const died = lease <= now && (await claim(store, open, { attribute: 'lease', equals: lease }));
  return { state: died ? 'new' : 'in-progress' };
}

async function claim(store: Store, item: Item, condition: Condition): Promise<boolean> {
  try {
    await store.put(item, condition);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
}

function responseOf({ status, headers, body }: Item): IdempotentResponse | undefined {
  if (typeof status !== 'number' || typeof body !== 'string') return undefined;
  return { status, headers: headers as IdempotentResponse['headers'], body };
}

function keyOf(key: string) {
  return idempotencyKey(createHash('sha256').update(key).digest('hex'));
}
