import { afterAll, beforeAll } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import { createDynamoStore, type DynamoStore } from '../../../lib/store/dynamo.ts';
import { describeCrashMatrix } from '../../support/crash-matrix.ts';
import { createJumpClock } from '../../support/work-bench.ts';

const clock = createJumpClock();
let database: EmbeddedDatabase;
let store: DynamoStore;

beforeAll(async () => {
  database = await startEmbeddedDatabase();
  store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
});
afterAll(async () => {
  store.close();
  await database.close();
});

// The whole of it runs on the store in memory, which passes the same suite: here only what the database could do otherwise.
const only = ['a first deploy', 'a rollback', 'a deletion in the middle of a deploy'];
describeCrashMatrix(() => ({ clock, store }), { only, bringers: ['pass'] });
