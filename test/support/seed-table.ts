import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { EmbeddedDatabase } from '../../lib/dev/embedded-database.ts';
import type { Item } from '../../lib/store/ports.ts';

/** What BatchWriteItem takes. */
const BATCH = 25;

/** Fills a table with many items, four times as fast as the store, which writes them one by one. */
export async function seedTable({ client: connection, tableName }: EmbeddedDatabase, items: readonly Item[]) {
  const client = new DynamoDBClient(connection);
  for (let start = 0; start < items.length; start += BATCH) {
    const requests = items.slice(start, start + BATCH).map((item) => ({
      PutRequest: { Item: marshall(item, { removeUndefinedValues: true }) },
    }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
  }
  client.destroy();
}
