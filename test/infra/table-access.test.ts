import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigTable } from '../../infra/constructs/table.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../lib/dev/embedded-database.ts';
import {
  API_ACCESS,
  CONVERT_ACCESS,
  RECONCILE_ACCESS,
  type TableAccess,
  WORKER_ACCESS,
} from '../../lib/store/access.ts';
import { createDynamoStore } from '../../lib/store/dynamo.ts';
import { TTL_ATTRIBUTE, tableDefinition } from '../../lib/store/table.ts';
import { driveReconcile, driveWorker } from '../support/app-traffic.ts';
import { type DatabaseCall, startCallRecorder } from '../support/call-recorder.ts';
import { isAllowed, type Statement, statementsOf } from '../support/iam.ts';
import { driveApi, driveConvert } from '../support/table-traffic.ts';

const FUNCTIONS = {
  convert: CONVERT_ACCESS,
  api: API_ACCESS,
  worker: WORKER_ACCESS,
  reconcile: RECONCILE_ACCESS,
} satisfies Record<string, TableAccess>;
type FunctionName = keyof typeof FUNCTIONS;
const NAMES = Object.keys(FUNCTIONS) as FunctionName[];

const TABLE = 'arn:aws:dynamodb:eu-central-1:111122223333:table/Roundhouse-test-Table';
const INDEX = `${TABLE}/index/attention`;
const KEY = 'arn:aws:kms:eu-central-1:111122223333:key/1234';
const LEADING_KEYS = 'dynamodb:LeadingKeys';
/** DynamoDB's actions on the items of a table that the design never grants. */
const NEVER = ['Scan', 'BatchGetItem', 'BatchWriteItem', 'TransactGetItems', 'TransactWriteItems', 'PartiQLSelect'];

const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));

/** A stack with nothing but the table and the role of each function. */
function synthesise(props: ConstructorParameters<typeof ConfigTable>[2]) {
  const stack = new Stack(new App({ context }), 'Test');
  const table = new ConfigTable(stack, 'Table', props);
  const roleIds = {} as Record<FunctionName, string>;
  for (const name of NAMES) {
    const role = new Role(stack, name, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    table.allow(role, FUNCTIONS[name]);
    roleIds[name] = stack.getLogicalId(role.node.defaultChild as never);
  }
  const template = Template.fromStack(stack).toJSON();
  const resources = Object.entries<any>(template['Resources']);
  const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type);
  const [tableEntry] = ofType('AWS::DynamoDB::Table');
  const [keyEntry] = ofType('AWS::KMS::Key');
  const resolved = { [`${tableEntry?.[0]}.Arn`]: TABLE, [`${keyEntry?.[0]}.Arn`]: KEY, 'AWS::Region': 'eu-central-1' };
  return {
    table: tableEntry?.[1],
    key: keyEntry?.[1],
    types: resources.map(([, { Type }]) => Type).filter((type) => type !== 'AWS::IAM::Role'),
    statements: (name: FunctionName) => statementsOf(template, roleIds[name], resolved),
  };
}

const kept = synthesise({ retain: true, customerKey: false });
const trial = synthesise({ retain: false, customerKey: false });
const keptWithKey = synthesise({ retain: true, customerKey: true });
const trialWithKey = synthesise({ retain: false, customerKey: true });

