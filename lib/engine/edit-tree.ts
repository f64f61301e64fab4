import { RuleError } from './conversion-error.ts';
import { isObject, type Json, type JsonObject, jsonType, type MutableObject, setOwn } from './json.ts';
import type { Path } from './path.ts';
import { KEEP, type Slots } from './strategy.ts';

/** Up to this many keys a scan is faster than a hash look-up. */
const SCAN_LIMIT = 8;

/**
 * What one direction changes, as a tree of keys. A conversion walks the source along this tree, copies the objects
 * that change and shares everything else (copy on write).
 */
export class EditNode {
  /** Leave out what the source has here: a rule moves it, or the other side does not know it. */
  drop = false;
  /** Index of the slot that is written here, or -1. */
  slot = -1;
  readonly keys: string[] = [];
  readonly children: EditNode[] = [];
  private readonly positions = new Map<string, number>();

  /** The node at a path, made when missing. */
  at(path: Path): EditNode {
    let node: EditNode = this;
    for (const key of path) {
      let position = node.positions.get(key);
      if (position === undefined) {
        position = node.keys.push(key) - 1;
        node.children.push(new EditNode());
        node.positions.set(key, position);
      }
      node = node.children[position] as EditNode;
    }
    return node;
  }

  /** Which of the node's keys this is, or -1. */
  positionOf(key: string): number {
    const { keys } = this;
    if (keys.length > SCAN_LIMIT) return this.positions.get(key) ?? -1;
    for (let position = 0; position < keys.length; position++) if (keys[position] === key) return position;
    return -1;
  }
}

/** The output for a whole object or a list's element: always an object, the source itself when nothing changes. */
export function applyEdits(root: EditNode, source: JsonObject, slots: Slots): JsonObject {
  return root.keys.length === 0 ? source : (editObject(root, source, slots) ?? {});
}

/** The output at one node, or undefined when it has none. */
function valueAt(node: EditNode, source: Json | undefined, slots: Slots): Json | undefined {
  const { keys, slot } = node;
  if (slot >= 0) {
    const value = slots[slot];
    if (value === KEEP) return source;
    if (value !== undefined || keys.length === 0) return value as Json | undefined;
  }
  const base = node.drop || slot >= 0 ? undefined : source;
  if (keys.length === 0) return base;
  if (isObject(base)) return editObject(node, base, slots);
  const written = writeAll(node, slots);
  if (written === undefined) return base;
  if (base === undefined || base === null) return written;
  const [key] = Object.keys(written);
  throw new RuleError(`cannot write "${key}" into ${jsonType(base)}: the object has no object there`);
}

/**
 * An object with its edits. One that became empty only because we took its last field is undefined; one that came in
 * empty stays (D5, R61). Keys that stay keep the source's order.
 */
function editObject(node: EditNode, source: JsonObject, slots: Slots): JsonObject | undefined {
  const { keys, children } = node;
  const values: (Json | undefined)[] = new Array(keys.length);
  let changed = false;
  let dropped = false;
  for (let position = 0; position < keys.length; position++) {
    const key = keys[position] as string;
    const before = Object.hasOwn(source, key) ? source[key] : undefined;
    const after = valueAt(children[position] as EditNode, before, slots);
    values[position] = after;
    if (after === before) continue;
    changed = true;
    if (after === undefined) dropped = true;
  }
  if (!changed) return source;
  return dropped ? copyExcept(node, source, values) : copyWith(keys, source, values);
}

/** Nothing is left out: a spread is the fastest copy. */
function copyWith(keys: readonly string[], source: JsonObject, values: readonly (Json | undefined)[]): JsonObject {
  const out: MutableObject = { ...source };
  for (let position = 0; position < keys.length; position++) {
    const value = values[position];
    if (value !== undefined) setOwn(out, keys[position] as string, value);
  }
  return out;
}

/** Something is left out: key by key, because `delete` would turn the copy into a slow dictionary. */
function copyExcept(node: EditNode, source: JsonObject, values: (Json | undefined)[]): JsonObject | undefined {
  const out: MutableObject = {};
  let empty = true;
  for (const key in source) {
    const position = node.positionOf(key);
    const value = position < 0 ? source[key] : values[position];
    if (value === undefined) continue;
    if (position >= 0) values[position] = undefined;
    empty = false;
    if (key === '__proto__') setOwn(out, key, value);
    else out[key] = value;
  }
  for (let position = 0; position < values.length; position++) {
    const value = values[position];
    if (value === undefined) continue;
    empty = false;
    setOwn(out, node.keys[position] as string, value);
  }
  return empty ? undefined : out;
}

/** What the rules write below a node where the source has no object. */
function writeAll(node: EditNode, slots: Slots): JsonObject | undefined {
  let out: MutableObject | undefined;
  for (let position = 0; position < node.keys.length; position++) {
    const value = valueAt(node.children[position] as EditNode, undefined, slots);
    if (value === undefined) continue;
    out ??= {};
    setOwn(out, node.keys[position] as string, value);
  }
  return out;
}
