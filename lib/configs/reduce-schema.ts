import { isArray, isObject, type Json, type JsonObject, type MutableObject, setOwn } from '../engine/json.ts';

/** Keywords for people only. Nothing in the engine reads them, and they are most of the bytes of a real CRD. */
const PROSE = new Set(['description', 'title', 'example', 'externalDocs']);
/** Keywords whose value is a map from a name of the author's choice to a schema. */
const MAPS = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);
/** Keywords whose value is a schema or a list of schemas. `additionalProperties` may also be a boolean. */
const SCHEMAS = new Set(['items', 'additionalProperties', 'additionalItems', 'not', 'allOf', 'anyOf', 'oneOf']);

/**
 * A schema without its prose, for the plan that instances load. A property that is *named* `description` stays, and
 * data in `default` or `enum` is not looked into.
 */
export function reduceSchema(schema: JsonObject): JsonObject {
  const reduced: MutableObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!PROSE.has(keyword)) setOwn(reduced, keyword, reduceKeyword(keyword, value));
  }
  return reduced;
}

function reduceKeyword(keyword: string, value: Json): Json {
  if (MAPS.has(keyword) && isObject(value)) {
    const map: MutableObject = {};
    for (const [name, schema] of Object.entries(value)) setOwn(map, name, reduceValue(schema));
    return map;
  }
  if (!SCHEMAS.has(keyword)) return value;
  return isArray(value) ? value.map(reduceValue) : reduceValue(value);
}

function reduceValue(schema: Json): Json {
  return isObject(schema) ? reduceSchema(schema) : schema;
}
