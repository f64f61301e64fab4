import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliRun, type CliSandbox, openCliSandbox } from '../support/convctl.ts';
import { CRDS, type FakeApiserver, startFakeApiserver, XRDS } from './support/fake-apiserver.ts';
import { config, crd, gadget, NAME, xrd } from './support/gadgets.ts';

let fake: FakeApiserver;
let sandbox: CliSandbox;

beforeEach(async () => {
  fake = await startFakeApiserver();
  const files = { 'config.yaml': JSON.stringify(config), 'crd.yaml': JSON.stringify(crd) };
  sandbox = openCliSandbox({ kubeconfig: fake.kubeconfig(), ...files });
  fake.put(CRDS, { ...crd, status: { ...crd.status, storedVersions: ['v2'] } });
});
afterEach(async () => {
  sandbox.remove();
  await fake.close();
});

const analyze = (...more: string[]): Promise<CliRun> =>
  sandbox.run(['analyze', '-c', 'config.yaml', '--live', '--kubeconfig', 'kubeconfig', ...more]);

async function live(...more: string[]): Promise<any> {
  const { code, out, err } = await analyze('-o', 'json', ...more);
  return { code, err, ...JSON.parse(out).live };
}

const owned = (version: string, manager: string) => ({
  managedFields: [{ manager, operation: 'Apply', apiVersion: `example.org/${version}`, fieldsV1: {} }],
});

test('sound objects have nothing to say but how long a cache refill takes', async () => {
  for (let index = 0; index < 201; index++) fake.add(gadget(`g-${index}`), 'v2');
  const { code, out, err } = await analyze('--crd', 'crd.yaml', '--round-trip', '25ms');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out.slice(out.indexOf('Cluster:')).replace(fake.url, 'URL')).toBe(
    [
      'Cluster: context fake, URL: 201 objects',
      '',
      'VERSION  OBJECTS A READ CONVERTS  CACHE REFILL AT 25 ms A CALL',
      'v2       0                        at once',
      'v1       201                      5 s',
      '',
      `warning: ${NAME} serves 2 versions and asks no webhook: wire it`,
      '',
    ].join('\n'),
  );
});

test('while objects may be stored at several versions the numbers are the most that it can be', async () => {
  fake.put(CRDS, crd);
  fake.add(gadget('g'), 'v1');
  expect((await live()).versions).toEqual([
    { version: 'v2', converts: 1, atMost: true, refillSeconds: 0.02 },
    { version: 'v1', converts: 1, atMost: true, refillSeconds: 0.02 },
  ]);
});

test('versions in managedFields that no spoke converts are found, with who used them (R26)', async () => {
  fake.add(gadget('a', {}, owned('v1alpha1', 'argocd')), 'v2');
  fake.add(gadget('b', {}, owned('v1alpha1', 'kubectl')), 'v2');
  fake.add(gadget('c', {}, owned('v1', 'kubectl')), 'v2');
  const [entry] = owned('v0', 'kubectl').managedFields;
  fake.add(gadget('d', {}, { managedFields: [{ ...entry, apiVersion: 'other.example.org/v0' }] }), 'v2');
  const expected = { version: 'v1alpha1', objects: 2, example: 'cluster:default/a', managers: ['argocd', 'kubectl'] };
  expect(await live()).toMatchObject({ code: 1, managedFieldsWithoutPlan: [expected] });
  expect((await analyze()).out).toContain(
    'error: managedFields name v1alpha1 (argocd, kubectl), which no spoke converts: server-side apply fails: ' +
      '2 objects, cluster:default/a for one\n',
  );
});

describe('values that an EnumRemap rule does not name are found (R49)', () => {
  test('and the objects that cannot be converted for it', async () => {
    fake.add(gadget('a', { size: 'XL' }), 'v2');
    fake.add(gadget('b', { size: 'XL' }), 'v2');
    fake.add(gadget('c', { size: 'M' }), 'v2');
    const found = await live();
    expect(found).toMatchObject({ code: 1, objects: 3 });
    expect(found.unmappedValues).toEqual([
      {
        spoke: 'v1',
        rule: '1',
        path: 'spec.size',
        policy: 'Error',
        value: 'XL',
        objects: 2,
        example: 'cluster:default/a',
      },
    ]);
    expect(found.failures).toEqual(
      ['a', 'b'].map((name) => ({
        object: `cluster:default/${name}`,
        to: 'v1',
        error: expect.stringContaining('EnumRemap at spec.size: value "XL" is not mapped'),
      })),
    );
  });

  test('as a warning where they are dropped', async () => {
    const [spoke] = config.spec.spokes as any;
    const [rename, remap] = spoke.rules;
    const dropping = {
      ...remap,
      acknowledgeLossy: true,
      reason: 'small ones only',
      enumRemap: { ...remap.enumRemap, onUnmappedHubValue: 'Drop' },
    };
    const spokes = [{ ...spoke, rules: [rename, dropping] }];
    sandbox.write({ 'config.yaml': JSON.stringify({ ...config, spec: { ...config.spec, spokes } }) });
    fake.add(gadget('a', { size: 'XL' }), 'v2');
    expect(await live()).toMatchObject({ code: 0, failures: [], unmappedValues: [{ policy: 'Drop', value: 'XL' }] });
    expect((await analyze()).out).toContain('warning: [v1] rule 1: spec.size "XL" is dropped: cluster:default/a\n');
  });

  test('also in lists, and for exact integers', async () => {
    const parts = { type: 'array', items: { type: 'object', properties: { code: { type: 'integer' } } } };
    const versions = crd.spec.versions.map((version) => {
      const schema = structuredClone(version.schema) as any;
      schema.openAPIV3Schema.properties.spec.properties.parts = parts;
      return { ...version, schema };
    });
    fake.put(CRDS, { ...crd, spec: { ...crd.spec, versions } });
    const mapping = [{ hub: 1, spoke: 10 }];
    const nested = [{ strategy: 'EnumRemap', enumRemap: { path: 'code', mapping } }];
    const each = { hubItemsPath: 'spec.parts', spokeItemsPath: 'spec.parts', rules: nested };
    const [spoke] = config.spec.spokes as any;
    const spokes = [{ ...spoke, rules: [...spoke.rules, { strategy: 'ForEach', forEach: each }] }];
    sandbox.write({ 'config.yaml': JSON.stringify({ ...config, spec: { ...config.spec, spokes } }) });
    fake.add(gadget('a', { parts: [{ code: 1 }, { code: null }, { code: '1' }, { code: 9007199254740993n }] }), 'v2');
    const { out } = await analyze('-o', 'json');
    expect(out).toContain('"value": 9007199254740993');
    expect(await live()).toMatchObject({
      unmappedValues: [
        { rule: '2.0', path: 'code', objects: 1, value: '1' },
        { rule: '2.0', path: 'code', objects: 1, value: 9007199254740992 },
      ],
    });
  });
});

