import { beforeEach, describe, expect, test } from 'vitest';
import { createIdempotencyStore } from '../../../lib/configs/idempotency.ts';
import type { IdempotencyStore } from '../../../lib/configs/types.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';

const RESPONSE = { status: 201, headers: { etag: '"1"', constructor: 'x' }, body: '{"a":1}' };
const DAY = 24 * 60 * 60 * 1000;

let clock: TestClock;
let store: MemoryStore;
let answers: IdempotencyStore;
beforeEach(() => {
  clock = createTestClock();
  store = createMemoryStore(clock);
  answers = createIdempotencyStore({ store, clock });
});

describe('answers by Idempotency-Key', () => {
  test('are given again for the same request', async () => {
    expect(await answers.begin('key', 'hash')).toEqual({ state: 'new' });
    await answers.complete('key', RESPONSE);
    expect(await answers.begin('key', 'hash')).toEqual({ state: 'replay', response: RESPONSE });
  });

  test('are not given for another request, finished or not', async () => {
    await answers.begin('key', 'hash');
    expect(await answers.begin('key', 'other')).toEqual({ state: 'mismatch' });
    await answers.complete('key', RESPONSE);
    expect(await answers.begin('key', 'other')).toEqual({ state: 'mismatch' });
    expect(await answers.begin('other key', 'other')).toEqual({ state: 'new' });
  });

  test('are kept for 24 hours, judged by their own time', async () => {
    await answers.begin('key', 'hash');
    await answers.complete('key', RESPONSE);
    await clock.advance(DAY - 1);
    expect(await answers.begin('key', 'hash')).toMatchObject({ state: 'replay' });
    await clock.advance(1);
    expect(await answers.begin('key', 'other')).toEqual({ state: 'new' });
  });

  test('are awaited by a second request, until the first one must be dead', async () => {
    await answers.begin('key', 'hash');
    await clock.advance(59_999);
    expect(await answers.begin('key', 'hash')).toEqual({ state: 'in-progress' });
    await clock.advance(1);
    const states = await Promise.all([answers.begin('key', 'hash'), answers.begin('key', 'hash')]);
    expect(states.map(({ state }) => state).sort()).toEqual(['in-progress', 'new']);
  });

  test('begin once when many requests arrive together', async () => {
    const states = await Promise.all(Array.from({ length: 10 }, () => answers.begin('key', 'hash')));
    expect(states.filter(({ state }) => state === 'new')).toHaveLength(1);
    expect(states.filter(({ state }) => state === 'in-progress')).toHaveLength(9);
  });

  test('are forgotten when the request failed', async () => {
    await answers.begin('key', 'hash');
    await answers.abandon('key');
    expect(await answers.begin('key', 'other')).toEqual({ state: 'new' });
  });

  test('are forgotten when they are too large to keep', async () => {
    await answers.begin('key', 'hash');
    await answers.complete('key', { ...RESPONSE, body: 'x'.repeat(400_000) });
    expect(await answers.begin('key', 'hash')).toEqual({ state: 'new' });
  });

  test('that come after their time are dropped', async () => {
    await answers.begin('key', 'hash');
    await clock.advance(DAY);
    await answers.complete('key', RESPONSE);
    expect(await answers.begin('key', 'hash')).toEqual({ state: 'new' });
  });

  test('take any text for a key, and do not store it', async () => {
    const key = `${'k'.repeat(5000)} ä#\u0000`;
    expect(await answers.begin(key, 'hash')).toEqual({ state: 'new' });
    expect(JSON.stringify(store.all())).not.toContain('kkkk');
  });
});
