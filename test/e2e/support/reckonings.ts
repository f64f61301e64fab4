import type { JsonObject } from '../../../lib/engine/json.ts';
import { type GeneratedTarget, renderTarget } from '../../bench/scalegen/target.ts';
import type { Fields } from './specimens.ts';

/** A rule that makes another value of a field of `spec`, which has the same name at both versions. */
interface Reckoning {
  readonly hub: JsonObject;
  readonly spoke: JsonObject;
  readonly rule: (path: string) => JsonObject & { readonly strategy: string };
  /** What the spoke has and what the hub has for it, as JSON text. */
  readonly pairs: readonly (readonly [spoke: string, hub: string])[];
}

const S = { type: 'string' };
const I = { type: 'integer' };
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });
const mapOf = (values: JsonObject): JsonObject => ({ type: 'object', additionalProperties: values });
const both = (path: string) => ({ hubPath: path, spokePath: path });
const LOSSY = { acknowledgeLossy: true, reason: 'what is lost does not matter here' };
const coerced = (spoke: JsonObject, ...pairs: Reckoning['pairs']): Reckoning => ({
  hub: S,
  spoke,
  rule: (path) => ({ strategy: 'TypeCoerce', typeCoerce: { path } }),
  pairs,
});

export const RECKONINGS: Readonly<Record<string, Reckoning>> = {
  coercedInteger: coerced(
    I,
    ['9223372036854775807', '"9223372036854775807"'],
    ['-9223372036854775808', '"-9223372036854775808"'],
    ['9007199254740993', '"9007199254740993"'],
    ['0', '"0"'],
    ['null', 'null'],
  ),
  coercedNumber: coerced(
    { type: 'number' },
    ['0.1', '"0.1"'],
    ['1e-7', '"0.0000001"'],
    ['-1e21', '"-1000000000000000000000"'],
    ['9007199254740993', '"9007199254740993"'],
  ),
  coercedFlag: coerced({ type: 'boolean' }, ['false', '"false"']),
  scaled: {
    hub: I,
    spoke: I,
    rule: (path) => ({ strategy: 'NumericScale', ...LOSSY, numericScale: { ...both(path), factor: 10 } }),
    pairs: [
      ['922337203685477580', '9223372036854775800'],
      ['-900719925474099', '-9007199254740990'],
      ['0', '0'],
      ['null', 'null'],
    ],
  },
  remapped: {
    hub: S,
    spoke: I,
    rule: (path) => ({
      strategy: 'EnumRemap',
      enumRemap: {
        path,
        mapping: [
          { hub: 'even', spoke: 9007199254740992n },
          { hub: 'odd', spoke: 9007199254740993n },
          { hub: '', spoke: 0 },
        ],
      },
    }),
    pairs: [
      ['9007199254740992', '"even"'],
      ['9007199254740993', '"odd"'],
      ['0', '""'],
      ['null', 'null'],
    ],
  },
  quantity: {
    hub: S,
    spoke: I,
    rule: (path) => ({ strategy: 'Quantity', ...LOSSY, quantity: both(path) }),
    pairs: [
      ['9223372036854775807', '"9223372036854775807m"'],
      ['0', '"0"'],
      ['null', 'null'],
    ],
  },
  duration: {
    hub: S,
    spoke: I,
    rule: (path) => ({ strategy: 'Duration', ...LOSSY, duration: both(path) }),
    pairs: [
      ['9223372036', '"2562047h47m16s"'],
      ['0', '"0s"'],
      ['null', 'null'],
    ],
  },
  split: {
    hub: S,
    spoke: object({ value: I, unit: S }),
    rule: (path) => ({
      strategy: 'ScalarToFields',
      scalarToFields: {
        hubPath: path,
        pattern: '^(?P<value>\\d+)(?P<unit>[A-Za-z]+)$',
        spokeFields: { value: `${path}.value`, unit: `${path}.unit` },
        joinTemplate: '{{.value}}{{.unit}}',
        losslessOverride: true,
      },
    }),
    pairs: [['{"value":9007199254740993,"unit":"Gi"}', '"9007199254740993Gi"']],
  },
  counted: {
    hub: I,
    spoke: I,
    rule: (path) => ({
      strategy: 'CEL',
      ...LOSSY,
      cel: {
        hubPaths: [path],
        spokePaths: [path],
        hubToSpoke: `{"${path}": object.${path} - 1}`,
        spokeToHub: `{"${path}": object.${path} + 1}`,
      },
    }),
    pairs: [
      ['9007199254740992', '9007199254740993'],
      ['9223372036854775806', '9223372036854775807'],
    ],
  },
  wrapped: {
    hub: I,
    spoke: object({ n: I }),
    rule: (path) => ({ strategy: 'ScalarToObject', scalarToObject: { ...both(path), key: 'n' } }),
    pairs: [
      ['{"n":9007199254740993}', '9007199254740993'],
      ['{"n":0}', '0'],
    ],
  },
  keyed: {
    hub: listOf(object({ name: S, n: I })),
    spoke: mapOf(object({ n: I })),
    rule: (path) => ({
      strategy: 'ArrayToMapByKey',
      ...LOSSY,
      arrayToMapByKey: { ...both(path), keyField: 'name' },
    }),
    pairs: [
      [
        '{"__proto__":{"n":9007199254740993},"constructor":{"n":0},"toString":{}}',
        '[{"name":"__proto__","n":9007199254740993},{"name":"constructor","n":0},{"name":"toString"}]',
      ],
      ['{}', '[]'],
      ['null', 'null'],
    ],
  },
  listed: {
    hub: mapOf(object({ n: I })),
    spoke: listOf(object({ name: S, n: I })),
    rule: (path) => ({ strategy: 'MapToArrayByKey', ...LOSSY, mapToArrayByKey: { ...both(path), keyField: 'name' } }),
    pairs: [
      ['[{"name":"","n":9223372036854775807},{"name":"__proto__"}]', '{"":{"n":9223372036854775807},"__proto__":{}}'],
      ['[]', '{}'],
      ['null', 'null'],
    ],
  },
  gathered: {
    hub: object({ a: { ...I, nullable: true }, b: { ...I, nullable: true } }),
    spoke: mapOf({ ...I, nullable: true }),
    rule: (path) => ({
      strategy: 'FieldsToMap',
      fieldsToMap: {
        hubPaths: [`${path}.a`, `${path}.b`],
        spokeMapPath: path,
        keyNames: { [`${path}.a`]: 'constructor', [`${path}.b`]: '__proto__' },
      },
    }),
    pairs: [['{"constructor":9007199254740993,"__proto__":null}', '{"a":9007199254740993,"b":null}']],
  },
  renamedKeys: {
    hub: mapOf(I),
    spoke: mapOf(I),
    rule: (path) => ({ strategy: 'MapKeyRename', mapKeyRename: { ...both(path), renames: { hub: 'spoke' } } }),
    pairs: [
      ['{"spoke":9007199254740993,"__proto__":0,"":1}', '{"hub":9007199254740993,"__proto__":0,"":1}'],
      ['{}', '{}'],
      ['null', 'null'],
    ],
  },
  joined: {
    hub: listOf(S),
    spoke: S,
    rule: (path) => ({ strategy: 'ListJoin', listJoin: { ...both(path), separator: ',' } }),
    pairs: [
      ['"9007199254740993,\\u2028,🙂"', '["9007199254740993","\\u2028","🙂"]'],
      ['null', 'null'],
    ],
  },
  separated: {
    hub: S,
    spoke: listOf(S),
    rule: (path) => ({ strategy: 'ListSplit', listSplit: { ...both(path), separator: ',' } }),
    pairs: [
      ['["","9007199254740993",""]', '",9007199254740993,"'],
      ['null', 'null'],
    ],
  },
  volumes: {
    hub: listOf(object({ size: S })),
    spoke: listOf(object({ size: I })),
    rule: (path) => ({
      strategy: 'ForEach',
      forEach: {
        hubItemsPath: path,
        spokeItemsPath: path,
        rules: [{ strategy: 'TypeCoerce', typeCoerce: { path: 'size' } }],
      },
    }),
    pairs: [
      ['[{"size":9007199254740993},{},{"size":0}]', '[{"size":"9007199254740993"},{},{"size":"0"}]'],
      ['[]', '[]'],
      ['null', 'null'],
    ],
  },
};

/** One kind with a field for each of them. */
export function reckoningTarget(): GeneratedTarget {
  const slots = Object.entries(RECKONINGS).map(([field, { hub, spoke, rule }]) => {
    const { strategy, ...rest } = rule(`spec.${field}`);
    const nullable = (schema: JsonObject) => ({ [field]: { ...schema, nullable: true } });
    return { strategy, hub: nullable(hub), spoke: nullable(spoke), rule: rest, sample: {} };
  });
  return renderTarget({ kind: 'Reckoning', hub: 'v2', spokes: { v1: slots }, shared: {} });
}

export function reckoning(field: string, [spoke, hub]: Reckoning['pairs'][number]): Fields {
  return (version) => `"spec":{"${field}":${version === 'v1' ? spoke : hub}}`;
}
