import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ParseContext } from '../../../lib/apps/spec/parse-app.ts';
import type { AppService } from '../../../lib/apps/types.ts';
import { announce } from '../../../lib/configs/changes.ts';
import { createEndpointService } from '../../../lib/configs/endpoints.ts';
import { createIdempotencyStore } from '../../../lib/configs/idempotency.ts';
import { createRegistries } from '../../../lib/configs/registries.ts';
import { createConfigService } from '../../../lib/configs/service.ts';
import { checkAnswer, renderReview } from '../../../lib/deployment/review.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import { type FunctionUrlServer, startFunctionUrlServer } from '../../../lib/dev/function-url-server.ts';
import { createAccess } from '../../../lib/http/access.ts';
import { createApiHandler } from '../../../lib/http/api.ts';
import { fixedTokens } from '../../../lib/http/auth.ts';
import { createConvertHandler } from '../../../lib/http/convert.ts';
import { createDynamoStore, type DynamoStore } from '../../../lib/store/dynamo.ts';
import { headKey } from '../../../lib/store/keys.ts';
import { parseBrand } from '../../../lib/system/brand.ts';
import type { SystemService } from '../../../lib/system/service.ts';
import type { RegistryRecord } from '../../../lib/telemetry/metrics.ts';
import { send } from '../../support/http-client.ts';
import { CONFIG, KETTLES, kettleReview, SCHEMA, TARGET } from '../../support/kettles.ts';
import { createMemoryLog } from '../../support/memory-log.ts';

let database: EmbeddedDatabase;
let store: DynamoStore;
let token: string;
let now: number;
let ids = 0;
const servers: FunctionUrlServer[] = [];
const clock = { now: () => now };
const deps = () => ({ store, clock, ids: () => `id-${++ids}` });

beforeEach(async () => {
  now = 1_800_000_000_000;
  database = await startEmbeddedDatabase();
  store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
  const endpoint = { apiVersion: 'terasky.com/v1alpha1', kind: 'ConversionWebhookServer', metadata: { name: 'eu' } };
  const made = await createEndpointService(deps()).put('eu', { ...endpoint, spec: { default: true } });
  token = made.token ?? '';
  await createConfigService(deps()).put(TARGET, { config: CONFIG, schema: SCHEMA } as never);
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  store.close();
  await database.close().catch(() => {});
});

/** One instance of both functions, with a memory of its own. */
async function startInstance() {
  const log = createMemoryLog();
  const loads: RegistryRecord[] = [];
  const registries = createRegistries({ store, clock });
  const convert = createConvertHandler({
    registries,
    log,
    development: false,
    deadlineMs: 10_000,
    now: () => performance.now(),
    newId: () => 'ref-1',
    telemetry: { review: () => {}, registry: (record) => loads.push(record) },
  });
  const sha256 = createHash('sha256').update('t').digest('hex');
  const api = createApiHandler({
    ...createAccess({
      store,
      clock,
      log,
      ids: randomUUID,
      random: (bytes) => randomBytes(bytes),
      knownTokens: fixedTokens([{ id: 't', sha256, abilities: ['root'] }]),
      rpm: { read: 0, write: 0 },
    }),
    configs: createConfigService(deps()),
    endpoints: createEndpointService(deps()),
    idempotency: createIdempotencyStore(deps()),
    registries,
    log,
    apps: {} as AppService,
    system: {} as SystemService,
    appContext: {} as ParseContext,
    telemetry: { rateLimited: () => {} },
    checkReady: async () => void (await store.get(headKey(TARGET))),
    convertUrl: 'https://convert.example.com',
    brand: parseBrand('name: Roundhouse\nbinary_name: roundhouse\n', 'brand.yaml'),
    version: '1.0.0',
    newId: () => 'ref-1',
  });
  const route = (path: string) => (path.startsWith('/convert/') ? convert : api);
  const server = await startFunctionUrlServer({ port: 0, route });
  servers.push(server);
  return {
    log,
    loads,
    registries,
    convert: (to = 'v2') =>
      send(`${server.url}/convert/eu/${token}/${TARGET}`, { body: JSON.stringify(kettleReview([KETTLES.v1], to)) }),
    selfTest: () => send(`${server.url}/convert/self-test`, { body: renderReview('u-1') }),
    get: (path: string) => send(server.url + path, { method: 'GET', headers: { authorization: 'Bearer t' } }),
  };
}

const converted = { status: 200, json: { response: { convertedObjects: [KETTLES.v2] } } };