describe('the table', () => {
  test('is the one of lib/store, with its index, the TTL attribute and point-in-time recovery', () => {
    const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode } = tableDefinition('any');
    expect(kept.table.Properties).toEqual({
      AttributeDefinitions,
      KeySchema,
      GlobalSecondaryIndexes,
      BillingMode,
      TimeToLiveSpecification: { AttributeName: TTL_ATTRIBUTE, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
    });
  });

  test.each([
    { title: 'kept, and protected', stack: kept, policy: 'Retain', isProtected: true },
    { title: 'deleted with a trial', stack: trial, policy: 'Delete', isProtected: false },
  ])('is $title when the stack is deleted', ({ stack: { table }, policy, isProtected }) => {
    expect(table).toMatchObject({ DeletionPolicy: policy, UpdateReplacePolicy: policy });
    expect(table.Properties.DeletionProtectionEnabled).toBe(isProtected);
  });

  test('brings nothing along but a policy for each function, and a key with as many more where one is asked for', () => {
    const policies = NAMES.map(() => 'AWS::IAM::Policy');
    expect(kept.types.sort()).toEqual(['AWS::DynamoDB::Table', ...policies]);
    expect(keptWithKey.types.sort()).toEqual([...kept.types, ...policies, 'AWS::KMS::Key'].sort());
  });

  test('waits for the permission to use its key, so that getting one locks nobody out', () => {
    const waitsFor = keptWithKey.table.DependsOn.filter((id: string) => /KeyAccess/.test(id));
    expect(waitsFor).toHaveLength(NAMES.length);
    expect(kept.table.DependsOn).toBeUndefined();
  });

  test.each([
    { title: 'kept', stack: keptWithKey, policy: 'Retain' },
    { title: 'of a trial', stack: trialWithKey, policy: 'Delete' },
  ])('$title is encrypted with a key that rotates and ends 30 days after it was deleted', ({ stack, policy }) => {
    const { table, key } = stack;
    expect(table.Properties.SSESpecification).toMatchObject({ SSEEnabled: true, SSEType: 'KMS' });
    expect(key).toMatchObject({
      DeletionPolicy: policy,
      UpdateReplacePolicy: policy,
      Properties: { EnableKeyRotation: true, PendingWindowInDays: 30 },
    });
  });
});

describe('the policy', () => {
  const onTable = (sid: string): object => ({
    Sid: sid,
    Effect: 'Allow',
    Resource: [sid === 'TableQueryAttention' ? INDEX : TABLE],
  });
  const API_SIDS = ['GetItem', 'Query', 'QueryAttention', 'PutItem', 'UpdateItem', 'DeleteItem'];

  test.each([
    { name: 'convert', sids: ['TableGetItem', 'TableQuery'] },
    { name: 'api', sids: API_SIDS.map((action) => `Table${action}`) },
    { name: 'worker', sids: ['TableGetItem', 'TableQuery', 'TablePutItem', 'TableDeleteItem'] },
    { name: 'reconcile', sids: ['TableGetItem', 'TableQuery', 'TableQueryAttention', 'TablePutItem'] },
  ] as const)('of $name has one statement for each action, on the table or its index alone', ({ name, sids }) => {
    const statements = kept.statements(name);
    expect(statements).toMatchObject(sids.map(onTable));
    for (const { Sid = '', Action, Condition } of statements) {
      expect(Action).toEqual([Sid.replace('Table', 'dynamodb:').replace('QueryAttention', 'Query')]);
      expect(Object.keys(Condition).sort()).toEqual(['ForAllValues:StringLike', 'Null']);
      expect(Condition['Null']).toEqual({ [LEADING_KEYS]: ['false'] });
    }
  });

  const reading = ['kms:Decrypt', 'kms:DescribeKey'];
  const writing = ['Encrypt', 'GenerateDataKey', 'GenerateDataKeyWithoutPlaintext', 'ReEncryptFrom', 'ReEncryptTo'];
  test.each([
    { name: 'convert', actions: reading },
    { name: 'api', actions: [...reading, ...writing.map((action) => `kms:${action}`)] },
  ] as const)('of $name allows what the key is needed for, through DynamoDB only', ({ name, actions }) => {
    const statements = keptWithKey.statements(name);
    expect(statements.slice(0, -1)).toEqual(kept.statements(name));
    expect(statements.at(-1)).toEqual({
      Sid: 'TableKey',
      Effect: 'Allow',
      Action: actions,
      Resource: [KEY],
      Condition: { StringEquals: { 'kms:ViaService': ['dynamodb.eu-central-1.amazonaws.com'] } },
    });
    const decrypt = (service: string) =>
      isAllowed(statements, { action: 'kms:Decrypt', resource: KEY, context: { 'kms:ViaService': [service] } });
    expect(decrypt('dynamodb.eu-central-1.amazonaws.com')).toBe(true);
    expect(decrypt('s3.eu-central-1.amazonaws.com')).toBe(false);
    expect(isAllowed(statements, { action: 'kms:Decrypt', resource: KEY, context: {} })).toBe(false);
  });

  test.each(NAMES)('of %s has no wildcard in an action or a resource', (name) => {
    for (const { Action, Resource } of keptWithKey.statements(name)) {
      expect([...Action, ...Resource].filter((text) => /[*?]/.test(text))).toEqual([]);
    }
  });
});

