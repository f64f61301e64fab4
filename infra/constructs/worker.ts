import { Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { WORKER_ACCESS } from '../../lib/store/access.ts';
import type { Settings } from '../settings.ts';
import { type AppResources, workerGrants } from './app-grants.ts';
import { type FunctionDefaults, ServiceFunction } from './service-function.ts';
import type { ConfigTable } from './table.ts';

interface WorkerProps {
  readonly table: ConfigTable;
  readonly apps: AppResources;
}

/**
 * The function that deploys, stops, starts and removes apps, one message at a time. It takes the dead letters too, and ends
 * their attempts as lost: it knows them by the queue that they come from, `eventSourceARN`.
 *
 * No concurrency is reserved for it: Lambda takes messages from SQS first and finds out then that no instance is free,
 * and five such refusals would make a dead letter of work that nobody has tried. The event source has the limit.
 *
 * A new version goes live at once, without a canary. No caller waits for it, a message that it fails comes again, and two
 * versions that take turns at the steps of one attempt are what a deployment should not bring.
 */
export class Worker extends Construct {
  readonly service: ServiceFunction;

  constructor(scope: Construct, id: string, defaults: FunctionDefaults, settings: Settings, props: WorkerProps) {
    super(scope, id);
    const { table, apps } = props;
    const { work, artifacts, boundary, secretsLayer } = apps;
    this.service = new ServiceFunction(this, 'Service', defaults, {
      service: 'worker',
      description: 'Deploys, stops, starts and removes apps',
      memorySize: 512,
      // It stops by itself when 15 s remain, and sends itself the rest.
      timeout: Duration.seconds(60),
      sendsToItself: true,
      environment: {
        TABLE_NAME: table.table.tableName,
        QUEUE_URL: work.queue.queueUrl,
        ARTIFACT_BUCKET: artifacts.bucket.bucketName,
        BOUNDARY_ARN: boundary.policy.managedPolicyArn,
        SECRETS_LAYER_ARN: secretsLayer,
        LOG_RETENTION_DAYS: String(settings.appLogRetentionDays),
        ACCOUNT_ID: Stack.of(this).account,
      },
    });
    this.service.grant(...workerGrants(apps));
    table.allow(this.service.role, WORKER_ACCESS);
    const maxConcurrency = settings.workerMaxConcurrency;
    for (const [name, { queueArn }] of Object.entries({ Work: work.queue, Dead: work.dead })) {
      this.service.function.addEventSourceMapping(name, { eventSourceArn: queueArn, batchSize: 1, maxConcurrency });
    }
  }
}
