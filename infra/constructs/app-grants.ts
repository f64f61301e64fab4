import { Effect } from 'aws-cdk-lib/aws-iam';
import type { AppBoundary } from './app-boundary.ts';
import type { AppScope } from './app-scope.ts';
import type { Artifacts } from './artifacts.ts';
import { ANY, type Grant } from './grants.ts';
import type { WorkQueue } from './work-queue.ts';

/** What the functions for apps work with. */
export interface AppResources {
  readonly scope: AppScope;
  readonly artifacts: Artifacts;
  readonly work: WorkQueue;
  readonly boundary: AppBoundary;
  /** ARN of the layer version that apps get their secrets through. */
  readonly secretsLayer: string;
}

/** `worker` makes apps, changes and removes them: everything that costs or serves. It never sees the value of a secret. */
export function workerGrants(resources: AppResources): readonly Grant[] {
  return [
    ...functionGrants(resources),
    ...roleGrants(resources),
    ...codeGrants(resources),
    ...leftoverGrants(resources),
    ...queueGrants(resources),
  ];
}

function functionGrants({ scope, secretsLayer }: AppResources): readonly Grant[] {
  return [
    {
      sid: 'ManageAppFunctions',
      actions: [
        ...['CreateFunction', 'DeleteFunction', 'GetFunction', 'InvokeFunction', 'TagResource'],
        ...['UpdateFunctionCode', 'UpdateFunctionConfiguration', 'PublishVersion', 'ListVersionsByFunction'],
        ...['GetAlias', 'CreateAlias', 'UpdateAlias', 'PutFunctionConcurrency', 'DeleteFunctionConcurrency'],
        ...['GetFunctionUrlConfig', 'CreateFunctionUrlConfig', 'UpdateFunctionUrlConfig'],
        ...['GetPolicy', 'AddPermission', 'RemovePermission'],
      ].map((action) => `lambda:${action}`),
      resources: [scope.functions],
    },
    { sid: 'ListFunctions', actions: ['lambda:ListFunctions', 'lambda:GetAccountSettings'], resources: [ANY] },
    { sid: 'AttachSecretsLayer', actions: ['lambda:GetLayerVersion'], resources: [secretsLayer] },
  ];
}

/** There is no way to a role without the boundary: not to make one, not to give one a policy, not to take one's boundary. */
function roleGrants({ scope: { roles, absentRoles }, boundary }: AppResources): readonly Grant[] {
  const bounded = { StringEquals: { 'iam:PermissionsBoundary': boundary.policy.managedPolicyArn } };
  return [
    {
      sid: 'MakeBoundedRoles',
      actions: ['iam:CreateRole', 'iam:PutRolePolicy', 'iam:PutRolePermissionsBoundary'],
      resources: [roles],
      conditions: bounded,
    },
    {
      sid: 'ManageAppRoles',
      actions: ['iam:TagRole', 'iam:UpdateAssumeRolePolicy', 'iam:DeleteRolePolicy'],
      resources: [roles],
    },
    {
      sid: 'FindAndRemoveAppRoles',
      actions: ['iam:GetRole', 'iam:GetRolePolicy', 'iam:ListRolePolicies', 'iam:DeleteRole'],
      resources: [roles, absentRoles],
    },
    {
      sid: 'PassAppRoles',
      actions: ['iam:PassRole'],
      resources: [roles],
      conditions: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
    },
  ];
}

/** Lambda reads code with the permissions of who creates or updates the function. */
function codeGrants({ artifacts: { bucket, packages }, scope }: AppResources): readonly Grant[] {
  return [
    {
      sid: 'UsePackages',
      actions: ['s3:GetObject', 's3:GetObjectVersion', 's3:DeleteObjectVersion'],
      resources: [packages],
    },
    {
      // Without the right to list, S3 says 403 of what is not there, in place of 404.
      sid: 'ListPackages',
      actions: ['s3:ListBucket', 's3:ListBucketVersions'],
      resources: [bucket.bucketArn],
    },
    {
      // Lambda pulls an image by the repository's own policy. It would write that by itself, if `worker` were allowed to; but
      // then `worker` could let anybody in. So its owner does it, once (docs/deploy.md).
      sid: 'ReadTaggedImages',
      actions: ['ecr:BatchGetImage', 'ecr:DescribeImages', 'ecr:GetDownloadUrlForLayer'],
      resources: [scope.repositories],
      conditions: scope.taggedForStage,
    },
  ];
}

