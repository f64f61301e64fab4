import { getOwn, isObject, type JsonObject } from './json.ts';
import { isStructured, itemsOf, type Leaf, leavesOf, lookup, shapeOf } from './schema.ts';

const WELL_KNOWN = new Set(['apiVersion', 'kind', 'metadata']);
const MAX_DEPTH = 8;

/** At an object's root `apiVersion`, `kind` and `metadata` are nobody's to cover (D14). */
export function isWellKnown(path: readonly string[]): boolean {
  return WELL_KNOWN.has(path[0] ?? '');
}

/**
 * Fields inside array items or map values that one side of an identical leaf declares and the other does not, printed
 * like `spec.routes[].continue`. The values are copied whole, but an apiserver prunes what its schema does not know.
 */
export function innerDifferences(leaf: Leaf, hub: JsonObject, spoke: JsonObject): { hub: string[]; spoke: string[] } {
  const found = { hub: [] as string[], spoke: [] as string[] };
  const a = lookup(hub, leaf.path);
  const b = lookup(spoke, leaf.path);
  if ('node' in a && 'node' in b) compare(a.node, b.node, leaf.text, found, 0);
  return found;
}

function elementOf(node: JsonObject): { element: JsonObject; mark: string } | undefined {
  const items = itemsOf(node);
  if (items !== undefined) return { element: items, mark: '[]' };
  const values = getOwn(node, 'additionalProperties');
  return isObject(values) ? { element: values, mark: '.*' } : undefined;
}

function compare(
  hub: JsonObject,
  spoke: JsonObject,
  at: string,
  found: { hub: string[]; spoke: string[] },
  depth: number,
): void {
  const a = elementOf(hub);
  const b = elementOf(spoke);
  if (a === undefined || b === undefined || a.mark !== b.mark || depth > MAX_DEPTH) return;
  const prefix = `${at}${a.mark}`;
  if (!isStructured(a.element) || !isStructured(b.element)) {
    if (shapeOf(a.element).kind === shapeOf(b.element).kind) compare(a.element, b.element, prefix, found, depth + 1);
    return;
  }
  const spokeLeaves = new Map(leavesOf(b.element).map((leaf) => [leaf.text, leaf]));
  const hubLeaves = new Set<string>();
  for (const leaf of leavesOf(a.element)) {
    hubLeaves.add(leaf.text);
    if (!spokeLeaves.has(leaf.text)) found.hub.push(`${prefix}.${leaf.text}`);
    else compareLeaf(a.element, b.element, leaf, prefix, found, depth);
  }
  for (const text of spokeLeaves.keys()) if (!hubLeaves.has(text)) found.spoke.push(`${prefix}.${text}`);
}

function compareLeaf(
  hub: JsonObject,
  spoke: JsonObject,
  leaf: Leaf,
  prefix: string,
  found: { hub: string[]; spoke: string[] },
  depth: number,
): void {
  const a = lookup(hub, leaf.path);
  const b = lookup(spoke, leaf.path);
  if ('node' in a && 'node' in b) compare(a.node, b.node, `${prefix}.${leaf.text}`, found, depth + 1);
}
