import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/**
 * The single table, on demand, without secondary indexes. The embedded database is created from it; the stack takes its
 * keys from it too. TTL (attribute `expiresAt`) and point-in-time recovery are switched on by the stack: `CreateTable` has no parameter for them.
 */
export function tableDefinition(tableName: string): CreateTableCommandInput {
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  };
}
