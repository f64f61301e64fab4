import { beforeEach, describe, expect, test } from 'vitest';
import type { ConfigService, PutInput } from '../../../lib/configs/types.ts';
import type { JsonObject } from '../../../lib/engine/json.ts';
import type { AppError } from '../../../lib/errors.ts';
import type { Item } from '../../../lib/store/ports.ts';
import { type Bench, createBench } from '../../support/config-bench.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { WIDGET_CONFIG_TEXT, webhookServer, widget, widgetConfig, widgetCrd, widgets } from '../../support/widgets.ts';

const TARGET = 'widgets.example.org';

let store: MemoryStore;
let bench: Bench;
let configs: ConfigService;
beforeEach(() => {
  const clock = createTestClock();
  store = createMemoryStore(clock);
  bench = createBench(store, clock);
  configs = bench.configs;
});

async function failure(promise: Promise<unknown>): Promise<AppError> {
  return await promise.then(
    (value) => {
      throw new Error(`expected a failure, got ${JSON.stringify(value)}`);
    },
    (error: AppError) => error,
  );
}

async function codesOf(input: PutInput, target = TARGET): Promise<string[]> {
  const error = await failure(configs.put(target, input));
  expect(error.code).toBe('CONFIG_INVALID');
  return (error.details.diagnostics ?? []).map(({ code }) => code);
}

describe('putting a config', () => {
  test('stores and activates revision 1', async () => {
    const result = await configs.put(TARGET, widgets({ labels: { team: 'a' } }));
    expect(result).toEqual({
      target: TARGET,
      revision: 1,
      created: true,
      etag: '"1"',
      diagnostics: [],
      lossless: true,
      planHash: expect.stringMatching(/^sha256:[\w-]{43}$/),
      spokes: [
        { version: 'v1', lossless: { hubToSpoke: true, spokeToHub: true }, uncoveredHub: [], uncoveredSpoke: [] },
      ],
    });
    expect(await configs.get(TARGET)).toEqual({
      target: TARGET,
      source: 'CRD',
      name: 'widgets-conversion',
      group: 'example.org',
      kind: 'Widget',
      labels: { team: 'a' },
      hubVersion: 'v2',
      versions: [
        { name: 'v1', served: true, storage: false },
        { name: 'v2', served: true, storage: true },
      ],
      revision: 1,
      updatedAt: '2026-01-01T00:00:00.000Z',
      etag: '"1"',
      planHash: result.planHash,
      lossless: true,
      spokes: result.spokes,
      warnings: [],
    });
  });

  test('makes the next revision of each change', async () => {
    const first = await configs.put(TARGET, widgets());
    await bench.clock.advance(1000);
    const second = await configs.put(TARGET, widgets({ labels: { team: 'a' } }));
    expect(second).toMatchObject({ revision: 2, created: false, etag: '"2"', planHash: first.planHash });
    expect(await configs.get(TARGET)).toMatchObject({ revision: 2, updatedAt: '2026-01-01T00:00:01.000Z' });
  });

  test('hashes what converts: not prose, not the order of keys, but every rule', async () => {
    const hash = async (input: PutInput) => (await configs.put(TARGET, input, { dryRun: true })).planHash;
    const plain = await hash(widgets());
    const { config, schema } = widgets();
    const prose = JSON.parse(JSON.stringify(schema).replaceAll('A widget.', 'Another widget.')) as JsonObject;
    const turned = Object.fromEntries(Object.entries(config).reverse()) as JsonObject;
    expect(await hash({ config: turned, schema: prose })).toBe(plain);
    expect(await hash(widgets({ spokeField: 'width' }))).not.toBe(plain);
  });

  test('takes YAML text for both', async () => {
    const config = WIDGET_CONFIG_TEXT;
    const schema = JSON.stringify(widgetCrd(), null, 1);
    await configs.put(TARGET, { config, schema });
    expect(await configs.revision(TARGET, 1)).toMatchObject({ config, schema });
  });

  test('stores nothing under dryRun, and says which revision it would be', async () => {
    expect(await configs.put(TARGET, widgets(), { dryRun: true })).toMatchObject({ revision: 1, created: true });
    expect(store.all()).toEqual([]);
    await configs.put(TARGET, widgets());
    const before = store.all();
    const result = await configs.put(TARGET, widgets({ spokeField: 'width' }), { dryRun: true, ifMatch: '"1"' });
    expect(result).toMatchObject({ revision: 2, created: false });
    expect(result).not.toHaveProperty('etag');
    expect(store.all()).toEqual(before);
  });

  test('refuses a name that no CRD can have', async () => {
    for (const target of ['', 'Widgets', 'a#b', 'a/b', `${'a'.repeat(250)}.org`, '__proto__']) {
      expect((await failure(configs.put(target, widgets()))).code).toBe('BAD_REQUEST');
    }
  });

  test('passes warnings on, and keeps them', async () => {
    const input = widgets({ spec: { driftPolicy: 'FailClosed' }, served: ['v2'] });
    const { diagnostics } = await configs.put(TARGET, input);
    expect(diagnostics.map(({ code }) => code)).toEqual(['DRIFT_POLICY_UNUSED', 'SPOKE_NOT_SERVED']);
    expect((await configs.get(TARGET)).warnings).toEqual(diagnostics);
    expect((await configs.revision(TARGET, 1)).warnings).toEqual(diagnostics);
  });

  test('warns of an endpoint that is not there, or that does not match', async () => {
    const put = async () => {
      const { diagnostics } = await configs.put(TARGET, widgets({ endpoint: 'public', labels: { team: 'a' } }));
      expect((await configs.get(TARGET)).warnings).toEqual(diagnostics);
      return diagnostics.map(({ code }) => code);
    };
    expect(await put()).toEqual(['ENDPOINT_UNKNOWN']);
    await bench.endpoints.put('public', webhookServer('public', { cacheSelector: { matchLabels: { team: 'b' } } }));
    expect(await put()).toEqual(['ENDPOINT_SELECTOR']);
    await bench.endpoints.put('public', webhookServer('public', { cacheSelector: { matchLabels: { team: 'a' } } }));
    expect(await put()).toEqual([]);
  });

  test('keeps labels that are called like inherited properties', async () => {
    const labels = { constructor: 'a', toString: 'b', hasOwnProperty: 'c' };
    await configs.put(TARGET, widgets({ labels }));
    expect((await configs.get(TARGET)).labels).toStrictEqual(labels);
    expect((await configs.list({ labelSelector: 'constructor=a' })).total).toBe(1);
    expect((await configs.list({ labelSelector: 'valueOf' })).total).toBe(0);
  });
});

