import { describe, expect, test } from 'vitest';
import {
  loadApiConfig,
  loadConvertConfig,
  loadPreTrafficConfig,
  loadReconcileConfig,
  loadSyntheticConfig,
  loadWorkerConfig,
} from '../../functions/config.ts';
import { ACCOUNT, EVERYTHING, REGION, type Synthesised, synthesise } from '../support/synthesise.ts';

const standard = synthesise();
const everything = synthesise(EVERYTHING);

interface FunctionRow {
  readonly path: string;
  readonly service: string;
  /** Megabytes. */
  readonly memory: number;
  /** Seconds. */
  readonly timeout: number;
  readonly tracing?: 'Active';
}

const FUNCTIONS: readonly FunctionRow[] = [
  { path: 'Convert/Service', service: 'convert', memory: 1024, timeout: 29 },
  { path: 'Api/Service', service: 'api', memory: 512, timeout: 29, tracing: 'Active' },
  { path: 'Worker/Service', service: 'worker', memory: 512, timeout: 60 },
  { path: 'Reconcile/Service', service: 'reconcile', memory: 512, timeout: 60 },
  { path: 'ConvertDeployment/Hook', service: 'pre-traffic', memory: 256, timeout: 120 },
  { path: 'ApiDeployment/Hook', service: 'pre-traffic', memory: 256, timeout: 120 },
  { path: 'Synthetic/Prober', service: 'synthetic', memory: 256, timeout: 30 },
];

const functionAt = ({ at }: Synthesised, path: string) => at(`${path}/Function`).Properties;

describe('each function', () => {
  test('is in the table of this test', () => {
    const paths = FUNCTIONS.map(({ path }) => `${path}/Function`);
    expect(standard.paths('AWS::Lambda::Function').sort()).toEqual([...paths].sort());
    expect(everything.paths('AWS::Lambda::Function').sort()).toEqual([...paths].sort());
  });

  test.each(FUNCTIONS)('runs on Node 24 and arm64, with source maps: $path', ({ path, ...row }) => {
    const { Tags: _, Code, Environment, Role, LoggingConfig, Description, ...properties } = functionAt(standard, path);
    expect(properties).toEqual({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: row.memory,
      Timeout: row.timeout,
      // Sixteen messages to itself in a row are no loop.
      ...(path === 'Worker/Service' && { RecursiveLoop: 'Allow' }),
      ...(row.tracing && { TracingConfig: { Mode: row.tracing } }),
    });
    expect(Environment.Variables.NODE_OPTIONS).toBe('--enable-source-maps');
    expect(Description).toMatch(/^[A-Z]/);
    expect(standard.text(Role)).toBe(`<${path}/Role.Arn>`);
    expect(Code.S3Key).toMatch(/^[0-9a-f]{64}\.zip$/);
  });

  test.each(FUNCTIONS)('writes JSON logs to a log group of its own: $path', ({ path }) => {
    const { LogGroup, ...logging } = functionAt(standard, path).LoggingConfig;
    // Metrics are log lines, which a level above INFO would drop.
    expect(logging).toEqual({ LogFormat: 'JSON', ApplicationLogLevel: 'INFO', SystemLogLevel: 'WARN' });
    expect(standard.text(LogGroup)).toBe(`<${path}/Logs>`);
  });

  test('has the bundle of its service', () => {
    const keys = new Map<string, Set<string>>();
    for (const { path, service } of FUNCTIONS) {
      const { S3Key } = functionAt(standard, path).Code;
      keys.set(service, (keys.get(service) ?? new Set()).add(S3Key));
    }
    expect([...keys.values()].every(({ size }) => size === 1)).toBe(true);
    expect(new Set([...keys.values()].flatMap((set) => [...set])).size).toBe(keys.size);
  });

  test.each(FUNCTIONS)('waits for its permissions: $path', ({ path }) => {
    const policies = standard
      .paths('AWS::IAM::Policy')
      .filter((policy) =>
        standard.at(policy).Properties.Roles.some((role: any) => standard.text(role) === `<${path}/Role>`),
      );
    expect(policies.length).toBeGreaterThan(0);
    expect(standard.at(`${path}/Function`).DependsOn).toEqual(expect.arrayContaining(policies));
  });
});

describe('time', () => {
  test('is left for convert to answer by itself, before Lambda stops it and the apiserver gives up at 30 s', () => {
    const { Timeout, Environment } = functionAt(standard, 'Convert/Service');
    const { CONVERT_DEADLINE_MS } = loadConvertConfig({ ...Environment.Variables, TABLE_NAME: 'any' });
    expect(CONVERT_DEADLINE_MS + 1_000).toBeLessThanOrEqual(Timeout * 1_000);
    expect(Timeout).toBeLessThan(30);
  });
});

