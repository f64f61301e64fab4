import { randomUUID } from 'node:crypto';
import { createRegistries } from '../lib/configs/registries.ts';
import { createConvertHandler } from '../lib/http/convert.ts';
import { createDynamoStore } from '../lib/store/dynamo.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { createMetrics } from '../lib/telemetry/metrics.ts';
import { loadConvertConfig } from './config.ts';

const config = loadConvertConfig();
const clock = { now: () => Date.now() };
const store = createDynamoStore({ tableName: config.TABLE_NAME, clock, client: {} });
const registries = createRegistries({ store, clock });

// Init has a full core and is not billed to a waiting apiserver, so plans are loaded here as far as its budget goes.
await registries.warm();

export const handler = createConvertHandler({
  registries,
  development: false,
  deadlineMs: config.CONVERT_DEADLINE_MS,
  now: () => performance.now(),
  newId: randomUUID,
  log: createLog({ service: 'convert', stage: config.STAGE, level: config.LOG_LEVEL }),
  telemetry: createMetrics({
    stage: config.STAGE,
    version: config.AWS_LAMBDA_FUNCTION_VERSION,
    print: (line) => process.stdout.write(`${line}\n`),
  }),
});
