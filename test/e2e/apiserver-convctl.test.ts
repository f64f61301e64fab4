import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inParallel } from '../bench/scalegen/in-parallel.ts';
import { config, crd } from '../cli/live/support/gadgets.ts';
import { type CliSandbox, openCliSandbox } from '../cli/support/convctl.ts';
import { APISERVER_TOOLS, type Apiserver, startApiserver } from './support/apiserver.ts';
import { type Objects, objectsOf } from './support/custom-objects.ts';
import { ferries } from './support/ferries.ts';
import { MERGE_PATCH } from './support/kube-client.ts';
import {
  CRDS,
  createTarget,
  putConfig,
  type Roundhouse,
  startRoundhouse,
  type Target,
  waitUntilServed,
} from './support/roundhouse.ts';
import { waitFor } from './support/wait.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { startWriters } from './support/writers.ts';
import { canRun } from './tools/install.ts';

/** More than a page of a list. */
const OBJECTS = 210;

type Line = Target & Objects & { readonly name: string };

describe.runIf(canRun('apiserver', APISERVER_TOOLS))('convctl and a kube-apiserver', () => {
  let workbench: Workbench;
  let apiserver: Apiserver;
  let roundhouse: Roundhouse;
  let sandbox: CliSandbox;

  beforeAll(async () => {
    workbench = openWorkbench();
    [apiserver, roundhouse] = await Promise.all([startApiserver(workbench), startRoundhouse(workbench)]);
    sandbox = openCliSandbox({
      kubeconfig: kubeconfigOf(apiserver),
      'ca.crt': roundhouse.ca,
      'path-token': roundhouse.pathToken,
      token: /^Bearer token: (\S+)/m.exec(roundhouse.running.output())?.[1] ?? '',
    });
  });
  afterAll(async () => {
    sandbox?.remove();
    await workbench.close();
  });

  const run = (...argv: string[]) => sandbox.run([...argv, '--kubeconfig', 'kubeconfig']);
  const readCrd = (name: string) => apiserver.ask('GET', `${CRDS}/${name}`);
  const lineOf = (target: Target): Line => {
    return { ...target, ...objectsOf(target.crd), name: target.crd.metadata.name };
  };

  /** A CRD without a webhook. */
  async function createCrd(target: Target): Promise<Line> {
    await apiserver.ask('POST', CRDS, { body: target.crd });
    await waitUntilServed(apiserver, roundhouse.running, target.crd);
    return lineOf(target);
  }

  async function create(line: Line, version: string, objects: Readonly<Record<string, object>>): Promise<void> {
    await inParallel(Object.entries(objects), 8, ([name, spec]) =>
      apiserver.ask('POST', line.path(version), { body: line.object(version, name, { spec }) }),
    );
  }

  describe('wire', () => {
    const fromRoundhouse = () => [
      ...[
        '--server',
        roundhouse.url,
        '--token-file',
        'token',
        '--ca-file',
        'ca.crt',
        '--path-token-file',
        'path-token',
      ],
    ];

    test('points a CRD at Roundhouse, and --revert takes it away again', async () => {
      const target = ferries({ line: 'wired' });
      const line = await createCrd(target);
      await create(line, 'v1', { a: { boats: 3, home: 'Oslo' } });
      await putConfig(roundhouse, target);
      const read = async () => (await apiserver.ask('GET', line.path('v1alpha1', 'a'))).spec;
      expect(await read()).toEqual({});

      const dry = await run('wire', '--crd', line.name, ...fromRoundhouse(), '--dry-run');
      expect(dry).toMatchObject({ code: 0 });
      expect((await readCrd(line.name)).spec.conversion).toEqual({ strategy: 'None' });

      const { code, out, err } = await run('wire', '--crd', line.name, ...fromRoundhouse());
      expect(code).toBe(0);
      expect(err).toMatch(/^note: the strategy None of \S+ was of \S+; it is roundhouse's now\n$/);
      expect(out).toMatch(/^webhook +ok +\S+\/\*\*\*\/\S+ converts a stored Ferry, v1 <-> v1alpha1$/m);
      expect(out + dry.out).not.toContain(roundhouse.pathToken);
      await waitFor('the webhook', roundhouse.running, async () => (await read()).count === 3 || undefined);
      expect(await read()).toEqual({ count: 3, port: 'Oslo' });
      const { managedFields } = (await readCrd(line.name)).metadata;
      expect(managedFields).toContainEqual(expect.objectContaining({ manager: 'roundhouse', operation: 'Apply' }));

      const { apiVersion, kind } = target.crd;
      const old = { apiVersion, kind, metadata: { name: line.name, resourceVersion: '1' } };
      const stale = await apiserver.apply(`${CRDS}/${line.name}`, old, { manager: 'roundhouse', force: true });
      expect(stale).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
      expect(stale.body.details.causes).toBeUndefined();

      const refused = await run('wire', '--crd', line.name, '--revert');
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('serves v1, v1alpha1 and may have') });
      const reverted = await run('wire', '--crd', line.name, '--revert', '--force');
      expect(reverted).toMatchObject({ code: 0, err: '' });
      expect((await readCrd(line.name)).spec.conversion).toEqual({ strategy: 'None' });
    });

    test('takes a webhook that another tool wrote away only when it is told to', async () => {
      const line = lineOf(ferries({ line: 'taken', served: ['v1'] }));
      await createTarget(apiserver, roundhouse, line);
      const refused = await run('wire', '--crd', line.name, '--revert');
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--force-conflicts') });
      expect(await run('wire', '--crd', line.name, '--revert', '--force-conflicts')).toMatchObject({ code: 0 });
      expect((await readCrd(line.name)).spec.conversion).toEqual({ strategy: 'None' });
    });

    test('changes nothing while the cluster has another schema than Roundhouse', async () => {
      const target = ferries({ line: 'drifted' });
      const line = await createCrd(target);
      const crd = structuredClone(target.crd);
      crd.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.boats.minimum = 1;
      await putConfig(roundhouse, { ...target, crd });
      const { code, out } = await run('wire', '--crd', line.name, ...fromRoundhouse());
      expect(code).toBe(1);
      expect(out).toMatch(/^schema +failed +v1: properties\.spec\.properties\.boats\.minimum differs/m);
      expect((await readCrd(line.name)).spec.conversion).toEqual({ strategy: 'None' });
    });
  });

  test('a cluster without Crossplane and without configs of its own is told apart from no cluster at all', async () => {
    const target = ferries({ line: 'bare' });
    await createCrd(target);
    sandbox.write({ 'bare.json': JSON.stringify(target.config) });
    const diff = await run('diff', '-c', 'bare.json', '--live', '-o', 'json');
    expect(diff).toMatchObject({ code: 1, err: expect.not.stringContaining('proxy') });
    expect(JSON.parse(diff.out).from).toMatch(/^cluster:\(no CRDConversionConfig /);
    for (const command of [['wire', ...['--url', 'https://127.0.0.1:1/convert/x']], ['migrate-storage']]) {
      const { code, err } = await run(...command, '-x', 'xbuckets.example.org');
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('Crossplane') });
    }
  });

  test('migrate-storage rewrites every object while others write, and prunes storedVersions after that', async () => {
    const line = lineOf(ferries({ line: 'migrated', storage: 'v1alpha1' }));
    await createTarget(apiserver, roundhouse, line);
    const names = Array.from({ length: OBJECTS }, (_, index) => `ferry-${index}`);
    await create(line, 'v1alpha1', Object.fromEntries(names.map((name, count) => [name, { count }])));
    const moved = ferries({ line: 'migrated' });
    await putConfig(roundhouse, moved);
    const current = await readCrd(line.name);
    const spec = { ...current.spec, versions: moved.crd.spec.versions };

    const [busy = ''] = names;
    const writers = startWriters(apiserver, roundhouse.running, {
      changes: async (ask, number) => {
        const version = number % 2 === 0 ? 'v1' : 'v1alpha1';
        const change = number % 2 === 0 ? { home: `h-${number}` } : { port: `p-${number}` };
        await ask('PATCH', line.path(version, busy), { type: MERGE_PATCH, body: { spec: change } });
      },
      'comes and goes': async (ask, number) => {
        const name = `guest-${number}`;
        await ask('POST', line.path('v1alpha1'), { body: line.object('v1alpha1', name, { spec: { count: 1 } }) });
        await ask('DELETE', line.path('v1', name));
      },
    });
    await writers.nextRound();
    await apiserver.ask('PUT', `${CRDS}/${line.name}`, { body: { ...current, spec } });
    const argv = ['migrate-storage', '--crd', line.name, '--prune-stored-versions', '--concurrency', '4', '-o', 'json'];
    const { code, out, err } = await run(...argv);
    await writers.stop();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(writers.failures()).toEqual([]);
    const report = JSON.parse(out);
    expect(report).toMatchObject({ failed: 0, proved: true, pruned: true, storedVersions: ['v1alpha1', 'v1'] });
    // Writers may have rewritten theirs before us.
    expect(report.rewritten).toBeGreaterThanOrEqual(OBJECTS - 1);
    expect((await readCrd(line.name)).status.storedVersions).toEqual(['v1']);

    const stale: string[] = [];
    const { items } = await apiserver.ask('GET', `${line.path('v1')}?limit=500`);
    await inParallel<any>(items, 8, async (body) => {
      const { name, resourceVersion } = body.metadata;
      const { metadata } = await apiserver.ask('PUT', line.path('v1', name), { body });
      if (metadata.resourceVersion !== resourceVersion) stale.push(name);
    });
    expect(items.length).toBeGreaterThanOrEqual(OBJECTS);
    expect(stale).toEqual([]);
  });

  describe('the objects of a cluster', () => {
    const versions = [...crd.spec.versions, { ...crd.spec.versions[1], name: 'v0', storage: false }];
    const gadgets = lineOf({ crd: { ...crd, spec: { ...crd.spec, versions } }, config });
    const given = ['-c', 'config.yaml', '--crd', 'crd.yaml', '--live', '-o', 'json'];

    beforeAll(async () => {
      sandbox.write({ 'config.yaml': JSON.stringify(config), 'crd.yaml': JSON.stringify(gadgets.crd) });
      await createCrd(gadgets);
      const names = Array.from({ length: OBJECTS }, (_, index) => `gadget-${index}`);
      await create(gadgets, 'v2', Object.fromEntries(names.map((name) => [name, { title: name, size: 'S' }])));
      await create(gadgets, 'v2', { odd: { size: 'XL' } });
      const old = gadgets.object('v0', 'old', { spec: { size: 'S' } });
      await apiserver.apply(gadgets.path('v0', 'old'), old, { manager: 'gitops' });
    });

    test('are all tested by test --live, and the one that cannot be converted is found', async () => {
      const { code, out, err } = await run('test', ...given);
      expect({ code, err }).toEqual({ code: 1, err: '' });
      const { summary, samples } = JSON.parse(out);
      expect(summary).toMatchObject({ samples: OBJECTS + 2, errors: 1, unacknowledgedLoss: 0 });
      const failed = samples.filter(({ paths }: any) => paths.some(({ result }: any) => result === 'error'));
      expect(failed).toMatchObject([{ file: 'cluster:default/odd', assertedVersion: 'v2' }]);
      const one = await run('test', ...given, '-n', 'default', '-l', 'none=such');
      expect(one).toMatchObject({ code: 2, err: expect.stringContaining('namespace default has no Gadget objects') });
    });

    test('are all looked at by analyze --live: old owners, unknown values, what a cache refill takes', async () => {
      const { code, out } = await run('analyze', ...given, '--round-trip', '10ms');
      expect(code).toBe(1);
      const { live } = JSON.parse(out);
      const converts = OBJECTS + 2;
      const others = { converts, atMost: false, refillSeconds: converts / 100 };
      expect(live).toMatchObject({
        context: 'e2e',
        objects: OBJECTS + 2,
        crds: [{ crd: gadgets.name, objects: OBJECTS + 2, storedVersions: ['v2'] }],
        findings: [{ severity: 'warning', message: expect.stringContaining('asks no webhook') }],
        managedFieldsWithoutPlan: [{ version: 'v0', objects: 1, example: 'cluster:default/old', managers: ['gitops'] }],
        unmappedValues: [{ spoke: 'v1', path: 'spec.size', value: 'XL', example: 'cluster:default/odd' }],
        failures: [{ object: 'cluster:default/odd', to: 'v1' }],
        versions: [
          { version: 'v2', converts: 0, atMost: false, refillSeconds: 0 },
          { version: 'v1', ...others },
          { version: 'v0', ...others },
        ],
      });
    });

    test('may be kept from a user, and the error says which permission is needed', async () => {
      const token = 'of-nobody';
      sandbox.write({ nobody: kubeconfigOf({ ...apiserver, token }) });
      const { code, err } = await sandbox.run(['test', ...given, '--kubeconfig', 'nobody']);
      expect(code).toBe(2);
      expect(err).toContain('401 Unauthorized');
      expect(err).not.toContain(token);
      sandbox.write({ ann: kubeconfigOf(apiserver, { as: 'ann' }) });
      const ann = await sandbox.run(['test', ...given, '--kubeconfig', 'ann']);
      expect(ann.code).toBe(2);
      expect(ann.err).toContain('403 Forbidden');
      expect(ann.err).toContain(
        'a ClusterRole with apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get"]',
      );
    });
  });
});

function kubeconfigOf({ url, token, ca }: Apiserver, more: object = {}): string {
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return JSON.stringify({
    clusters: [{ name: 'e2e', cluster }],
    users: [{ name: 'admin', user: { token, ...more } }],
    contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: 'admin' } }],
    'current-context': 'e2e',
  });
}
