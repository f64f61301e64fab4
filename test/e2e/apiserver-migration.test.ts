import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { APISERVER_TOOLS, type Apiserver, startApiserver } from './support/apiserver.ts';
import { listAll, type Objects, objectsOf, type View, viewOf } from './support/custom-objects.ts';
import { type FerryVersion, ferries } from './support/ferries.ts';
import { type KubeReply, MERGE_PATCH } from './support/kube-client.ts';
import { CRDS, createTarget, putConfig, type Roundhouse, startRoundhouse, type Target } from './support/roundhouse.ts';
import { waitFor } from './support/wait.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';

const runs = canRun('apiserver', APISERVER_TOOLS);

type Line = Target & Objects;

interface Applied {
  readonly name: string;
  readonly manager: string;
  readonly spec: object;
}

const NAMES = ['ferry-0', 'ferry-1', 'ferry-2', 'ferry-3'];
const STORY = {
  v1: Object.fromEntries(NAMES.map((name, boats) => [name, { spec: { boats, home: 'Oslo' } }])),
  v1alpha1: Object.fromEntries(NAMES.map((name, count) => [name, { spec: { count, port: 'Oslo' } }])),
};

describe.runIf(runs)('the end of an old version in a kube-apiserver', () => {
  let workbench: Workbench;
  let apiserver: Apiserver;
  let roundhouse: Roundhouse;

  beforeAll(async () => {
    workbench = openWorkbench();
    [apiserver, roundhouse] = await Promise.all([startApiserver(workbench), startRoundhouse(workbench)]);
  });

  afterAll(() => workbench.close());

  async function createLine(line: string, storage: FerryVersion = 'v1'): Promise<Line> {
    const target = ferries({ line, storage });
    await createTarget(apiserver, roundhouse, target);
    return { ...target, ...objectsOf(target.crd) };
  }

  /** Gives the CRD of the cluster the versions of a target. */
  async function putVersions({ crd }: Target, versions = crd.spec.versions): Promise<KubeReply> {
    const path = `${CRDS}/${crd.metadata.name}`;
    const current = await apiserver.ask('GET', path);
    return apiserver.call('PUT', path, { body: { ...current, spec: { ...current.spec, versions } } });
  }

  function dropOld(target: Target): Promise<KubeReply> {
    return putVersions(
      target,
      target.crd.spec.versions.filter(({ name }: any) => name === 'v1'),
    );
  }

  async function unserveOld(line: string): Promise<void> {
    const target = ferries({ line, served: ['v1'] });
    const { diagnostics } = await putConfig(roundhouse, target);
    expect(diagnostics).toMatchObject([{ code: 'SPOKE_NOT_SERVED', severity: 'warning', spoke: 'v1alpha1' }]);
    expect(await putVersions(target)).toMatchObject({ status: 200 });
    const old = objectsOf(target.crd).path('v1alpha1');
    await waitFor('v1alpha1', roundhouse.running, async () => {
      return (await apiserver.call('GET', old)).status === 404 || undefined;
    });
  }

  /** Puts an object as it is; true when the server wrote it anew, because it was stored at another version. */
  async function rewrite({ path }: Line, name: string): Promise<boolean> {
    const body = await apiserver.ask('GET', path('v1', name));
    const { metadata } = await apiserver.ask('PUT', path('v1', name), { body });
    return metadata.resourceVersion !== body.metadata.resourceVersion;
  }

  async function readAll({ path }: Line, version: FerryVersion): Promise<Record<string, View>> {
    const { items } = await listAll(apiserver, path(version));
    return Object.fromEntries(items.map((item: any) => [item.metadata.name, viewOf(item)]));
  }

  /** Server-side apply at a version by a manager, who takes what others own. */
  function apply(line: Line, version: FerryVersion, { name, manager, spec }: Applied): Promise<KubeReply> {
    const object = line.object(version, name, { spec });
    return apiserver.apply(line.path(version, name), object, { manager, force: true });
  }

  test('every object moves to the new storage version, and then the old version can go', async () => {
    const line = await createLine('moving', 'v1alpha1');
    for (const [index, version] of (['v1', 'v1alpha1', 'v1', 'v1alpha1'] as const).entries()) {
      const spec = version === 'v1' ? { boats: index, home: 'Oslo' } : { count: index, port: 'Oslo' };
      await apiserver.ask('POST', line.path(version), { body: line.object(version, `ferry-${index}`, { spec }) });
    }
    const [first = '', ...others] = Object.keys(STORY.v1);

    const moved = ferries({ line: 'moving' });
    await putConfig(roundhouse, moved);
    for (const version of ['v1', 'v1alpha1'] as const) expect(await readAll(line, version)).toEqual(STORY[version]);
    expect(await putVersions(moved)).toMatchObject({ body: { status: { storedVersions: ['v1alpha1', 'v1'] } } });
    await waitFor('new storage version', roundhouse.running, async () => (await rewrite(line, first)) || undefined);
    for (const name of others) expect([name, await rewrite(line, name)]).toEqual([name, true]);
    for (const name of [first, ...others]) expect([name, await rewrite(line, name)]).toEqual([name, false]);
    for (const version of ['v1', 'v1alpha1'] as const) expect(await readAll(line, version)).toEqual(STORY[version]);

    expect(await dropOld(moved)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('status.storedVersions') },
    });
    const crd = `${CRDS}/${moved.crd.metadata.name}`;
    const pruned = { status: { storedVersions: ['v1'] } };
    await apiserver.ask('PATCH', `${crd}/status`, { type: MERGE_PATCH, body: pruned });
    await unserveOld('moving');
    expect(await readAll(line, 'v1')).toEqual(STORY.v1);
    expect(await dropOld(moved)).toMatchObject({ status: 200 });
    await roundhouse.api('DELETE', `/configs/${moved.crd.metadata.name}`);
    // What it answers then comes from etcd.
    await apiserver.restart();
    expect(await readAll(line, 'v1')).toEqual(STORY.v1);
    await apiserver.ask('PATCH', line.path('v1', first), { type: MERGE_PATCH, body: { spec: { home: 'Bergen' } } });
    expect(viewOf(await apiserver.ask('GET', line.path('v1', first)))).toEqual({ spec: { boats: 0, home: 'Bergen' } });
  });

  test('server-side apply goes on for managedFields that name a version which is not served (R26)', async () => {
    const line = await createLine('unserved');
    await apply(line, 'v1alpha1', { name: 'a', manager: 'old', spec: { count: 3, port: 'Oslo' } });
    await unserveOld('unserved');

    const careful = line.object('v1', 'a', { spec: { boats: 4 } });
    const refused = await apiserver.apply(line.path('v1', 'a'), careful, { manager: 'new' });
    const conflict = 'conflict with "old": .spec.count';
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining(conflict) } });

    const taken = await apply(line, 'v1', { name: 'a', manager: 'new', spec: { home: 'Bergen' } });
    expect(taken).toMatchObject({ status: 200, body: { spec: { boats: 3, home: 'Bergen' } } });
    expect(ownersOf(taken)).toEqual({ old: ['v1alpha1', { 'f:count': {} }], new: ['v1', { 'f:home': {} }] });

    const left = await apply(line, 'v1', { name: 'a', manager: 'old', spec: {} });
    expect(viewOf(left.body)).toEqual({ spec: { home: 'Bergen' } });
    expect(ownersOf(left)).toMatchObject({ new: ['v1', { 'f:home': {} }] });
    expect(left.body.metadata.managedFields.map(({ apiVersion }: any) => apiVersion)).not.toContain(
      'unserved.ferries.example.org/v1alpha1',
    );
  });

  test('server-side apply fails with our text when the config went before managedFields forgot the version', async () => {
    const line = await createLine('early');
    await apply(line, 'v1alpha1', { name: 'a', manager: 'old', spec: { count: 3 } });
    await unserveOld('early');
    await roundhouse.api('DELETE', `/configs/${line.crd.metadata.name}`);
    const refused = await apply(line, 'v1', { name: 'a', manager: 'new', spec: { home: 'Bergen' } });
    const text = 'no conversion is served at this URL: check its endpoint, token and target';
    expect(refused).toMatchObject({ status: 500, body: { message: expect.stringContaining(text) } });
  });

  test('server-side apply is refused by the server itself where managedFields name a version that the CRD has lost', async () => {
    const line = await createLine('gone');
    for (const name of ['stale', 'moved']) {
      await apply(line, 'v1alpha1', { name, manager: 'old', spec: { count: 3 } });
    }
    await apply(line, 'v1', { name: 'moved', manager: 'old', spec: { boats: 3 } });
    expect(await dropOld(line)).toMatchObject({ status: 200 });
    const take = (name: string) => apply(line, 'v1', { name, manager: 'new', spec: { home: 'Bergen' } });
    const refused = await waitFor('the end of v1alpha1', roundhouse.running, async () => {
      const reply = await take('stale');
      return reply.status === 500 ? reply : undefined;
    });
    const text = 'request to convert CR to an invalid group/version: gone.ferries.example.org/v1alpha1';
    expect(refused.body.message).toBe(text);

    // Without its config every call of the webhook would fail.
    await roundhouse.api('DELETE', `/configs/${line.crd.metadata.name}?force=true`);
    expect(viewOf((await take('moved')).body)).toEqual({ spec: { boats: 3, home: 'Bergen' } });
    const forget = { metadata: { managedFields: [{}] } };
    await apiserver.ask('PATCH', line.path('v1', 'stale'), { type: MERGE_PATCH, body: forget });
    expect(viewOf((await take('stale')).body)).toEqual({ spec: { boats: 3, home: 'Bergen' } });
  });
});

/** By manager: the version of its entry, and what it owns of `spec`. */
function ownersOf({ body }: KubeReply): Record<string, unknown> {
  const entries = body.metadata.managedFields.map(({ manager, apiVersion, fieldsV1 }: any) => {
    const { '.': _, ...fields } = fieldsV1['f:spec'] ?? {};
    return [manager, [apiVersion.split('/')[1], fields]];
  });
  return Object.fromEntries(entries);
}
