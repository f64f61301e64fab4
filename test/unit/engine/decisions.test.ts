import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/engine/json.ts';
import {
  array,
  codes,
  compilePlan,
  integer,
  number,
  object,
  openMap,
  preserve,
  spec,
  string,
} from '../../support/plan.ts';

/** An object as an apiserver sends it in a review. */
const whole = (fields: JsonObject): JsonObject => ({ kind: 'W', metadata: { name: 'w', uid: 'u' }, spec: fields });
/** The same as a server-side-apply fragment. */
const fragment = (fields: JsonObject): JsonObject => ({ kind: 'W', metadata: { name: 'w' }, spec: fields });

const rename = (hubPath: string, spokePath: string) => ({
  strategy: 'FieldRename',
  fieldRename: { hubPath, spokePath },
});
const packed = {
  strategy: 'CEL',
  acknowledgeLossy: true,
  cel: {
    hubPaths: ['spec.high', 'spec.low'],
    spokePaths: ['spec.num'],
    spokeToHub: '{"spec.high": int(object.spec.num) / 256, "spec.low": int(object.spec.num) % 256}',
    hubToSpoke: '{"spec.num": int(object.spec.high) * 256 + int(object.spec.low)}',
  },
};
const packedPlan = { hub: spec({ high: integer, low: integer }), spoke: spec({ num: integer }), rules: [packed] };
const joined = {
  strategy: 'FieldsToScalar',
  fieldsToScalar: {
    hubFields: { value: 'spec.value', unit: 'spec.unit' },
    pattern: '^(?P<value>\\d+)(?P<unit>[a-zA-Z]+)$',
    spokePath: 'spec.size',
    joinTemplate: '{{.value}}{{.unit}}',
    losslessOverride: true,
  },
};
const joinedPlan = { hub: spec({ value: integer, unit: string }), spoke: spec({ size: string }), rules: [joined] };
const patched = {
  strategy: 'JSONPatch',
  acknowledgeLossy: true,
  jsonPatch: {
    hubToSpoke: [
      { op: 'remove', path: '/spec/gone' },
      { op: 'replace', path: '/spec/kept', value: 'new' },
    ],
    spokeToHub: [{ op: 'add', path: '/spec/kept', value: 'added' }],
  },
};
const patchedPlan = {
  hub: spec({ kept: string, gone: string }),
  spoke: spec({ kept: string, gone: string }),
  rules: [patched],
};

