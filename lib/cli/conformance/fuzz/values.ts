import type * as FastCheck from 'fast-check';
import { canonicalInteger, getOwn, isArray, type Json, type JsonObject } from '../../../engine/json.ts';
import { matchesPattern } from '../schema-values.ts';

/** fast-check, which is loaded on use. */
export type Fc = typeof FastCheck;
export type Values<T = Json> = FastCheck.Arbitrary<T>;

/** Texts that some reader takes for something else, or that code tends to lose. */
const TEXTS = ['a', 'b', 'web-1', '', 'true', '5', '0644', 'null', ' x ', 'a.b/c', 'é🙂', '{"a":1}', '1.50'];
const INTEGERS = [0, 1, -1, 2, 5, 300, 65536, 2 ** 31, 2 ** 53 - 1];
/** Beyond 2^53, where doubles stop to tell integers apart; the last is the end of int64. */
const LARGE_INTEGERS = [2n ** 53n + 1n, 2n ** 63n - 1n];
const NUMBERS = [0.5, -2.25, 0.1, 1e-7, 3.75];

/** Scalars of a schema node, by its type, format and bounds. What it says beyond that is checked afterwards. */
export function scalarValues(fc: Fc, node: JsonObject): Values | undefined {
  if (getOwn(node, 'x-kubernetes-int-or-string') === true) {
    return fc.oneof<Values[]>(integers(fc, {}), fc.constantFrom('25%', '80', 'http'));
  }
  switch (getOwn(node, 'type')) {
    case 'string':
      return texts(fc, node);
    case 'integer':
      return integers(fc, node);
    case 'number':
      return fc.oneof<Values[]>(integers(fc, { ...node, format: 'int32' }), within(fc, NUMBERS, node));
    case 'boolean':
      return fc.boolean();
    default:
      return undefined;
  }
}

function integers(fc: Fc, node: JsonObject): Values<number | bigint> {
  const step = Number(getOwn(node, 'multipleOf') ?? 1) || 1;
  const [low, high] = boundsOf(node);
  const [from, to] = [
    Math.ceil(Math.max(low, -1000) / step),
    Math.floor(Math.min(high, Math.max(low, 0) + 1000) / step),
  ];
  const small = fc.integer({ min: from, max: Math.max(from, to) }).map((count) => count * step);
  const special = [...INTEGERS, ...(getOwn(node, 'format') === 'int32' ? [] : LARGE_INTEGERS.map(canonicalInteger))];
  const allowed = special.filter((value) => value >= low && value <= high && Number(value) % step === 0);
  if (allowed.length === 0) return small;
  return fc.oneof<Values<number | bigint>[]>(small, fc.constantFrom(...allowed));
}

function within(fc: Fc, numbers: readonly number[], node: JsonObject): Values<number> {
  const [low, high] = boundsOf(node);
  const middle = Math.max(low, Math.min(high, 0));
  return fc.constantFrom(middle, ...numbers.filter((value) => value >= low && value <= high));
}

function boundsOf(node: JsonObject): [number, number] {
  const [low, high] = [getOwn(node, 'minimum'), getOwn(node, 'maximum')].map((limit) =>
    limit === undefined ? undefined : Number(limit),
  );
  const int32 = getOwn(node, 'format') === 'int32';
  return [
    (low ?? (int32 ? -(2 ** 31) : -(2 ** 63))) + (getOwn(node, 'exclusiveMinimum') === true ? 1 : 0),
    (high ?? (int32 ? 2 ** 31 - 1 : 2 ** 63)) - (getOwn(node, 'exclusiveMaximum') === true ? 1 : 0),
  ];
}

