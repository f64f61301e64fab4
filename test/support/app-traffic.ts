import { createHash } from 'node:crypto';
import { createRateLimiter } from '../../lib/access/rate-limit.ts';
import { createReconcileHandler } from '../../lib/apps/reconcile/handler.ts';
import { loadApps } from '../../lib/apps/records.ts';
import { createAppService } from '../../lib/apps/service.ts';
import { createAccess } from '../../lib/http/access.ts';
import { fixedTokens } from '../../lib/http/auth.ts';
import type { Store } from '../../lib/store/ports.ts';
import { createSystemService } from '../../lib/system/service.ts';
import { APP_CONTEXT } from './api-client.ts';
import { createMemoryLog } from './memory-log.ts';
import type { Send } from './table-traffic.ts';
import type { TestClock } from './test-clock.ts';
import { createBelongings, createFakePorts, createJumpClock, createWorkBench } from './work-bench.ts';

const MINUTE_MS = 60_000;

/** The services of `api` for apps and for who may come in, on this store. Every package was uploaded, every image is there. */
export function servicesOfApps(store: Store, clock: TestClock) {
  let count = 0;
  const ids = () => `id-${++count}`;
  const random = (bytes: number) => new Uint8Array(bytes).fill(++count % 256);
  const ports = createFakePorts(createBelongings(), []);
  const apps = createAppService({
    ...{ store, clock, ids, random },
    ...ports,
    artifacts: {
      ...ports.artifacts,
      find: async (_app, id) => ({ versionId: `v-${id}`, bytes: 1 }),
      exists: async () => true,
    },
    logs: { read: async () => ({ entries: [] }) },
    metrics: { read: async () => [] },
    runtime: { findVersion: async () => undefined },
    ...APP_CONTEXT,
  });
  const access = createAccess({
    ...{ store, clock, ids, random },
    log: createMemoryLog(),
    knownTokens: fixedTokens([
      { id: 'root', sha256: createHash('sha256').update('root').digest('hex'), abilities: ['root'] },
    ]),
    rpm: { read: 1_000, write: 1_000 },
  });
  return { ...access, apps, appContext: APP_CONTEXT, system: createSystem(store, clock) };
}

/** Every route of apps; `writer` is what `worker` writes the same table with. */
export async function driveAppRoutes(send: Send, writer: Store, clock: TestClock): Promise<void> {
  const at = (status: number, route: string, more: any = {}) =>
    send(route, status, { ...more, path: { name: 'shop', key: 'A_KEY', ...more.path } });
  const app = (method: string, status: number, path = '', more = {}) =>
    at(status, `${method} /api/v1/apps/{name}${path}`, more);
  const { worker, belongings } = createWorkBench({ store: writer, clock: { ...createJumpClock(), now: clock.now } });
  const deploy = async () => {
    const { id } = await app('POST', 201, '/artifacts');
    belongings.artifacts.set(`shop/${id}`, { versionId: `v-${id}`, bytes: 1 });
    return await app('POST', 202, '/deploys', { body: { image: `artifact:${id}` } });
  };
  const finish = async () => {
    if ((await worker.work('shop', MINUTE_MS)) !== 'done') throw new Error('the worker did not come to an end');
    const [attempt] = await app('GET', 200, '/deploys');
    return attempt.id ?? attempt.deploy_id;
  };

  const body = { name: 'shop', image: 'shop:pending', domains: ['shop.example.org'] };
  await at(201, 'POST /api/v1/apps', { body });
  await at(409, 'POST /api/v1/apps', { body: { ...body, name: 'other' } });
  for (const route of ['/apps', '/apps-summary', '/domains']) await at(200, `GET /api/v1${route}`);
  await app('GET', 200);
  await app('PUT', 200, '', { body: { image: 'shop:pending', domains: ['www.example.org'] } });
  await app('GET', 200, '/domains/{domain}/check', { path: { domain: 'www.example.org' } });
  await app('PATCH', 200, '/env', { body: { A_KEY: 'a' } });
  await app('PUT', 200, '/env/{key}', { body: { value: 'b' } });
  await app('DELETE', 204, '/env/{key}');
  await app('PUT', 204, '/secrets/{key}', { body: { value: 'secret' } });
  await app('POST', 204, '/secrets/{key}/lock', { body: { locked: false } });
  for (const path of ['/env', '/secrets', '/conditions', '/logs']) await app('GET', 200, path);
  await app('GET', 200, '/metrics', { query: '?metric=invocations' });
  await app('DELETE', 204, '/secrets/{key}');

  await deploy();
  const deployId = await finish();
  await deploy();
  await app('POST', 200, '/deploys/{deployId}/cancel', { path: { deployId: 'latest' } });
  await app('POST', 202, '/deploys/{deployId}/rollback', { path: { deployId } });
  await finish();
  await app('GET', 200, '/deploy-attempts');
  await app('GET', 200, '/deploys/{deployId}', { path: { deployId } });
  for (const action of ['stop', 'start', 'restart']) await app('POST', 200, `/${action}`);
  await at(200, 'GET /api/v1/deploys/failed');
  await app('DELETE', 202);
  await at(201, 'POST /api/v1/apps', { body: { name: 'bare', image: 'bare:pending' } });
  await at(204, 'DELETE /api/v1/apps/{name}', { path: { name: 'bare' } });
}

