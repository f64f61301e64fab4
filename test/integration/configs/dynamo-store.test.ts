import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import { createDynamoStore, type DynamoStore } from '../../../lib/store/dynamo.ts';
import { describeStore } from '../../support/store-suite.ts';
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
