import { describe, expect, test } from 'vitest';
import { analyse } from '../../lib/engine/analyse.ts';
import { compile } from '../../lib/engine/compile.ts';
import type { JsonObject } from '../../lib/engine/json.ts';
import type { Router } from '../../lib/engine/route.ts';
import { createRun } from '../../lib/engine/run.ts';
import { stringifyJson } from '../../lib/k8s/json.ts';
import { parseYaml } from '../../lib/k8s/yaml.ts';
import { array, boolean, codes, integer, number, object, openMap, spec, string } from '../support/plan.ts';
import { GROUP, reviewWith, widget } from '../support/review.ts';

/** Hub v2 (stored), spoke v1, as in all the cases. */
async function routerOf(hub: JsonObject, spoke: JsonObject, rules: readonly JsonObject[]): Promise<Router> {
  const analysis = await analyse({
    hubVersion: 'v2',
    versions: [
      { name: 'v2', served: true, storage: true, schema: hub },
      { name: 'v1', served: true, storage: false, schema: spoke },
    ],
    spokes: [{ version: 'v1', rules }],
  });
  const errors = analysis.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
  return compile(analysis);
}

const rename = (hubPath: string, spokePath: string) => ({
  strategy: 'FieldRename',
  fieldRename: { hubPath, spokePath },
});

test.each([
  ['absent', undefined, { spec: { interval: '5m' } }, { metadata: {}, spec: { every: '5m' } }],
  ['null', null, { spec: { interval: '5m' } }, { metadata: {}, spec: { every: '5m' } }],
  ['finalizers only', { finalizers: ['f'] }, {}, { metadata: { finalizers: ['f'] } }],
])(
  'C01: a fragment whose metadata is %s gets object metadata and no invented spec',
  async (_what, metadata, fields, expected) => {
    const router = await routerOf(spec({ every: string }), spec({ interval: string }), [
      rename('spec.every', 'spec.interval'),
    ]);
    const source = {
      apiVersion: `${GROUP}/v1`,
      kind: 'Widget',
      ...fields,
      ...(metadata !== undefined && { metadata }),
    };
    const { status, objects } = reviewWith(router, [source], 'v2');
    expect(status).toBe('Success');
    expect(objects).toEqual([{ apiVersion: `${GROUP}/v2`, kind: 'Widget', ...expected }]);
  },
);

test.each([
  ['without metadata', undefined, {}],
  ['as Kubernetes 1.36 sends it', { name: 'w', namespace: 'ns' }, {}],
  ['whole', { name: 'w', uid: 'u' }, { tier: 'gold', schema: '2' }],
])('C02: an object %s gains fields only if it is no fragment', async (_what, metadata, injected) => {
  const router = await routerOf(spec({ imageRef: string, tier: string, schema: string }), spec({ image: string }), [
    rename('spec.imageRef', 'spec.image'),
    {
      strategy: 'DefaultValue',
      acknowledgeLossy: true,
      defaultValue: { path: 'spec.tier', existsOn: 'Hub', default: 'gold' },
    },
    { strategy: 'Constant', acknowledgeLossy: true, constant: { path: 'spec.schema', existsOn: 'Hub', value: '2' } },
  ]);
  const source = { apiVersion: `${GROUP}/v1`, kind: 'Widget', spec: { image: 'reg.test/w:1' } };
  const { objects } = reviewWith(router, [metadata === undefined ? source : { ...source, metadata }], 'v2');
  expect(objects[0]?.['spec']).toEqual({ imageRef: 'reg.test/w:1', ...injected });
});

