import { getOwn, isArray, isObject, type Json, type JsonObject, jsonEqual } from '../../engine/json.ts';
import { stringifyGoJson } from '../../engine/values/go-json.ts';
import { compileRegex, type Regex, RegexError } from '../../engine/values/regex.ts';
import { showValue } from '../../engine/values/value-error.ts';

type Check = (limit: Json, value: Json, node: JsonObject) => string | undefined;

const isNumber = (value: Json): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';
const lengthOf = (value: Json): number => (typeof value === 'string' ? [...value].length : 0);
const keysOf = (value: Json): number => (isObject(value) ? Object.keys(value).length : 0);
const itemsIn = (value: Json): number => (isArray(value) ? value.length : 0);

/** A check of a size that only values of one type have. */
function bound(applies: (value: Json) => boolean, sizeOf: (value: Json) => number, most: boolean, what: string): Check {
  return (limit, value) => {
    if (!applies(value) || typeof limit !== 'number') return undefined;
    const size = sizeOf(value);
    if (most ? size <= limit : size >= limit) return undefined;
    return `has ${size} ${what}, ${most ? 'at most' : 'at least'} ${limit} are allowed`;
  };
}

const isText = (value: Json): boolean => typeof value === 'string';

/** The keywords of a structural schema that judge a value alone. */
const CHECKS: Readonly<Record<string, Check>> = {
  enum: (allowed, value) =>
    isArray(allowed) && !allowed.some((item) => jsonEqual(item, value))
      ? `${showValue(value)} is not one of ${allowed.map(showValue).join(', ')}`
      : undefined,
  minimum: (limit, value, node) => {
    if (!isNumber(value) || !isNumber(limit)) return undefined;
    if (getOwn(node, 'exclusiveMinimum') === true) {
      return value > limit ? undefined : `${value} must be more than ${limit}`;
    }
    return value >= limit ? undefined : `${value} must be at least ${limit}`;
  },
  maximum: (limit, value, node) => {
    if (!isNumber(value) || !isNumber(limit)) return undefined;
    if (getOwn(node, 'exclusiveMaximum') === true) {
      return value < limit ? undefined : `${value} must be less than ${limit}`;
    }
    return value <= limit ? undefined : `${value} must be at most ${limit}`;
  },
  multipleOf: (factor, value) => {
    if (!isNumber(value) || !isNumber(factor)) return undefined;
    const steps = Number(value) / Number(factor);
    return Math.abs(steps - Math.round(steps)) < 1e-9 ? undefined : `${value} is no multiple of ${factor}`;
  },
  minLength: bound(isText, lengthOf, false, 'characters'),
  maxLength: bound(isText, lengthOf, true, 'characters'),
  minItems: bound(isArray, itemsIn, false, 'items'),
  maxItems: bound(isArray, itemsIn, true, 'items'),
  minProperties: bound(isObject, keysOf, false, 'keys'),
  maxProperties: bound(isObject, keysOf, true, 'keys'),
  pattern: (pattern, value) => {
    if (typeof pattern !== 'string' || typeof value !== 'string') return undefined;
    return matchesPattern(pattern, value) === false ? `${showValue(value)} does not match ${pattern}` : undefined;
  },
  format: (format, value) => {
    if (format === 'int32' && isNumber(value)) return fits(value, 31n) ? undefined : `${value} is no int32`;
    if (format === 'int64' && isNumber(value)) return fits(value, 63n) ? undefined : `${value} is no int64`;
    if (format !== 'date-time' || typeof value !== 'string') return undefined;
    return DATE_TIME.test(value) ? undefined : `${showValue(value)} is no date-time`;
  },
  'x-kubernetes-list-type': (type, value, node) => {
    if (!isArray(value) || (type !== 'map' && type !== 'set')) return undefined;
    const keys = getOwn(node, 'x-kubernetes-list-map-keys');
    const names = type === 'map' && isArray(keys) ? keys : undefined;
    const seen = new Set<string>();
    for (const item of value) {
      const key = stringifyGoJson(names === undefined ? item : mapKey(item, names));
      if (seen.has(key)) return `holds ${names === undefined ? 'an element' : `the key ${key}`} twice`;
      seen.add(key);
    }
    return undefined;
  },
};

/** RFC 3339. */
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Why a schema node refuses a value of its type, apart from what is inside the value. */
export function valueFaults(node: JsonObject, value: Json): string[] {
  return Object.keys(CHECKS).flatMap((keyword) => {
    const limit = getOwn(node, keyword);
    return (limit === undefined ? undefined : CHECKS[keyword]?.(limit, value, node)) ?? [];
  });
}

function fits(value: number | bigint, bits: bigint): boolean {
  return value >= -(2n ** bits) && value < 2n ** bits;
}

function mapKey(item: Json, names: readonly Json[]): Json {
  return names.map((name) => (isObject(item) ? (getOwn(item, String(name)) ?? null) : null));
}

const patterns = new Map<string, Regex | RegexError>();

/** Patterns are RE2, as in an apiserver: one that takes a backtracking matcher years takes no longer than another. */
function compilePattern(pattern: string): Regex | RegexError {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const compiled = orError(() => compileRegex(pattern));
  patterns.set(pattern, compiled);
  return compiled;
}

/** Whether a text matches a pattern; undefined where that cannot be said, for size or syntax. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const regex = compilePattern(pattern);
  if (regex instanceof RegexError) return undefined;
  const found = orError(() => regex.matches(text));
  return found instanceof RegexError ? undefined : found;
}

/** Why values are not checked against some patterns of a schema: one line for each such pattern. */
export function uncheckedPatterns(schema: Json | undefined): string[] {
  if (isArray(schema)) return schema.flatMap(uncheckedPatterns);
  if (!isObject(schema)) return [];
  const { pattern, default: _d, enum: _e, example: _x, ...rest } = schema;
  const regex = typeof pattern === 'string' ? compilePattern(pattern) : undefined;
  const below = [...Object.values(rest), ...(isObject(pattern) ? [pattern] : [])].flatMap(uncheckedPatterns);
  return [...new Set([...(regex instanceof RegexError ? [regex.message] : []), ...below])];
}

function orError<T>(run: () => T): T | RegexError {
  try {
    return run();
  } catch (error) {
    if (error instanceof RegexError) return error;
    throw error;
  }
}
