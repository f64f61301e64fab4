import { canonicalInteger } from '../json.ts';
import { ValueError } from './value-error.ts';

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

/** A whole 64-bit number has 20 digits; longer texts than this are not worth quadratic arithmetic. */
const EXACT_TEXT_LENGTH = 1000;

/**
 * NumericScale: `value × factor` or `value / factor`.
 *
 * While operands and result stay within ±(2^53−1) this is IEEE double arithmetic, as in the Go peer. Outside it is
 * exact arithmetic on decimals (D4), where a double stands for its shortest decimal text: a whole result is an exact
 * integer, any other the nearest double.
 * With `toInteger` the result is rounded half away from zero.
 * Throws {@link ValueError} for a result that is not finite or, with `toInteger`, outside int64 (R64).
 */
export function scale(
  value: number | bigint,
  factor: number | bigint,
  op: 'multiply' | 'divide',
  toInteger: boolean,
): number | bigint {
  if (typeof value === 'bigint' || typeof factor === 'bigint') return scaleExact(value, factor, op, toInteger);
  const result = op === 'multiply' ? value * factor : value / factor;
  if (isExact(result) && isExact(value) && isExact(factor)) return toInteger ? roundHalfAway(result) : result;
  return scaleExact(value, factor, op, toInteger);
}

/** Rounds half away from zero, as Go's `math.Round`: 0.5 → 1, −0.5 → −1, −0.4 → −0. */
export function roundHalfAway(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

/**
 * The value of a decimal text (sign, digits, one point, exponent) when it is a whole number that int64 or uint64
 * holds, in canonical form; undefined for every other number. The text must be well-formed.
 */
export function exactInteger(text: string): number | bigint | undefined {
  if (text.length > EXACT_TEXT_LENGTH || !(Math.abs(Number(text)) <= 2 ** 64)) return undefined;
  const [numerator, denominator] = toFraction(parseDecimal(text));
  if (numerator % denominator !== 0n) return undefined;
  return withinUint64(numerator / denominator);
}

function isExact(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function withinUint64(value: bigint): number | bigint | undefined {
  return value >= INT64_MIN && value <= UINT64_MAX ? canonicalInteger(value) : undefined;
}

/** `digits × 10^exponent` */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function parseDecimal(text: string): Decimal {
  const [mantissa = '', exponent = '0'] = text.split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Numerator and positive denominator. */
function toFraction({ digits, exponent }: Decimal): [bigint, bigint] {
  if (digits === 0n) return [0n, 1n];
  return exponent >= 0 ? [digits * 10n ** BigInt(exponent), 1n] : [digits, 10n ** BigInt(-exponent)];
}

function scaleExact(
  value: number | bigint,
  factor: number | bigint,
  op: 'multiply' | 'divide',
  toInteger: boolean,
): number | bigint {
  const double = op === 'multiply' ? Number(value) * Number(factor) : Number(value) / Number(factor);
  if (!Number.isFinite(double)) throw outOfRange(value, factor, op);
  const [a, b] = toFraction(parseDecimal(String(value)));
  const [c, d] = toFraction(parseDecimal(String(factor)));
  const [numerator, denominator] = op === 'multiply' ? [a * c, b * d] : c < 0n ? [-a * d, -b * c] : [a * d, b * c];

  if (toInteger) {
    const rounded = divideHalfAway(numerator, denominator);
    if (rounded < INT64_MIN || rounded > INT64_MAX) throw outOfRange(value, factor, op);
    return canonicalInteger(rounded);
  }
  const whole = numerator % denominator === 0n ? withinUint64(numerator / denominator) : undefined;
  if (whole !== undefined) return whole;
  return typeof value === 'number' && typeof factor === 'number' ? double : nearestDouble(numerator, denominator);
}

function divideHalfAway(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const remainder = numerator % denominator;
  const doubled = 2n * (remainder < 0n ? -remainder : remainder);
  return doubled < denominator ? quotient : quotient + (numerator < 0n ? -1n : 1n);
}

/** Correctly rounded: 64 bits or more of the quotient, the lowest set when anything was cut, are rounded once. */
function nearestDouble(numerator: bigint, denominator: bigint): number {
  const size = numerator < 0n ? -numerator : numerator;
  const shift = Math.max(0, 64 + bitLength(denominator) - bitLength(size));
  const scaled = size << BigInt(shift);
  const quotient = (scaled / denominator) | (scaled % denominator === 0n ? 0n : 1n);
  // In two steps, because 2 ** shift can be beyond doubles.
  const half = shift >> 1;
  const value = Number(quotient) / 2 ** half / 2 ** (shift - half);
  return numerator < 0n ? -value : value;
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}

function outOfRange(value: number | bigint, factor: number | bigint, op: 'multiply' | 'divide'): ValueError {
  return new ValueError(`value ${value} ${op === 'multiply' ? 'times' : 'divided by'} ${factor} is out of range`);
}
