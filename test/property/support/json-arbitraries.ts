import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../lib/engine/json.ts';
import type { Path } from '../../../lib/engine/path.ts';

/** Keys that code built on plain objects tends to lose, to sort elsewhere, or to find where there are none. */
export const HOSTILE_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'toJSON',
  'length',
  '0',
  '10',
  '',
  'a.b',
  'a/b~c',
  'é',
  '名前',
  '🙂',
  '\uffee',
] as const;

/** 2^53 is where doubles stop to tell integers apart; the others are the ends of int64 and uint64. */
const LARGE_INTEGERS = [
  9007199254740993n,
  -9007199254740993n,
  9223372036854775807n,
  -9223372036854775808n,
  18446744073709551615n,
];
const SMALL_INTEGERS = [0, 1, -1, 5, 300, 1000000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
const STRINGS = ['', 'a', 'null', '5', 'true', '{"a":1}', ' x ', '<&>\u2028', 'é🙂', 'web-1', '\u0000{}', '__proto__'];

export const hostileKeys = fc.constantFrom(...HOSTILE_KEYS);
export const keys: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom('k', 'name', 'size'), weight: 2 },
  { arbitrary: hostileKeys, weight: 1 },
);

export const booleans = fc.boolean();
export const integers: fc.Arbitrary<number | bigint> = fc.constantFrom(...SMALL_INTEGERS, ...LARGE_INTEGERS);
export const int64s = integers.filter((value) => value <= 9223372036854775807n);
const numbers: fc.Arbitrary<number | bigint> = fc.oneof(
  integers,
  fc.constantFrom(0.1, -2.5, 1e-7, 3.25, 1e19, 1e21, 1e300, -0.001),
);
export const strings: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...STRINGS),
  fc.string({ maxLength: 4, unit: 'binary' }),
);
export const scalars: fc.Arbitrary<Json> = fc.oneof(booleans, numbers, strings);

/** An object that has every given key as its own, `__proto__` too. The last of two equal keys wins. */
export function objectOf(entries: Iterable<readonly [string, Json]>): JsonObject {
  return Object.fromEntries(entries);
}

/** Small JSON values of every type; keys may be hostile. Depth at most 3. */
export const { json, map } = fc.letrec<{ json: Json; map: JsonObject; list: readonly Json[] }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { arbitrary: scalars, weight: 4 },
    { arbitrary: fc.constantFrom(null, false, 0, ''), weight: 2 },
    { arbitrary: tie('map'), weight: 1 },
    { arbitrary: tie('list'), weight: 1 },
  ),
  map: fc.array(fc.tuple(keys, tie('json')), { maxLength: 3 }).map(objectOf),
  list: fc.array(tie('json'), { maxLength: 2 }),
}));

export interface Typed {
  readonly node: JsonObject;
  readonly values: fc.Arbitrary<Json>;
}

export const OPEN_MAP: JsonObject = { type: 'object', additionalProperties: true };
export const FREE_FORM: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const TYPED: Readonly<Record<'string' | 'integer' | 'number' | 'boolean', Typed>> = {
  string: { node: { type: 'string' }, values: strings },
  integer: { node: { type: 'integer' }, values: integers },
  number: { node: { type: 'number' }, values: numbers },
  boolean: { node: { type: 'boolean' }, values: booleans },
};

/** Fields of all kinds, with values that fit them; null where a schema would say `nullable`. */
export const anyTyped: fc.Arbitrary<Typed> = fc.constantFrom(
  ...Object.values(TYPED),
  { node: OPEN_MAP, values: map },
  { node: FREE_FORM, values: map },
  { node: { type: 'array', items: { type: 'string' } }, values: fc.array(strings, { maxLength: 2 }) },
  { node: { type: 'array', items: OPEN_MAP }, values: fc.array(map, { maxLength: 2 }) },
  { node: { 'x-kubernetes-int-or-string': true }, values: fc.oneof(integers, strings) },
);

export function orNull(values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.oneof({ arbitrary: values, weight: 6 }, { arbitrary: fc.constant<Json>(null), weight: 1 });
}

/** A value at a path of an object that is being put together. */
export type Entry = readonly [Path, Json];

/** The value at a path, or nothing: absent. */
export function entryAt(path: Path, values: fc.Arbitrary<Json>): fc.Arbitrary<readonly Entry[]> {
  return fc.oneof(
    { arbitrary: values.map((value): readonly Entry[] => [[path, value]]), weight: 5 },
    { arbitrary: fc.constant<readonly Entry[]>([]), weight: 1 },
  );
}

export function allOf(...parts: readonly fc.Arbitrary<readonly Entry[]>[]): fc.Arbitrary<readonly Entry[]> {
  return fc.tuple(...parts).map((entries) => entries.flat());
}

export const NOTHING: fc.Arbitrary<readonly Entry[]> = fc.constant([]);
