import { describe, expect, test } from 'vitest';
import { ABSENT, ConditionFailed, type Item, type Store } from '../../lib/store/ports.ts';
import type { TestClock } from './test-clock.ts';

/** What every store must do; each implementation's own test calls it. `store` is made before each test. */
export function describeStore(name: string, subject: () => { readonly store: Store; readonly clock: TestClock }): void {
  describe(`${name} as a store`, () => {
    test('gives back what was put, whatever the types of its attributes', async () => {
      const { store } = subject();
      const item: Item = {
        pk: 'types',
        sk: '1',
        text: 'ä "quoted" \u0000',
        number: -1.5e-7,
        big: 9_007_199_254_740_991,
        yes: true,
        nothing: null,
        bytes: new Uint8Array([0, 255, 10]),
        list: [1, 'two', [null], { three: 3 }],
        map: { 'a.b/c': 'x', constructor: 'own', empty: {} },
        left: undefined,
      };
      await store.put(item);
      const { left: _left, ...kept } = item;
      expect(await store.get({ pk: 'types', sk: '1' })).toStrictEqual(kept);
    });

    test('has nothing where nothing was put', async () => {
      const { store } = subject();
      expect(await store.get({ pk: 'none', sk: 'none' })).toBeUndefined();
      expect(await store.getMany([{ pk: 'none', sk: 'none' }])).toEqual([]);
      expect(await store.getMany([])).toEqual([]);
      expect(await store.query({ pk: 'none' })).toEqual([]);
      await expect(store.remove({ pk: 'none', sk: 'none' })).resolves.toBeUndefined();
    });

    test('puts under a condition: absent, or equal to what was read', async () => {
      const { store } = subject();
      const key = { pk: 'condition', sk: '1' };
      await store.put({ ...key, version: 1, name: 'a' }, ABSENT);
      await expect(store.put({ ...key, version: 9 }, ABSENT)).rejects.toThrow(ConditionFailed);
      await expect(store.put({ ...key, version: 9 }, { attribute: 'version', equals: 2 })).rejects.toThrow(
        ConditionFailed,
      );
      await store.put({ ...key, version: 2, name: 'b' }, { attribute: 'version', equals: 1 });
      await store.put({ ...key, version: 3, name: 'c' }, { attribute: 'name', equals: 'b' });
      expect(await store.get(key)).toMatchObject({ version: 3, name: 'c' });
    });

    test('removes under a condition', async () => {
      const { store } = subject();
      const key = { pk: 'remove', sk: '1' };
      await store.put({ ...key, name: 'a' });
      await expect(store.remove(key, { attribute: 'name', equals: 'b' })).rejects.toThrow(ConditionFailed);
      await store.remove(key, { attribute: 'name', equals: 'a' });
      expect(await store.get(key)).toBeUndefined();
      await expect(store.remove(key, { attribute: 'name', equals: 'a' })).rejects.toThrow(ConditionFailed);
    });

    test('lets exactly one of many racing writers through', async () => {
      const { store } = subject();
      const key = { pk: 'race', sk: '1' };
      await store.put({ ...key, version: 1 });
      const writers = Array.from({ length: 20 }, (_, writer) =>
        store.put({ ...key, version: 2, writer }, { attribute: 'version', equals: 1 }),
      );
      const outcomes = await Promise.allSettled(writers);
      const winners = outcomes.flatMap(({ status }, writer) => (status === 'fulfilled' ? [writer] : []));
      expect(winners).toHaveLength(1);
      expect(await store.get(key)).toMatchObject({ writer: winners[0] });
    });

    const sorted = [{ sk: 'a#1' }, { sk: 'a#2' }, { sk: 'a#3' }, { sk: 'b#1' }];
    test.each([
      { title: 'all', query: {}, expected: ['a#1', 'a#2', 'a#3', 'b#1'] },
      { title: 'backwards', query: { reverse: true }, expected: ['b#1', 'a#3', 'a#2', 'a#1'] },
      { title: 'a prefix', query: { sk: { prefix: 'a#' } }, expected: ['a#1', 'a#2', 'a#3'] },
      { title: 'a closed range', query: { sk: { from: 'a#2', to: 'b#1' } }, expected: ['a#2', 'a#3', 'b#1'] },
      { title: 'after a key', query: { sk: { after: 'a#2' } }, expected: ['a#3', 'b#1'] },
      { title: 'a limit', query: { limit: 2 }, expected: ['a#1', 'a#2'] },
      { title: 'the last one', query: { limit: 1, reverse: true }, expected: ['b#1'] },
    ])('queries in the order of the sort key: $title', async ({ query, expected }) => {
      const { store } = subject();
      await store.writeMany(sorted.map((key) => ({ put: { pk: 'sorted', ...key } })));
      await store.put({ pk: 'sorted-not', sk: 'a#0' });
      expect((await store.query({ pk: 'sorted', ...query })).map(({ sk }) => sk)).toEqual(expected);
    });

    test('hides what is past its time from every read, and lets it be overwritten as if absent (R38)', async () => {
      const { store, clock } = subject();
      const key = { pk: 'ttl', sk: '1' };
      const expiresAt = clock.now() / 1000 + 60;
      await store.put({ ...key, expiresAt });
      await clock.advance(59_999);
      expect(await store.get(key)).toBeDefined();
      await expect(store.put({ ...key }, ABSENT)).rejects.toThrow(ConditionFailed);
      await clock.advance(1);
      expect(await store.get(key)).toBeUndefined();
      expect(await store.getMany([key])).toEqual([]);
      expect(await store.query({ pk: 'ttl' })).toEqual([]);
      await store.put({ ...key, again: true }, ABSENT);
      expect(await store.get(key)).toMatchObject({ again: true });
    });

    test.each([
      { title: 'milliseconds', expiresAt: Date.parse('2026-01-01T00:00:00Z') },
      { title: 'a fraction', expiresAt: 1_767_225_600.5 },
      { title: 'a negative number', expiresAt: -1 },
    ])('refuses a TTL stamp that is not in epoch seconds: $title', async ({ expiresAt }) => {
      const { store } = subject();
      await expect(store.put({ pk: 'stamp', sk: '1', expiresAt })).rejects.toThrow('is not in epoch seconds');
    });

    test('refuses an item above 350 KB before it is sent, and names it with its size (R39)', async () => {
      const { store } = subject();
      const item = { pk: 'CONFIG#widgets.example.org', sk: 'HEAD', text: 'x'.repeat(360 * 1024) };
      const refusal = {
        code: 'TOO_LARGE',
        message: expect.stringMatching(/CONFIG#widgets\.example\.org.* 361 KB.* 350 KB/),
      };
      await expect(store.put(item)).rejects.toMatchObject(refusal);
      await expect(store.writeMany([{ put: item }])).rejects.toMatchObject(refusal);
    });

    test('writes and reads many items, more than fit on a page', async () => {
      const { store } = subject();
      const keys = Array.from({ length: 260 }, (_, index) => ({ pk: 'many', sk: String(index).padStart(4, '0') }));
      await store.writeMany(keys.map((key) => ({ put: { ...key, text: 'x'.repeat(8 * 1024) } })));
      expect((await store.query({ pk: 'many' })).map(({ sk }) => sk)).toEqual(keys.map(({ sk }) => sk));
      expect(await store.query({ pk: 'many', limit: 200 })).toHaveLength(200);
      expect(await store.getMany(keys)).toHaveLength(260);
      await store.writeMany([...keys.map((key) => ({ remove: key })), { put: { pk: 'many', sk: 'last' } }]);
      expect((await store.query({ pk: 'many' })).map(({ sk }) => sk)).toEqual(['last']);
    });
  });
}
