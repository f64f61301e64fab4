import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CliRun, type CliSandbox, openCliSandbox } from '../support/convctl.ts';
import { CRDS, type FakeApiserver, startFakeApiserver, XRDS } from './support/fake-apiserver.ts';
import { status } from './support/fake-http.ts';
import { type FakeWebhook, PATH_TOKEN, startFakeWebhook } from './support/fake-webhook.ts';
import { config, crd, gadget, NAME, xrd } from './support/gadgets.ts';

let webhook: FakeWebhook;
let fake: FakeApiserver;
let sandbox: CliSandbox;

beforeAll(async () => {
  webhook = await startFakeWebhook(NAME);
});
afterAll(() => webhook.close());
beforeEach(async () => {
  webhook.behave((response) => ({ body: { response } }));
  fake = await startFakeApiserver();
  fake.put(CRDS, crd);
  const files = {
    kubeconfig: fake.kubeconfig(),
    'ca.crt': webhook.ca,
    token: PATH_TOKEN,
    'config.yaml': JSON.stringify(config),
  };
  sandbox = openCliSandbox({ ...files, 'crd.yaml': JSON.stringify(crd) });
});
afterEach(async () => {
  sandbox.remove();
  await fake.close();
});

const OF_CRD = ['--crd', NAME];
const ENDPOINT = () => ['--url', webhook.endpoint, '--path-token-file', 'token', '--ca-bundle', 'ca.crt'];
const OF_URL = () => [...ENDPOINT(), '-c', 'config.yaml', '--schema', 'crd.yaml'];

/** What it printed holds the path token never. */
async function run(...argv: string[]): Promise<CliRun> {
  const outcome = await sandbox.run(['wire', '--kubeconfig', 'kubeconfig', '--wait', '1ms', ...argv]);
  expect(outcome.out + outcome.err).not.toContain(PATH_TOKEN);
  return outcome;
}
const wire = (...more: string[]) => run(...OF_CRD, ...OF_URL(), ...more);
const patches = () => fake.calls.filter(({ method }) => method === 'PATCH');
const conversion = () => fake.get(CRDS, NAME).spec.conversion;
const urlOf = () => conversion().webhook.clientConfig.url;

test('a CRD is pointed at the webhook when every check holds', async () => {
  fake.add(gadget('g'), 'v2');
  const { code, out, err } = await wire();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out.replaceAll(/127.0.0.1:\d+/g, 'HOST')).toBe(
    [
      'CHECK        RESULT  DETAIL',
      'established  ok      CRD gadgets.example.org',
      'config       ok      config.yaml',
      'versions     ok      v2, v1',
      'schema       ok      the cluster has the schema that was analysed',
      'webhook      ok      https://HOST/convert/default/***/gadgets.example.org converts a stored Gadget, v2 <-> v1',
      'wired: gadgets.example.org asks https://HOST/convert/default/***/gadgets.example.org',
      '',
    ].join('\n'),
  );
  expect(conversion()).toEqual({
    strategy: 'Webhook',
    webhook: {
      clientConfig: { url: webhook.url, caBundle: Buffer.from(webhook.ca).toString('base64') },
      conversionReviewVersions: ['v1'],
    },
  });
  expect(Object.fromEntries(patches()[0]?.query ?? [])).toEqual({ fieldManager: 'roundhouse', force: 'true' });
  expect(patches()[0]).toMatchObject({ type: 'application/apply-patch+yaml' });
});

