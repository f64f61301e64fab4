import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editCheck } from '../../lib/cli/conformance/fuzz/checks.ts';
import { withFewestFields } from '../../lib/cli/conformance/fuzz/fewest-fields.ts';
import { fuzz } from '../../lib/cli/conformance/fuzz/fuzz.ts';
import { valuesOf } from '../../lib/cli/conformance/fuzz/generate.ts';
import { checkSchema } from '../../lib/cli/conformance/schema-check.ts';
import { uncheckedPatterns } from '../../lib/cli/conformance/schema-values.ts';
import type { Json, JsonObject } from '../../lib/engine/json.ts';
import { array, boolean, integer, number, object, openMap, preserve, string } from '../support/plan.ts';
import { type ConversionInput, kettle, kettles } from './support/conversions.ts';

const OPTIONS = { runs: 1000, seed: 11, mode: 'review', pairs: [], now: () => 0 } as const;

async function run(input: ConversionInput, options: object = {}) {
  return fuzz(await kettles(input), { ...OPTIONS, ...options });
}

type Found = Awaited<ReturnType<typeof run>>;

/** Each counter-example as its way, its `spec`, and the places that differ. */
function found({ ways }: Found, kind: 'counterExamples' | 'beyond' = 'counterExamples') {
  return ways.flatMap(({ from, to, edited, [kind]: examples }) =>
    examples.map(({ object: { spec: shown }, issues }) => ({
      way: `${from} ${to}${edited ? ' edited' : ''}`,
      spec: shown,
      fields: issues.map(({ field, type, detail }) => (type === 'error' ? detail : field)),
    })),
  );
}

const rename = (hub: string, spoke: string) => {
  return { strategy: 'FieldRename', fieldRename: { hubPath: `spec.${hub}`, spokePath: `spec.${spoke}` } };
};
const lossy = (rule: JsonObject) => ({ ...rule, acknowledgeLossy: true, reason: 'a test' });