describe('C02b: a rule whose source is absent does not fail an apply', () => {
  const rules: [string, JsonObject, JsonObject, JsonObject, string][] = [
    [
      'CEL',
      spec({ high: integer, low: integer, color: string }),
      spec({ num: integer, color: string }),
      {
        strategy: 'CEL',
        acknowledgeLossy: true,
        cel: {
          hubPaths: ['spec.high', 'spec.low'],
          spokePaths: ['spec.num'],
          spokeToHub: '{"spec.high": int(object.spec.num) / 256, "spec.low": int(object.spec.num) % 256}',
          hubToSpoke: '{"spec.num": int(object.spec.high) * 256 + int(object.spec.low)}',
        },
      },
      'spec.num',
    ],
    [
      'a join with one field missing',
      spec({ size: string, color: string }),
      spec({ value: string, unit: string, color: string }),
      {
        strategy: 'ScalarToFields',
        scalarToFields: {
          hubPath: 'spec.size',
          pattern: '^(?P<value>\\d+)(?P<unit>[a-z]+)$',
          spokeFields: { value: 'spec.value', unit: 'spec.unit' },
          joinTemplate: '{{.value}}{{.unit}}',
          losslessOverride: true,
        },
      },
      'unit',
    ],
    [
      'a JSONPatch remove',
      spec({ color: string }),
      spec({ num: string, color: string }),
      {
        strategy: 'JSONPatch',
        acknowledgeLossy: true,
        jsonPatch: { spokeToHub: [{ op: 'remove', path: '/spec/num' }] },
      },
      '/spec/num',
    ],
  ];

  test.each(rules)('%s', async (what, hub, spoke, rule, named) => {
    const router = await routerOf(hub, spoke, [rule]);
    const fields = { spec: { color: 'blue', ...(what.startsWith('a join') && { value: '5' }) } };
    for (const metadata of [
      { name: 'z', namespace: 'ns' },
      { name: 'z', namespace: 'ns', uid: 'u' },
    ]) {
      const { status, objects, summary } = reviewWith(router, [widget('v1', fields, metadata)], 'v2');
      expect(status).toBe('Success');
      expect(objects[0]?.['spec']).toEqual({ color: 'blue' });
      if (metadata.uid !== undefined) expect(summary.run.absentSkipped).toBe(1);
    }
    expect(() => router.convert(widget('v1', fields), 'v1', 'v2', createRun('offline'))).toThrow(named);
  });
});

describe('C03: numbers in untouched fields', () => {
  const fields = spec({
    id: integer,
    max: integer,
    min: integer,
    ratio: number,
    step: number,
    big: number,
    count: integer,
  });
  const text = `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"n"},"spec":{"id":9007199254740993,"max":18446744073709551615,"min":-9223372036854775808,"ratio":1.0,"step":0.10,"big":1e21,"count":1000000,"interval":"1m"}}`;
  const withField = (name: string): JsonObject => {
    const inner = (fields['properties'] as { spec: { properties: JsonObject } }).spec.properties;
    return spec({ ...inner, [name]: string });
  };

  test('keep every digit or their value, there and back', async () => {
    const router = await routerOf(withField('every'), withField('interval'), [rename('spec.every', 'spec.interval')]);
    const { objects } = reviewWith(router, [text], 'v2');
    const hub = stringifyJson(objects[0] as JsonObject);
    for (const digits of ['9007199254740993', '18446744073709551615', '-9223372036854775808', '1000000']) {
      expect(hub).toContain(`:${digits},`);
    }
    expect(objects[0]?.['spec']).toMatchObject({ ratio: 1, step: 0.1, big: 1e21, every: '1m' });
    const back = reviewWith(router, [objects[0] as JsonObject], 'v1').objects[0];
    expect(back?.['spec']).toMatchObject({ id: 9007199254740993n, interval: '1m' });
  });
});

