import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../lib/engine/json.ts';
import { JsonError, parseJson, stringifyJson } from '../../../lib/k8s/json.ts';

describe('parseJson', () => {
  test.each<[string, Json]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', 18446744073709551615n],
    ['1234567890123456', 1234567890123456],
  ])('keeps every digit of %s', (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] });
    expect(stringifyJson(parseJson(`{"a":[${text}]}`))).toBe(`{"a":[${text}]}`);
  });

  test.each<[string, number]>([
    ['1.0', 1],
    ['1e3', 1000],
    ['0.10', 0.1],
    ['-0', -0],
    ['1e21', 1e21],
    ['9007199254740993.0', 9007199254740992],
    ['1e-400', 0],
  ])('reads %s, which is no integer text, as its double', (text, value) => {
    expect(parseJson(`[9007199254740993,${text}]`)).toEqual([9007199254740993n, value]);
    expect(parseJson(text)).toBe(value);
  });

  test.each(['18446744073709551616', '-9223372036854775809', `1${'0'.repeat(300)}`])(
    'reads the integer %s, which neither int64 nor uint64 holds, as its double',
    (text) => expect(parseJson(`[${text}]`)).toEqual([Number(text)]),
  );

  test('keeps all numbers of the untouched-numbers case (C03)', () => {
    const text =
      '{"spec":{"id":9007199254740993,"max":18446744073709551615,"min":-9223372036854775808,"ratio":1.0,"step":0.10,"big":1e21,"count":1000000}}';
    expect(stringifyJson(parseJson(text))).toBe(
      text.replace('1.0', '1').replace('0.10', '0.1').replace('1e21', '1e+21'),
    );
  });

  test.each([
    ['{"spec":{"big":1E400}}', 'spec.big'],
    ['{"spec":{"list":[1,{"x":-1e999}]}}', 'spec.list[1].x'],
    [`{"a.b":${'9'.repeat(400)}}`, '["a.b"]'],
    ['1e400', '(root)'],
  ])('refuses a number beyond the range of a double by its path: %s', (text, path) => {
    expect(() => parseJson(text)).toThrow(new JsonError(`the number at ${path} is beyond the range of a double`));
  });

  test.each(['{"a":1}', '{"n":9007199254740993}'])('skips a byte order mark before %s', (text) => {
    expect(parseJson(`\ufeff${text}`)).toEqual(parseJson(text));
  });

  test.each(['', ',"n":9007199254740993'])('keeps prototype names as ordinary keys (C04)%s', (more) => {
    const text = `{"__proto__":{"polluted":1},"constructor":"a","prototype":"c"${more}}`;
    const value = parseJson(text);
    expect(Object.keys(value as object).slice(0, 3)).toEqual(['__proto__', 'constructor', 'prototype']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(stringifyJson(value)).toBe(text);
  });

  test('lets the last of two equal keys win, as JSON.parse does', () => {
    expect(parseJson('{"a":1,"a":9007199254740993}')).toEqual({ a: 9007199254740993n });
  });

  test.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('takes %s nested 500 deep and refuses 501', (_kind, open, close) => {
    const nested = (depth: number) => `${open.repeat(depth)}${open === '[' ? '' : '1'}${close.repeat(depth)}`;
    expect(() => parseJson(nested(500))).not.toThrow();
    expect(() => parseJson(nested(501))).toThrow(new JsonError('the JSON is nested more than 500 deep'));
    expect(() => parseJson(nested(1_000_000))).toThrow(JsonError);
    expect(() => parseJson(nested(3), { maxDepth: 2 })).toThrow(new JsonError('the JSON is nested more than 2 deep'));
  });

  test('counts depth, not containers', () => {
    expect(parseJson(`[${'[],{},'.repeat(2000)}0]`)).toHaveLength(4001);
  });

  test.each([
    'not json',
    '',
    '{',
    '{"password":"hunter2","p": nope}',
    '{"password":"hunter2"x}',
    '{"a" "hunter2"}',
    'undefined',
    '[01]',
    '"\n"',
    "{'hunter2': 1}",
  ])('answers malformed text %j with a reason that quotes none of it', (text) => {
    expect(() => parseJson(text)).toThrow(JsonError);
    expect(() => parseJson(text)).toThrow(/^not valid JSON: [A-Z u]/);
    expect(() => parseJson(text)).not.toThrow(/hunter2/);
  });
});

describe('stringifyJson', () => {
  test('writes bigints beside everything else, in the order of the keys', () => {
    const value: Json = { b: [1n << 63n, null, 'x', 1.5, true], a: { z: 9007199254740993n, y: {} } };
    expect(stringifyJson(value)).toBe(
      '{"b":[9223372036854775808,null,"x",1.5,true],"a":{"z":9007199254740993,"y":{}}}',
    );
    expect(stringifyJson(9007199254740993n)).toBe('9007199254740993');
  });

  test('takes text that mentions null', () => {
    expect(stringifyJson({ a: null, b: 'null' })).toBe('{"a":null,"b":"null"}');
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'refuses %d instead of writing null',
    (x) => {
      const message = 'the number at a[1].b is beyond the range of a double';
      expect(() => stringifyJson({ a: [null, { b: x }] })).toThrow(new JsonError(message));
      expect(() => stringifyJson({ a: [1n << 63n, { b: x }] })).toThrow(new JsonError(message));
    },
  );

  test('is the inverse of parseJson, byte for byte', () => {
    const leaf = fc.oneof(
      fc.string(),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((x) => Number.isSafeInteger(x) || !Number.isInteger(x)),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
      fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
      fc.constantFrom(null, true, false, 0, ''),
    );
    const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'prototype', '0', '', 'toJSON'));
    const json = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(leaf, fc.array(tie('value')), fc.dictionary(key, tie('value'), { noNullPrototype: true })),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        const text = stringifyJson(value);
        expect(stringifyJson(parseJson(text))).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });
});
