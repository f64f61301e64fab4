import {
  cloneJson,
  getOwn,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableObject,
  setOwn,
} from '../../../lib/engine/json.ts';
import type { Path } from '../../../lib/engine/path.ts';

/** JSON text in the value's own key order: equal bytes on the wire. */
export function bytesOf(value: Json): string {
  return write(value, (keys) => keys);
}

/** JSON text with sorted keys: equal for equal values, whatever the order of keys or the form of a number. */
export function canonical(value: Json): string {
  return write(value, (keys) => keys.sort());
}

/** JSON text with its keys in the order of their UTF-8 bytes, as Go writes it. */
export function goBytesOf(value: Json): string {
  return write(value, (keys) => keys.sort(byUtf8));
}

/** Compares as UTF-8 bytes, which is how Go sorts keys. */
export function byUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function write(value: Json, order: (keys: string[]) => string[]): string {
  if (isArray(value)) return `[${value.map((item) => write(item, order)).join(',')}]`;
  if (isObject(value)) {
    const entries = order(Object.keys(value)).map(
      (key) => `${JSON.stringify(key)}:${write(value[key] as Json, order)}`,
    );
    return `{${entries.join(',')}}`;
  }
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) {
    throw new Error(`${String(value)} is no JSON value`);
  }
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const scalars = (typeof a !== 'object' || a === null) && (typeof b !== 'object' || b === null);
  return (scalars && a === b) || canonical(a) === canonical(b);
}

export function deepFreeze<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) deepFreeze(child as Json);
    Object.freeze(value);
  }
  return value;
}

/** Changes every container below a value: whoever shares one of them sees it. */
export function vandalise(value: Json, seen = new Set<object>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const child of Object.values(value)) vandalise(child as Json, seen);
  if (Array.isArray(value)) {
    value.length = 0;
    value.push('vandalised');
    return;
  }
  for (const key of Object.keys(value)) delete (value as MutableObject)[key];
  (value as MutableObject)['vandalised'] = true;
}

/** The value at a path; list items are named by their index. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let at = value;
  for (const segment of path) {
    if (isArray(at)) at = at[Number(segment)];
    else if (isObject(at)) at = getOwn(at, segment);
    else return undefined;
  }
  return at;
}

/** Paths of all scalars, nulls, empty lists and empty objects. */
export function leavesIn(value: Json, path: Path = []): { path: Path; value: Json }[] {
  if (isArray(value) && value.length > 0)
    return value.flatMap((item, index) => leavesIn(item, [...path, String(index)]));
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.keys(value).flatMap((key) => leavesIn(value[key] as Json, [...path, key]));
  }
  return [{ path, value }];
}

/** Paths of all fields outside lists, parents first. */
export function fieldsIn(object: JsonObject, path: Path = []): Path[] {
  return Object.keys(object).flatMap((key) => {
    const child = object[key] as Json;
    const at = [...path, key];
    return isObject(child) ? [at, ...fieldsIn(child, at)] : [at];
  });
}

/** The object without the given fields; lists stay whole. */
export function without(object: JsonObject, paths: readonly Path[], at: Path = []): JsonObject {
  const kept: MutableObject = {};
  for (const key of Object.keys(object)) {
    const path = [...at, key];
    if (paths.some((removed) => removed.length === path.length && startsWith(path, removed))) continue;
    const child = object[key] as Json;
    setOwn(kept, key, isObject(child) ? without(child, paths, path) : child);
  }
  return kept;
}

export function startsWith(path: Path, prefix: Path): boolean {
  return prefix.length <= path.length && prefix.every((segment, index) => path[index] === segment);
}

/** Sets a copy of a value, making parents where there are none; a parent that is no object is replaced. */
export function put(object: MutableObject, path: Path, value: Json): void {
  let at = object;
  for (const segment of path.slice(0, -1)) {
    const child = getOwn(at, segment);
    if (!isObject(child)) setOwn(at, segment, {});
    at = getOwn(at, segment) as MutableObject;
  }
  setOwn(at, path.at(-1) as string, cloneJson(value));
}
