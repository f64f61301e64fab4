import { getOwn, isArray, isObject, type JsonObject } from './json.ts';
import { type Path, renderPath } from './path.ts';

/** One version of a CRD or XRD as the engine sees it; `schema` is its whole `openAPIV3Schema`, root included. */
export interface VersionSchema {
  readonly name: string;
  readonly served: boolean;
  /** `storage` of a CRD version, `referenceable` of an XRD version. */
  readonly storage: boolean;
  readonly schema?: JsonObject;
}

export type Kind = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'unknown';

/** What a schema node is for the engine: opaque nodes are copied whole, never looked into. */
export interface Shape {
  readonly kind: Kind;
  readonly opaque: boolean;
  /** The combinator that hides the structure, if one does. */
  readonly construct: string | undefined;
}

export interface Leaf extends Shape {
  readonly path: Path;
  readonly text: string;
}

const SCALARS = new Set(['string', 'integer', 'number', 'boolean']);
const CONSTRUCTS = ['$ref', 'oneOf', 'anyOf', 'allOf'] as const;

/**
 * Whether an object of properties has any: asked at each step of each path, and not cheap for the large ones, since
 * V8 collects all keys of a dictionary before the first is seen.
 */
const emptiness = new WeakMap<JsonObject, boolean>();

export function propertiesOf(node: JsonObject): JsonObject | undefined {
  const properties = getOwn(node, 'properties');
  if (!isObject(properties)) return undefined;
  let empty = emptiness.get(properties);
  if (empty === undefined) {
    empty = Object.keys(properties).length === 0;
    emptiness.set(properties, empty);
  }
  return empty ? undefined : properties;
}

/** The schema of an array's items, when there is exactly one. */
export function itemsOf(node: JsonObject): JsonObject | undefined {
  const items = getOwn(node, 'items');
  return isObject(items) ? items : undefined;
}

function constructOf(node: JsonObject): string | undefined {
  return CONSTRUCTS.find((name) => {
    const value = getOwn(node, name);
    return name === '$ref' ? typeof value === 'string' && value !== '' : isArray(value) && value.length > 0;
  });
}

/** Classifies a schema node (kinds and opacity of structural schemas; see `docs/compatibility.md` for the table). */
export function shapeOf(node: JsonObject): Shape {
  const construct = constructOf(node);
  const type = getOwn(node, 'type');
  if (getOwn(node, 'x-kubernetes-preserve-unknown-fields') === true) return { kind: 'object', opaque: true, construct };
  if (type === 'object') {
    const opaque = propertiesOf(node) === undefined && getOwn(node, 'additionalProperties') !== undefined;
    return { kind: 'object', opaque, construct };
  }
  if (type === 'array') return { kind: 'array', opaque: itemsOf(node) === undefined, construct };
  if (typeof type === 'string' && SCALARS.has(type)) return { kind: type as Kind, opaque: false, construct };
  return { kind: 'unknown', opaque: true, construct };
}

/** Whether the engine looks inside a node: an object with declared properties, neither opaque nor a combinator. */
export function isStructured(node: JsonObject): boolean {
  const { kind, opaque, construct } = shapeOf(node);
  return kind === 'object' && !opaque && construct === undefined && propertiesOf(node) !== undefined;
}

/** The node at `path`, walking `properties` only, or the reason why there is none. */
export function lookup(root: JsonObject, path: Path): { node: JsonObject } | { reason: string } {
  let node = root;
  for (const [index, segment] of path.entries()) {
    const properties = propertiesOf(node);
    const parent = index === 0 ? 'the root' : renderPath(path.slice(0, index));
    if (properties === undefined) return { reason: `${parent} declares no properties` };
    const child = getOwn(properties, segment);
    if (!isObject(child)) return { reason: `${parent} has no property "${segment}"` };
    node = child;
  }
  return { node };
}

/**
 * The leaves of a schema, in declaration order: scalars, arrays, opaque subtrees and combinators. An object declared
 * without properties is no leaf. Items of arrays are not looked into: a ForEach rule does that.
 */
export function leavesOf(root: JsonObject): Leaf[] {
  const leaves: Leaf[] = [];
  const walk = (node: JsonObject, path: readonly string[]): void => {
    const shape = shapeOf(node);
    if (shape.construct === undefined && !shape.opaque && shape.kind === 'object') {
      const properties = propertiesOf(node) ?? {};
      for (const key of Object.keys(properties)) {
        const child = properties[key];
        if (isObject(child)) walk(child, [...path, key]);
      }
      return;
    }
    leaves.push({ ...shape, opaque: shape.opaque || shape.construct !== undefined, path, text: renderPath(path) });
  };
  walk(root, []);
  return leaves;
}

/**
 * Structural identity: such a leaf is copied as it is, both ways. Items and enums are not compared (as in the peer).
 * A key with a dot prints like two keys and is none of them.
 */
export function identical(a: Leaf, b: Leaf): boolean {
  return a.path.length === b.path.length && a.kind === b.kind && a.opaque === b.opaque && a.construct === b.construct;
}

/** `maxItems` ≤ 1: taking the first element loses nothing. */
export function isSingleton(node: JsonObject): boolean {
  const maxItems = getOwn(node, 'maxItems');
  return typeof maxItems === 'number' && maxItems <= 1;
}

export function isScalarKind(kind: Kind): kind is ScalarKind {
  return SCALARS.has(kind);
}

export type ScalarKind = 'string' | 'integer' | 'number' | 'boolean';
