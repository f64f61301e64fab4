import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { API_ACCESS } from '../../lib/store/access.ts';
import type { Settings } from '../settings.ts';
import { type AppResources, apiGrants } from './app-grants.ts';
import { Deployment } from './deployment.ts';
import { type FunctionDefaults, ServiceFunction } from './service-function.ts';
import type { ConfigTable } from './table.ts';

interface ApiProps {
  readonly table: ConfigTable;
  readonly convertUrl: string;
  readonly apps: AppResources;
}

/** The function that people and CI talk to, with its URL and the first token. */
export class Api extends Construct {
  readonly service: ServiceFunction;
  readonly url: string;
  readonly rootToken: Secret;

  constructor(scope: Construct, id: string, defaults: FunctionDefaults, settings: Settings, props: ApiProps) {
    super(scope, id);
    this.rootToken = new Secret(this, 'RootToken', {
      description: `First bearer token of the Roundhouse API, stage ${defaults.stage}`,
      generateSecretString: { passwordLength: 43, excludePunctuation: true },
    });
    Validations.of(this.rootToken).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SMG4',
      reason: 'Clients hold this token, so only their owner can rotate it: put a new value, it counts within a minute.',
    });
    this.service = new ServiceFunction(this, 'Service', defaults, {
      service: 'api',
      description: 'The HTTP API: configs, endpoints, registry, apps',
      memorySize: 512,
      timeout: Duration.seconds(29),
      environment: {
        TABLE_NAME: props.table.table.tableName,
        ROOT_TOKEN_SECRET_ARN: this.rootToken.secretArn,
        CONVERT_URL: props.convertUrl,
        QUEUE_URL: props.apps.work.queue.queueUrl,
        ARTIFACT_BUCKET: props.apps.artifacts.bucket.bucketName,
        ACCOUNT_ID: Stack.of(this).account,
        APP_API_RATE_LIMIT_READ_RPM: String(settings.apiReadRpm),
        APP_API_RATE_LIMIT_WRITE_RPM: String(settings.apiWriteRpm),
        ALERTS_CONFIGURED: String(settings.alarmEmail !== undefined),
        APP_MAX_RESERVED_CONCURRENCY: String(settings.appMaxReservedConcurrency),
      },
      tracing: settings.apiTracing,
      reservedConcurrency: settings.apiReservedConcurrency,
    });
    this.service.allow('ReadRootToken', ['secretsmanager:GetSecretValue'], [this.rootToken.secretArn]);
    this.service.grant(...apiGrants(props.apps));
    props.table.allow(this.service.role, API_ACCESS);
    const alias = this.service.publish();
    this.url = alias.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url;
    new Deployment(scope, 'ApiDeployment', defaults, {
      check: 'api',
      deployed: this.service,
      alias,
      deploy: settings.deploy,
    });
  }
}
