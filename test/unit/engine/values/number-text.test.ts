import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../lib/engine/json.ts';
import {
  coerceScalar,
  type FractionPolicy,
  formatNumber,
  parseNumber,
  type ScalarKind,
} from '../../../../lib/engine/values/number-text.ts';
import { ValueError } from '../../../../lib/engine/values/value-error.ts';
import table from './number-text.golden.json' with { type: 'json' };

/** Made with Go 1.26: TrimSpace and ParseFloat (null: refused or not finite), and FormatFloat; doubles as their bits. */
const golden = table as unknown as {
  parse: [text: string, bits: string | null][];
  format: [bits: string, text: string, json: string][];
};

function fromBits(bits: string): number {
  return Buffer.from(bits, 'hex').readDoubleBE();
}

describe('parseNumber agrees with Go', () => {
  test.each(golden.parse.filter(([, bits]) => bits !== null))('%j has the bits %s', (text, bits) => {
    const expected = fromBits(bits as string);
    const parsed = parseNumber(text);
    expect(Number(parsed)).toBe(expected);
    if (typeof parsed === 'bigint') expect(Number.isSafeInteger(expected)).toBe(false);
  });

  test.each(golden.parse.filter(([, bits]) => bits === null))('%j is refused', (text) => {
    expect(() => parseNumber(text)).toThrow(ValueError);
  });
});

describe('whole numbers beyond 2^53 are exact (D4)', () => {
  test.each<[string, number | bigint]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['+9007199254740993', 9007199254740993n],
    [' 9007199254740993\n', 9007199254740993n],
    ['0009007199254740993', 9007199254740993n],
    ['9_007_199_254_740_993', 9007199254740993n],
    ['9007199254740993.0', 9007199254740993n],
    ['9.007199254740993e15', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', 18446744073709551615n],
    ['18446744073709551616', 2 ** 64],
    ['-9223372036854775809', -(2 ** 63)],
    ['9007199254740992.5', 9007199254740992],
  ])('%s is %s', (text, value) => expect(parseNumber(text)).toBe(value));
});

