import type { JsonObject } from '../../../lib/engine/json.ts';
import type { Side } from '../../../lib/engine/strategy.ts';
import { GROUP, SLOTS, type Slot } from '../../bench/scalegen/slots.ts';
import { CONTENTS, type Contents, specs } from './contents.ts';

export interface ApplyCase extends Contents {
  readonly title: string;
  readonly slot: Slot;
  /** Who owns the fields of the rule; each in turn when absent. */
  readonly owner?: Side;
}

const S = { type: 'string' };
const keyed = (properties: JsonObject): JsonObject => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: { type: 'object', required: ['name'], properties },
});

const OPEN_MAP = { type: 'object', additionalProperties: S };
const REL = { hubPath: 'spec.rel', spokePath: 'spec.rel' };

/** A move that copies nothing on its own: its source has to be there. */
const MOVE: Slot = {
  strategy: 'JSONPatch',
  hub: { badge: { type: 'string' } },
  spoke: { sticker: { type: 'string' } },
  rule: {
    acknowledgeLossy: true,
    reason: 'what operations do is not proved',
    jsonPatch: {
      hubToSpoke: [{ op: 'move', from: '/spec/badge', path: '/spec/sticker' }],
      spokeToHub: [{ op: 'move', from: '/spec/sticker', path: '/spec/badge' }],
    },
  },
  sample: {},
};

const WINDOW: Slot = {
  ...slotOf('ToAnnotation'),
  hub: { window: { type: 'object', properties: { day: S, hour: S } } },
  rule: { toAnnotation: { hubPath: 'spec.window', key: `${GROUP}/window`, restoreOnReverse: true } },
};
const stashed = (text: string) => ({ annotations: { [`${GROUP}/window`]: text } });
const window: Contents = {
  full: { hub: { spec: { window: { day: 'mon', hour: '2' } } }, spoke: stashed('{"day":"mon","hour":"2"}') },
  less: { hub: { spec: { window: { day: 'mon' } } }, spoke: stashed('{"day":"mon"}') },
};

