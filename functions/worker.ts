import { randomUUID } from 'node:crypto';
import { createImages } from '../lib/apps/runtime/images.ts';
import { createLambdaRuntime } from '../lib/apps/runtime/lambda.ts';
import { createLogGroups } from '../lib/apps/runtime/log-groups.ts';
import { createRoles } from '../lib/apps/runtime/roles.ts';
import { createArtifacts } from '../lib/apps/services/artifacts.ts';
import { createProbe } from '../lib/apps/services/probe.ts';
import { createSecretValues } from '../lib/apps/services/secret-values.ts';
import { createWorkQueue } from '../lib/apps/services/work-queue.ts';
import { createWorkHandler } from '../lib/apps/work/handler.ts';
import { createWorker } from '../lib/apps/work/worker.ts';
import { createDynamoStore } from '../lib/store/dynamo.ts';
import { createWorkerMetrics } from '../lib/telemetry/app-metrics.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { loadWorkerConfig } from './config.ts';

const config = loadWorkerConfig();
const { STAGE: stage, AWS_REGION: region, ACCOUNT_ID: account, ARTIFACT_BUCKET: bucket, QUEUE_URL: queueUrl } = config;
const clock = { now: () => Date.now() };
const log = createLog({ service: 'worker', stage, level: config.LOG_LEVEL });
const shared = { stage, region, client: {} };
const worker = createWorker({
  store: createDynamoStore({ tableName: config.TABLE_NAME, client: {}, clock }),
  ...{ clock, ids: randomUUID, log, random: Math.random },
  delay: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  runtime: createLambdaRuntime({ ...shared, artifactBucket: bucket }),
  artifacts: createArtifacts({ bucket, clock, client: {} }),
  images: createImages({ ...shared, account }),
  roles: createRoles({ ...shared, boundaryArn: config.BOUNDARY_ARN }),
  logGroups: createLogGroups({ ...shared, retentionDays: config.LOG_RETENTION_DAYS }),
  secretValues: createSecretValues(shared),
  queue: createWorkQueue({ queueUrl, client: {} }),
  probe: createProbe({ fetch: globalThis.fetch }),
  telemetry: createWorkerMetrics({ stage, print: (line) => process.stdout.write(`${line}\n`) }),
  settings: { stage, secretsLayerArn: config.SECRETS_LAYER_ARN },
});

export const handler = createWorkHandler({ worker, log, queueName: queueUrl.replace(/^.*\//, '') });
