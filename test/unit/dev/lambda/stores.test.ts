import { describe, expect, test } from 'vitest';
import { createInvocationStore, createLogStore } from '../../../../lib/dev/lambda/stores.ts';

describe('the log store', () => {
  const fill = () => {
    const store = createLogStore();
    store.append('/a', 's1', [
      { at: 10, message: 'one' },
      { at: 20, message: 'two' },
    ]);
    store.append('/b', 's1', [{ at: 20, message: 'other' }]);
    store.append('/a', 's2', [{ at: 30, message: 'three' }]);
    return store;
  };

  test.each([
    ['all', {}, ['one', 'two', 'three']],
    ['from a time', { from: 20 }, ['two', 'three']],
    ['till before a time', { until: 20 }, ['one']],
    ['of a stream', { stream: 's2' }, ['three']],
    ['after a sequence', { after: 2 }, ['three']],
    ['the first', { limit: 2 }, ['one', 'two']],
  ])('reads %s', (_what, filter, messages) => {
    expect(
      fill()
        .read('/a', filter)
        ?.map(({ message }) => message),
    ).toEqual(messages);
  });

  test('numbers lines over all groups, and knows groups with and without lines', () => {
    const store = fill();
    expect(store.read('/a')?.map(({ sequence }) => sequence)).toEqual([1, 2, 4]);
    expect([store.create('/c'), store.create('/a')]).toEqual([true, false]);
    expect(store.groups()).toEqual(['/a', '/b', '/c']);
    expect([store.read('/c'), store.read('/d')]).toEqual([[], undefined]);
    expect([store.remove('/a'), store.remove('/a'), store.read('/a')]).toEqual([true, false, undefined]);
  });

  test('keeps the newest lines of each group', () => {
    const store = createLogStore(10);
    for (let at = 1; at <= 100; at++) store.append('/a', 's', [{ at, message: `${at}` }]);
    store.append('/b', 's', [{ at: 1, message: 'kept' }]);
    const lines = store.read('/a') ?? [];
    expect(lines.length).toBeGreaterThanOrEqual(10);
    expect(lines.length).toBeLessThanOrEqual(11);
    expect(lines.at(-1)?.message).toBe('100');
    expect(store.read('/b')).toHaveLength(1);
  });
});

describe('the invocation store', () => {
  const call = (functionName: string, at: number) => ({
    functionName,
    version: '1',
    at,
    durationMs: 5,
    error: false,
    throttled: false,
    concurrency: 1,
  });

  test('reads by function and time, and keeps the newest', () => {
    const store = createInvocationStore(10);
    for (let at = 1; at <= 100; at++) store.record(call(at % 2 ? 'odd' : 'even', at));
    const newest = store.read({ functionName: 'even', from: 96, until: 100 });
    expect(newest.map(({ at }) => at)).toEqual([96, 98]);
    expect(store.read().length).toBeLessThanOrEqual(11);
  });
});