/** Rows beside those of the strategies: what a schema or another rule of a strategy changes. */
const MORE: readonly ApplyCase[] = [
  {
    title: 'ArrayToMapByKey (keyed list)',
    slot: { ...slotOf('ArrayToMapByKey'), hub: { zones: keyed({ name: S, cidr: S }) } },
    ...withoutConflict('ArrayToMapByKey'),
  },
  {
    title: 'MapToArrayByKey (keyed list)',
    slot: { ...slotOf('MapToArrayByKey'), spoke: { limits: keyed({ name: S, cidr: S }) } },
    ...withoutConflict('MapToArrayByKey'),
  },
  {
    title: 'SingletonArrayToObject (two fields)',
    slot: {
      ...slotOf('SingletonArrayToObject'),
      hub: { zoneList: { type: 'array', items: { type: 'object', properties: { name: S, cidr: S } } } },
      spoke: { zone: { type: 'object', properties: { name: S, cidr: S } } },
    },
    full: specs({ zoneList: [{ name: 'a', cidr: '10.0.0.0/24' }] }, { zone: { name: 'a', cidr: '10.0.0.0/24' } }),
    less: specs({ zoneList: [{ name: 'a' }] }, { zone: { name: 'a' } }),
  },
  {
    title: 'ObjectToSingletonArray (two fields)',
    slot: {
      ...slotOf('ObjectToSingletonArray'),
      hub: { primary: { type: 'object', properties: { name: S, cidr: S } } },
      spoke: { primaries: { type: 'array', maxItems: 1, items: { type: 'object', properties: { name: S, cidr: S } } } },
    },
    full: specs({ primary: { name: 'a', cidr: '10.0.0.0/24' } }, { primaries: [{ name: 'a', cidr: '10.0.0.0/24' }] }),
    less: specs({ primary: { name: 'a' } }, { primaries: [{ name: 'a' }] }),
  },
  {
    title: 'ListJoin (set)',
    slot: { ...slotOf('ListJoin'), hub: { tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: S } } },
    ...withoutConflict('ListJoin'),
  },
  { title: 'ToAnnotation (object)', slot: WINDOW, ...window },
  {
    title: 'FieldRename (atomic and keyed list)',
    slot: {
      ...slotOf('FieldRename'),
      hub: { storageGB: { type: 'array', items: { type: 'object', properties: { name: S } } } },
      spoke: { storageSize: keyed({ name: S }) },
    },
    full: specs({ storageGB: [{ name: 'a' }, { name: 'b' }] }, { storageSize: [{ name: 'a' }, { name: 'b' }] }),
    less: specs({ storageGB: [{ name: 'a' }] }, { storageSize: [{ name: 'a' }] }),
  },
  {
    title: 'ToAnnotation (atomic object)',
    slot: { ...WINDOW, hub: { window: { ...(WINDOW.hub['window'] as object), 'x-kubernetes-map-type': 'atomic' } } },
    ...window,
  },
  {
    title: 'FieldsToMap (atomic map)',
    slot: { ...slotOf('FieldsToMap'), spoke: { labels: { ...OPEN_MAP, 'x-kubernetes-map-type': 'atomic' } } },
    ...withoutConflict('FieldsToMap'),
  },
  {
    title: 'MapToFields (atomic map)',
    slot: { ...slotOf('MapToFields'), hub: { meta: { ...OPEN_MAP, 'x-kubernetes-map-type': 'atomic' } } },
    ...withoutConflict('MapToFields'),
  },
  {
    title: 'ObjectToScalar (default)',
    owner: 'hub',
    slot: {
      ...slotOf('ObjectToScalar'),
      hub: { rel: { type: 'object', properties: { major: S, minor: S } } },
      rule: {
        acknowledgeLossy: true,
        reason: 'the spoke has no place for the minor number',
        objectToScalar: { ...REL, key: 'major', defaultsForOtherKeys: { minor: '0' } },
      },
    },
    full: specs({ rel: { major: '1', minor: '0' } }, { rel: '1' }),
    less: specs({ rel: { major: '1' } }, { rel: '1' }),
  },
  {
    title: 'Delete (at the hub)',
    owner: 'hub',
    slot: {
      ...slotOf('Delete'),
      hub: { debug: { type: 'boolean' } },
      spoke: {},
      rule: { acknowledgeLossy: true, reason: 'old clients', delete: { path: 'spec.debug', existsOn: 'Hub' } },
    },
    full: specs({ debug: true }, {}),
  },
  {
    title: 'JSONPatch (add at the hub)',
    owner: 'hub',
    slot: {
      ...slotOf('JSONPatch'),
      spoke: {},
      rule: {
        acknowledgeLossy: true,
        reason: 'the spoke has no flag',
        jsonPatch: {
          hubToSpoke: [{ op: 'remove', path: '/spec/flag' }],
          spokeToHub: [{ op: 'add', path: '/spec/flag', value: 'hub' }],
        },
      },
    },
    full: specs({ flag: 'hub' }, {}),
  },
  {
    title: 'CEL (a constant)',
    owner: 'hub',
    slot: {
      ...slotOf('CEL'),
      hub: { packed: { type: 'integer' } },
      spoke: { bits: { type: 'integer' } },
      rule: {
        acknowledgeLossy: true,
        reason: 'the spoke has another number',
        cel: {
          hubPaths: ['spec.packed'],
          spokePaths: ['spec.bits'],
          hubToSpoke: '{}',
          spokeToHub: '{"spec.packed": 5}',
        },
      },
    },
    full: specs({ packed: 5 }, {}),
  },
  {
    title: 'JSONPatch (move)',
    slot: MOVE,
    full: specs({ badge: 'gold' }, { sticker: 'gold' }),
    other: specs({ badge: 'iron' }, { sticker: 'iron' }),
  },
];

/** Their rules give the spoke nothing to own. */
const HUB_ONLY: ReadonlySet<string> = new Set(['DefaultValue', 'Constant']);

/** A row for each strategy, and more. */
export const APPLY_CASES: readonly ApplyCase[] = [
  ...SLOTS.map((slot) => {
    const { rule = slot.rule, ...contents } = contentsOf(slot.strategy);
    const owner = HUB_ONLY.has(slot.strategy) ? ({ owner: 'hub' } as const) : {};
    return { title: slot.strategy, slot: { ...slot, rule }, ...owner, ...contents };
  }),
  ...MORE,
];

function contentsOf(strategy: string): Contents {
  const contents = CONTENTS[strategy];
  if (contents === undefined) throw new Error(`the matrix has no contents for ${strategy}`);
  return contents;
}

function slotOf(strategy: string): Slot {
  const slot = SLOTS.find((candidate) => candidate.strategy === strategy);
  if (slot === undefined) throw new Error(`there is no slot for ${strategy}`);
  return slot;
}

/** Of a conflict about a part of a list, both managers keep parts. */
function withoutConflict(strategy: string): Contents {
  const { full, less } = contentsOf(strategy);
  return { full, ...(less && { less }) };
}
