import { RuleError } from './conversion-error.ts';
import { isObject, type Json, type JsonObject, jsonType, type MutableObject, setOwn } from './json.ts';
import type { Path } from './path.ts';
import { KEEP, type Slots } from './strategy.ts';

/** Below this many keys a scan is faster than a hash look-up (measured: about 8). */
const SCAN_LIMIT = 8;

/**
 * What one direction changes, as a tree of keys. A conversion walks the source along this tree, copies the objects
 * that it meets and shares everything else (copy on write).
 */
export class EditNode {
  /** Leave out what the source has here: a rule moves it, or the other side does not know it. */
  drop = false;
  /** Index of the slot that is written here, or -1. */
  slot = -1;
  readonly keys: string[] = [];
  readonly children: EditNode[] = [];
  private readonly index = new Map<string, EditNode>();

  find(key: string): EditNode | undefined {
    if (this.keys.length > SCAN_LIMIT) return this.index.get(key);
    const position = this.keys.indexOf(key);
    return position < 0 ? undefined : this.children[position];
  }

  /** The node at a path, made when missing. */
  at(path: Path): EditNode {
    let node: EditNode = this;
    for (const key of path) {
      let child = node.index.get(key);
      if (child === undefined) {
        child = new EditNode();
        node.index.set(key, child);
        node.keys.push(key);
        node.children.push(child);
      }
      node = child;
    }
    return node;
  }
}

/** The output for the source's root: always an object. */
export function applyEdits(root: EditNode, source: JsonObject, slots: Slots): MutableObject {
  const out: MutableObject = {};
  copyUnedited(root, source, slots, out);
  writeMissing(root, source, slots, out);
  return out;
}

/** The output at one node, or undefined when it has none. */
function valueAt(node: EditNode, source: Json | undefined, slots: Slots): Json | undefined {
  if (node.slot >= 0) {
    const value = slots[node.slot];
    if (value === KEEP) return source;
    if (value !== undefined || node.keys.length === 0) return value as Json | undefined;
  }
  const base = node.drop || node.slot >= 0 ? undefined : source;
  if (node.keys.length === 0) return base;
  if (base === undefined || base === null) {
    const out: MutableObject = {};
    return writeMissing(node, undefined, slots, out) ? out : base;
  }
  return isObject(base) ? editedObject(node, base, slots) : keepContainer(node, base, slots);
}

/** An object that became empty because we took its last field goes; one that came in empty stays (D5, R61). */
function editedObject(node: EditNode, base: JsonObject, slots: Slots): JsonObject | undefined {
  const out: MutableObject = {};
  const kept = copyUnedited(node, base, slots, out);
  const written = writeMissing(node, base, slots, out);
  if (kept || written) return out;
  for (const key in base) if (Object.hasOwn(base, key)) return undefined;
  return base;
}

/** Copies the source's keys, each as its edit says, in the source's order. True if anything is in the output. */
function copyUnedited(node: EditNode, source: JsonObject, slots: Slots, out: MutableObject): boolean {
  let kept = false;
  for (const key in source) {
    const child = node.find(key);
    const value = child === undefined ? source[key] : valueAt(child, source[key], slots);
    if (value === undefined) continue;
    kept = true;
    if (key === '__proto__') setOwn(out, key, value);
    else out[key] = value;
  }
  return kept;
}

/** Writes the edited keys that the source does not have. True if anything was written. */
function writeMissing(node: EditNode, source: JsonObject | undefined, slots: Slots, out: MutableObject): boolean {
  let written = false;
  const { keys, children } = node;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (source !== undefined && Object.hasOwn(source, key)) continue;
    const value = valueAt(children[index] as EditNode, undefined, slots);
    if (value === undefined) continue;
    written = true;
    setOwn(out, key, value);
  }
  return written;
}

/** A value where the rules expect an object: kept when they write nothing below it, else an error. */
function keepContainer(node: EditNode, base: Json, slots: Slots): Json {
  const written: MutableObject = {};
  if (!writeMissing(node, undefined, slots, written)) return base;
  throw new RuleError(`cannot write "${Object.keys(written)[0]}" into ${jsonType(base)}: the object has no object there`);
}