/** Tokens, the limiter and the audit log. */
export async function driveAccessRoutes(send: Send, clock: TestClock): Promise<void> {
  const { token, id } = await send('POST /api/v1/auth/tokens', 201, { body: { name: 'ci', abilities: ['read'] } });
  await send('GET /api/v1/apps', 200, { token });
  await clock.advance(2 * MINUTE_MS);
  await send('GET /api/v1/apps', 200, { token });
  await send('GET /api/v1/auth/tokens', 200);
  await send('DELETE /api/v1/auth/tokens/{id}', 204, { path: { id } });
  await send('GET /api/v1/audit-log', 200);
}

/** The limiter at its edge, the cached status, and the doctor. */
export async function driveSystem(send: Send, store: Store, clock: TestClock): Promise<void> {
  const limiter = createRateLimiter({ store, clock, rpm: { read: 1, write: 1 } });
  const taken = [await limiter.take('read', 'token:busy'), await limiter.take('read', 'token:busy')];
  if (taken[0] !== undefined || taken[1] === undefined) throw new Error('the limiter let two requests of one through');
  for (const route of ['system/status', 'system/doctor', 'certificates']) await send(`GET /api/v1/${route}`, 200);
}

function createSystem(store: Store, clock: TestClock) {
  const account = { codeBytes: 1, codeBytesLimit: 2, functions: 3, concurrency: 1_000, unreservedConcurrency: 900 };
  const dns = async () => [];
  return createSystemService({
    ...{ store, clock, ids: () => 'id-1', delay: () => new Promise<void>(() => {}) },
    runtime: { findUrl: async () => undefined, account: async () => account },
    certificates: { list: async () => [] },
    loadApps: () => loadApps({ store }),
    claimedDomains: async () => [],
    probeConvert: async () => undefined,
    serverTime: async () => clock.now(),
    countTokens: async () => 1,
    dns: { resolve4: dns, resolve6: dns, resolveCname: dns },
    checkDatabase: async () => {},
    publicHost: undefined,
    certificateWarningMs: MINUTE_MS,
    configured: { secrets_configured: true, telemetry_configured: true, alerts_configured: true },
  });
}

/** Makes `worker` do everything that it does with its store, on apps that others have made with `writer`. */
export async function driveWorker(store: Store, writer: Store): Promise<void> {
  const clock = createJumpClock();
  const others = createWorkBench({ store: writer, clock });
  const { worker, belongings, runtime } = createWorkBench({ store, clock });
  const finish = async (name = 'shop') => {
    const outcome = await worker.work(name, MINUTE_MS);
    if (outcome !== 'done') throw new Error(`the worker left ${name}: ${outcome}`);
  };
  const deploy = async (number: number) => {
    const artifact = `a${number}`;
    belongings.artifacts.set(`shop/${artifact}`, { versionId: `v-${artifact}`, bytes: 1 });
    await others.request({ image: `artifact:${artifact}` });
  };
  await others.create('shop');
  // More than are kept, so that the oldest attempts go.
  for (let number = 1; number <= 60; number += 1) {
    await deploy(number);
    await finish();
  }
  await others.stop();
  await finish();
  await others.start();
  await finish();
  await deploy(61);
  await others.cancel();
  await finish();
  await deploy(62);
  await worker.lose('shop', MINUTE_MS);
  await writer.put({ pk: 'DOMAINS', sk: 'shop.example.org', app: 'shop', appId: 'app_shop', at: 0, claimId: 'c1' });
  await others.remove();
  await finish();
  if (runtime.functions.size > 0) throw new Error('the app is still there');
}

/** Makes `reconcile` run both passes over apps that are due, that are gone, and that somebody has changed. */
export async function driveReconcile(store: Store, writer: Store): Promise<void> {
  const clock = createJumpClock();
  const others = createWorkBench({ store: writer, clock });
  const { telemetry: _, ...deps } = createWorkBench({ store, clock, runtime: others.runtime }).deps;
  const run = createReconcileHandler(deps);
  const context = { getRemainingTimeInMillis: () => MINUTE_MS };
  for (const name of ['changed', 'gone']) {
    await others.create(name);
    others.belongings.artifacts.set(`${name}/a1`, { versionId: 'v1', bytes: 1 });
    await others.request({}, name);
    if ((await others.worker.work(name, MINUTE_MS)) !== 'done') throw new Error(`${name} is not deployed`);
  }
  await others.runtime.setConcurrency('changed', 7);
  await others.runtime.remove('gone');
  await others.create('due');
  await others.request({}, 'due');
  clock.jump(10 * MINUTE_MS);
  await run({ pass: 'fast' }, context);
  await run({ pass: 'drift' }, context);
  const { attempt } = await others.app('gone');
  if (attempt?.source !== 'restart') throw new Error('the drift pass did not see that a function is gone');
}