test('a CRD in the cluster that is not as it was analysed is an error', async () => {
  sandbox.write({
    'crd.yaml': JSON.stringify({ ...crd, spec: { ...crd.spec, versions: crd.spec.versions.slice(0, 2) } }),
  });
  const [v2, v1] = crd.spec.versions as [any, any];
  fake.put(CRDS, { ...crd, spec: { ...crd.spec, versions: [v2, { ...v1, served: false }] } });
  const { code, findings } = await live('--crd', 'crd.yaml');
  expect(code).toBe(1);
  expect(findings).toEqual([
    { severity: 'error', message: `${NAME} is not as it was analysed: v1 is not served in the cluster` },
  ]);
});

describe('an XRD', () => {
  const conversion = (url: string) => ({
    strategy: 'Webhook',
    webhook: { clientConfig: { url }, conversionReviewVersions: ['v1'] },
  });
  const url = (token: string) => `https://r.example.org/convert/default/${token}/${NAME}`;
  const ofXrd = {
    ...config,
    kind: 'XRDConversionConfig',
    spec: { ...config.spec, targetXRD: { name: NAME }, targetCRD: undefined },
  };
  const claims = {
    ...crd,
    metadata: { name: 'claims.example.org' },
    spec: { ...crd.spec, names: { kind: 'Claim', plural: 'claims' } },
  };

  beforeEach(() => sandbox.write({ 'config.yaml': JSON.stringify(ofXrd) }));

  test('is compared with both CRDs that Crossplane made of it, without a token in the texts (R53)', async () => {
    fake.put(XRDS, { ...xrd, spec: { ...xrd.spec, conversion: conversion(url('one-token')) } });
    fake.put(CRDS, { ...crd, spec: { ...crd.spec, conversion: conversion(url('other-token')) } });
    fake.put(CRDS, claims);
    const { code, findings } = await live();
    expect(code).toBe(1);
    expect(JSON.stringify(findings)).not.toContain('-token');
    expect(findings.map(({ message }: any) => message)).toEqual([
      expect.stringContaining(`CRD ${NAME} does not have the conversion of the XRD: the URL is https://r.example.org`),
      'CRD claims.example.org does not have the conversion of the XRD: the strategy is None instead of Webhook',
    ]);
  });

  test('of a package is warned about, and its claims are looked at too', async () => {
    const wired = conversion(url('t'));
    const ownerReferences = [{ kind: 'ConfigurationRevision', name: 'platform-1' }];
    fake.put(XRDS, {
      ...xrd,
      metadata: { ...xrd.metadata, ownerReferences },
      spec: { ...xrd.spec, conversion: wired },
    });
    fake.put(CRDS, { ...crd, spec: { ...crd.spec, conversion: wired } });
    fake.put(CRDS, { ...claims, spec: { ...claims.spec, conversion: wired } });
    fake.add(gadget('x'), 'v2');
    fake.add({ ...gadget('c', { size: 'XL' }), kind: 'Claim' }, 'v2');
    const found = await live();
    expect(found).toMatchObject({ code: 1, objects: 2, failures: [{ object: 'cluster:default/c' }] });
    expect(found.findings).toEqual([
      { severity: 'warning', message: expect.stringContaining('belongs to the package revision platform-1') },
    ]);
  });
});

test('a namespace and labels choose among the objects', async () => {
  fake.add(gadget('a'), 'v2');
  fake.add(gadget('b', {}, { namespace: 'other' }), 'v2');
  expect(await live('-n', 'other', '-l', 'team=x')).toMatchObject({ objects: 1 });
  expect(fake.calls.at(-1)?.query.get('labelSelector')).toBe('team=x');
});

test('a config with errors is reported, and the objects are not looked at', async () => {
  sandbox.write({ 'config.yaml': JSON.stringify({ ...config, spec: { ...config.spec, hubVersion: 'v9' } }) });
  const { code, out, err } = await analyze();
  expect(code).toBe(1);
  expect(out).toContain('HUB_UNKNOWN');
  expect(err).toContain('has errors, so the objects of the cluster are not looked at');
});

test.each([
  [['-o', 'sarif'], '--live is printed as table, wide or json, not as sarif'],
  [['--round-trip', '20'], '--round-trip is "20"'],
])('%j is a wrong use', async (argv, text) => {
  const { code, err } = await analyze(...argv);
  expect(code).toBe(2);
  expect(err).toContain(text);
});
