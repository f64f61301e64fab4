import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { createDynamoStore, type DynamoStore } from '../../lib/store/dynamo.ts';
import { tableDefinition } from '../../lib/store/table.ts';
import { describeStore } from '../support/store-suite.ts';
import { createTestClock } from '../support/test-clock.ts';
import { startMoto } from './support/moto.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';
import { MOTO } from './tools/tools.ts';

const runs = canRun('aws', [MOTO]);

describe.runIf(runs)('on an emulator that is not the one of the other tests', () => {
  let workbench: Workbench;
  let connection: { readonly endpoint: string; readonly region: string; readonly credentials: any };
  let tableName: string;
  let clock = createTestClock();
  let store: DynamoStore;

  beforeAll(async () => {
    workbench = openWorkbench();
    const { url: endpoint } = await startMoto(workbench);
    connection = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'e2e', secretAccessKey: 'e2e' } };
    tableName = `roundhouse-e2e-${process.pid}`;
    const client = new DynamoDBClient(connection);
    await client.send(new CreateTableCommand(tableDefinition(tableName)));
    await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName: tableName });
    client.destroy();
  });

  afterAll(() => workbench.close());

  beforeEach(() => {
    clock = createTestClock();
    store = createDynamoStore({ tableName, client: connection, clock });
    return () => store.close();
  });

  describeStore('DynamoDB of moto', () => ({ store, clock }));
});
