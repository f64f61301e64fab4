import type { Json, JsonObject } from '../../../lib/engine/json.ts';
import type { Slot } from '../../bench/scalegen/slots.ts';
import { type GeneratedTarget, renderTarget } from '../../bench/scalegen/target.ts';

const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });
const mapOf = (values: JsonObject): JsonObject => ({ type: 'object', additionalProperties: values });
const OPEN: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const TEXT: JsonObject = { type: 'string' };
/** The analysis looks below a moved object and finds no rule; it moves whole all the same. */
const LOSSY = { acknowledgeLossy: true, reason: 'nothing is lost: objects move whole' };

/** What a field of a CRD can hold. */
const SORTS = {
  integer: { type: 'integer', format: 'int64' },
  number: { type: 'number' },
  text: TEXT,
  flag: { type: 'boolean' },
  list: listOf(TEXT),
  object: object({ field: TEXT }),
  map: mapOf(TEXT),
  intOrString: { 'x-kubernetes-int-or-string': true },
  embedded: { ...OPEN, 'x-kubernetes-embedded-resource': true },
  anything: OPEN,
} as const satisfies Readonly<Record<string, JsonObject>>;

export type Sort = keyof typeof SORTS;
export type Version = 'v1' | 'v2';
/** JSON text of the fields beside `metadata`, at a version: `"spec":{…}`. */
export type Fields = (version: Version) => string;

/** Fields of every sort at every kind of place: left alone, renamed, in a box that is renamed, in lists and maps. */
export function specimenTarget(): GeneratedTarget {
  const slots = Object.entries(SORTS).flatMap(([sort, schema]) => slotsOf(sort, { ...schema, nullable: true }));
  return renderTarget({
    kind: 'Specimen',
    hub: 'v2',
    spokes: { v1: [...slots, rename({ openAfter: OPEN }, { openBefore: OPEN }, 'spec.openAfter', 'spec.openBefore')] },
    shared: { open: OPEN },
  });
}

function slotsOf(sort: string, value: JsonObject): Slot[] {
  const fields = (own: string) => ({
    [sort]: object({
      same: value,
      [own]: value,
      [`${own}Box`]: object({ same: value, items: listOf(value) }),
      items: listOf(value),
      map: mapOf(value),
      rows: listOf(object({ same: value, [own]: value })),
    }),
  });
  const path = `spec.${sort}`;
  const rules = [{ strategy: 'FieldRename', fieldRename: { hubPath: 'after', spokePath: 'before' } }];
  const forEach = { hubItemsPath: `${path}.rows`, spokeItemsPath: `${path}.rows`, rules };
  return [
    rename(fields('after'), fields('before'), `${path}.after`, `${path}.before`),
    rename({}, {}, `${path}.afterBox`, `${path}.beforeBox`),
    { strategy: 'ForEach', hub: {}, spoke: {}, rule: { ...LOSSY, forEach }, sample: {} },
  ];
}

function rename(hub: JsonObject, spoke: JsonObject, hubPath: string, spokePath: string): Slot {
  return { strategy: 'FieldRename', hub, spoke, rule: { fieldRename: { hubPath, spokePath } }, sample: {} };
}

/** An object that holds a value, given as JSON text, at every place of a sort and in opaque ones. */
export function specimen(sort: Sort, value: string): Fields {
  return (version) => {
    const own = version === 'v2' ? 'after' : 'before';
    const typed = [
      `"same":${value},"${own}":${value},"${own}Box":{"same":${value},"items":[${value}]}`,
      `"items":[${value},${value}],"map":{"k":${value}},"rows":[{"same":${value},"${own}":${value}}]`,
    ];
    const open = `{"x":${value},"list":[${value},{"deep":{"x":[[${value}]]}}]}`;
    const ownOpen = version === 'v2' ? 'openAfter' : 'openBefore';
    return `"spec":{"${sort}":{${typed}},"open":${open},"${ownOpen}":${open}}`;
  };
}

/** The server prunes nothing beside what is declared of `spec` and of the items of a list that a rule walks. */
export function looseTarget(): GeneratedTarget {
  const items = { volumes: listOf({ ...OPEN, properties: { size: TEXT } }) };
  const spokeItems = { volumes: listOf({ ...OPEN, properties: { length: TEXT } }) };
  const rules = [{ strategy: 'FieldRename', fieldRename: { hubPath: 'size', spokePath: 'length' } }];
  const forEach = { hubItemsPath: 'spec.volumes', spokeItemsPath: 'spec.volumes', rules };
  const target = renderTarget({
    kind: 'Loose',
    hub: 'v2',
    spokes: {
      v1: [
        rename({ after: TEXT }, { before: TEXT }, 'spec.after', 'spec.before'),
        { strategy: 'ForEach', hub: items, spoke: spokeItems, rule: { forEach }, sample: {} },
      ],
    },
    shared: {},
  });
  for (const { schema } of target.crd.spec.versions) {
    const { properties } = schema.openAPIV3Schema;
    Object.assign(properties, { spec: { ...properties.spec, ...OPEN }, status: OPEN });
  }
  return target;
}

/** Its hub has two fields that the spoke lacks: one gets a fixed value, the other is kept in an annotation. */
export function stashTarget(fixed: Json): GeneratedTarget {
  return renderTarget({
    kind: 'Stash',
    hub: 'v2',
    spokes: {
      v1: [
        {
          strategy: 'Constant',
          hub: { fixed: OPEN },
          spoke: {},
          rule: { ...LOSSY, constant: { path: 'spec.fixed', existsOn: 'Hub', value: fixed } },
          sample: {},
        },
        {
          strategy: 'ToAnnotation',
          hub: { kept: OPEN },
          spoke: {},
          rule: { toAnnotation: { hubPath: 'spec.kept', key: 'example.org/kept', restoreOnReverse: true } },
          sample: {},
        },
      ],
    },
    shared: { note: TEXT },
  });
}
