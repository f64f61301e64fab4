import { createHash } from 'node:crypto';
import type { ConversionSource } from '../engine/analyse.ts';
import { isArray, isObject, type Json, type JsonObject, type MutableObject, setOwn } from '../engine/json.ts';
import { parseJson, stringifyJson } from '../k8s/json.ts';
import { reduceSchema } from './reduce-schema.ts';

/** What instances load and compile, as text: everything that decides how objects are converted, and nothing else. */
export function renderPlanSource(source: ConversionSource): string {
  return stringifyJson(planJson(source));
}

/**
 * `sha256:<base64url>` over the plan source in canonical form: keys sorted at every depth. Two revisions with equal
 * hashes convert alike. (Peer: it hashes generation numbers, so the same content has many hashes.)
 */
export function hashPlanSource(source: ConversionSource): string {
  const canonical = stringifyJson(sortKeys(planJson(source)));
  return `sha256:${createHash('sha256').update(canonical).digest('base64url')}`;
}

/** Reads {@link renderPlanSource}'s text. Its content is judged by the analysis that follows, not here. */
export function parsePlanSource(text: string): ConversionSource {
  return parseJson(text) as unknown as ConversionSource;
}

function planJson({ hubVersion, versions, spokes, unmappedFieldPolicy = 'Error' }: ConversionSource): JsonObject {
  return {
    hubVersion,
    unmappedFieldPolicy,
    versions: versions.map(({ name, served, storage, schema }) => {
      return { name, served, storage, ...(schema && { schema: reduceSchema(schema) }) };
    }),
    spokes: spokes.map(({ version, rules }) => ({ version, rules })),
  };
}

function sortKeys(value: Json): Json {
  if (isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const sorted: MutableObject = {};
  for (const key of Object.keys(value).sort()) setOwn(sorted, key, sortKeys(value[key] as Json));
  return sorted;
}
