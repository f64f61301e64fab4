import { expect, test, vi } from 'vitest';
import { onUse } from '../../../lib/aws/on-use.ts';

test('nothing is loaded before the first call', () => {
  const load = vi.fn(async () => ({}));
  onUse(load);
  expect(load).not.toHaveBeenCalled();
});

test('what was loaded is kept, and later calls get the same', async () => {
  const load = vi.fn(async () => ({}));
  const client = onUse(load);
  const first = await client();
  expect(await client()).toBe(first);
  expect(load).toHaveBeenCalledOnce();
});

test('calls that come while it loads wait for the same', async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  const load = vi.fn(() => promise);
  const client = onUse(load);
  const calls = [client(), client(), client()];
  const made = {};
  resolve(made);
  for (const found of await Promise.all(calls)) expect(found).toBe(made);
  expect(load).toHaveBeenCalledOnce();
});

test('a failure is that of every call that waited, and the next call tries again', async () => {
  const failure = new Error('the chunk cannot be read');
  const load = vi.fn(async () => ({ attempt: 2 })).mockRejectedValueOnce(failure);
  const client = onUse<{ attempt: number }>(load);
  const calls = await Promise.allSettled([client(), client()]);
  expect(calls).toEqual([
    { status: 'rejected', reason: failure },
    { status: 'rejected', reason: failure },
  ]);
  expect(load).toHaveBeenCalledOnce();
  expect(await client()).toEqual({ attempt: 2 });
  expect(await client()).toEqual({ attempt: 2 });
  expect(load).toHaveBeenCalledTimes(2);
});

test('each has its own', async () => {
  const load = async () => ({});
  expect(await onUse(load)()).not.toBe(await onUse(load)());
});
