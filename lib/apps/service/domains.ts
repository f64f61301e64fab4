import { AppError } from '../../errors.ts';
import { domainKey } from '../../store/keys.ts';
import { ABSENT, ConditionFailed, type Item, type Key } from '../../store/ports.ts';
import type { AppRecord } from '../model.ts';
import { AppChanged, type AppStoreDeps, loadApp, loadApps } from '../records.ts';

type Owner = Pick<AppRecord, 'name' | 'appId'>;

/** Item of a claim. `claimId` is new with each write, so that nobody removes a claim that he has not seen. */
interface Claim extends Key {
  readonly app: string;
  readonly appId: string;
  readonly at: number;
  readonly claimId: string;
}

/**
 * A claim is written before the app that lists its domain. One that is older than this and not listed was left behind:
 * a request takes less.
 */
const SETTLED_MS = 60_000;

const TRIES = 4;

/** Claims of one request, so that they can be taken back together. */
export interface ClaimSet {
  /** @throws AppError CONFLICT naming the domain and its owner */
  add(owner: Owner, domains: readonly string[]): Promise<void>;
  /**
   * Takes back what was not there before, if the error says that the app was not written. After one that does not say, the app
   * may have the domains; if not, others can take them over in a minute.
   */
  undoAfter(error: unknown): Promise<void>;
}

export function createClaimSet(deps: AppStoreDeps): ClaimSet {
  const made: Claim[] = [];
  return {
    async add(owner, domains) {
      for (const domain of domains) {
        if (made.some(({ sk, appId }) => sk === domain && appId === owner.appId)) continue;
        const { claim, renewed } = await takeClaim(deps, owner, domain);
        // A claim of ours that was there belongs to another request as well: that one may need it.
        if (!renewed) made.push(claim);
      }
    },
    async undoAfter(error) {
      const refused = error instanceof AppError ? error.status < 500 : error instanceof AppChanged;
      if (refused) await releaseClaims(deps, made);
    },
  };
}

async function takeClaim(deps: AppStoreDeps, owner: Owner, domain: string) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = (await deps.store.get(domainKey(domain))) as Claim | undefined;
    const renewed = found?.appId === owner.appId;
    if (found !== undefined && !renewed && (await isInUse(deps, found))) throw taken(domain, found.app, owner.name);
    const { name: app, appId } = owner;
    const claim: Claim = { ...domainKey(domain), app, appId, at: deps.clock.now(), claimId: deps.ids() };
    if (await put(deps, claim, found)) return { claim, renewed };
  }
  throw new AppError('CONFLICT', `The domain ${domain} is being claimed by others at the same time. Try again.`);
}

async function put({ store }: AppStoreDeps, claim: Claim, found: Claim | undefined): Promise<boolean> {
  try {
    await store.put({ ...claim }, found ? { attribute: 'claimId', equals: found.claimId } : ABSENT);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // The SDK repeats a write whose answer was lost, and the repetition fails on its own success.
    return (await store.get(claim))?.['claimId'] === claim.claimId;
  }
}

async function isInUse(deps: AppStoreDeps, { app, appId, at, sk }: Claim): Promise<boolean> {
  if (deps.clock.now() - at < SETTLED_MS) return true;
  const owner = await loadApp(deps, app);
  return owner?.appId === appId && owner.spec.domains.includes(sk);
}

/** The claims that an app has on domains, as they are now. */
export async function readClaims({ store }: AppStoreDeps, { appId }: Owner, domains: readonly string[]) {
  const found = (await store.getMany(domains.map(domainKey))) as Item[];
  return found.filter((item) => item['appId'] === appId) as unknown as Claim[];
}

/** Removes claims that are still as they were read. */
export async function releaseClaims({ store }: AppStoreDeps, claims: readonly Claim[]): Promise<void> {
  const removals = claims.map(({ pk, sk, claimId }) =>
    store.remove({ pk, sk }, { attribute: 'claimId', equals: claimId }),
  );
  await Promise.allSettled(removals);
}

/** Every domain that an app lists, sorted. */
export async function listDomains(deps: AppStoreDeps) {
  const apps = await loadApps(deps);
  const domains = apps.flatMap(({ name, spec }) => spec.domains.map((domain) => ({ domain, app: name })));
  return domains.sort((a, b) => (a.domain < b.domain ? -1 : 1));
}

function taken(domain: string, owner: string, wanted: string): AppError {
  if (owner === wanted) {
    const text = `The domain ${domain} is still claimed for an app ${owner} that is gone, or just being made.`;
    return new AppError('CONFLICT', `${text} Try again in a minute.`);
  }
  const how = `Take it from that app first (PUT /api/v1/apps/${owner}), or choose another one.`;
  return new AppError('CONFLICT', `The domain ${domain} belongs to the app ${owner}. ${how}`);
}
