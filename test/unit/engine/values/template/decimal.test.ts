import { describe, expect, test } from 'vitest';
import {
  exactDecimal,
  exponentForm,
  positionalForm,
  roundDecimal,
  shortestDecimal,
} from '../../../../../lib/engine/values/template/decimal.ts';

test.each([
  [0, '', 0],
  [1, '1', 1],
  [1500, '15', 4],
  [0.1, '1000000000000000055511151231257827021181583404541015625', 0],
  [0.0625, '625', -1],
  [9007199254740993n, '9007199254740993', 16],
])('%s has the exact digits 0.%s × 10^%s', (value, digits, point) => {
  expect(exactDecimal(value)).toEqual({ digits, point });
});

test.each([
  [0.1, '1', 0],
  [1e23, '1', 24],
  [5e-324, '5', -323],
  [123.456, '123456', 3],
])('%s has the shortest digits 0.%s × 10^%s', (value, digits, point) => {
  expect(shortestDecimal(value)).toEqual({ digits, point });
});

describe('rounding', () => {
  test.each([
    [0.5, 0, '0'],
    [1.5, 0, '2'],
    [2.5, 0, '2'],
    [0.25, 1, '0.2'],
    [0.75, 1, '0.8'],
    [1.005, 2, '1.00'],
    [9.996, 2, '10.00'],
    [0.04, 1, '0.0'],
    [0.06, 1, '0.1'],
    [0.0001, 2, '0.00'],
    [1e21, 1, '1000000000000000000000.0'],
  ])(
    '%s with %s places is %s: a tie goes to the even digit, and only an exact tie is one',
    (value, places, expected) => {
      const exact = exactDecimal(value);
      expect(positionalForm(roundDecimal(exact, exact.point + places), places)).toBe(expected);
    },
  );

  test.each([
    [0, 2, '0.00e+00'],
    [1234567, 2, '1.23e+06'],
    [9.999, 2, '1.00e+01'],
    [1e-7, 0, '1e-07'],
    [1.5e300, 1, '1.5e+300'],
  ])('%s with %s places is %s in the exponent form', (value, places, expected) => {
    expect(exponentForm(roundDecimal(exactDecimal(value), places + 1), places)).toBe(expected);
  });
});