/** Texts of the formats that an apiserver checks and objects are likely to have. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.5+02:00'],
  date: ['2024-02-29', '1970-01-01'],
  duration: ['5m0s', '1h30m', '90s'],
  uuid: ['00000000-0000-4000-8000-000000000000', '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  byte: ['', 'aGVsbG8='],
  ipv4: ['10.0.0.1', '192.168.1.1'],
  ipv6: ['::1', '2001:db8::1'],
  cidr: ['10.0.0.0/8', '192.168.0.0/16'],
  uri: ['https://example.org/a', 'http://localhost:8080'],
  hostname: ['example.org', 'a.example.org'],
  email: ['a@example.org', 'b@example.org'],
};

function texts(fc: Fc, node: JsonObject): Values<string> {
  const format = String(getOwn(node, 'format'));
  if (Object.hasOwn(FORMATS, format)) return fc.constantFrom(...(FORMATS[format] ?? []));
  const pattern = getOwn(node, 'pattern');
  const patterned = typeof pattern === 'string' ? textsMatching(fc, pattern) : undefined;
  if (patterned !== undefined) return patterned;
  const minLength = Number(getOwn(node, 'minLength') ?? 0);
  const maxLength = Number(getOwn(node, 'maxLength') ?? Math.max(8, minLength));
  const special = TEXTS.filter((text) => [...text].length >= minLength && [...text].length <= maxLength);
  const random = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 8) });
  return special.length === 0 ? random : fc.oneof({ arbitrary: fc.constantFrom(...special), weight: 2 }, random);
}

/** Reading a pattern backwards takes fast-check some milliseconds, and large schemas have a few patterns everywhere. */
const matching = new Map<string, Values<string> | undefined>();

/** Texts that match a pattern; undefined for one that cannot be read backwards. */
export function textsMatching(fc: Fc, pattern: string): Values<string> | undefined {
  if (!matching.has(pattern)) matching.set(pattern, readBackwards(fc, pattern));
  return matching.get(pattern);
}

function readBackwards(fc: Fc, pattern: string): Values<string> | undefined {
  const source = asHostSyntax(pattern);
  for (const flags of ['u', '']) {
    try {
      const texts = fc.stringMatching(new RegExp(source, flags), { maxLength: 64 });
      return kept(fc, texts, (text) => matchesPattern(pattern, text) !== false);
    } catch {}
  }
  return undefined;
}

/** What RE2 writes in another way than the host, as far as schemas have it; RE2 judges the texts that come of it. */
function asHostSyntax(pattern: string): string {
  return pattern
    .replaceAll('(?P<', '(?<')
    .replaceAll('[:alpha:]', 'a-zA-Z')
    .replaceAll('[:digit:]', '0-9')
    .replaceAll('[:alnum:]', '0-9a-zA-Z')
    .replaceAll('[:lower:]', 'a-z')
    .replaceAll('[:upper:]', 'A-Z')
    .replace(/\\A|\\z/g, (anchor) => (anchor === '\\A' ? '^' : '$'));
}

/** Of so many values one in twenty must be good: fast-check looks for a good one until it has it. */
const TRIED = 200;

/** Values that are good; undefined where too few are. */
export function kept<T>(fc: Fc, values: Values<T>, isGood: (value: T) => boolean): Values<T> | undefined {
  const good = fc.sample(values, { numRuns: TRIED, seed: 1 }).filter(isGood).length;
  return good * 20 < TRIED ? undefined : values.filter(isGood);
}

/** Small JSON of any type, for where a schema allows everything. */
export function anyJson(fc: Fc): Values {
  const scalar = fc.oneof<Values[]>(fc.constantFrom('a', 'b', ''), fc.integer({ min: -9, max: 9 }), fc.boolean());
  const map = fc.dictionary(fc.constantFrom('a', 'b', 'c'), scalar, { maxKeys: 2, noNullPrototype: true });
  return fc.oneof<Values[]>(scalar, fc.array(scalar, { maxLength: 2 }), map);
}

/** The values of a schema's `enum`. */
export function enumValues(fc: Fc, node: JsonObject): Values | undefined {
  const allowed = getOwn(node, 'enum');
  const values = isArray(allowed) ? allowed.filter((value) => value !== null) : [];
  return values.length === 0 ? undefined : fc.constantFrom(...values);
}
