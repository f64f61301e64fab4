import { getOwn, isObject, type JsonObject } from './json.ts';
import { type Path, renderPath } from './path.ts';
import { itemsOf, propertiesOf, shapeOf } from './schema.ts';
import type { Place, Side } from './strategy.ts';

/**
 * What a manager of server-side apply can own: the whole of a scalar, of an atomic list or an atomic object, or else the
 * parts of an object, a map, a set or a keyed list (`x-kubernetes-map-type`, `x-kubernetes-list-type` of the CRD schema).
 * Where a field is owned in parts at one version and as a whole at the other, a part that a manager drops stays as long as
 * another manager applies at the version where it is one whole (measured on Kubernetes 1.36).
 */
export interface OwnershipFinding {
  readonly code: 'DROPPED_PART_STAYS';
  /** Where it is owned in parts. */
  readonly side: Side;
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

/** Paths of both sides that hold the same content. */
export type Pair = Readonly<Record<Side, readonly Path[]>>;

const MAX_DEPTH = 16;

/** Two places of which one becomes the other; what they hold is moved whole when both are alike. */
export function compareOwnership(hub: Place, spoke: Place, inside = true, depth = 0): OwnershipFinding[] {
  const [hubParts, spokeParts] = [hasParts(hub.node), hasParts(spoke.node)];
  if (hubParts && !spokeParts) return [finding('hub', hub, spoke)];
  if (spokeParts && !hubParts) return [finding('spoke', spoke, hub)];
  if (!hubParts || !inside || depth === MAX_DEPTH) return [];
  return childrenOf(hub).flatMap(({ key, place }) => {
    const other = childrenOf(spoke).find((candidate) => candidate.key === key);
    return other === undefined ? [] : compareOwnership(place, other.place, inside, depth + 1);
  });
}

/** Atomic objects of one side whose fields go to several places of the other. */
export function atomicFindings(roots: Readonly<Record<Side, JsonObject>>, pairs: () => Pair[]): OwnershipFinding[] {
  const wholes = { hub: wholesBelow(roots.hub, []), spoke: wholesBelow(roots.spoke, []) };
  // Hardly any schema has one, and every config is analysed at a cold start.
  if (wholes.hub.length + wholes.spoke.length === 0) return [];
  const all = pairs();
  return (['hub', 'spoke'] as const).flatMap((side) => {
    const other = side === 'hub' ? 'spoke' : 'hub';
    return wholes[side].flatMap((whole) => {
      const inside = all.filter((pair) => pair[side].some((path) => isBelow(path, whole)));
      const there = inside.flatMap((pair) => pair[other]);
      const parts = there.map((path) => renderPath(wholes[other].find((one) => isBelow(path, one))?.path ?? path));
      const distinct = [...new Set(parts)];
      if (distinct.length < 2) return [];
      const place = { text: renderPath(whole.path), node: whole.node };
      return [finding(other, { text: distinct.join(', '), node: {} }, place)];
    });
  });
}

interface Whole {
  readonly path: Path;
  readonly node: JsonObject;
}

/** The outermost objects that are owned as a whole. */
function wholesBelow(node: JsonObject, path: Path): Whole[] {
  if (isAtomicObject(node)) return [{ path, node }];
  return Object.entries(propertiesOf(node) ?? {}).flatMap(([key, child]) =>
    isObject(child) && getOwn(child, 'type') === 'object' ? wholesBelow(child, [...path, key]) : [],
  );
}

function isBelow(path: Path, whole: Whole): boolean {
  return path.length > whole.path.length && whole.path.every((segment, index) => segment === path[index]);
}

/** An object of one field is as that field: without it, it is gone. */
function hasParts(node: JsonObject): boolean {
  const { kind, opaque } = shapeOf(node);
  if (kind === 'array') return isKeyedList(node) || getOwn(node, 'x-kubernetes-list-type') === 'set';
  if (kind !== 'object' || isAtomicObject(node)) return false;
  if (opaque) return true;
  const fields = Object.values(propertiesOf(node) ?? {}).filter(isObject);
  return fields.length > 1 || fields.some(hasParts);
}

/** Whether managers can own items of a list by their key. */
export function isKeyedList(node: JsonObject): boolean {
  return getOwn(node, 'x-kubernetes-list-type') === 'map';
}

function isAtomicObject(node: JsonObject): boolean {
  return getOwn(node, 'x-kubernetes-map-type') === 'atomic';
}

function childrenOf({ node, text }: Place): { key: string; place: Place }[] {
  const items = itemsOf(node);
  if (items !== undefined) return isKeyedList(node) ? [{ key: '[]', place: { node: items, text: `${text}[]` } }] : [];
  const values = getOwn(node, 'additionalProperties');
  const below = isObject(values) ? [{ key: '.*', place: { node: values, text: `${text}.*` } }] : [];
  const fields = Object.entries(propertiesOf(node) ?? {}).flatMap(([key, field]) =>
    isObject(field) ? [{ key, place: { node: field, text: `${text}.${key}` } }] : [],
  );
  return [...fields, ...below];
}

function finding(side: Side, parts: Place, whole: Place): OwnershipFinding {
  const other = side === 'hub' ? 'spoke' : 'hub';
  const message = `what server-side apply drops of ${parts.text} at the ${side} stays while another manager applies at the ${other}, where ${whole.text} is one whole`;
  return { code: 'DROPPED_PART_STAYS', side, path: parts.text, message, hint: hintFor(parts, whole) };
}

/** The parts can be made one whole, or the whole be given parts, where a schema can say so. */
function hintFor(parts: Place, whole: Place): string {
  const kind = shapeOf(parts.node).kind;
  const ways = [
    ...(shapeOf(whole.node).kind === 'array' ? [`${whole.text} x-kubernetes-list-type: map`] : []),
    ...(isAtomicObject(whole.node) ? [`${whole.text} without x-kubernetes-map-type: atomic`] : []),
    ...(kind === 'array' ? [`${parts.text} x-kubernetes-list-type: atomic`] : []),
    ...(kind === 'object' ? [`${parts.text} x-kubernetes-map-type: atomic`] : []),
  ];
  return `declare ${ways.join(', or ')}`;
}
