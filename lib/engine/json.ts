/**
 * JSON values as the whole project handles them.
 *
 * Numbers: a `number` is any JSON number; a `bigint` is an integer outside ±(2^53−1) (to uint64), so integers stay
 * exact (D4). The form is canonical: a safe integer is never a bigint. Values are read-only: whoever changes one
 * copies the containers on the way (copy on write).
 */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** A container that its maker still fills; it becomes a {@link JsonObject} once it is handed on. */
export type MutableObject = Record<string, Json>;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Own property or undefined: inherited names (`constructor`, `toString`) are absent unless they are data. */
export function getOwn(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own property whatever its name: a plain assignment to `__proto__` would change the prototype instead. */
export function setOwn(object: MutableObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** The canonical form of an integer: `number` where that is exact, else `bigint`. */
export function canonicalInteger(value: bigint): number | bigint {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
}

/** Deep equality of JSON values; numbers compare by value, key order is free, types are strict (`"5"` is not `5`). */
export function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  // 1e16 is read as a double, 10000000000000000 as a bigint; the comparison between the two is exact.
  if (typeof a === 'bigint' || typeof b === 'bigint') return isNumeric(a) && isNumeric(b) && a >= b && a <= b;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]))
  );
}

/** Whether a value is another one with some object fields left out, as in a fragment. */
export function isPartOf(part: Json, whole: Json): boolean {
  if (isArray(part) && isArray(whole)) {
    return part.length === whole.length && part.every((item, index) => isPartOf(item, whole[index] as Json));
  }
  if (!isObject(part) || !isObject(whole)) return jsonEqual(part, whole);
  return Object.keys(part).every((key) => {
    const other = getOwn(whole, key);
    return other !== undefined && isPartOf(part[key] as Json, other);
  });
}

function isNumeric(value: Json | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** A deep copy; used where a plan's constant enters an output, so that no consumer can reach the plan. */
export function cloneJson<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneJson) as unknown as T;
  if (!isObject(value)) return value;
  const copy: MutableObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key] as Json));
  return copy as T;
}

/** About the length of a value's JSON, in characters. */
export function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  if (isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item) + 1, 2);
  if (!isObject(value)) return 5;
  return Object.keys(value).reduce((sum, key) => sum + key.length + 4 + sizeOf(value[key] as Json), 2);
}

/** The name of a value's JSON type, for messages. */
export function jsonType(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
