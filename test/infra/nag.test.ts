import { CfnResource } from 'aws-cdk-lib';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { RoundhouseStack } from '../../infra/stack.ts';
import { ACCOUNT, EVERYTHING, FEATURE_FLAGS, REGION } from '../support/synthesise.ts';
import { validate } from '../support/validate.ts';

const STACK = 'Roundhouse-prod';
const CODE_DEPLOY = 'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]';

const own = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
/** Of what people make of apps, policies can name only how its names begin. */
const FUNCTIONS = `IAM5[Resource::${own('lambda', 'function:roundhouse_prod_*')}]`;
const LOG_GROUPS = `IAM5[Resource::${own('logs', 'log-group:/roundhouse/prod/*')}]`;
const PARAMETERS = `IAM5[Resource::${own('ssm', 'parameter/roundhouse/prod/*')}]`;
const REPOSITORIES = `IAM5[Resource::${own('ecr', 'repository/*')}]`;
const PACKAGES = 'IAM5[Resource::<AppsArtifactsBucket355C4EFD.Arn>/apps/*]';
const APP = '<aws:PrincipalTag/roundhouse:app>';

/** Every finding that there is, by construct; all of them are acknowledged. */
const ALWAYS = [
  ['Api/RootToken', 'SMG4'],
  ['Api/Service/Policy', 'IAM5[Resource::*]'],
  ...[FUNCTIONS, LOG_GROUPS, PARAMETERS, REPOSITORIES, PACKAGES].map((rule) => ['Api/Service/Policy', rule]),
  ['Worker/Service/Policy', 'IAM5[Resource::*]'],
  ...[FUNCTIONS, LOG_GROUPS, PARAMETERS, REPOSITORIES, PACKAGES].map((rule) => ['Worker/Service/Policy', rule]),
  ['Worker/Service/Policy', `IAM5[Resource::arn:aws:iam::${ACCOUNT}:role/roundhouse/prod/*]`],
  ['Worker/Service/Policy', `IAM5[Resource::arn:aws:iam::${ACCOUNT}:role/roundhouse_prod_*]`],
  ['Reconcile/Service/Policy', 'IAM5[Resource::*]'],
  ['Reconcile/Service/Policy', FUNCTIONS],
  ['Apps/Artifacts/Bucket', 'S1'],
  ['Apps/Boundary/Policy', 'IAM5[Resource::*]'],
  ['Apps/Boundary/Policy', `IAM5[Resource::${own('logs', `log-group:/roundhouse/prod/${APP}:*`)}]`],
  ['Apps/Boundary/Policy', `IAM5[Resource::${own('ssm', `parameter/roundhouse/prod/${APP}/*`)}]`],
  ['Apps/Boundary/Policy', `IAM5[Resource::${own('kms', 'key/*')}]`],
  ['ApiDeployment/Group/ServiceRole', CODE_DEPLOY],
  ['ApiDeployment/Group/ServiceRole/DefaultPolicy', 'IAM5[Resource::<ApiDeploymentHookFunctionF9C9D6A9.Arn>:*]'],
  ['ApiDeployment/Hook/Policy', 'IAM5[Resource::<ApiServiceFunction38E8030A.Arn>:*]'],
  ['ConvertDeployment/Group/ServiceRole', CODE_DEPLOY],
  [
    'ConvertDeployment/Group/ServiceRole/DefaultPolicy',
    'IAM5[Resource::<ConvertDeploymentHookFunctionDF44A87D.Arn>:*]',
  ],
  ['ConvertDeployment/Hook/Policy', 'IAM5[Resource::<ConvertFunction.Arn>:*]'],
];
const WITH_EVERYTHING = [
  ...ALWAYS,
  ['Convert/Service/Policy', 'IAM5[Resource::*]'],
  ['Convert/Domain/Api/POST--convert--{path+}', 'APIG4'],
];

type Validated = ReturnType<typeof validate>;

describe.each([
  { title: 'standard', settings: {}, expected: ALWAYS },
  { title: 'everything', settings: EVERYTHING, expected: WITH_EVERYTHING },
  { title: 'a trial of everything', settings: { ...EVERYTHING, removalPolicy: 'destroy' }, expected: WITH_EVERYTHING },
  { title: 'all at once', settings: { deploy: 'all-at-once' }, expected: ALWAYS },
])('the findings of cdk-nag and of CDK itself ($title)', ({ settings, expected }) => {
  let result: Validated;
  beforeAll(() => {
    result = validate(settings);
  });

  test('are acknowledged, and all in the table of this test', () => {
    const open = result.findings.filter(({ acknowledged }) => acknowledged === undefined);
    expect(open).toEqual([]);
    const found = result.findings.flatMap(({ rule, constructs }) => constructs.map((path) => `${path} ${rule}`));
    const listed = expected.map(([path, rule]) => `${STACK}/${path}/Resource AwsSolutions-${rule}`);
    expect(found.sort()).toEqual(listed.sort());
  });

  test('are acknowledged by full id, on the single construct, with a reason', () => {
    for (const { rule, constructs, acknowledged } of result.findings) {
      expect(acknowledged?.id).toBe(`AwsSolutions::${rule}`);
      expect(constructs).toEqual([`${acknowledged?.at}/Resource`]);
      expect(acknowledged?.reason).toMatch(/^[A-Z].{50,}\.$/);
    }
  });

  test('are there for each acknowledgement', () => {
    const used = result.findings.map(({ acknowledged }) => `${acknowledged?.at} ${acknowledged?.id}`);
    expect(result.acknowledgements.map(({ at, id }) => `${at} ${id}`).sort()).toEqual(used.sort());
  });
});

describe('validation', () => {
  const lambda = new ServicePrincipal('lambda.amazonaws.com');
  /** Errors end a synthesis, warnings are only reported. */
  function problemsOf(add: (stack: RoundhouseStack) => void): string {
    try {
      return JSON.stringify(validate({}, add).findings.filter(({ acknowledged }) => acknowledged === undefined));
    } catch (error) {
      return String(error);
    }
  }
  const role = (stack: RoundhouseStack) => new Role(stack, 'Unsafe', { assumedBy: lambda });

  test.each<{ what: string; rule: RegExp; add: (stack: RoundhouseStack) => void }>([
    { what: 'a topic without TLS', rule: /AwsSolutions-SNS3/, add: (stack) => new Topic(stack, 'Unsafe') },
    {
      what: 'a queue without a dead-letter queue',
      rule: /AwsSolutions-SQS3/,
      add: (stack) => new Queue(stack, 'Unsafe'),
    },
    {
      what: 'a queue without TLS',
      rule: /AwsSolutions-SQS4/,
      add: (stack) => new Queue(stack, 'Unsafe'),
    },
    {
      what: 'a bucket without TLS',
      rule: /AwsSolutions-S10/,
      add: (stack) => new Bucket(stack, 'Unsafe'),
    },
    {
      what: 'a table without recovery',
      rule: /AwsSolutions-DDB3/,
      add: (stack) => new Table(stack, 'Unsafe', { partitionKey: { name: 'pk', type: AttributeType.STRING } }),
    },
    {
      what: 'a role with a policy of AWS',
      rule: /AwsSolutions-IAM4/,
      add: (stack) =>
        role(stack).addManagedPolicy(
          ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaBasicExecutionRole'),
        ),
    },
    {
      what: 'a wildcard in an action',
      rule: /AwsSolutions-IAM5\[Action::s3:\*\]/,
      add: (stack) =>
        role(stack).addToPolicy(new PolicyStatement({ actions: ['s3:*'], resources: ['arn:aws:s3:::bucket'] })),
    },
    {
      what: 'what CloudFormation would refuse',
      rule: /CloudFormation Validate/,
      add: (stack) =>
        new CfnResource(stack, 'Unsafe', { type: 'AWS::Lambda::Function', properties: { MemorySize: 64 } }),
    },
  ])('finds $what', ({ add, rule }) => {
    const silence = vi.spyOn(console, 'error').mockReturnValue();
    expect(problemsOf(add)).toMatch(rule);
    silence.mockRestore();
  });

  test("has CDK's own rules on, as errors", () => {
    expect(FEATURE_FLAGS).toMatchObject({ '@aws-cdk/core:validateAgainstDefaultRules': true });
  });
});