describe('settings', () => {
  interface SettingRow {
    readonly settings: Readonly<Record<string, unknown>>;
    readonly path: string;
    readonly property: string;
    readonly value: unknown;
  }
  const convert = 'Convert/Service/Function';
  const api = 'Api/Service/Function';

  test.each<SettingRow>([
    { settings: { convertMemory: '2048' }, path: convert, property: 'MemorySize', value: 2048 },
    { settings: { convertTracing: 'active' }, path: convert, property: 'TracingConfig', value: { Mode: 'Active' } },
    { settings: { apiTracing: 'off' }, path: api, property: 'TracingConfig', value: undefined },
    {
      settings: { convertReservedConcurrency: '60' },
      path: convert,
      property: 'ReservedConcurrentExecutions',
      value: 60,
    },
    { settings: { apiReservedConcurrency: '5' }, path: api, property: 'ReservedConcurrentExecutions', value: 5 },
    {
      settings: { convertProvisionedConcurrency: '3' },
      path: `${convert}/Aliaslive`,
      property: 'ProvisionedConcurrencyConfig',
      value: { ProvisionedConcurrentExecutions: 3 },
    },
  ])('$settings changes $property of $path and nothing else of the kind', ({ settings, path, property, value }) => {
    const stack = synthesise(settings);
    expect(standard.at(path).Properties[property]).not.toEqual(value);
    expect(stack.at(path).Properties[property]).toEqual(value);
    for (const other of [...stack.paths('AWS::Lambda::Function'), `${convert}/Aliaslive`, `${api}/Aliaslive`]) {
      if (other === path) continue;
      expect(stack.at(other).Properties[property]).toEqual(standard.at(other).Properties[property]);
    }
  });

  test.each([
    [{}, 30],
    [{ logRetentionDays: '7' }, 7],
    [{ ...EVERYTHING, logRetentionDays: 3653 }, 3653],
  ])('%j keeps every log for %d days', (settings, days) => {
    const stack = synthesise(settings);
    const groups = stack.paths('AWS::Logs::LogGroup').map((path) => stack.at(path).Properties);
    expect(groups.length).toBeGreaterThanOrEqual(FUNCTIONS.length);
    for (const group of groups) expect(group.RetentionInDays).toBe(days);
  });
});

describe('the environment', () => {
  /** What CloudFormation puts in place of references. */
  const RESOLVED: Record<string, string> = {
    '<Table/Table>': 'Roundhouse-prod-Table710B521B-1CX9TZ8PW2AEI',
    '<Apps/Work/Queue>': `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/roundhouse-prod-work.fifo`,
    '<Apps/Artifacts/Bucket>': 'roundhouse-prod-appsartifactsbucket355c4efd-1a2b3c4d5e6f',
    '<Apps/Boundary/Policy>': `arn:aws:iam::${ACCOUNT}:policy/roundhouse-prod-app-boundary`,
    '<Apps/SecretsLayer>': `arn:aws:lambda:${REGION}:${ACCOUNT}:layer:AppsSecretsLayer1A2B3C4D:3`,
    '<Api/RootToken>': `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:ApiRootTokenD6E8DC3D-x1Y2z3-AbCdEf`,
    '<Convert/Service/Function/Aliaslive/FunctionUrl.FunctionUrl>': `https://a1b2c3d4e5f6.lambda-url.${REGION}.on.aws/`,
    '<Convert/Service/Function/CurrentVersion>': `arn:aws:lambda:${REGION}:${ACCOUNT}:function:Roundhouse-prod-ConvertFunction-1A2B3C:12`,
    '<Api/Service/Function/CurrentVersion>': `arn:aws:lambda:${REGION}:${ACCOUNT}:function:Roundhouse-prod-ApiFunction-1A2B3C:7`,
  };
  const LOADERS: Record<string, (environment: Record<string, string>) => object> = {
    convert: loadConvertConfig,
    api: loadApiConfig,
    worker: loadWorkerConfig,
    reconcile: loadReconcileConfig,
    'pre-traffic': loadPreTrafficConfig,
    synthetic: loadSyntheticConfig,
  };
  const references = ({ at, text }: Synthesised, path: string): Record<string, string> => {
    const { Variables } = at(`${path}/Function`).Properties.Environment;
    return Object.fromEntries(Object.entries(Variables).map(([name, value]) => [name, text(value)]));
  };
  const resolved = (variables: Record<string, string>) =>
    Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, RESOLVED[text] ?? text]));

  test.each(FUNCTIONS)('is what the config of $service asks for, and nothing else: $path', ({ path, service }) => {
    for (const stack of [standard, everything]) {
      const { NODE_OPTIONS: _, ...variables } = resolved(references(stack, path));
      const config = LOADERS[service]?.({ ...variables, AWS_REGION: REGION }) ?? {};
      expect(Object.keys(variables).filter((name) => !(name in config))).toEqual([]);
      const texts = Object.entries(config).map(([name, value]) => [name, String(value)]);
      expect(Object.fromEntries(texts)).toMatchObject(variables);
    }
  });

  const ofApps = {
    QUEUE_URL: '<Apps/Work/Queue>',
    ARTIFACT_BUCKET: '<Apps/Artifacts/Bucket>',
    ACCOUNT_ID: ACCOUNT,
  };

  test.each([
    ['Convert/Service', { TABLE_NAME: '<Table/Table>' }],
    [
      'Api/Service',
      {
        TABLE_NAME: '<Table/Table>',
        ROOT_TOKEN_SECRET_ARN: '<Api/RootToken>',
        CONVERT_URL: '<Convert/Service/Function/Aliaslive/FunctionUrl.FunctionUrl>',
        ...ofApps,
        APP_API_RATE_LIMIT_READ_RPM: '600',
        APP_API_RATE_LIMIT_WRITE_RPM: '120',
        APP_MAX_RESERVED_CONCURRENCY: '500',
        ALERTS_CONFIGURED: 'false',
      },
    ],
    [
      'Worker/Service',
      {
        TABLE_NAME: '<Table/Table>',
        ...ofApps,
        BOUNDARY_ARN: '<Apps/Boundary/Policy>',
        SECRETS_LAYER_ARN: '<Apps/SecretsLayer>',
        LOG_RETENTION_DAYS: '30',
      },
    ],
    ['Reconcile/Service', { TABLE_NAME: '<Table/Table>', ...ofApps }],
    ['ConvertDeployment/Hook', { CHECK: 'convert', TARGET_VERSION_ARN: '<Convert/Service/Function/CurrentVersion>' }],
    ['ApiDeployment/Hook', { CHECK: 'api', TARGET_VERSION_ARN: '<Api/Service/Function/CurrentVersion>' }],
    ['Synthetic/Prober', { CONVERT_URL: '<Convert/Service/Function/Aliaslive/FunctionUrl.FunctionUrl>' }],
  ])('of %s is what it works on, beside stage and Node options', (path, variables) => {
    const common = { STAGE: 'prod', NODE_OPTIONS: '--enable-source-maps' };
    expect(references(standard, path)).toEqual({ ...common, ...variables });
  });
});

