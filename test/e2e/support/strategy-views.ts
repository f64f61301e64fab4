import { GROUP } from '../../bench/scalegen/slots.ts';
import type { View } from './custom-objects.ts';

/** An object of the kind of a strategy's slot, written by hand at both versions. */
interface StrategyViews {
  /** Created at the spoke, then read at the hub, then at the spoke where that is not what was created. */
  readonly up: readonly [created: View, hub: View, again?: View];
  /** Created at the hub, then read at the spoke. */
  readonly down: readonly [created: View, spoke: View];
}

const spec = (fields: object): View => ({ spec: fields });
const note = { [`${GROUP}/note`]: 'by hand' };
const desc = { [`${GROUP}/desc`]: 'by hand' };

export const STRATEGY_VIEWS: Readonly<Record<string, StrategyViews>> = {
  FieldRename: {
    up: [spec({ storageSize: '10' }), spec({ storageGB: '10' })],
    down: [spec({ storageGB: '20' }), spec({ storageSize: '20' })],
  },
  ScalarToObject: {
    up: [spec({ ver: { major: '1' } }), spec({ ver: '1' })],
    down: [spec({ ver: '2' }), spec({ ver: { major: '2' } })],
  },
  ObjectToScalar: {
    up: [spec({ rel: '1' }), spec({ rel: { major: '1' } })],
    down: [spec({ rel: { major: '2' } }), spec({ rel: '2' })],
  },
  SingletonArrayToObject: {
    up: [spec({ zone: { name: 'a' } }), spec({ zoneList: [{ name: 'a' }] })],
    down: [spec({ zoneList: [{ name: 'b' }] }), spec({ zone: { name: 'b' } })],
  },
  ObjectToSingletonArray: {
    up: [spec({ primaries: [{ name: 'a' }] }), spec({ primary: { name: 'a' } })],
    down: [spec({ primary: { name: 'b' } }), spec({ primaries: [{ name: 'b' }] })],
  },
  FieldsToMap: {
    up: [spec({ labels: { env: 'dev', team: 'core' } }), spec({ env: 'dev', team: 'core' })],
    down: [spec({ team: 'web' }), spec({ labels: { team: 'web' } })],
  },
  MapToFields: {
    up: [spec({ owner: 'a', group: 'b' }), spec({ meta: { owner: 'a', group: 'b' } })],
    down: [spec({ meta: { group: 'c' } }), spec({ group: 'c' })],
  },
  ToAnnotation: {
    up: [{ annotations: desc }, spec({ description: 'by hand' })],
    down: [spec({ description: 'by hand' }), { annotations: desc }],
  },
  ToLabel: {
    up: [{ labels: { track: 'beta' } }, spec({ track: 'beta' })],
    down: [spec({ track: 'stable' }), { labels: { track: 'stable' } }],
  },
  FromAnnotation: {
    up: [spec({ note: 'by hand' }), { annotations: note }],
    down: [{ annotations: note }, spec({ note: 'by hand' })],
  },
  FromLabel: {
    up: [spec({ lane: 'gold' }), { labels: { lane: 'gold' } }],
    down: [{ labels: { lane: 'silver' } }, spec({ lane: 'silver' })],
  },
  EnumRemap: {
    up: [spec({ tier: 'std' }), spec({ tier: 'Standard' })],
    down: [spec({ tier: 'Standard' }), spec({ tier: 'std' })],
  },
  DefaultValue: {
    up: [spec({}), spec({ minReplicas: 1 }), {}],
    down: [spec({ minReplicas: 7 }), {}],
  },
  Constant: {
    up: [spec({}), spec({ fixed: 'x' }), {}],
    down: [spec({ fixed: 'y' }), {}],
  },
  Delete: {
    up: [spec({ debug: true }), {}, {}],
    down: [spec({}), spec({})],
  },
  JSONPatch: {
    up: [spec({ flag: 'mine' }), spec({ flag: 'hub' }), spec({ flag: 'spoke' })],
    down: [spec({ flag: 'mine' }), spec({ flag: 'spoke' })],
  },
  ForEach: {
    up: [
      spec({ volumes: [{ name: 'd1', size: 20 }, { name: 'd0' }] }),
      spec({ volumes: [{ name: 'd1', sizeGB: 20 }, { name: 'd0' }] }),
    ],
    down: [spec({ volumes: [{ name: 'd2', sizeGB: 5 }] }), spec({ volumes: [{ name: 'd2', size: 5 }] })],
  },
  TypeCoerce: {
    up: [spec({ replicas: 3 }), spec({ replicas: '3' })],
    down: [spec({ replicas: '5' }), spec({ replicas: 5 })],
  },
  ScalarToFields: {
    up: [spec({ sizeValue: '10', sizeUnit: 'Gi' }), spec({ size: '10Gi' })],
    down: [spec({ size: '5Mi' }), spec({ sizeValue: '5', sizeUnit: 'Mi' })],
  },
  FieldsToScalar: {
    up: [spec({ cap: '10Gi' }), spec({ capValue: '10', capUnit: 'Gi' })],
    down: [spec({ capValue: '5', capUnit: 'Mi' }), spec({ cap: '5Mi' })],
  },
  ArrayToMapByKey: {
    up: [
      spec({ zones: { b: { cidr: '::/8' }, a: {} } }),
      spec({ zones: [{ name: 'a' }, { name: 'b', cidr: '::/8' }] }),
    ],
    down: [spec({ zones: [{ cidr: '::/8', name: 'c' }] }), spec({ zones: { c: { cidr: '::/8' } } })],
  },
  MapToArrayByKey: {
    up: [spec({ limits: [{ name: 'a', cidr: '::/8' }] }), spec({ limits: { a: { cidr: '::/8' } } })],
    down: [
      spec({ limits: { b: { cidr: '::/8' }, a: {} } }),
      spec({ limits: [{ name: 'a' }, { name: 'b', cidr: '::/8' }] }),
    ],
  },
  NumericScale: {
    up: [spec({ kilobytes: 5 }), spec({ bytes: 0.005 })],
    down: [spec({ bytes: 3 }), spec({ kilobytes: 3000 })],
  },
  ListJoin: {
    up: [spec({ tagsCSV: 'a,b' }), spec({ tags: ['a', 'b'] })],
    down: [spec({ tags: ['x', 'y', 'z'] }), spec({ tagsCSV: 'x,y,z' })],
  },
  ListSplit: {
    up: [spec({ items: ['a', 'b'] }), spec({ csv: 'a,b' })],
    down: [spec({ csv: 'x,y,z' }), spec({ items: ['x', 'y', 'z'] })],
  },
  Quantity: {
    up: [spec({ cpuMillis: 500 }), spec({ cpuRequest: '500m' })],
    down: [spec({ cpuRequest: '1.5' }), spec({ cpuMillis: 1500 })],
  },
  Duration: {
    up: [spec({ timeoutSeconds: 90 }), spec({ timeout: '1m30s' })],
    down: [spec({ timeout: '2h' }), spec({ timeoutSeconds: 7200 })],
  },
  MapKeyRename: {
    up: [spec({ extra: { application: 'w', keep: 'k' } }), spec({ extra: { app: 'w', keep: 'k' } })],
    down: [spec({ extra: { app: 'v' } }), spec({ extra: { application: 'v' } })],
  },
  CEL: {
    up: [spec({ bitHigh: 4, bitLow: 1 }), spec({ packed: 1025 })],
    down: [spec({ packed: 515 }), spec({ bitHigh: 2, bitLow: 3 })],
  },
};