/** Logs and secrets, which are removed with their app. */
function leftoverGrants({ scope }: AppResources): readonly Grant[] {
  return [
    {
      sid: 'ManageAppLogs',
      actions: ['CreateLogGroup', 'DeleteLogGroup', 'PutRetentionPolicy', 'TagResource'].map((name) => `logs:${name}`),
      resources: [scope.logGroups],
    },
    {
      sid: 'RemoveSecrets',
      actions: ['ssm:GetParametersByPath', 'ssm:DeleteParameters'],
      resources: [scope.parameters],
    },
    neverDecryptSecrets(scope),
  ];
}

/**
 * Everybody who may read a SecureString may have it decrypted, because the key of SSM lets all of the account. Here the
 * names are wanted, never the values.
 */
function neverDecryptSecrets(scope: AppScope): Grant {
  return {
    sid: 'NeverDecryptSecrets',
    effect: Effect.DENY,
    actions: ['kms:Decrypt'],
    resources: ['*'],
    conditions: { StringEquals: { 'kms:ViaService': `ssm.${scope.region}.amazonaws.com` } },
  };
}

function queueGrants({ work: { queue, dead } }: AppResources): readonly Grant[] {
  return [
    { sid: 'SendWork', actions: ['sqs:SendMessage'], resources: [queue.queueArn] },
    {
      sid: 'TakeWork',
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      resources: [queue.queueArn, dead.queueArn],
    },
  ];
}

/**
 * `reconcile` looks, and sends what it finds to `worker`. By itself it puts two things back, which need no new code: the
 * alias, and the reserved concurrency.
 */
export function reconcileGrants({ scope, work }: AppResources): readonly Grant[] {
  const repairs = ['CreateAlias', 'UpdateAlias', 'PutFunctionConcurrency', 'DeleteFunctionConcurrency'];
  return [
    {
      sid: 'RepairAppFunctions',
      actions: ['GetFunction', 'GetAlias', ...repairs].map((action) => `lambda:${action}`),
      resources: [scope.functions],
    },
    { sid: 'ListFunctions', actions: ['lambda:ListFunctions'], resources: [ANY] },
    { sid: 'SendWork', actions: ['sqs:SendMessage'], resources: [work.queue.queueArn] },
  ];
}

/** `api` takes orders, and shows what there is. What it can change is packages and secrets, and of those it reads no value. */
export function apiGrants({ scope, work, artifacts: { bucket, packages } }: AppResources): readonly Grant[] {
  return [
    { sid: 'SendWork', actions: ['sqs:SendMessage'], resources: [work.queue.queueArn] },
    {
      // Who has a presigned URL acts with the permissions of who signed it.
      sid: 'UploadPackages',
      actions: ['s3:PutObject', 's3:GetObject', 's3:GetObjectVersion'],
      resources: [packages],
    },
    { sid: 'ListPackages', actions: ['s3:ListBucket'], resources: [bucket.bucketArn] },
    {
      sid: 'LookAtTaggedImages',
      actions: ['ecr:DescribeImages'],
      resources: [scope.repositories],
      conditions: scope.taggedForStage,
    },
    { sid: 'WriteSecrets', actions: ['ssm:PutParameter', 'ssm:DeleteParameters'], resources: [scope.parameters] },
    neverDecryptSecrets(scope),
    { sid: 'ReadAppLogs', actions: ['logs:FilterLogEvents'], resources: [scope.logGroups] },
    {
      sid: 'ReadAppFunctions',
      actions: ['GetFunction', 'GetFunctionUrlConfig', 'GetPolicy'].map((action) => `lambda:${action}`),
      resources: [scope.functions],
    },
    {
      sid: 'ReadAccount',
      actions: ['lambda:GetAccountSettings', 'cloudwatch:GetMetricData', 'acm:ListCertificates'],
      resources: [ANY],
    },
  ];
}