describe('a bad config', () => {
  test('is answered with all its errors at once, and nothing is stored', async () => {
    const rules = [
      { strategy: 'FieldRename', fieldRename: { hubPath: 'spec.size', spokePath: 'spec.none' } },
      { strategy: 'Unknown' },
    ];
    const config = widgetConfig({
      rules,
      spec: {
        unmappedFieldPolicy: 'Warn',
        spokes: [
          { version: 'v1', rules },
          { version: 'v9', rules: [] },
        ],
      },
    });
    const codes = await codesOf({ config, schema: widgetCrd() });
    expect(codes).toEqual(expect.arrayContaining(['REASON_REQUIRED', 'STRATEGY_UNKNOWN', 'SPOKE_UNKNOWN']));
    expect(codes.length).toBeGreaterThan(3);
    expect(store.all()).toEqual([]);
  });

  test('leaves the active revision as it was', async () => {
    await configs.put(TARGET, widgets());
    const before = store.all();
    await codesOf({ config: widgetConfig({ spokeField: 'none' }), schema: widgetCrd() });
    expect(store.all()).toEqual(before);
  });

  test('has the faults of both texts', async () => {
    expect(await codesOf({ config: 'a: [', schema: '{' })).toEqual(['CONFIG_SYNTAX', 'SCHEMA_SYNTAX']);
    expect(await codesOf({ config: { ...widgetConfig(), extra: 1 }, schema: { kind: 'Pod' } })).toEqual([
      'CONFIG_UNKNOWN_KEY',
      'SCHEMA_KIND',
    ]);
  });

  test.each<{ title: string; input: PutInput; expected: string[] }>([
    {
      title: 'a config of another target',
      input: { config: widgetConfig({ target: 'gadgets.example.org' }), schema: widgetCrd() },
      expected: ['TARGET_MISMATCH'],
    },
    {
      title: 'a schema of another target',
      input: { config: widgetConfig(), schema: widgetCrd({ target: 'gadgets.example.org' }) },
      expected: ['SCHEMA_TARGET_MISMATCH'],
    },
    {
      title: 'an XRD config for a CRD',
      input: {
        config: {
          ...widgetConfig(),
          kind: 'XRDConversionConfig',
          spec: { ...(widgetConfig()['spec'] as JsonObject), targetXRD: { name: TARGET }, targetCRD: null },
        },
        schema: widgetCrd(),
      },
      expected: ['CONFIG_UNKNOWN_KEY', 'SCHEMA_KIND_MISMATCH'],
    },
    {
      title: 'the hub as a spoke: told once',
      input: { config: widgetConfig({ spec: { spokes: [{ version: 'v2' }] } }), schema: widgetCrd() },
      expected: ['SPOKE_IS_HUB', 'VERSION_WITHOUT_SPOKE'],
    },
    {
      title: 'a hub that is not the storage version',
      input: { config: widgetConfig({ spec: { hubVersion: 'v1', spokes: [] } }), schema: widgetCrd() },
      expected: expect.arrayContaining(['SPOKES_EMPTY', 'HUB_NOT_STORAGE']),
    },
  ])('is refused: $title', async ({ input, expected }) => {
    expect(await codesOf(input)).toEqual(expected);
  });

  test('is refused when config and schema are of different kinds', async () => {
    const { targetCRD: target, ...spec } = widgetConfig()['spec'] as JsonObject;
    const config = {
      ...widgetConfig(),
      kind: 'XRDConversionConfig',
      spec: { ...spec, targetXRD: target as JsonObject },
    };
    expect(await codesOf({ config, schema: widgetCrd() })).toEqual(['SCHEMA_KIND_MISMATCH']);
  });

  test('has the line of the rule in the text', async () => {
    const config = `apiVersion: terasky.com/v1alpha1
kind: CRDConversionConfig
metadata: {name: w}
spec:
  targetCRD: {name: ${TARGET}}
  hubVersion: v2
  spokes:
  - version: v1
    rules:
    - strategy: FieldRename
      fieldRename:
        hubPath: spec.size
        spokePath: spec.length
        extra: 1
    - strategy: Delete
      delete: {path: spec.none, existsOn: Hub}
`;
    const error = await failure(configs.put(TARGET, { config, schema: widgetCrd() }));
    const found = (error.details.diagnostics ?? []).map(({ code, line, rule }) => ({ code, line, rule }));
    expect(found).toContainEqual({ code: 'PARAMS_INVALID', line: 11, rule: 0 });
    expect(found).toContainEqual(expect.objectContaining({ line: 15, rule: 1 }));
    expect(error.message).toContain(TARGET);
  });

  test('is refused when it passes the analysis but does not compile from what would be stored', async () => {
    const { createConfigService } = await import('../../../lib/configs/service.ts');
    const compileRevision = () => Promise.reject(new Error('no way'));
    const error = await failure(createConfigService({ ...bench.deps, compileRevision }).put(TARGET, widgets()));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', details: { diagnostics: [{ code: 'PLAN_NOT_COMPILED' }] } });
    expect(store.all()).toEqual([]);
  });
});

