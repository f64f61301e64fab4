import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/engine/json.ts';
import { build } from '../property/support/scenario.ts';
import { array, boolean, integer, number, object, openMap, preserve, spec, string } from '../support/plan.ts';
import { expectSame, turnAround } from './support/rehub.ts';

type Fields = Readonly<Record<'v1' | 'v2' | 'v3', JsonObject>>;
type Rules = readonly JsonObject[];

/** v1 is the hub; v2 is to be, and v3 is another spoke. */
const sourceOf = (fields: Fields, v2: Rules, v3: Rules, policy: 'Error' | 'Warn' = 'Error') => ({
  hubVersion: 'v1',
  versions: (['v1', 'v2', 'v3'] as const).map((name) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: spec(fields[name]),
  })),
  spokes: [
    { version: 'v2', rules: v2 },
    { version: 'v3', rules: v3 },
  ],
  unmappedFieldPolicy: policy,
});
const whole = (fields: JsonObject): JsonObject => ({ kind: 'W', metadata: { name: 'w', uid: 'u' }, spec: fields });

const rename = (hub: string, spoke: string) => ({
  strategy: 'FieldRename',
  fieldRename: { hubPath: hub, spokePath: spoke },
});
const inSpec = (hub: string, spoke: string) => rename(`spec.${hub}`, `spec.${spoke}`);
const lossy = { acknowledgeLossy: true, reason: 'a part is lost' };
const paths = (hub: string, spoke: string) => ({ hubPath: `spec.${hub}`, spokePath: `spec.${spoke}` });
const remap = (...mapping: [string, string][]) => ({
  strategy: 'EnumRemap',
  enumRemap: { path: 'spec.a', mapping: mapping.map(([hub, spoke]) => ({ hub, spoke })) },
});
const users = (name: string) => array(object({ [name]: string, role: string }));
const each = (hub: string, spoke: string, ...rules: JsonObject[]) => ({
  strategy: 'ForEach',
  forEach: { hubItemsPath: `spec.${hub}`, spokeItemsPath: `spec.${spoke}`, rules },
});
const stash = (path: string, key = 'example.org/a') => ({
  strategy: 'ToAnnotation',
  toAnnotation: { hubPath: `spec.${path}`, key, serialization: 'String', restoreOnReverse: true },
});
const label = (path: string) => ({
  strategy: 'FromLabel',
  fromLabel: { spokePath: `spec.${path}`, key: 'team', serialization: 'String', stashOnReverse: true },
});
const gone = (path: string, existsOn: 'Hub' | 'Spoke') => ({
  strategy: 'Delete',
  ...lossy,
  delete: { path, existsOn },
});

interface Case {
  readonly what: string;
  readonly fields: Fields;
  readonly v2: Rules;
  readonly v3: Rules;
  /** The rules between v2 and v3. */
  readonly expected: Rules;
  /** Specs at v2 and at v3 that must convert into each other's version as before. */
  readonly objects: { readonly v2: readonly JsonObject[]; readonly v3: readonly JsonObject[] };
  readonly policy?: 'Warn';
}

