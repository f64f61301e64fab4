import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConversionSource } from '../../lib/engine/analyse.ts';
import type { Json, JsonObject } from '../../lib/engine/json.ts';
import { createRun } from '../../lib/engine/run.ts';
import { bytesOf, byUtf8, canonical, deepFreeze } from './support/inspect.ts';
import { HOSTILE_KEYS, json, map, OPEN_MAP, objectOf } from './support/json-arbitraries.ts';
import { LOSSY_RULE } from './support/piece.ts';
import { build, RUNS } from './support/scenario.ts';

type Data = JsonObject;

/** One way for a map with hostile keys to go through a rule. */
interface Passage {
  readonly rule: (keys: readonly string[]) => JsonObject;
  readonly hub: (keys: readonly string[]) => JsonObject;
  readonly spoke: (keys: readonly string[]) => JsonObject;
  readonly hubSpec: (data: Data) => JsonObject;
  readonly spokeSpec: (data: Data) => JsonObject;
  /** Set where an object of the spoke alone does not make the hub's. */
  readonly oneWay?: true;
  /** Set where a rule names the keys, and an empty name means none. */
  readonly namesKeys?: true;
}

const LIST: JsonObject = { type: 'array', items: OPEN_MAP };
const TEXT: JsonObject = { type: 'string' };
const fixed = (value: JsonObject) => () => value;
const holder = (field: string) => (data: Data) => objectOf([[field, data]]);
const fields = (keys: readonly string[]) => objectOf(keys.map((_key, index) => [`f${index}`, TEXT]));
const spread = (data: Data) => objectOf(Object.keys(data).map((key, index) => [`f${index}`, data[key] as Json]));
const paths = (keys: readonly string[]) => keys.map((_key, index) => `spec.f${index}`);
const named = (keys: readonly string[]) => objectOf(keys.map((key, index) => [`spec.f${index}`, key]));

function move(strategy: string, block: string, more: JsonObject = {}): (keys: readonly string[]) => JsonObject {
  return fixed({ ...LOSSY_RULE, strategy, [block]: { hubPath: 'spec.a', spokePath: 'spec.b', ...more } });
}