describe('a planted loss', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, string]));

  test('of one field in fifty, four objects deep, is found and shrunk to that field', async () => {
    const deep = (leaf: JsonObject) => ({
      ...many,
      a: object({ ...many, b: object({ c: object({ ...leaf, d: string }) }) }),
    });
    const report = await run({ hub: deep({ forgotten: integer }), spoke: deep({}), rules: [], warn: true });
    expect(found(report)).toEqual([
      { way: 'v2 v1', spec: { a: { b: { c: { forgotten: expect.any(Number) } } } }, fields: ['spec.a.b.c.forgotten'] },
    ]);
  });

  test('of two fields is found for each of them', async () => {
    const report = await run({ hub: { ...many, x: string }, spoke: { ...many, y: boolean }, rules: [], warn: true });
    expect(found(report)).toEqual([
      { way: 'v2 v1', spec: { x: expect.any(String) }, fields: ['spec.x'] },
      { way: 'v1 v2', spec: { y: expect.any(Boolean) }, fields: ['spec.y'] },
    ]);
  });

  test('by keys that collide under MapKeyRename lies beyond it, and is shrunk to the keys that it takes', async () => {
    const labels = { labels: { type: 'object', additionalProperties: string } };
    const renames = { app: 'application', env: 'stage' };
    const rule = {
      strategy: 'MapKeyRename',
      mapKeyRename: { hubPath: 'spec.labels', spokePath: 'spec.labels', renames },
    };
    const report = await run({ hub: labels, spoke: labels, rules: [rule] });
    expect(found(report)).toEqual([]);
    const examples = found(report, 'beyond');
    const collision = examples.find(({ fields }) => fields[0]?.includes('two keys become'));
    expect(Object.keys((collision as any).spec.labels)).toHaveLength(2);
    const overwritten = examples.filter(({ fields }) => fields[0]?.startsWith('spec.labels.'));
    expect(overwritten.length).toBeGreaterThan(0);
    for (const { spec: shown } of overwritten) expect(Object.keys((shown as any).labels)).toHaveLength(1);
    const accepted = await run({ hub: labels, spoke: labels, rules: [lossy(rule)] });
    expect([...found(accepted), ...found(accepted, 'beyond')]).toEqual([]);
    expect(accepted.acknowledged.length).toBeGreaterThan(0);
  });

  test('by two hub values of an EnumRemap with one spoke value is acknowledged, and shown', async () => {
    const size = (...values: string[]) => ({ size: { type: 'string', enum: values } });
    const mapping = [
      { hub: 'Small', spoke: 'S' },
      { hub: 'Tiny', spoke: 'S' },
    ];
    const rule = lossy({ strategy: 'EnumRemap', enumRemap: { path: 'spec.size', mapping } });
    const report = await run({ hub: size('Small', 'Tiny'), spoke: size('S'), rules: [rule] });
    expect(found(report)).toEqual([]);
    expect(report.acknowledged).toMatchObject([{ field: 'spec.size', detail: '"Small" came back as "Tiny"' }]);
  });

  test('by a list whose elements the other version prunes is shrunk to one element with one field', async () => {
    const list = (fields: JsonObject) => ({ list: array(object(fields)), other: string });
    const report = await run({ hub: list({ a: string, b: string }), spoke: list({ a: string }), rules: [] });
    expect(found(report)).toEqual([
      { way: 'v2 v1', spec: { list: [{ b: expect.any(String) }] }, fields: ['spec.list[0].b'] },
    ]);
  });

  test('by a condition that does not hold is found', async () => {
    const rule = { ...rename('option', 'flag'), when: { path: 'spec.mode', equals: 'advanced' } };
    const report = await run({
      hub: { mode: string, option: string },
      spoke: { mode: string, flag: string },
      rules: [rule],
    });
    expect(found(report)).toMatchObject([{ fields: ['spec.option'] }, { fields: ['spec.flag'] }]);
  });

  test('by a stash that overwrites what was edited is found by the edit alone, and named', async () => {
    const stash = '/metadata/annotations/stash';
    const rule = {
      strategy: 'JSONPatch',
      jsonPatch: {
        losslessOverride: true,
        hubToSpoke: [
          { op: 'copy', from: '/spec/state', path: stash },
          { op: 'copy', from: '/spec/state', path: '/spec/state' },
        ],
        spokeToHub: [
          { op: 'copy', from: '/spec/state', path: '/spec/state' },
          { op: 'copy', from: stash, path: '/spec/state' },
          { op: 'remove', path: stash },
        ],
      },
    };
    const fields = { state: string, size: integer };
    const conversion = await kettles({ hub: fields, spoke: fields, rules: [rule] });
    const report = await fuzz(conversion, OPTIONS);
    expect(found(report).filter(({ way, fields }) => !way.endsWith('edited') && fields.includes('spec.state'))).toEqual(
      [],
    );
    const [example] = report.ways.filter(({ edited }) => edited).flatMap(({ counterExamples }) => counterExamples);
    expect(example).toMatchObject({ edit: { path: 'spec.state' }, issues: [{ field: 'spec.state' }] });
  });
});

test('an edit that changes another field at the hub is a fault, and names that field', async () => {
  const rule = { ...rename('option', 'flag'), when: { path: 'spec.mode', equals: 'advanced' } };
  const hub = { mode: string, option: string };
  const conversion = await kettles({ hub, spoke: { mode: string, flag: string }, rules: [rule] });
  const check = editCheck(conversion, { from: 'v2', to: 'v1' }, 'review');
  const object = kettle('v2', { mode: 'advanced', option: 'fast' });
  const toMode = (value: string) => check(object, [{ path: ['spec', 'mode'], value }]).issues;
  expect(toMode('basic').filter(({ from }) => from === 'v2')).toMatchObject([
    { field: 'spec.option', detail: '"fast" at the hub was changed by the edit to nothing' },
  ]);
  expect(check(object, [{ path: ['spec', 'flag'], value: 'slow' }]).issues).toEqual([]);
});

