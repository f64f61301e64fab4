import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAllowed, managedStatementsOf, type Statement, statementsOf } from '../support/iam.ts';
import { ACCOUNT, REGION, synthesise } from '../support/synthesise.ts';

const { template, ids } = synthesise();
const json: any = template.toJSON();
const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** What the resources that policies refer to are once they are deployed. */
const DEPLOYED: Readonly<Record<string, string>> = {
  'Table/Table.Arn': arn('dynamodb', 'table/Roundhouse-prod-Table'),
  'Apps/Artifacts/Bucket.Arn': 'arn:aws:s3:::packages',
  'Apps/Work/Queue.Arn': arn('sqs', 'roundhouse-prod-work.fifo'),
  'Apps/Work/Dead.Arn': arn('sqs', 'roundhouse-prod-work-dead.fifo'),
  'Apps/Boundary/Policy': `arn:aws:iam::${ACCOUNT}:policy/roundhouse-prod-app-boundary`,
  'Apps/SecretsLayer': arn('lambda', 'layer:secrets:1'),
  'Api/RootToken': arn('secretsmanager', 'secret:RootToken-AbCdEf'),
  ...Object.fromEntries(
    ['Convert', 'Api', 'Worker', 'Reconcile'].map((name) => [
      `${name}/Service/Logs.Arn`,
      arn('logs', `log-group:${name}:*`),
    ]),
  ),
};
const resolved = Object.fromEntries(
  Object.entries(DEPLOYED).map(([path, value]) => {
    const [, construct = '', attribute = ''] = /^(.*?)(\.Arn)?$/.exec(path) ?? [];
    return [`${ids[construct]}${attribute}`, value];
  }),
);
const roleOf = (name: string) => statementsOf(json, ids[`${name}/Service/Role`] ?? '', resolved);
const ROLES = {
  convert: roleOf('Convert'),
  api: roleOf('Api'),
  worker: roleOf('Worker'),
  reconcile: roleOf('Reconcile'),
};
type RoleName = keyof typeof ROLES;

const BOUNDARY = DEPLOYED['Apps/Boundary/Policy'] ?? '';
const FUNCTION = arn('lambda', 'function:roundhouse_prod_shop');
const ROLE = `arn:aws:iam::${ACCOUNT}:role/roundhouse/prod/roundhouse_prod_shop`;
const PACKAGE = 'arn:aws:s3:::packages/apps/shop/art_1.zip';
const SECRET = arn('ssm', 'parameter/roundhouse/prod/shop/DATABASE_URL');
const REPOSITORY = arn('ecr', 'repository/shop');
const KEY = arn('kms', 'key/1234');
const bounded = { 'iam:PermissionsBoundary': [BOUNDARY] };
const throughSsm = { 'kms:ViaService': [`ssm.${REGION}.amazonaws.com`] };