describe('the webhook is asked as an apiserver asks', () => {
  const reviews = async (definition: object, ...more: string[]) => {
    fake.put(CRDS, definition);
    const before = webhook.reviews.length;
    const outcome = await run(...OF_CRD, ...ENDPOINT(), ...more);
    const ways = webhook.reviews.slice(before).map(({ request: { desiredAPIVersion, objects } }) => {
      return `${objects[0].kind} ${objects[0].metadata.name} ${objects[0].apiVersion} -> ${desiredAPIVersion}`;
    });
    return { ...outcome, ways };
  };
  const [v2, v1] = crd.spec.versions as [any, any];
  const of = (versions: any[], storedVersions: string[]) => {
    return { ...crd, spec: { ...crd.spec, versions }, status: { ...crd.status, storedVersions } };
  };
  const there = 'Gadget g example.org/v2 -> example.org/v1';
  const back = 'Gadget g example.org/v1 -> example.org/v2';

  test.each<[string, object, string[]]>([
    ['a version that is served is made of a stored object, and that of it', of([v2, v1], ['v2']), [there, back]],
    ['so is one that is only stored', of([v2, { ...v1, served: false }], ['v1', 'v2']), [there, back]],
    ['the storage version is what objects are asked for at first', of([v1, v2], ['v2']), [there, back]],
    [
      'one that is neither is not asked for',
      of([v2, { ...v1, served: false }], ['v2']),
      ['Gadget g example.org/v2 -> example.org/v2'],
    ],
    [
      'with one version the object is asked for as it is',
      of([v2], ['v2']),
      ['Gadget g example.org/v2 -> example.org/v2'],
    ],
    [
      'a storage version that is not served is made of what can be read',
      of([{ ...v2, served: false }, v1], ['v2']),
      [back, there],
    ],
  ])('%s', async (_what, definition, ways) => {
    fake.add(gadget('g'), 'v2');
    expect(await reviews(definition)).toMatchObject({ code: 0, ways });
  });

  test('one version, and nothing listens there: the CRD is not wired', async () => {
    const { code, out } = await reviews(of([v2], ['v2']), '--url', 'https://127.0.0.1:1/convert/default');
    expect(code).toBe(1);
    expect(out).toMatch(
      /^webhook +failed .* a made-up Gadget \(there is none\), v2 <-> v2: v2 -> v2: .*nothing listens/m,
    );
    expect(patches()).toEqual([]);
  });

  test.each<[string, (response: any, request: any) => any, string]>([
    [
      'does not convert back',
      (response, { desiredAPIVersion }) =>
        desiredAPIVersion.endsWith('/v2')
          ? { ...response, convertedObjects: [], result: { status: 'Failure', message: 'one way only' } }
          : response,
      'v1 -> v2: it answers Failure: one way only',
    ],
    [
      'makes another object',
      (response) => {
        const [object] = response.convertedObjects;
        return { ...response, convertedObjects: [{ ...object, metadata: { ...object.metadata, name: 'other' } }] };
      },
      'v2 -> v1: it changed metadata.name',
    ],
    [
      'repeats the token in its answer',
      (response) => ({ ...response, result: { status: 'Failure', message: `no /convert/default/${PATH_TOKEN}/x` } }),
      'no /convert/default/***/x',
    ],
  ])('one that %s is not fit', async (_what, change, text) => {
    fake.add(gadget('g'), 'v2');
    webhook.behave((response, request) => ({ body: { response: change(response, request) } }));
    const { code, out } = await reviews(crd);
    expect(code).toBe(1);
    expect(out).toMatch(/^webhook +failed /m);
    expect(out).toContain(text);
    expect(patches()).toEqual([]);
  });

  test('that stored objects cannot be read is said', async () => {
    fake.add(gadget('g'), 'v2');
    fake.intercept(({ path }) => (path.endsWith('/gadgets') ? status(403, 'Forbidden', 'not yours') : undefined));
    const { code, out } = await reviews(crd);
    expect(code).toBe(0);
    expect(out).toContain(
      'converts a made-up Gadget (stored ones cannot be read: 403 Forbidden: not yours), v2 <-> v1',
    );
  });
});

test('a dry run lets the apiserver check the patch, and changes nothing', async () => {
  const { code, out } = await wire('--dry-run');
  expect(code).toBe(0);
  expect(out).toContain('nothing was changed: this is a dry run; the apiserver would take it\n');
  expect(patches()[0]?.query.get('dryRun')).toBe('All');
  expect(conversion()).toBeUndefined();
});