describe('C04: reserved words', () => {
  test.each([
    [[{ op: 'add', path: '/spec/__proto__/polluted', value: 1 }]],
    [[{ op: 'copy', from: '/constructor/constructor', path: '/spec/x' }]],
  ])('are refused in a patch, with the index of the operation: %j', async (hubToSpoke) => {
    const input = { hub: spec({ x: string }), spoke: spec({ x: string }) };
    const rule = { strategy: 'JSONPatch', acknowledgeLossy: true, jsonPatch: { hubToSpoke } };
    const { diagnostics } = await analyse({
      hubVersion: 'v2',
      versions: [
        { name: 'v2', served: true, storage: true, schema: input.hub },
        { name: 'v1', served: true, storage: false, schema: input.spoke },
      ],
      spokes: [{ version: 'v1', rules: [rule] }],
    });
    expect(diagnostics.find(({ code }) => code === 'PATCH_INVALID')?.message).toContain('operation 0');
  });

  test('are ordinary keys in data', async () => {
    const router = await routerOf(spec({ labels: openMap, b: string }), spec({ labels: openMap, a: string }), [
      rename('spec.b', 'spec.a'),
    ]);
    const text = `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"n"},"spec":{"a":"1","labels":{"constructor":"a","__proto__":"b","prototype":"c"}}}`;
    const hub = reviewWith(router, [text], 'v2').objects[0] as JsonObject;
    const back = reviewWith(router, [hub], 'v1').objects[0] as JsonObject;
    for (const converted of [hub, back]) {
      const { labels } = converted['spec'] as { labels: JsonObject };
      expect(Object.keys(labels)).toEqual(['constructor', '__proto__', 'prototype']);
    }
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });
});

test('C06: two fields folded into one enum', async () => {
  const matchers = (more: JsonObject) =>
    spec({ matchers: array(object({ name: string, matchType: string, ...more })) });
  const fold = {
    strategy: 'CEL',
    acknowledgeLossy: true,
    cel: {
      hubPaths: ['matchType'],
      spokePaths: ['matchType', 'regex'],
      spokeToHub:
        'has(object.matchType) && object.matchType != "" ? {"matchType": object.matchType} : {"matchType": has(object.regex) && object.regex ? "=~" : "="}',
      hubToSpoke: '{"matchType": object.matchType}',
    },
  };
  const each = {
    strategy: 'ForEach',
    acknowledgeLossy: true,
    forEach: { hubItemsPath: 'spec.matchers', spokeItemsPath: 'spec.matchers', rules: [fold] },
  };
  const [hub, spoke] = [matchers({}), matchers({ regex: boolean })];
  const router = await routerOf(hub, spoke, [each]);
  const source = [
    { name: 'sev', regex: true },
    { name: 'env', regex: false },
    { name: 'team', matchType: '!~', regex: true },
    { name: 'none', matchType: '' },
  ];
  const atHub = reviewWith(router, [widget('v1', { spec: { matchers: source } })], 'v2').objects[0] as JsonObject;
  const expected = [
    { name: 'sev', matchType: '=~' },
    { name: 'env', matchType: '=' },
    { name: 'team', matchType: '!~' },
    { name: 'none', matchType: '=' },
  ];
  expect(atHub['spec']).toEqual({ matchers: expected });
  // The way back keeps matchType and leaves `regex` out.
  expect(reviewWith(router, [atHub], 'v1').objects[0]?.['spec']).toEqual({ matchers: expected });
  const { acknowledgeLossy: _, ...unacknowledged } = each;
  expect((await codes({ hub, spoke, rules: [unacknowledged] })).errors).toContain('LOSSY_SPOKE_TO_HUB');
});

test("C09: an old client's edit wins over the stash", async () => {
  const bastion = (more: JsonObject) => object({ status: object({ bastion: object({ state: string, ...more }) }) });
  const router = await routerOf(bastion({ rootVolume: object({ size: integer }) }), bastion({}), [
    {
      strategy: 'ToAnnotation',
      toAnnotation: { hubPath: 'status.bastion.rootVolume', key: 'demo.example.test/rv', restoreOnReverse: true },
    },
  ]);
  const hub = widget('v2', { status: { bastion: { state: 'pending', rootVolume: { size: 8 } } } });
  const spoke = reviewWith(router, [hub], 'v1').objects[0] as JsonObject;
  expect(spoke['status']).toEqual({ bastion: { state: 'pending' } });
  const edited = { ...spoke, status: { bastion: { state: 'running' } } };
  const back = reviewWith(router, [edited], 'v2').objects[0] as JsonObject;
  expect(back['status']).toEqual({ bastion: { state: 'running', rootVolume: { size: 8 } } });
  expect(back['metadata']).toEqual(hub['metadata']);
});

