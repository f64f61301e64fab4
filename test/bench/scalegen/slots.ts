import type { JsonObject } from '../../../lib/engine/json.ts';

/** Schemas of the properties of `spec` that a rule of a config reads and writes, and what an object of a spoke has there. */
export interface Slot {
  readonly strategy: string;
  readonly hub: JsonObject;
  readonly spoke: JsonObject;
  /** The rule without its strategy. */
  readonly rule: JsonObject;
  /** Part of `spec` of an object at the spoke. */
  readonly sample: JsonObject;
}

export const GROUP = 'scale.dco.example.org';

const S = { type: 'string' };
const I = { type: 'integer' };
const N = { type: 'number' };
const B = { type: 'boolean' };
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const mapOf = (values: JsonObject): JsonObject => ({ type: 'object', additionalProperties: values });
const listOf = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });

const lossy = { acknowledgeLossy: true, reason: 'a fleet made to measure: what is lost does not matter' };
const SIZE = { pattern: '^(?P<value>\\d+)(?P<unit>[A-Za-z]+)$', joinTemplate: '{{.value}}{{.unit}}' };
const paths = (...names: string[]) => ({ hubPath: `spec.${names[0]}`, spokePath: `spec.${names.at(-1)}` });

/** One for each strategy. The order is part of what a seed means. */
export const SLOTS: readonly Slot[] = [
  {
    strategy: 'FieldRename',
    hub: { storageGB: S },
    spoke: { storageSize: S },
    rule: { fieldRename: paths('storageGB', 'storageSize') },
    sample: { storageSize: '10' },
  },
  {
    strategy: 'TypeCoerce',
    hub: { replicas: S },
    spoke: { replicas: I },
    rule: { typeCoerce: { path: 'spec.replicas' } },
    sample: { replicas: 3 },
  },
  {
    strategy: 'EnumRemap',
    hub: { tier: S },
    spoke: { tier: S },
    rule: { enumRemap: { path: 'spec.tier', mapping: [{ hub: 'Standard', spoke: 'std' }] } },
    sample: { tier: 'std' },
  },
  {
    strategy: 'NumericScale',
    hub: { bytes: N },
    spoke: { kilobytes: N },
    rule: { numericScale: { ...paths('bytes', 'kilobytes'), factor: 0.001 } },
    sample: { kilobytes: 1 },
  },
  {
    strategy: 'ListJoin',
    hub: { tags: listOf(S) },
    spoke: { tagsCSV: S },
    rule: { listJoin: { ...paths('tags', 'tagsCSV'), separator: ',' } },
    sample: { tagsCSV: 'a,b' },
  },
  {
    strategy: 'ListSplit',
    hub: { csv: S },
    spoke: { items: listOf(S) },
    rule: { listSplit: { ...paths('csv', 'items'), separator: ',' } },
    sample: { items: ['a', 'b'] },
  },
  {
    strategy: 'Quantity',
    hub: { cpuRequest: S },
    spoke: { cpuMillis: I },
    rule: { ...lossy, quantity: paths('cpuRequest', 'cpuMillis') },
    sample: { cpuMillis: 500 },
  },
  {
    strategy: 'Duration',
    hub: { timeout: S },
    spoke: { timeoutSeconds: I },
    rule: { ...lossy, duration: paths('timeout', 'timeoutSeconds') },
    sample: { timeoutSeconds: 5 },
  },
  {
    strategy: 'MapKeyRename',
    hub: { extra: mapOf(S) },
    spoke: { extra: mapOf(S) },
    rule: { mapKeyRename: { ...paths('extra'), renames: { app: 'application' } } },
    sample: { extra: { application: 'w', keep: 'yes' } },
  },
  {
    strategy: 'ArrayToMapByKey',
    hub: { zones: listOf(object({ name: S, cidr: S })) },
    spoke: { zones: mapOf(object({ cidr: S })) },
    rule: { ...lossy, arrayToMapByKey: { ...paths('zones'), keyField: 'name' } },
    sample: { zones: { a: { cidr: '10.0.0.0/24' } } },
  },
  {
    strategy: 'MapToArrayByKey',
    hub: { limits: mapOf(object({ cidr: S })) },
    spoke: { limits: listOf(object({ name: S, cidr: S })) },
    rule: { ...lossy, mapToArrayByKey: { ...paths('limits'), keyField: 'name' } },
    sample: { limits: [{ name: 'a', cidr: '10.0.0.0/24' }] },
  },
  {
    strategy: 'ForEach',
    hub: { volumes: listOf(object({ name: S, sizeGB: I })) },
    spoke: { volumes: listOf(object({ name: S, size: I })) },
    rule: {
      forEach: {
        hubItemsPath: 'spec.volumes',
        spokeItemsPath: 'spec.volumes',
        rules: [
          { strategy: 'FieldRename', fieldRename: { hubPath: 'name', spokePath: 'name' } },
          { strategy: 'FieldRename', fieldRename: { hubPath: 'sizeGB', spokePath: 'size' } },
        ],
      },
    },
    sample: { volumes: [{ name: 'd0', size: 10 }] },
  },
  {
    strategy: 'ScalarToObject',
    hub: { ver: S },
    spoke: { ver: object({ major: S }) },
    rule: { scalarToObject: { ...paths('ver'), key: 'major' } },
    sample: { ver: { major: '1' } },
  },
  {
    strategy: 'ObjectToScalar',
    hub: { rel: object({ major: S }) },
    spoke: { rel: S },
    rule: { objectToScalar: { ...paths('rel'), key: 'major' } },
    sample: { rel: '1' },
  },
  {
    strategy: 'SingletonArrayToObject',
    hub: { zoneList: listOf(object({ name: S })) },
    spoke: { zone: object({ name: S }) },
    rule: { ...lossy, singletonArrayToObject: paths('zoneList', 'zone') },
    sample: { zone: { name: 'a' } },
  },
  {
    strategy: 'ObjectToSingletonArray',
    hub: { primary: object({ name: S }) },
    spoke: { primaries: listOf(object({ name: S }), { maxItems: 1 }) },
    rule: { objectToSingletonArray: paths('primary', 'primaries') },
    sample: { primaries: [{ name: 'a' }] },
  },
  {
    strategy: 'FieldsToMap',
    hub: { env: S, team: S },
    spoke: { labels: mapOf(S) },
    rule: {
      fieldsToMap: {
        hubPaths: ['spec.env', 'spec.team'],
        spokeMapPath: 'spec.labels',
        keyNames: { 'spec.env': 'env', 'spec.team': 'team' },
      },
    },
    sample: { labels: { env: 'dev', team: 'core' } },
  },
  {
    strategy: 'MapToFields',
    hub: { meta: mapOf(S) },
    spoke: { owner: S, group: S },
    rule: {
      mapToFields: {
        hubMapPath: 'spec.meta',
        spokePaths: ['spec.owner', 'spec.group'],
        keyNames: { 'spec.owner': 'owner', 'spec.group': 'group' },
      },
    },
    sample: { owner: 'a', group: 'b' },
  },
  {
    strategy: 'ToAnnotation',
    hub: { description: S },
    spoke: {},
    rule: {
      toAnnotation: {
        hubPath: 'spec.description',
        key: `${GROUP}/desc`,
        serialization: 'String',
        restoreOnReverse: true,
      },
    },
    sample: {},
  },
  {
    strategy: 'ToLabel',
    hub: { track: S },
    spoke: {},
    rule: { toLabel: { hubPath: 'spec.track', key: 'track', serialization: 'String', restoreOnReverse: true } },
    sample: {},
  },
  {
    strategy: 'FromAnnotation',
    hub: {},
    spoke: { note: S },
    rule: {
      ...lossy,
      fromAnnotation: { spokePath: 'spec.note', key: `${GROUP}/note`, serialization: 'String', stashOnReverse: true },
    },
    sample: { note: 'hi' },
  },
  {
    strategy: 'FromLabel',
    hub: {},
    spoke: { lane: S },
    rule: {
      ...lossy,
      fromLabel: { spokePath: 'spec.lane', key: 'lane', serialization: 'String', stashOnReverse: true },
    },
    sample: { lane: 'gold' },
  },
  {
    strategy: 'DefaultValue',
    hub: { minReplicas: I },
    spoke: {},
    rule: { ...lossy, defaultValue: { path: 'spec.minReplicas', existsOn: 'Hub', default: 1 } },
    sample: {},
  },
  {
    strategy: 'Constant',
    hub: { fixed: S },
    spoke: {},
    rule: { ...lossy, constant: { path: 'spec.fixed', existsOn: 'Hub', value: 'x' } },
    sample: {},
  },
  {
    strategy: 'Delete',
    hub: {},
    spoke: { debug: B },
    rule: { ...lossy, delete: { path: 'spec.debug', existsOn: 'Spoke' } },
    sample: { debug: true },
  },
  {
    strategy: 'JSONPatch',
    hub: { flag: S },
    spoke: { flag: S },
    rule: {
      ...lossy,
      jsonPatch: {
        hubToSpoke: [{ op: 'add', path: '/spec/flag', value: 'spoke' }],
        spokeToHub: [{ op: 'add', path: '/spec/flag', value: 'hub' }],
      },
    },
    sample: { flag: 'spoke' },
  },
  {
    strategy: 'ScalarToFields',
    hub: { size: S },
    spoke: { sizeValue: S, sizeUnit: S },
    rule: {
      ...lossy,
      scalarToFields: {
        hubPath: 'spec.size',
        ...SIZE,
        spokeFields: { value: 'spec.sizeValue', unit: 'spec.sizeUnit' },
        losslessOverride: true,
      },
    },
    sample: { sizeValue: '10', sizeUnit: 'Gi' },
  },
  {
    strategy: 'FieldsToScalar',
    hub: { capValue: S, capUnit: S },
    spoke: { cap: S },
    rule: {
      ...lossy,
      fieldsToScalar: {
        hubFields: { value: 'spec.capValue', unit: 'spec.capUnit' },
        ...SIZE,
        spokePath: 'spec.cap',
        losslessOverride: true,
      },
    },
    sample: { cap: '10Gi' },
  },
  {
    strategy: 'CEL',
    hub: { packed: I },
    spoke: { bitHigh: I, bitLow: I },
    rule: {
      ...lossy,
      cel: {
        hubPaths: ['spec.packed'],
        spokePaths: ['spec.bitHigh', 'spec.bitLow'],
        hubToSpoke:
          'has(object.spec) && has(object.spec.packed) ? {"spec.bitHigh": object.spec.packed / 256, "spec.bitLow": object.spec.packed % 256} : {}',
        spokeToHub:
          'has(object.spec) && has(object.spec.bitHigh) && has(object.spec.bitLow) ? {"spec.packed": object.spec.bitHigh * 256 + object.spec.bitLow} : {}',
      },
    },
    sample: { bitHigh: 4, bitLow: 1 },
  },
];
