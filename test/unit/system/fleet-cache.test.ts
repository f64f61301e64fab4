import { describe, expect, test } from 'vitest';
import { createFleetCache, type FleetCacheOptions } from '../../../lib/system/fleet-cache.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { createTestClock } from '../../support/test-clock.ts';

/** Instances that share one table and one source, which answers when the test says so. */
function createFleet() {
  const clock = createTestClock();
  const store = createMemoryStore(clock);
  let ids = 0;
  const source = { fetches: 0, fail: false, gate: Promise.resolve() };
  const fetch = async () => {
    source.fetches += 1;
    const { fail } = source;
    const number = source.fetches;
    await source.gate;
    if (fail) throw new Error('the source is down');
    return number;
  };
  const instance = (more: Partial<FleetCacheOptions<number>> = {}) =>
    createFleetCache({ name: 'status', fetch, store, clock, ids: () => `id-${ids++}`, delay: clock.delay, ...more });
  return { clock, store, source, instance };
}

/** Lets promises go on, and the clock with them, until the work is done. */
async function settle<T>(clock: ReturnType<typeof createTestClock>, work: Promise<T>): Promise<T> {
  let done = false;
  const end = () => {
    done = true;
  };
  work.then(end, end);
  for (let step = 0; step < 100 && !done; step += 1) await clock.advance(50);
  return await work;
}

describe('a value that the fleet shares', () => {
  test.each([
    ['29.999 s', 29_999, 1],
    ['30 s', 30_000, 2],
  ])('asked again after %s', async (_age, ms, fetches) => {
    const { clock, source, instance } = createFleet();
    const cache = instance();
    expect(await cache.get()).toMatchObject({ value: 1 });
    await clock.advance(ms);
    expect(await cache.get()).toMatchObject({ value: fetches });
    expect(source.fetches).toBe(fetches);
  });

  test('is stamped after the fetch, so that a slow one does not age it', async () => {
    const { clock, source, instance } = createFleet();
    const { promise, resolve } = Promise.withResolvers<void>();
    source.gate = promise;
    const first = instance().get();
    await clock.advance(4_000);
    resolve();
    expect(await first).toEqual({ value: 1, fetchedAt: clock.now() });
  });

  test('is fetched once by ten instances that ask at the same time, and all get it', async () => {
    const { clock, source, instance } = createFleet();
    const { promise, resolve } = Promise.withResolvers<void>();
    source.gate = promise;
    const all = Promise.all(Array.from({ length: 10 }, () => instance().get()));
    await clock.advance(100);
    resolve();
    const found = await settle(clock, all);
    expect(source.fetches).toBe(1);
    expect(new Set(found.map((cached) => cached?.value))).toEqual(new Set([1]));
  });

  test('is fetched once by twenty requests of one instance', async () => {
    const { source, instance } = createFleet();
    const cache = instance();
    await Promise.all(Array.from({ length: 20 }, () => cache.get()));
    expect(source.fetches).toBe(1);
  });

  test('is not there after an error, and the next request tries again at once', async () => {
    const { source, instance } = createFleet();
    const cache = instance();
    source.fail = true;
    expect(await cache.get()).toBeUndefined();
    source.fail = false;
    expect(await cache.get()).toMatchObject({ value: 2 });
    expect(await cache.get()).toMatchObject({ value: 2 });
    expect(source.fetches).toBe(2);
  });

  test('is never served old when the source is down', async () => {
    const { clock, source, instance } = createFleet();
    const cache = instance();
    await cache.get();
    source.fail = true;
    await clock.advance(29_999);
    expect(await cache.get()).toMatchObject({ value: 1 });
    await clock.advance(1);
    expect(await cache.get()).toBeUndefined();
  });

  test('is not asked for while it is fresh: another instance takes it from the table', async () => {
    const { clock, source, instance } = createFleet();
    await instance().get();
    source.fail = true;
    await clock.advance(20_000);
    const other = instance();
    expect(await other.get()).toMatchObject({ value: 1 });
    await clock.advance(10_000);
    expect(await other.get()).toBeUndefined();
  });

  test('that its fetcher never delivers is left out, and fetched by the next one after five seconds', async () => {
    const { clock, source, instance } = createFleet();
    source.gate = new Promise(() => {});
    void instance().get();
    await clock.advance(1);
    source.gate = Promise.resolve();
    expect(await settle(clock, instance().get())).toBeUndefined();
    await clock.advance(5_000);
    expect(await instance().get()).toMatchObject({ value: 2 });
  });

  test.each(['read', 'write'] as const)('is fetched by each instance when the table fails a %s', async (kind) => {
    const { store, source, instance } = createFleet();
    const fail = () => Promise.reject(new Error('the table is down'));
    if (kind === 'read') store.beforeRead = fail;
    else store.beforeWrite = fail;
    const cache = instance();
    expect(await cache.get()).toMatchObject({ value: 1 });
    expect(await cache.get()).toMatchObject({ value: 1 });
    expect(source.fetches).toBe(1);
  });
});
