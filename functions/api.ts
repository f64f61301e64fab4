import { randomUUID } from 'node:crypto';
import { createSecretReader } from '../lib/aws/secrets-manager.ts';
import { createEndpointService } from '../lib/configs/endpoints.ts';
import { createIdempotencyStore } from '../lib/configs/idempotency.ts';
import { createRegistries } from '../lib/configs/registries.ts';
import { createConfigService } from '../lib/configs/service.ts';
import { createApiHandler } from '../lib/http/api.ts';
import { createAuthenticator } from '../lib/http/auth.ts';
import { createRootTokenSource } from '../lib/http/root-token.ts';
import { createDynamoStore } from '../lib/store/dynamo.ts';
import { DEFAULT_ENDPOINT } from '../lib/store/keys.ts';
import { loadBrand } from '../lib/system/brand.ts';
import { createLog } from '../lib/telemetry/log.ts';
import pkg from '../package.json' with { type: 'json' };
import { loadApiConfig, loadBrandOverrides } from './config.ts';

const config = loadApiConfig();
const clock = { now: () => Date.now() };
const store = createDynamoStore({ tableName: config.TABLE_NAME, clock, client: {} });
const deps = { store, clock, ids: randomUUID };
const log = createLog({ service: 'api', stage: config.STAGE, level: config.LOG_LEVEL });
const readSecret = createSecretReader({ arn: config.ROOT_TOKEN_SECRET_ARN, client: {} });

export const handler = createApiHandler({
  configs: createConfigService(deps),
  endpoints: createEndpointService(deps),
  registries: createRegistries(deps),
  idempotency: createIdempotencyStore(deps),
  authenticate: createAuthenticator({ tokens: createRootTokenSource({ readSecret, clock, log }), now: clock.now }),
  checkReady: async () => void (await store.get(DEFAULT_ENDPOINT)),
  convertUrl: config.CONVERT_URL,
  brand: loadBrand(config.APP_BRAND_FILE, loadBrandOverrides()),
  version: pkg.version,
  log,
  newId: randomUUID,
});
