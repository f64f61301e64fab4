import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDevelopmentForTest } from '../../support/development.ts';
import { send } from '../../support/http-client.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');
const CANARY = 'canary-3f9b-do-not-show';

let folder: string;
let url: string;
let log: { readonly lines: readonly unknown[] };
const closers: (() => Promise<void>)[] = [];

const start = async () => {
  const development = await startDevelopmentForTest({ examplesDir: EXAMPLES, dataDir: join(folder, 'data') }, closers);
  url = development.url;
  log = development.log as never;
};
const stop = async () => {
  for (const close of closers.splice(0)) await close();
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-apps-'));
  await start();
});

afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

const everything: string[] = [];

async function call(method: string, path: string, body?: object) {
  const reply = await send(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: 'Bearer dev-root-token', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  everything.push(reply.text);
  return reply;
}

const get = async (path: string) => (await call('GET', path)).json;

/** Looks until it is so; vitest's own limit ends what never is. */
async function until<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function pack(example: string): Promise<Uint8Array> {
  const dir = join(EXAMPLES, 'apps', example);
  const files = await Promise.all((await readdir(dir)).map(async (name) => [name, await readFile(join(dir, name))]));
  return zipSync(Object.fromEntries(files));
}

/** Uploads an example and deploys it; the attempt when it has ended. */
async function deploy(app: string, example: string) {
  const { image, upload } = (await call('POST', `/apps/${app}/artifacts`)).json;
  const put = await send(upload.url, { method: upload.method, headers: upload.headers, body: await pack(example) });
  expect(put.status).toBe(200);
  expect((await call('POST', `/apps/${app}/deploys`, { image })).status).toBe(202);
  return await ended(app);
}

const ended = (app: string) =>
  until(
    () => get(`/apps/${app}/deploys/latest`),
    ({ status }) => status !== 'queued' && status !== 'running',
  );

const ask = async (path = 'hello?name=Ada') => {
  const { url: base } = await get('/apps/hello');
  return await send(`${base}${path}`, { method: 'GET' });
};

describe('the life of an app, really running, from its first deploy to its end', () => {
  test('it is created without code, with the settings of the example', async () => {
    const settings = JSON.parse(await readFile(join(EXAMPLES, 'apps/json-api/app.json'), 'utf8'));
    const created = await call('POST', '/apps', { name: 'hello', image: 'zip:pending', ...settings });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ name: 'hello', state: { name: 'never_deployed' } });
  });

  test('its first deploy makes release 1, which answers at its URL', async () => {
    const attempt = await deploy('hello', 'json-api');
    expect(attempt).toMatchObject({ status: 'succeeded', release: 1 });
    expect((await ask()).json).toEqual({ greeting: 'Hello, Ada!' });
    expect(await get('/apps/hello')).toMatchObject({ state: { name: 'healthy' }, env_dirty: false });
  });

  test('a broken deploy fails with the reason while the first release keeps answering', async () => {
    const attempt = await deploy('hello', 'broken');
    expect(attempt, JSON.stringify(attempt)).toMatchObject({
      status: 'failed',
      failure: { code: 'health_check_failed', log_excerpt: expect.stringContaining('the database cannot be reached') },
    });
    expect((await ask()).json).toEqual({ greeting: 'Hello, Ada!' });
    expect(await get('/deploys/failed')).toMatchObject([{ service_name: 'hello', status: 'failed' }]);
  }, 120_000);

  test('variables wait for a restart, which makes release 2, and a rollback takes them back', async () => {
    await call('PUT', '/apps/hello/env/GREETING', { value: 'Good morning' });
    expect(await get('/apps/hello')).toMatchObject({ env_dirty: true });
    expect((await ask()).json).toEqual({ greeting: 'Hello, Ada!' });
    expect((await call('POST', '/apps/hello/restart')).status).toBe(200);
    expect(await ended('hello')).toMatchObject({ status: 'succeeded', release: 2 });
    expect((await ask()).json).toEqual({ greeting: 'Good morning, Ada!' });
    expect(await get('/deploys/failed')).toEqual([]);
    const attempts = await get('/apps/hello/deploys');
    const first = attempts.find(({ release }: any) => release === 1);
    expect((await call('POST', `/apps/hello/deploys/${first.id}/rollback`)).status).toBe(202);
    expect(await ended('hello')).toMatchObject({ status: 'succeeded', release: 3, source: 'rollback' });
    expect((await ask()).json).toEqual({ greeting: 'Hello, Ada!' });
    expect(await get('/apps/hello')).toMatchObject({ env_dirty: false, env: { GREETING: 'Hello' } });
  });

  test('a secret reaches the app at its next start, and nobody else', async () => {
    expect((await call('PUT', '/apps/hello/secrets/GREETING_SECRET', { value: CANARY })).status).toBe(204);
    expect(await get('/apps/hello/secrets')).toMatchObject([{ key: 'GREETING_SECRET', locked: false }]);
    const { image, upload } = (await call('POST', '/apps/hello/artifacts')).json;
    const source = `export const handler = async ({ rawPath }) =>
      rawPath === '/healthz' ? { statusCode: 200 } : { length: process.env.GREETING_SECRET?.length ?? 0 };`;
    const body = zipSync({ 'index.mjs': new TextEncoder().encode(source) });
    await send(upload.url, { method: 'PUT', headers: upload.headers, body });
    await call('POST', '/apps/hello/deploys', { image });
    expect(await ended('hello')).toMatchObject({ status: 'succeeded', release: 4 });
    expect((await ask('')).json).toEqual({ length: CANARY.length });
  });

  test('stopped it answers 429, and a deploy waits; started again it answers, and the deploy goes on', async () => {
    expect((await call('POST', '/apps/hello/stop')).json).toMatchObject({ suspended: true });
    await until(ask, ({ status }) => status === 429);
    expect((await call('POST', '/apps/hello/restart')).status).toBe(200);
    await until(
      () => get('/apps/hello/deploys/latest'),
      ({ wait_reason }) => wait_reason === 'suspended',
    );
    expect((await ask()).status).toBe(429);
    expect((await call('POST', '/apps/hello/start')).json).toMatchObject({ suspended: false });
    expect(await ended('hello')).toMatchObject({ status: 'succeeded', release: 5 });
    await until(ask, ({ status }) => status === 200);
  });

  test('what it wrote is in its logs, and its calls are in its metrics', async () => {
    const { entries } = await get('/apps/hello/logs?q=greets');
    expect(entries[0]).toMatchObject({ structured: true, fields: { message: 'greets', name: 'Ada' } });
    const { points } = await get('/apps/hello/metrics?metric=invocations');
    expect(points.reduce((sum: number, { value }: any) => sum + value, 0)).toBeGreaterThan(3);
  });

  test('it goes on after everything was started anew on the same data', async () => {
    await stop();
    await start();
    expect(await get('/apps/hello')).toMatchObject({ live: { release: 5 }, state: { name: 'healthy' } });
    expect((await ask('')).json).toEqual({ length: CANARY.length });
  });

  test('deleted it is gone, with its URL, and its name is free', async () => {
    const { url: base } = await get('/apps/hello');
    expect((await call('DELETE', '/apps/hello')).status).toBe(202);
    await until(
      () => call('GET', '/apps/hello'),
      ({ status }) => status === 404,
    );
    await expect(send(base, { method: 'GET' })).rejects.toThrow();
    expect((await call('POST', '/apps', { name: 'hello', image: 'zip:pending' })).status).toBe(201);
    expect(await get('/apps/hello/secrets')).toEqual([]);
    expect(await get('/apps/hello/deploys')).toEqual([]);
  });

  test('the secret was in no answer and no log line', async () => {
    everything.push((await call('GET', '/audit-log?limit=200')).text, JSON.stringify(log.lines));
    expect(everything.length).toBeGreaterThan(40);
    expect(everything.filter((text) => text.includes(CANARY))).toEqual([]);
  });
});
