import type { AttributeValue, PutItemCommandInput, QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { Condition, Query } from './ports.ts';
import { PARTITION_KEY, TTL_ATTRIBUTE } from './table.ts';

type ConditionInput = Pick<
  PutItemCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** A condition as `ConditionExpression`; `now` in milliseconds decides what is past its TTL. */
export function renderCondition(condition: Condition | undefined, now: number): ConditionInput {
  if (condition === undefined) return {};
  if ('absent' in condition) {
    return {
      ConditionExpression: `attribute_not_exists(${PARTITION_KEY}) OR ${TTL_ATTRIBUTE} <= :now`,
      ExpressionAttributeValues: { ':now': { N: String(Math.floor(now / 1000)) } },
    };
  }
  const { attribute, equals } = condition;
  return {
    ConditionExpression: '#attribute = :value',
    ExpressionAttributeNames: { '#attribute': attribute },
    ExpressionAttributeValues: { ':value': typeof equals === 'number' ? { N: String(equals) } : { S: equals } },
  };
}

/** A query as `KeyConditionExpression` with its order and limit; reads are strongly consistent. */
export function renderQuery({ pk, sk, limit, reverse }: Query): Omit<QueryCommandInput, 'TableName'> {
  const values: Record<string, AttributeValue> = { ':pk': { S: pk } };
  let expression = 'pk = :pk';
  if (sk !== undefined && 'prefix' in sk) {
    expression += ' AND begins_with(sk, :sk)';
    values[':sk'] = { S: sk.prefix };
  } else if (sk !== undefined && 'after' in sk) {
    expression += ' AND sk > :sk';
    values[':sk'] = { S: sk.after };
  } else if (sk !== undefined) {
    expression += ' AND sk BETWEEN :from AND :to';
    values[':from'] = { S: sk.from };
    values[':to'] = { S: sk.to };
  }
  return {
    KeyConditionExpression: expression,
    ExpressionAttributeValues: values,
    ConsistentRead: true,
    ScanIndexForward: reverse !== true,
    ...(limit !== undefined && { Limit: limit }),
  };
}