test('the first edit that the other version allows is the one that is made', async () => {
  const fields = { size: { type: 'string', enum: ['S', 'M'] } };
  const conversion = await kettles({ hub: fields, spoke: fields, rules: [] });
  const check = editCheck(conversion, { from: 'v2', to: 'v1' }, 'review');
  const edits = ['XL', 'M', 'S'].map((value) => ({ path: ['spec', 'size'], value }));
  expect(check(kettle('v2', { size: 'S' }), edits)).toMatchObject({ valid: true, edit: edits[1] });
  expect(check(kettle('v2', { size: 'S' }), edits.slice(0, 1))).toMatchObject({ valid: false });
});

test('fields and elements that do not matter are taken away together, names are not', () => {
  const object = { kind: 'A', metadata: { name: 'a' }, spec: { a: 1, list: [{ x: 1 }, { c: 1, d: { e: 2 } }], f: {} } };
  // Both a and f must be there, or neither.
  const shows = ({ spec: shown = {} }: any) =>
    JSON.stringify(shown).includes('"c"') && (shown.a === undefined) === (shown.f === undefined);
  const both = { ...object, spec: { ...object.spec, o: { a: 1 } } };
  expect(withFewestFields(both, shows)).toEqual({ ...object, spec: { a: 1, list: [{ c: 1 }], f: {} } });
  expect(withFewestFields(object, (one) => JSON.stringify(one).includes('"c"'))).toEqual({
    ...object,
    spec: { list: [{ c: 1 }] },
  });
});

test('a seed repeats a run, whatever it finds', async () => {
  const input = { hub: { a: string, b: integer, c: boolean }, spoke: { a: string }, rules: [], warn: true };
  expect(await run(input, { seed: 3 })).toEqual(await run(input, { seed: 3 }));
  expect((await run(input, { seed: 3 })).meta.seed).toBe(3);
});

test('only the ways that are asked for are gone', async () => {
  const input = { hub: { a: string }, spoke: { a: string }, rules: [] };
  const { ways } = await run(input, { runs: 10, pairs: [{ from: 'v1', to: 'v2' }] });
  expect(ways.map(({ from, to, edited, objects }) => [from, to, edited, objects])).toEqual([['v1', 'v2', false, 10]]);
});

test('values that the other version refuses are noted once a place, and are no counter-example', async () => {
  const hub = { size: { type: 'integer', maximum: 3 } };
  const report = await run({ hub, spoke: { size: integer }, rules: [] });
  expect(found(report)).toEqual([]);
  expect(report.schemaIssues.map(({ from, to, field, type }) => [from, to, field, type])).toEqual([
    ['v1', 'v2', 'spec.size', 'schema-violation'],
  ]);
});

