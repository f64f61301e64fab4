import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createReport } from '../lib/aws/code-deploy.ts';
import { createInvoke } from '../lib/aws/lambda.ts';
import { createPreTrafficHook } from '../lib/deployment/pre-traffic.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { loadPreTrafficConfig } from './config.ts';

const config = loadPreTrafficConfig();

export const handler = createPreTrafficHook({
  deployed: config.CHECK,
  invoke: createInvoke({ versionArn: config.TARGET_VERSION_ARN, client: {} }),
  report: createReport({ client: {} }),
  delay: (ms) => wait(ms, undefined, { ref: false }),
  clock: { now: () => Date.now() },
  newId: randomUUID,
  log: createLog({ service: 'pre-traffic', stage: config.STAGE, level: config.LOG_LEVEL }),
});
