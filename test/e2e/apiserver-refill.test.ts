import { cpus } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inParallel } from '../bench/scalegen/in-parallel.ts';
import { SLOTS } from '../bench/scalegen/slots.ts';
import { renderTarget } from '../bench/scalegen/target.ts';
import { APISERVER_TOOLS, type Apiserver, startApiserver } from './support/apiserver.ts';
import { objectsOf } from './support/custom-objects.ts';
import { MERGE_PATCH } from './support/kube-client.ts';
import { keepMeasurement } from './support/measurements.ts';
import { CRDS, createTarget, putConfig, type Roundhouse, startRoundhouse } from './support/roundhouse.ts';
import { waitFor } from './support/wait.ts';
import { type WatchCache, watchCacheOf } from './support/watch-cache.ts';
import { startWebhookProxy, type WebhookProxy } from './support/webhook-proxy.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';

const OBJECTS = 1_000;
/** As many as the time is for that the Go operator is known by. */
const MORE_OBJECTS = 1_200;
const DELAY_MS = 10;
/** The least time of so many is kept: other programs of the machine only add to it. For the counts one is enough. */
const RUNS = process.env['ROUNDHOUSE_E2E_MEASUREMENTS'] ? 5 : 1;

/** v2 is stored. The default of `generation` tells with which state of the CRD an object was read. */
const { crd, config } = renderTarget({
  kind: 'Crate',
  hub: 'v2',
  spokes: { v1: SLOTS.filter(({ strategy }) => ['FieldRename', 'TypeCoerce', 'EnumRemap'].includes(strategy)) },
  shared: { generation: { type: 'integer' } },
});
const CRD = `${CRDS}/${crd.metadata.name}`;
const { path, object } = objectsOf(crd);
const SPEC = {
  v2: { storageGB: '10', replicas: '3', tier: 'Standard' },
  v1: { storageSize: '10', replicas: 3, tier: 'std' },
};
const FIRST = 'crate-0000';

interface Measured {
  readonly objects: number;
  readonly after: 'a change of the CRD' | 'a restart of the apiserver';
  /** What a proxy adds to each call, in milliseconds; without it there is no proxy. */
  readonly delayMs: number;
}