describe('rules that keep what is in their domain have no counter-example', () => {
  const list = { l: array(string) };
  const items = (fields: JsonObject) => array({ ...object(fields), required: Object.keys(fields).slice(0, 1) });
  const stringMap = { type: 'object', additionalProperties: string };
  const objectMap = { type: 'object', additionalProperties: object({ v: string }) };
  const param = (hub: string, spoke: string, more: JsonObject = {}) => ({
    hubPath: `spec.${hub}`,
    spokePath: `spec.${spoke}`,
    ...more,
  });
  const split = { pattern: '^(?P<n>[1-9][0-9]*)(?P<u>[a-z]+)$', joinTemplate: '{{.n}}{{.u}}', losslessOverride: true };
  const pair = { ...object({ n: { type: 'integer', minimum: 1 }, u: { type: 'string' } }), required: ['n', 'u'] };

  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['FieldRename', { a: preserve }, { b: preserve }, rename('a', 'b')],
    ['ScalarToObject', { a: string }, { o: object({ k: string }) }, { scalarToObject: param('a', 'o', { key: 'k' }) }],
    ['ObjectToScalar', { o: object({ k: string }) }, { a: string }, { objectToScalar: param('o', 'a', { key: 'k' }) }],
    [
      'SingletonArrayToObject',
      { l: array(object({ k: string }), { maxItems: 1 }) },
      { o: object({ k: string }) },
      { singletonArrayToObject: param('l', 'o') },
    ],
    [
      'ObjectToSingletonArray',
      { o: object({ k: string }) },
      { l: array(object({ k: string }), { maxItems: 1 }) },
      { objectToSingletonArray: param('o', 'l') },
    ],
    [
      'FieldsToMap',
      { a: string, b: string },
      { m: stringMap },
      { fieldsToMap: { hubPaths: ['spec.a', 'spec.b'], spokeMapPath: 'spec.m', keyNames: { 'spec.b': 'bee' } } },
    ],
    [
      'MapToFields',
      { m: stringMap },
      { a: string, b: string },
      { mapToFields: { hubMapPath: 'spec.m', spokePaths: ['spec.a', 'spec.b'] } },
    ],
    ['ToAnnotation', { a: preserve }, {}, { toAnnotation: { hubPath: 'spec.a', key: 'x/a', restoreOnReverse: true } }],
    [
      'FromAnnotation',
      {},
      { a: preserve },
      { fromAnnotation: { spokePath: 'spec.a', key: 'x/a', stashOnReverse: true } },
    ],
    [
      'ToLabel',
      { a: string },
      {},
      { toLabel: { hubPath: 'spec.a', key: 'x/a', serialization: 'String', restoreOnReverse: true } },
    ],
    ['FromLabel', {}, { a: string }, { fromLabel: { spokePath: 'spec.a', key: 'x/a', stashOnReverse: true } }],
    [
      'EnumRemap',
      { a: string },
      { a: string },
      {
        enumRemap: {
          path: 'spec.a',
          mapping: [
            { hub: 'x', spoke: 'y' },
            { hub: 'y', spoke: 'x' },
          ],
        },
      },
    ],
    ['TypeCoerce', { a: string }, { a: integer }, { typeCoerce: { path: 'spec.a' } }],
    ['TypeCoerce', { a: boolean }, { a: string }, { typeCoerce: { path: 'spec.a' } }],
    ['TypeCoerce', { a: number }, { a: integer }, { typeCoerce: { path: 'spec.a' } }],
    ['NumericScale', { a: number }, { a: number }, { numericScale: param('a', 'a', { factor: 1024 }) }],
    ['Quantity', { a: string }, { n: integer }, { acknowledgeLossy: true, reason: 'r', quantity: param('a', 'n') }],
    ['Duration', { n: integer }, { a: string }, { acknowledgeLossy: true, reason: 'r', duration: param('n', 'a') }],
    ['ListJoin', list, { s: string }, { listJoin: param('l', 's', { separator: ',' }) }],
    ['ListSplit', { s: string }, list, { listSplit: param('s', 'l', { separator: '' }) }],
    [
      'ArrayToMapByKey',
      { l: items({ id: string, v: string }) },
      { m: objectMap },
      { acknowledgeLossy: true, reason: 'r', arrayToMapByKey: param('l', 'm', { keyField: 'id' }) },
    ],
    [
      'MapToArrayByKey',
      { m: objectMap },
      { l: items({ id: string, v: string }) },
      { acknowledgeLossy: true, reason: 'r', mapToArrayByKey: param('m', 'l', { keyField: 'id' }) },
    ],
    [
      'ScalarToFields',
      { s: string },
      { p: pair },
      { scalarToFields: { hubPath: 'spec.s', spokeFields: { n: 'spec.p.n', u: 'spec.p.u' }, ...split } },
    ],
    [
      'FieldsToScalar',
      { p: pair },
      { s: string },
      { fieldsToScalar: { spokePath: 'spec.s', hubFields: { n: 'spec.p.n', u: 'spec.p.u' }, ...split } },
    ],
    [
      'ForEach',
      { l: array(object({ a: string, e: string })) },
      { l: array(object({ b: string, e: string })) },
      {
        forEach: {
          hubItemsPath: 'spec.l',
          spokeItemsPath: 'spec.l',
          rules: [
            { strategy: 'FieldRename', fieldRename: { hubPath: 'a', spokePath: 'b' } },
            { strategy: 'EnumRemap', enumRemap: { path: 'e', mapping: [{ hub: 'x', spoke: 'y' }] } },
          ],
        },
      },
    ],
  ])('%s (%#)', async (strategy, hub, spoke, rule) => {
    const other = { other: openMap };
    const report = await run(
      { hub: { ...hub, ...other }, spoke: { ...spoke, ...other }, rules: [{ strategy, ...rule }] },
      { runs: 300 },
    );
    expect(found(report)).toEqual([]);
    expect(report.ways.every(({ objects }) => objects >= 100)).toBe(true);
  });
});

