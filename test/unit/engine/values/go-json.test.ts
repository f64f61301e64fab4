import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, jsonEqual } from '../../../../lib/engine/json.ts';
import { compareUtf8, stringifyGoJson } from '../../../../lib/engine/values/go-json.ts';
import { ValueError } from '../../../../lib/engine/values/value-error.ts';
import table from './go-json.golden.json' with { type: 'json' };
import numbers from './number-text.golden.json' with { type: 'json' };

/** Made with Go 1.26: a JSON text, and what `encoding/json` prints after decoding it. */
const golden = table as unknown as [input: string, output: string][];

describe('stringifyGoJson agrees with Go', () => {
  test.each(golden)('%s', (input, output) => expect(stringifyGoJson(JSON.parse(input))).toBe(output));

  test.each(numbers.format as unknown as [string, string, string][])('the double %s', (_, __, json) => {
    expect(stringifyGoJson(Number(json))).toBe(json);
  });
});

describe('stringifyGoJson beyond what the peer can hold', () => {
  test.each<[string, Json, string]>([
    ['exact integers', [9007199254740993n, -9223372036854775808n], '[9007199254740993,-9223372036854775808]'],
    ['half a surrogate pair', '\ud800a\udc00😀\ufffd', '"\\ufffda\\ufffd😀\ufffd"'],
    ['half a surrogate pair beside an escape', '<\ud83d', '"\\u003c\\ufffd"'],
    ['a text that looks like an escape', '\\ud800', '"\\\\ud800"'],
  ])('%s', (_, value, text) => expect(stringifyGoJson(value)).toBe(text));

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('%s is an error, however deep', (value) => {
    expect(() => stringifyGoJson({ a: [value] })).toThrow(new ValueError(`value ${value} is not a finite number`));
  });

  test('nesting is bounded', () => {
    const nest = (depth: number): Json => {
      let value: Json = [];
      for (let level = 1; level < depth; level++) value = level % 2 ? { a: value } : [value];
      return value;
    };
    expect(stringifyGoJson(nest(1000))).toHaveLength(1000 * 2 + 500 * 4);
    for (const depth of [1002, 100_000]) {
      expect(() => stringifyGoJson(nest(depth))).toThrow(new ValueError('value is nested deeper than 1000 levels'));
    }
  });

  test('own keys named like prototype members are data', () => {
    const value = JSON.parse('{"toString":1,"__proto__":{"x":1}}');
    expect(stringifyGoJson(value)).toBe('{"__proto__":{"x":1},"toString":1}');
  });

  test('it is JSON: parsing gives the value back, and the same value gives the same text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const text = stringifyGoJson(value as Json);
        const parsed = JSON.parse(text);
        expect(jsonEqual(parsed, value as Json)).toBe(true);
        expect(stringifyGoJson(parsed)).toBe(text);
        expect(text).not.toMatch(/[<>&\u2028\u2029]/);
      }),
    );
  });
});

describe('compareUtf8', () => {
  const bytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

  test.each([
    ['', 'a'],
    ['a', 'ab'],
    ['B', 'a'],
    ['10', '9'],
    ['z', 'é'],
    ['\ud7ff', '\ue000'],
    ['\uffff', '😀'],
    ['\ue000', '\u{10000}'],
    ['a\uffff', 'a😀'],
    ['😀', '😁'],
  ])('%j comes before %j', (before, after) => {
    expect(compareUtf8(before, after)).toBeLessThan(0);
    expect(compareUtf8(after, before)).toBeGreaterThan(0);
    expect(bytes(before, after)).toBe(-1);
  });

  test('it orders as the bytes do', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom('a', '\ue000', '\uffff', '😀'), fc.string({ unit: 'binary' })),
    });
    fc.assert(fc.property(text, text, (a, b) => Math.sign(compareUtf8(a, b)) === bytes(a, b)));
  });
});