test.each([[false], [0], ['']])('C10: an explicit %j is a value', async (value) => {
  const router = await routerOf(
    spec({ jump: object({ enabled: openMap }), d: openMap }),
    spec({ bastion: object({ enabled: openMap }) }),
    [
      rename('spec.jump.enabled', 'spec.bastion.enabled'),
      {
        strategy: 'DefaultValue',
        acknowledgeLossy: true,
        defaultValue: { path: 'spec.d', existsOn: 'Hub', default: 'x' },
      },
    ],
  );
  const spoke = widget('v1', { spec: { bastion: { enabled: value }, d: value } });
  const hub = reviewWith(router, [spoke], 'v2').objects[0] as JsonObject;
  expect(hub['spec']).toEqual({ jump: { enabled: value }, d: value });
  expect(reviewWith(router, [hub], 'v1').objects[0]?.['spec']).toEqual({ bastion: { enabled: value } });
  const absent = widget('v1', { spec: { d: value } });
  expect(reviewWith(router, [absent], 'v2').objects[0]?.['spec']).toEqual({ d: value });
});

test.each(['', '{', '[1'])('C11: the corrupt stash %j fails nothing and stays as evidence', async (stash) => {
  const router = await routerOf(spec({ description: string, size: string }), spec({ size: string }), [
    {
      strategy: 'ToAnnotation',
      toAnnotation: { hubPath: 'spec.description', key: 'demo.example.test/desc', restoreOnReverse: true },
    },
  ]);
  const metadata = { name: 'bad', uid: 'u', annotations: { 'demo.example.test/desc': stash } };
  const { status, objects, summary } = reviewWith(router, [widget('v1', { spec: { size: 'S' } }, metadata)], 'v2');
  expect(status).toBe('Success');
  expect(objects[0]).toEqual(widget('v2', { spec: { size: 'S' } }, metadata));
  expect(summary.run.stashIgnored).toBe(1);
});

describe('C13: a stash larger than annotations may be', () => {
  const rule = {
    strategy: 'ToAnnotation',
    acknowledgeLossy: true,
    toAnnotation: { hubPath: 'spec.script', key: 'demo.example.test/script' },
  };

  test('is a Failure naming object, key, size and limit', async () => {
    const router = await routerOf(spec({ script: string }), spec({}), [rule]);
    const { status, message } = reviewWith(router, [widget('v2', { spec: { script: 'x'.repeat(300_000) } })], 'v1');
    expect(status).toBe('Failure');
    for (const part of ['Widget w', 'demo.example.test/script', '300002', '262144']) expect(message).toContain(part);
    const fits = 'x'.repeat(262_000 - 'demo.example.test/script'.length);
    expect(reviewWith(router, [widget('v2', { spec: { script: fits } })], 'v1').status).toBe('Success');
  });

  test('is foretold by analysis when the field has no maxLength', async () => {
    const found = await codes({ hub: spec({ script: string }), spoke: spec({}), rules: [rule] });
    expect(found.warnings).toContain('STASH_MAY_NOT_FIT');
  });
});

test.each([
  [{}, {}],
  [{ annotations: { other: 'x' } }, { annotations: { other: 'x' } }],
  [{ annotations: {} }, {}],
])('C18: metadata %j after a stash was restored is %j', async (before, after) => {
  const router = await routerOf(spec({ note: string }), spec({}), [
    {
      strategy: 'ToAnnotation',
      toAnnotation: { hubPath: 'spec.note', key: 'demo.example.test/note', restoreOnReverse: true },
    },
  ]);
  const hub = widget('v2', { spec: { note: 'hi' } }, { name: 'a', uid: 'u', ...before });
  const spoke = reviewWith(router, [hub], 'v1').objects[0] as JsonObject;
  expect(reviewWith(router, [spoke], 'v2').objects[0]?.['metadata']).toEqual({ name: 'a', uid: 'u', ...after });
});

