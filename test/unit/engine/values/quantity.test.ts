import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatMilli, parseMilli } from '../../../../lib/engine/values/quantity.ts';
import { ValueError } from '../../../../lib/engine/values/value-error.ts';
import table from './quantity.golden.json' with { type: 'json' };

/**
 * Made with k8s.io/apimachinery v0.36.1: ParseQuantity and MilliValue (null: refused), NewMilliQuantity and String.
 * `d9` holds what the peer gets wrong (D9): its answer, and the exact one from rational arithmetic (null: overflow).
 */
const golden = table as unknown as {
  parse: [text: string, milli: string | null][];
  d9: [text: string, peer: string, milli: string | null][];
  format: [milli: string, text: string][];
};

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

describe('parseMilli', () => {
  test.each(golden.parse.filter(([, milli]) => milli !== null))('%j is %s milli-units', (text, milli) => {
    expect(String(parseMilli(text))).toBe(milli);
  });

  test.each(golden.parse.filter(([, milli]) => milli === null))('%j is refused', (text) => {
    expect(() => parseMilli(text)).toThrow(new ValueError(`value ${JSON.stringify(text)} is not a quantity`));
  });

  test.each(golden.d9.filter(([, , milli]) => milli !== null))(
    'D9: %j is not the peer’s %s but %s',
    (text, _, milli) => {
      expect(String(parseMilli(text))).toBe(milli);
    },
  );

  test.each(golden.d9.filter(([, , milli]) => milli === null))('D9: %j overflows, where the peer says %s', (text) => {
    expect(() => parseMilli(text)).toThrow(new ValueError(`quantity "${text}" is out of range`));
  });

  test.each<[string, number | bigint]>([
    ['-0', 0],
    ['-0m', 0],
    ['9007199254740991m', 9007199254740991],
    ['9007199254740992m', 9007199254740992n],
    ['9223372036854775807m', 9223372036854775807n],
    ['-9223372036854775808m', -9223372036854775808n],
    [`${'0'.repeat(900)}5`, 5000],
    [`0.${'0'.repeat(900)}5`, 1],
    ['1e-2147483647', 1],
    ['-1e-2147483647', -1],
    ['0e2147483647', 0],
  ])('%j is %s, in canonical form', (text, milli) => expect(parseMilli(text)).toBe(milli));

  test.each([
    ['an exponent of billions', '1e2147483647', 'out of range'],
    ['an exponent beyond 32 bits', '1e4294967296', 'is not a quantity'],
    ['a negative exponent beyond 32 bits', '1e-99999999999999999999', 'is not a quantity'],
    ['a megabyte of digits', '9'.repeat(1_000_000), 'is not a quantity'],
    ['a megabyte of decimals', `0.${'9'.repeat(1_000_000)}x`, 'is not a quantity'],
  ])('%s is refused at once, with a short message', (_, text, reason) => {
    expect(() => parseMilli(text)).toThrow(reason);
    expect(() => parseMilli(text)).toThrow(/^.{1,110}$/);
  });
});

describe('formatMilli', () => {
  test.each(golden.format)('%s milli-units are %s', (milli, text) => {
    expect(formatMilli(BigInt(milli))).toBe(text);
    if (Number.isSafeInteger(Number(milli))) expect(formatMilli(Number(milli))).toBe(text);
  });

  test.each<[number | bigint, string]>([
    [-0, '0'],
    [0.9, '0'],
    [-0.9, '0'],
    [1500.9, '1500m'],
    [-1500.9, '-1500m'],
    [1e18, '1P'],
    [0n, '0'],
  ])('%s is cut toward zero: %s', (milli, text) => expect(formatMilli(milli)).toBe(text));

  test.each<number | bigint>([
    INT64.max + 1n,
    INT64.min - 1n,
    18446744073709551615n,
    2 ** 63,
    1e30,
    -1e30,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ])('D9: %s is out of range', (milli) => {
    expect(() => formatMilli(milli)).toThrow(new ValueError(`value ${milli} milli-units is out of range`));
  });
});

/** The result, or undefined for an error. */
function outcome(text: string): number | bigint | undefined {
  try {
    return parseMilli(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ValueError);
    return undefined;
  }
}

describe('properties of quantities', () => {
  test('parseMilli reads back what formatMilli writes', () => {
    const round = fc.tuple(fc.integer({ min: -9000, max: 9000 }), fc.integer({ min: 0, max: 15 }));
    const any = fc.oneof(
      fc.bigInt(INT64),
      fc.maxSafeInteger().map(BigInt),
      round.map(([n, power]) => BigInt(n) * 10n ** BigInt(power)),
    );
    fc.assert(
      fc.property(any, (milli) => {
        expect(BigInt(parseMilli(formatMilli(milli)))).toBe(milli);
        expect(formatMilli(parseMilli(formatMilli(milli)))).toBe(formatMilli(milli));
      }),
    );
  });

  test('short and long spellings of one quantity agree, so both ways of parsing do', () => {
    const digits = fc.integer({ min: 0, max: 999_999 });
    const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'Ti');
    fc.assert(
      fc.property(fc.constantFrom('', '-', '+'), digits, digits, suffix, (sign, whole, fraction, unit) => {
        const short = `${sign}${whole}.${fraction}${unit}`;
        const long = `${sign}${'0'.repeat(20)}${whole}.${fraction}${'0'.repeat(20)}${unit}`;
        expect(outcome(long)).toBe(outcome(short));
      }),
    );
  });

  test('only ValueError comes out of parseMilli', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.eE+-numkMGTPi ') }), (text) => {
        expect(['number', 'bigint', 'undefined']).toContain(typeof outcome(text));
      }),
      { numRuns: 1000 },
    );
  });
});
