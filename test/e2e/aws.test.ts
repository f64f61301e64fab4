import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { METRICS, NAMESPACE, VERSION_PANICS } from '../../lib/telemetry/metric-catalogue.ts';
import { alarmMetrics, graphMetrics, type MetricId, metricId } from '../infra/support/template-metrics.ts';
import { type Cdk, openCdk } from './support/cdk.ts';
import { type Call, type Moto, startMoto } from './support/moto.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';
import { MOTO } from './tools/tools.ts';

const runs = canRun('aws', [MOTO]);

/** A stage of its own for each run, so that an emulator that was there before can be used twice. */
const STAGE = `e2e-${process.pid}`;
const TRIAL = `trial-${process.pid}`;

/** Of what is deployed, what `moto` has: for each kind a call that lists it, and where a name of ours is in each entry. */
const KINDS: Readonly<Record<string, { readonly call: Call; readonly names: (answer: any) => string[] }>> = {
  tables: { call: ['dynamodb', 'list_tables'], names: ({ TableNames }) => TableNames },
  functions: {
    call: ['lambda', 'list_functions'],
    names: ({ Functions }) => Functions.map((entry: any) => entry.FunctionName),
  },
  secrets: {
    call: ['secretsmanager', 'list_secrets'],
    names: ({ SecretList }) => SecretList.map((entry: any) => entry.Name),
  },
  logGroups: {
    call: ['logs', 'describe_log_groups'],
    names: ({ logGroups }) => logGroups.map((entry: any) => entry.logGroupName),
  },
  metricFilters: {
    call: ['logs', 'describe_metric_filters'],
    names: ({ metricFilters }) => metricFilters.map((entry: any) => entry.filterName),
  },
  alarms: {
    call: ['cloudwatch', 'describe_alarms'],
    names: ({ MetricAlarms }) => MetricAlarms.map((entry: any) => entry.AlarmName),
  },
  dashboards: {
    call: ['cloudwatch', 'list_dashboards'],
    names: ({ DashboardEntries }) => DashboardEntries.map((entry: any) => entry.DashboardName),
  },
  topics: {
    call: ['sns', 'list_topics'],
    names: ({ Topics }) => Topics.map((entry: any) => entry.TopicArn.split(':').at(-1)),
  },
  roles: { call: ['iam', 'list_roles'], names: ({ Roles }) => Roles.map((entry: any) => entry.RoleName) },
  rules: { call: ['events', 'list_rules'], names: ({ Rules }) => Rules.map((entry: any) => entry.Name) },
  applications: { call: ['codedeploy', 'list_applications'], names: ({ applications }) => applications },
  queues: {
    call: ['sqs', 'list_queues'],
    names: ({ QueueUrls = [] }) => QueueUrls.map((url: string) => url.split('/').at(-1)),
  },
  buckets: { call: ['s3', 'list_buckets'], names: ({ Buckets }) => Buckets.map((entry: any) => entry.Name) },
  layers: { call: ['lambda', 'list_layers'], names: ({ Layers }) => Layers.map((entry: any) => entry.LayerName) },
  policies: {
    call: ['iam', 'list_policies', { Scope: 'Local' }],
    names: ({ Policies }) => Policies.map((entry: any) => entry.PolicyName),
  },
  eventSources: {
    call: ['lambda', 'list_event_source_mappings'],
    names: ({ EventSourceMappings }) => EventSourceMappings.map((entry: any) => entry.FunctionArn.split(':').at(-1)),
  },
  schedules: {
    call: ['scheduler', 'list_schedules'],
    names: ({ Schedules }) => Schedules.map((entry: any) => `${entry.GroupName}-${entry.Name}`),
  },
};

