import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkAnswer, renderReview } from '../../../lib/deployment/review.ts';
import type { DevelopmentOptions } from '../../../lib/dev/development.ts';
import { createRouter } from '../../../lib/http/router.ts';
import { configRoutes } from '../../../lib/http/routes/configs.ts';
import { endpointRoutes } from '../../../lib/http/routes/endpoints.ts';
import { registryRoutes } from '../../../lib/http/routes/registry.ts';
import { SELF_TEST_PATH } from '../../../lib/http/self-test-definition.ts';
import { startDevelopmentForTest } from '../../support/development.ts';
import { send } from '../../support/http-client.ts';
import { CONFIG, KETTLES, kettleReview, SCHEMA, TARGET, writeExample } from '../../support/kettles.ts';

const run = promisify(execFile);
const AUTH = { authorization: 'Bearer dev-root-token' };
let folder: string;
let examplesDir: string;
const closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-'));
  examplesDir = join(folder, 'examples');
  await writeExample(examplesDir);
});

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await rm(folder, { recursive: true, force: true });
});

function start(options: Partial<DevelopmentOptions> = {}) {
  return startDevelopmentForTest({ examplesDir, ...options }, closers);
}

/** The printed lines that begin with curl, each run by sh as a person would paste it. */
async function runPrinted(printed: string): Promise<any[]> {
  const commands = printed.split('\n').filter((line) => line.startsWith('curl '));
  return await Promise.all(commands.map(async (line) => JSON.parse((await run('sh', ['-c', line])).stdout)));
}

test('the printed commands work as they are pasted', async () => {
  const { printed, url } = await start();
  expect(printed).toContain(`Roundhouse runs at ${url}`);
  expect(printed).toContain('Bearer token: dev-root-token');
  const [review, configs] = await runPrinted(printed);
  expect(review.response).toMatchObject({ result: { status: 'Success' }, convertedObjects: [KETTLES.v2] });
  expect(configs.items).toMatchObject([{ target: TARGET, revision: 1 }]);
});

test('the printed URL with a path token converts, and is printed only when the token was made', async () => {
  const dataDir = join(folder, 'data');
  const { printed } = await start({ dataDir });
  const secret = /As in production, with a path token: (http\S+\/convert\/default\/[\w-]{32}\/\S+)\n/.exec(
    printed,
  )?.[1];
  expect(secret).toMatch(new RegExp(`/${TARGET}$`));
  const reply = await send(`${secret}`, { body: JSON.stringify(kettleReview([KETTLES.v1], 'v2')) });
  expect(reply.json.response.convertedObjects).toEqual([KETTLES.v2]);
  await closers.pop()?.();
  expect((await start({ dataDir })).printed).not.toContain('As in production');
});

test('what is changed serves at once: a new config, a changed one, a removed one, and tokens', async () => {
  const { url } = await start();
  const api = (method: string, path: string, body?: unknown) =>
    send(`${url}/api/v1${path}`, { method, headers: AUTH, ...(body ? { body: JSON.stringify(body) } : {}) });
  const convert = async (path: string) => {
    const reply = await send(`${url}/convert/${path}`, { body: JSON.stringify(kettleReview([KETTLES.v1], 'v2')) });
    return reply.json.response?.convertedObjects[0].spec ?? reply.status;
  };
  const server = { apiVersion: 'terasky.com/v1alpha1', kind: 'ConversionWebhookServer', metadata: { name: 'eu' } };

  expect(await convert(TARGET)).toEqual(KETTLES.v2.spec);
  const first = (await api('PUT', '/endpoints/eu', server)).json.token;
  expect(await convert(`eu/${first}/${TARGET}`)).toEqual(KETTLES.v2.spec);

  const changed = structuredClone(CONFIG) as any;
  const mapping = changed.spec.spokes[0].rules[1].enumRemap.mapping;
  [mapping[0].hub, mapping[1].hub] = [mapping[1].hub, mapping[0].hub];
  await api('PUT', `/configs/${TARGET}`, { config: changed, schema: SCHEMA });
  const other = await convert(TARGET);
  expect(other).not.toEqual(KETTLES.v2.spec);
  expect(await convert(`eu/${first}/${TARGET}`)).toEqual(other);
  await api('POST', `/configs/${TARGET}/rollback`, { revision: 1 });
  expect(await convert(TARGET)).toEqual(KETTLES.v2.spec);

  const second = (await api('POST', '/endpoints/eu/rotate', { graceSeconds: 0 })).json.token;
  expect(await convert(`eu/${first}/${TARGET}`)).toBe(404);
  expect(await convert(`eu/${second}/${TARGET}`)).toEqual(KETTLES.v2.spec);
  await api('DELETE', `/configs/${TARGET}?force=true`);
  expect(await convert(TARGET)).toBe(404);
  await api('PUT', `/configs/${TARGET}`, { config: CONFIG, schema: SCHEMA });
  expect(await convert(TARGET)).toEqual(KETTLES.v2.spec);
});