describe('nothing is changed while a check fails:', () => {
  const spoke = config.spec.spokes[0] as any;
  const spec = (changes: object) => JSON.stringify({ ...config, spec: { ...config.spec, ...changes } });
  const without = (status: object) => ({ ...crd, status: { ...crd.status, ...status } });
  const [v2, v1] = crd.spec.versions as [any, any];
  const other = { ...crd, spec: { ...crd.spec, versions: [v2, { ...v1, schema: v2.schema }] } };
  const v0 = { ...v1, name: 'v0' };

  test.each<[string, string, any, Record<string, string>, string]>([
    ['a CRD that is not established', 'established', without({ conditions: [] }), {}, 'see its conditions'],
    [
      'a config with errors',
      'config',
      crd,
      { 'config.yaml': spec({ spokes: [{ ...spoke, rules: spoke.rules.slice(1) }] }) },
      'config.yaml has errors: hub field spec.title',
    ],
    [
      'a config for another target',
      'config',
      crd,
      { 'config.yaml': spec({ targetCRD: { name: 'x.example.org' } }) },
      'is for x',
    ],
    ['a stored version without a plan', 'versions', without({ storedVersions: ['v0', 'v2'] }), {}, 'stored at v0'],
    [
      'a served version without a plan',
      'versions',
      { ...crd, spec: { ...crd.spec, versions: [v2, v1, v0] } },
      {},
      'serves v0, which no spoke converts',
    ],
    ['another schema than was analysed', 'schema', other, {}, 'v1: properties.spec.properties.name differs'],
  ])('%s', async (_what, check, definition, files, text) => {
    fake.put(CRDS, definition);
    sandbox.write(files);
    const { code, out } = await wire();
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`^${check} +failed +.*${text}`, 'm'));
    expect(out).toContain('nothing was changed: a check failed\n');
    expect(patches()).toEqual([]);
  });

  test.each<[string, Parameters<FakeWebhook['behave']>[0], string]>([
    [
      'refuses',
      () => ({ status: 404, body: { message: 'no conversion is served' } }),
      'HTTP 404: no conversion is served',
    ],
    [
      'fails',
      (response) => ({ body: { response: { ...response, result: { status: 'Failure', message: 'rule 3' } } } }),
      'v2 -> v1: it answers Failure: rule 3',
    ],
    [
      'answers another request',
      (response) => ({ body: { response: { ...response, uid: '1' } } }),
      'no ConversionReview with the uid',
    ],
    [
      'converts nothing',
      (response) => ({ body: { response: { ...response, convertedObjects: [] } } }),
      'did not give one object for one',
    ],
  ])('a webhook that %s', async (_what, behaviour, text) => {
    webhook.behave(behaviour);
    const { code, out } = await wire();
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`^webhook +failed +.*${text}`, 'm'));
    expect(patches()).toEqual([]);
  });

  test('a webhook whose CA is not known', async () => {
    const { code, out } = await run(
      ...OF_CRD,
      '--url',
      webhook.endpoint,
      '--path-token-file',
      'token',
      '-c',
      'config.yaml',
    );
    expect(code).toBe(1);
    expect(out).toMatch(/^webhook +failed +.*it cannot be reached: .*certificate/m);
  });
});

test('a check can be left out', async () => {
  webhook.behave(() => ({ status: 500, body: {} }));
  const { code, out } = await wire('--skip-check', 'webhook', '-o', 'json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    ...{ resourceKind: 'CRD', resource: NAME, context: 'fake', action: 'wire', dryRun: false, applied: true },
    checks: expect.arrayContaining([{ check: 'webhook', result: 'skipped', detail: 'as --skip-check says' }]),
    crds: [{ name: NAME, wired: true }],
  });
});

