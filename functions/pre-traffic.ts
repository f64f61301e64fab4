import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { CodeDeployClient } from '@aws-sdk/client-codedeploy';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { createInvoke, createReport } from '../lib/deployment/aws.ts';
import { createPreTrafficHook } from '../lib/deployment/pre-traffic.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { loadPreTrafficConfig } from './config.ts';

const config = loadPreTrafficConfig();
const requestHandler = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

export const handler = createPreTrafficHook({
  deployed: config.CHECK,
  // The hook ends an invocation that takes too long.
  invoke: createInvoke(new LambdaClient({}), config.TARGET_VERSION_ARN),
  report: createReport(new CodeDeployClient({ maxAttempts: 5, requestHandler })),
  delay: (ms) => wait(ms, undefined, { ref: false }),
  clock: { now: () => Date.now() },
  newId: randomUUID,
  log: createLog({ service: 'pre-traffic', stage: config.STAGE, level: config.LOG_LEVEL }),
});
