import { isArray, isObject, type Json } from '../../engine/json.ts';
import { compareUtf8 } from '../../engine/values/go-json.ts';

/** The same value with the keys of every object in the order of their bytes. */
export function sortKeys<T extends Json>(value: T): T {
  if (isArray(value)) return value.map(sortKeys) as Json as T;
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort(compareUtf8);
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key] as Json)])) as T;
}
