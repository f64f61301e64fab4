import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createApiFunction } from '../../../lib/http/api-function.ts';
import { fixedTokens } from '../../../lib/http/auth.ts';
import { parseBrand } from '../../../lib/system/brand.ts';
import { createMemoryLog } from '../../support/memory-log.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { createTestClock } from '../../support/test-clock.ts';

/** The function as it is deployed, on a memory store. No client of AWS is called: nothing answers at that address. */
function createFunction(change: object = {}) {
  const clock = createTestClock();
  const store = createMemoryStore(clock);
  const limited: string[] = [];
  const sha256 = createHash('sha256').update('root').digest('hex');
  const config = {
    STAGE: 'test',
    CONVERT_URL: 'https://convert.example.com',
    ARTIFACT_BUCKET: 'artifacts',
    ACCOUNT_ID: '123456789012',
    AWS_REGION: 'eu-west-1',
    APP_API_RATE_LIMIT_READ_RPM: 3,
    APP_API_RATE_LIMIT_WRITE_RPM: 2,
    APP_MAX_RESERVED_CONCURRENCY: 500,
    APP_CERT_EXPIRY_WARNING_WINDOW: '336h',
    ALERTS_CONFIGURED: true,
    ...change,
  };
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const handler = createApiFunction({
    config,
    store,
    clock,
    queue: { send: async () => {} },
    client: { region: 'eu-west-1', endpoint: 'http://127.0.0.1:1', credentials },
    knownTokens: fixedTokens([{ id: 'root', sha256, abilities: ['root'] }]),
    brand: parseBrand('name: Roundhouse\nbinary_name: roundhouse\n', 'brand.yaml'),
    version: '1.2.3',
    log: createMemoryLog(),
    probeConvert: async () => undefined,
    fetch: async () => new Response(),
    telemetry: { rateLimited: (tier) => void limited.push(tier) },
  });
  const call = async (method: string, rawPath: string, body?: object, token = 'root') => {
    const answer = await handler({
      rawPath,
      headers: { authorization: `Bearer ${token}` },
      requestContext: { http: { method } },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, json: answer.body === '' ? undefined : JSON.parse(answer.body) };
  };
  return { call, limited, store };
}

test('its parts share one store: a token that it makes may do what it was made for', async () => {
  const { call, store } = createFunction();
  const made = await call('POST', '/api/v1/auth/tokens', { name: 'ci', abilities: ['read', 'write'] });
  expect(made.status).toBe(201);
  const { token } = made.json;
  const app = await call('POST', '/api/v1/apps', { name: 'shop', image: 'shop:pending' }, token);
  expect(app).toMatchObject({ status: 201, json: { name: 'shop' } });
  expect((await call('GET', '/api/v1/apps', undefined, token)).json).toMatchObject([{ name: 'shop' }]);
  expect((await call('GET', '/api/v1/configs', undefined, token)).json).toEqual({ items: [] });
  expect(store.all().filter(({ pk }) => pk.startsWith('AUDIT#'))).toHaveLength(2);
});

test.each([
  ['GET', '/api/v1/apps', 3],
  ['POST', '/api/v1/apps', 2],
])('its limits are those of the environment: %s %s, %i a minute', async (method, path, burst) => {
  const { call, limited } = createFunction();
  for (let times = 0; times < burst; times += 1) expect((await call(method, path)).status).not.toBe(429);
  expect((await call(method, path)).status).toBe(429);
  expect(limited).toHaveLength(1);
});

test('account and Region of the environment decide which images can run', async () => {
  const { call } = createFunction();
  const image = '999999999999.dkr.ecr.eu-west-1.amazonaws.com/shop:1';
  const { status, json } = await call('POST', '/api/v1/apps', { name: 'shop', image });
  expect(status).toBe(201);
  expect(json.warnings).toEqual([expect.stringContaining('123456789012.dkr.ecr.eu-west-1.amazonaws.com')]);
});