describe('what the schema allows and a rule does not carry', () => {
  const text = (more: JsonObject = {}) => ({ type: 'string', ...more });
  const join = { strategy: 'ListJoin', listJoin: { hubPath: 'spec.l', spokePath: 'spec.s', separator: ',' } };
  const remap = {
    strategy: 'EnumRemap',
    enumRemap: {
      path: 'spec.size',
      mapping: [
        { hub: 'Small', spoke: 'S' },
        { hub: 'Large', spoke: 'L' },
      ],
    },
  };
  const sizes = (...values: string[]) => ({ size: text({ enum: values }) });
  const coerce = { strategy: 'TypeCoerce', typeCoerce: { path: 'spec.n' } };
  const fields: [JsonObject, JsonObject, JsonObject] = [{ l: array(string) }, { s: string }, join];

  test.each<[string, [JsonObject, JsonObject, JsonObject], string, JsonObject, RegExp]>([
    ['an element with the separator', fields, 'v2 v1', { l: [expect.stringMatching(/,|^$/)] as never }, /^spec\.l$/],
    [
      'an enum value without an entry',
      [sizes('Small', 'Large', 'Huge'), sizes('S', 'L'), remap],
      'v2 v1',
      { size: 'Huge' },
      /EnumRemap/,
    ],
    [
      'a text that is no number',
      [{ n: integer }, { n: string }, coerce],
      'v1 v2',
      { n: expect.any(String) as never },
      /TypeCoerce/,
    ],
  ])('%s is found beyond the rule, and is no counter-example', async (_what, [hub, spoke, rule], way, shown, fault) => {
    const report = await run({
      hub: { ...hub, x: integer },
      spoke: { ...spoke, x: integer },
      rules: [rule],
      warn: true,
    });
    expect(found(report)).toEqual([]);
    const ofWay = found(report, 'beyond').filter((example) => example.way === way);
    expect(ofWay).toContainEqual({ way, spec: shown, fields: [expect.stringMatching(fault)] });
    expect(report.summary.beyond).toBe(found(report, 'beyond').length);
  });

  test('is acknowledged by a rule that says so', async () => {
    const [hub, spoke, rule] = fields;
    const report = await run({ hub, spoke, rules: [lossy(rule)] });
    expect(report.summary).toMatchObject({ counterExamples: 0, beyond: 0 });
    expect(report.acknowledged.length).toBeGreaterThan(0);
  });

  test('is nothing where the schema allows no more than the rule carries', async () => {
    const schema = [{ n: integer }, { n: text({ pattern: '^(0|[1-9][0-9]{0,3})$' }) }] as const;
    const report = await run({ hub: schema[0], spoke: schema[1], rules: [coerce] });
    expect([...found(report), ...found(report, 'beyond')]).toEqual([]);
    expect(report.ways.map(({ objectsBeyond }) => objectsBeyond)).toEqual([1000, 1000, 0]);
  });

  test('is not looked for where no rule carries less than the schema allows', async () => {
    const report = await run({ hub: { a: string }, spoke: { b: string }, rules: [rename('a', 'b')] });
    expect(report.ways.map(({ objectsBeyond }) => objectsBeyond)).toEqual([0, 0, 0]);
  });
});

