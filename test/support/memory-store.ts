import { checkItem } from '../../lib/store/item-size.ts';
import { type Condition, ConditionFailed, type Item, isExpired, type Key, type Store } from '../../lib/store/ports.ts';
import { ATTENTION_INDEX } from '../../lib/store/table.ts';

export interface MemoryStore extends Store {
  /** Everything stored, expired items included, sorted by key. */
  all(): Item[];
  /** Runs before each write reaches the table; a rejection is what the caller sees. */
  beforeWrite: (key: Key) => Promise<void> | void;
  /** Runs before each read; a rejection is what the caller sees. */
  beforeRead: (pk: string) => Promise<void> | void;
}

const NOTHING = (): void => {};

/** The store port on a Map: same meaning as `createDynamoStore`, shown by the suite that both run. */
export function createMemoryStore(clock: { now(): number }): MemoryStore {
  const items = new Map<string, Item>();
  const idOf = ({ pk, sk }: Key): string => JSON.stringify([pk, sk]);
  const alive = (item: Item | undefined): Item | undefined =>
    item !== undefined && !isExpired(item, clock.now()) ? structuredClone(item) : undefined;
  const check = (key: Key, condition: Condition | undefined): void => {
    if (condition !== undefined && !holds(condition, items.get(idOf(key)), clock.now())) throw new ConditionFailed(key);
  };
  const sorted = (): Item[] =>
    [...items.values()].sort((a, b) => compare(a.pk, b.pk) || compare(a.sk, b.sk)).map((item) => structuredClone(item));

  const store: MemoryStore = {
    beforeWrite: NOTHING,
    beforeRead: NOTHING,
    all: sorted,
    async get(key) {
      await store.beforeRead(key.pk);
      return alive(items.get(idOf(key)));
    },
    async getMany(keys) {
      for (const { pk } of keys) await store.beforeRead(pk);
      return keys.map((key) => alive(items.get(idOf(key)))).filter((item) => item !== undefined);
    },
    async query({ pk, sk, limit, reverse, index }) {
      await store.beforeRead(pk);
      const keyOf = (item: Item): Key =>
        index === undefined ? item : { pk: String(item[ATTENTION_INDEX.pk]), sk: String(item[ATTENTION_INDEX.sk]) };
      const found = sorted()
        .filter((item) => keyOf(item).pk === pk && alive(item) && inRange(keyOf(item).sk, sk))
        .sort((a, b) => compare(keyOf(a).sk, keyOf(b).sk));
      if (reverse) found.reverse();
      return found.slice(0, limit);
    },
    async put(item, condition) {
      checkItem(item);
      await store.beforeWrite(item);
      check(item, condition);
      items.set(idOf(item), structuredClone(withoutUndefined(item)));
    },
    async add(key, { attribute, by, from, to, expiresAt }) {
      await store.beforeWrite(key);
      const item = items.get(idOf(key));
      const value = item?.[attribute];
      if (item === undefined || typeof value !== 'number' || value < from || value > to) throw new ConditionFailed(key);
      items.set(idOf(key), { ...item, [attribute]: value + by, expiresAt });
    },
    async remove(key, condition) {
      await store.beforeWrite(key);
      check(key, condition);
      items.delete(idOf(key));
    },
    async writeMany(writes) {
      for (const { put, remove } of writes) {
        if (put !== undefined) await store.put(put);
        if (remove !== undefined) await store.remove(remove);
      }
    },
  };
  return store;
}

function holds(condition: Condition, item: Item | undefined, now: number): boolean {
  if ('absent' in condition) return item === undefined || isExpired(item, now);
  const value = item?.[condition.attribute];
  if ('equals' in condition) return value === condition.equals;
  return item === undefined || isExpired(item, now) || Number(value) < condition.absentOrBelow;
}

function inRange(sort: string, range: Parameters<Store['query']>[0]['sk']): boolean {
  if (range === undefined) return true;
  if ('prefix' in range) return sort.startsWith(range.prefix);
  if ('after' in range) return sort > range.after;
  return sort >= range.from && sort <= range.to;
}

function withoutUndefined<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutUndefined) as T;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutUndefined(entry)])) as T;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
