import { describe, expect, test } from 'vitest';
import { API_ACCESS, RECONCILE_ACCESS, type TableAccess, WORKER_ACCESS } from '../../lib/store/access.ts';
import { ACCOUNT, EVERYTHING, REGION, type Synthesised, synthesise } from '../support/synthesise.ts';

const standard = synthesise();
const everything = synthesise(EVERYTHING);
const VARIANTS = [
  ['standard', standard],
  ['everything', everything],
] as const;

interface Statement {
  readonly sid?: string;
  readonly effect?: 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const TABLE = '<Table/Table.Arn>';
const INDEX = `${TABLE}/index/attention`;
const LEADING_KEYS = 'dynamodb:LeadingKeys';
const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
const FUNCTIONS = arn('lambda', 'function:roundhouse_prod_*');
const PARAMETERS = arn('ssm', 'parameter/roundhouse/prod/*');
const APP_LOGS = arn('logs', 'log-group:/roundhouse/prod/*');
const APP_ROLES = `arn:aws:iam::${ACCOUNT}:role/roundhouse/prod/*`;
const PACKAGES = '<Apps/Artifacts/Bucket.Arn>/apps/*';
const REPOSITORIES = arn('ecr', 'repository/*');
const OF_STAGE = { StringEquals: { 'aws:ResourceTag/roundhouse:stage': 'prod' } };
const BOUNDARY = '<Apps/Boundary/Policy>';

const logs = (path: string): Statement => ({
  sid: 'WriteLogs',
  actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
  resources: [`<${path}/Logs.Arn>`],
});
const traces: Statement = {
  sid: 'WriteTraces',
  actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
  resources: ['*'],
};
const table = (action: string, partitions: string[]): Statement => ({
  sid: `Table${action}`,
  actions: [`dynamodb:${action}`],
  resources: [TABLE],
  conditions: { 'ForAllValues:StringLike': { [LEADING_KEYS]: partitions }, Null: { [LEADING_KEYS]: 'false' } },
});
const attention: Statement = {
  sid: 'TableQueryAttention',
  actions: ['dynamodb:Query'],
  resources: [INDEX],
  conditions: { 'ForAllValues:StringLike': { [LEADING_KEYS]: ['APPS'] }, Null: { [LEADING_KEYS]: 'false' } },
};
const prefixed = (service: string, ...actions: string[]) => actions.map((action) => `${service}:${action}`);
const sendWork: Statement = { sid: 'SendWork', actions: ['sqs:SendMessage'], resources: ['<Apps/Work/Queue.Arn>'] };
const neverDecrypt: Statement = {
  sid: 'NeverDecryptSecrets',
  effect: 'Deny',
  actions: ['kms:Decrypt'],
  resources: ['*'],
  conditions: { StringEquals: { 'kms:ViaService': `ssm.${REGION}.amazonaws.com` } },
};
const tableKey = (...actions: string[]): Statement => ({
  sid: 'TableKey',
  actions: ['Decrypt', 'DescribeKey', ...actions].map((action) => `kms:${action}`),
  resources: ['<Table/Key.Arn>'],
  conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${REGION}.amazonaws.com` } },
});
const writingTableKey = tableKey(
  ...['Encrypt', 'GenerateDataKey', 'GenerateDataKeyWithoutPlaintext', 'ReEncryptFrom', 'ReEncryptTo'],
);
const hook = (name: string): Statement[] => [
  logs(`${name}Deployment/Hook`),
  {
    sid: 'InvokeVersions',
    actions: ['lambda:InvokeFunction'],
    resources: [`<${name}/Service/Function.Arn>:*`],
  },
  {
    sid: 'ReportResult',
    actions: ['codedeploy:PutLifecycleEventHookExecutionStatus'],
    resources: [
      `arn:aws:codedeploy:${REGION}:${ACCOUNT}:deploymentgroup:<${name}Deployment/Group/Application>/<${name}Deployment/Group>`,
    ],
  },
];
const codeDeploy = (name: string): Statement[] => [
  {
    actions: ['lambda:InvokeFunction'],
    resources: [`<${name}Deployment/Hook/Function.Arn>`, `<${name}Deployment/Hook/Function.Arn>:*`],
  },
];

/** The partitions are held against what the functions do in table-access.test.ts. */
const tableOf = ({ QueryAttention, ...access }: TableAccess): Statement[] => [
  ...Object.entries(access).map(([action, partitions]) => table(action, [...partitions])),
  ...(QueryAttention ? [attention] : []),
];

/** All that may be done, by role. A statement that is not here must not be in the template. */
const ROLES: Readonly<Record<string, readonly Statement[]>> = {
  'Convert/Service/Role': [
    logs('Convert/Service'),
    table('GetItem', ['HEADS', 'CONFIG#*', 'ENDPOINTS', 'DEFAULT-ENDPOINT']),
    table('Query', ['HEADS', 'CONFIG#*', 'CONFIGS', 'LABEL#*', 'CHANGES', 'ENDPOINTS']),
  ],
  'Api/Service/Role': [
    logs('Api/Service'),
    traces,
    {
      sid: 'ReadRootToken',
      actions: ['secretsmanager:GetSecretValue'],
      resources: ['<Api/RootToken>'],
    },
    ...tableOf(API_ACCESS),
    sendWork,
    {
      sid: 'UploadPackages',
      actions: prefixed('s3', 'PutObject', 'GetObject', 'GetObjectVersion'),
      resources: [PACKAGES],
    },
    { sid: 'ListPackages', actions: ['s3:ListBucket'], resources: ['<Apps/Artifacts/Bucket.Arn>'] },
    {
      sid: 'LookAtTaggedImages',
      actions: ['ecr:DescribeImages'],
      resources: [REPOSITORIES],
      conditions: OF_STAGE,
    },
    { sid: 'WriteSecrets', actions: prefixed('ssm', 'PutParameter', 'DeleteParameters'), resources: [PARAMETERS] },
    neverDecrypt,
    { sid: 'ReadAppLogs', actions: ['logs:FilterLogEvents'], resources: [APP_LOGS] },
    {
      sid: 'ReadAppFunctions',
      actions: prefixed('lambda', 'GetFunction', 'GetFunctionUrlConfig', 'GetPolicy'),
      resources: [FUNCTIONS],
    },
    {
      sid: 'ReadAccount',
      actions: ['lambda:GetAccountSettings', 'cloudwatch:GetMetricData', 'acm:ListCertificates'],
      resources: ['*'],
    },
  ],
  'Worker/Service/Role': [
    logs('Worker/Service'),
    ...tableOf(WORKER_ACCESS),
    {
      sid: 'ManageAppFunctions',
      actions: prefixed(
        'lambda',
        ...['CreateFunction', 'DeleteFunction', 'GetFunction', 'InvokeFunction', 'TagResource'],
        ...['UpdateFunctionCode', 'UpdateFunctionConfiguration', 'PublishVersion', 'ListVersionsByFunction'],
        ...['GetAlias', 'CreateAlias', 'UpdateAlias', 'PutFunctionConcurrency', 'DeleteFunctionConcurrency'],
        ...['GetFunctionUrlConfig', 'CreateFunctionUrlConfig', 'UpdateFunctionUrlConfig'],
        ...['GetPolicy', 'AddPermission', 'RemovePermission'],
      ),
      resources: [FUNCTIONS],
    },
    { sid: 'ListFunctions', actions: prefixed('lambda', 'ListFunctions', 'GetAccountSettings'), resources: ['*'] },
    { sid: 'AttachSecretsLayer', actions: ['lambda:GetLayerVersion'], resources: ['<Apps/SecretsLayer>'] },
    {
      sid: 'MakeBoundedRoles',
      actions: prefixed('iam', 'CreateRole', 'PutRolePolicy', 'PutRolePermissionsBoundary'),
      resources: [APP_ROLES],
      conditions: { StringEquals: { 'iam:PermissionsBoundary': BOUNDARY } },
    },
    {
      sid: 'ManageAppRoles',
      actions: prefixed('iam', 'TagRole', 'UpdateAssumeRolePolicy', 'DeleteRolePolicy'),
      resources: [APP_ROLES],
    },
    {
      sid: 'FindAndRemoveAppRoles',
      actions: prefixed('iam', 'GetRole', 'GetRolePolicy', 'ListRolePolicies', 'DeleteRole'),
      resources: [APP_ROLES, `arn:aws:iam::${ACCOUNT}:role/roundhouse_prod_*`],
    },
    {
      sid: 'PassAppRoles',
      actions: ['iam:PassRole'],
      resources: [APP_ROLES],
      conditions: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
    },
    {
      sid: 'UsePackages',
      actions: prefixed('s3', 'GetObject', 'GetObjectVersion', 'DeleteObjectVersion'),
      resources: [PACKAGES],
    },
    {
      sid: 'ListPackages',
      actions: prefixed('s3', 'ListBucket', 'ListBucketVersions'),
      resources: ['<Apps/Artifacts/Bucket.Arn>'],
    },
    {
      sid: 'ReadTaggedImages',
      actions: prefixed('ecr', 'BatchGetImage', 'DescribeImages', 'GetDownloadUrlForLayer'),
      resources: [REPOSITORIES],
      conditions: OF_STAGE,
    },
    {
      sid: 'ManageAppLogs',
      actions: prefixed('logs', 'CreateLogGroup', 'DeleteLogGroup', 'PutRetentionPolicy', 'TagResource'),
      resources: [APP_LOGS],
    },
    {
      sid: 'RemoveSecrets',
      actions: prefixed('ssm', 'GetParametersByPath', 'DeleteParameters'),
      resources: [PARAMETERS],
    },
    neverDecrypt,
    sendWork,
    {
      sid: 'TakeWork',
      actions: prefixed('sqs', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'),
      resources: ['<Apps/Work/Dead.Arn>', '<Apps/Work/Queue.Arn>'],
    },
  ],
  'Reconcile/Service/Role': [
    logs('Reconcile/Service'),
    ...tableOf(RECONCILE_ACCESS),
    {
      sid: 'RepairAppFunctions',
      actions: prefixed(
        'lambda',
        ...['GetFunction', 'GetAlias', 'CreateAlias', 'UpdateAlias'],
        ...['PutFunctionConcurrency', 'DeleteFunctionConcurrency'],
      ),
      resources: [FUNCTIONS],
    },
    { sid: 'ListFunctions', actions: ['lambda:ListFunctions'], resources: ['*'] },
    sendWork,
  ],
  'Reconcile/SchedulerRole': [
    { sid: 'StartPass', actions: ['lambda:InvokeFunction'], resources: ['<Reconcile/Service/Function.Arn>'] },
  ],
  'Synthetic/Prober/Role': [logs('Synthetic/Prober')],
  'ConvertDeployment/Hook/Role': hook('Convert'),
  'ApiDeployment/Hook/Role': hook('Api'),
  'ConvertDeployment/Group/ServiceRole': codeDeploy('Convert'),
  'ApiDeployment/Group/ServiceRole': codeDeploy('Api'),
};

/** What comes to that with EVERYTHING. */
const MORE: Readonly<Record<string, readonly Statement[]>> = {
  'Convert/Service/Role': [traces, tableKey()],
  'Api/Service/Role': [writingTableKey],
  'Worker/Service/Role': [writingTableKey],
  'Reconcile/Service/Role': [writingTableKey],
};

/** Roles with policies that AWS manages: only CodeDeploy's. */
const MANAGED_POLICY = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited';

const asList = (value: any): any[] => (Array.isArray(value) ? value : [value]);

/** The statements of a role, of the policies in it and of those that name it. */
function statementsOf({ resources, at, text }: Synthesised, role: string): Statement[] {
  const attached = Object.values(resources)
    .filter(({ Properties }) => asList(Properties.Roles ?? []).some((other) => text(other) === `<${role}>`))
    .map(({ Properties }) => Properties);
  return [...asList(at(role).Properties.Policies ?? []), ...attached].flatMap(({ PolicyDocument }) =>
    asList(PolicyDocument.Statement).map((raw) => {
      const { Sid, Effect, Action, Resource, Condition, ...rest } = raw;
      expect({ known: ['Allow', 'Deny'].includes(Effect), rest }).toEqual({ known: true, rest: {} });
      return {
        ...(Effect === 'Deny' && { effect: Effect }),
        ...(Sid !== undefined && { sid: Sid }),
        actions: asList(Action),
        resources: asList(Resource).map(text),
        ...(Condition !== undefined && { conditions: readConditions(Condition, text) }),
      };
    }),
  );
}

/** Texts stay as they are, references become text, also in a list. */
function readConditions(conditions: any, text: Synthesised['text']): any {
  const read = (value: any) => (Array.isArray(value) ? value.map(text) : text(value));
  return Object.fromEntries(
    Object.entries<any>(conditions).map(([operator, keys]) => [
      operator,
      Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, read(value)])),
    ]),
  );
}

const allStatements = (stack: Synthesised) =>
  stack.paths('AWS::IAM::Role').flatMap((role) => statementsOf(stack, role));
const bySid = (statements: readonly Statement[]) =>
  statements
    .map((statement) => ({
      ...statement,
      actions: statement.actions.toSorted(),
      resources: statement.resources.toSorted(),
    }))
    .toSorted((a, b) => (a.sid ?? '').localeCompare(b.sid ?? ''));

describe('each role', () => {
  test.each(VARIANTS)('is in the table of this test (%s)', (_, stack) => {
    expect(stack.paths('AWS::IAM::Role').sort()).toEqual(Object.keys(ROLES).sort());
  });

  test.each(Object.keys(ROLES))('may do what the table says, and nothing else: %s', (role) => {
    const always = ROLES[role] ?? [];
    expect(bySid(statementsOf(standard, role))).toEqual(bySid(always));
    expect(bySid(statementsOf(everything, role))).toEqual(bySid([...always, ...(MORE[role] ?? [])]));
  });

  test.each(Object.keys(ROLES))('can be taken by one service, which cannot hand it on: %s', (role) => {
    const { AssumeRolePolicyDocument, ManagedPolicyArns, PermissionsBoundary } = everything.at(role).Properties;
    const isCodeDeploys = role.endsWith('/Group/ServiceRole');
    const isSchedulers = role.endsWith('/SchedulerRole');
    const Service = `${isCodeDeploys ? 'codedeploy' : isSchedulers ? 'scheduler' : 'lambda'}.amazonaws.com`;
    // A schedule of another account must not be able to take it.
    const Condition = isSchedulers && { Condition: { StringEquals: { 'aws:SourceAccount': ACCOUNT } } };
    expect(AssumeRolePolicyDocument.Statement).toEqual([
      { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service }, ...Condition },
    ]);
    expect(asList(ManagedPolicyArns ?? []).map(everything.text)).toEqual(isCodeDeploys ? [MANAGED_POLICY] : []);
    expect(PermissionsBoundary).toBeUndefined();
  });

  test.each(VARIANTS)('of a function is used by no other function (%s)', (_, stack) => {
    const roles = stack.paths('AWS::Lambda::Function').map((path) => stack.text(stack.at(path).Properties.Role));
    expect(new Set(roles).size).toBe(roles.length);
  });
});

describe.each(VARIANTS)('no statement (%s)', (_, stack) => {
  const statements = allStatements(stack);
  const allowed = statements.filter(({ effect }) => effect === undefined);
  const ofTable = statements.filter(({ actions }) => actions.some((action) => action.startsWith('dynamodb:')));

  test('has a wildcard in an action', () => {
    expect(statements.flatMap(({ actions }) => actions).filter((action) => /[*?]/.test(action))).toEqual([]);
  });

  /** About the account, or about what has no ARN. */
  const OPEN = [
    ...['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'acm:ListCertificates', 'cloudwatch:GetMetricData'],
    ...['lambda:ListFunctions', 'lambda:GetAccountSettings'],
  ];

  test('is for every resource, but for what has none to name', () => {
    const open = allowed.filter(({ resources }) => resources.includes('*'));
    for (const { actions } of open) expect(actions.filter((action) => !OPEN.includes(action))).toEqual([]);
    expect(open.length).toBeGreaterThan(0);
  });

  test('has another wildcard than the versions of one function, and what people make of apps in this stage', () => {
    const wild = allowed.flatMap(({ resources }) => resources).filter((text) => /[*?]/.test(text) && text !== '*');
    const absentRoles = `arn:aws:iam::${ACCOUNT}:role/roundhouse_prod_*`;
    const known = [FUNCTIONS, PARAMETERS, APP_LOGS, APP_ROLES, absentRoles, PACKAGES];
    const others = wild.filter((text) => !/^<[\w/]+\/Function\.Arn>:\*$/.test(text) && !known.includes(text));
    // All of ECR, where the condition chooses.
    expect([...new Set(others)]).toEqual([REPOSITORIES]);
    const images = allowed.filter(({ resources }) => resources.includes(REPOSITORIES));
    for (const { conditions } of images) expect(conditions).toEqual(OF_STAGE);
  });

  test('allows more of DynamoDB than five actions on the table itself, and a Query of its one index', () => {
    const granted = new Set(ofTable.flatMap(({ actions }) => actions));
    const five = ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'].map((action) => `dynamodb:${action}`);
    expect([...granted].filter((action) => !five.includes(action))).toEqual([]);
    expect(new Set(ofTable.flatMap(({ resources }) => resources))).toEqual(new Set([TABLE, INDEX]));
    const ofIndex = ofTable.filter(({ resources }) => resources.includes(INDEX));
    expect(ofIndex).toEqual(ofIndex.map(() => attention));
  });

  test('leaves the partitions of the table open, or a call that names none', () => {
    expect(ofTable.length).toBeGreaterThan(0);
    for (const { conditions } of ofTable) {
      const patterns = conditions?.['ForAllValues:StringLike']?.[LEADING_KEYS];
      expect(asList(patterns).every((pattern) => /^[A-Z][A-Z-]+(#\*)?$/.test(pattern))).toBe(true);
      expect(conditions?.['Null']).toEqual({ [LEADING_KEYS]: 'false' });
    }
  });
});

describe('policies on resources', () => {
  const withPolicy = ({ resources }: Synthesised) =>
    Object.entries(resources)
      .filter(([, { Type, Properties }]) =>
        Object.keys(Properties).some(
          (name) => /(?<!Redrive)Policy(Document)?$/.test(name) && Type !== 'AWS::IAM::Policy',
        ),
      )
      .map(([path]) => path)
      .filter((path) => !(path in ROLES));

  const ALWAYS = [
    ...['Alarms/Topic/Policy', 'Apps/Artifacts/Bucket/Policy', 'Apps/Boundary/Policy'],
    ...['Apps/Work/Dead/Policy', 'Apps/Work/Queue/Policy'],
  ];

  test('are those of the topic, the bucket, the queues and the key of the table, and the boundary', () => {
    expect(withPolicy(standard).sort()).toEqual(ALWAYS);
    expect(withPolicy(everything).sort()).toEqual([...ALWAYS, 'Table/Key']);
  });

  test('leave the key to the account, whose own policies decide', () => {
    expect(everything.at('Table/Key').Properties.KeyPolicy.Statement).toEqual([
      { Effect: 'Allow', Action: 'kms:*', Resource: '*', Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` } },
    ]);
  });
});
