import { getOwn, isObject } from './json.ts';
import { isStructured, itemsOf, type Leaf, leavesOf, lookup, shapeOf } from './schema.ts';
import type { Place, Side } from './strategy.ts';

const WELL_KNOWN = new Set(['apiVersion', 'kind', 'metadata']);
const MAX_DEPTH = 8;

/** At an object's root `apiVersion`, `kind` and `metadata` are nobody's to cover (D14). */
export function isWellKnown(path: readonly string[]): boolean {
  return WELL_KNOWN.has(path[0] ?? '');
}

export interface InnerDifference {
  readonly side: Side;
  /** Like `spec.routes[].continue`. */
  readonly path: string;
  readonly what: string;
}

/**
 * What two places that are copied or moved whole declare differently inside: fields of list items, of map values, of a
 * container. The values are kept, but an apiserver prunes what its schema does not know, and refuses another type.
 */
export function innerDifferences(hub: Place, spoke: Place): InnerDifference[] {
  const found: InnerDifference[] = [];
  compare(hub, spoke, found, 0);
  return found;
}

function compare(hub: Place, spoke: Place, found: InnerDifference[], depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (isStructured(hub.node) && isStructured(spoke.node)) {
    compareFields(hub, spoke, found, depth);
    return;
  }
  const [a, b] = [shapeOf(hub.node).kind, shapeOf(spoke.node).kind];
  if (a !== b) {
    const known = a !== 'unknown' && b !== 'unknown';
    if (known) found.push({ side: 'hub', path: hub.text, what: `${a} on the hub, ${b} on the spoke` });
    return;
  }
  const [hubElement, spokeElement] = [elementOf(hub), elementOf(spoke)];
  if (hubElement !== undefined && spokeElement !== undefined) compare(hubElement, spokeElement, found, depth + 1);
}

/** The items of a list or the values of a map. */
function elementOf({ node, text }: Place): Place | undefined {
  const items = itemsOf(node);
  if (items !== undefined) return { node: items, text: `${text}[]` };
  const values = getOwn(node, 'additionalProperties');
  return isObject(values) ? { node: values, text: `${text}.*` } : undefined;
}

function compareFields(hub: Place, spoke: Place, found: InnerDifference[], depth: number): void {
  const spokeLeaves = new Map(leavesOf(spoke.node).map((leaf) => [leaf.text, leaf]));
  for (const leaf of leavesOf(hub.node)) {
    const other = spokeLeaves.get(leaf.text);
    spokeLeaves.delete(leaf.text);
    if (other === undefined) found.push({ side: 'hub', path: `${hub.text}.${leaf.text}`, what: 'hub only' });
    else compare(within(hub, leaf), within(spoke, other), found, depth + 1);
  }
  for (const text of spokeLeaves.keys())
    found.push({ side: 'spoke', path: `${spoke.text}.${text}`, what: 'spoke only' });
}

function within({ node, text }: Place, leaf: Leaf): Place {
  const found = lookup(node, leaf.path);
  return { node: 'node' in found ? found.node : {}, text: `${text}.${leaf.text}` };
}

/** The finding about such a difference, at its whole path. */
export function innerFinding(
  path: string,
  what: string,
): { code: string; path: string; message: string; hint: string } {
  return {
    code: 'ITEM_FIELD_UNCOVERED',
    path,
    message: `${path}: ${what}; its container is copied whole, and the apiserver prunes or refuses what it does not know`,
    hint: 'convert lists with a ForEach rule, containers with rules for their fields',
  };
}