const PASSAGES: Readonly<Record<string, Passage>> = {
  FieldRename: {
    rule: move('FieldRename', 'fieldRename'),
    hub: fixed({ a: OPEN_MAP }),
    spoke: fixed({ b: OPEN_MAP }),
    hubSpec: holder('a'),
    spokeSpec: holder('b'),
  },
  ScalarToObject: {
    rule: move('ScalarToObject', 'scalarToObject', { key: '__proto__' }),
    hub: fixed({ a: OPEN_MAP }),
    spoke: fixed({ b: { type: 'object', properties: objectOf([['__proto__', OPEN_MAP]]) } }),
    hubSpec: holder('a'),
    spokeSpec: (data) => ({ b: objectOf([['__proto__', data]]) }),
  },
  'ScalarToObject with defaults': {
    rule: (keys) =>
      move('ScalarToObject', 'scalarToObject', {
        key: 'k',
        defaultsForOtherKeys: objectOf(keys.map((key) => [key, 1])),
      })(keys),
    hub: fixed({ a: TEXT }),
    spoke: fixed({ b: { type: 'object', properties: { k: TEXT } } }),
    hubSpec: fixed({ a: 'x' }),
    spokeSpec: (data) => ({ b: objectOf([...Object.keys(data).map((key): [string, Json] => [key, 1]), ['k', 'x']]) }),
  },
  ObjectToScalar: {
    rule: move('ObjectToScalar', 'objectToScalar', { key: 'constructor' }),
    hub: fixed({ a: { type: 'object', properties: { constructor: OPEN_MAP } } }),
    spoke: fixed({ b: OPEN_MAP }),
    hubSpec: (data) => ({ a: { constructor: data } }),
    spokeSpec: holder('b'),
  },
  SingletonArrayToObject: {
    rule: move('SingletonArrayToObject', 'singletonArrayToObject'),
    hub: fixed({ a: LIST }),
    spoke: fixed({ b: OPEN_MAP }),
    hubSpec: (data) => ({ a: [data] }),
    spokeSpec: holder('b'),
  },
  ObjectToSingletonArray: {
    rule: move('ObjectToSingletonArray', 'objectToSingletonArray'),
    hub: fixed({ a: OPEN_MAP }),
    spoke: fixed({ b: LIST }),
    hubSpec: holder('a'),
    spokeSpec: (data) => ({ b: [data] }),
  },
  FieldsToMap: {
    namesKeys: true,
    rule: (keys) => ({
      strategy: 'FieldsToMap',
      fieldsToMap: { hubPaths: paths(keys), spokeMapPath: 'spec.b', keyNames: named(keys) },
    }),
    hub: fields,
    spoke: fixed({ b: OPEN_MAP }),
    hubSpec: spread,
    spokeSpec: holder('b'),
  },
  MapToFields: {
    namesKeys: true,
    rule: (keys) => ({
      strategy: 'MapToFields',
      mapToFields: { hubMapPath: 'spec.a', spokePaths: paths(keys), keyNames: named(keys) },
    }),
    hub: fixed({ a: OPEN_MAP }),
    spoke: fields,
    hubSpec: holder('a'),
    spokeSpec: spread,
  },
  EnumRemap: {
    rule: (keys) => ({
      strategy: 'EnumRemap',
      enumRemap: { path: 'spec.a', mapping: keys.map((key) => ({ hub: { one: key }, spoke: objectOf([[key, 'x']]) })) },
    }),
    hub: fixed({ a: { 'x-kubernetes-preserve-unknown-fields': true } }),
    spoke: fixed({ a: { 'x-kubernetes-preserve-unknown-fields': true } }),
    hubSpec: (data) => ({ a: { one: Object.keys(data)[0] as string } }),
    spokeSpec: (data) => ({ a: objectOf([[Object.keys(data)[0] as string, 'x']]) }),
  },
  DefaultValue: {
    rule: (keys) => ({
      ...LOSSY_RULE,
      strategy: 'DefaultValue',
      defaultValue: {
        path: 'spec.b',
        existsOn: 'Spoke',
        default: objectOf(keys.map((key) => [key, objectOf([[key, null]])])),
      },
    }),
    hub: fixed({}),
    spoke: fixed({ b: OPEN_MAP }),
    hubSpec: fixed({}),
    spokeSpec: (data) => ({ b: objectOf(Object.keys(data).map((key) => [key, objectOf([[key, null]])])) }),
    oneWay: true,
  },
  Constant: {
    rule: (keys) => ({
      ...LOSSY_RULE,
      strategy: 'Constant',
      constant: { path: 'spec.b', existsOn: 'Spoke', value: [objectOf(keys.map((key) => [key, 1]))] },
    }),
    hub: fixed({}),
    spoke: fixed({ b: LIST }),
    hubSpec: fixed({}),
    spokeSpec: (data) => ({ b: [objectOf(Object.keys(data).map((key) => [key, 1]))] }),
    oneWay: true,
  },
  'JSONPatch, copied': {
    rule: fixed({
      ...LOSSY_RULE,
      strategy: 'JSONPatch',
      jsonPatch: {
        hubToSpoke: [{ op: 'move', from: '/spec/a', path: '/spec/b' }],
        spokeToHub: [{ op: 'move', from: '/spec/b', path: '/spec/a' }],
      },
    }),
    hub: fixed({ a: OPEN_MAP }),
    spoke: fixed({ b: OPEN_MAP }),
    hubSpec: holder('a'),
    spokeSpec: holder('b'),
  },
  'JSONPatch, added beside': {
    rule: fixed({
      ...LOSSY_RULE,
      strategy: 'JSONPatch',
      jsonPatch: {
        hubToSpoke: [{ op: 'add', path: '/spec/a/new', value: {} }],
        spokeToHub: [{ op: 'remove', path: '/spec/a/new' }],
      },
    }),
    hub: fixed({ a: OPEN_MAP }),
    spoke: fixed({ a: OPEN_MAP }),
    hubSpec: holder('a'),
    spokeSpec: (data) => ({ a: objectOf([...Object.entries(data), ['new', {}]]) }),
  },
  ForEach: {
    rule: fixed({
      strategy: 'ForEach',
      forEach: {
        hubItemsPath: 'spec.a',
        spokeItemsPath: 'spec.b',
        rules: [{ strategy: 'FieldRename', fieldRename: { hubPath: 'old', spokePath: 'new' } }],
      },
    }),
    hub: fixed({ a: { type: 'array', items: { type: 'object', properties: { old: TEXT } } } }),
    spoke: fixed({ b: { type: 'array', items: { type: 'object', properties: { new: TEXT } } } }),
    hubSpec: (data) => ({ a: [data, objectOf([...Object.entries(data), ['old', 'x']])] }),
    spokeSpec: (data) => ({ b: [data, objectOf([...Object.entries(data), ['new', 'x']])] }),
  },
  ToAnnotation: {
    rule: fixed({
      strategy: 'ToAnnotation',
      toAnnotation: { hubPath: 'spec.a', key: '__proto__', restoreOnReverse: true },
    }),
    hub: fixed({ a: OPEN_MAP }),
    spoke: fixed({}),
    hubSpec: holder('a'),
    spokeSpec: fixed({}),
    oneWay: true,
  },
  ArrayToMapByKey: {
    rule: move('ArrayToMapByKey', 'arrayToMapByKey', { keyField: '__proto__' }),
    hub: fixed({ a: LIST }),
    spoke: fixed({ b: OPEN_MAP }),
    hubSpec: (data) => ({ a: keyedItems(data, '__proto__') }),
    spokeSpec: (data) => ({ b: keyedEntries(data, '__proto__') }),
  },
  MapToArrayByKey: {
    rule: move('MapToArrayByKey', 'mapToArrayByKey', { keyField: 'constructor' }),
    hub: fixed({ a: OPEN_MAP }),
    spoke: fixed({ b: LIST }),
    hubSpec: (data) => ({ a: keyedEntries(data, 'constructor') }),
    spokeSpec: (data) => ({ b: keyedItems(data, 'constructor') }),
  },
  MapKeyRename: {
    namesKeys: true,
    rule: (keys) =>
      move('MapKeyRename', 'mapKeyRename', { renames: objectOf(keys.map((key) => [key, `new ${key}`])) })(keys),
    hub: fixed({ a: OPEN_MAP }),
    spoke: fixed({ b: OPEN_MAP }),
    hubSpec: holder('a'),
    spokeSpec: (data) => ({ b: objectOf(Object.entries(data).map(([key, value]) => [`new ${key}`, value])) }),
  },
  'MapKeyRename to hostile names': {
    namesKeys: true,
    rule: (keys) =>
      move('MapKeyRename', 'mapKeyRename', { renames: objectOf(keys.map((key, index) => [`plain${index}`, key])) })(
        keys,
      ),
    hub: fixed({ a: OPEN_MAP }),
    spoke: fixed({ b: OPEN_MAP }),
    hubSpec: (data) => ({ a: objectOf(Object.values(data).map((value, index) => [`plain${index}`, value])) }),
    spokeSpec: holder('b'),
  },
  CEL: {
    rule: fixed({
      ...LOSSY_RULE,
      strategy: 'CEL',
      cel: {
        hubPaths: ['spec.a'],
        spokePaths: ['spec.b'],
        hubToSpoke: '{"spec.b": object.spec.a}',
        spokeToHub: '{"spec.a": object.spec.b}',
      },
    }),
    hub: fixed({ a: OPEN_MAP }),
    spoke: fixed({ b: OPEN_MAP }),
    hubSpec: holder('a'),
    spokeSpec: holder('b'),
  },
};