describe('the function URLs', () => {
  const NAMES = ['Convert', 'Api'];

  test.each(NAMES)('of %s is open, and leads to the alias live', (name) => {
    const fn = `${name}/Service/Function`;
    const { TargetFunctionArn, ...url } = standard.at(`${fn}/Aliaslive/FunctionUrl`).Properties;
    expect(url).toEqual({ AuthType: 'NONE', Qualifier: 'live' });
    expect(standard.text(TargetFunctionArn)).toBe(`<${fn}.Arn>`);
    const alias = standard.at(`${fn}/Aliaslive`).Properties;
    expect(alias.Name).toBe('live');
    expect(standard.text(alias.FunctionName)).toBe(`<${fn}>`);
    expect(standard.text(alias.FunctionVersion)).toBe(`<${fn}/CurrentVersion.Version>`);
  });

  test('are two', () => {
    const urls = NAMES.map((name) => `${name}/Service/Function/Aliaslive/FunctionUrl`);
    expect(standard.paths('AWS::Lambda::Url').sort()).toEqual([...urls].sort());
  });

  const invokeUrl = { Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' };
  const invokeThroughUrl = { Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true };
  const onUrl = (name: string) =>
    [invokeUrl, invokeThroughUrl].map((permission) => ({
      ...permission,
      Principal: '*',
      FunctionName: `<${name}/Service/Function/Aliaslive>`,
    }));
  const bySchedule = {
    Action: 'lambda:InvokeFunction',
    Principal: 'events.amazonaws.com',
    FunctionName: '<Synthetic/Prober/Function.Arn>',
    SourceArn: '<Synthetic/Schedule.Arn>',
  };
  const byHttpApi = {
    Action: 'lambda:InvokeFunction',
    Principal: 'apigateway.amazonaws.com',
    FunctionName: '<Convert/Service/Function/Aliaslive>',
    SourceArn: `arn:aws:execute-api:${REGION}:${ACCOUNT}:<Convert/Domain/Api>/*/*/convert/{path+}`,
  };

  test.each([
    { title: 'anybody through the two URLs, and the schedule', stack: standard, more: [] },
    { title: 'the HTTP API of a domain as well', stack: everything, more: [byHttpApi] },
  ])('can be invoked by $title', ({ stack, more }) => {
    const permissions = stack.paths('AWS::Lambda::Permission').map((path) => {
      const { FunctionName, SourceArn, ...rest } = stack.at(path).Properties;
      return {
        ...rest,
        FunctionName: stack.text(FunctionName),
        ...(SourceArn !== undefined && { SourceArn: stack.text(SourceArn) }),
      };
    });
    const expected = [...onUrl('Convert'), ...onUrl('Api'), bySchedule, ...more];
    expect(permissions).toHaveLength(expected.length);
    expect(permissions).toEqual(expect.arrayContaining(expected));
  });
});
