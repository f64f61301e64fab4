import { randomUUID } from 'node:crypto';
import { createReconcileHandler } from '../lib/apps/reconcile/handler.ts';
import { createLambdaRuntime } from '../lib/apps/runtime/lambda.ts';
import { createWorkQueue } from '../lib/apps/services/work-queue.ts';
import { createDynamoStore } from '../lib/store/dynamo.ts';
import { createReconcileMetrics } from '../lib/telemetry/app-metrics.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { loadReconcileConfig } from './config.ts';

const config = loadReconcileConfig();
const { STAGE: stage } = config;
const clock = { now: () => Date.now() };

export const handler = createReconcileHandler({
  store: createDynamoStore({ tableName: config.TABLE_NAME, client: {}, clock }),
  ...{ clock, ids: randomUUID, random: Math.random },
  runtime: createLambdaRuntime({ stage, client: {}, artifactBucket: config.ARTIFACT_BUCKET }),
  queue: createWorkQueue({ queueUrl: config.QUEUE_URL, client: {} }),
  log: createLog({ service: 'reconcile', stage, level: config.LOG_LEVEL }),
  telemetry: createReconcileMetrics({ stage, print: (line) => process.stdout.write(`${line}\n`) }),
});