describe('what a function does with the table', () => {
  let database: EmbeddedDatabase;
  const calls = {} as Record<FunctionName, readonly DatabaseCall[]>;
  let routes: Awaited<ReturnType<typeof driveApi>>;

  async function record<T>(name: FunctionName, drive: (store: ReturnType<typeof createDynamoStore>) => Promise<T>) {
    const recorder = await startCallRecorder(database);
    const store = createDynamoStore({
      tableName: database.tableName,
      client: recorder.client,
      clock: { now: () => 0 },
    });
    const result = await drive(store);
    store.close();
    await recorder.close();
    calls[name] = recorder.calls;
    return result;
  }

  beforeAll(async () => {
    const drives = { api: driveApi, convert: driveConvert, worker: driveWorker, reconcile: driveReconcile };
    for (const [name, drive] of Object.entries(drives)) {
      await database?.close();
      database = await startEmbeddedDatabase();
      const { tableName, client } = database;
      const writer = createDynamoStore({ tableName, client, clock: { now: () => 0 } });
      const result = await record(name as FunctionName, async (store): Promise<unknown> => await drive(store, writer));
      if (name === 'api') routes = result as typeof routes;
      writer.close();
    }
  });
  afterAll(() => database.close());

  const request = (action: string, keys: readonly string[], resource = TABLE) => ({
    action: `dynamodb:${action}`,
    resource,
    context: keys.length === 0 ? {} : { [LEADING_KEYS]: keys },
  });
  const permits = (statements: readonly Statement[], { action, leadingKeys, index }: DatabaseCall) =>
    isAllowed(
      statements,
      request(action.replace('dynamodb:', ''), leadingKeys, index === undefined ? TABLE : `${TABLE}/index/${index}`),
    );

  test('was tried with every route of the API', () => {
    const all = Object.entries<object>(routes.openapi.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect([...routes.called].sort()).toEqual(all.sort());
  });

  test.each(NAMES)('is allowed: %s', (name) => {
    const statements = kept.statements(name);
    expect(calls[name].length).toBeGreaterThan(10);
    expect(new Set(calls[name].map(({ table }) => table)).size).toBe(1);
    expect(calls[name].filter((call) => !permits(statements, call))).toEqual([]);
  });

  test.each(NAMES)('is all that is allowed: %s', (name) => {
    const unused = kept.statements(name).flatMap((statement) =>
      (statement.Condition['ForAllValues:StringLike']?.[LEADING_KEYS] ?? []).flatMap((pattern) => {
        const alone = { 'ForAllValues:StringLike': { [LEADING_KEYS]: [pattern] } };
        const granted = [{ ...statement, Condition: { ...statement.Condition, ...alone } }];
        return calls[name].some((call) => permits(granted, call)) ? [] : [`${statement.Action} ${pattern}`];
      }),
    );
    expect(unused).toEqual([]);
  });

  test.each(NAMES.flatMap((name) => NEVER.map((action) => ({ name, action }))))(
    'is never $action: $name',
    ({ name, action }) => {
      for (const keys of [[], ['CHANGES'], ['CONFIG#widgets.example.org']]) {
        expect(isAllowed(kept.statements(name), request(action, keys))).toBe(false);
      }
    },
  );

  test.each([
    { title: 'a Query of a partition that is only read by key', action: 'Query', keys: ['LIMIT#read#x'] },
    { title: 'a Query of one whose name begins like a granted one', action: 'Query', keys: ['CHANGES#x'] },
    { title: 'a Query of a granted partition and another one', action: 'Query', keys: ['CHANGES', 'LIMIT#read#x'] },
    { title: 'a Query without a partition', action: 'Query', keys: [] },
    { title: 'a Query of another index', action: 'Query', keys: ['CHANGES'], resource: `${TABLE}/index/any` },
    { title: 'a Query of another table', action: 'Query', keys: ['CHANGES'], resource: `${TABLE}2` },
    { title: 'a GetItem without a partition', action: 'GetItem', keys: [] },
    { title: 'an update', action: 'UpdateItem', keys: ['CHANGES'] },
  ])('is never $title', ({ action, keys, resource }) => {
    for (const name of NAMES) {
      expect(isAllowed(kept.statements(name), request(action, keys, resource))).toBe(false);
    }
  });

  const APPS = [
    'APPS',
    'APP#shop',
    'DOMAINS',
    'TOKENS',
    'AUDIT#2026-01-01',
    'CACHE#account',
    'LIMIT#read#x',
    'PASS#fast',
  ];
  const ACTIONS = ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'];

  test.each(APPS)('is nothing at all with %s for convert, in the table or in the index', (partition) => {
    for (const action of ACTIONS) {
      for (const resource of [TABLE, INDEX]) {
        expect(isAllowed(kept.statements('convert'), request(action, [partition], resource))).toBe(false);
      }
    }
  });

  test.each([
    ['convert', false],
    ['api', true],
    ['worker', false],
    ['reconcile', true],
  ] as const)('is a Query of the index, of its one partition, for api and reconcile: %s', (name, may) => {
    const query = (keys: readonly string[]) => isAllowed(kept.statements(name), request('Query', keys, INDEX));
    expect(query(['APPS'])).toBe(may);
    for (const keys of [[], ['TOKENS'], ['APPS', 'TOKENS']]) expect(query(keys)).toBe(false);
    expect(isAllowed(kept.statements(name), request('GetItem', ['APPS'], INDEX))).toBe(false);
  });

  test.each(['worker', 'reconcile'] as const)('is nothing with tokens, the audit log and configs for %s', (name) => {
    for (const partition of ['TOKENS', 'AUDIT#2026-01-01', 'HEADS', 'CONFIG#widgets.example.org', 'ENDPOINTS']) {
      for (const action of ACTIONS) {
        expect(isAllowed(kept.statements(name), request(action, [partition]))).toBe(false);
      }
    }
  });

  test.each([
    { action: 'PutItem', keys: ['CHANGES'] },
    { action: 'DeleteItem', keys: ['CONFIGS'] },
    { action: 'GetItem', keys: ['IDEMPOTENCY#0'] },
  ])('is never a $action of $keys for convert, as it is for api', ({ action, keys }) => {
    expect(isAllowed(kept.statements('convert'), request(action, keys))).toBe(false);
    expect(isAllowed(kept.statements('api'), request(action, keys))).toBe(true);
  });
});

describe('the evaluator of policies', () => {
  const allow = { Effect: 'Allow', Action: 'dynamodb:*', Resource: { 'Fn::Join': ['', [{ Ref: 'Arn' }, '*']] } };
  const read = (role: object, ...statements: object[]) => {
    const Properties = { Roles: [{ Ref: 'Role' }], PolicyDocument: { Statement: statements } };
    const Resources = {
      Role: { Type: 'AWS::IAM::Role', Properties: role },
      Policy: { Type: 'AWS::IAM::Policy', Properties },
    };
    return statementsOf({ Resources }, 'Role', { Arn: TABLE });
  };
  const scan = { action: 'dynamodb:Scan', resource: `${TABLE}/index/any`, context: {} };

  test('knows wildcards, policies in the role itself, and that a denial wins', () => {
    expect(isAllowed(read({}), scan)).toBe(false);
    expect(isAllowed(read({}, allow), scan)).toBe(true);
    expect(isAllowed(read({ Policies: [{ PolicyDocument: { Statement: allow } }] }), scan)).toBe(true);
    expect(isAllowed(read({}, allow, { ...allow, Effect: 'Deny', Action: 'dynamodb:Sca?' }), scan)).toBe(false);
  });

  test('knows that a condition for all values holds without any', () => {
    const all = { 'ForAllValues:StringLike': { [LEADING_KEYS]: ['CHANGES'] } };
    expect(isAllowed(read({}, { ...allow, Condition: all }), scan)).toBe(true);
    const some = { ...all, Null: { [LEADING_KEYS]: 'false' } };
    expect(isAllowed(read({}, { ...allow, Condition: some }), scan)).toBe(false);
  });

  test.each([
    { what: 'another operator', statement: { Condition: { StringLike: { [LEADING_KEYS]: 'A' } } } },
    { what: 'another condition key', statement: { Condition: { Null: { 'aws:SourceIp': 'true' } } } },
    { what: 'another element', statement: { NotAction: 'dynamodb:Scan' } },
    { what: 'another effect', statement: { Effect: 'Maybe' } },
    { what: 'a reference to something unknown', statement: { Resource: { Ref: 'Other' } } },
    { what: 'managed policies', role: { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] } },
  ])('refuses $what instead of leaving it out', ({ statement = {}, role = {} }) => {
    expect(() => read(role, { ...allow, ...statement })).toThrow();
  });
});
