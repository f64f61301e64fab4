import { ArnFormat, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { AppScope } from './app-scope.ts';
import type { Artifacts } from './artifacts.ts';
import { ANY, addGrants, type Grant } from './grants.ts';

interface BoundaryProps {
  readonly scope: AppScope;
  readonly table: Table;
  readonly artifacts: Artifacts;
  readonly removalPolicy: RemovalPolicy;
}

/**
 * The permissions boundary of every role of an app: what one may do at most, whatever its own policies say. `worker` can
 * make roles with it only. An app reads the secrets below the path of its own name, which is a tag of its role.
 *
 * It names nothing that ends before it: where data is kept, it is kept too, because the roles of apps go on having it. Its
 * name is fixed, so that a stage that is deployed again takes it in (`cdk deploy --import-existing-resources`).
 */
export class AppBoundary extends Construct {
  readonly policy: ManagedPolicy;

  constructor(parent: Construct, id: string, props: BoundaryProps) {
    super(parent, id);
    const { stage } = props.scope;
    this.policy = new ManagedPolicy(this, 'Policy', {
      managedPolicyName: `roundhouse-${stage}-app-boundary`,
      description: `What an app of Roundhouse may do at most, stage ${stage}`,
    });
    this.policy.applyRemovalPolicy(props.removalPolicy);
    addGrants(this.policy, [...mayDo(Stack.of(this), props.scope), ...mayNever(Stack.of(this), props)]);
  }
}

/** As IAM fills it in: the name of the app whose role it is. */
const OWN = ['$', '{aws:PrincipalTag/roundhouse:app}'].join('');

function mayDo(stack: Stack, { logGroups, parameters, stage }: AppScope): readonly Grant[] {
  const resource = (service: string, kind: string, resourceName: string, arnFormat?: ArnFormat) =>
    stack.formatArn({ service, resource: kind, resourceName, ...(arnFormat && { arnFormat }) });
  const logs = resource('logs', 'log-group', `/roundhouse/${stage}/${OWN}:*`, ArnFormat.COLON_RESOURCE_NAME);
  const secrets = resource('ssm', 'parameter', `roundhouse/${stage}/${OWN}`);
  return [
    {
      sid: 'WriteOwnLogs',
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [{ arn: logs, why: logGroups.why }],
    },
    {
      sid: 'ReadOwnSecrets',
      actions: ['ssm:GetParameter', 'ssm:GetParameters', 'ssm:GetParametersByPath'],
      resources: [secrets, { arn: `${secrets}/*`, why: parameters.why }],
    },
    {
      sid: 'DecryptOwnSecrets',
      actions: ['kms:Decrypt'],
      resources: [
        {
          arn: resource('kms', 'key', '*'),
          why: 'SSM has a key that AWS made, and nothing tells its id; the condition allows its use through SSM only.',
        },
      ],
      // Lambda decrypts the variables of a function in the name of its role, when the account has a key of its own for them.
      conditions: {
        StringEquals: { 'kms:ViaService': ['ssm', 'lambda'].map((name) => `${name}.${stack.region}.amazonaws.com`) },
      },
    },
    { sid: 'WriteTraces', actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: [ANY] },
  ];
}

/** Beyond what is not allowed above: a denial also wins over what a resource allows by itself. */
function mayNever(stack: Stack, { scope: { stage }, table, artifacts }: BoundaryProps): readonly Grant[] {
  const functions = { service: 'lambda', resource: 'function', resourceName: `${stack.stackName}-*` };
  return [
    {
      sid: 'NeverPermissions',
      effect: Effect.DENY,
      actions: ['iam:*', 'sts:*', 'organizations:*', 'cloudformation:*', 'secretsmanager:*'],
      resources: ['*'],
    },
    {
      sid: 'NeverControlPlane',
      effect: Effect.DENY,
      actions: ['dynamodb:*', 's3:*', 'sqs:*', 'lambda:*'],
      resources: [
        ...[table.tableArn, `${table.tableArn}/*`, artifacts.bucket.bucketArn, artifacts.bucket.arnForObjects('*')],
        stack.formatArn({ service: 'sqs', resource: `roundhouse-${stage}-*` }),
        stack.formatArn({ ...functions, arnFormat: ArnFormat.COLON_RESOURCE_NAME }),
      ],
    },
  ];
}
