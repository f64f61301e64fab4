import type { Item, Store } from '../../lib/store/ports.ts';

export interface CountingStore extends Store {
  /** Every item that a read returned, in order. */
  readonly read: Item[];
  /** How many calls there were, by name. */
  readonly calls: Record<'get' | 'getMany' | 'query' | 'put' | 'add' | 'remove' | 'writeMany', number>;
  reset(): void;
}

/** A store that counts what goes through it. */
export function countReads(store: Store): CountingStore {
  const read: Item[] = [];
  const calls = { get: 0, getMany: 0, query: 0, put: 0, add: 0, remove: 0, writeMany: 0 };
  return {
    read,
    calls,
    reset() {
      read.length = 0;
      for (const name of Object.keys(calls) as (keyof typeof calls)[]) calls[name] = 0;
    },
    async get(key) {
      calls.get += 1;
      const item = await store.get(key);
      if (item !== undefined) read.push(item);
      return item;
    },
    async getMany(keys) {
      calls.getMany += 1;
      const items = await store.getMany(keys);
      read.push(...items);
      return items;
    },
    async query(query) {
      calls.query += 1;
      const items = await store.query(query);
      read.push(...items);
      return items;
    },
    async put(item, condition) {
      calls.put += 1;
      await store.put(item, condition);
    },
    async add(key, addition) {
      calls.add += 1;
      await store.add(key, addition);
    },
    async remove(key, condition) {
      calls.remove += 1;
      await store.remove(key, condition);
    },
    async writeMany(writes) {
      calls.writeMany += 1;
      await store.writeMany(writes);
    },
  };
}