test.each([
  ['v1', 'v2'],
  ['v2', 'v1'],
  ['v1', 'v3'],
  ['v3', 'v1'],
  ['v2', 'v3'],
] as const)('an object goes from %s to %s through real rules', async (from, to) => {
  const { url } = await start();
  const reply = await send(`${url}/convert/${TARGET}`, { body: JSON.stringify(kettleReview([KETTLES[from]], to)) });
  expect(reply.json.response).toEqual({ uid: 'u-1', result: { status: 'Success' }, convertedObjects: [KETTLES[to]] });
});

test('a value that is not mapped is named with object, rule and path', async () => {
  const { url } = await start();
  const object = { ...KETTLES.v1, spec: { ...KETTLES.v1.spec, size: 'XL' } };
  const reply = await send(`${url}/convert/${TARGET}`, { body: JSON.stringify(kettleReview([object], 'v2')) });
  expect(reply.json.response.result.message).toBe(
    `Kettle home/whistler (uid ${KETTLES.v1.metadata.uid}, item 0): v1 -> v2: rule 1 EnumRemap at spec.size: value "XL" is not mapped`,
  );
});

test('the API and a review work together: an endpoint with its token, a new revision, a rollback', async () => {
  const { url } = await start();
  const router = createRouter<any>([...configRoutes, ...endpointRoutes, ...registryRoutes]);
  /** Calls a route, and checks a good answer against what the route says of its answers. */
  const api = async (method: string, path: string, body?: unknown, headers = {}) => {
    const call = { method, headers: { ...AUTH, ...headers }, ...(body ? { body: JSON.stringify(body) } : {}) };
    const reply = await send(`${url}/api/v1${path}`, call);
    const { route } = router.match(method, `api/v1${path}`.split('?')[0]?.split('/') ?? []);
    if (reply.status < 300) expect(route.response.safeParse(reply.json).error?.issues).toBeUndefined();
    return reply;
  };
  const server = {
    apiVersion: 'terasky.com/v1alpha1',
    kind: 'ConversionWebhookServer',
    metadata: { name: 'eu' },
    spec: {},
  };

  const endpoint = await api('PUT', '/endpoints/eu', server, { 'Idempotency-Key': 'k1' });
  expect(endpoint).toMatchObject({ status: 201, json: { token: expect.any(String) } });
  const again = await api('PUT', '/endpoints/eu', server, { 'idempotency-key': 'k1' });
  expect(again.json).toEqual(endpoint.json);
  expect(again.headers['idempotency-replayed']).toBe('true');
  const other = await api('PUT', '/endpoints/eu', { ...server, spec: { replicas: 3 } }, { 'idempotency-key': 'k1' });
  expect(other).toMatchObject({ status: 422, json: { code: 'UNPROCESSABLE' } });

  const changed = structuredClone(CONFIG) as any;
  changed.spec.webhookServerRef = { name: 'eu' };
  const { headers } = await api('GET', `/configs/${TARGET}`);
  const stale = await api(
    'PUT',
    `/configs/${TARGET}`,
    { config: changed, schema: SCHEMA },
    { 'if-match': '"nothing"' },
  );
  expect(stale).toMatchObject({ status: 412, json: { code: 'PRECONDITION_FAILED' } });
  const put = await api(
    'PUT',
    `/configs/${TARGET}`,
    { config: changed, schema: SCHEMA },
    { 'if-match': headers['etag'] },
  );
  expect(put).toMatchObject({ status: 200, json: { revision: 2 } });
  expect(put.headers['etag']).not.toBe(headers['etag']);

  const secret = `${url}/convert/eu/${endpoint.json.token}/${TARGET}?timeout=30s`;
  const body = JSON.stringify(kettleReview([KETTLES.v1], 'v2'));
  expect((await send(secret, { body })).json.response.convertedObjects).toEqual([KETTLES.v2]);
  expect((await send(secret.replace(endpoint.json.token, 'x'), { body })).status).toBe(404);

  expect(await api('POST', `/configs/${TARGET}/rollback`, { revision: 1 })).toMatchObject({ status: 200 });
  const revisions = await api('GET', `/configs/${TARGET}/revisions`);
  expect(revisions.headers['x-total-count']).toBe('2');
  const rows = (await api('GET', '/registry')).json.items;
  expect(rows).toMatchObject([{ target: TARGET, ready: true, versions: ['v2', 'v1', 'v3'] }]);
  expect((await api('GET', '/configs?labelSelector=team%3Dkitchen')).json.items).toHaveLength(1);
  expect((await api('GET', '/configs?labelSelector=team%3Dgarden')).json.items).toEqual([]);
  const { json: source } = await api('GET', `/configs/${TARGET}/revisions/1`);
  expect(JSON.parse(source.config)).toEqual(CONFIG);
  const dry = await api('PUT', `/configs/${TARGET}?dryRun=true`, { config: CONFIG, schema: SCHEMA });
  expect(dry).toMatchObject({ status: 200, json: { created: false } });
  const rotated = await api('POST', '/endpoints/eu/rotate', { graceSeconds: 0 });
  expect(rotated.json.token).not.toBe(endpoint.json.token);
  expect((await api('GET', '/endpoints')).json.items.map(({ name }: any) => name)).toEqual(['default', 'eu']);
  expect((await api('GET', '/endpoints/eu')).json).not.toHaveProperty('token');
  const tried = await api('POST', `/configs/${TARGET}/convert`, { object: KETTLES.v2, to: 'v1' });
  expect(tried).toMatchObject({ status: 200, json: { from: 'v2', to: 'v1', object: KETTLES.v1 } });

  expect(await api('DELETE', `/configs/${TARGET}`)).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
  expect(await api('DELETE', `/configs/${TARGET}?force=true`)).toMatchObject({ status: 204, text: '' });
  expect(await api('GET', `/configs/${TARGET}`)).toMatchObject({ status: 404 });
  expect(await api('DELETE', '/endpoints/eu')).toMatchObject({ status: 204 });
});

