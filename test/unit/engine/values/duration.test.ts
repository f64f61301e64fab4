import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDurationSeconds, parseDurationSeconds } from '../../../../lib/engine/values/duration.ts';
import { ValueError } from '../../../../lib/engine/values/value-error.ts';
import table from './duration.golden.json' with { type: 'json' };

/** Made with Go 1.26: ParseDuration in whole seconds (null: refused, or not whole), and Duration.String. */
const golden = table as unknown as {
  parse: [text: string, seconds: number | null][];
  format: [seconds: number, text: string][];
};

describe('parseDurationSeconds', () => {
  test.each(golden.parse.filter(([, seconds]) => seconds !== null))('%j is %s seconds', (text, seconds) => {
    expect(parseDurationSeconds(text)).toBe(seconds);
  });

  test.each(golden.parse.filter(([, seconds]) => seconds === null))('%j is refused', (text) => {
    expect(() => parseDurationSeconds(text)).toThrow(ValueError);
  });

  test.each([
    ['', 'value "" is not a duration'],
    ['1d', 'value "1d" is not a duration'],
    ['5', 'value "5" is not a duration'],
    ['1500ms', 'duration "1500ms" is not a whole number of seconds'],
    ['9223372037s', 'duration "9223372037s" is out of range'],
    ['-2562048h', 'duration "-2562048h" is out of range'],
    ['99999999999999999999s', 'duration "99999999999999999999s" is out of range'],
  ])('%j: %s', (text, message) => {
    expect(() => parseDurationSeconds(text)).toThrow(new ValueError(message));
  });

  test.each([
    ['a megabyte of digits', `${'1'.repeat(1_000_000)}s`],
    ['a megabyte of units', `1${'s'.repeat(1_000_000)}`],
    ['a megabyte of parts', '9h'.repeat(500_000)],
    ['a megabyte of decimals', `0.${'1'.repeat(1_000_000)}s`],
  ])('%s is refused with a short message', (_, text) => {
    expect(() => parseDurationSeconds(text)).toThrow(/^.{1,120}$/);
  });
});

describe('formatDurationSeconds', () => {
  test.each(golden.format)('%s seconds are %s', (seconds, text) => {
    expect(formatDurationSeconds(seconds)).toBe(text);
  });

  test.each([
    [-0, '0s'],
    [2.5, '2s'],
    [-2.5, '-2s'],
    [0.9, '0s'],
    [9223372036.9, '2562047h47m16s'],
  ])('%s is cut toward zero: %s', (seconds, text) => expect(formatDurationSeconds(seconds)).toBe(text));

  test.each<number | bigint>([
    9223372037,
    -9223372037,
    9007199254740993n,
    -9223372036854775808n,
    1e300,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('D9: %s is out of range', (seconds) => {
    expect(() => formatDurationSeconds(seconds)).toThrow(new ValueError(`value ${seconds} seconds is out of range`));
  });
});

describe('properties of durations', () => {
  const seconds = fc.oneof(fc.integer(), fc.integer({ min: -9_223_372_036, max: 9_223_372_036 }));

  test('parseDurationSeconds reads back what formatDurationSeconds writes', () => {
    fc.assert(
      fc.property(seconds, (value) => {
        expect(parseDurationSeconds(formatDurationSeconds(value))).toBe(value);
      }),
    );
  });

  test('a spelling with a fraction or small units gives the same seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_000_000, max: 9_000_000 }), (value) => {
        expect(parseDurationSeconds(`${value}.000s`)).toBe(value);
        expect(parseDurationSeconds(`${value}000ms`)).toBe(value);
        expect(parseDurationSeconds(`${value}000000000ns`)).toBe(value);
      }),
    );
  });

  test('only ValueError comes out of parseDurationSeconds', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.hmsnuµμ+- ') }), (text) => {
        try {
          expect(Number.isSafeInteger(parseDurationSeconds(text))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ValueError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