const CASES: readonly Case[] = [
  {
    what: 'a rename alone comes to the other spoke',
    fields: { v1: { a: string }, v2: { b: string }, v3: { a: string } },
    v2: [inSpec('a', 'b')],
    v3: [],
    expected: [inSpec('b', 'a')],
    objects: { v2: [{ b: 'x' }, {}], v3: [{ a: 'x' }] },
  },
  {
    what: 'two renames are one',
    fields: { v1: { a: string }, v2: { b: string }, v3: { c: string } },
    v2: [inSpec('a', 'b')],
    v3: [inSpec('a', 'c')],
    expected: [inSpec('b', 'c')],
    objects: { v2: [{ b: 'x' }], v3: [{ c: 'x' }] },
  },
  {
    what: 'a renamed field is converted where it is (R: NumericScale)',
    fields: { v1: { a: integer }, v2: { b: integer }, v3: { c: number } },
    v2: [inSpec('a', 'b')],
    v3: [{ strategy: 'NumericScale', ...lossy, numericScale: { ...paths('a', 'c'), factor: 0.5 } }],
    expected: [{ strategy: 'NumericScale', ...lossy, numericScale: { ...paths('b', 'c'), factor: 0.5 } }],
    objects: { v2: [{ b: 3 }], v3: [{ c: 3 }] },
  },
  {
    what: 'D15: a scaled field is scaled by 1/factor for a version that has it as the old hub',
    fields: { v1: { a: number }, v2: { b: number }, v3: { a: number } },
    v2: [{ strategy: 'NumericScale', numericScale: { ...paths('a', 'b'), factor: 0.001 } }],
    v3: [],
    expected: [{ strategy: 'NumericScale', numericScale: { ...paths('b', 'a'), factor: 1000 } }],
    objects: { v2: [{ b: 1 }, { b: 250 }], v3: [{ a: 1 }, { a: 2500 }] },
  },
  {
    what: 'D15: keys of a map stay when its fields are renamed, given or not',
    fields: { v1: { env: string, team: string }, v2: { environment: string, group: string }, v3: { labels: openMap } },
    v2: [inSpec('env', 'environment'), inSpec('team', 'group')],
    v3: [
      {
        strategy: 'FieldsToMap',
        fieldsToMap: {
          hubPaths: ['spec.env', 'spec.team'],
          spokeMapPath: 'spec.labels',
          keyNames: { 'spec.team': 'group' },
        },
      },
    ],
    expected: [
      {
        strategy: 'FieldsToMap',
        fieldsToMap: {
          hubPaths: ['spec.environment', 'spec.group'],
          spokeMapPath: 'spec.labels',
          keyNames: { 'spec.environment': 'env', 'spec.group': 'group' },
        },
      },
    ],
    objects: { v2: [{ environment: 'x', group: 'y' }], v3: [{ labels: { env: 'x', group: 'y' } }] },
  },
  {
    what: 'D15: so they do when the other version renamed the fields',
    fields: { v1: { env: string, team: string }, v2: { labels: openMap }, v3: { stage: string, team: string } },
    v2: [
      { strategy: 'FieldsToMap', fieldsToMap: { hubPaths: ['spec.env', 'spec.team'], spokeMapPath: 'spec.labels' } },
    ],
    v3: [inSpec('env', 'stage')],
    expected: [
      {
        strategy: 'MapToFields',
        mapToFields: {
          hubMapPath: 'spec.labels',
          spokePaths: ['spec.stage', 'spec.team'],
          keyNames: { 'spec.stage': 'env' },
        },
      },
    ],
    objects: { v2: [{ labels: { env: 'x', team: 'y' } }], v3: [{ stage: 'x', team: 'y' }] },
  },
  {
    what: 'D15: rules inside two lists meet at the element',
    fields: { v1: { users: users('name') }, v2: { users: users('login') }, v3: { accounts: users('id') } },
    v2: [each('users', 'users', rename('name', 'login'))],
    v3: [each('users', 'accounts', rename('name', 'id'))],
    expected: [each('users', 'accounts', rename('login', 'id'))],
    objects: { v2: [{ users: [{ login: 'a', role: 'r' }] }], v3: [{ accounts: [{ id: 'a', role: 'r' }] }] },
  },
  {
    what: 'D15: rules inside a list move with it',
    fields: { v1: { users: users('name') }, v2: { accounts: users('name') }, v3: { users: users('login') } },
    v2: [inSpec('users', 'accounts')],
    v3: [each('users', 'users', rename('name', 'login'))],
    expected: [each('accounts', 'users', rename('name', 'login'))],
    objects: { v2: [{ accounts: [{ name: 'a', role: 'r' }] }], v3: [{ users: [{ login: 'a' }] }] },
  },
  {
    what: 'D15: a field inside a renamed object is found there',
    fields: {
      v1: { box: { ...preserve, properties: { x: string } } },
      v2: { bin: { ...preserve, properties: { x: string } } },
      v3: { y: string },
    },
    v2: [inSpec('box', 'bin')],
    v3: [inSpec('box.x', 'y')],
    expected: [inSpec('bin.x', 'y')],
    objects: { v2: [{ bin: { x: 'a' } }], v3: [{ y: 'a' }] },
    policy: 'Warn',
  },
  {
    what: 'D15: a condition follows its field',
    fields: { v1: { mode: string }, v2: { kind: string }, v3: { mode: string, kind: string, flavour: string } },
    v2: [inSpec('mode', 'kind')],
    v3: [
      gone('spec.kind', 'Spoke'),
      {
        strategy: 'Constant',
        ...lossy,
        when: { path: 'spec.mode', equals: 'on' },
        constant: { path: 'spec.flavour', existsOn: 'Spoke', value: 'new' },
      },
    ],
    expected: [
      gone('spec.kind', 'Spoke'),
      {
        strategy: 'Constant',
        ...lossy,
        when: { path: 'spec.kind', equals: 'on' },
        constant: { path: 'spec.flavour', existsOn: 'Spoke', value: 'new' },
      },
      inSpec('kind', 'mode'),
    ],
    objects: { v2: [{ kind: 'on' }, { kind: 'off' }], v3: [{ mode: 'on', kind: 'z', flavour: 'old' }] },
  },
  {
    what: 'two enums are one; what only one of them maps still fails',
    fields: { v1: { a: string }, v2: { a: string }, v3: { a: string } },
    v2: [remap(['A', 'a'], ['B', 'b'])],
    v3: [remap(['A', '1'], ['C', '3'])],
    expected: [remap(['a', '1'])],
    objects: { v2: [{ a: 'a' }, { a: 'b' }], v3: [{ a: '1' }, { a: '3' }] },
  },
  {
    what: 'an enum comes to a version that has the values of the old hub',
    fields: { v1: { a: string }, v2: { a: string }, v3: { a: string } },
    v2: [remap(['A', 'a'])],
    v3: [],
    expected: [remap(['a', 'A'])],
    objects: { v2: [{ a: 'a' }, { a: 'A' }], v3: [{ a: 'A' }] },
  },
  {
    what: 'the keys of a map are renamed once',
    fields: { v1: { m: openMap }, v2: { m: openMap }, v3: { m: openMap } },
    v2: [{ strategy: 'MapKeyRename', mapKeyRename: { ...paths('m', 'm'), renames: { a: 'x', b: 'y' } } }],
    v3: [{ strategy: 'MapKeyRename', mapKeyRename: { ...paths('m', 'm'), renames: { a: 'z', b: 'y' } } }],
    expected: [{ strategy: 'MapKeyRename', mapKeyRename: { ...paths('m', 'm'), renames: { x: 'z' } } }],
    objects: { v2: [{ m: { x: 1, y: 2, q: 3 } }], v3: [{ m: { z: 1, y: 2 } }] },
  },
  {
    what: 'two scales are one',
    fields: { v1: { a: number }, v2: { b: number }, v3: { c: number } },
    v2: [{ strategy: 'NumericScale', numericScale: { ...paths('a', 'b'), factor: 4 } }],
    v3: [{ strategy: 'NumericScale', numericScale: { ...paths('a', 'c'), factor: 16 } }],
    expected: [{ strategy: 'NumericScale', numericScale: { ...paths('b', 'c'), factor: 4 } }],
    objects: { v2: [{ b: 8 }], v3: [{ c: 2 }] },
  },
  {
    what: 'what both have in the same form is renamed, or copied',
    fields: { v1: { a: string, b: string }, v2: { s: integer, t: integer }, v3: { u: integer, t: integer } },
    v2: [
      { strategy: 'Duration', ...lossy, duration: paths('a', 's') },
      { strategy: 'Duration', ...lossy, duration: paths('b', 't') },
    ],
    v3: [
      { strategy: 'Duration', ...lossy, duration: paths('a', 'u') },
      { strategy: 'Duration', ...lossy, duration: paths('b', 't') },
    ],
    expected: [inSpec('s', 'u')],
    objects: { v2: [{ s: 90, t: 5 }], v3: [{ u: 90, t: 5 }] },
  },
  {
    what: 'a value that both keep in the same annotation stays there',
    fields: { v1: { a: string }, v2: {}, v3: {} },
    v2: [stash('a')],
    v3: [stash('a')],
    expected: [],
    objects: { v2: [{}], v3: [{}] },
  },
  {
    what: 'a value of one label is one field',
    fields: { v1: {}, v2: { team: string }, v3: { group: string } },
    v2: [label('team')],
    v3: [label('group')],
    expected: [inSpec('team', 'group')],
    objects: { v2: [{ team: 'x' }], v3: [{ group: 'x' }] },
  },
  {
    what: 'what the promoted version keeps in an annotation is a field of the other',
    fields: { v1: { a: string }, v2: {}, v3: { a: string } },
    v2: [stash('a')],
    v3: [],
    expected: [
      {
        strategy: 'FromAnnotation',
        fromAnnotation: { spokePath: 'spec.a', key: 'example.org/a', serialization: 'String', stashOnReverse: true },
      },
    ],
    objects: { v2: [{}], v3: [{ a: 'x' }] },
  },
  {
    what: 'what only the promoted version has is constant, or gone, for the other too',
    fields: { v1: {}, v2: { a: string, b: boolean }, v3: {} },
    v2: [
      { strategy: 'Constant', ...lossy, constant: { path: 'spec.a', existsOn: 'Spoke', value: 'x' } },
      gone('spec.b', 'Spoke'),
    ],
    v3: [],
    expected: [
      { strategy: 'Constant', ...lossy, constant: { path: 'spec.a', existsOn: 'Hub', value: 'x' } },
      gone('spec.b', 'Hub'),
    ],
    objects: { v2: [{ a: 'y', b: true }], v3: [{}] },
  },
  {
    what: 'what the promoted version dropped is dropped for the other, in whatever form it is there',
    fields: { v1: { a: string }, v2: {}, v3: { s: integer } },
    v2: [gone('spec.a', 'Hub')],
    v3: [{ strategy: 'Duration', ...lossy, duration: paths('a', 's') }],
    expected: [gone('spec.s', 'Spoke')],
    objects: { v2: [{}], v3: [{ s: 5 }] },
  },
  {
    what: 'and the other way round',
    fields: { v1: { a: string }, v2: { s: integer }, v3: {} },
    v2: [{ strategy: 'Duration', ...lossy, duration: paths('a', 's') }],
    v3: [gone('spec.a', 'Hub')],
    expected: [gone('spec.s', 'Hub')],
    objects: { v2: [{ s: 5 }], v3: [{}] },
  },
  {
    what: 'values that both injected into the old hub are no longer needed',
    fields: { v1: { a: string, b: string }, v2: { b: string }, v3: { b: string } },
    v2: [{ strategy: 'Constant', ...lossy, constant: { path: 'spec.a', existsOn: 'Hub', value: 'x' } }],
    v3: [{ strategy: 'DefaultValue', ...lossy, defaultValue: { path: 'spec.a', existsOn: 'Hub', default: 'y' } }],
    expected: [],
    objects: { v2: [{ b: 'x' }], v3: [{ b: 'x' }] },
  },
  {
    what: 'two fields of one name that had nothing to do with each other do not become one',
    fields: { v1: { a: string, b: string }, v2: { c: string, b: string }, v3: { c: string, b: string } },
    v2: [inSpec('a', 'c')],
    v3: [],
    expected: [
      ...['Hub', 'Spoke'].map((existsOn) => ({
        strategy: 'Delete',
        acknowledgeLossy: true,
        reason: 'spec.c of v2 and spec.c of v3 are two fields: neither became the other before',
        delete: { path: 'spec.c', existsOn },
      })),
    ],
    objects: { v2: [{ c: 'x', b: 'y' }], v3: [{ c: 'x', b: 'y' }] },
    policy: 'Warn',
  },
  {
    what: 'a rule for fields that the promoted version lacks is left out',
    fields: { v1: { a: string, b: string }, v2: { b: string }, v3: { l: array(string), b: string } },
    v2: [],
    v3: [{ strategy: 'ListSplit', listSplit: { ...paths('a', 'l'), separator: ',' } }],
    expected: [],
    objects: { v2: [{ b: 'x' }], v3: [{ l: ['x'], b: 'y' }] },
    policy: 'Warn',
  },
  {
    what: 'a patch writes what it wrote although the promoted version lacks the field',
    fields: { v1: { flag: string, b: string }, v2: { b: string }, v3: { flag: string, b: string } },
    v2: [],
    v3: [
      {
        strategy: 'JSONPatch',
        ...lossy,
        jsonPatch: {
          hubToSpoke: [{ op: 'add', path: '/spec/flag', value: 'v3' }],
          spokeToHub: [{ op: 'add', path: '/spec/flag', value: 'v1' }],
        },
      },
    ],
    expected: [
      {
        strategy: 'JSONPatch',
        ...lossy,
        jsonPatch: { hubToSpoke: [{ op: 'add', path: '/spec/flag', value: 'v3' }], spokeToHub: [] },
      },
    ],
    objects: { v2: [{ b: 'x' }], v3: [{ flag: 'v3', b: 'y' }] },
    policy: 'Warn',
  },
];

