import { getOwn, isArray, isObject, type Json, type JsonObject, jsonEqual } from '../../engine/json.ts';
import type { DocumentPath } from '../../engine/values/path-text.ts';

/** A place where two objects differ; undefined is absent. */
export interface Difference {
  readonly path: DocumentPath;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** What an apiserver fills in or restores on its own. */
const IGNORED: readonly DocumentPath[] = [
  ['apiVersion'],
  ['kind'],
  ...['resourceVersion', 'uid', 'creationTimestamp', 'generation'].map((key) => ['metadata', key]),
];

/**
 * Where an object differs from what came back of it. Inside objects absent and null are equal, as for an apiserver;
 * lists of different lengths are one difference; `{}` is not absent, except with `emptyIsAbsent`. Every output has
 * metadata (R02), so an object that came without loses nothing by it.
 */
export function leafDiff(before: JsonObject, after: JsonObject, { emptyIsAbsent = false } = {}): Difference[] {
  const found: Difference[] = [];
  compare({ metadata: {}, ...before }, { metadata: {}, ...after }, [], { found, emptyIsAbsent });
  return found.filter(({ path }) => !IGNORED.some((ignored) => startsWith(path, ignored)));
}

interface Comparison {
  readonly found: Difference[];
  readonly emptyIsAbsent: boolean;
}

function compare(before: Json | undefined, after: Json | undefined, path: DocumentPath, into: Comparison): void {
  if (before === after) return;
  const { found, emptyIsAbsent } = into;
  const [left, right] = emptyIsAbsent ? [before ?? emptyAs(after), after ?? emptyAs(before)] : [before, after];
  if (isObject(left) && isObject(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    for (const key of [...keys].sort()) compare(getOwn(left, key), getOwn(right, key), [...path, key], into);
  } else if (isArray(before) && isArray(after) && before.length === after.length) {
    for (const [index, item] of before.entries()) compare(item, after[index], [...path, index], into);
  } else if (!jsonEqual(before ?? null, after ?? null)) {
    found.push({ path, before, after });
  }
}

/** What stands for the absent counterpart of a value: an empty object for an object. */
function emptyAs(other: Json | undefined): Json | undefined {
  return isObject(other) ? {} : undefined;
}

/** How many scalars an object holds, nulls included. */
export function countLeaves(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  const children = isArray(value) ? value : Object.values(value);
  return children.reduce<number>((sum, child) => sum + countLeaves(child), 0);
}

export function startsWith(path: DocumentPath, prefix: DocumentPath): boolean {
  return prefix.length <= path.length && prefix.every((segment, index) => path[index] === segment);
}