test('what another tool manages is taken over only when that is asked for', async () => {
  const conversion = { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://other.example.org' } } };
  const metadata = { ...crd.metadata, managedFields: [{ manager: 'crossplane' }] };
  fake.put(CRDS, { ...crd, metadata, spec: { ...crd.spec, conversion } });
  const { code, err } = await wire();
  expect(code).toBe(2);
  expect(err).toContain('conflict with "crossplane"');
  expect(err).toContain('--force-conflicts');
  expect((await wire('--force-conflicts')).code).toBe(0);
  expect(urlOf()).toBe(webhook.url);
});

test('the None that an apiserver fills in for whoever creates a CRD is no conflict', async () => {
  const fieldsV1 = { 'f:spec': { 'f:conversion': { 'f:strategy': {} } } };
  const metadata = { ...crd.metadata, managedFields: [{ manager: 'kubectl-create', fieldsV1 }] };
  fake.put(CRDS, { ...crd, metadata, spec: { ...crd.spec, conversion: { strategy: 'None' } } });
  const { code, err } = await wire();
  expect({ code, err }).toEqual({
    code: 0,
    err: `note: the strategy None of ${NAME} was of kubectl-create; it is roundhouse's now\n`,
  });
  expect(urlOf()).toBe(webhook.url);
});

describe('a CRD that changes while it is checked', () => {
  const meanwhile = (change: object) => {
    let done = false;
    fake.intercept(({ method }) => {
      if (method === 'PATCH' && !done) fake.put(CRDS, { ...crd, ...change });
      done ||= method === 'PATCH';
      return undefined;
    });
  };

  test('in its spec is not wired, and nobody is said to own it', async () => {
    meanwhile({ metadata: { ...crd.metadata, generation: 2 } });
    const { code, err } = await wire();
    expect(code).toBe(2);
    expect(err).toContain('409 Conflict: the object has been modified');
    expect(err).toContain('it changed in the meantime: run the command again');
    expect(conversion()).toBeUndefined();
  });

  test('in its status only is wired', async () => {
    meanwhile({ status: { ...crd.status, more: true } });
    expect((await wire()).code).toBe(0);
    expect(urlOf()).toBe(webhook.url);
  });
});

test.each([
  ['https://h.example.org/convert/default/TOKEN/x', 'https://h.example.org/convert/default/***/x'],
  ['https://h.example.org/convert/stage/convert/main/TOKEN/x', 'https://h.example.org/***/convert/main/***/x'],
  ['https://h.example.org/TOKEN/convert/a/b/x', 'https://h.example.org/***/convert/a/***/x'],
  ['https://h.example.org/TOKEN', 'https://h.example.org/***'],
  ['https://h.example.org/convert/TOKEN', 'https://h.example.org/***'],
])('what an apiserver says of %s holds no token', async (url, masked) => {
  fake.intercept(({ method }) =>
    method === 'PATCH' ? status(422, 'Invalid', `clientConfig.url: Invalid value: "${url}": no`) : undefined,
  );
  const { code, err } = await wire();
  expect(code).toBe(2);
  expect(err).toContain(`Invalid value: "${masked}": no`);
  expect(err).not.toContain('TOKEN');
});

describe('an XRD', () => {
  const claims = {
    ...crd,
    metadata: { name: 'claims.example.org' },
    spec: { ...crd.spec, names: { kind: 'Claim', plural: 'claims' } },
  };
  const ofXrd = (...more: string[]) => run('--xrd', NAME, ...ENDPOINT(), ...more);

  test('is not wired before Crossplane has made its CRDs', async () => {
    fake.put(XRDS, xrd);
    const { code, out } = await ofXrd();
    expect(code).toBe(1);
    expect(out).toMatch(/^established +failed +Crossplane has not made the CRD claims\.example\.org$/m);
  });

  test('is wired only if the webhook converts its claims too', async () => {
    fake.put(XRDS, xrd);
    fake.put(CRDS, claims);
    webhook.behave((response, { objects: [{ kind }] }) => {
      const result = { status: 'Failure', message: 'no claims here' };
      return { body: { response: kind === 'Claim' ? { ...response, result } : response } };
    });
    const { code, out } = await ofXrd();
    expect(code).toBe(1);
    expect(out).toMatch(/^webhook +failed +.*a made-up Claim \(there is none\), .*no claims here$/m);
    expect(patches()).toEqual([]);
  });

  test.each<[string, any]>([
    ['stores', { ...claims, spec: { ...claims.spec, versions: crd.spec.versions.slice(0, 1) } }],
    ['serves', { ...claims, status: { ...claims.status, storedVersions: ['v2'] } }],
  ])('is not reverted while the CRD of its claims still %s another version', async (_what, ofClaims) => {
    const versions = crd.spec.versions.filter(({ name }) => name === 'v2');
    const wired = { strategy: 'Webhook', webhook: { clientConfig: { url: webhook.url } } };
    const one = { spec: { ...xrd.spec, conversion: wired, versions: xrd.spec.versions.slice(0, 1) } };
    fake.put(XRDS, { ...xrd, ...one });
    fake.put(CRDS, { ...crd, spec: { ...crd.spec, versions }, status: { ...crd.status, storedVersions: ['v2'] } });
    fake.put(CRDS, ofClaims);
    const { code, err } = await run('--xrd', NAME, '--revert');
    expect(code).toBe(2);
    expect(err).toContain('claims.example.org serves v2 and may have objects stored at');
    expect(patches()).toEqual([]);
  });

  test('is wired only when Crossplane has passed it on to both CRDs (R53)', async () => {
    fake.put(XRDS, xrd);
    fake.put(CRDS, claims);
    const slow = await ofXrd();
    expect(slow.code).toBe(1);
    expect(slow.out).toContain('not passed on: CRD claims.example.org: the strategy is None instead of Webhook\n');
    let looks = 0;
    fake.intercept(({ method, path }) => {
      if (method === 'PATCH' && path.startsWith(XRDS)) looks = 1;
      if (method !== 'GET' || !path.endsWith('/claims.example.org') || looks === 0 || looks++ < 2) return undefined;
      const { conversion: passed } = fake.get(XRDS, NAME).spec;
      for (const each of [crd, claims]) fake.put(CRDS, { ...each, spec: { ...each.spec, conversion: passed } });
      return undefined;
    });
    expect((await ofXrd('--wait', '20s')).code).toBe(0);
  });
});

describe('--revert', () => {
  const served = (...versions: string[]) => ({
    ...crd,
    status: { ...crd.status, storedVersions: ['v2'] },
    spec: {
      ...crd.spec,
      conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: webhook.url } } },
      versions: crd.spec.versions.map((version) => ({ ...version, served: versions.includes(version.name) })),
    },
  });

  test('takes the webhook away from a CRD that serves one version', async () => {
    fake.put(CRDS, served('v2'));
    const { code, out } = await run(...OF_CRD, '--revert');
    expect({ code, out }).toEqual({ code: 0, out: `reverted: ${NAME} asks no webhook\n` });
    expect(patches()[0]?.body).toMatchObject({
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
      spec: { conversion: { strategy: 'None' } },
    });
    expect(conversion()).toEqual({ strategy: 'None' });
  });

  test.each<[string, () => any, string]>([
    ['served', () => served('v1', 'v2'), 'serves v2, v1 and may have objects stored at v2: without a webhook'],
    [
      'stored',
      () => ({ ...served('v2'), status: { ...crd.status, storedVersions: ['v1', 'v2'] } }),
      'serves v2 and may have objects stored at v1, v2: without a webhook',
    ],
  ])('is refused while several versions are %s, unless forced', async (_what, definition, text) => {
    fake.put(CRDS, definition());
    const { code, err } = await run(...OF_CRD, '--revert');
    expect(code).toBe(2);
    expect(err).toContain(`${NAME} ${text}`);
    expect(err).toContain('run migrate-storage --prune-stored-versions');
    expect(patches()).toEqual([]);
    expect((await run(...OF_CRD, '--revert', '--force')).code).toBe(0);
  });

  test('has nothing to do where there is no webhook', async () => {
    const { code, out } = await run(...OF_CRD, '--revert');
    expect({ code, out }).toEqual({ code: 0, out: 'nothing was changed: there is no webhook to take away\n' });
  });

  test('with --force-conflicts takes away what another tool wrote too', async () => {
    fake.put(CRDS, { ...served('v2'), metadata: { ...crd.metadata, managedFields: [{ manager: 'helm' }] } });
    expect((await run(...OF_CRD, '--revert')).err).toContain('conflict with "helm"');
    expect((await run(...OF_CRD, '--revert', '--force-conflicts')).code).toBe(0);
    expect(patches().at(-1)?.body).toMatchObject({ spec: { conversion: { strategy: 'None', webhook: null } } });
  });
});

