import { RuleError, show } from '../../conversion-error.ts';
import {
  getOwn,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  jsonEqual,
  jsonType,
  type MutableObject,
  setOwn,
} from '../../json.ts';
import { compareUtf8 } from '../../values/go-json.ts';
import { type Convert, nullable } from './mapping.ts';

/** `[{name: a, …}]` → `{a: {…}}`. A missing, non-string or repeated key is an error, never "first wins" (R32). */
export function toMap(keyField: string): Convert {
  return nullable((list) => {
    if (!isArray(list)) throw new RuleError(`expected an array, found ${jsonType(list)}`);
    const map: MutableObject = {};
    let sorted = true;
    let last = '';
    for (let index = 0; index < list.length; index++) {
      const item = list[index] as Json;
      const key = keyOf(item, keyField, index);
      if (Object.hasOwn(map, key)) throw repeatedKey(list, keyField, key, index);
      setOwn(map, key, without(item as JsonObject, keyField));
      if (key < last) sorted = false;
      last = key;
    }
    return sorted ? map : sortKeys(map);
  });
}

function sortKeys(map: JsonObject): JsonObject {
  const sorted: MutableObject = {};
  for (const key of sortedKeys(map)) setOwn(sorted, key, map[key] as Json);
  return sorted;
}

/** Keys in the order of their bytes; most maps have them so already, and looking is cheaper than sorting. */
function sortedKeys(map: JsonObject): string[] {
  const keys = Object.keys(map);
  for (let index = 1; index < keys.length; index++) {
    if (compareUtf8(keys[index - 1] as string, keys[index] as string) > 0) return keys.sort(compareUtf8);
  }
  return keys;
}

/** `{a: {…}}` → `[{name: a, …}]`, sorted by key. An entry that has another value under the key field is an error (D8). */
export function toList(keyField: string): Convert {
  return nullable((map) => {
    if (!isObject(map)) throw new RuleError(`expected an object, found ${jsonType(map)}`);
    const keys = sortedKeys(map);
    const list: Json[] = new Array(keys.length);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] as string;
      list[index] = toItem(key, map[key] as Json, keyField);
    }
    return list;
  });
}

function toItem(key: string, value: Json, keyField: string): JsonObject {
  if (!isObject(value)) throw new RuleError(`expected an object under each key, found ${jsonType(value)}`, `.${key}`);
  const own = getOwn(value, keyField);
  if (own !== undefined && !jsonEqual(own, key)) {
    throw new RuleError(`the entry has ${keyField}: ${show(own)}, but its key is ${show(key)}`, `.${key}`);
  }
  const item: MutableObject = {};
  setOwn(item, keyField, key);
  for (const name in value) {
    if (name === '__proto__') setOwn(item, name, value[name] as Json);
    else item[name] = value[name] as Json;
  }
  return item;
}

function keyOf(item: Json, keyField: string, index: number): string {
  if (!isObject(item)) throw new RuleError(`expected an object, found ${jsonType(item)}`, `[${index}]`);
  const key = getOwn(item, keyField);
  if (typeof key === 'string') return key;
  const what = key === undefined ? 'is missing' : `must be a string, found ${show(key)}`;
  throw new RuleError(`the key field ${keyField} ${what}`, `[${index}]`);
}

function repeatedKey(list: readonly Json[], keyField: string, key: string, index: number): RuleError {
  const before = list.findIndex((item) => isObject(item) && getOwn(item, keyField) === key);
  return new RuleError(`duplicate key ${show(key)} at indexes ${before} and ${index}`);
}

function without(item: JsonObject, keyField: string): JsonObject {
  const rest: MutableObject = {};
  for (const name in item) {
    if (name === keyField) continue;
    if (name === '__proto__') setOwn(rest, name, item[name] as Json);
    else rest[name] = item[name] as Json;
  }
  return rest;
}