describe('D1: in a review, what is absent makes no rule fail', () => {
  test.each([
    ['a CEL expression', packedPlan, { color: 'blue' }, 'toHub'],
    ['a template with a field missing', joinedPlan, { value: 5 }, 'toSpoke'],
    ['a JSONPatch operation', patchedPlan, { kept: 'old' }, 'toSpoke'],
  ] as const)('%s is skipped and counted', async (_what, input, fields, direction) => {
    const plan = await compilePlan(input);
    expect(plan[direction](whole(fields), 'review')).toBeTruthy();
    expect(plan.run.absentSkipped).toBe(1);
    expect(() => plan[direction](whole(fields))).toThrow(/rule 0 (CEL|FieldsToScalar|JSONPatch)/);
  });

  test('only the operation whose path is missing is skipped; a test ends its rule', async () => {
    const plan = await compilePlan(patchedPlan);
    expect(plan.toSpoke(whole({ kept: 'old' }), 'review')['spec']).toEqual({ kept: 'new' });
    const rule = {
      ...patched,
      jsonPatch: {
        hubToSpoke: [
          { op: 'replace', path: '/spec/gone', value: 'first' },
          { op: 'test', path: '/spec/kept', value: 'x' },
          { op: 'replace', path: '/spec/gone', value: 'second' },
        ],
      },
    };
    const tested = await compilePlan({ ...patchedPlan, rules: [rule] });
    expect(tested.toSpoke(whole({ gone: 'x' }), 'review')['spec']).toEqual({ gone: 'first' });
  });

  test('an operation with skipIfMissing is skipped offline too (R34)', async () => {
    const operations = patched.jsonPatch.hubToSpoke.map((operation) => ({ ...operation, skipIfMissing: true }));
    const rule = { ...patched, jsonPatch: { hubToSpoke: operations } };
    const plan = await compilePlan({ ...patchedPlan, rules: [rule] });
    expect(plan.toSpoke(whole({ kept: 'old' }))['spec']).toEqual({ kept: 'new' });
  });

  test('a wrong value is still an error', async () => {
    const plan = await compilePlan(joinedPlan);
    expect(() => plan.toHub(whole({ size: '50 Gi' }), 'review')).toThrow('rule 0 FieldsToScalar at spec.size');
  });

  const injecting = {
    hub: spec({ tier: string, fixed: string, wrapped: object({ major: string, minor: string }) }),
    spoke: spec({ wrapped: string }),
    rules: [
      {
        strategy: 'DefaultValue',
        acknowledgeLossy: true,
        defaultValue: { path: 'spec.tier', existsOn: 'Hub', default: 'g' },
      },
      { strategy: 'Constant', acknowledgeLossy: true, constant: { path: 'spec.fixed', existsOn: 'Hub', value: '2' } },
      {
        strategy: 'ObjectToScalar',
        acknowledgeLossy: true,
        objectToScalar: {
          hubPath: 'spec.wrapped',
          spokePath: 'spec.wrapped',
          key: 'major',
          defaultsForOtherKeys: { minor: '0' },
        },
      },
    ],
  };

  test('no leaf is invented in a fragment', async () => {
    const plan = await compilePlan(injecting);
    const full = { tier: 'g', fixed: '2', wrapped: { minor: '0', major: '1' } };
    expect(plan.toHub(whole({ wrapped: '1' }), 'review')['spec']).toEqual(full);
    expect(plan.toHub(fragment({ wrapped: '1' }), 'review')['spec']).toEqual({ wrapped: { major: '1' } });
    expect(plan.toHub(fragment({ wrapped: '1' }))['spec']).toEqual(full);
    expect(plan.toHub({ kind: 'W', spec: { wrapped: '1' } })['spec']).toEqual({ wrapped: { major: '1' } });
  });

  test('an add writes only what a fragment has', async () => {
    const plan = await compilePlan(patchedPlan);
    expect(plan.toHub(whole({ gone: 'x' }), 'review')['spec']).toEqual({ kept: 'added' });
    expect(plan.toHub(fragment({ gone: 'x' }), 'review')['spec']).toBeUndefined();
    expect(plan.toHub(fragment({ kept: 'x' }), 'review')['spec']).toEqual({ kept: 'added' });
  });

  test('analysis warns for every rule that can write a hub field without a source', async () => {
    const found = [injecting, packedPlan, patchedPlan].map(async (input) => (await codes(input)).warnings);
    const counts = (await Promise.all(found)).map(
      (list) => list.filter((code) => code === 'WRITES_WITHOUT_SOURCE').length,
    );
    expect(counts).toEqual([3, 1, 1]);
  });
});

describe('D2: a stash that cannot be read never fails a conversion', () => {
  const rule = {
    strategy: 'ToAnnotation',
    toAnnotation: { hubPath: 'spec.note', key: 'k/note', restoreOnReverse: true },
  };
  const input = { hub: spec({ note: openMap }), spoke: spec({}), rules: [rule] };

  test.each(['', '{', '[1', '1e999', 5, null, ['x']])(
    '%j: the field is absent, the annotation stays',
    async (stash) => {
      const plan = await compilePlan(input);
      const metadata = { name: 'w', annotations: { 'k/note': stash } };
      expect(plan.toHub({ metadata })).toEqual({ metadata });
      expect(plan.toHub({ metadata }, 'review')).toEqual({ metadata });
      expect(plan.run.stashIgnored).toBe(1);
    },
  );

  test.each([
    ['null', null],
    ['5', 5],
    ['"x"', 'x'],
    ['9007199254740993', 9007199254740993n],
  ])('%s is restored as it is', async (stash, value) => {
    const plan = await compilePlan(input);
    const restored = plan.toHub({ metadata: { name: 'w', annotations: { 'k/note': stash } } });
    expect(restored).toEqual({ metadata: { name: 'w' }, spec: { note: value } });
  });
});