describe('If-Match', () => {
  test.each([
    { title: 'the ETag that was read', ifMatch: '"1"' },
    { title: 'a list with it', ifMatch: '"7", "1"' },
    { title: 'a star', ifMatch: '*' },
  ])('lets a change through with $title', async ({ ifMatch }) => {
    await configs.put(TARGET, widgets());
    const changed = widgets({ spokeField: 'width' });
    expect(await configs.put(TARGET, changed, { ifMatch })).toMatchObject({ etag: '"2"' });
  });

  test.each(['"2"', '1', 'W/"1"', '""', '"01"'])('is 412 with %s, whatever is to be done', async (ifMatch) => {
    await configs.put(TARGET, widgets());
    const before = store.all();
    for (const attempt of [
      configs.put(TARGET, widgets(), { ifMatch }),
      configs.put(TARGET, widgets(), { ifMatch, dryRun: true }),
      configs.rollback(TARGET, 1, { ifMatch }),
      configs.remove(TARGET, { ifMatch, force: true }),
    ]) {
      expect(await failure(attempt)).toMatchObject({ code: 'PRECONDITION_FAILED', status: 412 });
    }
    expect(store.all()).toEqual(before);
  });

  test('is 412 for what does not exist, also with a star', async () => {
    expect((await failure(configs.put(TARGET, widgets(), { ifMatch: '*' }))).code).toBe('PRECONDITION_FAILED');
    expect(store.all()).toEqual([]);
  });
});

