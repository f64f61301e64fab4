import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactInteger, roundHalfAway, scale } from '../../../../lib/engine/values/decimal.ts';
import { ValueError } from '../../../../lib/engine/values/value-error.ts';

type Scaling = [value: number | bigint, factor: number | bigint, result: number | bigint];

describe('scaling to a number field', () => {
  test.each<Scaling>([
    [5, 3, 15],
    [-7, -1, 7],
    [0.1, 3, 0.30000000000000004],
    [1.25, 1000, 1250],
    [0, 60, 0],
    [5e-324, 0.5, 0],
    [2 ** 53 - 1, 2, 18014398509481982n],
    [9007199254740993n, 1, 9007199254740993n],
    [9007199254740993n, 2, 18014398509481986n],
    [9223372036854775807n, 2, 18446744073709551614n],
    [9007199254740993n, 0.001, Number('9007199254740.993')],
    [9007199254740993n, 0.5, Number('4503599627370496.5')],
    [9223372036854775807n, 10, Number('92233720368547758070')],
    [3, 9007199254740993n, 27021597764222979n],
    [0.3, 9007199254740993n, Number('2702159776422297.9')],
    [9007199254740993n, 9007199254740993n, Number('81129638414606699710187514626049')],
    [1e300, 3, 3e300],
    [1e17, 0.3, 30000000000000000n],
    [0.1, 1e17, 10000000000000000n],
  ])('%s × %s = %s', (value, factor, result) => expect(scale(value, factor, 'multiply', false)).toBe(result));

  test.each<Scaling>([
    [5, 3, 1.6666666666666667],
    [1_000_000, 60, 16666.666666666668],
    [0.1, 3, 0.03333333333333333],
    [-3.5, 0.001, -3500],
    [9007199254740993n, 1024, Number('8796093022208.0009765625')],
    [9007199254740993n, 3, 3002399751580331],
    [9007199254740993n, 9007199254740993n, 1],
    [9007199254740993n, -9007199254740992n, -1],
    [1, 9007199254740993n, Number('1.1102230246251564171e-16')],
    [-9223372036854775808n, -1, 9223372036854775808n],
    [-9223372036854775807n, 10, Number('-922337203685477580.7')],
    [9223372036854775807n, 1e300, Number('9.223372036854775807e-282')],
    [9223372036854775807n, -1e308, Number('-9.223372036854775807e-290')],
  ])('%s / %s = %s', (value, factor, result) => expect(scale(value, factor, 'divide', false)).toBe(result));
});

describe('scaling to an integer field rounds half away from zero', () => {
  test.each<Scaling>([
    [1_000_000, 1024, 977],
    [3, 2, 2],
    [-3, 2, -2],
    [-3.5, 2, -2],
    [1.25, -1, -1],
    [-7, 1024, -0],
    [9007199254740993n, 2, 4503599627370497],
    [9007199254740993n, -2, -4503599627370497],
    [9007199254740993n, 1, 9007199254740993n],
    [9007199254740995n, 10, 900719925474100],
    [-9007199254740994n, 10, -900719925474099],
  ])('%s / %s = %s', (value, factor, result) => expect(scale(value, factor, 'divide', true)).toBe(result));

  test.each<Scaling>([
    [1.25, 10, 13],
    [2.5, 3, 8],
    [9007199254740991, 1000, 9007199254740991000n],
    [9223372036854775807n, 1, 9223372036854775807n],
    [-9223372036854775808n, 1, -9223372036854775808n],
  ])('%s × %s = %s', (value, factor, result) => expect(scale(value, factor, 'multiply', true)).toBe(result));
});

