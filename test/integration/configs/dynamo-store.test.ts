import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import { createDynamoStore, type DynamoStore } from '../../../lib/store/dynamo.ts';
import { describeStore } from '../../support/store-suite.ts';
import { startTcpServer } from '../../support/tcp-server.ts';
import { createTestClock } from '../../support/test-clock.ts';

let database: EmbeddedDatabase;
let clock = createTestClock();
let store: DynamoStore;

beforeAll(async () => {
  database = await startEmbeddedDatabase();
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  clock = createTestClock();
  store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
  return () => store.close();
});

describeStore('DynamoDB', () => ({ store, clock }));

describe('DynamoDB that is not as it should be', () => {
  test('is UNAVAILABLE when nobody answers, and says so within a few seconds', async () => {
    const stopped = await startEmbeddedDatabase();
    const lost = createDynamoStore({ tableName: stopped.tableName, client: stopped.client, clock });
    await lost.put({ pk: 'a', sk: 'b' });
    await stopped.close();
    const refusal = { code: 'UNAVAILABLE', message: expect.stringContaining('ECONNREFUSED') };
    await expect(lost.get({ pk: 'a', sk: 'b' })).rejects.toMatchObject(refusal);
    await expect(lost.put({ pk: 'a', sk: 'b' })).rejects.toMatchObject(refusal);
    await expect(lost.query({ pk: 'a' })).rejects.toMatchObject(refusal);
    lost.close();
  });

  test('is UNAVAILABLE when the table is not there', async () => {
    const other = createDynamoStore({ tableName: 'other', client: database.client, clock });
    await expect(other.get({ pk: 'a', sk: 'b' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('ResourceNotFoundException'),
    });
    other.close();
  });

  test('is INTERNAL when it refuses a request as malformed', async () => {
    await expect(store.get({ pk: '', sk: 'b' })).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});

describe('DynamoDB that hangs', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: 100\r\n\r\n';
  const key = { pk: 'a', sk: 'b' };

  test.each([
    ['before its answer', ''],
    ['in the middle of the head of its answer', HEAD.slice(0, 40)],
    ['in the middle of the body of its answer', `${HEAD}{"Item":`],
  ])('%s is UNAVAILABLE after three attempts, for every kind of call, and prints nothing', async (_name, answer) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const server = await startTcpServer((socket) => socket.on('data', () => socket.write(answer)));
    const endpoint = `http://127.0.0.1:${server.port}`;
    const hanging = createDynamoStore({
      tableName: 'any',
      clock,
      client: { ...database.client, endpoint },
      attemptMs: 50,
    });
    const calls = [
      hanging.get(key),
      hanging.getMany([key]),
      hanging.query({ pk: 'a' }),
      hanging.put(key),
      hanging.remove(key),
      hanging.writeMany([{ put: key }]),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({
        reason: { code: 'UNAVAILABLE', message: expect.stringMatching(/TIMEDOUT|TimeoutError/) },
      });
    }
    expect(server.connections).toBe(3 * calls.length);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
    hanging.close();
    await server.close();
  });
});

/** A database that gives the next of `answers` to each request, and the last one from then on. */
async function startScriptedDatabase(...answers: { readonly status?: number; readonly body: object }[]) {
  let requests = 0;
  let open = 0;
  let peak = 0;
  const server = createServer(async (request, response) => {
    const { status = 200, body } = answers[Math.min(requests, answers.length - 1)] ?? { body: {} };
    requests += 1;
    open += 1;
    peak = Math.max(peak, open);
    request.resume();
    // Time for every other request that is on its way.
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    open -= 1;
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const scripted = createDynamoStore({ tableName: 'any', clock, client: { ...database.client, endpoint } });
  return {
    store: scripted,
    count: () => ({ requests, peak }),
    close: async () => {
      scripted.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const refusal = (name: string) => ({
  status: 400,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'no' },
});
const keys = Array.from({ length: 100 }, (_, index) => ({ pk: 'a', sk: String(index) }));

describe('DynamoDB that throttles', () => {
  test('is UNAVAILABLE after three attempts, and says why', async () => {
    const names = ['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded'];
    const outcomes = names.map(async (name) => {
      const throttling = await startScriptedDatabase(refusal(name));
      const error = await throttling.store.get({ pk: 'a', sk: 'b' }).catch((caught) => caught);
      await throttling.close();
      return { error, requests: throttling.count().requests };
    });
    for (const [index, outcome] of (await Promise.all(outcomes)).entries()) {
      expect(outcome.requests).toBe(3);
      expect(outcome.error).toMatchObject({ code: 'UNAVAILABLE', details: { headers: { 'retry-after': '1' } } });
      expect(outcome.error.message).toContain(`because there are too many (${names[index]})`);
    }
  });

  test('for a moment only is not noticed', async () => {
    const item = { pk: { S: 'a' }, sk: { S: 'b' } };
    const throttling = await startScriptedDatabase(refusal('ThrottlingException'), { body: { Item: item } });
    expect(await throttling.store.getMany([{ pk: 'a', sk: 'b' }])).toEqual([{ pk: 'a', sk: 'b' }]);
    await throttling.close();
  });
});

describe('many calls at once', () => {
  test('are 16 under way at most, so that none waits for a socket', async () => {
    const slow = await startScriptedDatabase({ body: {} });
    await slow.store.getMany(keys);
    await slow.store.writeMany(keys.map((key) => ({ put: key })));
    expect(slow.count()).toEqual({ requests: 200, peak: 16 });
    await slow.close();
  });

  test('are not begun at all when one of the items cannot be stored', async () => {
    const large = { pk: 'many', sk: 'large', text: 'x'.repeat(360 * 1024) };
    await expect(store.writeMany([{ put: { pk: 'many', sk: 'fits' } }, { put: large }])).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
    expect(await store.query({ pk: 'many', sk: { prefix: 'fits' } })).toEqual([]);
  });

  test.each([
    { title: 'getMany', call: (many: DynamoStore) => many.getMany(keys) },
    { title: 'writeMany', call: (many: DynamoStore) => many.writeMany(keys.map((key) => ({ put: key }))) },
  ])('of $title begin no more after the first failure', async ({ call }) => {
    const refusing = await startScriptedDatabase(refusal('ValidationException'));
    await expect(call(refusing.store)).rejects.toMatchObject({ code: 'INTERNAL' });
    await refusing.close();
    expect(refusing.count().requests).toBeLessThanOrEqual(16);
  });
});
