import { CfnResource, TagManager } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { TTL_ATTRIBUTE, tableDefinition } from '../../lib/store/table.ts';
import { CDK_JSON, EVERYTHING, REGION, type Synthesised, synthesise } from '../support/synthesise.ts';

const standard = synthesise();
const everything = synthesise(EVERYTHING);
const trial = synthesise({ ...EVERYTHING, removalPolicy: 'destroy' });
const VARIANTS = { standard, everything, trial };

const types = ({ resources }: Synthesised) => [...new Set(Object.values(resources).map(({ Type }) => Type))].sort();
describe('the table', () => {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = tableDefinition('any');

  test('is one: on demand, with its sparse index, recovery to a point in time, and a TTL', () => {
    expect(standard.paths('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable')).toEqual(['Table/Table']);
    const { Tags: _, ...properties } = standard.at('Table/Table').Properties;
    expect(properties).toEqual({
      AttributeDefinitions,
      KeySchema,
      GlobalSecondaryIndexes,
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { AttributeName: TTL_ATTRIBUTE, Enabled: true },
      DeletionProtectionEnabled: true,
    });
  });

  test('has a key of this account only where one is asked for', () => {
    expect(standard.paths('AWS::KMS::Key', 'AWS::KMS::Alias')).toEqual([]);
    const { SSESpecification } = everything.at('Table/Table').Properties;
    expect({ ...SSESpecification, KMSMasterKeyId: everything.text(SSESpecification.KMSMasterKeyId) }).toEqual({
      SSEEnabled: true,
      SSEType: 'KMS',
      KMSMasterKeyId: '<Table/Key.Arn>',
    });
  });
});

describe('the root token', () => {
  test('is made by Secrets Manager: 43 letters and digits, 256 bits', () => {
    expect(standard.paths('AWS::SecretsManager::Secret')).toEqual(['Api/RootToken']);
    const { GenerateSecretString, SecretString } = standard.at('Api/RootToken').Properties;
    expect(GenerateSecretString).toEqual({ PasswordLength: 43, ExcludePunctuation: true });
    expect(SecretString).toBeUndefined();
  });

  test.each(Object.entries(VARIANTS))('is nowhere in clear (%s)', (_, stack) => {
    expect(JSON.stringify(stack.template.toJSON())).not.toContain('{{resolve:');
  });
});

describe('outputs', () => {
  const texts = ({ outputs, text }: Synthesised) =>
    Object.fromEntries(Object.entries(outputs).map(([name, { Value }]) => [name, text(Value)]));

  test('are both URLs, the names of the table and of the bucket, and how to read the root token', () => {
    expect(texts(standard)).toEqual({
      ConvertUrl: '<Convert/Service/Function/Aliaslive/FunctionUrl.FunctionUrl>',
      ApiUrl: '<Api/Service/Function/Aliaslive/FunctionUrl.FunctionUrl>',
      TableName: '<Table/Table>',
      ArtifactBucket: '<Apps/Artifacts/Bucket>',
      RootTokenCommand: `aws secretsmanager get-secret-value --region ${REGION} --query SecretString --output text --secret-id <Api/RootToken>`,
    });
  });

  test('are explained', () => {
    for (const { Description } of Object.values(everything.outputs)) expect(Description).toMatch(/^[A-Z].{10,}/);
  });
});

describe('tags for cost', () => {
  /** CloudFormation has no tags for these. */
  const UNTAGGED = [
    'AWS::ApiGatewayV2::ApiMapping',
    'AWS::ApiGatewayV2::Integration',
    'AWS::ApiGatewayV2::Route',
    'AWS::IAM::ManagedPolicy',
    'AWS::IAM::Policy',
    'AWS::Lambda::Alias',
    'AWS::Lambda::EventInvokeConfig',
    'AWS::Lambda::LayerVersion',
    'AWS::Lambda::Permission',
    'AWS::Lambda::Url',
    'AWS::Lambda::Version',
    'AWS::Logs::MetricFilter',
    'AWS::S3::BucketPolicy',
    'AWS::SNS::Subscription',
    'AWS::SNS::TopicPolicy',
    'AWS::SQS::QueuePolicy',
    'AWS::Scheduler::Schedule',
  ];
  const tagsOf = ({ Tags = [] }: any): Record<string, string> =>
    Array.isArray(Tags) ? Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value])) : Tags;

  test('have the stage on everything that can have tags', () => {
    const stack = synthesise({ ...EVERYTHING, stage: 'dev' });
    const untagged = Object.values(stack.resources).filter(
      ({ Properties }) => !('roundhouse:stage' in tagsOf(Properties)),
    );
    expect([...new Set(untagged.map(({ Type }) => Type))].sort()).toEqual(UNTAGGED);
    const values = Object.values(stack.resources).map(({ Properties }) => tagsOf(Properties)['roundhouse:stage']);
    expect(new Set(values)).toEqual(new Set(['dev', undefined]));
  });

  test('are missing only where CDK knows none either', () => {
    for (const construct of everything.stack.node.findAll().filter((node) => CfnResource.isCfnResource(node))) {
      const { cfnResourceType } = construct as CfnResource;
      const canBeTagged = TagManager.isTaggable(construct) || TagManager.isTaggableV2(construct);
      expect({ cfnResourceType, canBeTagged }).toEqual({
        cfnResourceType,
        canBeTagged: !UNTAGGED.includes(cfnResourceType),
      });
    }
  });

  test.each([
    ['Convert/Service', 'convert'],
    ['Api/Service', 'api'],
    ['Worker/Service', 'worker'],
    ['Reconcile/Service', 'reconcile'],
    ['ConvertDeployment/Hook', 'pre-traffic'],
    ['ApiDeployment/Hook', 'pre-traffic'],
    ['Synthetic/Prober', 'synthetic'],
  ])('have the service on %s, its role and its logs', (path, service) => {
    for (const part of ['Function', 'Role', 'Logs']) {
      expect(tagsOf(standard.at(`${path}/${part}`).Properties)).toMatchObject({ 'roundhouse:service': service });
    }
  });
});

