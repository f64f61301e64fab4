import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Json, type JsonObject, jsonEqual } from '../../../../../lib/engine/json.ts';
import { compileCel } from '../../../../../lib/engine/values/cel/cel.ts';

const key = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('__proto__', 'constructor', 'prototype', 'n', ''));
const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
  fc.string(),
  fc.string({ unit: 'grapheme' }),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('json')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries) as JsonObject),
  ),
}));

/** Ways to take a value from the object and hand it on. */
const EXPRESSIONS = [
  'object.v',
  'object["v"]',
  '[object.v][0]',
  '{"a": object.v}.a',
  '[object.v].map(x, x)[0]',
  '[object.v].filter(x, true)[0]',
  '(has(object.v) ? object.v : "no")',
  'dyn(object.v)',
].map((expression) => `{"x": ${expression}}`);

test.each(
  (['integer', 'number', 'object', undefined] as const).flatMap((type) =>
    EXPRESSIONS.map((expression) => [type ?? 'nothing', expression] as const),
  ),
)('a value declared as %s comes out of %s as it went in', (type, expression) => {
  const declared: JsonObject = { type, items: { type }, additionalProperties: { type } };
  const program = compileCel(expression, { properties: { v: declared } });
  fc.assert(
    fc.property(json, (v) => {
      const object = deepFreeze({ v });
      expect(jsonEqual(program.evaluate(object)['x'], byValue(v, type))).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('the items of lists and the values of maps come out as they went in', () => {
  const program = compileCel('{"list": object.list.map(x, x), "keys": object.map.map(key, key)}', undefined);
  fc.assert(
    fc.property(fc.array(json), fc.dictionary(key, json), (list, map) => {
      const result = program.evaluate(deepFreeze({ list, map }));
      expect(jsonEqual(result['list'], list)).toBe(true);
      expect(result['keys']).toEqual(Object.keys(map));
    }),
  );
});

/** A scalar in an integer field is an int even when it was written as `1e17`: the same value, in canonical form. */
function byValue(v: Json, type: string): Json {
  const int = type === 'integer' && typeof v === 'number' && Number.isInteger(v) && Math.abs(v) < 2 ** 63;
  return int && !Number.isSafeInteger(v) ? BigInt(v) : v;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
