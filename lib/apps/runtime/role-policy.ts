import { logGroupName, parameterPath } from './names.ts';

/** Where an app's things are. */
export interface Place {
  readonly stage: string;
  /** `aws`, `aws-cn`, `aws-us-gov`. */
  readonly partition: string;
  readonly region: string;
  readonly account: string;
}

/** Who may take the role: Lambda, and nobody else. */
export const TRUST = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
};

/** What an app may do by itself: write its own log and read its own secrets. The boundary bounds it once more. */
export function renderRolePolicy({ stage, partition, region, account }: Place, app: string) {
  const arn = (service: string, resource: string) => `arn:${partition}:${service}:${region}:${account}:${resource}`;
  const parameters = arn('ssm', `parameter${parameterPath(stage, app)}`);
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'Log',
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: arn('logs', `log-group:${logGroupName(stage, app)}:*`),
      },
      {
        Sid: 'Secrets',
        Effect: 'Allow',
        Action: 'ssm:GetParametersByPath',
        Resource: [parameters, `${parameters}/*`],
      },
      {
        Sid: 'DecryptSecrets',
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Resource: arn('kms', 'key/*'),
        // Through Parameter Store only, and only what is encrypted for a parameter of this app.
        Condition: {
          StringEquals: { 'kms:ViaService': `ssm.${region}.amazonaws.com` },
          StringLike: { 'kms:EncryptionContext:PARAMETER_ARN': `${parameters}/*` },
        },
      },
    ],
  };
}