describe.runIf(canRun('apiserver', APISERVER_TOOLS))('the watch cache of a version that is not stored', () => {
  let workbench: Workbench;
  let apiserver: Apiserver;
  let roundhouse: Roundhouse;
  let proxy: WebhookProxy;
  let cache: WatchCache;
  let generation = 0;
  const isNew = ({ spec }: any) => spec.generation === generation;
  /** Of the reviews that came through the proxy: how many objects each had, and how many there were at the same time. */
  const reviews = { sizes: [] as number[], atOnce: 0, most: 0 };
  const measured: (Measured & { readonly calls: number; readonly seconds: number })[] = [];
  let kubectl: object | undefined;

  beforeAll(async () => {
    workbench = openWorkbench();
    [apiserver, roundhouse] = await Promise.all([startApiserver(workbench), startRoundhouse(workbench)]);
    proxy = await startWebhookProxy(roundhouse);
    proxy.behave(async (call, forward) => {
      reviews.sizes.push(JSON.parse(call.body).request.objects.length);
      reviews.atOnce += 1;
      reviews.most = Math.max(reviews.most, reviews.atOnce);
      await setTimeout(DELAY_MS);
      const reply = await forward(call);
      reviews.atOnce -= 1;
      return reply;
    });
    await createTarget(apiserver, roundhouse, { crd, config });
    cache = watchCacheOf(apiserver, roundhouse.running, crd, 'v1');
    await create(0, OBJECTS);
  });
  afterAll(async () => {
    await proxy?.close();
    await workbench.close();
  });

  async function create(from: number, to: number): Promise<void> {
    const before = await cache.calls();
    const names = Array.from({ length: to - from }, (_, index) => `crate-${String(from + index).padStart(4, '0')}`);
    const post = (name: string) => apiserver.ask('POST', path('v2'), { body: object('v2', name, { spec: SPEC.v2 }) });
    await inParallel(names, 8, post);
    await cache.waitForCalls(before + names.length);
  }

  /** Changes the CRD, so that the apiserver makes its storage anew, with a webhook at this server. */
  async function changeCrd(webhook = roundhouse.url): Promise<void> {
    generation += 1;
    const { pathname } = new URL((await apiserver.ask('GET', CRD)).spec.conversion.webhook.clientConfig.url);
    const changes = {
      '/spec/conversion/webhook/clientConfig/url': webhook + pathname,
      '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/generation/default': generation,
    };
    const body = Object.entries(changes).map(([at, value]) => ({ op: 'add', path: at, value }));
    await apiserver.ask('PATCH', CRD, { type: 'application/json-patch+json', body });
  }

  /** @returns seconds until the objects are there at v1 */
  async function refill({ objects, after, delayMs }: Measured): Promise<number> {
    if (after === 'a restart of the apiserver') await apiserver.restart();
    const before = await cache.calls();
    const start = performance.now();
    if (after === 'a change of the CRD') await changeCrd(delayMs === 0 ? roundhouse.url : proxy.url);
    const items = await cache.readNew(isNew);
    const seconds = secondsSince(start);
    expect(items).toHaveLength(objects);
    expect(items[1].spec).toEqual({ ...SPEC.v1, generation });
    expect((await cache.calls()) - before).toBe(objects);
    return seconds;
  }

  async function measure(what: Measured, runs: number): Promise<void> {
    const seconds: number[] = [];
    while (seconds.length < runs) seconds.push(await refill(what));
    measured.push({ ...what, calls: what.objects, seconds: Math.min(...seconds) });
  }

  test('takes a call for each object that is written, and none for a list', async () => {
    expect(await cache.calls()).toBe(OBJECTS);
    await apiserver.ask('PATCH', path('v2', FIRST), { type: MERGE_PATCH, body: { spec: { replicas: '4' } } });
    const { items } = await apiserver.ask('GET', path('v1'));
    expect(items).toHaveLength(OBJECTS);
    expect(items[0].spec).toEqual({ ...SPEC.v1, replicas: 4 });
    expect(await cache.calls()).toBe(OBJECTS + 1);
  });

  test('keeps what the rules made of an object until it is written', async () => {
    const changed = structuredClone(config);
    const [{ rules }] = changed.spec.spokes;
    rules.find(({ enumRemap }: any) => enumRemap).enumRemap.mapping[0].spoke = 'normal';
    const tiers = async () => (await cache.read()).slice(0, 2).map(({ spec }) => spec.tier);
    await putConfig(roundhouse, { crd, config: changed });
    expect((await apiserver.ask('GET', path('v1', FIRST))).spec.tier).toBe('normal');
    expect(await tiers()).toEqual(['std', 'std']);
    await apiserver.ask('PATCH', path('v2', FIRST), { type: MERGE_PATCH, body: { spec: { replicas: '3' } } });
    await expect.poll(tiers, { timeout: 30_000 }).toEqual(['normal', 'std']);
    await putConfig(roundhouse, { crd, config });
  });

  test.each([
    { delayMs: 0, runs: RUNS },
    { delayMs: DELAY_MS, runs: 1 },
  ])('takes a call for each object, one after the other, with $delayMs ms more a call', async ({ delayMs, runs }) => {
    await measure({ objects: OBJECTS, after: 'a change of the CRD', delayMs }, runs);
    await measure({ objects: OBJECTS, after: 'a restart of the apiserver', delayMs }, runs);
    expect(reviews.sizes).toEqual(Array.from({ length: delayMs === 0 ? 0 : 2 * OBJECTS }, () => 1));
    expect(reviews.most).toBe(delayMs === 0 ? 0 : 1);
  });

  test('is not waited for by kubectl get, which converts up to as many objects itself', async () => {
    const before = await cache.calls();
    await changeCrd();
    const isChanged = async () => isNew(await apiserver.ask('GET', path('v2', FIRST))) || undefined;
    await waitFor('the change', roundhouse.running, isChanged);
    const start = performance.now();
    const { output } = await apiserver.kubectl(['get', `crates.v1.${crd.spec.group}`, '--output=name']);
    const seconds = secondsSince(start);
    expect(output.trim().split('\n')).toHaveLength(OBJECTS);
    await cache.readNew(isNew);
    const calls = (await cache.calls()) - before;
    expect(calls).toBeGreaterThanOrEqual(OBJECTS);
    expect(calls).toBeLessThanOrEqual(2 * OBJECTS);
    kubectl = { objects: OBJECTS, calls, seconds };
  });

  test('takes as many calls again for more objects', async () => {
    await create(OBJECTS, MORE_OBJECTS);
    await measure({ objects: MORE_OBJECTS, after: 'a change of the CRD', delayMs: 0 }, RUNS);
    const { gitVersion } = await apiserver.ask('GET', '/version');
    const [cpu] = cpus();
    keepMeasurement('watch-cache-refill', {
      machine: { cpu: cpu?.model.trim(), cpus: cpus().length, node: process.version, kubernetes: gitVersion },
      runs: RUNS,
      refills: measured,
      kubectl,
    });
  });
});

/** To the millisecond. */
function secondsSince(start: number): number {
  return Math.round(performance.now() - start) / 1000;
}
