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
      attemptTimeoutMs: 50,
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
