import type {
  AttributeValue,
  PutItemCommandInput,
  QueryCommandInput,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Addition, Condition, Query } from './ports.ts';
import { ATTENTION_INDEX, PARTITION_KEY, SORT_KEY, TTL_ATTRIBUTE } from './table.ts';

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
  if ('absentOrBelow' in condition) {
    return {
      ConditionExpression: `attribute_not_exists(${PARTITION_KEY}) OR ${TTL_ATTRIBUTE} <= :now OR #attribute < :limit`,
      ExpressionAttributeNames: { '#attribute': condition.attribute },
      ExpressionAttributeValues: {
        ':now': { N: String(Math.floor(now / 1000)) },
        ':limit': { N: String(condition.absentOrBelow) },
      },
    };
  }
  const { attribute, equals } = condition;
  return {
    ConditionExpression: '#attribute = :value',
    ExpressionAttributeNames: { '#attribute': attribute },
    ExpressionAttributeValues: { ':value': typeof equals === 'number' ? { N: String(equals) } : { S: equals } },
  };
}

/** An addition as `UpdateExpression`. */
export function renderAddition({ attribute, by, from, to, expiresAt }: Addition) {
  return {
    UpdateExpression: `SET #attribute = #attribute + :by, ${TTL_ATTRIBUTE} = :ttl`,
    ConditionExpression: '#attribute BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#attribute': attribute },
    ExpressionAttributeValues: {
      ':by': { N: String(by) },
      ':ttl': { N: String(expiresAt) },
      ':from': { N: String(from) },
      ':to': { N: String(to) },
    },
  } satisfies Omit<UpdateItemCommandInput, 'TableName' | 'Key'>;
}

/** A query as `KeyConditionExpression` with its order and limit; reads of the table are strongly consistent. */
export function renderQuery({ pk, sk, limit, reverse, index }: Query): Omit<QueryCommandInput, 'TableName'> {
  const values: Record<string, AttributeValue> = { ':pk': { S: pk } };
  const names = index === undefined ? { pk: PARTITION_KEY, sk: SORT_KEY } : ATTENTION_INDEX;
  let expression = `${names.pk} = :pk`;
  if (sk !== undefined && 'prefix' in sk) {
    expression += ` AND begins_with(${names.sk}, :sk)`;
    values[':sk'] = { S: sk.prefix };
  } else if (sk !== undefined && 'after' in sk) {
    expression += ` AND ${names.sk} > :sk`;
    values[':sk'] = { S: sk.after };
  } else if (sk !== undefined) {
    expression += ` AND ${names.sk} BETWEEN :from AND :to`;
    values[':from'] = { S: sk.from };
    values[':to'] = { S: sk.to };
  }
  return {
    KeyConditionExpression: expression,
    ExpressionAttributeValues: values,
    ...(index === undefined ? { ConsistentRead: true } : { IndexName: ATTENTION_INDEX.name }),
    ScanIndexForward: reverse !== true,
    ...(limit !== undefined && { Limit: limit }),
  };
}