describe('D3: undeclared keys pass through everywhere', () => {
  test('beside spec, below an object without properties, in elements of a ForEach', async () => {
    const items = (name: string) => array(object({ [name]: string }));
    const plan = await compilePlan({
      hub: object({ spec: object({ bare: { type: 'object' }, list: items('a') }) }),
      spoke: object({ spec: object({ bare: { type: 'object' }, list: items('b') }) }),
      rules: [
        {
          strategy: 'ForEach',
          forEach: { hubItemsPath: 'spec.list', spokeItemsPath: 'spec.list', rules: [rename('a', 'b')] },
        },
      ],
    });
    const source = {
      metadata: {},
      extra: 1,
      spec: { bare: { x: 1 }, list: [{ a: '1', own: { deep: [2] } }], other: true },
    };
    const spoke = {
      metadata: {},
      extra: 1,
      spec: { bare: { x: 1 }, list: [{ b: '1', own: { deep: [2] } }], other: true },
    };
    expect(plan.toSpoke(source)).toEqual(spoke);
    expect(plan.toHub(spoke)).toEqual(source);
  });

  test('they move with the container that a rule moves, and nothing stays behind', async () => {
    const plan = await compilePlan({
      hub: spec({ zone: object({ name: string }) }),
      spoke: spec({ zones: array(object({ name: string }), { maxItems: 1 }) }),
      rules: [
        {
          strategy: 'ObjectToSingletonArray',
          objectToSingletonArray: { hubPath: 'spec.zone', spokePath: 'spec.zones' },
        },
      ],
    });
    const spoke = plan.toSpoke({ metadata: {}, spec: { zone: { name: 'a', zz: 1 } } });
    expect(spoke).toEqual({ metadata: {}, spec: { zones: [{ name: 'a', zz: 1 }] } });
    expect(plan.toHub(spoke)).toEqual({ metadata: {}, spec: { zone: { name: 'a', zz: 1 } } });
  });
});

test('D4: integers are exact beyond 2^53, touched or not', async () => {
  const plan = await compilePlan({
    hub: spec({ id: string, list: array(integer), keep: integer }),
    spoke: spec({ id: integer, list: string, keep: integer }),
    rules: [
      { strategy: 'TypeCoerce', typeCoerce: { path: 'spec.id' } },
      { strategy: 'ListJoin', listJoin: { hubPath: 'spec.list', spokePath: 'spec.list', separator: ',' } },
    ],
  });
  const hub = {
    metadata: {},
    spec: { id: '18446744073709551615', list: [9007199254740993n], keep: -9223372036854775808n },
  };
  const spoke = {
    metadata: {},
    spec: { id: 18446744073709551615n, list: '9007199254740993', keep: -9223372036854775808n },
  };
  expect(plan.toSpoke(hub)).toEqual(spoke);
  expect(plan.toHub(spoke)).toEqual(hub);
});

describe('D5: absent, null, {}, [], false, 0 and "" are different things', () => {
  test.each([[{}], [{ a: null }], [{ a: {} }], [{ a: [] }], [{ a: false }], [{ a: 0 }], [{ a: '' }]])(
    '%j',
    async (fields) => {
      const plan = await compilePlan({
        hub: spec({ a: openMap }),
        spoke: spec({ b: openMap }),
        rules: [rename('spec.a', 'spec.b')],
      });
      const hub = { metadata: {}, spec: fields };
      const expected = 'a' in fields ? { b: fields.a } : {};
      expect(plan.toSpoke(hub)).toEqual({ metadata: {}, spec: expected });
      expect(plan.toHub(plan.toSpoke(hub))).toEqual(hub);
    },
  );

  test.each([[null], [{}]])('a structured object that is %j stays so', async (value) => {
    const nested = object({ inner: object({ x: string }) });
    const plan = await compilePlan({ hub: object({ spec: nested }), spoke: object({ spec: nested }), rules: [] });
    expect(plan.toSpoke({ metadata: {}, spec: { inner: value } })).toEqual({ metadata: {}, spec: { inner: value } });
  });
});

