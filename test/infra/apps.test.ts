import { describe, expect, test } from 'vitest';
import { EVERYTHING, synthesise } from '../support/synthesise.ts';

const standard = synthesise();
const everything = synthesise(EVERYTHING);
const { at, text } = standard;
const propertiesOf = (path: string) => {
  const { Tags: _, ...properties } = at(path).Properties;
  return properties;
};

describe('the queue of work', () => {
  const common = {
    FifoQueue: true,
    ContentBasedDeduplication: false,
    SqsManagedSseEnabled: true,
    VisibilityTimeout: 90,
  };

  test('is FIFO, encrypted, and gives a message up after five deliveries', () => {
    const { RedrivePolicy, ...queue } = propertiesOf('Apps/Work/Queue');
    expect(queue).toEqual({ ...common, QueueName: 'roundhouse-prod-work.fifo', MessageRetentionPeriod: 345_600 });
    const { deadLetterTargetArn, maxReceiveCount, ...others } = RedrivePolicy;
    expect({ maxReceiveCount, others, to: text(deadLetterTargetArn) }).toEqual({
      maxReceiveCount: 5,
      others: {},
      to: '<Apps/Work/Dead.Arn>',
    });
  });

  test('has dead letters that stay longer, in a queue of the same kind', () => {
    expect(propertiesOf('Apps/Work/Dead')).toEqual({
      ...common,
      QueueName: 'roundhouse-prod-work-dead.fifo',
      MessageRetentionPeriod: 1_209_600,
    });
  });

  test('gives a message out again only when the worker that had it has ended', () => {
    const { Timeout } = at('Worker/Service/Function').Properties;
    expect(Timeout).toBe(60);
    expect(common.VisibilityTimeout).toBeGreaterThan(Timeout);
  });

  test.each(['Queue', 'Dead'])('refuses everybody who comes without TLS (%s)', (name) => {
    const { PolicyDocument, Queues } = at(`Apps/Work/${name}/Policy`).Properties;
    expect(Queues.map(text)).toEqual([`<Apps/Work/${name}>`]);
    expect(PolicyDocument.Statement).toMatchObject([
      {
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: 'sqs:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ]);
  });
});

describe('the worker', () => {
  const sources = (stack: typeof standard) =>
    stack.paths('AWS::Lambda::EventSourceMapping').map((path) => stack.at(path).Properties);

  test('takes one message at a time, of the work and of the dead letters', () => {
    const found = sources(standard).map(({ Tags: _, EventSourceArn, FunctionName, ...rest }) => ({
      ...rest,
      from: text(EventSourceArn),
      to: text(FunctionName),
    }));
    const common = { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 5 }, to: '<Worker/Service/Function>' };
    expect(found).toEqual([
      { ...common, from: '<Apps/Work/Queue.Arn>' },
      { ...common, from: '<Apps/Work/Dead.Arn>' },
    ]);
  });

  test.each([2, 1000])('works on %d apps at a time where the setting says so', (workerMaxConcurrency) => {
    const limits = sources(synthesise({ workerMaxConcurrency })).map(({ ScalingConfig }) => ScalingConfig);
    expect(limits).toEqual(limits.map(() => ({ MaximumConcurrency: workerMaxConcurrency })));
  });

  test('has no concurrency reserved, which would make dead letters of what nobody has tried', () => {
    for (const stack of [standard, everything]) {
      expect(stack.at('Worker/Service/Function').Properties).not.toHaveProperty('ReservedConcurrentExecutions');
    }
  });

  test.each(['Worker', 'Reconcile'])('and %s go live at once, without CodeDeploy', (name) => {
    const paths = Object.keys(standard.resources).filter((path) => path.startsWith(name));
    expect(paths.filter((path) => /Alias|CurrentVersion|Deployment/.test(path))).toEqual([]);
  });
});

describe('reconcile', () => {
  const SCHEDULES = [
    { pass: 'fast', rate: 'rate(1 minute)' },
    { pass: 'drift', rate: 'rate(15 minutes)' },
  ];

  test.each(SCHEDULES)('runs the $pass pass at $rate, and never twice for one call', ({ pass, rate }) => {
    const { ScheduleExpression, FlexibleTimeWindow, State, Target, GroupName } = at(`Reconcile/${pass}`).Properties;
    expect({ ScheduleExpression, FlexibleTimeWindow, State }).toEqual({
      ScheduleExpression: rate,
      FlexibleTimeWindow: { Mode: 'OFF' },
      State: 'ENABLED',
    });
    expect(GroupName).toBe(at('Reconcile/Schedules').Properties.Name);
    expect(GroupName).toBe('roundhouse-prod');
    const { Arn, RoleArn, ...target } = Target;
    expect(text(Arn)).toBe('<Reconcile/Service/Function.Arn>');
    expect(text(RoleArn)).toBe('<Reconcile/SchedulerRole.Arn>');
    expect(target).toEqual({
      Input: JSON.stringify({ pass }),
      RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
    });
  });

  test('has no other schedules, and they wait for their group and for the permission to call', () => {
    const paths = standard.paths('AWS::Scheduler::Schedule');
    expect(paths.sort()).toEqual(SCHEDULES.map(({ pass }) => `Reconcile/${pass}`).sort());
    const before = ['Reconcile/SchedulerPolicy', 'Reconcile/Schedules'];
    for (const path of paths) expect(at(path).DependsOn).toEqual(expect.arrayContaining(before));
  });

  test('is not called again by Lambda either', () => {
    const { FunctionName, ...invoke } = at('Reconcile/Service/Function/EventInvokeConfig').Properties;
    expect(text(FunctionName)).toBe('<Reconcile/Service/Function>');
    expect(invoke).toEqual({ Qualifier: '$LATEST', MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
  });
});

describe('the bucket of packages', () => {
  test('is private, versioned and encrypted', () => {
    expect(standard.paths('AWS::S3::Bucket')).toEqual(['Apps/Artifacts/Bucket']);
    const { LifecycleConfiguration: _, ...bucket } = propertiesOf('Apps/Artifacts/Bucket');
    expect(bucket).toEqual({
      VersioningConfiguration: { Status: 'Enabled' },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
    });
  });

  test('ends uploads that nobody finished, and never a version, for a rollback may need it', () => {
    const { Rules } = propertiesOf('Apps/Artifacts/Bucket').LifecycleConfiguration;
    expect(Rules).toEqual([
      {
        Id: 'UnfinishedUploads',
        Status: 'Enabled',
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        ExpiredObjectDeleteMarker: true,
      },
    ]);
  });

  test('refuses everybody who comes without TLS 1.2', () => {
    const { PolicyDocument, Bucket } = at('Apps/Artifacts/Bucket/Policy').Properties;
    expect(text(Bucket)).toBe('<Apps/Artifacts/Bucket>');
    const resources = ['<Apps/Artifacts/Bucket.Arn>', '<Apps/Artifacts/Bucket.Arn>/*'];
    for (const { Effect, Action, Resource, Principal } of PolicyDocument.Statement) {
      expect({ Effect, Action, Resource: Resource.map(text), Principal }).toEqual({
        Effect: 'Deny',
        Action: 's3:*',
        Resource: resources,
        Principal: expect.objectContaining({ AWS: '*' }),
      });
    }
    expect(PolicyDocument.Statement.map(({ Condition }: any) => Condition)).toEqual([
      { Bool: { 'aws:SecureTransport': 'false' } },
      { NumericLessThan: { 's3:TlsVersion': 1.2 } },
    ]);
  });
});

test('the layer for secrets fits both architectures and every Node that apps can have', () => {
  const { Content, Description, ...layer } = at('Apps/SecretsLayer').Properties;
  expect(Content.S3Key).toMatch(/^[0-9a-f]{64}\.zip$/);
  expect(Description).toMatch(/^[A-Z]/);
  expect(layer).toEqual({
    CompatibleRuntimes: ['nodejs22.x', 'nodejs24.x'],
    CompatibleArchitectures: ['arm64', 'x86_64'],
  });
});

test('the index of what needs attention is the one of lib/store, and the only one', () => {
  expect(at('Table/Table').Properties.GlobalSecondaryIndexes).toMatchObject([{ IndexName: 'attention' }]);
});