test('a bad config is answered with all its findings, and nothing changes', async () => {
  const { url } = await start();
  const bad = structuredClone(CONFIG) as any;
  bad.spec.spokes[0].rules[0].fieldRename.hubPath = 'spec.nothing';
  bad.spec.spokes[0].rules.push({ strategy: 'NoSuchStrategy' });
  const headers = AUTH;
  const body = JSON.stringify({ config: bad, schema: SCHEMA });
  const reply = await send(`${url}/api/v1/configs/${TARGET}`, { method: 'PUT', headers, body });
  expect(reply).toMatchObject({ status: 422, json: { code: 'CONFIG_INVALID', error: expect.any(String) } });
  expect(reply.json.diagnostics.length).toBeGreaterThan(0);
  for (const diagnostic of reply.json.diagnostics) expect(diagnostic).toMatchObject({ code: expect.any(String) });
  const view = await send(`${url}/api/v1/configs/${TARGET}`, { method: 'GET', headers });
  expect(view.json.revision).toBe(1);
});

describe('the data folder', () => {
  test('keeps what was changed, and examples that are there stay as they are', async () => {
    const dataDir = join(folder, 'data');
    const first = await start({ dataDir });
    expect(first.printed).toContain(`data in ${dataDir}`);
    const body = JSON.stringify({ config: { ...CONFIG, metadata: { name: 'mine' } }, schema: SCHEMA });
    await send(`${first.url}/api/v1/configs/${TARGET}`, { method: 'PUT', headers: AUTH, body });
    await closers.pop()?.();
    const second = await start({ dataDir });
    const view = await send(`${second.url}/api/v1/configs/${TARGET}`, { method: 'GET', headers: AUTH });
    expect(view.json).toMatchObject({ name: 'mine', revision: 2 });
    expect((await runPrinted(second.printed))[0].response.result.status).toBe('Success');
  });

  test('is not shared by two instances', async () => {
    const dataDir = join(folder, 'data');
    await start({ dataDir });
    await expect(start({ dataDir })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(dataDir),
    });
  });

  test('that cannot be written is refused', async () => {
    const dataDir = join(examplesDir, 'kettles', 'crd.yaml');
    await expect(start({ dataDir })).rejects.toMatchObject({ message: expect.stringContaining(dataDir) });
  });
});

