import type { Json, JsonObject } from '../../../engine/json.ts';
import type { Side } from '../../../engine/strategy.ts';

/** A rule that analyses without an error, with the two `spec` schemas and a `spec` that it converts. */
export interface RuleExample {
  /** Properties of `spec`. */
  readonly hub: JsonObject;
  readonly spoke: JsonObject;
  /** The parameters, without their key. */
  readonly params: JsonObject;
  /** There for a rule that cannot be lossless: `acknowledgeLossy` is set too. */
  readonly reason?: string;
  readonly object: JsonObject;
  /** Whose the object is; the hub's when left out. */
  readonly side?: Side;
}

const string = { type: 'string' };
const integer = { type: 'integer' };
const strings = { type: 'array', items: string };
const stringMap = { type: 'object', additionalProperties: string };
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const listOf = (properties: JsonObject, more: JsonObject = {}): JsonObject => {
  return { type: 'array', items: object(properties), ...more };
};

const lossy = (reason: string) => ({ reason });

/** One for each strategy, by its name; a test analyses and converts them all. */
export const EXAMPLES: Readonly<Record<string, RuleExample>> = {
  FieldRename: {
    hub: { sizeGiB: integer },
    spoke: { storage: integer },
    params: { hubPath: 'spec.sizeGiB', spokePath: 'spec.storage' },
    object: { sizeGiB: 20 },
  },
  ScalarToObject: {
    hub: { engine: string },
    spoke: { engine: object({ name: string }) },
    params: { hubPath: 'spec.engine', spokePath: 'spec.engine', key: 'name' },
    object: { engine: 'Postgres' },
  },
  ObjectToScalar: {
    hub: { engine: object({ name: string }) },
    spoke: { engine: string },
    params: { hubPath: 'spec.engine', spokePath: 'spec.engine', key: 'name' },
    object: { engine: { name: 'Postgres' } },
  },
  SingletonArrayToObject: {
    hub: { backups: listOf({ schedule: string }, { maxItems: 1 }) },
    spoke: { backup: object({ schedule: string }) },
    params: { hubPath: 'spec.backups', spokePath: 'spec.backup' },
    object: { backups: [{ schedule: '30 2 * * *' }] },
  },
  ObjectToSingletonArray: {
    hub: { backup: object({ schedule: string }) },
    spoke: { backups: listOf({ schedule: string }, { maxItems: 1 }) },
    params: { hubPath: 'spec.backup', spokePath: 'spec.backups' },
    object: { backup: { schedule: '30 2 * * *' } },
  },
  FieldsToMap: {
    hub: { cpu: string, memory: string },
    spoke: { settings: stringMap },
    params: {
      hubPaths: ['spec.cpu', 'spec.memory'],
      spokeMapPath: 'spec.settings',
      keyNames: { 'spec.memory': 'mem' },
    },
    object: { cpu: '500m', memory: '1Gi' },
  },
  MapToFields: {
    hub: { settings: stringMap },
    spoke: { cpu: string, memory: string },
    params: {
      hubMapPath: 'spec.settings',
      spokePaths: ['spec.cpu', 'spec.memory'],
      keyNames: { 'spec.memory': 'mem' },
    },
    object: { settings: { cpu: '500m', mem: '1Gi' } },
  },
  ToAnnotation: {
    hub: { replicas: integer },
    spoke: {},
    params: { hubPath: 'spec.replicas', key: 'example.org/replicas', restoreOnReverse: true },
    object: { replicas: 3 },
  },
  ToLabel: {
    hub: { tier: { ...string, maxLength: 63 } },
    spoke: {},
    params: { hubPath: 'spec.tier', key: 'example.org/tier', serialization: 'String', restoreOnReverse: true },
    object: { tier: 'gold' },
  },
  FromAnnotation: {
    hub: {},
    spoke: { notes: string },
    params: { spokePath: 'spec.notes', key: 'example.org/notes', stashOnReverse: true },
    object: { notes: 'moves in spring' },
    side: 'spoke',
  },
  FromLabel: {
    hub: {},
    spoke: { team: { ...string, maxLength: 63 } },
    params: { spokePath: 'spec.team', key: 'example.org/team', stashOnReverse: true },
    object: { team: 'core' },
    side: 'spoke',
  },
  EnumRemap: {
    hub: { engine: { ...string, enum: ['Postgres', 'MySQL'] } },
    spoke: { engine: { ...string, enum: ['postgresql', 'mysql'] } },
    params: {
      path: 'spec.engine',
      mapping: [
        { hub: 'Postgres', spoke: 'postgresql' },
        { hub: 'MySQL', spoke: 'mysql' },
      ],
    },
    object: { engine: 'Postgres' },
  },
  DefaultValue: {
    hub: { tier: string },
    spoke: {},
    params: { path: 'spec.tier', existsOn: 'Hub', default: 'standard' },
    ...lossy('older clients cannot choose a tier'),
    object: { tier: 'standard' },
  },
  Constant: {
    hub: {},
    spoke: { flavor: string },
    params: { path: 'spec.flavor', existsOn: 'Spoke', value: 'classic' },
    ...lossy('there is only one flavor'),
    object: {},
  },
  Delete: {
    hub: {},
    spoke: { debug: { type: 'boolean' } },
    params: { path: 'spec.debug', existsOn: 'Spoke' },
    ...lossy('debug mode is gone'),
    object: { debug: true },
    side: 'spoke',
  },
  JSONPatch: {
    hub: { size: integer },
    spoke: { capacity: integer },
    params: {
      hubToSpoke: [{ op: 'move', from: '/spec/size', path: '/spec/capacity' }],
      spokeToHub: [{ op: 'move', from: '/spec/capacity', path: '/spec/size' }],
      losslessOverride: true,
    },
    object: { size: 20 },
  },
  ForEach: {
    hub: { users: listOf({ name: string }) },
    spoke: { users: listOf({ login: string }) },
    params: {
      hubItemsPath: 'spec.users',
      spokeItemsPath: 'spec.users',
      rules: [{ strategy: 'FieldRename', fieldRename: { hubPath: 'name', spokePath: 'login' } }],
    },
    object: { users: [{ name: 'app' }, { name: 'admin' }] },
  },
  TypeCoerce: {
    hub: { replicas: integer },
    spoke: { replicas: string },
    params: { path: 'spec.replicas' },
    object: { replicas: 3 },
  },
  ScalarToFields: {
    hub: { address: string },
    spoke: { host: string, port: string },
    params: {
      hubPath: 'spec.address',
      pattern: '^(?P<host>[^:]+):(?P<port>\\d+)$',
      spokeFields: { host: 'spec.host', port: 'spec.port' },
      joinTemplate: '{{.host}}:{{.port}}',
      losslessOverride: true,
    },
    object: { address: 'db.internal:5432' },
  },
  FieldsToScalar: {
    hub: { host: string, port: string },
    spoke: { address: string },
    params: {
      hubFields: { host: 'spec.host', port: 'spec.port' },
      pattern: '^(?P<host>[^:]+):(?P<port>\\d+)$',
      spokePath: 'spec.address',
      joinTemplate: '{{.host}}:{{.port}}',
      losslessOverride: true,
    },
    object: { host: 'db.internal', port: '5432' },
  },
  ArrayToMapByKey: {
    hub: { users: listOf({ name: string, role: string }) },
    spoke: { users: { type: 'object', additionalProperties: object({ role: string }) } },
    params: { hubPath: 'spec.users', spokePath: 'spec.users', keyField: 'name' },
    ...lossy('users come back sorted by name'),
    object: { users: [{ name: 'app', role: 'writer' }] },
  },
  MapToArrayByKey: {
    hub: { users: { type: 'object', additionalProperties: object({ role: string }) } },
    spoke: { users: listOf({ name: string, role: string }) },
    params: { hubPath: 'spec.users', spokePath: 'spec.users', keyField: 'name' },
    ...lossy('users come back sorted by name'),
    object: { users: { app: { role: 'writer' } } },
  },
  NumericScale: {
    hub: { sizeGiB: integer },
    spoke: { sizeMiB: integer },
    params: { hubPath: 'spec.sizeGiB', spokePath: 'spec.sizeMiB', factor: 0.0009765625 },
    ...lossy('a part of a GiB is rounded'),
    object: { sizeGiB: 2 },
  },
  ListJoin: {
    hub: { networks: strings },
    spoke: { networks: string },
    params: { hubPath: 'spec.networks', spokePath: 'spec.networks', separator: ',' },
    object: { networks: ['blue', 'green'] },
  },
  ListSplit: {
    hub: { networks: string },
    spoke: { networks: strings },
    params: { hubPath: 'spec.networks', spokePath: 'spec.networks', separator: ',' },
    object: { networks: 'blue,green' },
  },
  Quantity: {
    hub: { cpu: string },
    spoke: { cpuMillis: integer },
    params: { hubPath: 'spec.cpu', spokePath: 'spec.cpuMillis' },
    ...lossy('the spelling may change ("0.5" returns as "500m")'),
    object: { cpu: '500m' },
  },
  Duration: {
    hub: { timeout: string },
    spoke: { timeoutSeconds: integer },
    params: { hubPath: 'spec.timeout', spokePath: 'spec.timeoutSeconds' },
    ...lossy('the spelling may change ("90s" returns as "1m30s")'),
    object: { timeout: '1m30s' },
  },
  MapKeyRename: {
    hub: { tags: stringMap },
    spoke: { tags: stringMap },
    params: { hubPath: 'spec.tags', spokePath: 'spec.tags', renames: { 'cost-center': 'costCentre' } },
    object: { tags: { 'cost-center': '4712', env: 'prod' } },
  },
  CEL: {
    hub: { day: integer, hour: integer },
    spoke: { hourOfWeek: integer },
    params: {
      hubPaths: ['spec.day', 'spec.hour'],
      spokePaths: ['spec.hourOfWeek'],
      hubToSpoke: '{"spec.hourOfWeek": object.spec.day * 24 + object.spec.hour}',
      spokeToHub: '{"spec.day": object.spec.hourOfWeek / 24, "spec.hour": object.spec.hourOfWeek % 24}',
    },
    ...lossy('nothing proves that the expressions are inverse'),
    object: { day: 6, hour: 3 },
  },
};

export function exampleRule(strategy: string, block: string, { params, reason }: RuleExample): JsonObject {
  const acknowledged = reason === undefined ? {} : { acknowledgeLossy: true, reason };
  return { strategy, ...acknowledged, [block]: params as Json };
}
