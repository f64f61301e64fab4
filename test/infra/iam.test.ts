import { describe, expect, test } from 'vitest';
import { ACCOUNT, EVERYTHING, REGION, type Synthesised, synthesise } from '../support/synthesise.ts';

const standard = synthesise();
const everything = synthesise(EVERYTHING);
const VARIANTS = [
  ['standard', standard],
  ['everything', everything],
] as const;

interface Statement {
  readonly sid?: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const TABLE = '<Table/Table.Arn>';
const LEADING_KEYS = 'dynamodb:LeadingKeys';

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
const tableKey = (...actions: string[]): Statement => ({
  sid: 'TableKey',
  actions: ['Decrypt', 'DescribeKey', ...actions].map((action) => `kms:${action}`),
  resources: ['<Table/Key.Arn>'],
  conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${REGION}.amazonaws.com` } },
});
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
    table('GetItem', ['HEADS', 'CONFIG#*', 'ENDPOINTS', 'DEFAULT-ENDPOINT', 'IDEMPOTENCY#*']),
    table('Query', ['HEADS', 'CONFIG#*', 'CONFIGS', 'LABEL#*', 'CHANGES', 'ENDPOINTS']),
    table('PutItem', [
      ...['HEADS', 'CONFIG#*', 'CONFIGS', 'LABEL#*', 'CHANGES', 'ENDPOINTS', 'DEFAULT-ENDPOINT', 'IDEMPOTENCY#*'],
    ]),
    table('DeleteItem', ['CONFIG#*', 'CONFIGS', 'LABEL#*', 'DEFAULT-ENDPOINT', 'IDEMPOTENCY#*']),
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
  'Api/Service/Role': [
    tableKey('Encrypt', 'GenerateDataKey', 'GenerateDataKeyWithoutPlaintext', 'ReEncryptFrom', 'ReEncryptTo'),
  ],
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
      expect({ Effect, rest }).toEqual({ Effect: 'Allow', rest: {} });
      return {
        ...(Sid !== undefined && { sid: Sid }),
        actions: asList(Action),
        resources: asList(Resource).map(text),
        ...(Condition !== undefined && { conditions: Condition }),
      };
    }),
  );
}

const allStatements = (stack: Synthesised) =>
  stack.paths('AWS::IAM::Role').flatMap((role) => statementsOf(stack, role));
const bySid = (statements: readonly Statement[]) =>
  statements
    .map((statement) => ({ ...statement, actions: statement.actions.toSorted() }))
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
    const Service = `${isCodeDeploys ? 'codedeploy' : 'lambda'}.amazonaws.com`;
    expect(AssumeRolePolicyDocument.Statement).toEqual([
      { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service } },
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
  const ofTable = statements.filter(({ actions }) => actions.some((action) => action.startsWith('dynamodb:')));

  test('has a wildcard in an action', () => {
    expect(statements.flatMap(({ actions }) => actions).filter((action) => /[*?]/.test(action))).toEqual([]);
  });

  test('is for every resource, but for X-Ray, which has none to name', () => {
    const open = statements.filter(({ resources }) => resources.includes('*'));
    for (const { actions } of open) expect(actions.filter((action) => !action.startsWith('xray:'))).toEqual([]);
    expect(open.length).toBeGreaterThan(0);
  });

  test('has another wildcard than the versions of one function', () => {
    const wild = statements.flatMap(({ resources }) => resources).filter((text) => /[*?]/.test(text) && text !== '*');
    expect(wild.filter((text) => !/^<[\w/]+\/Function\.Arn>:\*$/.test(text))).toEqual([]);
  });

  test('allows more of DynamoDB than five actions on the table itself, never on an index', () => {
    const granted = new Set(ofTable.flatMap(({ actions }) => actions));
    const five = ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'].map((action) => `dynamodb:${action}`);
    expect([...granted].filter((action) => !five.includes(action))).toEqual([]);
    expect(new Set(ofTable.flatMap(({ resources }) => resources))).toEqual(new Set([TABLE]));
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
        Object.keys(Properties).some((name) => /Policy(Document)?$/.test(name) && Type !== 'AWS::IAM::Policy'),
      )
      .map(([path]) => path)
      .filter((path) => !(path in ROLES));

  test('are those of the topic and of the key of the table', () => {
    expect(withPolicy(standard)).toEqual(['Alarms/Topic/Policy']);
    expect(withPolicy(everything).sort()).toEqual(['Alarms/Topic/Policy', 'Table/Key']);
  });

  test('leave the key to the account, whose own policies decide', () => {
    expect(everything.at('Table/Key').Properties.KeyPolicy.Statement).toEqual([
      { Effect: 'Allow', Action: 'kms:*', Resource: '*', Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` } },
    ]);
  });
});