interface Question {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

function who({ action, resource, context = {} }: Question): readonly RoleName[] {
  const names = Object.keys(ROLES) as RoleName[];
  return names.filter((name) => isAllowed(ROLES[name], { action, resource, context }));
}

describe('who may', () => {
  test.each<Question & { what: string; may: readonly RoleName[] }>([
    { what: 'deploy', action: 'lambda:UpdateFunctionCode', resource: FUNCTION, may: ['worker'] },
    { what: 'remove a version', action: 'lambda:DeleteFunction', resource: `${FUNCTION}:7`, may: ['worker'] },
    { what: 'move the alias', action: 'lambda:UpdateAlias', resource: FUNCTION, may: ['worker', 'reconcile'] },
    { what: 'stop an app', action: 'lambda:PutFunctionConcurrency', resource: FUNCTION, may: ['worker', 'reconcile'] },
    { what: 'ask a new version', action: 'lambda:InvokeFunction', resource: `${FUNCTION}:7`, may: ['worker'] },
    { what: 'look at an app', action: 'lambda:GetFunction', resource: FUNCTION, may: ['api', 'worker', 'reconcile'] },
    {
      what: 'touch the app of another stage',
      action: 'lambda:UpdateFunctionCode',
      resource: arn('lambda', 'function:roundhouse_prod-eu_shop'),
      may: [],
    },
    {
      what: 'touch a function of our own',
      action: 'lambda:UpdateFunctionCode',
      resource: arn('lambda', 'function:Roundhouse-prod-ConvertFunction-1A2B'),
      may: [],
    },
    {
      what: 'make a role with the boundary',
      action: 'iam:CreateRole',
      resource: ROLE,
      context: bounded,
      may: ['worker'],
    },
    { what: 'make a role without one', action: 'iam:CreateRole', resource: ROLE, may: [] },
    {
      what: 'make a role with another boundary',
      action: 'iam:CreateRole',
      resource: ROLE,
      context: { 'iam:PermissionsBoundary': ['arn:aws:iam::aws:policy/AdministratorAccess'] },
      may: [],
    },
    {
      what: 'make a role outside the path',
      action: 'iam:CreateRole',
      resource: `arn:aws:iam::${ACCOUNT}:role/roundhouse_prod_shop`,
      context: bounded,
      may: [],
    },
    { what: 'give an unbounded role a policy', action: 'iam:PutRolePolicy', resource: ROLE, may: [] },
    { what: 'give a role its policy', action: 'iam:PutRolePolicy', resource: ROLE, context: bounded, may: ['worker'] },
    { what: 'take a boundary', action: 'iam:DeleteRolePermissionsBoundary', resource: ROLE, context: bounded, may: [] },
    { what: 'attach a policy', action: 'iam:AttachRolePolicy', resource: ROLE, context: bounded, may: [] },
    {
      what: 'change the boundary itself',
      action: 'iam:CreatePolicyVersion',
      resource: BOUNDARY,
      may: [],
    },
    {
      what: 'pass a role to Lambda',
      action: 'iam:PassRole',
      resource: ROLE,
      context: { 'iam:PassedToService': ['lambda.amazonaws.com'] },
      may: ['worker'],
    },
    {
      what: 'pass a role to another service',
      action: 'iam:PassRole',
      resource: ROLE,
      context: { 'iam:PassedToService': ['ec2.amazonaws.com'] },
      may: [],
    },
    {
      what: 'pass the role of a function of ours',
      action: 'iam:PassRole',
      resource: `arn:aws:iam::${ACCOUNT}:role/Roundhouse-prod-WorkerServiceRole-1A2B`,
      context: { 'iam:PassedToService': ['lambda.amazonaws.com'] },
      may: [],
    },
    {
      what: 'find out that a role is gone',
      action: 'iam:GetRole',
      resource: `arn:aws:iam::${ACCOUNT}:role/roundhouse_prod_shop`,
      may: ['worker'],
    },
    { what: 'upload a package', action: 's3:PutObject', resource: PACKAGE, may: ['api'] },
    { what: 'read a package', action: 's3:GetObjectVersion', resource: PACKAGE, may: ['api', 'worker'] },
    { what: 'remove a package', action: 's3:DeleteObjectVersion', resource: PACKAGE, may: ['worker'] },
    { what: 'write beside the packages', action: 's3:PutObject', resource: 'arn:aws:s3:::packages/other', may: [] },
    { what: 'set a secret', action: 'ssm:PutParameter', resource: SECRET, may: ['api'] },
    { what: 'read a secret by name', action: 'ssm:GetParameter', resource: SECRET, may: [] },
    { what: 'decrypt a secret', action: 'kms:Decrypt', resource: KEY, context: throughSsm, may: [] },
    {
      what: 'read an image of this stage',
      action: 'ecr:BatchGetImage',
      resource: REPOSITORY,
      context: { 'aws:ResourceTag/roundhouse:stage': ['prod'] },
      may: ['worker'],
    },
    { what: 'read another image', action: 'ecr:BatchGetImage', resource: REPOSITORY, may: [] },
    {
      what: 'read an image of another stage',
      action: 'ecr:BatchGetImage',
      resource: REPOSITORY,
      context: { 'aws:ResourceTag/roundhouse:stage': ['dev'] },
      may: [],
    },
    {
      what: 'change who may pull an image',
      action: 'ecr:SetRepositoryPolicy',
      resource: REPOSITORY,
      context: { 'aws:ResourceTag/roundhouse:stage': ['prod'] },
      may: [],
    },
    {
      what: 'ask for work',
      action: 'sqs:SendMessage',
      resource: DEPLOYED['Apps/Work/Queue.Arn'] ?? '',
      may: ['api', 'worker', 'reconcile'],
    },
    { what: 'forge a dead letter', action: 'sqs:SendMessage', resource: DEPLOYED['Apps/Work/Dead.Arn'] ?? '', may: [] },
    {
      what: 'take work',
      action: 'sqs:ReceiveMessage',
      resource: DEPLOYED['Apps/Work/Queue.Arn'] ?? '',
      may: ['worker'],
    },
    {
      what: 'read logs of apps',
      action: 'logs:FilterLogEvents',
      resource: arn('logs', 'log-group:/roundhouse/prod/shop:*'),
      may: ['api'],
    },
    {
      what: 'remove logs of our own',
      action: 'logs:DeleteLogGroup',
      resource: arn('logs', 'log-group:Roundhouse-prod-ApiServiceLogs'),
      may: [],
    },
  ])('$what: $may', ({ may, ...question }) => {
    expect(who(question)).toEqual(may);
  });
});

test.each(['api', 'worker'] as const)(
  '%s never sees a secret, though the key of SSM lets the whole account',
  (name) => {
    const keyPolicy: Statement = { Effect: 'Allow', Action: ['kms:*'], Resource: [KEY], Condition: {} };
    const decrypt = { action: 'kms:Decrypt', resource: KEY, context: throughSsm };
    expect(isAllowed([keyPolicy], decrypt)).toBe(true);
    expect(isAllowed([keyPolicy, ...ROLES[name]], decrypt)).toBe(false);
  },
);

describe('the boundary of apps', () => {
  const statements = managedStatementsOf(json, ids['Apps/Boundary/Policy'] ?? '', resolved);
  const shop = { 'aws:PrincipalTag/roundhouse:app': ['shop'] };
  const may = (action: string, resource: string, context = {}) =>
    isAllowed(statements, { action, resource, context: { ...shop, ...context } });

  test('has its name, and fits what IAM takes', () => {
    const { ManagedPolicyName, PolicyDocument } = json.Resources[ids['Apps/Boundary/Policy'] ?? ''].Properties;
    expect(ManagedPolicyName).toBe('roundhouse-prod-app-boundary');
    expect(JSON.stringify(PolicyDocument).length).toBeLessThan(6_144);
  });

  test.each<[title: string, action: string, resource: string, context?: object]>([
    ['write its own log', 'logs:PutLogEvents', arn('logs', 'log-group:/roundhouse/prod/shop:log-stream:a')],
    ['read its own secrets', 'ssm:GetParametersByPath', arn('ssm', 'parameter/roundhouse/prod/shop')],
    ['read one of them', 'ssm:GetParameter', SECRET],
    ['have them decrypted', 'kms:Decrypt', KEY, throughSsm],
    ['write traces', 'xray:PutTraceSegments', '*'],
  ])('lets an app %s', (_title, action, resource, context) => {
    expect(may(action, resource, context)).toBe(true);
  });

  test.each<[title: string, action: string, resource: string, context?: object]>([
    ['the log of another app', 'logs:PutLogEvents', arn('logs', 'log-group:/roundhouse/prod/shop2:log-stream:a')],
    ['the secrets of another app', 'ssm:GetParametersByPath', arn('ssm', 'parameter/roundhouse/prod/shop2')],
    ['one whose name begins like its own', 'ssm:GetParameter', arn('ssm', 'parameter/roundhouse/prod/shop2/KEY')],
    ['those of another stage', 'ssm:GetParameter', arn('ssm', 'parameter/roundhouse/dev/shop/KEY')],
    ['secrets at all, to change them', 'ssm:PutParameter', SECRET],
    ['any key but through SSM', 'kms:Decrypt', KEY],
    ['the table', 'dynamodb:GetItem', arn('dynamodb', 'table/Roundhouse-prod-Table')],
    ['its index', 'dynamodb:Query', arn('dynamodb', 'table/Roundhouse-prod-Table/index/attention')],
    ['packages', 's3:GetObject', PACKAGE],
    ['the queue', 'sqs:SendMessage', arn('sqs', 'roundhouse-prod-work.fifo')],
    ['the root token', 'secretsmanager:GetSecretValue', arn('secretsmanager', 'secret:RootToken-AbCdEf')],
    ['roles', 'iam:PutRolePolicy', ROLE],
    ['another role', 'sts:AssumeRole', ROLE],
    ['functions of ours', 'lambda:InvokeFunction', arn('lambda', 'function:Roundhouse-prod-ConvertFunction-1A2B')],
    ['anything else', 'ec2:RunInstances', '*'],
  ])('never gives one %s', (_title, action, resource, context) => {
    expect(may(action, resource, context)).toBe(false);
  });

  test('gives a role that is not tagged as an app nothing of any app', () => {
    expect(isAllowed(statements, { action: 'ssm:GetParameter', resource: SECRET, context: {} })).toBe(false);
  });

  test.each([
    ['iam:CreateRole', ROLE],
    ['dynamodb:PutItem', arn('dynamodb', 'table/Roundhouse-prod-Table')],
    ['s3:GetObject', PACKAGE],
    ['lambda:UpdateFunctionCode', arn('lambda', 'function:Roundhouse-prod-ApiService-1')],
    ['secretsmanager:GetSecretValue', arn('secretsmanager', 'secret:RootToken-AbCdEf')],
  ])('denies %s even where a resource allows it', (action, resource) => {
    const open: Statement = { Effect: 'Allow', Action: ['*'], Resource: ['*'], Condition: {} };
    expect(isAllowed([open], { action, resource, context: shop })).toBe(true);
    expect(isAllowed([open, ...statements], { action, resource, context: shop })).toBe(false);
  });
});

/** What the code calls, from the commands that it makes, as IAM names it. */
describe('every call of AWS in the code for apps', () => {
  const SERVICES: Readonly<Record<string, string>> = {
    lambda: 'lambda',
    iam: 'iam',
    ecr: 'ecr',
    s3: 's3',
    ssm: 'ssm',
    sqs: 'sqs',
    acm: 'acm',
    'cloudwatch-logs': 'logs',
    cloudwatch: 'cloudwatch',
  };
  /** Where the action has another name than the call, or more than one. */
  const ACTIONS: Readonly<Record<string, readonly string[]>> = {
    'lambda:Invoke': ['lambda:InvokeFunction'],
    's3:HeadObject': ['s3:GetObject', 's3:GetObjectVersion', 's3:ListBucket'],
    's3:DeleteObjects': ['s3:DeleteObjectVersion'],
    's3:ListObjectVersions': ['s3:ListBucketVersions'],
  };
  /** What a call needs beyond its own action. */
  const IMPLIED: Readonly<Record<string, readonly string[]>> = {
    'lambda:CreateFunction': [
      ...['iam:PassRole', 'lambda:GetLayerVersion', 'lambda:TagResource'],
      ...['ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
    ],
    'logs:CreateLogGroup': ['logs:TagResource'],
  };
  /** Lambda takes messages for the worker with the worker's permissions. */
  const BY_LAMBDA = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

  const root = join(import.meta.dirname, '../../lib/apps');
  const called = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => callsIn(readFileSync(join(root, name), 'utf8')));
  const needed = new Set(called.flatMap((call) => [...(ACTIONS[call] ?? [call]), ...(IMPLIED[call] ?? [])]));

  function callsIn(text: string): string[] {
    return [...text.matchAll(/import \{([^}]*)\} from '@aws-sdk\/client-([a-z0-9-]+)'/g)].flatMap(
      ([, names = '', client = '']) =>
        [...names.matchAll(/\b(?:(\w+)Command|paginate(\w+))\b/g)].map(
          ([, command, paged]) => `${SERVICES[client] ?? client}:${command ?? paged}`,
        ),
    );
  }
  const granted = (role: readonly Statement[]) =>
    role.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action }) => Action);
  const own = /^(?:dynamodb|xray|secretsmanager):|^logs:(?:CreateLogStream|PutLogEvents)$/;

  test('is allowed to worker or api', () => {
    const allowed = new Set([...granted(ROLES.worker), ...granted(ROLES.api)]);
    expect(needed.size).toBeGreaterThan(30);
    expect([...needed].filter((action) => !allowed.has(action))).toEqual([]);
  });

  test.each(['api', 'worker', 'reconcile'] as const)(
    'is all that %s may do beyond the table and its own logs',
    (name) => {
      const more = granted(ROLES[name]).filter((action) => !own.test(action) && !needed.has(action));
      expect(more.filter((action) => name !== 'worker' || !BY_LAMBDA.includes(action))).toEqual([]);
    },
  );
});
