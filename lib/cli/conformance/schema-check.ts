import { getOwn, isArray, isObject, type Json, type JsonObject, jsonType } from '../../engine/json.ts';
import { itemsOf } from '../../engine/schema.ts';
import { type DocumentPath, pathText } from '../../engine/values/path-text.ts';
import { showValue } from '../../engine/values/value-error.ts';
import { valueFaults } from './schema-values.ts';

/** What an apiserver would do about a place of an object at a version. */
export interface SchemaIssue {
  /** `pruned`: it drops the value. `schema-violation`: it refuses a write of the object. */
  readonly type: 'pruned' | 'schema-violation';
  readonly path: DocumentPath;
  readonly detail: string;
}

/** What Crossplane adds to the schemas of an XRD when it makes CRDs of it: below `spec` and below `status`. */
const CROSSPLANE: Readonly<Record<string, readonly string[]>> = {
  spec: [
    ...['claimRef', 'resourceRef', 'resourceRefs', 'environmentConfigRefs', 'crossplane'],
    ...['compositionRef', 'compositionSelector', 'compositionRevisionRef', 'compositionRevisionSelector'],
    ...['compositionUpdatePolicy', 'compositeDeletePolicy'],
    ...['publishConnectionDetailsTo', 'writeConnectionSecretToRef'],
  ],
  status: ['conditions', 'connectionDetails', 'claimConditionTypes', 'crossplane'],
};

interface Walk {
  readonly xrd: boolean;
  readonly found: SchemaIssue[];
}

/**
 * What an apiserver would prune from an object, or refuse about it, by the structural schema of its version (R52).
 * CEL rules of the schema (`x-kubernetes-validations`) are not evaluated, nor are most formats.
 */
export function checkSchema(schema: JsonObject, object: JsonObject, source: 'CRD' | 'XRD'): SchemaIssue[] {
  const walk: Walk = { xrd: source === 'XRD', found: [] };
  visit(schema, object, [], walk);
  return walk.found;
}

function visit(node: JsonObject, value: Json, path: DocumentPath, walk: Walk): void {
  if (value === null) {
    // An apiserver drops the null of a field that is not nullable, which is as good as absent; in a list it cannot.
    if (typeof path.at(-1) === 'number' && getOwn(node, 'nullable') !== true) refuse(walk, path, 'must not be null');
    return;
  }
  const fault = typeFault(node, value);
  if (fault !== undefined) {
    refuse(walk, path, fault);
    return;
  }
  for (const detail of valueFaults(node, value)) refuse(walk, path, detail);
  combinators(node, value, path, walk);
  if (isArray(value)) {
    const items = itemsOf(node);
    if (items !== undefined) for (const [index, item] of value.entries()) visit(items, item, [...path, index], walk);
  } else if (isObject(value)) {
    visitObject(node, value, path, walk);
  }
}

function visitObject(node: JsonObject, value: JsonObject, path: DocumentPath, walk: Walk): void {
  const declared = getOwn(node, 'properties');
  const properties = isObject(declared) ? declared : {};
  const others = getOwn(node, 'additionalProperties');
  const keepsUnknown = getOwn(node, 'x-kubernetes-preserve-unknown-fields') === true;
  const embedded = path.length === 0 || getOwn(node, 'x-kubernetes-embedded-resource') === true;
  for (const key of Object.keys(value)) {
    if (embedded && (key === 'apiVersion' || key === 'kind' || key === 'metadata')) continue;
    const child = getOwn(properties, key);
    const item = value[key] as Json;
    if (isObject(child)) visit(child, item, [...path, key], walk);
    else if (isObject(others)) visit(others, item, [...path, key], walk);
    else if (others !== true && !keepsUnknown && !isEmpty(item) && !isAddedByCrossplane([...path, key], walk)) {
      walk.found.push({ type: 'pruned', path: [...path, key], detail: `${showValue(item)} is not in the schema` });
    }
  }
  const required = getOwn(node, 'required');
  for (const key of isArray(required) ? required : []) {
    if (typeof key !== 'string' || (getOwn(value, key) ?? null) !== null) continue;
    const child = getOwn(properties, key);
    if (isObject(child) && (getOwn(child, 'default') !== undefined || mayBeNull(child, value, key))) continue;
    refuse(walk, [...path, key], 'is required');
  }
}

