import { isArray, isObject, type Json, type JsonObject } from '../../../engine/json.ts';
import type { DocumentPath } from '../../../engine/values/path-text.ts';
import { withoutPath } from '../schema-check.ts';

/** What names an object rather than describing it. */
const KEPT = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Takes fields and elements away, the largest first, as long as the object still shows the same. fast-check shrinks one
 * choice after another, and stops where only two together can go.
 */
export function withFewestFields(object: JsonObject, shows: (object: JsonObject) => boolean): JsonObject {
  for (const path of pathsOf(object, [])) {
    const smaller = withoutPath(object, path) as JsonObject;
    // What was below is tried again in the smaller object.
    if (shows(smaller)) return withFewestFields(smaller, shows);
  }
  return object;
}

/** Paths of all fields and elements, containers before what is in them. */
function pathsOf(value: Json, path: DocumentPath): DocumentPath[] {
  const children: [string | number, Json][] = isArray(value)
    ? value.map((item, index) => [index, item])
    : isObject(value)
      ? Object.entries(value).filter(([key]) => path.length > 0 || !KEPT.has(key))
      : [];
  return children.flatMap(([key, child]) => [[...path, key], ...pathsOf(child, [...path, key])]);
}
