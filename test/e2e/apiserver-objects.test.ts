import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { strategies } from '../../lib/engine/strategies/index.ts';
import { stringifyJson } from '../../lib/k8s/json.ts';
import { SLOTS } from '../bench/scalegen/slots.ts';
import { renderTarget } from '../bench/scalegen/target.ts';
import { APISERVER_TOOLS, type Apiserver, startApiserver } from './support/apiserver.ts';
import { loadXrd, renderCompositeCrd } from './support/crossplane.ts';
import { type Objects, objectsOf, type View, viewOf } from './support/custom-objects.ts';
import { BUCKETS, DATABASES } from './support/example-stories.ts';
import { loadExample } from './support/examples.ts';
import { live, tell } from './support/object-life.ts';
import { CRDS, createTarget, type Roundhouse, startRoundhouse, waitUntilServed } from './support/roundhouse.ts';
import { STRATEGY_VIEWS } from './support/strategy-views.ts';
import { waitFor } from './support/wait.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';

const runs = canRun('apiserver', APISERVER_TOOLS);

describe.runIf(runs)('objects of every version through a kube-apiserver', () => {
  let workbench: Workbench;
  let apiserver: Apiserver;
  let roundhouse: Roundhouse;

  beforeAll(async () => {
    workbench = openWorkbench();
    [apiserver, roundhouse] = await Promise.all([startApiserver(workbench), startRoundhouse(workbench)]);
    await kubectl(['create', 'namespace', 'shop']);
  });

  afterAll(() => workbench.close());

  async function kubectl(args: readonly string[], input?: object): Promise<string> {
    const { code, output } = await apiserver.kubectl(args, input && stringifyJson(input as never));
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${output}`);
    return output;
  }

  function readPatch(target: string): Promise<any> {
    return roundhouse.api('GET', `/configs/${target}/patch?token=${roundhouse.pathToken}`);
  }

  describe('examples/crd-databases, patched as the README says', () => {
    const { crd, objects: files } = loadExample('crd-databases');
    const databases = objectsOf(crd, 'shop');

    beforeAll(async () => {
      await kubectl(['apply', '--server-side', '-f', '-'], crd);
      const patch = await readPatch(crd.metadata.name);
      await kubectl(['apply', '--server-side', '--field-manager=roundhouse', '-f', '-'], patch);
      await waitUntilConverted();
    });

    /** Nothing tells when the handlers of the server go by a changed CRD. */
    async function waitUntilConverted(): Promise<void> {
      await waitUntilServed(apiserver, roundhouse.running, crd);
      const probe = databases.object('v1', 'probe', { spec: { engine: 'MySQL' } });
      await apiserver.ask('POST', databases.path('v1'), { body: probe });
      await waitFor('conversion', roundhouse.running, async () => {
        const { body } = await apiserver.call('GET', databases.path('v1beta1', 'probe'));
        return body.spec?.engine === 'mysql' || undefined;
      });
      await apiserver.ask('DELETE', databases.path('v1', 'probe'));
    }

    const versions = ['v1', 'v1beta1', 'v1alpha1'];
    test.each(DATABASES.flatMap((story) => versions.map((version) => ({ name: story.name, version, story }))))(
      '$name is created, read, listed, watched, put, patched and deleted at $version',
      async ({ name, version, story }) => {
        const view = version === story.version ? viewOf(files[version]) : story.views[version];
        const created = databases.object(version, `${name}-${version}`, view ?? {});
        expect(await live(apiserver, databases, story, created)).toEqual(tell(story));
      },
    );

    test('kubectl creates the file of the README and reads it at the stored version', async () => {
      const [story] = DATABASES.filter(({ name }) => name === 'legacy');
      await kubectl(['create', '-f', '-'], files['v1alpha1']);
      const list = JSON.parse(await kubectl(['get', 'databases.v1.data.example.org', '-A', '-o', 'json']));
      const items = list.items.filter(({ metadata }: any) => metadata.name === 'legacy');
      expect(items.map(viewOf)).toEqual([story?.views['v1']]);
      expect(items[0].metadata).toMatchObject({ namespace: 'shop', generation: 1 });
    });
  });

  describe('examples/xrd-buckets, as the CRD that Crossplane makes of the patched XRD', () => {
    const { xrd, object: file } = loadXrd();
    const buckets = objectsOf(xrd, 'shop');

    beforeAll(async () => {
      const { spec, ...patch } = await readPatch(xrd.metadata.name);
      expect(patch).toEqual({ apiVersion: xrd.apiVersion, kind: xrd.kind, metadata: xrd.metadata });
      const crd = renderCompositeCrd({ ...xrd, spec: { ...xrd.spec, ...spec } });
      await apiserver.ask('POST', CRDS, { body: crd });
      await waitUntilServed(apiserver, roundhouse.running, crd);
    });

    test.each(BUCKETS.flatMap((story) => ['v1', 'v1alpha1'].map((version) => ({ name: story.name, version, story }))))(
      '$name is created, read, listed, watched, put, patched and deleted at $version',
      async ({ name, version, story }) => {
        const { spec } = version === story.version ? file : story.views[version];
        const created = buckets.object(version, `${name}-${version}`, { spec });
        expect(await live(apiserver, buckets, story, created)).toEqual(tell(story));
      },
    );

    test('a status that is written at v1alpha1 is read at v1', async () => {
      const created = await apiserver.ask('POST', buckets.path('v1alpha1'), { body: file });
      const path = buckets.path('v1alpha1', 'logs');
      await apiserver.ask('PUT', `${path}/status`, { body: { ...created, status: file.status } });
      expect((await apiserver.ask('GET', buckets.path('v1', 'logs'))).status).toEqual({
        bucketName: 'logs-7f3a',
        conditions: [{ type: 'Ready', status: 'True' }],
      });
    });
  });

  describe('a kind for each strategy', () => {
    const kinds = new Map(SLOTS.map((slot) => [slot.strategy, renderKind(slot)]));

    beforeAll(async () => {
      for (const target of kinds.values()) await createTarget(apiserver, roundhouse, target);
    });

    /** Creates an object at one version and gives what is read at the versions. */
    async function read(strategy: string, { at, view, name }: { at: string; view: View; name: string }) {
      const objects: Objects = objectsOf(kinds.get(strategy)?.crd);
      const created = await apiserver.ask('POST', objects.path(at), { body: objects.object(at, name, view) });
      const hub = await apiserver.ask('GET', objects.path('v1', name));
      const spoke = await apiserver.ask('GET', objects.path('v1beta1', name));
      return { created: viewOf(created), hub: viewOf(hub), spoke: viewOf(spoke) };
    }

    test('there are views of every strategy', () => {
      expect(Object.keys(STRATEGY_VIEWS)).toEqual(strategies.map(({ name }) => name));
    });

    test.each(Object.entries(STRATEGY_VIEWS))(
      '%s converts what is created at either version',
      async (strategy, views) => {
        const [created, hub, again = created] = views.up;
        expect(await read(strategy, { at: 'v1beta1', view: created, name: 'up' })).toEqual({
          created: again,
          hub,
          spoke: again,
        });
        const [stored, spoke] = views.down;
        expect(await read(strategy, { at: 'v1', view: stored, name: 'down' })).toEqual({
          created: stored,
          hub: stored,
          spoke,
        });
      },
    );
  });
});

function renderKind(slot: (typeof SLOTS)[number]) {
  return renderTarget({ kind: slot.strategy, hub: 'v1', spokes: { v1beta1: [slot] }, shared: {} });
}