describe('what there is', () => {
  const TYPES = [
    'AWS::CloudWatch::Alarm',
    'AWS::CloudWatch::Dashboard',
    'AWS::CodeDeploy::Application',
    'AWS::CodeDeploy::DeploymentGroup',
    'AWS::DynamoDB::Table',
    'AWS::Events::Rule',
    'AWS::IAM::ManagedPolicy',
    'AWS::IAM::Policy',
    'AWS::IAM::Role',
    'AWS::Lambda::Alias',
    'AWS::Lambda::EventInvokeConfig',
    'AWS::Lambda::EventSourceMapping',
    'AWS::Lambda::Function',
    'AWS::Lambda::LayerVersion',
    'AWS::Lambda::Permission',
    'AWS::Lambda::Url',
    'AWS::Lambda::Version',
    'AWS::Logs::LogGroup',
    'AWS::Logs::MetricFilter',
    'AWS::S3::Bucket',
    'AWS::S3::BucketPolicy',
    'AWS::SNS::Topic',
    'AWS::SNS::TopicPolicy',
    'AWS::SQS::Queue',
    'AWS::SQS::QueuePolicy',
    'AWS::Scheduler::Schedule',
    'AWS::Scheduler::ScheduleGroup',
    'AWS::SecretsManager::Secret',
  ];
  const OPTIONAL = [
    'AWS::ApiGatewayV2::Api',
    'AWS::ApiGatewayV2::ApiMapping',
    'AWS::ApiGatewayV2::DomainName',
    'AWS::ApiGatewayV2::Integration',
    'AWS::ApiGatewayV2::Route',
    'AWS::ApiGatewayV2::Stage',
    'AWS::KMS::Key',
    'AWS::SNS::Subscription',
  ];

  test('is what this version uses: no custom resource', () => {
    expect(types(standard)).toEqual(TYPES);
    expect(types(everything)).toEqual([...TYPES, ...OPTIONAL].sort());
    expect(standard.paths('AWS::Lambda::Function')).toHaveLength(7);
    expect(everything.paths('AWS::Lambda::Function')).toHaveLength(7);
    expect(everything.paths('AWS::Events::Rule')).toEqual(['Synthetic/Schedule']);
  });

  test.each(['Custom::', 'AWS::CloudFormation::', 'Fn::ImportValue', 'AWS::CDK::Metadata', '"Export"'])(
    'has no %s',
    (what) => {
      for (const { template } of Object.values(VARIANTS)) expect(JSON.stringify(template.toJSON())).not.toContain(what);
    },
  );

  test('stays free of AWS::CDK::Metadata on the command line', () => {
    expect(CDK_JSON).toMatchObject({ versionReporting: false });
  });
});

describe('two stages in one account', () => {
  /** Names that need not be unique in an account, or that are not given by us. */
  const SHARED = [
    'AWS::ApiGatewayV2::DomainName.DomainName', // a setting
    'AWS::ApiGatewayV2::Stage.StageName', // within the HTTP API
    'AWS::CloudWatch::Alarm.MetricName', // the dimensions tell stages apart
    'AWS::CodeDeploy::DeploymentGroup.DeploymentConfigName', // AWS's
    'AWS::IAM::Policy.PolicyName', // within the role
    'AWS::Lambda::Alias.Name', // within the function
  ];

  function literalNames({ resources }: Synthesised) {
    return Object.entries(resources).flatMap(([path, { Type, Properties }]) =>
      Object.entries<any>(Properties)
        .filter(([name, value]) => /Name$/.test(name) && typeof value === 'string')
        .map(([name, value]) => ({ path, property: `${Type}.${name}`, value })),
    );
  }
  const [alpha, beta] = ['alpha', 'beta'].map((stage) => synthesise({ ...EVERYTHING, stage })) as [
    Synthesised,
    Synthesised,
  ];

  test('have no name in common', () => {
    const taken = new Set(literalNames(alpha).map(({ value }) => value));
    const both = literalNames(beta).filter(({ property, value }) => !SHARED.includes(property) && taken.has(value));
    expect(both).toEqual([]);
    expect(literalNames(alpha).length).toBeGreaterThan(20);
  });

  test('and no exception to that is out of use', () => {
    expect(SHARED.filter((name) => !literalNames(alpha).some(({ property }) => property === name))).toEqual([]);
  });

  test('have stacks of their own', () => {
    expect([alpha.stack.stackName, beta.stack.stackName]).toEqual(['Roundhouse-alpha', 'Roundhouse-beta']);
  });
});
