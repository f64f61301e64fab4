import { isArray, type Json, type JsonObject } from '../../json.ts';

/** The top-level dot. */
type Fields = ReadonlyMap<string, Json>;

/**
 * What an expression yields. A number is Go's int and Go's float64 in one: whole numbers count, index and print as
 * integers and are formatted as floats where a verb asks for it (D10). `undefined` is the entry that `index` did not find
 * in a map: it behaves as nil, but what fails because of it fails as `missing`.
 */
export type Value = Json | Fields | undefined;

export type MapValue = JsonObject | Fields;

export function isMap(value: Value): value is MapValue {
  return typeof value === 'object' && value !== null && !isArray(value as Json);
}

export function isList(value: Value): value is readonly Json[] {
  return Array.isArray(value);
}

export function isNil(value: Value): value is null | undefined {
  return value === null || value === undefined;
}

export function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

export function isWhole(value: Value): value is number | bigint {
  return typeof value === 'bigint' || Number.isInteger(value);
}

/** The entry of a map, undefined when it has none. */
export function entryOf(map: MapValue, key: string): Json | undefined {
  if (map instanceof Map) return map.get(key);
  return Object.hasOwn(map, key) ? (map as JsonObject)[key] : undefined;
}

/** The keys of a map in the order of their bytes, in which Go prints and ranges over maps. */
export function sortedKeys(map: MapValue): string[] {
  return (map instanceof Map ? [...map.keys()] : Object.keys(map)).sort(compareText);
}

/** Compares by code point, as Go compares the bytes; JavaScript's `<` puts U+10000 before U+E000. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return unitRank(left) - unitRank(right);
  }
  return a.length - b.length;
}

function unitRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The Go type that the peer's value has, as `%T` and wrong verbs print it. */
export function goType(value: Value): string {
  if (isNil(value)) return '<nil>';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return isList(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** A value's type for messages. */
export function typeName(value: Value): string {
  if (value === undefined) return 'an absent key';
  if (value === null) return 'null';
  if (isNumber(value)) return isWhole(value) ? 'a whole number' : 'a fraction';
  if (typeof value === 'object') return isList(value) ? 'a list' : 'a map';
  return `a ${typeof value}`;
}