/** Entries that are objects without the key field, and the list that they are. */
function keyedEntries(data: Data, keyField: string): JsonObject {
  return objectOf(
    Object.entries(data).map(([key, value]) => [
      key,
      objectOf([
        ['value', value],
        [`not ${keyField}`, 1],
      ]),
    ]),
  );
}

function keyedItems(data: Data, keyField: string): Json {
  const entries = keyedEntries(data, keyField);
  return Object.keys(entries)
    .sort(byUtf8)
    .map((key) => objectOf([[keyField, key], ...Object.entries(entries[key] as JsonObject)]));
}

function source(passage: Passage, keys: readonly string[]): ConversionSource {
  const schema = (properties: JsonObject): JsonObject => ({
    type: 'object',
    properties: { spec: { type: 'object', properties } },
  });
  return {
    hubVersion: 'v1',
    versions: [
      { name: 'v1', served: true, storage: true, schema: schema({ ...passage.hub(keys), keep: OPEN_MAP }) },
      { name: 'v2', served: true, storage: false, schema: schema({ ...passage.spoke(keys), keep: OPEN_MAP }) },
    ],
    spokes: [{ version: 'v2', rules: [passage.rule(keys)] }],
  };
}

/** Objects of hostile keys: one of them, or several. */
const data = dataWith(HOSTILE_KEYS);
const namedData = dataWith(HOSTILE_KEYS.filter((key) => key !== ''));

