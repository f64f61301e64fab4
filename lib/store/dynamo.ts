import { setTimeout as wait } from 'node:timers/promises';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandOutput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { AppError } from '../errors.ts';
import { renderCondition, renderQuery } from './expressions.ts';
import { checkItem } from './item-size.ts';
import { ConditionFailed, type Item, isExpired, type Key, type Store, type Write } from './ports.ts';

/** BatchGetItem takes 100 keys, BatchWriteItem 25 (DynamoDB service quotas). */
const GET_BATCH = 100;
const WRITE_BATCH = 25;
/** Rounds without progress before a batch gives up; waits double from 20 ms, so 6 rounds are about 1.2 s. */
const MAX_IDLE_ROUNDS = 6;
/** A call that hangs must not outlive the request that waits for it: 3 attempts of 3 s are under every deadline. */
const ATTEMPTS = 3;
const ATTEMPT_TIMEOUT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 1_000;

interface DynamoStoreOptions {
  readonly tableName: string;
  readonly clock: { now(): number };
  /** Without one: `region`, `endpoint` and `credentials` are the SDK's to find (as a Lambda function's are). */
  readonly client: Pick<DynamoDBClientConfig, 'region' | 'endpoint' | 'credentials'>;
  /** How long one of the three attempts of a call may take, in milliseconds; 3,000 when absent. */
  readonly attemptTimeoutMs?: number;
}

export interface DynamoStore extends Store {
  /** Ends idle connections. */
  close(): void;
}

/**
 * The store on DynamoDB. Reads are strongly consistent and never return an item past its TTL. A database that does not
 * answer is `UNAVAILABLE` after three attempts.
 */
export function createDynamoStore(options: DynamoStoreOptions): DynamoStore {
  const { tableName, clock } = options;
  const client = createClient(options);
  const table = { TableName: tableName };
  const alive = (item: Item): boolean => !isExpired(item, clock.now());

  return {
    async get(key) {
      const command = new GetItemCommand({ ...table, Key: toKey(key), ConsistentRead: true });
      const { Item: found } = await attempt(key, () => client.send(command));
      const item = found && (unmarshall(found) as Item);
      return item && alive(item) ? item : undefined;
    },
    async getMany(keys) {
      const batches = await Promise.all(chunked(keys, GET_BATCH).map((batch) => getBatch(client, tableName, batch)));
      return batches.flat().filter(alive);
    },
    async query(query) {
      const items: Item[] = [];
      let start: QueryCommandOutput['LastEvaluatedKey'];
      do {
        const command = new QueryCommand({ ...table, ...renderQuery(query), ExclusiveStartKey: start });
        const result = await attempt({ pk: query.pk, sk: '*' }, () => client.send(command));
        items.push(...(result.Items ?? []).map((item) => unmarshall(item) as Item).filter(alive));
        start = result.LastEvaluatedKey;
      } while (start !== undefined && (query.limit === undefined || items.length < query.limit));
      return query.limit === undefined ? items : items.slice(0, query.limit);
    },
    async put(item, condition) {
      checkItem(item);
      const command = new PutItemCommand({ ...table, Item: toItem(item), ...renderCondition(condition, clock.now()) });
      await attempt(item, () => client.send(command));
    },
    async remove(key, condition) {
      const command = new DeleteItemCommand({ ...table, Key: toKey(key), ...renderCondition(condition, clock.now()) });
      await attempt(key, () => client.send(command));
    },
    async writeMany(writes) {
      for (const { put } of writes) if (put !== undefined) checkItem(put);
      const requests = writes.map(toWriteRequest);
      for (const batch of chunked(requests, WRITE_BATCH)) await writeBatch(client, tableName, batch);
    },
    close: () => client.destroy(),
  };
}

function createClient({ client, attemptTimeoutMs = ATTEMPT_TIMEOUT_MS }: DynamoStoreOptions): DynamoDBClient {
  return new DynamoDBClient({
    ...client,
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      // The first ends the wait for an answer to begin (without the flag the SDK only prints a warning and waits on),
      // the second an answer that stops in the middle.
      requestTimeout: attemptTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: attemptTimeoutMs,
    },
  });
}

async function getBatch(client: DynamoDBClient, tableName: string, keys: readonly Key[]): Promise<Item[]> {
  const items: Item[] = [];
  let left = keys.map(toKey);
  for (let idle = 0; left.length > 0; ) {
    const command = new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } } });
    const result = await attempt(keys[0] as Key, () => client.send(command));
    items.push(...(result.Responses?.[tableName] ?? []).map((item) => unmarshall(item) as Item));
    const rest = result.UnprocessedKeys?.[tableName]?.Keys ?? [];
    // A response ends at 16 MB: that is progress and goes on at once. None at all means throttling.
    idle = rest.length < left.length ? 0 : await backOff(idle);
    left = rest as typeof left;
  }
  return items;
}

async function writeBatch(client: DynamoDBClient, tableName: string, batch: readonly WriteRequest[]): Promise<void> {
  let left = [...batch];
  for (let idle = 0; left.length > 0; ) {
    const command = new BatchWriteItemCommand({ RequestItems: { [tableName]: left } });
    const result = await attempt({ pk: tableName, sk: '*' }, () => client.send(command));
    const rest = result.UnprocessedItems?.[tableName] ?? [];
    idle = rest.length < left.length ? 0 : await backOff(idle);
    left = rest;
  }
}

async function backOff(idle: number): Promise<number> {
  if (idle >= MAX_IDLE_ROUNDS) {
    throw new AppError('UNAVAILABLE', 'The database refuses requests because there are too many. Try again shortly.');
  }
  await wait(20 * 2 ** idle);
  return idle + 1;
}

async function attempt<T>(key: Key, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof ConditionalCheckFailedException) throw new ConditionFailed(key, { cause });
    const { name, code = name } = cause as { name?: string; code?: string };
    if (name === 'ValidationException' || name === 'SerializationException') {
      throw new AppError('INTERNAL', `the database refused a request for ${key.pk}`, {}, { cause });
    }
    throw new AppError(
      'UNAVAILABLE',
      `The database cannot be used now (${code}). Nothing is known to be stored; try again shortly.`,
      { headers: { 'retry-after': '1' } },
      { cause },
    );
  }
}

function toKey({ pk, sk }: Key) {
  return { pk: { S: pk }, sk: { S: sk } };
}

function toItem(item: Item) {
  // The marshaller takes a map with an own key `constructor` (a legal label) for a class instance.
  return marshall(item, { removeUndefinedValues: true, convertClassInstanceToMap: true });
}

function toWriteRequest({ put, remove }: Write): WriteRequest {
  return put === undefined ? { DeleteRequest: { Key: toKey(remove as Key) } } : { PutRequest: { Item: toItem(put) } };
}

function chunked<T>(list: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < list.length; start += size) chunks.push(list.slice(start, start + size));
  return chunks;
}
