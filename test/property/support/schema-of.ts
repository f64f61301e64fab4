import { getOwn, isObject, type JsonObject, type MutableObject, setOwn } from '../../../lib/engine/json.ts';
import type { Declaration } from './piece.ts';

/** The schema of an object with the given fields; their parents are plain objects. */
export function schemaOf(declarations: readonly Declaration[]): JsonObject {
  const root: MutableObject = { type: 'object', properties: {} };
  for (const [path, node] of declarations) {
    let at = root;
    for (const [index, segment] of path.entries()) {
      const properties = getOwn(at, 'properties') as MutableObject;
      if (index === path.length - 1) setOwn(properties, segment, node);
      else if (!isObject(getOwn(properties, segment))) setOwn(properties, segment, { type: 'object', properties: {} });
      at = getOwn(properties, segment) as MutableObject;
    }
  }
  return root;
}
