import { createIdempotencyStore } from '../../lib/configs/idempotency.ts';
import { headItem, readHead } from '../../lib/configs/records.ts';
import { createRegistries } from '../../lib/configs/registries.ts';
import type { Registries } from '../../lib/configs/types.ts';
import { changeKey, DEFAULT_ENDPOINT, headKey } from '../../lib/store/keys.ts';
import type { Item, Store } from '../../lib/store/ports.ts';
import { createApiClient } from './api-client.ts';
import { driveAccessRoutes, driveAppRoutes, driveSystem, servicesOfApps } from './app-traffic.ts';
import { createBench } from './config-bench.ts';
import { createTestClock } from './test-clock.ts';
import { webhookServer, widget, widgets } from './widgets.ts';

const TARGET = 'widgets.example.org';
const OTHER = 'gadgets.example.org';

/** Calls a route, and gives the body of its answer. @throws when the status is another one */
export type Send = (route: string, status: number, options?: any) => Promise<any>;

/**
 * Makes `convert` do everything that it does with its store: `reader` is that store, `writer` the database that others
 * change in the meantime.
 */
export async function driveConvert(reader: Store, writer: Store): Promise<void> {
  const clock = createTestClock();
  const bench = createBench(writer, clock);
  const instance = (loadBudgetMs = 1_000): Registries =>
    createRegistries({ store: reader, clock, delay: clock.delay, loadBudgetMs });
  const team = { cacheSelector: { matchLabels: { team: 'a' } } };
  await bench.endpoints.put('all', webhookServer('all', { default: true }));
  const { token = '' } = await bench.endpoints.put('team', webhookServer('team', team));
  for (const target of [TARGET, OTHER]) await bench.configs.put(target, widgets({ target, labels: { team: 'a' } }));

  const registries = instance();
  await registries.ready();
  await registries.warm();
  const review = async (opened = registries, secret = token, target = TARGET): Promise<void> => {
    const registry = await opened.open('team', secret);
    const { entry, settle } = (await registry?.lookup(target, ['v1', 'v2'])) ?? {};
    await settle?.();
    if (entry === undefined) throw new Error(`${target} is not converted`);
  };
  await review();
  await review(instance(0));

  await bench.configs.put(TARGET, widgets({ target: TARGET, labels: { team: 'a' }, spokeField: 'width' }));
  await clock.advance(6_000);
  await review();
  const rotated = await bench.endpoints.rotate('team');
  await clock.advance(6_000);
  await review(registries, rotated.token);
  await clock.advance(600_000);
  await review(registries, rotated.token);

  // An active revision that is broken, and a head that is: an instance without a plan takes an archived revision.
  const head = readHead((await writer.get(headKey(TARGET))) as Item);
  const record = { ...head.record, planData: new Uint8Array([1]) };
  await writer.put(headItem({ ...head, record } as typeof head));
  await writer.put({ ...headKey(OTHER), damaged: true });
  await writer.put({ ...changeKey(clock.now(), 'raw'), kind: 'config', name: OTHER, version: 9, labels: {} });
  const cold = instance();
  for (const target of [TARGET, OTHER]) await review(cold, rotated.token, target);
}

/**
 * Calls every route of `api`, on a store of its own, in the ways that differ in what they do with it. `writer` is the same
 * database for what `worker` does in between.
 */
export async function driveApi(
  store: Store,
  writer: Store,
): Promise<{ readonly called: ReadonlySet<string>; readonly openapi: any }> {
  const clock = createTestClock();
  const { configs, endpoints } = createBench(store, clock);
  const called = new Set<string>();
  const { call } = createApiClient({
    configs,
    endpoints,
    registries: createRegistries({ store, clock, delay: clock.delay }),
    idempotency: createIdempotencyStore({ store, clock }),
    ...servicesOfApps(store, clock),
    checkReady: async () => void (await store.get(DEFAULT_ENDPOINT)),
  });
  const send: Send = async (route, status, { path = {}, query = '', ...more } = {}) => {
    called.add(route);
    const [method = '', template = ''] = route.split(' ');
    const values: Record<string, string> = { target: TARGET, name: 'eu', revision: '1', ...path };
    const url = template.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '');
    const { statusCode, body, json } = await call(method, `${url}${query}`, more);
    if (statusCode !== status) throw new Error(`${route} answered ${statusCode}: ${body}`);
    return json;
  };
  const once = { headers: { 'idempotency-key': 'once' } };
  const endpoint = (spec = {}) => ({ body: webhookServer('eu', spec) });
  const config = (options = {}) => ({ body: widgets({ target: TARGET, labels: { team: 'a' }, ...options }) });

  for (const path of ['/healthz', '/readyz', '/api/v1/brand']) await send(`GET ${path}`, 200);
  await send('PUT /api/v1/endpoints/{name}', 201, { ...endpoint({ default: true }), ...once });
  await send('PUT /api/v1/endpoints/{name}', 201, { ...endpoint({ default: true }), ...once });
  await send('PUT /api/v1/endpoints/{name}', 422, { body: {}, headers: { 'idempotency-key': 'refused' } });
  await send('POST /api/v1/endpoints/{name}/rotate', 200);
  await send('PUT /api/v1/configs/{target}', 200, { ...config(), query: '?dryRun=true' });
  await send('PUT /api/v1/configs/{target}', 201, config());
  await send('PUT /api/v1/configs/{target}', 200, config({ spokeField: 'width' }));
  for (const query of ['', '?labelSelector=team%3Da']) await send('GET /api/v1/configs', 200, { query });
  for (const route of ['', '/revisions', '/revisions/{revision}', '/patch']) {
    await send(`GET /api/v1/configs/{target}${route}`, 200);
  }
  await send('POST /api/v1/configs/{target}/rollback', 200, { body: { revision: 1 } });
  await send('POST /api/v1/configs/{target}/convert', 200, { body: { object: widget('v2', { size: 1 }), to: 'v1' } });
  await send('GET /api/v1/registry', 200);
  await send('DELETE /api/v1/configs/{target}', 204, { query: '?force=true' });
  for (const route of ['', '/{name}']) await send(`GET /api/v1/endpoints${route}`, 200);
  await send('PUT /api/v1/endpoints/{name}', 200, endpoint());
  await send('DELETE /api/v1/endpoints/{name}', 204);
  await driveAppRoutes(send, writer, clock);
  await driveAccessRoutes(send, clock);
  await driveSystem(send, store, clock);
  return { called, openapi: await send('GET /openapi.json', 200) };
}