describe('D6: JSONPatch', () => {
  const patch = (hubToSpoke: JsonObject[]) => ({
    hub: spec({ list: array(string), map: openMap, to: string }),
    spoke: spec({ list: array(string), map: openMap, to: string }),
    rules: [{ strategy: 'JSONPatch', acknowledgeLossy: true, jsonPatch: { hubToSpoke } }],
  });

  test.each([
    [
      'replaces an element',
      [{ op: 'replace', path: '/spec/list/1', value: 'x' }],
      { list: ['a', 'b'] },
      { list: ['a', 'x'] },
    ],
    ['adds at the end', [{ op: 'add', path: '/spec/list/-', value: 'x' }], { list: ['a'] }, { list: ['a', 'x'] }],
    ['counts from the end', [{ op: 'remove', path: '/spec/list/-1' }], { list: ['a', 'b'] }, { list: ['a'] }],
    ['writes null', [{ op: 'replace', path: '/spec/to', value: null }], { to: 'a' }, { to: null }],
    ['changes a null', [{ op: 'replace', path: '/spec/to', value: 'b' }], { to: null }, { to: 'b' }],
    [
      'writes an entry of a map',
      [{ op: 'add', path: '/spec/map/k', value: 1 }],
      { map: { o: 2 } },
      { map: { o: 2, k: 1 } },
    ],
    [
      'copies out of a list',
      [{ op: 'copy', from: '/spec/list/0', path: '/spec/to' }],
      { list: ['a'] },
      { list: ['a'], to: 'a' },
    ],
  ] as const)('%s', async (_what, operations, before, after) => {
    const plan = await compilePlan(patch(operations as unknown as JsonObject[]));
    expect(plan.toSpoke({ metadata: { name: 'w' }, spec: before as unknown as JsonObject })['spec']).toEqual(after);
  });

  test.each([
    [[{ op: 'add', path: '/spec/__proto__/polluted', value: 1 }]],
    [[{ op: 'copy', from: '/constructor/constructor', path: '/spec/to' }]],
    [[{ op: 'remove', path: '/spec/prototype' }]],
  ])('%j is refused with the index of the operation', async (operations) => {
    const { errors } = await codes(patch(operations));
    expect(errors).toContain('PATCH_INVALID');
  });

  test('reserved names in the paths of other rules are refused', async () => {
    const { errors } = await codes({
      hub: spec({}),
      spoke: spec({}),
      rules: [rename('spec.__proto__', 'spec.constructor')],
    });
    expect(errors).toEqual(['PATH_RESERVED', 'PATH_RESERVED']);
  });
});

test.each([
  ['an integer field is int', 'object.spec.i + 1', { i: 9007199254740993n }, 9007199254740994n],
  ['a number field is double', 'object.spec.n / 2.0', { n: 5 }, 2.5],
  ['int and double mix', 'object.spec.i * 1.5', { i: 3 }, 4.5],
  ['nested maps work', '{"a": {"b": null}}', {}, { a: { b: null } }],
  ['an empty list is one', '[]', {}, []],
  ['matches is RE2', '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".matches("(a+)+$")', {}, false],
] as const)('D7: in CEL %s', async (_what, expression, fields, expected) => {
  const plan = await compilePlan({
    hub: spec({ i: integer, n: number }),
    spoke: spec({ out: openMap }),
    rules: [
      {
        strategy: 'CEL',
        acknowledgeLossy: true,
        cel: {
          hubPaths: ['spec.i', 'spec.n'],
          spokePaths: ['spec.out'],
          hubToSpoke: `{"spec.out": ${expression}}`,
          spokeToHub: '{}',
        },
      },
    ],
  });
  expect(plan.toSpoke({ metadata: { name: 'w' }, spec: fields })['spec']).toEqual({ out: expected });
});

