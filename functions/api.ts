import { randomUUID } from 'node:crypto';
import { createWorkQueue } from '../lib/apps/services/work-queue.ts';
import { createSecretReader } from '../lib/aws/secrets-manager.ts';
import { probeConvert } from '../lib/deployment/synthetic.ts';
import { createApiFunction } from '../lib/http/api-function.ts';
import { createRootTokenSource } from '../lib/http/root-token.ts';
import { createDynamoStore } from '../lib/store/dynamo.ts';
import { loadBrand } from '../lib/system/brand.ts';
import { createApiMetrics } from '../lib/telemetry/app-metrics.ts';
import { createLog } from '../lib/telemetry/log.ts';
import pkg from '../package.json' with { type: 'json' };
import { loadApiConfig, loadBrandOverrides } from './config.ts';

const config = loadApiConfig();
const stage = config.STAGE;
const clock = { now: () => Date.now() };
const log = createLog({ service: 'api', stage, level: config.LOG_LEVEL });
const readSecret = createSecretReader({ arn: config.ROOT_TOKEN_SECRET_ARN, client: {} });

export const handler = createApiFunction({
  config,
  client: {},
  queue: createWorkQueue({ queueUrl: config.QUEUE_URL, client: {} }),
  store: createDynamoStore({ tableName: config.TABLE_NAME, clock, client: {} }),
  knownTokens: createRootTokenSource({ readSecret, clock, log }),
  brand: loadBrand(config.APP_BRAND_FILE, loadBrandOverrides()),
  version: pkg.version,
  probeConvert: () => probeConvert({ convertUrl: config.CONVERT_URL, fetch, newId: randomUUID }),
  fetch,
  clock,
  log,
  telemetry: createApiMetrics({ stage, print: (line) => process.stdout.write(`${line}\n`) }),
});