describe('a pattern of a schema', () => {
  test('that takes a backtracking matcher for ever takes no time', () => {
    const schema = object({ a: { type: 'string', pattern: '^(a+)+$' } });
    const issues = checkSchema(schema, { a: `${'a'.repeat(5000)}!` }, 'CRD');
    expect(issues.map(({ path }) => path)).toEqual([['a']]);
    expect(checkSchema(schema, { a: 'aaa' }, 'CRD')).toEqual([]);
  });

  test('that RE2 refuses judges nothing, and is named once', () => {
    const node = { type: 'string', pattern: '^(?=a)b' };
    const schema = object({ a: node, b: array(node), pattern: string, c: string });
    expect(checkSchema(schema, { a: 'b', b: ['x'] }, 'CRD')).toEqual([]);
    expect(uncheckedPatterns(schema)).toEqual([expect.stringMatching(/is not RE2/)]);
    expect(uncheckedPatterns(object({ a: { type: 'string', pattern: '^a$' } }))).toEqual([]);
  });

  test('makes texts that match it, by RE2', () => {
    const node = { type: 'string', pattern: '^(?P<n>[0-9]{1,3})[[:alpha:]]{2}$' };
    for (const made of fc.sample(valuesOf(fc, node, undefined), { numRuns: 50, seed: 1 })) {
      expect(made).toMatch(/^[0-9]{1,3}[A-Za-z]{2}$/);
    }
  });
});

test.each([['^(?i)yes$'], ['^[[:xdigit:]]{4}$'], ['\\pN{3}'], ['^(?:$)a'], ['(?=b)a']])(
  'objects of a schema with the pattern %s are made in time, whatever can be made of it',
  async (pattern) => {
    const fields = { a: { type: 'string', pattern }, b: string };
    const report = await run({ hub: fields, spoke: fields, rules: [] }, { runs: 20 });
    expect(report.ways.every(({ objects, leftOut }) => objects + leftOut === 20)).toBe(true);
  },
);

describe('generated objects', () => {
  const schema: JsonObject = {
    ...object({
      text: { type: 'string', minLength: 1, maxLength: 3, nullable: true },
      name: { type: 'string', pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 },
      size: { type: 'string', enum: ['S', 'M'] },
      when: { type: 'string', format: 'date-time' },
      n: { type: 'integer', minimum: 2, maximum: 9, multipleOf: 2 },
      small: { type: 'integer', format: 'int32' },
      big: { type: 'integer', format: 'int64' },
      ratio: { type: 'number', minimum: 0.5, exclusiveMinimum: true, maximum: 4 },
      port: { 'x-kubernetes-int-or-string': true },
      on: boolean,
      tags: { type: 'array', items: { type: 'string', maxLength: 2 }, 'x-kubernetes-list-type': 'set', minItems: 1 },
      users: {
        ...array(object({ name: string, role: string })),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
      map: { type: 'object', additionalProperties: integer },
      free: preserve,
      mixed: { ...object({ a: string }), 'x-kubernetes-preserve-unknown-fields': true },
      res: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      inner: { ...object({ must: string, may: string }), required: ['must'] },
      empty: { type: 'object' },
      union: { ...object({ p: string, q: string, r: object({ s: string }) }), maxProperties: 1 },
    }),
  };
  const samples = fc.sample(valuesOf(fc, schema, undefined), { numRuns: 2000, seed: 5 }) as JsonObject[];
  const at = (key: string): (Json | undefined)[] => samples.map((sample) => sample[key]);

  test('are what their schema allows', () => {
    const wrong = samples.flatMap((sample) => checkSchema(schema, sample, 'CRD'));
    expect(wrong).toEqual([]);
  });

  test('have every field now and then, and lack it', () => {
    for (const key of Object.keys(schema['properties'] as JsonObject)) {
      expect([key, at(key).some((value) => value !== undefined), at(key).includes(undefined)]).toEqual([
        key,
        true,
        true,
      ]);
    }
  });

  test('hold nulls, empty texts, lists and maps, and integers that a double cannot hold', () => {
    expect(at('text')).toContain(null);
    expect(at('map')).toContainEqual({});
    expect(at('users')).toContainEqual([]);
    expect(at('big').some((value) => typeof value === 'bigint')).toBe(true);
    expect(at('small').every((value) => typeof value !== 'bigint')).toBe(true);
    expect(new Set(at('port').map((value) => typeof value))).toEqual(
      new Set(['undefined', 'number', 'bigint', 'string']),
    );
    expect(new Set(at('union').flatMap((value) => Object.keys(value ?? {})))).toEqual(new Set(['p', 'q', 'r']));
    expect(at('users').some((value) => Array.isArray(value) && value.length > 1)).toBe(true);
  });
});