describe('rules of two spokes that meet', () => {
  test.each(CASES)('$what', async ({ fields, v2, v3, expected, objects, policy }) => {
    const source = sourceOf(fields, v2, v3, policy);
    const before = await build(source);
    const { spec: drafted, refused, router } = await turnAround(source, 'v2');
    expect(refused).toEqual([]);
    expect(drafted.spokes.map(({ version }: { version: string }) => version)).toEqual(['v1', 'v3']);
    expect(drafted.spokes[1].rules).toEqual(expected);
    for (const object of objects.v2) expectSame(before.router, router as never, whole(object), 'v2', 'v3');
    for (const object of objects.v3) expectSame(before.router, router as never, whole(object), 'v3', 'v2');
  });
});

const cel = {
  strategy: 'CEL',
  ...lossy,
  cel: {
    hubPaths: ['spec.a'],
    spokePaths: ['spec.c'],
    hubToSpoke: '{"spec.c": object.spec.a + object.spec.b}',
    spokeToHub: '{"spec.a": object.spec.c}',
  },
};
const patched = {
  strategy: 'JSONPatch',
  ...lossy,
  jsonPatch: { hubToSpoke: [{ op: 'remove', path: '/spec/a' }], spokeToHub: [] },
};

describe('what no rule can do is refused', () => {
  test.each<[string, Fields, Rules, Rules, string]>([
    [
      'two conversions of one field',
      { v1: { a: string }, v2: { s: integer }, v3: { o: object({ k: string }) } },
      [{ strategy: 'Duration', ...lossy, duration: paths('a', 's') }],
      [{ strategy: 'ScalarToObject', scalarToObject: { ...paths('a', 'o'), key: 'k' } }],
      'no rule does both: v2 converts spec.a by Duration, v3 by ScalarToObject',
    ],
    [
      'a rule with one path for a field that has two',
      { v1: { a: string }, v2: { b: string }, v3: { a: integer } },
      [inSpec('a', 'b')],
      [{ strategy: 'TypeCoerce', typeCoerce: { path: 'spec.a' } }],
      'TypeCoerce cannot have its field at two paths (spec.a = spec.b)',
    ],
    [
      'a patch of the promoted version on a field of the other',
      { v1: { a: string }, v2: { a: string }, v3: { a: string } },
      [patched],
      [],
      'v3 has spec.a too, and a JSONPatch rule cannot be put together with another',
    ],
    [
      'an expression of the promoted version on a field of the other',
      { v1: { a: string, b: string }, v2: { c: string, b: string }, v3: { a: string, b: string } },
      [cel],
      [],
      'v3 has spec.a too, and a CEL rule cannot be put together with another',
    ],
    [
      'an expression that may read what the promoted version renamed',
      { v1: { a: string, b: string }, v2: { a: string, d: string }, v3: { c: string, b: string } },
      [inSpec('b', 'd')],
      [cel],
      'the expression may read spec.b, which v2 has in another place or form',
    ],
    [
      'a condition on a renamed field, read on both sides',
      { v1: { a: string, mode: string }, v2: { a: string, kind: string }, v3: { b: string, mode: string } },
      [inSpec('mode', 'kind')],
      [{ ...inSpec('a', 'b'), when: { path: 'spec.mode', equals: 'on' } }],
      'when.path spec.mode cannot be kept: v2 has it as spec.kind',
    ],
    [
      'a condition on a converted field',
      { v1: { a: string, mode: string }, v2: { a: string, mode: integer }, v3: { b: string, mode: string } },
      [{ strategy: 'TypeCoerce', typeCoerce: { path: 'spec.mode' } }],
      [{ ...inSpec('a', 'b'), when: { path: 'spec.mode', equals: 'on' } }],
      'when.path spec.mode cannot be kept: v2 has it converted by TypeCoerce',
    ],
    [
      'a condition of the promoted version on a field that the other renamed',
      { v1: { a: string, mode: string }, v2: { b: string, mode: string }, v3: { a: string, kind: string } },
      [{ ...inSpec('a', 'b'), when: { path: 'spec.mode', equals: 'on' } }],
      [inSpec('mode', 'kind')],
      'when.path spec.mode cannot be kept: v3 has that field in another place or form',
    ],
    [
      'two rules with conditions on one field',
      { v1: { a: string, mode: string }, v2: { s: integer, mode: string }, v3: { s: integer, mode: string } },
      [{ strategy: 'Duration', ...lossy, when: { path: 'spec.mode', equals: 'on' }, duration: paths('a', 's') }],
      [{ strategy: 'Duration', ...lossy, when: { path: 'spec.mode', equals: 'on' }, duration: paths('a', 's') }],
      'no rule does both: v2 converts spec.a by Duration, v3 by Duration',
    ],
    [
      'a label with JSON that is no string',
      { v1: { a: integer }, v2: {}, v3: { a: integer } },
      [{ strategy: 'ToLabel', toLabel: { hubPath: 'spec.a', key: 'a', restoreOnReverse: true } }],
      [],
      'ToLabel keeps spec.a as JSON, and FromLabel reads only strings',
    ],
    [
      'two enums with other policies',
      { v1: { a: string }, v2: { a: string }, v3: { a: string } },
      [remap(['A', 'a'], ['B', 'b'])],
      [{ ...lossy, ...remap(['A', '1']), enumRemap: { ...remap(['A', '1']).enumRemap, onUnmappedHubValue: 'Drop' } }],
      'no rule does both: v2 converts spec.a by EnumRemap, v3 by EnumRemap',
    ],
  ])('%s', async (_, fields, v2, v3, message) => {
    const { refused } = await turnAround(sourceOf(fields, v2, v3), 'v2');
    expect(refused).toContain(message);
  });

  test('a container whose parts are elsewhere', async () => {
    const box = object({ x: string, y: string });
    const fields = {
      v1: { box },
      v2: { q: string, box: object({ y: string }) },
      v3: { boxes: array(box, { maxItems: 1 }) },
    };
    const list = { strategy: 'ObjectToSingletonArray', objectToSingletonArray: paths('box', 'boxes') };
    const { refused } = await turnAround(sourceOf(fields, [inSpec('box.x', 'q')], [list]), 'v2');
    expect(refused).toContain('v2 has parts of spec.box elsewhere, and ObjectToSingletonArray converts it whole');
  });

  test('the rest of a renamed object beside a rule for a part of it', async () => {
    const box = { ...preserve, properties: { x: string } };
    const fields = { v1: { box }, v2: { bin: box }, v3: { box, y: string } };
    const { refused } = await turnAround(sourceOf(fields, [inSpec('box', 'bin')], [inSpec('box.x', 'y')]), 'v2');
    expect(refused).toContain('the rest of spec.box cannot be renamed beside a rule for a part of it');
  });
});
