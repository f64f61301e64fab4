import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRateLimiter, type Tier } from '../../../lib/access/rate-limit.ts';
import { countReads } from '../../support/counting-store.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { createTestClock } from '../../support/test-clock.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

function createLimited(rpm: Partial<Record<Tier, number>> = {}) {
  const clock = createTestClock(START);
  const memory = createMemoryStore(clock);
  const store = countReads(memory);
  const limits = { read: 10, write: 2, ...rpm };
  const instance = () => createRateLimiter({ store, clock, rpm: limits });
  return { clock, memory, store, instance, limiter: instance() };
}

/** What the limiter must be: full at the start, refilled continuously, one token a request. Milliseconds. */
function createBucket(rpm: number, start: number) {
  let tokens = rpm * 60_000;
  let at = start;
  return (now: number): boolean => {
    // In parts of a token, so that nothing is rounded: a millisecond is worth rpm of 60,000 parts.
    tokens = Math.min(rpm * 60_000, tokens + (now - at) * rpm);
    at = now;
    if (tokens < 60_000) return false;
    tokens -= 60_000;
    return true;
  };
}

/** A clock without the turns of the event loop that {@link createTestClock} takes. */
function createFastClock() {
  let now = START;
  return {
    now: () => now,
    add: (ms: number) => {
      now += ms;
    },
  };
}

describe.each([1, 2, 10, 120, 600])('at %i requests a minute', (rpm) => {
  // Pauses that fill the bucket, that fill it by a part, by exactly one, and none.
  const pause = fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.nat(2 * Math.ceil(60_000 / rpm)) },
    { weight: 1, arbitrary: fc.constant(Math.ceil(60_000 / rpm)) },
    { weight: 1, arbitrary: fc.nat(200_000) },
  );

  test('a token bucket that starts full decides the same, whatever comes when', async () => {
    const sequence = fc.array(pause, { minLength: rpm, maxLength: 3 * rpm + 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(sequence, fc.boolean(), async (pauses, forgetful) => {
        const clock = createFastClock();
        const store = createMemoryStore(clock);
        const create = () => createRateLimiter({ store, clock, rpm: { read: rpm, write: 0 } });
        const bucket = createBucket(rpm, START);
        let limiter = create();
        for (const ms of pauses) {
          clock.add(ms);
          // Another instance remembers nothing of what this one refused.
          if (forgetful) limiter = create();
          expect((await limiter.take('read', 'a')) === undefined).toBe(bucket(clock.now()));
        }
      }),
      { numRuns: rpm > 100 ? 8 : 60 },
    );
  });

  test('the wait that it tells is enough, and one second less is not', async () => {
    const { clock, limiter } = createLimited({ read: rpm });
    for (let call = 0; call < rpm; call += 1) expect(await limiter.take('read', 'a')).toBeUndefined();
    const wait = await limiter.take('read', 'a');
    expect(wait).toBe(Math.max(1, 60 / rpm));
    await clock.advance(((wait ?? 0) - 1) * 1_000);
    if (wait !== 1) expect(await limiter.take('read', 'a')).toBe(1);
    await clock.advance(1_000);
    expect(await limiter.take('read', 'a')).toBeUndefined();
  });
});

describe('a bucket', () => {
  test('is one for each tier and key', async () => {
    const { limiter } = createLimited({ read: 1, write: 1 });
    for (const [tier, key] of [
      ['read', 'a'],
      ['write', 'a'],
      ['read', 'b'],
    ] as const) {
      expect(await limiter.take(tier, key)).toBeUndefined();
    }
    expect(await limiter.take('read', 'a')).toBe(60);
  });

  test('is one for the whole fleet', async () => {
    const { instance } = createLimited({ write: 2 });
    for (const limiter of [instance(), instance()]) expect(await limiter.take('write', 'a')).toBeUndefined();
    expect(await instance().take('write', 'a')).toBe(30);
  });

  test.each([20, 200])('lets exactly as many of %i racing requests through as it has room for', async (count) => {
    const { instance } = createLimited({ read: 10 });
    const waits = await Promise.all(Array.from({ length: count }, () => instance().take('read', 'a')));
    expect(waits.filter((wait) => wait === undefined)).toHaveLength(10);
  });

  test('ends with its TTL, which is not before it would be full', async () => {
    const { clock, memory, limiter } = createLimited({ read: 10 });
    for (let call = 0; call < 10; call += 1) await limiter.take('read', 'a');
    const [item] = memory.all();
    expect(Number(item?.expiresAt)).toBeGreaterThanOrEqual(Number(item?.['tat']) / 1_000_000);
    await clock.advance(120_000);
    for (let call = 0; call < 10; call += 1) expect(await limiter.take('read', 'a')).toBeUndefined();
  });
});

describe('what it costs', () => {
  test('a request that has room is one write, the first of a full bucket two, and none is a read', async () => {
    const { store, limiter } = createLimited();
    await limiter.take('read', 'a');
    expect(store.calls).toMatchObject({ add: 1, put: 1, get: 0 });
    await limiter.take('read', 'a');
    expect(store.calls).toMatchObject({ add: 2, put: 1, get: 0 });
  });

  test('a refusal that is remembered costs no call until there is room', async () => {
    const { clock, store, limiter } = createLimited({ write: 1 });
    await limiter.take('write', 'a');
    expect(await limiter.take('write', 'a')).toBe(60);
    store.reset();
    await clock.advance(59_999);
    expect(await limiter.take('write', 'a')).toBe(1);
    expect(Object.values(store.calls).every((count) => count === 0)).toBe(true);
    await clock.advance(1);
    expect(await limiter.take('write', 'a')).toBeUndefined();
  });

  test.each([0, -1])('a tier of %i requests a minute has no limit and asks nobody', async (rpm) => {
    const { store, limiter } = createLimited({ write: rpm });
    for (let call = 0; call < 1_000; call += 1) expect(await limiter.take('write', 'a')).toBeUndefined();
    expect(store.calls).toMatchObject({ add: 0, put: 0, get: 0 });
  });
});

test.each([7, 999, 10_000_000])('a rate like %i a minute, which has no exact step, allows its burst', async (rpm) => {
  const { limiter } = createLimited({ read: rpm });
  for (let call = 0; call < Math.min(rpm, 1_000); call += 1) {
    expect(await limiter.take('read', 'a')).toBeUndefined();
  }
  if (rpm < 1_000) expect(await limiter.take('read', 'a')).toBeDefined();
});

test('a store that fails is the business of the caller', async () => {
  const { memory, limiter } = createLimited();
  memory.beforeWrite = () => {
    throw new Error('down');
  };
  await expect(limiter.take('read', 'a')).rejects.toThrow('down');
});