test('the path token is needed before anything is asked of Roundhouse', async () => {
  const env = { ROUNDHOUSE_URL: 'https://r.example.org', ROUNDHOUSE_TOKEN: 'a' };
  const { code, err } = await sandbox.run(['wire', ...OF_CRD, '--kubeconfig', 'kubeconfig'], { env });
  expect(code).toBe(2);
  expect(err).toContain('give --path-token-file FILE (- for standard input), or set ROUNDHOUSE_PATH_TOKEN');
});

test.each([
  [['--url', 'http://a.example.org/convert/x'], '--url cannot be used: an apiserver calls only https://'],
  [['--url', 'https://a.example.org/convert?x=1'], '--url cannot be used: an apiserver calls only https://'],
  [['--url', 'https://u:p@a.example.org/convert'], '--url cannot be used: an apiserver calls only https://'],
  [
    ['--url', `https://a.example.org/convert/x/${PATH_TOKEN}`],
    'everybody sees it in `ps`. Instead give --path-token-file',
  ],
  [['--url', `https://a.example.org/convert/x/${PATH_TOKEN}/${NAME}`], '--url must end with /convert/ENDPOINT'],
  [['--url', 'https://a.example.org/hook', '--path-token-file', 'token'], 'is for a --url that ends with /convert/'],
  [['--url', `https://a.example.org/convert/${NAME}`, '--path-token-file', 'token'], 'is for a --url that ends with /'],
  [['--skip-check', 'all', '--url', 'https://a.example.org'], 'there are established, config'],
  [['--server', 'https://r.example.org'], 'there is no token for https://r.example.org'],
  [['--server', 'https://r.example.org', '--token-file', 'ca.crt'], 'the token from ca.crt holds more than one word'],
  [['--url', 'https://a.example.org', '--ca-bundle', 'crd.yaml'], 'the CA bundle crd.yaml holds no certificate'],
  [['--url', 'https://a.example.org', '-c', 'crd.yaml'], 'crd.yaml: '],
  [['--wait', 'x'], '--wait is "x"'],
])('%j is a wrong use', async (argv, text) => {
  const { code, err } = await run(...OF_CRD, ...argv);
  expect(code).toBe(2);
  expect(err).toContain(text);
});

test('the token of the environment goes to the endpoint, and to no other webhook', async () => {
  const argv = ['wire', '--kubeconfig', 'kubeconfig', '--wait', '1ms', ...OF_CRD, '--skip-check', 'webhook'];
  const env = { ROUNDHOUSE_PATH_TOKEN: PATH_TOKEN };
  await sandbox.run([...argv, '--url', 'https://other.example.org/hook'], { env });
  expect(urlOf()).toBe('https://other.example.org/hook');
  await sandbox.run([...argv, '--url', webhook.endpoint], { env });
  expect(urlOf()).toBe(webhook.url);
});
