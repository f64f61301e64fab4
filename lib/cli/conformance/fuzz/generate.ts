import {
  getOwn,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableObject,
  setOwn,
} from '../../../engine/json.ts';
import { itemsOf, propertiesOf } from '../../../engine/schema.ts';
import { stringifyGoJson } from '../../../engine/values/go-json.ts';
import type { Domain, DomainTree } from './domains.ts';
import { anyJson, enumValues, type Fc, scalarValues, type Values } from './values.ts';

const MAX_ITEMS = 3;
/** About so many optional fields of one object are there at a time: most objects in clusters are small. */
const MAX_FIELDS = 6;
const NULL_WEIGHT = 6;
const ABSENT = Symbol('absent');

/** Values that a schema node allows, within what the rules that convert them take. Shrinking leaves fields out. */
export function valuesOf(fc: Fc, node: JsonObject, tree: DomainTree | undefined): Values {
  const base = { fc, node, values: plainValues(fc, node, tree), withKeys: withKeys(fc, node, tree) };
  const values = (tree?.domains ?? []).reduce<Values>(
    (inner, domain: Domain) => domain({ ...base, values: inner }),
    base.values,
  );
  if (getOwn(node, 'nullable') !== true) return values;
  return fc.oneof({ weight: 1, arbitrary: fc.constant<Json>(null) }, { weight: NULL_WEIGHT, arbitrary: values });
}

function plainValues(fc: Fc, node: JsonObject, tree: DomainTree | undefined): Values {
  const scalars = enumValues(fc, node) ?? scalarValues(fc, node);
  if (scalars !== undefined) return scalars;
  if (getOwn(node, 'type') === 'array') return lists(fc, node, tree);
  if (getOwn(node, 'type') === 'object' || propertiesOf(node) !== undefined) return objects(fc, node, tree);
  return anyJson(fc);
}

function lists(fc: Fc, node: JsonObject, tree: DomainTree | undefined): Values {
  const schema = itemsOf(node);
  const mapKeys = getOwn(node, 'x-kubernetes-list-map-keys');
  const keys = isArray(mapKeys) ? mapKeys.map(String) : [];
  const items = schema === undefined ? anyJson(fc) : valuesOf(fc, withRequired(schema, keys), tree?.items);
  const minLength = Number(getOwn(node, 'minItems') ?? 0);
  const size = {
    minLength,
    maxLength: Math.max(minLength, Math.min(Number(getOwn(node, 'maxItems') ?? MAX_ITEMS), MAX_ITEMS)),
  };
  const type = getOwn(node, 'x-kubernetes-list-type');
  if (type !== 'map' && type !== 'set' && getOwn(node, 'uniqueItems') !== true) return fc.array(items, size);
  const keyOf = (item: Json): Json =>
    type === 'map' && isObject(item) ? keys.map((key) => getOwn(item, key) ?? null) : item;
  return fc.uniqueArray(items, { ...size, selector: (item) => stringifyGoJson(keyOf(item)) });
}

function withRequired(node: JsonObject, keys: readonly string[]): JsonObject {
  if (keys.length === 0) return node;
  const required = getOwn(node, 'required');
  return { ...node, required: [...(isArray(required) ? required : []), ...keys] };
}

function objects(fc: Fc, node: JsonObject, tree: DomainTree | undefined): Values {
  const fields = declaredFields(fc, node, tree);
  if (getOwn(node, 'additionalProperties') === undefined && !keepsUnknown(node)) return fields;
  if (propertiesOf(node) === undefined) return withKeys(fc, node, tree)(['a', 'b', 'c']);
  return fc
    .tuple(fields, withKeys(fc, node, undefined)(['x-other']))
    .map(([declared, others]) => ({ ...(others as JsonObject), ...(declared as JsonObject) }));
}

function keepsUnknown(node: JsonObject): boolean {
  return getOwn(node, 'x-kubernetes-preserve-unknown-fields') === true;
}

/** Makes maps of a free-form node with some of the given keys. */
function withKeys(fc: Fc, node: JsonObject, tree: DomainTree | undefined): (keys: readonly string[]) => Values {
  const schema = getOwn(node, 'additionalProperties');
  const values = isObject(schema) ? valuesOf(fc, schema, tree?.items) : anyJson(fc);
  return (keys) => fc.tuple(...keys.map(() => optional(fc, values, 2))).map((made) => toObject(keys, made));
}

function declaredFields(fc: Fc, node: JsonObject, tree: DomainTree | undefined): Values {
  const properties = propertiesOf(node) ?? {};
  const embedded = getOwn(node, 'x-kubernetes-embedded-resource') === true;
  const keys = Object.keys(properties).filter((key) => isObject(properties[key]));
  const list = getOwn(node, 'required');
  const required = new Set(isArray(list) ? list.map(String) : []);
  // Apart, so that a long line of scalars does not keep objects away with all that is in them.
  const isDeep = (key: string) => propertiesOf(properties[key] as JsonObject) !== undefined;
  const deep = keys.filter(isDeep).length;
  const spreadOf = (count: number) => Math.max(2, Math.ceil(count / MAX_FIELDS) + 1);
  const fields = keys.map((key) => {
    const values = valuesOf(fc, properties[key] as JsonObject, tree?.fields.get(key));
    return required.has(key) ? values : optional(fc, values, spreadOf(isDeep(key) ? deep : keys.length - deep));
  });
  const head = embedded ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } : {};
  const most = Number(getOwn(node, 'maxProperties') ?? keys.length);
  if (most >= keys.length) return fc.tuple(...fields).map((made) => ({ ...toObject(keys, made), ...head }));
  return fc
    .tuple(fc.nat({ max: keys.length - 1 }), ...fields)
    .map(([first, ...made]) => withFewKeys(toObject(keys, made), first, most, required));
}

/** The object with at most so many keys: the required ones, and others from somewhere on. */
function withFewKeys(object: JsonObject, first: number, most: number, required: ReadonlySet<string>): JsonObject {
  const keys = Object.keys(object);
  const turned = [...keys.slice(first % (keys.length || 1)), ...keys.slice(0, first % (keys.length || 1))];
  const kept = [...turned.filter((key) => required.has(key)), ...turned.filter((key) => !required.has(key))];
  const few = new Set(kept.slice(0, most));
  return Object.fromEntries(Object.entries(object).filter(([key]) => few.has(key)));
}

/** There once in `spread` times; shrinks to absent. */
function optional(fc: Fc, values: Values, spread: number): Values<Json | typeof ABSENT> {
  const absent = { arbitrary: fc.constant<typeof ABSENT>(ABSENT), weight: spread - 1 };
  return fc.oneof({ withCrossShrink: true }, absent, { arbitrary: values, weight: 1 });
}

function toObject(keys: readonly string[], values: readonly (Json | typeof ABSENT)[]): JsonObject {
  const object: MutableObject = {};
  for (const [index, key] of keys.entries()) {
    const value = values[index];
    if (value !== undefined && value !== ABSENT) setOwn(object, key, value);
  }
  return object;
}