describe('revisions', () => {
  const FIELDS = ['length', 'width', 'height', 'depth', 'girth'];
  beforeEach(async () => {
    for (const spokeField of FIELDS) {
      await configs.put(TARGET, widgets({ spokeField, labels: { field: spokeField } }));
      await bench.clock.advance(1000);
    }
  });

  test('are listed newest first, page by page', async () => {
    const pages: number[][] = [];
    let next: string | undefined;
    do {
      const page = await configs.revisions(TARGET, { limit: 2, ...(next && { next }) });
      expect(page.total).toBe(5);
      pages.push(page.items.map(({ revision }) => revision));
      next = page.next;
    } while (next !== undefined);
    expect(pages).toEqual([[5, 4], [3, 2], [1]]);
  });

  test('say which one is active, and when each was made', async () => {
    const { items } = await configs.revisions(TARGET);
    expect(items.map(({ active }) => active)).toEqual([true, false, false, false, false]);
    await expect(configs.revisions(TARGET, { next: Buffer.from('x').toString('base64url') })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    expect(items[4]).toMatchObject({
      target: TARGET,
      revision: 1,
      createdAt: '2026-01-01T00:00:00.000Z',
      labels: { field: 'length' },
    });
  });

  test('give their source back as it was sent', async () => {
    const { config, schema } = await configs.revision(TARGET, 2);
    expect(JSON.parse(config)).toEqual(widgetConfig({ spokeField: 'width', labels: { field: 'width' } }));
    expect(JSON.parse(schema)).toEqual(widgetCrd({ spokeField: 'width' }));
  });

  test.each([0, 6, -1, 1.5, Number.NaN])('are 404 outside their range: %s', async (revision) => {
    expect(await failure(configs.revision(TARGET, revision))).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    expect(await failure(configs.rollback(TARGET, revision))).toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });

  test('become active again by a rollback: a new activation of the same revision', async () => {
    const view = await configs.rollback(TARGET, 2, { ifMatch: '"5"' });
    expect(view).toMatchObject({
      revision: 2,
      etag: '"6"',
      labels: { field: 'width' },
      updatedAt: '2026-01-01T00:00:05.000Z',
    });
    expect((await configs.revisions(TARGET)).items.map(({ revision, active }) => [revision, active])).toEqual([
      [5, false],
      [4, false],
      [3, false],
      [2, true],
      [1, false],
    ]);
    const { object } = await configs.tryConvert(TARGET, { object: widget('v2', { size: 1 }), to: 'v1' });
    expect(object['spec']).toEqual({ width: 1 });
    expect((await configs.put(TARGET, widgets())).revision).toBe(6);
  });

  test('move the labels in the index with them', async () => {
    await configs.rollback(TARGET, 2);
    expect((await configs.list({ labelSelector: 'field=width' })).items).toHaveLength(1);
    expect((await configs.list({ labelSelector: 'field=girth' })).total).toBe(0);
  });

  test('are refused by a rollback when they no longer compile', async () => {
    const { createConfigService } = await import('../../../lib/configs/service.ts');
    const strict = createConfigService({ ...bench.deps, compileRevision: () => Promise.reject(new Error('too old')) });
    expect(await failure(strict.rollback(TARGET, 1))).toMatchObject({ code: 'CONFIG_INVALID' });
    expect((await configs.get(TARGET)).revision).toBe(5);
  });
});

describe('removing a config', () => {
  test('is refused while the schema serves several versions', async () => {
    await configs.put(TARGET, widgets());
    const error = await failure(configs.remove(TARGET));
    expect(error).toMatchObject({ code: 'CONFLICT', status: 409 });
    expect(error.message).toContain('v1, v2');
    expect((await configs.get(TARGET)).revision).toBe(1);
  });

  test.each([
    { title: 'by force', served: ['v1', 'v2'], options: { force: true } },
    { title: 'when one version is served', served: ['v2'], options: {} },
  ])('leaves nothing but a tombstone and change entries: $title', async ({ served, options }) => {
    await configs.put(TARGET, widgets({ served, labels: { team: 'a' } }));
    await configs.put(TARGET, widgets({ served, labels: { team: 'a' }, spokeField: 'width' }));
    await configs.remove(TARGET, options);
    expect(await failure(configs.get(TARGET))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await configs.list()).toEqual({ items: [], total: 0 });
    expect((await configs.list({ labelSelector: 'team=a' })).total).toBe(0);
    expect(store.all().map(({ pk, sk }) => (pk === 'CHANGES' ? pk : `${pk} ${sk}`))).toEqual([
      'CHANGES',
      'CHANGES',
      'CHANGES',
      `HEADS ${TARGET}`,
    ]);
  });

  test('is 404 for what is not there, and for what was removed', async () => {
    expect(await failure(configs.remove(TARGET))).toMatchObject({ code: 'NOT_FOUND' });
    await configs.put(TARGET, widgets());
    await configs.remove(TARGET, { force: true });
    expect(await failure(configs.remove(TARGET))).toMatchObject({ code: 'NOT_FOUND' });
    for (const attempt of [configs.revisions(TARGET), configs.revision(TARGET, 1), configs.rollback(TARGET, 1)]) {
      expect(await failure(attempt)).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  test('never lets an ETag or a revision number come back', async () => {
    const { etag } = await configs.put(TARGET, widgets());
    await configs.remove(TARGET, { force: true });
    const again = await configs.put(TARGET, widgets());
    expect(again).toMatchObject({ created: true, revision: 2 });
    expect(again.etag).not.toBe(etag);
    expect(await failure(configs.put(TARGET, widgets(), { ifMatch: etag as string }))).toMatchObject({ status: 412 });
    expect((await configs.revisions(TARGET)).items.map(({ revision }) => revision)).toEqual([2]);
    expect(await failure(configs.revision(TARGET, 1))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('that was cut off after the tombstone is finished by a repetition', async () => {
    await configs.put(TARGET, widgets());
    store.beforeRead = (pk) => {
      if (pk === 'CONFIGS') throw new Error('gone');
    };
    await failure(configs.remove(TARGET, { force: true }));
    store.beforeRead = () => {};
    expect(await failure(configs.get(TARGET))).toMatchObject({ code: 'NOT_FOUND' });
    expect((await configs.list()).items).toEqual([]);
    await failure(configs.remove(TARGET));
    expect(store.all().filter(({ pk }) => pk !== 'CHANGES')).toHaveLength(1);
  });
});

describe('listing configs', () => {
  const TARGETS = Array.from({ length: 7 }, (_, index) => `w${index}.example.org`);
  beforeEach(async () => {
    for (const [index, target] of TARGETS.entries()) {
      const labels = { parity: index % 2 === 0 ? 'even' : 'odd', number: `n${index}` };
      await configs.put(target, widgets({ target, labels }));
    }
  });

  test('is sorted and paged', async () => {
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const page = await configs.list({ limit: 3, ...(next && { next }) });
      expect(page.total).toBe(7);
      seen.push(...page.items.map(({ target }) => target));
      next = page.next;
    } while (next !== undefined);
    expect(seen).toEqual(TARGETS);
  });

  test.each([
    { labelSelector: 'parity=odd', expected: [1, 3, 5] },
    { labelSelector: 'parity==odd,number!=n3', expected: [1, 5] },
    { labelSelector: 'number in (n1, n2)', expected: [1, 2] },
    { labelSelector: 'number notin (n1,n2,n3),parity', expected: [0, 4, 5, 6] },
    { labelSelector: '!parity', expected: [] },
    { labelSelector: '!other', expected: [0, 1, 2, 3, 4, 5, 6] },
    { labelSelector: '', expected: [0, 1, 2, 3, 4, 5, 6] },
  ])('selects by $labelSelector', async ({ labelSelector, expected }) => {
    const { items, total } = await configs.list({ labelSelector });
    expect(items.map(({ target }) => TARGETS.indexOf(target))).toEqual(expected);
    expect(total).toBe(expected.length);
  });

  test.each<{ title: string; query: object }>([
    { title: 'a selector that is none', query: { labelSelector: 'a in' } },
    { title: 'a label key that is none', query: { labelSelector: '-a=b' } },
    { title: 'no items', query: { limit: 0 } },
    { title: 'too many items', query: { limit: 501 } },
    { title: 'a token that is none', query: { next: 'w1.example.org' } },
  ])('is 400 for $title', async ({ query }) => {
    expect(await failure(configs.list(query))).toMatchObject({ code: 'BAD_REQUEST', status: 400 });
  });
});

describe('trying a conversion', () => {
  beforeEach(async () => {
    await configs.put(TARGET, widgets());
  });

  test('answers with the object, the trace and the loss', async () => {
    const result = await configs.tryConvert(TARGET, { object: widget('v1', { length: 3, other: 'kept' }), to: 'v2' });
    expect(result).toMatchObject({
      revision: 1,
      from: 'v1',
      to: 'v2',
      object: widget('v2', { size: 3, other: 'kept' }),
      loss: { lossless: true, paths: [] },
      counters: { absentSkipped: 0, stashIgnored: 0, shapeMismatches: 0 },
      trace: [{ direction: 'spokeToHub', rule: 0, strategy: 'FieldRename', wrote: ['spec.size'] }],
    });
  });

  test('shows what is lost on the way there and back', async () => {
    const rule = { strategy: 'Delete', delete: { path: 'spec.size', existsOn: 'Hub' }, acknowledgeLossy: true };
    const other = { strategy: 'Delete', delete: { path: 'spec.length', existsOn: 'Spoke' }, acknowledgeLossy: true };
    await configs.put(TARGET, widgets({ rules: [rule, other] }));
    const { loss } = await configs.tryConvert(TARGET, { object: widget('v2', { size: 3, kept: 1 }), to: 'v1' });
    expect(loss).toEqual({ lossless: false, paths: ['spec.size'] });
  });

  test('can use an older revision', async () => {
    await configs.put(TARGET, widgets({ spokeField: 'width' }));
    const { object } = await configs.tryConvert(TARGET, { object: widget('v2', { size: 1 }), to: 'v1', revision: 1 });
    expect(object['spec']).toEqual({ length: 1 });
  });

  test.each<{ title: string; object: JsonObject; to: string }>([
    { title: 'another group', object: widget('v1', {}, 'other.org'), to: 'v2' },
    { title: 'a group that ends alike', object: widget('v1', {}, 'my.example.org'), to: 'v2' },
    { title: 'another kind', object: { ...widget('v1', {}), kind: 'Gadget' }, to: 'v2' },
    { title: 'no apiVersion', object: { kind: 'Widget' }, to: 'v2' },
    { title: 'a version without a plan', object: widget('v7', {}), to: 'v2' },
    { title: 'a wanted version without a plan', object: widget('v1', {}), to: 'v7' },
  ])('is 422 for $title', async ({ object, to }) => {
    expect(await failure(configs.tryConvert(TARGET, { object, to }))).toMatchObject({ code: 'UNPROCESSABLE' });
  });

  test('is CONVERSION_FAILED, with rule and path, when the object cannot be converted', async () => {
    const rule = { strategy: 'EnumRemap', enumRemap: { path: 'spec.mode', mapping: [{ hub: 'a', spoke: 'b' }] } };
    const rename = { strategy: 'FieldRename', fieldRename: { hubPath: 'spec.size', spokePath: 'spec.length' } };
    await configs.put(TARGET, widgets({ rules: [rename, rule], more: { mode: { type: 'string' } } }));
    const error = await failure(configs.tryConvert(TARGET, { object: widget('v2', { mode: 'z' }), to: 'v1' }));
    expect(error).toMatchObject({ code: 'CONVERSION_FAILED', status: 422 });
    expect(error.message).toMatch(/^v2 -> v1: rule 1 EnumRemap at spec\.mode: /);
  });

  test('is 404 without a config', async () => {
    expect(await failure(configs.tryConvert('none.example.org', { object: widget('v1', {}), to: 'v2' }))).toMatchObject(
      {
        code: 'NOT_FOUND',
      },
    );
  });
});

describe('the patch for the CRD', () => {
  const BASE = { baseUrl: 'https://convert.example.com' };

  test('points at the endpoint by URL, without service and caBundle (R22)', async () => {
    await configs.put(TARGET, widgets({ spec: { conversionReviewVersions: ['v1', 'v1beta1'] } }));
    const { token = '' } = await bench.endpoints.put('public', webhookServer('public'));
    expect(await configs.patch(TARGET, 'public', { ...BASE, token })).toStrictEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: TARGET },
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { url: `https://convert.example.com/convert/public/${token}/${TARGET}` },
            conversionReviewVersions: ['v1', 'v1beta1'],
          },
        },
      },
    });
  });

  test('has the CA where the URL has one of its own', async () => {
    await configs.put(TARGET, widgets());
    await bench.endpoints.put('public', webhookServer('public'));
    const patch = await configs.patch(TARGET, 'public', { ...BASE, caBundle: 'Q0E=' });
    expect(patch['spec']).toMatchObject({ conversion: { webhook: { clientConfig: { caBundle: 'Q0E=' } } } });
  });

  const urlOf = (patch: JsonObject): string => /"url":"([^"]*)"/.exec(JSON.stringify(patch))?.[1] as string;

  test('has a placeholder where the token is not given', async () => {
    await configs.put(TARGET, widgets());
    await bench.endpoints.put('public', webhookServer('public'));
    expect(urlOf(await configs.patch(TARGET, 'public', BASE))).toContain('/convert/public/REPLACE_WITH_TOKEN/');
  });

  test('uses the endpoint asked for, else the one that the config names, else the default', async () => {
    for (const name of ['asked', 'named', 'other']) await bench.endpoints.put(name, webhookServer(name));
    await configs.put(TARGET, widgets());
    expect((await failure(configs.patch(TARGET, undefined, BASE))).message).toContain('no default endpoint');
    await bench.endpoints.put('fallback', webhookServer('fallback', { default: true }));
    expect(urlOf(await configs.patch(TARGET, undefined, BASE))).toContain('/convert/fallback/');
    expect(urlOf(await configs.patch(TARGET, 'asked', BASE))).toContain('/convert/asked/');
    await configs.put(TARGET, widgets({ endpoint: 'named' }));
    expect(urlOf(await configs.patch(TARGET, undefined, BASE))).toContain('/convert/named/');
  });

  test.each([
    { baseUrl: 'https://convert.example.com/', expected: 'https://convert.example.com/convert/' },
    {
      baseUrl: 'https://convert.example.com:8443/prefix/',
      expected: 'https://convert.example.com:8443/prefix/convert/',
    },
  ])('begins with $baseUrl', async ({ baseUrl, expected }) => {
    await configs.put(TARGET, widgets());
    await bench.endpoints.put('public', webhookServer('public'));
    expect(urlOf(await configs.patch(TARGET, 'public', { baseUrl })).startsWith(expected)).toBe(true);
  });

  test.each([
    'http://convert.example.com',
    'https://user@convert.example.com',
    'https://user:secret@convert.example.com',
    'https://convert.example.com/?a=b',
    'https://convert.example.com/?',
    'https://convert.example.com/#a',
    'convert.example.com',
    '',
  ])('is refused for the base URL "%s" (R45)', async (baseUrl) => {
    const error = await failure(configs.patch(TARGET, 'public', { baseUrl }));
    expect(error).toMatchObject({ code: 'UNPROCESSABLE' });
    expect(error.message).not.toContain('secret');
  });

  test('is refused for an endpoint that does not serve the config, and for a foreign token', async () => {
    await configs.put(TARGET, widgets({ labels: { team: 'a' } }));
    await bench.endpoints.put('b', webhookServer('b', { cacheSelector: { matchLabels: { team: 'b' } } }));
    expect(await failure(configs.patch(TARGET, 'b', BASE))).toMatchObject({ code: 'UNPROCESSABLE' });
    expect(await failure(configs.patch(TARGET, 'none', BASE))).toMatchObject({ code: 'NOT_FOUND' });
    await bench.endpoints.put('a', webhookServer('a'));
    const error = await failure(configs.patch(TARGET, 'a', { ...BASE, token: 'guess' }));
    expect(error).toMatchObject({ code: 'UNPROCESSABLE' });
    expect(error.message).not.toContain('guess');
    await configs.put(TARGET, widgets({ endpoint: 'b' }));
    expect(await failure(configs.patch(TARGET, 'a', BASE))).toMatchObject({ code: 'UNPROCESSABLE' });
  });
});