/** Nothing is lost with it. */
function isEmpty(value: Json): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

function mayBeNull(node: JsonObject, holder: JsonObject, key: string): boolean {
  return getOwn(node, 'nullable') === true && getOwn(holder, key) === null;
}

function isAddedByCrossplane(path: DocumentPath, { xrd }: Walk): boolean {
  const [root, key] = path.map(String);
  if (!xrd || path.length !== 2 || root === undefined || key === undefined) return false;
  return Object.hasOwn(CROSSPLANE, root) && CROSSPLANE[root]?.includes(key) === true;
}

/** Only the values of what stands under a combinator are judged: Kubernetes prunes by the properties outside of it. */
function combinators(node: JsonObject, value: Json, path: DocumentPath, walk: Walk): void {
  const holds = (schema: Json): boolean => {
    const inner: Walk = { xrd: walk.xrd, found: [] };
    if (isObject(schema)) visit(schema, value, path, inner);
    return inner.found.every(({ type }) => type === 'pruned');
  };
  const count = (name: string) => {
    const list = getOwn(node, name);
    return isArray(list) && list.length > 0 ? { holding: list.filter(holds).length, all: list.length } : undefined;
  };
  const [all, any, one] = [count('allOf'), count('anyOf'), count('oneOf')];
  if (all !== undefined && all.holding < all.all) refuse(walk, path, 'does not fit every schema of allOf');
  if (any !== undefined && any.holding === 0) refuse(walk, path, 'fits no schema of anyOf');
  if (one !== undefined && one.holding !== 1) refuse(walk, path, `fits ${one.holding} schemas of oneOf instead of one`);
  const not = getOwn(node, 'not');
  if (isObject(not) && holds(not)) refuse(walk, path, 'fits the schema under `not`');
}

function typeFault(node: JsonObject, value: Json): string | undefined {
  const found = jsonType(value);
  if (getOwn(node, 'x-kubernetes-int-or-string') === true) {
    return found === 'string' || isInteger(value) ? undefined : `must be an integer or a string, found ${found}`;
  }
  const type = getOwn(node, 'type');
  if (typeof type !== 'string' || type === found) return undefined;
  if (type === 'integer' && isInteger(value)) return undefined;
  const shown = found === 'object' || found === 'array' ? found : showValue(value);
  return `must be ${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}, found ${shown}`;
}

function isInteger(value: Json): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
}

function refuse({ found }: Walk, path: DocumentPath, detail: string): void {
  found.push({ type: 'schema-violation', path, detail });
}

/** What an apiserver would do, in words. */
export function issueText({ type, detail }: SchemaIssue, version: string): string {
  return `${version} would ${type === 'pruned' ? 'drop' : 'refuse'} it: ${detail}`;
}

/** Issues that another list has not, by place and kind. */
export function newIssues(found: readonly SchemaIssue[], known: readonly SchemaIssue[]): SchemaIssue[] {
  const keyOf = ({ type, path, detail }: SchemaIssue) => `${type} ${pathText(path)} ${detail}`;
  const before = new Set(known.map(keyOf));
  return found.filter((issue) => !before.has(keyOf(issue)));
}

/** The object without what its schema would prune; itself when there is nothing. */
export function prune(object: JsonObject, issues: readonly SchemaIssue[]): JsonObject {
  return issues
    .filter(({ type }) => type === 'pruned')
    .reduce<JsonObject>((rest, { path }) => withoutPath(rest, path) as JsonObject, object);
}

/** The value without what a path names; an element that goes moves those behind it. */
export function withoutPath(value: Json, [segment, ...rest]: DocumentPath): Json {
  if (segment === undefined) return value;
  const isLast = rest.length === 0;
  if (isArray(value)) {
    return value.flatMap((item, index) => (index !== segment ? [item] : isLast ? [] : [withoutPath(item, rest)]));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, item]): [string, Json][] => {
    if (key !== segment) return [[key, item]];
    return isLast ? [] : [[key, withoutPath(item, rest)]];
  });
  return Object.fromEntries(entries);
}
