import { canonicalInteger } from '../json.ts';
import { INT64_MAX, INT64_MIN } from './decimal.ts';
import { showValue, ValueError } from './value-error.ts';

/** A suffix in milli-units: `multiplier / 10^places`. All multipliers are exact as doubles. */
interface Suffix {
  readonly multiplier: number;
  readonly places: number;
}

const SUFFIXES: ReadonlyMap<string, Suffix> = new Map([
  ['n', { multiplier: 1, places: 6 }],
  ['u', { multiplier: 1, places: 3 }],
  ['m', { multiplier: 1, places: 0 }],
  ['', { multiplier: 1e3, places: 0 }],
  ['k', { multiplier: 1e6, places: 0 }],
  ['M', { multiplier: 1e9, places: 0 }],
  ['G', { multiplier: 1e12, places: 0 }],
  ['T', { multiplier: 1e15, places: 0 }],
  ['P', { multiplier: 1e18, places: 0 }],
  ['E', { multiplier: 1e21, places: 0 }],
  ['Ki', { multiplier: 1000 * 2 ** 10, places: 0 }],
  ['Mi', { multiplier: 1000 * 2 ** 20, places: 0 }],
  ['Gi', { multiplier: 1000 * 2 ** 30, places: 0 }],
  ['Ti', { multiplier: 1000 * 2 ** 40, places: 0 }],
  ['Pi', { multiplier: 1000 * 2 ** 50, places: 0 }],
  ['Ei', { multiplier: 1000 * 2 ** 60, places: 0 }],
]);

/** Output is canonical DecimalSI; int64 milli-units end below `P`. */
const DECIMAL_SUFFIXES = ['m', '', 'k', 'M', 'G', 'T', 'P'];

/** As in Kubernetes the digits may be missing: `-`, `.` and `Ki` are 0. Matching is linear. */
const QUANTITY = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+|)$/;

/** Fifteen digits are always a safe integer. */
const SAFE_DIGITS = 15;
/** 10^0 to 10^21, all exact: up to 15 decimals and the 6 places of `n`. */
const POWERS_OF_TEN = Array.from({ length: SAFE_DIGITS + 7 }, (_, power) => 10 ** power);
/** No field holds a longer one, and exact arithmetic on a megabyte of digits takes seconds. */
const MAX_LENGTH = 1000;
/** Decimal exponents that an int64 of milli-units cannot reach, whatever the suffix. */
const FAR = 30;
const INT32_MAX = 2 ** 31 - 1;

/**
 * A Kubernetes quantity (`500m`, `1.5`, `2Gi`, `12e6`) in milli-units. What is finer than a milli-unit is rounded
 * away from zero: `0.1m` → 1, `-0.0005` → −1.
 * Peer: negative inexact values come out wrong (`-1.0000000001` → −999), and overflow wraps or gives 0 (D9).
 * Throws {@link ValueError} for other text, surrounding spaces included, and beyond int64.
 */
export function parseMilli(text: string): number | bigint {
  return parseShort(text) ?? parseExact(text);
}

/** Up to 15 digits with any suffix but an exponent, result within 2^53; undefined for all else. */
function parseShort(text: string): number | undefined {
  const length = text.length;
  const first = text.charCodeAt(0);
  const start = first === 45 || first === 43 ? 1 : 0;
  let value = 0;
  let point = -1;
  let index = start;
  for (; index < length; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit >= 0 && digit <= 9) value = value * 10 + digit;
    else if (digit === -2 && point < 0) point = index;
    else break;
  }
  const digits = index - start - (point < 0 ? 0 : 1);
  if (digits > SAFE_DIGITS || digits === 0) return undefined;
  const suffix = SUFFIXES.get(text.slice(index));
  if (suffix === undefined) return undefined;
  const scaled = value * suffix.multiplier;
  if (scaled > Number.MAX_SAFE_INTEGER) return undefined;
  const places = suffix.places + (point < 0 ? 0 : index - point - 1);
  if (places === 0) return first === 45 && scaled > 0 ? -scaled : scaled;
  const divisor = POWERS_OF_TEN[places] as number;
  const rest = scaled % divisor;
  const milli = (scaled - rest) / divisor + (rest > 0 ? 1 : 0);
  return first === 45 && milli > 0 ? -milli : milli;
}

function parseExact(text: string): number | bigint {
  const match = text.length > MAX_LENGTH ? null : QUANTITY.exec(text);
  if (match === null || text === '') throw malformed(text);
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const { multiplier, places } = SUFFIXES.get(suffix) ?? parseExponent(suffix, text);
  // Peer: without a digit its short way reads 0 (`-`, `.`, `Ki`) and its exact way refuses; these take the exact way.
  const exactWay = suffix === 'Pi' || suffix === 'Ei' || places > 9;
  if (exactWay && whole + fraction === '') throw malformed(text);
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0;
  const size = roundUp(digits, multiplier, -places - fraction.length);
  const milli = sign === '-' ? -size : size;
  if (milli < INT64_MIN || milli > INT64_MAX) throw new ValueError(`quantity ${showValue(text)} is out of range`);
  return canonicalInteger(milli);
}

/** `e3`, `E-2`. The peer keeps 32 bits of the exponent and lets the rest wrap: nothing to rely on, so refused here. */
function parseExponent(suffix: string, text: string): Suffix {
  const exponent = Number(suffix.slice(1));
  if (Math.abs(exponent) > INT32_MAX) throw malformed(text);
  return { multiplier: 1e3, places: -exponent };
}

/** `digits × multiplier × 10^shift`, rounded up; the digits start with a non-zero one. */
function roundUp(digits: string, multiplier: number, shift: number): bigint {
  if (digits.length + shift > FAR) return INT64_MAX + 2n;
  if (digits.length + shift < -FAR) return 1n;
  const scaled = BigInt(digits) * BigInt(multiplier);
  if (shift >= 0) return scaled * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (scaled + divisor - 1n) / divisor;
}

/**
 * Milli-units as a canonical decimal quantity: 500 → `500m`, 1500 → `1500m`, 1000000 → `1k`. A fraction of a
 * milli-unit is cut toward zero.
 * Throws {@link ValueError} beyond int64 and for what is not finite (D9).
 */
export function formatMilli(milli: number | bigint): string {
  const amount = typeof milli === 'bigint' ? canonicalInteger(milli) : milli;
  let power = 0;
  if (typeof amount === 'number' && Math.abs(amount) <= Number.MAX_SAFE_INTEGER) {
    let value = Math.trunc(amount);
    if (value === 0) return '0';
    for (; value % 1000 === 0; power++) value /= 1000;
    return `${value}${DECIMAL_SUFFIXES[power]}`;
  }
  if (!(amount >= INT64_MIN && amount <= INT64_MAX)) throw new ValueError(`value ${milli} milli-units is out of range`);
  let value = BigInt(amount);
  for (; value % 1000n === 0n; power++) value /= 1000n;
  return `${value}${DECIMAL_SUFFIXES[power]}`;
}

function malformed(text: string): ValueError {
  return new ValueError(`value ${showValue(text)} is not a quantity`);
}
