import { beforeEach, describe, expect, test } from 'vitest';
import type { IdempotencyState, IdempotencyStore, IdempotentResponse } from '../../../lib/configs/types.ts';
import { AppError } from '../../../lib/errors.ts';
import { decodeRequest } from '../../../lib/http/function-url.ts';
import { createRunOnce } from '../../../lib/http/idempotency.ts';
import { createMemoryLog } from '../../support/memory-log.ts';

interface Call {
  key?: string;
  method?: string;
  path?: string;
  body?: string;
  token?: string;
  ifMatch?: string;
}

function request({ key = 'k1', method = 'POST', path = '/a', body = '{}', token = 'secret', ifMatch }: Call = {}) {
  return decodeRequest({
    rawPath: path,
    headers: { 'Idempotency-Key': key, authorization: `Bearer ${token}`, ...(ifMatch && { 'if-match': ifMatch }) },
    requestContext: { http: { method } },
    body,
  });
}

class MemoryStore implements IdempotencyStore {
  readonly items = new Map<string, { hash: string; response?: IdempotentResponse }>();
  readonly failing = new Set<string>();

  async begin(key: string, hash: string): Promise<IdempotencyState> {
    const item = this.items.get(key);
    if (item === undefined) {
      this.items.set(key, { hash });
      return { state: 'new' };
    }
    if (item.hash !== hash) return { state: 'mismatch' };
    return item.response ? { state: 'replay', response: item.response } : { state: 'in-progress' };
  }
  async complete(key: string, response: IdempotentResponse) {
    if (this.failing.has('complete')) throw new Error('down');
    this.items.set(key, { ...(this.items.get(key) as { hash: string }), response });
  }
  async abandon(key: string) {
    if (this.failing.has('abandon')) throw new Error('down');
    this.items.delete(key);
  }
}

let store: MemoryStore;
let runs: number;
const log = createMemoryLog();
const run = async () => ({ status: 201, headers: { etag: '"1"' }, body: `{"token":"new-token","run":${++runs}}` });

beforeEach(() => {
  store = new MemoryStore();
  runs = 0;
  log.lines.length = 0;
});

const runOnce = (call: Call, tokenId = 't1', action: () => Promise<any> = run) =>
  createRunOnce({ store, log })(request(call), tokenId, action);

test('the same key and request get the first answer again', async () => {
  const first = await runOnce({});
  const second = await runOnce({});
  expect(first).toEqual({ status: 201, headers: { etag: '"1"' }, body: '{"token":"new-token","run":1}' });
  expect(second).toEqual({ ...first, headers: { etag: '"1"', 'idempotency-replayed': 'true' } });
  expect(runs).toBe(1);
});

test.each([
  ['body', { body: '{"a":1}' }],
  ['method', { method: 'PUT' }],
  ['path', { path: '/b' }],
  ['precondition', { ifMatch: '"3"' }],
])('the same key with another %s is refused', async (_name, change) => {
  await runOnce({});
  await expect(runOnce(change)).rejects.toMatchObject({ code: 'UNPROCESSABLE', status: 422 });
  expect(runs).toBe(1);
});

test('a second request while the first runs is a conflict', async () => {
  const gate = Promise.withResolvers<void>();
  const first = runOnce({}, 't1', async () => {
    await gate.promise;
    return run();
  });
  await expect(runOnce({})).rejects.toMatchObject({ code: 'CONFLICT', details: { headers: { 'retry-after': '1' } } });
  gate.resolve();
  await expect(first).resolves.toMatchObject({ status: 201 });
});

test('a request that was refused is judged afresh', async () => {
  const refuse = async () => {
    throw new AppError('CONFIG_INVALID', 'no');
  };
  await expect(runOnce({}, 't1', refuse)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(runOnce({})).resolves.toMatchObject({ status: 201 });
});

test('two tokens may use the same key', async () => {
  await runOnce({}, 't1');
  await runOnce({ body: '{"b":1}' }, 't2');
  expect(runs).toBe(2);
});

test.each(['GET', 'HEAD'])('%s needs no record', async (method) => {
  await runOnce({ method });
  await runOnce({ method });
  expect(runs).toBe(2);
  expect(store.items.size).toBe(0);
});

test.each(['', 'k'.repeat(256)])('the key %j is refused', async (key) => {
  await expect(runOnce({ key })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(runs).toBe(0);
});

describe('what lies in the store', () => {
  test('holds no readable answer: a new endpoint token is nowhere at rest', async () => {
    await runOnce({});
    expect(JSON.stringify([...store.items])).not.toContain('new-token');
  });

  test('cannot be opened with another bearer token', async () => {
    await runOnce({});
    await expect(runOnce({ token: 'other' })).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
  });

  test('does not tell what was asked: to find out whether a guess of it is right takes the bearer token', async () => {
    const hashes: (string | undefined)[] = [];
    for (const token of ['one', 'two', 'one']) {
      store = new MemoryStore();
      await runOnce({ body: '{"value":"1234"}', token });
      hashes.push([...store.items.values()][0]?.hash);
    }
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(hashes[1]).not.toBe(hashes[0]);
    expect(hashes[2]).toBe(hashes[0]);
  });
});

test.each([
  ['complete', run, { status: 201 }],
  [
    'abandon',
    async () => {
      throw new AppError('CONFLICT', 'no');
    },
    undefined,
  ],
] as const)('when the store fails at %s, the answer counts and the failure is logged', async (step, action, answer) => {
  store.failing.add(step);
  const outcome = runOnce({}, 't1', action);
  if (answer) await expect(outcome).resolves.toMatchObject(answer);
  else await expect(outcome).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(log.lines).toMatchObject([{ level: 'warn', message: 'idempotency record not written' }]);
});
