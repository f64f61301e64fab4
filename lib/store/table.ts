import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/** The primary key; both parts are strings. */
export const PARTITION_KEY = 'pk';
export const SORT_KEY = 'sk';
/** Holds when an item ends, in epoch seconds (see `Item`). */
export const TTL_ATTRIBUTE = 'expiresAt';

/**
 * The one secondary index, which is sparse: it has the items with both attributes, whole. It lags behind the table by
 * milliseconds, so what is found in it is a hint.
 */
export const ATTENTION_INDEX = Object.freeze({ name: 'attention', pk: 'attention', sk: 'attentionAt' });

/**
 * The single table, on demand, with the index of what needs attention. The embedded database is created from it; the stack takes its
 * keys from here too, and switches TTL and point-in-time recovery on: `CreateTable` has no parameter for them.
 */
export function tableDefinition(tableName: string): CreateTableCommandInput {
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: PARTITION_KEY, AttributeType: 'S' },
      { AttributeName: SORT_KEY, AttributeType: 'S' },
      { AttributeName: ATTENTION_INDEX.pk, AttributeType: 'S' },
      { AttributeName: ATTENTION_INDEX.sk, AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: PARTITION_KEY, KeyType: 'HASH' },
      { AttributeName: SORT_KEY, KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: ATTENTION_INDEX.name,
        KeySchema: [
          { AttributeName: ATTENTION_INDEX.pk, KeyType: 'HASH' },
          { AttributeName: ATTENTION_INDEX.sk, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  };
}