describe('items that are damaged in the table', () => {
  const damages: { title: string; damage: (head: Item) => Item }[] = [
    { title: 'nothing but its key', damage: ({ pk, sk }) => ({ pk, sk }) },
    { title: 'no version', damage: ({ version: _version, ...head }) => head as Item },
    { title: 'no record of the right shape', damage: (head) => ({ ...head, record: 'text' }) },
    { title: 'the content of another target', damage: (head) => ({ ...head, target: 'others.example.org' }) },
  ];

  test.each(damages)(
    'a head with $title is INTERNAL when read, hides no other config, and is repaired by the same put',
    async ({ damage }) => {
      await configs.put(TARGET, widgets());
      await configs.put(TARGET, widgets({ spokeField: 'width' }));
      await configs.put('others.example.org', widgets({ target: 'others.example.org' }));
      const registry = await bench.instance().all();
      const head = store.all().find(({ pk, sk }) => pk === 'HEADS' && sk === TARGET) as Item;
      await store.put(damage(head));
      expect(await failure(configs.get(TARGET))).toMatchObject({
        code: 'INTERNAL',
        message: expect.stringContaining(TARGET),
      });
      expect((await configs.list()).items.map(({ target }) => target)).toEqual(['others.example.org']);
      expect(await configs.put(TARGET, widgets({ spokeField: 'width' }))).toMatchObject({
        created: true,
        revision: 3,
        etag: '"3"',
      });
      await registry.refresh();
      expect(registry.get(TARGET)?.revision).toBe(3);
    },
  );

  test('an endpoint is repaired by a put, with a new token', async () => {
    await bench.endpoints.put('public', webhookServer('public'));
    await store.put({ pk: 'ENDPOINTS', sk: 'public', version: 'x' });
    expect(await failure(bench.endpoints.get('public'))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await bench.endpoints.list()).toEqual({ items: [], total: 0 });
    expect(await bench.endpoints.put('public', webhookServer('public'))).toMatchObject({
      created: true,
      token: expect.any(String),
    });
  });

  test('foreign items in the index and among the changes are ignored', async () => {
    await configs.put(TARGET, widgets({ labels: { team: 'a' } }));
    for (const pk of ['CONFIGS', 'LABEL#team=a', 'CHANGES'])
      await store.put({ pk, sk: '999999999999999#x', target: 5 });
    expect((await configs.list({ labelSelector: 'team=a' })).total).toBe(1);
    const registry = await bench.instance().all();
    await registry.refresh();
    expect(registry.size).toBe(1);
  });
});
