import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CliRun, type CliSandbox, openCliSandbox } from '../support/convctl.ts';
import { CRDS, type FakeApiserver, startFakeApiserver } from './support/fake-apiserver.ts';
import { status } from './support/fake-http.ts';
import { config, crd, NAME } from './support/gadgets.ts';

const CONFIGS = '/apis/terasky.com/v1alpha1/crdconversionconfigs';
let fake: FakeApiserver;
let sandbox: CliSandbox;

beforeEach(async () => {
  fake = await startFakeApiserver();
  sandbox = openCliSandbox({ kubeconfig: fake.kubeconfig(), 'config.yaml': JSON.stringify(config) });
  fake.put(CRDS, crd);
});
afterEach(async () => {
  sandbox.remove();
  await fake.close();
});

const diff = (...more: string[]): Promise<CliRun> =>
  sandbox.run(['diff', '-c', 'config.yaml', '--live', '--kubeconfig', 'kubeconfig', ...more]);

test('a config that the cluster has too is no difference', async () => {
  fake.put(CONFIGS, { ...config, status: { phase: 'Applied' } });
  const { code, out } = await diff();
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({
    ...{ resourceKind: 'CRD', resource: NAME, from: 'cluster:gadgets', to: 'config.yaml', hasDeltas: false },
  });
});

test('a rule that the cluster does not have yet is one', async () => {
  const [spoke] = config.spec.spokes as any;
  const spokes = [{ ...spoke, rules: spoke.rules.slice(0, 1) }];
  fake.put(CONFIGS, { ...config, spec: { ...config.spec, spokes } });
  const { code, out } = await diff();
  expect(code).toBe(1);
  expect(JSON.parse(out).spokes).toMatchObject([{ version: 'v1', ruleClaimsAdded: [{ strategy: 'EnumRemap' }] }]);
});

test('against a cluster without the config every rule is new', async () => {
  const { code, out } = await diff();
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    from: 'cluster:(no CRDConversionConfig gadgets)',
    spokes: [{ ruleClaimsAdded: [{ strategy: 'EnumRemap' }, { strategy: 'FieldRename' }], ruleClaimsRemoved: [] }],
  });
});

test('the table has it too', async () => {
  expect((await diff('-o', 'table')).out).toContain('cluster:(no CRDConversionConfig gadgets)');
});

test('a config that may not be read is an error', async () => {
  fake.intercept(({ path }) => (path.startsWith(CONFIGS) ? status(403, 'Forbidden', 'no') : undefined));
  const { code, err } = await diff();
  expect(code).toBe(2);
  expect(err).toContain('cannot get crdconversionconfigs.terasky.com gadgets: 403 Forbidden: no');
});

test.each([
  [['-c', 'config.yaml'], '--config is given 2 times: give it once with --live'],
  [['--crd', 'crd.yaml'], 'only one of --xrd, --crd, --live can be given'],
])('%j is a wrong use', async (argv, text) => {
  const { code, err } = await diff(...argv);
  expect(code).toBe(2);
  expect(err).toContain(text);
});

test('a file that is no config is an error', async () => {
  sandbox.write({ 'config.yaml': JSON.stringify(crd) });
  const { code, err } = await diff();
  expect(code).toBe(2);
  expect(err).toContain('config.yaml is no CRDConversionConfig or XRDConversionConfig');
});
