import { getOwn, isArray, isObject, type Json } from '../../../engine/json.ts';
import type { DocumentPath } from '../../../engine/values/path-text.ts';

/** A value that is not looked into: a scalar, an empty container, or a list of scalars. */
export interface ValueLeaf {
  readonly path: DocumentPath;
  readonly value: Json;
}

export function valueLeaves(value: Json, path: DocumentPath = []): ValueLeaf[] {
  const entries: readonly (readonly [string | number, Json])[] = isArray(value)
    ? value.some((item) => typeof item === 'object' && item !== null)
      ? [...value.entries()]
      : []
    : isObject(value)
      ? Object.entries(value)
      : [];
  if (entries.length === 0) return [{ path, value }];
  return entries.flatMap(([key, item]) => valueLeaves(item, [...path, key]));
}

/** Whether one of two paths is, or lies below, the other. */
export function overlaps(a: DocumentPath, b: DocumentPath): boolean {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return false;
  return true;
}

export function valueAt(root: Json, path: DocumentPath): Json | undefined {
  let value: Json | undefined = root;
  for (const segment of path) {
    if (isArray(value)) value = value[Number(segment)];
    else value = isObject(value) ? getOwn(value, String(segment)) : undefined;
  }
  return value;
}

/** A copy without what is at a path. */
export function without(value: Json, [segment, ...rest]: DocumentPath): Json {
  if (segment === undefined) return value;
  if (isArray(value)) {
    return value.flatMap((item, index) => (index !== segment ? [item] : rest.length > 0 ? [without(item, rest)] : []));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, child]): [string, Json][] => {
    return key !== segment ? [[key, child]] : rest.length > 0 ? [[key, without(child, rest)]] : [];
  });
  return Object.fromEntries(entries);
}

/**
 * The keys that a printed path of the engine stands for in an object: a key of it may hold dots itself, as those of
 * annotations do. Undefined where the object has no such value.
 */
export function keysOf(object: Json | undefined, text: string): string[] | undefined {
  if (text === '') return [];
  if (!isObject(object)) return undefined;
  const parts = text.split('.');
  for (let length = 1; length <= parts.length; length++) {
    const key = parts.slice(0, length).join('.');
    const rest = keysOf(getOwn(object, key), parts.slice(length).join('.'));
    if (Object.hasOwn(object, key) && rest !== undefined) return [key, ...rest];
  }
  return undefined;
}