test.each([
  ['a repeated key', [{ name: 'cpu' }, { name: 'mem' }, { name: 'cpu' }], 'duplicate key "cpu" at indexes 0 and 2'],
  ['a missing key', [{ name: 'cpu' }, { target: 1 }], 'spec.metrics[1]: the key field name is missing'],
  ['a key that is no string', [{ name: 5 }], 'spec.metrics[0]: the key field name must be a string, found 5'],
])('C19: %s in a list that becomes a map is a Failure', async (_what, metrics, expected) => {
  const router = await routerOf(
    spec({ metrics: array(object({ name: string, target: integer })) }),
    spec({ metrics: openMap }),
    [
      {
        strategy: 'ArrayToMapByKey',
        acknowledgeLossy: true,
        arrayToMapByKey: { hubPath: 'spec.metrics', spokePath: 'spec.metrics', keyField: 'name' },
      },
    ],
  );
  const { status, message } = reviewWith(router, [widget('v2', { spec: { metrics } })], 'v1');
  expect(status).toBe('Failure');
  expect(message).toContain(expected);
});

test('C19: an empty key is a key: the case asks for a Failure, the recorded results of the peer convert it', async () => {
  const rule = { hubPath: 'spec.metrics', spokePath: 'spec.metrics', keyField: 'name' };
  const router = await routerOf(spec({ metrics: array(object({ name: string })) }), spec({ metrics: openMap }), [
    { strategy: 'ArrayToMapByKey', acknowledgeLossy: true, arrayToMapByKey: rule },
  ]);
  const hub = widget('v2', { spec: { metrics: [{ name: '' }] } });
  const spoke = reviewWith(router, [hub], 'v1').objects[0] as JsonObject;
  expect(spoke['spec']).toEqual({ metrics: { '': {} } });
  expect(reviewWith(router, [spoke], 'v2').objects[0]).toEqual(hub);
});

describe('C21: durations', () => {
  const ttl = { hub: spec({ ttl: string }), spoke: spec({ ttlSeconds: integer }) };
  const rule = {
    strategy: 'Duration',
    acknowledgeLossy: true,
    duration: { hubPath: 'spec.ttl', spokePath: 'spec.ttlSeconds' },
  };

  test.each([
    ['2160h', 7776000],
    ['90s', 90],
    ['1.5h', 5400],
    ['0', 0],
    ['-5m', -300],
  ])('%s is %d s', async (text, seconds) => {
    const router = await routerOf(ttl.hub, ttl.spoke, [rule]);
    const { objects } = reviewWith(router, [widget('v2', { spec: { ttl: text } })], 'v1');
    expect(objects[0]?.['spec']).toEqual({ ttlSeconds: seconds });
  });

  test.each(['1500ms', '1d', ''])('%j is a Failure', async (text) => {
    const router = await routerOf(ttl.hub, ttl.spoke, [rule]);
    expect(reviewWith(router, [widget('v2', { spec: { ttl: text } })], 'v1').message).toContain(
      'rule 0 Duration at spec.ttl',
    );
  });

  test('3600 becomes 1h0m0s, and the rule must acknowledge the new spelling', async () => {
    const router = await routerOf(ttl.hub, ttl.spoke, [rule]);
    const { objects } = reviewWith(router, [widget('v1', { spec: { ttlSeconds: 3600 } })], 'v2');
    expect(objects[0]?.['spec']).toEqual({ ttl: '1h0m0s' });
    const { acknowledgeLossy: _, ...unacknowledged } = rule;
    expect((await codes({ ...ttl, rules: [unacknowledged] })).errors).toEqual(['LOSSY_SPOKE_TO_HUB']);
  });
});

test('C24: a manifest is read as kubectl reads it', () => {
  const text =
    'spec: {mode: 0644, enabled: yes, when: 2024-01-02, ver: 1.10, answer: "yes", code: "0644", exp: "1e3", port: "8080"}';
  expect(parseYaml(text)[0]?.value).toEqual({
    spec: {
      mode: 420,
      enabled: true,
      when: '2024-01-02',
      ver: 1.1,
      answer: 'yes',
      code: '0644',
      exp: '1e3',
      port: '8080',
    },
  });
  expect(() => parseYaml('a: 1\nb: 2\na: 3\n')).toThrow(/line 3/);
});