function dataWith(keys: readonly string[]): fc.Arbitrary<Data> {
  const entries = fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), json), {
    minLength: 1,
    maxLength: 6,
    selector: ([key]) => key,
  });
  return entries.map(objectOf);
}

describe('keys that JavaScript gives a meaning are ordinary data', () => {
  let before: string;
  const prototypes = () =>
    bytesOf([Object.prototype, Array.prototype].map((prototype) => Object.getOwnPropertyNames(prototype)));
  beforeAll(() => {
    before = prototypes();
  });
  afterAll(() => {
    expect(prototypes()).toBe(before);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test.each(Object.keys(PASSAGES))('%s keeps them as own keys, both ways', async (name) => {
    const passage = PASSAGES[name] as Passage;
    await fc.assert(
      fc.asyncProperty(passage.namesKeys ? namedData : data, async (given) => {
        const keys = Object.keys(given);
        const { router } = await build(source(passage, keys));
        const metadata = {
          name: 'w',
          uid: 'u',
          annotations: objectOf([
            ['note', 'kept'],
            ...keys.filter((key) => key !== '__proto__').map((key): [string, Json] => [key, 'kept']),
          ]),
        };
        const around = (spec: JsonObject): JsonObject =>
          deepFreeze(
            objectOf([
              ['metadata', metadata],
              ['spec', spec],
            ]),
          );
        const hub = around({ ...passage.hubSpec(given), keep: given });
        const spoke = { ...passage.spokeSpec(given), keep: given };
        const output = router.convert(hub, 'v1', 'v2', createRun('review'));
        expect(canonical(output['spec'] as Json)).toBe(canonical(spoke));
        expect(Object.getPrototypeOf(output['spec'])).toBe(Object.prototype);
        if (passage.oneWay === undefined)
          expect(canonical(router.convert(around(spoke), 'v2', 'v1', createRun('review')))).toBe(canonical(hub));
        expect(canonical(router.convert(output, 'v2', 'v1', createRun('review')))).toBe(canonical(hub));
      }),
      RUNS,
    );
  });

  test('undeclared: at the root, beside declared fields, in list elements and in annotations', async () => {
    const { router } = await build(source(PASSAGES['ForEach'] as Passage, []));
    await fc.assert(
      fc.asyncProperty(data, map, async (given, other) => {
        const annotations = objectOf(Object.keys(given).map((key) => [key, 'kept']));
        const object = (list: string, field: string): JsonObject => {
          const element = objectOf([...Object.entries(given), [field, 'x']]);
          const spec = objectOf([...Object.entries(given), ['keep', other], [list, [element, given]]]);
          return deepFreeze(
            objectOf([...Object.entries(given), ['metadata', { name: 'w', annotations }], ['spec', spec]]),
          );
        };
        const [hub, spoke] = [object('a', 'old'), object('b', 'new')];
        expect(canonical(router.convert(hub, 'v1', 'v2', createRun('review')))).toBe(canonical(spoke));
        expect(canonical(router.convert(spoke, 'v2', 'v1', createRun('review')))).toBe(canonical(hub));
      }),
      RUNS,
    );
  });
});