test('D8: MapToArrayByKey fails when an entry has another value under the key field', async () => {
  const keyed = { hubPath: 'spec.m', spokePath: 'spec.m', keyField: 'name' };
  const plan = await compilePlan({
    hub: spec({ m: openMap }),
    spoke: spec({ m: array(object({ name: string })) }),
    rules: [{ strategy: 'MapToArrayByKey', acknowledgeLossy: true, mapToArrayByKey: keyed }],
  });
  expect(() => plan.toSpoke({ metadata: {}, spec: { m: { a: { name: 'b' } } } })).toThrow(
    'spec.m.a: the entry has name: "b"',
  );
  expect(plan.toSpoke({ metadata: {}, spec: { m: { a: { name: 'a' } } } })['spec']).toEqual({ m: [{ name: 'a' }] });
});

test.each([
  ['Quantity', 'toSpoke', '8Ei'],
  ['Quantity', 'toSpoke', '10P'],
  ['Duration', 'toSpoke', '9223372036854775808ns'],
  ['Duration', 'toHub', 9223372037],
] as const)('D9: %s %s %s overflows with an error', async (strategy, direction, value) => {
  const block = strategy.toLowerCase();
  const plan = await compilePlan({
    hub: spec({ t: string }),
    spoke: spec({ c: integer }),
    rules: [{ strategy, acknowledgeLossy: true, [block]: { hubPath: 'spec.t', spokePath: 'spec.c' } }],
  });
  const field = direction === 'toSpoke' ? { t: value } : { c: value };
  expect(() => plan[direction]({ metadata: { name: 'w' }, spec: field })).toThrow(`rule 0 ${strategy} at spec.`);
});

test.each([
  ['-1.0000000001', -1001],
  ['-0.0005', -1],
  ['-0.00005Ki', -52],
  ['0.1m', 1],
])('D9: the quantity %s rounds away from zero to %d', async (text, milli) => {
  const plan = await compilePlan({
    hub: spec({ t: string }),
    spoke: spec({ c: integer }),
    rules: [{ strategy: 'Quantity', acknowledgeLossy: true, quantity: { hubPath: 'spec.t', spokePath: 'spec.c' } }],
  });
  expect(plan.toSpoke({ metadata: {}, spec: { t: text } })['spec']).toEqual({ c: milli });
});

test('D10: a template prints whole numbers as whole numbers', async () => {
  const plan = await compilePlan(joinedPlan);
  expect(plan.toSpoke({ metadata: {}, spec: { value: 2097152, unit: 'Ki' } })['spec']).toEqual({ size: '2097152Ki' });
});

describe('D11: overlaps and roots', () => {
  test.each([
    [
      'an ancestor and its descendant',
      {
        hub: spec({ q: string, p: object({ x: string }) }),
        spoke: spec({ r: object({ x: string }) }),
        rules: [rename('spec.q', 'spec.r.x'), rename('spec.p', 'spec.r')],
      },
      'CLAIMS_OVERLAP',
    ],
    [
      'an empty path',
      { hub: spec({ a: string }), spoke: spec({ a: string }), rules: [rename('', 'spec.a')] },
      'PATH_EMPTY',
    ],
    ['an opaque root', { hub: preserve, spoke: preserve, rules: [] }, 'SCHEMA_ROOT_OPAQUE'],
    [
      'a combinator at the root',
      { hub: { type: 'object', oneOf: [{}] }, spoke: spec({}), rules: [] },
      'SCHEMA_ROOT_OPAQUE',
    ],
  ] as const)('%s is an error', async (_what, input, code) => {
    expect((await codes(input)).errors).toContain(code);
  });

  test('a rule inside an opaque subtree wins over its copy', async () => {
    const opaque = object({
      spec: { ...object({ a: string, b: string }), 'x-kubernetes-preserve-unknown-fields': true },
    });
    const plan = await compilePlan({ hub: opaque, spoke: opaque, rules: [rename('spec.a', 'spec.b')] });
    const hub = { metadata: {}, spec: { a: '1', other: [2] } };
    const spoke = { metadata: {}, spec: { b: '1', other: [2] } };
    expect(plan.toSpoke(hub)).toEqual(spoke);
    expect(plan.toHub(spoke)).toEqual(hub);
  });
});

