import { canonicalInteger, isArray, type Json, type JsonObject } from '../json.ts';
import { pathText } from './path-text.ts';

/** JSON that cannot be read, or a value that cannot be written; the message holds no more of the text than one token. */
export class JsonError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JsonError';
  }
}

export interface JsonLimits {
  /** How many containers may be nested in each other; 500 when absent. */
  readonly maxDepth?: number;
}

const MAX_DEPTH = 500;
const BYTE_ORDER_MARK = 0xfeff;
const INTEGER = /^-?\d+$/;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

// TypeScript's library does not know these two yet; Node has had them since 22.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: Json, context: { readonly source?: string }) => Json,
) => Json;
const parseWithSource = JSON.parse as ParseWithSource;

/**
 * Reads JSON text without losing a digit of an integer (R07): beyond ±(2^53−1), and to the ends of int64 and uint64, it
 * is a bigint. Other numbers, and integers longer than that, are the nearest double, as in a Kubernetes server. Of two
 * equal keys the last wins, as in `JSON.parse`; `__proto__` is a key like any other. A leading byte order mark is
 * skipped.
 *
 * @throws JsonError for malformed text, for a number beyond the range of a double (names its path), and for nesting
 * deeper than `maxDepth`.
 */
export function parseJson(text: string, { maxDepth = MAX_DEPTH }: JsonLimits = {}): Json {
  const body = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  const value = parseNative(body);
  if (!mayHaveLostDigits([value], 0, maxDepth)) return value;
  const exact = parseWithSource(body, (_key, item, { source }) =>
    typeof item === 'number' && source !== undefined ? exactNumber(source, item) : item,
  );
  refuseNonFinite(exact);
  return exact;
}

/**
 * Writes JSON text, integers with all their digits. Same value, same bytes: keys keep their order.
 *
 * @throws JsonError for a number that JSON cannot hold (NaN, Infinity): `JSON.stringify` would write `null`.
 */
export function stringifyJson(value: Json): string {
  try {
    const text = JSON.stringify(value);
    // Only a text with a null in it can hide a number that is none, so most values are walked once, by JSON.stringify.
    if (text.includes('null')) refuseNonFinite(value);
    return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  // The TypeError of a bigint. rawJSON needs a replacer, which is several times slower than none.
  refuseNonFinite(value);
  return JSON.stringify(value, (_key, item: Json) => (typeof item === 'bigint' ? rawJSON(item.toString()) : item));
}

/** The exact value of an integer's text where int64 or uint64 hold it; else `double`, its nearest double. */
export function exactNumber(source: string, double: number): number | bigint {
  if (Number.isSafeInteger(double) || !INTEGER.test(source) || source.length > '-9223372036854775808'.length)
    return double;
  const integer = BigInt(source);
  return integer < INT64_MIN || integer > UINT64_MAX ? double : canonicalInteger(integer);
}

function parseNative(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new JsonError(`not valid JSON: ${syntaxReason((error as SyntaxError).message)}`);
  }
}

/** V8's reason without the text that it quotes, which may hold a secret: `Unexpected token 'x', ..."word": x…` */
function syntaxReason(message: string): string {
  const token = /^Unexpected token '.+?'(?=, )/su.exec(message);
  if (token) return token[0];
  return message.startsWith('"') ? 'unexpected text' : message;
}

/**
 * Whether some number is beyond the safe integers: the sign of digits lost, or of 1e400, and the only reason to parse
 * again with sources (four times slower). Looking at the parsed numbers took 14 µs for a review of 27 KB that parses in
 * 130, and checks the depth too; a search of the text for long numbers took 20 to 60.
 */
function mayHaveLostDigits(container: JsonObject | readonly Json[], depth: number, maxDepth: number): boolean {
  if (depth > maxDepth) throw new JsonError(`the JSON is nested more than ${maxDepth} deep`);
  let lost = false;
  if (isArray(container)) {
    for (let index = 0; index < container.length; index++) {
      if (isLost(container[index] as Json, depth, maxDepth)) lost = true;
    }
  } else {
    for (const key in container) if (isLost(container[key] as Json, depth, maxDepth)) lost = true;
  }
  return lost;
}

function isLost(item: Json, depth: number, maxDepth: number): boolean {
  if (typeof item === 'object') return item !== null && mayHaveLostDigits(item, depth + 1, maxDepth);
  return typeof item === 'number' && !(item >= Number.MIN_SAFE_INTEGER && item <= Number.MAX_SAFE_INTEGER);
}

function refuseNonFinite(value: Json): void {
  const path = findNonFinite(value);
  if (path) throw new JsonError(`the number at ${pathText(path.reverse())} is beyond the range of a double`);
}

/** The path of the first number that is none, from the leaf to the root; built only once there is one. */
function findNonFinite(value: Json): (string | number)[] | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  const items = isArray(value) ? value : Object.values(value);
  for (let index = 0; index < items.length; index++) {
    const path = findNonFinite(items[index] as Json);
    if (!path) continue;
    path.push(isArray(value) ? index : (Object.keys(value)[index] as string));
    return path;
  }
  return undefined;
}