test.each([
  ['at once', 0],
  ['when a look beside the conversion is due', 10_000],
  ['when a look before the conversion is due', 70_000],
  ['after a day', 86_400_000],
])('a warm instance answers with the database stopped, %s', async (_name, later) => {
  const instance = await startInstance();
  expect(await instance.convert()).toMatchObject(converted);
  expect(await instance.get('/api/v1/registry')).toMatchObject({ status: 200 });
  await database.close();
  now += later;
  expect(await instance.convert()).toMatchObject(converted);
  expect(await instance.convert('v9')).toMatchObject({ json: { response: { result: { status: 'Failure' } } } });
  expect(await instance.get('/readyz')).toMatchObject({ status: 503, json: { code: 'UNAVAILABLE' } });
  expect((await instance.get('/api/v1/registry')).json.items).toMatchObject([{ target: TARGET, ready: true }]);
});

test('an instance that could never load a plan asks to be called again', async () => {
  await database.close();
  const reply = await (await startInstance()).convert();
  expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, json: { kind: 'Status', code: 503 } });
});

test('a cold instance fails its self-test while the database is stopped, and logs why', async () => {
  await database.close();
  const instance = await startInstance();
  const reply = await instance.selfTest();
  expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, json: { kind: 'Status', code: 503 } });
  expect(reply.json.message).toMatch(/^no plan could be loaded yet, reference /);
  const reason = expect.stringMatching(/^The database cannot be used now \(\w+\)/);
  const fields = { path: '/convert/self-test', reason };
  expect(instance.log.lines).toMatchObject([{ message: 'review not answered', fields }]);
});

test('a warm instance passes its self-test with the database stopped', async () => {
  const instance = await startInstance();
  await instance.convert();
  await database.close();
  const { status, text } = await instance.selfTest();
  expect(checkAnswer('u-1', { status, body: text })).toBeUndefined();
});

test('a warm call reads nothing from the database', async () => {
  const instance = await startInstance();
  await instance.registries.warm();
  await instance.convert();
  let reads = 0;
  const counted = ['get', 'getMany', 'query'] as const;
  for (const method of counted) {
    const original = store[method].bind(store) as (...args: unknown[]) => Promise<never>;
    Object.assign(store, {
      [method]: (...args: unknown[]) => {
        reads++;
        return original(...args);
      },
    });
  }
  await instance.convert();
  expect(reads).toBe(0);
  now += 10_000;
  await instance.convert();
  expect(reads).toBe(1);
});

test('a broken revision written straight to the table leaves the last good plan serving, and shows', async () => {
  const instance = await startInstance();
  await instance.convert();
  expect(instance.loads).toMatchObject([{ size: 1, compileErrors: 0 }]);

  const head = (await store.get(headKey(TARGET))) as any;
  const version = head.version + 1;
  await announce(store, clock, 'raw', { kind: 'config', name: TARGET, version });
  const record = { ...head.record, revision: 2, planHash: 'sha256:other', planData: new Uint8Array([1, 2, 3]) };
  await store.put({ ...head, version, activation: 'raw', record });
  now += 70_000;

  expect(await instance.convert()).toMatchObject(converted);
  const [row] = (await instance.get('/api/v1/registry')).json.items;
  expect(row).toMatchObject({ target: TARGET, ready: true, revision: 1, lastError: expect.any(String) });
});

test('a broken revision on an instance without a plan is a Failure with the reason, and is logged once', async () => {
  const head = (await store.get(headKey(TARGET))) as any;
  await store.put({ ...head, record: { ...head.record, planData: new Uint8Array([1, 2, 3]) } });
  const instance = await startInstance();
  for (let attempt = 0; attempt < 3; attempt++) {
    const { json } = await instance.convert();
    expect(json.response.result).toEqual({
      status: 'Failure',
      message: expect.stringMatching(/^the plan of \S+ cannot be loaded: revision 1: .*not whole/),
    });
  }
  expect(instance.log.lines.filter(({ message }) => message === 'plan not loaded')).toMatchObject([
    { level: 'error', fields: { target: TARGET, revision: 1, reason: expect.stringContaining('not whole') } },
  ]);
});

test('a new revision serves from the next look on', async () => {
  const instance = await startInstance();
  await instance.convert();
  const changed = structuredClone(CONFIG) as any;
  changed.spec.spokes[0].rules[1].enumRemap.mapping[0] = { hub: 'M', spoke: 'small' };
  changed.spec.spokes[0].rules[1].enumRemap.mapping[1] = { hub: 'S', spoke: 'medium' };
  await createConfigService(deps()).put(TARGET, { config: changed, schema: SCHEMA } as never);
  now += 70_000;
  const reply = await instance.convert();
  expect(reply.json.response.convertedObjects).toMatchObject([{ spec: { size: 'M' } }]);
});

test('a token that was rotated in works at once, and the one before it for its grace time only', async () => {
  const instance = await startInstance();
  await instance.convert();
  const old = token;
  const rotated = await createEndpointService(deps()).rotate('eu', { graceSeconds: 60 });
  now += 1_000;
  token = rotated.token ?? '';
  expect(await instance.convert()).toMatchObject(converted);
  token = old;
  expect(await instance.convert()).toMatchObject(converted);
  now += 61_000;
  expect(await instance.convert()).toMatchObject({ status: 404 });
});