test('D12: EnumRemap reports values that the schema allows and the mapping lacks, and duplicate hub values', async () => {
  const remap = (mapping: JsonObject[]) => ({
    hub: spec({ t: { type: 'string', enum: ['a', 'b'] } }),
    spoke: spec({ t: string }),
    rules: [{ strategy: 'EnumRemap', acknowledgeLossy: true, enumRemap: { path: 'spec.t', mapping } }],
  });
  expect((await codes(remap([{ hub: 'a', spoke: 'x' }]))).warnings).toEqual(['ENUM_VALUE_UNMAPPED']);
  const twice = [
    { hub: 'a', spoke: 'x' },
    { hub: 'a', spoke: 'y' },
    { hub: 'b', spoke: 'z' },
  ];
  expect((await codes(remap(twice))).errors).toEqual(['ENUM_HUB_DUPLICATE']);
});

test('D13: metadata.annotations: null counts as absent, and metadata is never removed', async () => {
  const rule = { strategy: 'ToAnnotation', toAnnotation: { hubPath: 'spec.note', key: 'k', restoreOnReverse: true } };
  const plan = await compilePlan({ hub: spec({ note: string }), spoke: spec({}), rules: [rule] });
  const stashed = { metadata: { annotations: { k: '"hi"' } } };
  expect(plan.toSpoke({ metadata: { annotations: null }, spec: { note: 'hi' } })).toEqual(stashed);
  expect(plan.toHub(stashed)).toEqual({ metadata: {}, spec: { note: 'hi' } });
});

test('D14: apiVersion, kind and metadata at the root are never uncovered', async () => {
  const declared = object({
    apiVersion: string,
    kind: string,
    metadata: object({ name: string }),
    spec: object({ a: string }),
  });
  const analysis = await codes({ hub: declared, spoke: spec({ a: string }), rules: [] });
  expect(analysis).toEqual({ errors: [], warnings: [] });
});

test('D16: with the policy Warn, dropped fields make the verdict lossy', async () => {
  const { analysis } = await compilePlan({
    hub: spec({ a: string }),
    spoke: spec({ b: string }),
    rules: [],
    policy: 'Warn',
  });
  expect(analysis.lossless).toBe(false);
  expect(analysis.spokes[0]?.lossless).toEqual({ hubToSpoke: false, spokeToHub: false });
});

