import { expect, test } from 'vitest';
import { renderRolePolicy, TRUST } from '../../../../lib/apps/runtime/role-policy.ts';

test('an app may write its own log and read its own secrets, and nothing of another app or stage', () => {
  const place = { stage: 'dev', partition: 'aws-cn', region: 'cn-north-1', account: '123456789012' };
  const parameters = 'arn:aws-cn:ssm:cn-north-1:123456789012:parameter/roundhouse/dev/shop';
  expect(renderRolePolicy(place, 'shop').Statement).toEqual([
    {
      Sid: 'Log',
      Effect: 'Allow',
      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      // With the colon: without it `shop*` would be every app whose name begins so.
      Resource: 'arn:aws-cn:logs:cn-north-1:123456789012:log-group:/roundhouse/dev/shop:*',
    },
    { Sid: 'Secrets', Effect: 'Allow', Action: 'ssm:GetParametersByPath', Resource: [parameters, `${parameters}/*`] },
    {
      Sid: 'DecryptSecrets',
      Effect: 'Allow',
      Action: 'kms:Decrypt',
      Resource: 'arn:aws-cn:kms:cn-north-1:123456789012:key/*',
      Condition: {
        StringEquals: { 'kms:ViaService': 'ssm.cn-north-1.amazonaws.com' },
        StringLike: { 'kms:EncryptionContext:PARAMETER_ARN': `${parameters}/*` },
      },
    },
  ]);
});

test('only Lambda takes the role of an app', () => {
  expect(TRUST.Statement).toEqual([
    { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
  ]);
});
