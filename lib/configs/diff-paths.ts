import { isArray, isObject, type Json, jsonEqual } from '../engine/json.ts';
import { type DocumentPath, pathText } from '../engine/values/path-text.ts';

/** The paths at which `after` does not have what `before` has; a changed list is one path. */
export function changedPaths(before: Json, after: Json | undefined, path: DocumentPath = []): string[] {
  if (jsonEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after) || isArray(before)) return [pathText(path)];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    const is = Object.hasOwn(after, key) ? after[key] : undefined;
    return was === undefined ? [pathText([...path, key])] : changedPaths(was, is, [...path, key]);
  });
}
