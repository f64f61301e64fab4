import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliRun, type CliSandbox, openCliSandbox } from '../support/convctl.ts';
import { CRDS, type FakeApiserver, kubeconfigOf, startFakeApiserver } from './support/fake-apiserver.ts';
import { status } from './support/fake-http.ts';
import { config, crd, gadget } from './support/gadgets.ts';

let fake: FakeApiserver;
let sandbox: CliSandbox;

beforeEach(async () => {
  fake = await startFakeApiserver();
  const files = { 'config.yaml': JSON.stringify(config), 'crd.yaml': JSON.stringify(crd) };
  sandbox = openCliSandbox({ kubeconfig: fake.kubeconfig(), ...files });
  fake.put(CRDS, crd);
});
afterEach(async () => {
  sandbox.remove();
  await fake.close();
});

const run = (...argv: string[]): Promise<CliRun> =>
  sandbox.run(['test', '-c', 'config.yaml', '--crd', 'crd.yaml', ...argv]);
const live = (...more: string[]) => run('--live', '--kubeconfig', 'kubeconfig', ...more);

test('every object of every page is tested at every version, once, also when the list must begin again', async () => {
  for (let index = 0; index < 401; index++) fake.add(gadget(`g-${index}`), 'v2');
  fake.expire(1, { resumable: false });
  const { code, out, err } = await live('-o', 'json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { summary, samples } = JSON.parse(out);
  expect(summary).toMatchObject({ samples: 401, pathsTested: 802, pass: 802, errors: 0 });
  expect(samples.map(({ file }: any) => file)).toContain('cluster:default/g-400');
});

test('one object that fails is found among all (R04)', async () => {
  for (let index = 0; index < 50; index++) fake.add(gadget(`g-${index}`, { size: index === 33 ? 'XL' : 'S' }), 'v2');
  const { code, out } = await live('-o', 'json');
  expect(code).toBe(1);
  const failed = JSON.parse(out).samples.filter(({ paths }: any) =>
    paths.some(({ result }: any) => result === 'error'),
  );
  expect(failed).toMatchObject([{ file: 'cluster:default/g-33', assertedVersion: 'v2' }]);
});

test('an absent source is skipped, as a webhook skips it, unless it shall fail', async () => {
  const copy = '{"spec.serial": object.spec.serial}';
  const cel = { hubPaths: ['spec.serial'], spokePaths: ['spec.serial'], hubToSpoke: copy, spokeToHub: copy };
  const [spoke] = config.spec.spokes as any;
  const rule = { strategy: 'CEL', acknowledgeLossy: true, reason: 'no has()', cel };
  const spokes = [{ ...spoke, rules: [...spoke.rules, rule] }];
  sandbox.write({ 'config.yaml': JSON.stringify({ ...config, spec: { ...config.spec, spokes } }) });
  fake.add(gadget('bare', {}), 'v2');
  expect(await live()).toMatchObject({ code: 0, err: '' });
  const { code, out } = await live('--absent', 'fail');
  expect(code).toBe(1);
  expect(out).toContain('no such key');
});

test('a cluster without objects of the kind is an error', async () => {
  const { code, err } = await live('-n', 'empty', '-l', 'a=b');
  expect(code).toBe(2);
  expect(err).toContain('namespace empty has no Gadget objects with the labels a=b (context fake)');
});

describe('a fleet', () => {
  let other: FakeApiserver;
  beforeEach(async () => {
    other = await startFakeApiserver();
    other.put(CRDS, crd);
    fake.add(gadget('a'), 'v2');
    other.add(gadget('b', { size: 'XL' }), 'v2');
    sandbox.write({
      'fleet/a': fake.kubeconfig(),
      'fleet/b.yaml': other.kubeconfig(),
      'fleet/README.md': 'what this is',
      'fleet/.hidden': 'no kubeconfig',
      'fleet/old/c': 'no kubeconfig',
      'unreachable/a': fake.kubeconfig(),
      'unreachable/z': kubeconfigOf('http://127.0.0.1:1', 'x'),
      'empty/README.md': '',
    });
  });
  afterEach(() => other.close());

  test('of kubeconfigs is a report for each', async () => {
    const { code, out } = await run('--live', '--kubeconfig-dir', 'fleet', '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out).clusters).toMatchObject([
      { label: 'a', report: { summary: { samples: 1, errors: 0 } } },
      { label: 'b.yaml', report: { summary: { samples: 1, errors: 1 } } },
    ]);
  });

  test('for people has a table for each cluster, and a line for all', async () => {
    const { code, out } = await run('--live', '--kubeconfig-dir', 'fleet');
    expect(code).toBe(1);
    expect(out).toMatch(/^CLUSTER: a\n[\s\S]*^CLUSTER: b\.yaml\n/m);
    expect(out).toMatch(/^FLEET: 2 clusters, 1 failed\n$/m);
  });

  test('with a cluster that cannot be reached tests the others, and ends with 1 whatever is a finding', async () => {
    const { code, out } = await run('--live', '--kubeconfig-dir', 'unreachable', '--fail-on', 'none', '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out).clusters).toMatchObject([
      { label: 'a', report: {} },
      { label: 'z', error: expect.stringContaining('the cluster cannot be reached') },
    ]);
  });

  test('in JUnit is a suite for each cluster', async () => {
    const { out } = await run('--live', '--kubeconfig-dir', 'unreachable', '-o', 'junit');
    expect(out).toContain('<testsuite name="a/CRD/gadgets.example.org" tests="2" failures="0" errors="0"');
    expect(out).toMatch(
      /<testsuite name="z\/" tests="1" failures="0" errors="1"[^>]*>\n +<testcase name="z" classname="convctl.fleet"/,
    );
  });

  test('may be contexts of one kubeconfig', async () => {
    const [one, two] = [JSON.parse(fake.kubeconfig()), JSON.parse(other.kubeconfig())];
    const clusters = [one.clusters[0], { ...two.clusters[0], name: 'd' }];
    const contexts = ['c', 'd'].map((cluster) => ({ name: `on-${cluster}`, context: { cluster, user: 'u' } }));
    sandbox.write({ both: JSON.stringify({ ...one, clusters, contexts, 'current-context': '' }) });
    const { code, out } = await run('--live', '--kubeconfig', 'both', '--contexts', 'on-c,on-d,gone', '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out).clusters).toMatchObject([
      { label: 'on-c', report: { summary: { errors: 0 } } },
      { label: 'on-d', report: { summary: { errors: 1 } } },
      { label: 'gone', error: expect.stringContaining('there is no context gone') },
    ]);
  });

  test.each([
    [['--live', '--kubeconfig-dir', 'empty'], 'the folder empty has no kubeconfig in it'],
    [['--live', '--kubeconfig-dir', 'missing'], 'cannot read the folder missing: there is no such folder'],
    [
      ['--live', '--kubeconfig-dir', 'fleet', '--kubeconfig', 'kubeconfig'],
      'only one of --kubeconfig, --kubeconfig-dir',
    ],
    [['--live', '--contexts', 'a', '--context', 'b'], 'only one of --context, --contexts'],
    [['-s', 'crd.yaml', '--kubeconfig-dir', 'fleet'], '--kubeconfig-dir is for --live'],
    [['-s', 'crd.yaml', '--contexts', 'a'], '--contexts is for --live'],
    [['-s', 'crd.yaml', '--live'], 'only one of --samples, --live, --fuzz'],
  ])('%j is a wrong use', async (argv, text) => {
    const { code, err } = await run(...argv);
    expect(code).toBe(2);
    expect(err).toContain(text);
  });
});

test('a single cluster that refuses is an error, not a finding', async () => {
  fake.intercept(({ path }) => (path.endsWith('/gadgets') ? status(403, 'Forbidden', 'no') : undefined));
  const { code, err } = await live('--fail-on', 'none');
  expect(code).toBe(2);
  expect(err).toContain('verbs: ["list"]');
});
