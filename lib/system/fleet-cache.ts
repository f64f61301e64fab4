import type { Clock } from '../clock.ts';
import { cacheKey, passKey } from '../store/keys.ts';
import { type Attribute, ConditionFailed, type Store, ttlAt } from '../store/ports.ts';

export interface FleetCacheOptions<T extends Attribute> {
  readonly name: string;
  /** The slow source. */
  readonly fetch: () => Promise<T>;
  readonly store: Store;
  readonly clock: Clock;
  /** Unique for each caller of `fetch`. */
  readonly ids: () => string;
  readonly delay: (ms: number) => Promise<void>;
}

/** A value with when it was fetched: milliseconds, stamped after the fetch returned. */
export interface Cached<T> {
  readonly value: T;
  readonly fetchedAt: number;
}

export interface FleetCache<T> {
  /** The value, at most 30 s old; undefined when it cannot be had now. Never rejects. */
  get(): Promise<Cached<T> | undefined>;
}

/** Exactly so old is too old. */
const FRESH_MS = 30_000;
/** How long one caller may take to fetch before another one may try. */
const LEASE_MS = 5_000;
/** The others look for its result so often, that far apart: together longer than a good fetch takes (100 to 300 ms). */
const LOOKS = 8;
const LOOK_MS = 150;

/**
 * A value that all instances share for 30 s, with one fetch for the whole fleet: in this instance's memory, below it in an
 * item. Errors are never kept, and an old value is never served in place of one. A table that does not answer costs a fetch
 * by each instance, and nothing else.
 */
export function createFleetCache<T extends Attribute>(options: FleetCacheOptions<T>): FleetCache<T> {
  let known: Cached<T> | undefined;
  let running: Promise<Cached<T> | undefined> | undefined;
  const isFresh = (cached: Cached<T> | undefined): cached is Cached<T> =>
    cached !== undefined && options.clock.now() - cached.fetchedAt < FRESH_MS;
  return {
    async get() {
      if (isFresh(known)) return known;
      running ??= refresh(options, isFresh).finally(() => {
        running = undefined;
      });
      const found = await running;
      if (found !== undefined) known = found;
      return found;
    },
  };
}

async function refresh<T extends Attribute>(
  options: FleetCacheOptions<T>,
  isFresh: (cached: Cached<T> | undefined) => cached is Cached<T>,
): Promise<Cached<T> | undefined> {
  const owner = options.ids();
  try {
    const stored = await read<T>(options);
    if (isFresh(stored)) return stored;
    if (!(await takeLease(options, owner))) return await awaitOther(options, isFresh);
  } catch {
    return await fetchOnce(options);
  }
  // Another instance may have stored it between the two calls.
  const stored = await read<T>(options).catch(() => undefined);
  const found = isFresh(stored) ? stored : await fetchOnce(options);
  if (found !== undefined && found !== stored) await keep(options, found).catch(() => {});
  await options.store.remove(passKey(options.name), { attribute: 'owner', equals: owner }).catch(() => {});
  return found;
}

async function fetchOnce<T extends Attribute>({ fetch, clock }: FleetCacheOptions<T>): Promise<Cached<T> | undefined> {
  try {
    const value = await fetch();
    return { value, fetchedAt: clock.now() };
  } catch {
    return undefined;
  }
}

async function awaitOther<T extends Attribute>(
  options: FleetCacheOptions<T>,
  isFresh: (cached: Cached<T> | undefined) => cached is Cached<T>,
): Promise<Cached<T> | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    await options.delay(LOOK_MS);
    const stored = await read<T>(options);
    if (isFresh(stored)) return stored;
  }
  return undefined;
}

async function read<T>({ store, name }: Pick<FleetCacheOptions<never>, 'store' | 'name'>) {
  const item = await store.get(cacheKey(name));
  const fetchedAt = item?.['fetchedAt'];
  return typeof fetchedAt === 'number' ? ({ value: item?.['value'] as T, fetchedAt } satisfies Cached<T>) : undefined;
}

async function keep<T extends Attribute>({ store, name }: FleetCacheOptions<T>, { value, fetchedAt }: Cached<T>) {
  await store.put({ ...cacheKey(name), value, fetchedAt, expiresAt: ttlAt(fetchedAt + 10 * FRESH_MS) });
}

async function takeLease(
  { store, clock, name }: Pick<FleetCacheOptions<never>, 'store' | 'clock' | 'name'>,
  owner: string,
) {
  const now = clock.now();
  const item = { ...passKey(name), owner, until: now + LEASE_MS, expiresAt: ttlAt(now + 10 * LEASE_MS) };
  try {
    await store.put(item, { attribute: 'until', absentOrBelow: now });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
