import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandOutput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { requestTimeouts } from '../aws/request-timeouts.ts';
import { AppError } from '../errors.ts';
import { renderAddition, renderCondition, renderQuery } from './expressions.ts';
import { checkItem } from './item-size.ts';
import { ConditionFailed, type Item, isExpired, type Key, type Store } from './ports.ts';

/**
 * Calls that one `getMany` or `writeMany` has under way. They take the place of the batch actions, which IAM grants
 * apart from those on items. A cold process needs 1 ms of CPU for a call and waits 4 ms for its answer, so 8 and 32 were
 * measured to be no faster; the SDK's agent has 50 sockets, each with a TLS handshake of its own.
 */
const PARALLEL = 16;
const ATTEMPTS = 3;
/** Of a partition, of the table, of the account. The SDK waits and tries again before one of them comes here. */
const THROTTLED = new Set(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded']);

interface DynamoStoreOptions {
  readonly tableName: string;
  readonly clock: { now(): number };
  /** Without one: `region`, `endpoint` and `credentials` are the SDK's to find (as a Lambda function's are). */
  readonly client: Pick<DynamoDBClientConfig, 'region' | 'endpoint' | 'credentials'>;
  /** How long one of the three attempts of a call may take, in milliseconds; see {@link requestTimeouts}. */
  readonly attemptMs?: number;
}

export interface DynamoStore extends Store {
  /** Ends idle connections. */
  close(): void;
}

/**
 * The store on DynamoDB. Reads are strongly consistent and never return an item past its TTL. A database that does not
 * answer, or that throttles, is `UNAVAILABLE` after three attempts.
 */
export function createDynamoStore(options: DynamoStoreOptions): DynamoStore {
  const { tableName, clock } = options;
  const client = createClient(options);
  const items = createItemCalls(client, options);
  return {
    ...items,
    async getMany(keys) {
      const found: Item[] = [];
      await runEach(keys, async (key) => {
        const item = await items.get(key);
        if (item !== undefined) found.push(item);
      });
      return found;
    },
    async query(query) {
      const found: Item[] = [];
      let start: QueryCommandOutput['LastEvaluatedKey'];
      do {
        const command = new QueryCommand({ TableName: tableName, ...renderQuery(query), ExclusiveStartKey: start });
        const result = await attempt({ pk: query.pk, sk: '*' }, () => client.send(command));
        const page = (result.Items ?? []).map((item) => unmarshall(item) as Item);
        found.push(...page.filter((item) => !isExpired(item, clock.now())));
        start = result.LastEvaluatedKey;
      } while (start !== undefined && (query.limit === undefined || found.length < query.limit));
      return query.limit === undefined ? found : found.slice(0, query.limit);
    },
    async writeMany(writes) {
      for (const write of writes) if (write.put !== undefined) checkItem(write.put);
      await runEach(writes, async (write) => {
        if (write.put !== undefined) await items.put(write.put);
        if (write.remove !== undefined) await items.remove(write.remove);
      });
    },
    close: () => client.destroy(),
  };
}

function createItemCalls(
  client: DynamoDBClient,
  { tableName, clock }: DynamoStoreOptions,
): Pick<Store, 'get' | 'put' | 'add' | 'remove'> {
  const table = { TableName: tableName };
  return {
    async get(key) {
      const command = new GetItemCommand({ ...table, Key: toKey(key), ConsistentRead: true });
      const result = await attempt(key, () => client.send(command));
      const item = result.Item && (unmarshall(result.Item) as Item);
      return item === undefined || isExpired(item, clock.now()) ? undefined : item;
    },
    async put(item, condition) {
      checkItem(item);
      const command = new PutItemCommand({ ...table, Item: toItem(item), ...renderCondition(condition, clock.now()) });
      await attempt(item, () => client.send(command));
    },
    async add(key, addition) {
      const command = new UpdateItemCommand({ ...table, Key: toKey(key), ...renderAddition(addition) });
      await attempt(key, () => client.send(command));
    },
    async remove(key, condition) {
      const command = new DeleteItemCommand({ ...table, Key: toKey(key), ...renderCondition(condition, clock.now()) });
      await attempt(key, () => client.send(command));
    },
  };
}

function createClient({ client, attemptMs }: DynamoStoreOptions): DynamoDBClient {
  return new DynamoDBClient({
    ...client,
    maxAttempts: ATTEMPTS,
    // Put the SDK's middleware together once for each kind of call: 15 ms of a cold start that reads 100 items.
    cacheMiddleware: true,
    requestHandler: requestTimeouts(attemptMs),
  });
}

/** Calls `run` for every entry, {@link PARALLEL} at a time. After a failure no further call begins. */
async function runEach<T>(list: readonly T[], run: (entry: T) => Promise<void>): Promise<void> {
  // Shared by all lanes; unlike an array's own iterator it ends for all of them when one of them is left by an error.
  const entries = (function* () {
    yield* list;
  })();
  const lane = async (): Promise<void> => {
    for (const entry of entries) await run(entry);
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, list.length) }, lane));
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
    const problem = THROTTLED.has(name ?? '') ? 'refuses requests because there are too many' : 'cannot be used now';
    throw new AppError(
      'UNAVAILABLE',
      `The database ${problem} (${code}). Nothing is known to be stored; try again shortly.`,
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