describe('parseNumber on hostile text', () => {
  test.each<[string, string]>([
    ['a megabyte of digits and a letter', `${'1'.repeat(1_000_000)}x`],
    ['a megabyte of digits', '1'.repeat(1_000_000)],
    ['a megabyte of hexadecimal digits', `0x${'1'.repeat(1_000_000)}p0`],
    ['a megabyte of underscores', `1${'_'.repeat(1_000_000)}1`],
    ['a megabyte of spaces', ' '.repeat(1_000_000)],
    ['a huge hexadecimal exponent', `0x1p${'9'.repeat(400)}`],
  ])('%s is refused with a short message', (_, text) => {
    let message = '';
    try {
      parseNumber(text);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(text.slice(0, 64));
    expect(message.length).toBeLessThan(120);
  });

  test('a megabyte of decimals is one double', () => expect(parseNumber(`0.${'3'.repeat(1_000_000)}`)).toBe(1 / 3));
});

describe('formatNumber', () => {
  test.each(golden.format)('the double %s is %s', (bits, text) => expect(formatNumber(fromBits(bits))).toBe(text));

  test.each<[number | bigint, string]>([
    [9007199254740993n, '9007199254740993'],
    [-9223372036854775808n, '-9223372036854775808'],
    [18446744073709551615n, '18446744073709551615'],
  ])('the exact integer %s', (value, text) => expect(formatNumber(value)).toBe(text));

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%s is an error', (value) => {
    expect(() => formatNumber(value)).toThrow(`value ${value} is not a finite number`);
  });

  test('parseNumber reads back every number', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    const uint64 = fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n });
    fc.assert(
      fc.property(fc.oneof(double, fc.maxSafeInteger(), uint64), (value) => {
        const read = parseNumber(formatNumber(value));
        // A whole double beyond 2^53 comes back as the integer that its text says.
        expect(typeof value === 'bigint' ? read : Number(read)).toBe(value === 0 ? 0 : value);
        expect(formatNumber(read)).toBe(formatNumber(value));
        expect(formatNumber(value)).not.toContain('e');
      }),
    );
  });

  test('only ValueError comes out of parseNumber', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.eE+-_xXpPaf \u00a0') }), (text) => {
        try {
          const value = parseNumber(text);
          expect(typeof value === 'bigint' || Number.isFinite(value)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ValueError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('coerceScalar', () => {
  type Row = [value: Json, kind: ScalarKind, policy: FractionPolicy, result: Json];

  test.each<Row>([
    ['as is', 'string', 'Error', 'as is'],
    [' ', 'string', 'Error', ' '],
    [true, 'string', 'Error', 'true'],
    [false, 'string', 'Error', 'false'],
    [5, 'string', 'Error', '5'],
    [-0, 'string', 'Error', '0'],
    [1e3, 'string', 'Error', '1000'],
    [1e21, 'string', 'Error', '1000000000000000000000'],
    [1e-7, 'string', 'Error', '0.0000001'],
    [9007199254740993n, 'string', 'Error', '9007199254740993'],
    ['5', 'number', 'Error', 5],
    [' 42 ', 'number', 'Error', 42],
    ['-2.5', 'number', 'Error', -2.5],
    ['1_000', 'number', 'Error', 1000],
    [true, 'number', 'Error', 1],
    [false, 'number', 'Error', 0],
    [1e21, 'number', 'Error', 1e21],
    [-0, 'number', 'Error', -0],
    ['9007199254740993', 'number', 'Error', 9007199254740993n],
    ['5', 'integer', 'Error', 5],
    ['5.0', 'integer', 'Error', 5],
    [' 42 ', 'integer', 'Error', 42],
    ['1e3', 'integer', 'Error', 1000],
    [true, 'integer', 'Error', 1],
    [5, 'integer', 'Error', 5],
    ['9007199254740993', 'integer', 'Error', 9007199254740993n],
    [18446744073709551615n, 'integer', 'Error', 18446744073709551615n],
    [1e16, 'integer', 'Error', 10000000000000000n],
    [1e21, 'integer', 'Error', 1e21],
    [1.7, 'integer', 'Truncate', 1],
    [-1.7, 'integer', 'Truncate', -1],
    [-0.4, 'integer', 'Truncate', -0],
    ['-2.5', 'integer', 'Truncate', -2],
    ['.5', 'integer', 'Truncate', 0],
    [1.5, 'integer', 'Round', 2],
    [-1.5, 'integer', 'Round', -2],
    [0.4, 'integer', 'Round', 0],
    ['2.5', 'integer', 'Round', 3],
    [true, 'boolean', 'Error', true],
    [false, 'boolean', 'Error', false],
    ...['1', 't', 'T', 'TRUE', 'true', 'True', ' true\t', '\u00a0t'].map(
      (text): Row => [text, 'boolean', 'Error', true],
    ),
    ...['0', 'f', 'F', 'FALSE', 'false', 'False', '\nf '].map((text): Row => [text, 'boolean', 'Error', false]),
  ])('%s to %s (%s) is %s', (value, kind, policy, result) => {
    expect(coerceScalar(value, kind, policy)).toBe(result);
  });

  test.each<[value: Json, kind: ScalarKind, message: string]>([
    [null, 'string', 'value null cannot become a string'],
    [[], 'string', 'value array cannot become a string'],
    [{}, 'string', 'value object cannot become a string'],
    [null, 'integer', 'value null cannot become an integer'],
    [[1], 'number', 'value array cannot become a number'],
    [{}, 'boolean', 'value object cannot become a boolean'],
    [1, 'boolean', 'value 1 cannot become a boolean'],
    [0, 'boolean', 'value 0 cannot become a boolean'],
    [9007199254740993n, 'boolean', 'value 9007199254740993 cannot become a boolean'],
    [null, 'boolean', 'value null cannot become a boolean'],
    ['', 'boolean', 'value "" is not a boolean'],
    ['tRUE', 'boolean', 'value "tRUE" is not a boolean'],
    ['yes', 'boolean', 'value "yes" is not a boolean'],
    ['', 'number', 'value "" is not a number'],
    ['true', 'number', 'value "true" is not a number'],
    ['NaN', 'integer', 'value "NaN" is not a number'],
    ['inf', 'integer', 'value "inf" is not a number'],
    ['0x10', 'integer', 'value "0x10" is not a number'],
    ['1e400', 'number', 'value "1e400" is out of range'],
    [2.5, 'integer', 'value 2.5 is not a whole number (onFractionalInteger=Error)'],
    ['2.5', 'integer', 'value 2.5 is not a whole number (onFractionalInteger=Error)'],
    [Number.NaN, 'number', 'value NaN is not a finite number'],
    [Number.POSITIVE_INFINITY, 'integer', 'value Infinity is not a finite number'],
    [Number.NaN, 'string', 'value NaN is not a finite number'],
  ])('%s to %s is an error: %s', (value, kind, message) => {
    expect(() => coerceScalar(value, kind, 'Error')).toThrow(new ValueError(message));
  });
});