describe('D17: a null source never fails a conversion', () => {
  const both = { hubPath: 'spec.f', spokePath: 'spec.f' };
  const items = array(object({ name: string }));
  const open = array(string);
  test.each([
    ['EnumRemap', string, string, { enumRemap: { path: 'spec.f', mapping: [{ hub: 'a', spoke: 'b' }] } }],
    ['TypeCoerce', string, integer, { typeCoerce: { path: 'spec.f' } }],
    ['NumericScale', number, number, { numericScale: { ...both, factor: 2 } }],
    ['Quantity', string, integer, { quantity: both }],
    ['Duration', string, integer, { duration: both }],
    ['ListJoin', open, string, { listJoin: { ...both, separator: ',' } }],
    ['ListSplit', string, open, { listSplit: { ...both, separator: ',' } }],
    ['MapKeyRename', openMap, openMap, { mapKeyRename: { ...both, renames: { a: 'b' } } }],
    ['ForEach', items, items, { forEach: { hubItemsPath: 'spec.f', spokeItemsPath: 'spec.f', rules: [] } }],
    ['ArrayToMapByKey', items, openMap, { arrayToMapByKey: { ...both, keyField: 'name' } }],
    ['MapToArrayByKey', openMap, items, { mapToArrayByKey: { ...both, keyField: 'name' } }],
  ] as const)('%s carries it as null, both ways', async (strategy, hub, spoke, block) => {
    const rules = [{ strategy, acknowledgeLossy: true, ...block } as unknown as JsonObject];
    const plan = await compilePlan({ hub: spec({ f: hub }), spoke: spec({ f: spoke }), rules });
    const source = { metadata: { name: 'w' }, spec: { f: null } };
    expect(plan.toSpoke(source)).toEqual(source);
    expect(plan.toHub(source)).toEqual(source);
  });

  test('FieldsToMap and MapToFields carry a null field as a null entry', async () => {
    const rule = { strategy: 'FieldsToMap', fieldsToMap: { hubPaths: ['spec.a', 'spec.b'], spokeMapPath: 'spec.m' } };
    const plan = await compilePlan({ hub: spec({ a: string, b: string }), spoke: spec({ m: openMap }), rules: [rule] });
    const hub = { metadata: {}, spec: { a: null, b: 'x' } };
    expect(plan.toSpoke(hub)['spec']).toEqual({ m: { a: null, b: 'x' } });
    expect(plan.toHub(plan.toSpoke(hub))).toEqual(hub);
    expect(plan.toHub({ metadata: {}, spec: { m: null } })).toEqual({ metadata: {} });
  });

  test('a split, a join and a String stash treat it as absent', async () => {
    const plan = await compilePlan(joinedPlan);
    expect(plan.toHub({ metadata: { name: 'w' }, spec: { size: null } })).toEqual({ metadata: { name: 'w' } });
    expect(plan.toSpoke({ metadata: {}, spec: { value: null, unit: null } })).toEqual({ metadata: {} });
    const rule = {
      strategy: 'ToLabel',
      acknowledgeLossy: true,
      toLabel: { hubPath: 'spec.t', key: 'k', serialization: 'String' },
    };
    const label = await compilePlan({ hub: spec({ t: string }), spoke: spec({}), rules: [rule] });
    expect(label.toSpoke({ metadata: {}, spec: { t: null } })).toEqual({ metadata: {} });
  });

  test('EnumRemap asks the mapping and the policy Drop first', async () => {
    const remap = (more: JsonObject) => ({
      hub: spec({ f: string }),
      spoke: spec({ f: string }),
      rules: [{ strategy: 'EnumRemap', acknowledgeLossy: true, enumRemap: { path: 'spec.f', ...more } }],
    });
    const mapped = await compilePlan(remap({ mapping: [{ hub: null, spoke: 'none' }] }));
    expect(mapped.toSpoke({ metadata: {}, spec: { f: null } })['spec']).toEqual({ f: 'none' });
    const dropped = await compilePlan(remap({ mapping: [], onUnmappedHubValue: 'Drop' }));
    expect(dropped.toSpoke({ metadata: {}, spec: { f: null } })).toEqual({ metadata: {} });
  });
});

test.each([[false], [0], [''], [null], [{}]])('D18: DefaultValue keeps %j where it is', async (value) => {
  const rule = {
    strategy: 'DefaultValue',
    acknowledgeLossy: true,
    defaultValue: { path: 'spec.d', existsOn: 'Spoke', default: 'x' },
  };
  const plan = await compilePlan({ hub: spec({}), spoke: spec({ d: openMap }), rules: [rule] });
  expect(plan.toSpoke({ metadata: { name: 'w' }, spec: { d: value } })['spec']).toEqual({ d: value });
  expect(plan.toSpoke({ metadata: { name: 'w' }, spec: {} })['spec']).toEqual({ d: 'x' });
});

test('D20: a singleton or unwrap rule whose source has another shape writes nothing and is counted, or is an error', async () => {
  const singleton = (onWrongShape: string) => ({
    hub: spec({ l: array(object({})), o: object({ k: string }) }),
    spoke: spec({ l: object({}), o: string }),
    rules: [
      {
        strategy: 'SingletonArrayToObject',
        acknowledgeLossy: true,
        singletonArrayToObject: { hubPath: 'spec.l', spokePath: 'spec.l', onWrongShape },
      },
      {
        strategy: 'ObjectToScalar',
        objectToScalar: { hubPath: 'spec.o', spokePath: 'spec.o', key: 'k', onWrongShape },
      },
    ],
  });
  const source = { metadata: { name: 'w', uid: 'u' }, spec: { l: { a: 1 }, o: 'text' } };
  const lenient = await compilePlan(singleton('Ignore'));
  expect(lenient.toSpoke(source, 'review')).toEqual({ metadata: { name: 'w', uid: 'u' } });
  expect(lenient.run.shapeMismatches).toBe(2);
  const strict = await compilePlan(singleton('Error'));
  expect(() => strict.toSpoke(source, 'review')).toThrow(
    'rule 0 SingletonArrayToObject at spec.l: expected array, found object',
  );
});