test('a taken port is refused with what to do', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => blocker.once('listening', resolve));
  const { port } = blocker.address() as { port: number };
  await expect(start({ port })).rejects.toThrow(
    `Cannot listen on port ${port}: it is in use. Choose another with --port; --port 0 picks a free one.`,
  );
  blocker.close();
});

test('an example that is not valid stops the start and is named with its findings', async () => {
  await writeExample(examplesDir, { ...CONFIG, spec: { ...CONFIG.spec, hubVersion: 'v9' } });
  await expect(start()).rejects.toThrow(/examples\/kettles: [\s\S]*v9/);
});

test('after closing nothing answers, and the port is free', async () => {
  const { url, close } = await start();
  closers.pop();
  await close();
  await expect(send(`${url}/healthz`, { method: 'GET' })).rejects.toThrow();
  const { url: next } = await start({ port: Number(new URL(url).port) });
  expect(next).toBe(url);
});

test('the self-test gives the recorded answer over HTTP, needs no token and takes only small reviews by POST', async () => {
  const { url } = await start();
  const post = (body: string, type: string) => send(url + SELF_TEST_PATH, { headers: { 'content-type': type }, body });
  for (const type of ['application/json', 'application/octet-stream']) {
    const { status, text } = await post(renderReview(type), type);
    expect(checkAnswer(type, { status, body: text })).toBeUndefined();
  }
  const large = await post('x'.repeat(16_385), 'application/json');
  expect(large).toMatchObject({ status: 413, json: { kind: 'Status', code: 413 } });
  const get = await send(url + SELF_TEST_PATH, { method: 'GET' });
  expect(get).toMatchObject({ status: 405, headers: { allow: 'POST' }, json: { kind: 'Status', code: 405 } });
});

test('a web page that gave this machine a name of its own is refused, whatever it presents', async () => {
  const { url } = await start();
  const ask = (host: string) => send(`${url}/api/v1/configs`, { method: 'GET', headers: { ...AUTH, host } });
  for (const host of ['evil.example', '127.0.0.1.evil.example:8787']) {
    expect(await ask(host), host).toMatchObject({ status: 403 });
  }
  for (const host of ['127.0.0.1:1', 'localhost:8787', 'localhost']) expect((await ask(host)).status, host).toBe(200);
});
