import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringifyJson } from '../../lib/k8s/json.ts';
import { registerMutation } from './support/admission.ts';
import { APISERVER_TOOLS, type Apiserver, startApiserver } from './support/apiserver.ts';
import { type Objects, objectsOf, viewOf } from './support/custom-objects.ts';
import { type FerryVersion, ferries } from './support/ferries.ts';
import { MERGE_PATCH } from './support/kube-client.ts';
import { createTarget, type Roundhouse, startRoundhouse } from './support/roundhouse.ts';
import { waitFor } from './support/wait.ts';
import { startWebhookProxy, type WebhookProxy } from './support/webhook-proxy.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun } from './tools/install.ts';

const runs = canRun('apiserver', APISERVER_TOOLS);

/** v1 is stored. */
const { crd, config } = ferries({ line: 'north' });
const { path, object }: Objects = objectsOf(crd);

const SPEC = { v1: { boats: 3, home: 'Oslo' }, v1alpha1: { count: 3, port: 'Oslo' } };
const HOME = { v1: 'home', v1alpha1: 'port' };
const STATUS = { v1: { sailing: 2, selector: 'line=north' }, v1alpha1: { active: 2, match: 'line=north' } };

interface Way {
  readonly at: FerryVersion;
  readonly other: FerryVersion;
}
const WAYS: readonly Way[] = [
  { at: 'v1', other: 'v1alpha1' },
  { at: 'v1alpha1', other: 'v1' },
];

