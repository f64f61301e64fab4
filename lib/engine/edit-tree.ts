import { isObject, type Json, type JsonObject, jsonType, type MutableObject, setOwn } from './json.ts';
import { type Path, renderPath } from './path.ts';
import { KEEP, type Slots } from './strategy.ts';

/** Up to this many keys a scan is faster than a hash look-up. */
const SCAN_LIMIT = 8;

/**
 * What one direction changes, as a tree of keys. A conversion walks the source along this tree, copies the objects
 * that change and shares everything else (copy on write).
 */
export class EditNode {
  readonly path: Path;
  /** Leave out what the source has here: a rule moves it, or the other side does not know it. */
  drop = false;
  /** Index of the slot that is written here, or -1. */
  slot = -1;
  readonly keys: string[] = [];
  readonly children: EditNode[] = [];
  private readonly positions = new Map<string, number>();

  constructor(path: Path = []) {
    this.path = path;
  }

  /** The node at a path, made when missing. */
  at(path: Path): EditNode {
    let node: EditNode = this;
    for (const key of path) {
      let position = node.positions.get(key);
      if (position === undefined) {
        position = node.keys.push(key) - 1;
        node.children.push(new EditNode([...node.path, key]));
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

  /** Only containers below: its keys are changed in place, hardly ever left out. */
  isPassage(): boolean {
    return this.children.every((child) => !child.drop && child.slot < 0);
  }
}

/** A value that cannot be written: on the way to its place the object has something that is no object. */
export class BlockedWrite extends Error {
  /** The slot that holds the value. */
  readonly slot: number;

  constructor(slot: number, message: string) {
    super(message);
    this.slot = slot;
  }
}

/** The output at a node for an object there; undefined when the object became empty only because we took its fields. */
type EditObject = (source: JsonObject, slots: Slots) => JsonObject | undefined;
/** The output at a node for whatever the source has there. */
type EditValue = (source: Json | undefined, slots: Slots) => Json | undefined;

/** Compiles the edits of a whole object or a list's element. The source itself comes back when nothing changes. */
export function compileEdits(root: EditNode): (source: JsonObject, slots: Slots) => JsonObject {
  if (root.keys.length === 0) return (source) => source;
  const edit = compileObject(root, root.children.map(compileValue));
  return (source, slots) => edit(source, slots) ?? {};
}

function compileObject(node: EditNode, edits: readonly EditValue[]): EditObject {
  return node.isPassage() ? compilePassage(node, edits) : compileFields(node, edits);
}

/** An object in which only containers change: one spread, which is the fastest copy, if any does. */
function compilePassage(node: EditNode, edits: readonly EditValue[]): EditObject {
  const { keys } = node;
  return (source, slots) => {
    let out: MutableObject | undefined;
    let emptied = false;
    for (let position = 0; position < keys.length; position++) {
      const key = keys[position] as string;
      const before = Object.hasOwn(source, key) ? source[key] : undefined;
      const after = (edits[position] as EditValue)(before, slots);
      if (after === before) continue;
      out ??= { ...source };
      // Each edit runs once: what became empty is marked here, and left out when all are known.
      if (after === undefined) emptied = true;
      setOwn(out, key, after as Json);
    }
    return emptied ? withoutUndefined(out as MutableObject) : (out ?? source);
  };
}

function withoutUndefined(marked: MutableObject): JsonObject | undefined {
  const out: MutableObject = {};
  let empty = true;
  for (const key in marked) {
    const value: Json | undefined = marked[key];
    if (value === undefined) continue;
    empty = false;
    setOwn(out, key, value);
  }
  return empty ? undefined : out;
}

/**
 * An object in which fields are left out: key by key, because `delete` would turn a copy into a slow dictionary. One
 * that came in empty stays (D5, R61). Keys that stay keep the source's order.
 */
function compileFields(node: EditNode, edits: readonly EditValue[]): EditObject {
  // What is only left out writes nothing where the source has nothing.
  const writers = node.children.flatMap((child, position) => {
    const writes = child.slot >= 0 || child.keys.length > 0;
    return writes ? [{ key: node.keys[position] as string, edit: edits[position] as EditValue }] : [];
  });
  const count = writers.length;
  return (source, slots) => {
    const out: MutableObject = {};
    let empty = true;
    let wasEmpty = true;
    for (const key in source) {
      wasEmpty = false;
      const position = node.positionOf(key);
      const value = position < 0 ? source[key] : (edits[position] as EditValue)(source[key], slots);
      if (value === undefined) continue;
      empty = false;
      if (key === '__proto__') setOwn(out, key, value);
      else out[key] = value;
    }
    for (let index = 0; index < count; index++) {
      const { key, edit } = writers[index] as (typeof writers)[number];
      if (Object.hasOwn(source, key)) continue;
      const value = edit(undefined, slots);
      if (value === undefined) continue;
      empty = false;
      setOwn(out, key, value);
    }
    return empty && !wasEmpty ? undefined : out;
  };
}

function compileValue(node: EditNode): EditValue {
  const { slot, drop } = node;
  if (node.keys.length === 0) return slot < 0 ? () => undefined : leaf(slot);
  const container = compileContainer(node);
  if (slot < 0) return drop ? (_source, slots) => container(undefined, slots) : container;
  return (source, slots) => {
    const value = slots[slot];
    if (value === KEEP) return source;
    return value === undefined ? container(undefined, slots) : (value as Json);
  };
}

function leaf(slot: number): EditValue {
  return (source, slots) => {
    const value = slots[slot];
    return value === KEEP ? source : (value as Json | undefined);
  };
}

/** Where the source has no object, one is made if something is written; null counts as absent then, and stays else. */
function compileContainer(node: EditNode): EditValue {
  const { keys } = node;
  const edits = node.children.map(compileValue);
  const edit = compileObject(node, edits);
  const writeAll = (slots: Slots): JsonObject | undefined => {
    let out: MutableObject | undefined;
    for (let position = 0; position < keys.length; position++) {
      const value = (edits[position] as EditValue)(undefined, slots);
      if (value === undefined) continue;
      out ??= {};
      setOwn(out, keys[position] as string, value);
    }
    return out;
  };
  return (source, slots) => {
    if (isObject(source)) return edit(source, slots);
    const written = writeAll(slots);
    if (written === undefined || source === undefined || source === null) return written ?? source;
    throw new BlockedWrite(writtenSlot(node, slots), `${renderPath(node.path)} is ${jsonType(source)}, not an object`);
  };
}

/** The first slot at or below a node that has a value to write. */
function writtenSlot(node: EditNode, slots: Slots): number {
  const value = node.slot < 0 ? undefined : slots[node.slot];
  if (value !== undefined && value !== KEEP) return node.slot;
  return node.children.map((child) => writtenSlot(child, slots)).find((slot) => slot >= 0) ?? -1;
}