describe('scaling never overflows silently (R64)', () => {
  test.each<[string, number | bigint, number | bigint, 'multiply' | 'divide', boolean]>([
    ['one past int64', 9223372036854775807n, 1.0000000000000002, 'multiply', true],
    ['one below int64', -9223372036854775808n, 1.0000000000000002, 'multiply', true],
    ['half above int64', 18446744073709551615n, 0.5, 'multiply', true],
    ['the negation of the lowest int64', -9223372036854775808n, -1, 'multiply', true],
    ['a double past int64', 1e19, 1, 'multiply', true],
    ['a far double', 1e300, 1, 'multiply', true],
    ['an infinite product', 1e308, 10, 'multiply', false],
    ['an infinite product for an integer', 1e308, 10, 'multiply', true],
    ['an infinite quotient', 1e308, 1e-10, 'divide', false],
    ['an infinite product of an exact integer', 9007199254740993n, 1e308, 'multiply', false],
    ['zero as an exact divisor', 9007199254740993n, 0n, 'divide', false],
    ['a division by zero', 1, 0, 'divide', false],
    ['a division of an exact integer by zero', 9007199254740993n, 0, 'divide', true],
    ['zero divided by zero', 0, 0, 'divide', false],
    ['infinity', Number.POSITIVE_INFINITY, 1, 'multiply', false],
    ['NaN', Number.NaN, 1, 'multiply', true],
  ])('%s is an error that names the value', (_, value, factor, op, toInteger) => {
    expect(() => scale(value, factor, op, toInteger)).toThrow(ValueError);
    expect(() => scale(value, factor, op, toInteger)).toThrow(`value ${value} `);
  });
});

describe('properties of scaling', () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const whole = fc.integer({ min: 1, max: 1_000_000 });

  test('an integer times a whole factor is exact while it fits', () => {
    fc.assert(
      fc.property(int64, whole, (value, factor) => {
        const exact = value * BigInt(factor);
        if (BigInt.asIntN(64, exact) !== exact) {
          expect(() => scale(value, factor, 'multiply', true)).toThrow(ValueError);
        } else {
          expect(BigInt(scale(value, factor, 'multiply', true))).toBe(exact);
          expect(BigInt(scale(scale(value, factor, 'multiply', true), factor, 'divide', true))).toBe(value);
        }
      }),
    );
  });

  test('doubles in the safe range follow IEEE arithmetic', () => {
    const safe = fc.double({ min: -1e7, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(safe, safe, (value, factor) => {
        expect(scale(value, factor, 'multiply', false)).toBe(value * factor);
      }),
    );
  });

  test('a quotient of an exact integer is the nearest double', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n }), fc.integer({ min: 0, max: 60 }), (value, power) => {
        // A power of two only moves the exponent, so one rounding of the integer gives the same digits.
        expect(Number(scale(value, 2n ** BigInt(power), 'divide', false))).toBe(Number(value) / 2 ** power);
      }),
    );
  });
});

describe('rounding', () => {
  test.each([
    [0.5, 1],
    [-0.5, -1],
    [2.5, 3],
    [-2.5, -3],
    [-0.4, -0],
    [0.49999999999999994, 0],
    [4503599627370495.5, 4503599627370496],
    [9007199254740991, 9007199254740991],
    [-0, -0],
  ])('%s rounds to %s', (value, rounded) => expect(roundHalfAway(value)).toBe(rounded));
});

describe('the exact integer of a decimal text', () => {
  test.each<[string, number | bigint | undefined]>([
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['-9223372036854775809', undefined],
    ['18446744073709551615', 18446744073709551615n],
    ['18446744073709551616', undefined],
    ['+9.007199254740993e15', 9007199254740993n],
    ['90071992547409930.0e-1', 9007199254740993n],
    ['.9007199254740993E+16', 9007199254740993n],
    ['9007199254740993.', 9007199254740993n],
    ['9007199254740993.5', undefined],
    ['5', 5],
    ['1e21', undefined],
    ['1e999999999', undefined],
    ['0e999999999', 0],
    [`9007199254740993.${'0'.repeat(100_000)}`, undefined],
  ])('%s', (text, value) => expect(exactInteger(text)).toBe(value));
});