describe.runIf(runs)('what a kube-apiserver does with objects beside storing them', () => {
  let workbench: Workbench;
  let apiserver: Apiserver;
  let roundhouse: Roundhouse;
  let admission: WebhookProxy;

  beforeAll(async () => {
    workbench = openWorkbench();
    [apiserver, roundhouse] = await Promise.all([startApiserver(workbench), startRoundhouse(workbench)]);
    await createTarget(apiserver, roundhouse, { crd, config });
    admission = await startWebhookProxy(roundhouse);
  });

  afterAll(async () => {
    await admission?.close();
    await workbench.close();
  });

  function create(version: FerryVersion, metadata: object, query = ''): Promise<any> {
    const body = { ...object(version, '', { spec: SPEC[version] }), metadata };
    return apiserver.ask('POST', path(version) + query, { body });
  }

  const read = (version: FerryVersion, name: string) => apiserver.ask('GET', path(version, name));
  const patch = (version: FerryVersion, name: string, body: object) =>
    apiserver.ask('PATCH', path(version, name), { type: MERGE_PATCH, body });

  describe.each(WAYS)('at $at', ({ at, other }) => {
    const nameOf = (what: string) => `${what}-${at}`;

    test('the status subresource writes the status for both versions, and nothing else', async () => {
      const name = nameOf('status');
      const created = await create(other, { name });
      const body = { ...(await read(at, name)), status: STATUS[at], spec: {} };
      const written = await apiserver.ask('PUT', `${path(at, name)}/status`, { body });
      expect(viewOf(written)).toEqual({ spec: SPEC[at], status: STATUS[at] });
      const seen = await read(other, name);
      expect(viewOf(seen)).toEqual({ spec: SPEC[other], status: STATUS[other] });
      expect(seen.metadata.generation).toBe(created.metadata.generation);
    });

    test('a write beside the status subresource leaves the status alone', async () => {
      const name = nameOf('main');
      await create(at, { name });
      await patch(other, `${name}/status`, { status: STATUS[other] });
      await patch(at, name, { spec: { [HOME[at]]: 'Narvik' }, status: null });
      expect(viewOf(await read(at, name))).toEqual({ spec: { ...SPEC[at], [HOME[at]]: 'Narvik' }, status: STATUS[at] });
    });

    test("the scale subresource goes by this version's paths", async () => {
      const name = nameOf('scale');
      await create(other, { name });
      await patch(other, `${name}/status`, { status: STATUS[other] });
      const scale = await apiserver.ask('GET', `${path(at, name)}/scale`);
      expect(scale).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 2, selector: 'line=north' } });
      await apiserver.ask('PUT', `${path(at, name)}/scale`, { body: { ...scale, spec: { replicas: 5 } } });
      expect(await read('v1', name)).toMatchObject({ spec: { boats: 5, home: 'Oslo' }, status: STATUS.v1 });
      const kubectl = await apiserver.kubectl(['scale', `ferries.${at}.${crd.spec.group}/${name}`, '--replicas=8']);
      expect(kubectl).toMatchObject({ code: 0 });
      expect(await read('v1alpha1', name)).toMatchObject({ spec: { count: 8, port: 'Oslo' } });
    });

    test('an object with a finalizer stays until the other version takes it away', async () => {
      const name = nameOf('finalizer');
      await create(at, { name, finalizers: ['ferries.example.org/moor'] });
      await apiserver.ask('DELETE', path(at, name));
      const going = await read(other, name);
      expect(going).toMatchObject({ spec: SPEC[other], metadata: { finalizers: ['ferries.example.org/moor'] } });
      expect(going.metadata.deletionTimestamp).toMatch(/Z$/);
      await patch(other, name, { metadata: { finalizers: null } });
      expect(await apiserver.call('GET', path(at, name))).toMatchObject({ status: 404 });
    });

    test('what metadata has is the same at both versions', async () => {
      const owner = {
        apiVersion: 'v1',
        kind: 'Namespace',
        name: 'default',
        uid: 'f1f6bbb0-0000-4000-8000-000000000000',
      };
      const metadata = {
        ownerReferences: [{ ...owner, controller: true }],
        labels: { a: 'b' },
        annotations: { c: 'd' },
      };
      const created = await create(at, { ...metadata, name: nameOf('owned') });
      expect(created.metadata).toMatchObject(metadata);
      expect((await read(other, nameOf('owned'))).metadata).toEqual(created.metadata);
    });

    test('generateName makes a name that both versions know', async () => {
      const created = await create(at, { generateName: 'ferry-' });
      const { name } = created.metadata;
      expect(name).toMatch(/^ferry-\w+$/);
      expect(await read(other, name)).toMatchObject({ spec: SPEC[other], metadata: { uid: created.metadata.uid } });
    });

    test('a dry run answers what would be and changes nothing', async () => {
      const name = nameOf('dry');
      const ferry = object(at, name, { spec: SPEC[at] });
      const dry = await apiserver.kubectl(
        ['create', '--dry-run=server', '-o', 'json', '-f', '-'],
        stringifyJson(ferry),
      );
      expect(viewOf(JSON.parse(dry.output))).toEqual({ spec: SPEC[at] });
      expect(await apiserver.call('GET', path(other, name))).toMatchObject({ status: 404 });
      await create(other, { name });
      const [field = ''] = Object.keys(SPEC[at]);
      const patched = await patch(at, `${name}?dryRun=All`, { spec: { [field]: 9 } });
      expect(viewOf(patched)).toEqual({ spec: { ...SPEC[at], [field]: 9 } });
      expect(viewOf(await read(at, name))).toEqual({ spec: SPEC[at] });
    });

    test('a mutating webhook for this version alone sees and changes what is written at the other one', async () => {
      const name = nameOf('mutated');
      const labels = { mutate: at };
      const patches = [{ op: 'replace', path: `/spec/${HOME[at]}`, value: 'Bergen' }];
      const mutation = { group: crd.spec.group, version: at, resource: 'ferries', patch: patches };
      const requests = await registerMutation(apiserver, roundhouse, admission, mutation);
      await waitFor('admission', roundhouse.running, async () => {
        await create(other, { name, labels }, '?dryRun=All');
        return requests.length > 0 || undefined;
      });

      const created = await create(other, { name, labels });
      expect(viewOf(created)).toEqual({ labels, spec: { ...SPEC[other], [HOME[other]]: 'Bergen' } });
      expect(viewOf(await read(at, name))).toEqual({ labels, spec: { ...SPEC[at], [HOME[at]]: 'Bergen' } });
      const sent = { kind: { version: at }, requestKind: { version: other }, operation: 'CREATE', oldObject: null };
      expect(requests.at(-1)).toMatchObject({ ...sent, object: object(at, name, { labels, spec: SPEC[at] }) });

      await patch(other, name, { spec: { [HOME[other]]: 'Narvik' } });
      const { object: next, oldObject } = requests.at(-1);
      expect([oldObject, next].map(viewOf)).toEqual([
        { labels, spec: { ...SPEC[at], [HOME[at]]: 'Bergen' } },
        { labels, spec: { ...SPEC[at], [HOME[at]]: 'Narvik' } },
      ]);
    });
  });
});