describe.runIf(runs)('the stack on an emulator of AWS', () => {
  let workbench: Workbench;
  let moto: Moto;
  let cdk: Cdk;
  let outdir: string;
  /** Resources of the template that was deployed, by logical id. */
  let resources: Readonly<Record<string, any>>;
  let deployed: Inventory;

  type Inventory = Record<string, string[]>;

  beforeAll(async () => {
    workbench = openWorkbench();
    moto = await startMoto(workbench);
    cdk = await openCdk(workbench, moto.environment);
    outdir = workbench.folder('roundhouse-e2e-assembly-');
    await cdk('bootstrap');
    await deploy(STAGE);
    const template = await readFile(join(outdir, `Roundhouse-${STAGE}.template.json`), 'utf8');
    resources = JSON.parse(template).Resources;
    deployed = await takeInventory(STAGE);
  });

  afterAll(() => workbench.close());

  const deploy = (stage: string, ...settings: readonly string[]) => {
    const context = [`stage=${stage}`, ...settings].flatMap((setting) => ['-c', setting]);
    return cdk('deploy', '--require-approval', 'never', '--output', outdir, ...context);
  };

  /** The names of what a stage has, of each kind. */
  async function takeInventory(stage: string): Promise<Inventory> {
    const answers = await moto.ask(...Object.values(KINDS).map(({ call }) => call));
    const own = (name: string) => new RegExp(`^roundhouse-${stage}([-_]|$)`, 'i').test(name);
    const entries = Object.entries(KINDS).map(([kind, { names }], index) => [
      kind,
      names(answers[index]).filter(own).sort(),
    ]);
    return Object.fromEntries(entries);
  }

  const ofType = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);
  const one = (kind: string, part = '') => {
    const [name = '', ...others] = deployed[kind]?.filter((candidate) => candidate.includes(part)) ?? [];
    expect(others).toEqual([]);
    return name;
  };

  test('has everything that the template has, and moto knows all of its types', () => {
    const counts = Object.fromEntries(Object.entries(deployed).map(([kind, names]) => [kind, names.length]));
    expect(counts).toEqual({
      tables: ofType('AWS::DynamoDB::Table').length,
      functions: ofType('AWS::Lambda::Function').length,
      secrets: ofType('AWS::SecretsManager::Secret').length,
      logGroups: ofType('AWS::Logs::LogGroup').length,
      metricFilters: ofType('AWS::Logs::MetricFilter').length,
      alarms: ofType('AWS::CloudWatch::Alarm').length,
      dashboards: ofType('AWS::CloudWatch::Dashboard').length,
      topics: ofType('AWS::SNS::Topic').length,
      roles: ofType('AWS::IAM::Role').length,
      rules: ofType('AWS::Events::Rule').length,
      applications: ofType('AWS::CodeDeploy::Application').length,
      queues: ofType('AWS::SQS::Queue').length,
      buckets: ofType('AWS::S3::Bucket').length,
      layers: ofType('AWS::Lambda::LayerVersion').length,
      policies: ofType('AWS::IAM::ManagedPolicy').length,
      eventSources: ofType('AWS::Lambda::EventSourceMapping').length,
      schedules: ofType('AWS::Scheduler::Schedule').length,
    });
    expect(Object.values(counts)).not.toContain(0);
  });

  test('has a table with its keys, its index, TTL, point-in-time recovery and deletion protection', async () => {
    const TableName = one('tables');
    const [{ Table: table }, ttl, backups] = await moto.ask(
      ['dynamodb', 'describe_table', { TableName }],
      ['dynamodb', 'describe_time_to_live', { TableName }],
      ['dynamodb', 'describe_continuous_backups', { TableName }],
    );
    expect(table).toMatchObject({
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      DeletionProtectionEnabled: true,
    });
    expect(table.GlobalSecondaryIndexes).toMatchObject([
      {
        IndexName: 'attention',
        KeySchema: [
          { AttributeName: 'attention', KeyType: 'HASH' },
          { AttributeName: 'attentionAt', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ]);
    expect(ttl.TimeToLiveDescription).toMatchObject({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' });
    const { PointInTimeRecoveryDescription: recovery } = backups.ContinuousBackupsDescription;
    expect(recovery).toMatchObject({ PointInTimeRecoveryStatus: 'ENABLED' });
  });

  // moto keeps no LoggingConfig; the functions' tests of the template have it.
  test.each([
    ['ConvertFunction', 1024, 29, 'PassThrough', ['STAGE', 'TABLE_NAME']],
    [
      'ApiServiceFunction',
      512,
      29,
      'Active',
      [
        ...[
          'ACCOUNT_ID',
          'ALERTS_CONFIGURED',
          'APP_API_RATE_LIMIT_READ_RPM',
          'APP_API_RATE_LIMIT_WRITE_RPM',
          'APP_MAX_RESERVED_CONCURRENCY',
        ],
        ...['ARTIFACT_BUCKET', 'CONVERT_URL', 'QUEUE_URL', 'ROOT_TOKEN_SECRET_ARN', 'STAGE', 'TABLE_NAME'],
      ],
    ],
    [
      'WorkerServiceFunction',
      512,
      60,
      'PassThrough',
      [
        ...['ACCOUNT_ID', 'ARTIFACT_BUCKET', 'BOUNDARY_ARN', 'LOG_RETENTION_DAYS', 'QUEUE_URL', 'SECRETS_LAYER_ARN'],
        ...['STAGE', 'TABLE_NAME'],
      ],
    ],
    [
      'ReconcileServiceFunction',
      512,
      60,
      'PassThrough',
      ['ACCOUNT_ID', 'ARTIFACT_BUCKET', 'QUEUE_URL', 'STAGE', 'TABLE_NAME'],
    ],
    ['ConvertDeploymentHook', 256, 120, 'PassThrough', ['CHECK', 'STAGE', 'TARGET_VERSION_ARN']],
    ['ApiDeploymentHook', 256, 120, 'PassThrough', ['CHECK', 'STAGE', 'TARGET_VERSION_ARN']],
    ['SyntheticProber', 256, 30, 'PassThrough', ['CONVERT_URL', 'STAGE']],
  ])('has the function %s with its configuration', async (part, memory, timeout, tracing, variables) => {
    const FunctionName = one('functions', part);
    const [fn] = await moto.ask(['lambda', 'get_function_configuration', { FunctionName }]);
    expect(fn).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: memory,
      Timeout: timeout,
      TracingConfig: { Mode: tracing },
    });
    const { Variables } = fn.Environment;
    expect(Object.keys(Variables).sort()).toEqual([...variables, 'NODE_OPTIONS'].sort());
    expect(Variables.STAGE).toBe(STAGE);
    if ('TABLE_NAME' in Variables) expect(Variables.TABLE_NAME).toBe(one('tables'));
  });

  test('gives both hooks and the reviews what they ask: a version that is published, and a URL', async () => {
    const names = [
      'ConvertFunction',
      'ApiServiceFunction',
      'ConvertDeploymentHook',
      'ApiDeploymentHook',
      'SyntheticProber',
    ];
    const [convert, api, convertHook, apiHook, synthetic] = await moto.ask(
      ...names.map((part): Call => ['lambda', 'get_function_configuration', { FunctionName: one('functions', part) }]),
    );
    expect(convertHook.Environment.Variables.TARGET_VERSION_ARN).toBe(`${convert.FunctionArn}:1`);
    expect(apiHook.Environment.Variables.TARGET_VERSION_ARN).toBe(`${api.FunctionArn}:1`);
    const [{ FunctionUrl, AuthType }, alias] = await moto.ask(
      ['lambda', 'get_function_url_config', { FunctionName: convert.FunctionName, Qualifier: 'live' }],
      ['lambda', 'get_alias', { FunctionName: convert.FunctionName, Name: 'live' }],
    );
    expect(AuthType).toBe('NONE');
    expect(alias.FunctionVersion).toBe('1');
    for (const { Environment } of [api, synthetic]) expect(Environment.Variables.CONVERT_URL).toBe(FunctionUrl);
  });

  const variablesOf = async (part: string) => {
    const FunctionName = one('functions', part);
    const [{ Environment, FunctionArn }] = await moto.ask(['lambda', 'get_function_configuration', { FunctionName }]);
    return { ...Environment.Variables, FunctionArn };
  };

  test('has a queue of work in order, whose dead letters the worker takes too', async () => {
    const { QUEUE_URL, FunctionArn } = await variablesOf('WorkerServiceFunction');
    const [queueName, deadName] = [`roundhouse-${STAGE}-work.fifo`, `roundhouse-${STAGE}-work-dead.fifo`];
    expect(QUEUE_URL.endsWith(`/${queueName}`)).toBe(true);
    const QueueUrl = QUEUE_URL.replace(queueName, deadName);
    const attributes = { AttributeNames: ['All'] };
    const [{ Attributes: queue }, { Attributes: dead }, { EventSourceMappings: all }] = await moto.ask(
      ['sqs', 'get_queue_attributes', { QueueUrl: QUEUE_URL, ...attributes }],
      ['sqs', 'get_queue_attributes', { QueueUrl, ...attributes }],
      ['lambda', 'list_event_source_mappings'],
    );
    const sources = all.filter((source: any) => source.FunctionArn === FunctionArn);
    const common = { FifoQueue: 'true', ContentBasedDeduplication: 'false', VisibilityTimeout: '90' };
    expect(queue).toMatchObject({ ...common, SqsManagedSseEnabled: 'true' });
    expect(dead).toMatchObject({ ...common, SqsManagedSseEnabled: 'true', MessageRetentionPeriod: '1209600' });
    const redrive = JSON.parse(queue.RedrivePolicy);
    expect(redrive).toEqual({ deadLetterTargetArn: dead.QueueArn, maxReceiveCount: 5 });
    for (const { Policy } of [queue, dead]) expect(JSON.parse(Policy).Statement).toMatchObject([{ Effect: 'Deny' }]);
    expect(sources.map(({ EventSourceArn }: any) => EventSourceArn).sort()).toEqual(
      [queue.QueueArn, dead.QueueArn].sort(),
    );
    for (const source of sources) expect(source).toMatchObject({ BatchSize: 1 });
  });

  test('has both passes of reconcile on their schedules, with a role that may start them', async () => {
    const GroupName = `roundhouse-${STAGE}`;
    const [{ Schedules }] = await moto.ask(['scheduler', 'list_schedules', { GroupName }]);
    const schedules = await moto.ask(
      ...Schedules.map(({ Name }: any): Call => ['scheduler', 'get_schedule', { GroupName, Name }]),
    );
    const { FunctionArn } = await variablesOf('ReconcileServiceFunction');
    const found = schedules.map(({ ScheduleExpression, State, Target }: any) => ({
      ScheduleExpression,
      State,
      ...Target,
    }));
    const common = { State: 'ENABLED', Arn: FunctionArn, RetryPolicy: { MaximumRetryAttempts: 0 } };
    const role = new RegExp(`:role/${one('roles', 'SchedulerRole')}$`);
    const row = (rate: string, pass: string) => ({
      ...common,
      ScheduleExpression: rate,
      Input: JSON.stringify({ pass }),
      RoleArn: expect.stringMatching(role),
    });
    expect(found.length).toBe(2);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...row('rate(1 minute)', 'fast'),
          RetryPolicy: expect.objectContaining(common.RetryPolicy),
        }),
        expect.objectContaining({
          ...row('rate(15 minutes)', 'drift'),
          RetryPolicy: expect.objectContaining(common.RetryPolicy),
        }),
      ]),
    );
  });

  test('has a bucket of packages that is private and keeps every version', async () => {
    const Bucket = one('buckets');
    const { ARTIFACT_BUCKET } = await variablesOf('WorkerServiceFunction');
    expect(ARTIFACT_BUCKET).toBe(Bucket);
    const [versioning, { PublicAccessBlockConfiguration: block }, { Rules }, { Policy }] = await moto.ask(
      ['s3', 'get_bucket_versioning', { Bucket }],
      ['s3', 'get_public_access_block', { Bucket }],
      ['s3', 'get_bucket_lifecycle_configuration', { Bucket }],
      ['s3', 'get_bucket_policy', { Bucket }],
    );
    expect(versioning.Status).toBe('Enabled');
    expect(Object.values(block)).toEqual([true, true, true, true]);
    expect(Rules).toHaveLength(1);
    expect(Rules[0]).not.toHaveProperty('NoncurrentVersionExpiration');
    expect(JSON.parse(Policy).Statement.map(({ Effect }: any) => Effect)).toEqual(['Deny', 'Deny']);
  });

  test('gives the worker the boundary and the layer that there are', async () => {
    const { BOUNDARY_ARN, SECRETS_LAYER_ARN } = await variablesOf('WorkerServiceFunction');
    const [, , , , , , LayerName, version] = SECRETS_LAYER_ARN.split(':');
    const [{ Policy }, layer] = await moto.ask(
      ['iam', 'get_policy', { PolicyArn: BOUNDARY_ARN }],
      ['lambda', 'get_layer_version', { LayerName, VersionNumber: Number(version) }],
    );
    expect(Policy.PolicyName).toBe(`roundhouse-${STAGE}-app-boundary`);
    expect(layer.CompatibleRuntimes).toEqual(['nodejs22.x', 'nodejs24.x']);
  });

  test('has made a root token', async () => {
    const [{ SecretString }] = await moto.ask(['secretsmanager', 'get_secret_value', { SecretId: one('secrets') }]);
    expect(SecretString).toMatch(/^[A-Za-z0-9]{43}$/);
  });

  test('keeps logs for 30 days', async () => {
    const [{ logGroups }] = await moto.ask(['logs', 'describe_log_groups']);
    const own = logGroups.filter((group: any) => deployed['logGroups']?.includes(group.logGroupName));
    expect(own.map((group: any) => group.retentionInDays)).toEqual(own.map(() => 30));
  });

  /** Dimension sets that somebody publishes; AWS's by namespace. */
  const knownSets = (namespace: string, name: string): readonly string[] => {
    if (namespace === VERSION_PANICS.namespace) return name === VERSION_PANICS.name ? ['stage,version'] : [];
    if (namespace === NAMESPACE) {
      const metric = METRICS[name as keyof typeof METRICS];
      if (metric === undefined) return [];
      return ['service,stage', ...(metric.byTarget ? ['service,stage,target'] : [])];
    }
    return AWS_SETS[namespace] ?? [];
  };
  const AWS_SETS: Readonly<Record<string, readonly string[]>> = {
    'AWS/Lambda': ['FunctionName', 'FunctionName,Resource', 'ExecutedVersion,FunctionName,Resource'],
    'AWS/DynamoDB': ['TableName', 'Operation,TableName'],
    'AWS/SQS': ['QueueName'],
  };
  /** Those that nobody publishes. */
  const unknown = (ids: readonly MetricId[]) =>
    ids.filter((id) => {
      const [namespace = '', name = '', ...pairs] = id.split(' ');
      return !knownSets(namespace, name).includes(pairs.map((pair) => pair.split('=')[0]).join(','));
    });

  test('has two dashboards', () => {
    expect(deployed['dashboards']).toEqual([`roundhouse-${STAGE}`, `roundhouse-${STAGE}_apps`]);
  });

  test.each(['', '_apps'])(
    'has a dashboard%s whose every graph names metrics that are published, with all of their dimensions',
    async (page) => {
      const DashboardName = `roundhouse-${STAGE}${page}`;
      const [{ DashboardBody }] = await moto.ask(['cloudwatch', 'get_dashboard', { DashboardName }]);
      const { widgets } = JSON.parse(DashboardBody);
      expect(new Set(widgets.map(({ type }: any) => type))).toEqual(new Set(['alarm', 'metric', 'text']));
      for (const { x, y, width, height } of widgets) {
        expect([x, y, width, height].every(Number.isInteger)).toBe(true);
        expect(x + width).toBeLessThanOrEqual(24);
      }
      const graphs = widgets.filter(({ type }: any) => type === 'metric');
      for (const graph of graphs) {
        const ids = graphMetrics(graph);
        expect(ids.length, graph.properties.title).toBeGreaterThan(0);
        expect(unknown(ids), graph.properties.title).toEqual([]);
        expect(graph.properties).toMatchObject({ region: 'us-east-1', title: expect.any(String) });
      }
      const { alarms } = widgets.find(({ type }: any) => type === 'alarm').properties;
      const [{ MetricAlarms }] = await moto.ask(['cloudwatch', 'describe_alarms']);
      const arns = MetricAlarms.map(({ AlarmArn }: any) => AlarmArn);
      expect(arns).toEqual(expect.arrayContaining(alarms));
    },
  );

  test('has alarms that look at metrics that are published, and tell the topic', async () => {
    const [{ MetricAlarms }, { Topics }] = await moto.ask(['cloudwatch', 'describe_alarms'], ['sns', 'list_topics']);
    const own = MetricAlarms.filter(({ AlarmName }: any) => deployed['alarms']?.includes(AlarmName));
    expect(own).toHaveLength(ofType('AWS::CloudWatch::Alarm').length);
    const topic = Topics.find(({ TopicArn }: any) => TopicArn.endsWith(one('topics'))).TopicArn;
    for (const alarm of own) {
      const ids = alarmMetrics({ Properties: alarm });
      expect(ids.length, alarm.AlarmName).toBeGreaterThan(0);
      expect(unknown(ids), alarm.AlarmName).toEqual([]);
      const actions = alarm.AlarmName.includes('new-version') ? [] : [topic];
      expect(alarm.AlarmActions, alarm.AlarmName).toEqual(actions);
    }
  });

  // moto does not give back the alarms of a group; the deployment's tests of the template have them.
  test('deploys both functions as a canary, and counts panics of the new version', async () => {
    const names = deployed['applications'] ?? [];
    for (const applicationName of names) {
      const [{ deploymentGroups }] = await moto.ask(['codedeploy', 'list_deployment_groups', { applicationName }]);
      const [{ deploymentGroupInfo: group }] = await moto.ask([
        'codedeploy',
        'get_deployment_group',
        { applicationName, deploymentGroupName: deploymentGroups[0] },
      ]);
      expect(deploymentGroups).toHaveLength(1);
      expect(group.deploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes');
    }
    const count = metricId(VERSION_PANICS.namespace, VERSION_PANICS.name, { stage: STAGE, version: '1' });
    const [{ MetricAlarms }] = await moto.ask(['cloudwatch', 'describe_alarms']);
    expect(MetricAlarms.flatMap((alarm: any) => alarmMetrics({ Properties: alarm }))).toContain(count);
  });

  test('deployed again is not changed', async () => {
    expect(await deploy(STAGE)).toContain('(no changes)');
    expect(await takeInventory(STAGE)).toEqual(deployed);
  });

  // moto cannot delete applications of CodeDeploy.
  test('of a trial is gone when it is destroyed', async () => {
    await deploy(TRIAL, 'removalPolicy=destroy');
    expect((await takeInventory(TRIAL))['tables']).toHaveLength(1);
    await cdk('destroy', '--force', '--output', outdir, '-c', `stage=${TRIAL}`, '-c', 'removalPolicy=destroy');
    const { applications: _, ...left } = await takeInventory(TRIAL);
    expect(Object.values(left).flat()).toEqual([]);
  });

  test('that is retained leaves its data, its logs, what apps have and what convert answers with when it is destroyed', async () => {
    await cdk('destroy', '--force', '--output', outdir, '-c', `stage=${STAGE}`);
    const { applications: _, ...left } = await takeInventory(STAGE);
    expect(left).toEqual({
      tables: deployed['tables'],
      functions: [one('functions', 'ConvertFunction')],
      secrets: [],
      logGroups: deployed['logGroups'],
      metricFilters: [],
      alarms: [],
      dashboards: [],
      topics: [],
      roles: [one('roles', 'ConvertServiceRole')],
      rules: [],
      queues: [],
      buckets: deployed['buckets'],
      layers: [],
      policies: deployed['policies'],
      eventSources: [],
      schedules: [],
    });
    const FunctionName = one('functions', 'ConvertFunction');
    const [alias, url] = await moto.ask(
      ['lambda', 'get_alias', { FunctionName, Name: 'live' }],
      ['lambda', 'get_function_url_config', { FunctionName, Qualifier: 'live' }],
    );
    expect(alias.FunctionVersion).toBe('1');
    expect(url.FunctionUrl).toMatch(/^https:/);
  });

  test('has met no type that moto lacks, and no failure of the emulator', () => {
    const output = moto.output();
    if (output === undefined) return;
    const lacking = [...output.matchAll(/No Moto CloudFormation support for (\S+)/g)].map(([, type]) => type);
    expect([...new Set(lacking)]).toEqual([]);
    expect(output.match(/^(?:\w+\.)*\w*(?:Error|Exception): .*|.* 500 -$/gm)).toBeNull();
  });
});
