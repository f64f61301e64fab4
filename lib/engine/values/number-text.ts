import { type Json, jsonType } from '../json.ts';
import { exactInteger, roundHalfAway } from './decimal.ts';
import { parseHexFloat } from './hex-float.ts';
import { showValue, ValueError } from './value-error.ts';

export type ScalarKind = 'string' | 'integer' | 'number' | 'boolean';
export type FractionPolicy = 'Error' | 'Truncate' | 'Round';

/** Go's decimal floating-point literals. Each digit run can match in one way only, so matching is linear. */
const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const HEX_PREFIX = /^[+-]?0[xX]/;
/** An underscore stands between two digits; right after `0x` it may stand too. */
const STRAY_UNDERSCORE = /(?:^|[^0-9])_|_(?:[^0-9]|$)/;
const STRAY_HEX_UNDERSCORE = /(?:^|[^0-9a-fA-FxX])_|_(?:[^0-9a-fA-F]|$)/;

const BEYOND_64_BITS = 2 ** 64;

/** Fifteen digits are always a safe integer. */
const SAFE_DIGITS = 15;

/**
 * The text form of a number: shortest digits that round-trip, in positional notation whatever the size
 * (1e21 → `1000000000000000000000`, 1e-7 → `0.0000001`); −0 is `0`; integers are exact.
 * Throws {@link ValueError} for NaN and infinities.
 */
export function formatNumber(value: number | bigint): string {
  const text = String(value);
  if (typeof value === 'bigint') return text;
  const size = Math.abs(value);
  if ((size >= 1e-6 && size < 1e21) || size === 0) return text;
  if (!Number.isFinite(value)) throw new ValueError(`value ${text} is not a finite number`);
  return expandExponent(text);
}

/** `-1.5e+21` → `-1500000000000000000000`; the text is JavaScript's exponent notation. */
function expandExponent(text: string): string {
  const sign = text.startsWith('-') ? '-' : '';
  const [mantissa = '', exponent] = text.slice(sign.length).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const point = 1 + Number(exponent);
  return point > 0 ? sign + digits.padEnd(point, '0') : `${sign}0.${'0'.repeat(-point)}${digits}`;
}

/**
 * Reads a number as Go's `ParseFloat` does, on the text without surrounding Unicode white space: signs, `.5`, `5.`,
 * exponents, hexadecimal floats with `p`, underscores between digits. Underflow gives 0.
 * A whole number beyond 2^53 that 64 bits hold is exact (D4), any other the nearest double.
 * Throws {@link ValueError} for other text, `inf` and `nan` included, and for numbers that no double holds.
 */
export function parseNumber(text: string): number | bigint {
  return parseShortInteger(text) ?? parseGoFloat(text);
}

/** The common case, `-` and up to 15 digits; undefined for all else. */
function parseShortInteger(text: string): number | undefined {
  const length = text.length;
  const negative = length > 1 && text.charCodeAt(0) === 45;
  const start = negative ? 1 : 0;
  if (length === 0 || length - start > SAFE_DIGITS) return undefined;
  let value = 0;
  for (let index = start; index < length; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return negative ? -value : value;
}

function parseGoFloat(text: string): number | bigint {
  const trimmed = trimSpace(text);
  if (DECIMAL.test(trimmed)) return readDecimal(trimmed, text);
  const digits = withoutUnderscores(trimmed);
  if (DECIMAL.test(digits)) return readDecimal(digits, text);
  const value = parseHexFloat(digits);
  if (value === undefined) throw new ValueError(`value ${showValue(text)} is not a number`);
  if (!Number.isFinite(value)) throw outOfRange(text);
  return value;
}

function readDecimal(digits: string, text: string): number | bigint {
  const value = Number(digits);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  if (!Number.isFinite(value)) throw outOfRange(text);
  return exactInteger(digits) ?? value;
}

/** The text as it is when an underscore stands elsewhere than between digits: no number has one then. */
function withoutUnderscores(text: string): string {
  const stray = HEX_PREFIX.test(text) ? STRAY_HEX_UNDERSCORE : STRAY_UNDERSCORE;
  return stray.test(text) ? text : text.replaceAll('_', '');
}

/** Go's `strings.TrimSpace`. `String.prototype.trim` differs: it takes U+FEFF and leaves U+0085. */
function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** Unicode White_Space. */
function isSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code === 0x85 || code === 0xa0 || code === 0x1680 || code === 0x3000) return true;
  return (code >= 0x2000 && code <= 0x200a) || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f;
}

/**
 * TypeCoerce: the scalar as a value of another kind. Numbers become text by {@link formatNumber} and text becomes
 * numbers by {@link parseNumber}; booleans are 1 and 0, `true` and `false`; a number is never a boolean.
 * `onFraction` says what an integer field does with a fraction; Round is half away from zero.
 * Throws {@link ValueError} for null, arrays, objects, unreadable text and, under `Error`, fractions.
 */
export function coerceScalar(value: Json, kind: ScalarKind, onFraction: FractionPolicy): Json {
  switch (kind) {
    case 'string':
      return toText(value);
    case 'boolean':
      return toBoolean(value);
    case 'number':
      return toNumber(value, kind);
    case 'integer':
      return exactOrRefused(value, toInteger(toNumber(value, kind), onFraction));
  }
}

function toText(value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return formatNumber(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  throw cannotBecome(value, 'string');
}

function toNumber(value: Json, kind: ScalarKind): number | bigint {
  if (typeof value === 'string') return parseNumber(value);
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'number') throw cannotBecome(value, kind);
  if (!Number.isFinite(value)) throw new ValueError(`value ${value} is not a finite number`);
  return value;
}

function toInteger(value: number | bigint, onFraction: FractionPolicy): number | bigint {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return value;
  // Peer: a whole number that 64 bits do not hold stays the double that it is; nothing is lost by it.
  if (Number.isInteger(value)) return exactInteger(String(value)) ?? value;
  if (onFraction === 'Truncate') return Math.trunc(value);
  if (onFraction === 'Round') return roundHalfAway(value);
  throw new ValueError(`value ${value} is not a whole number (onFractionalInteger=Error)`);
}

/** An integer's text that 64 bits do not hold would come back with other digits (R64). */
function exactOrRefused(source: Json, integer: number | bigint): number | bigint {
  const held = typeof source !== 'string' || typeof integer === 'bigint' || Math.abs(integer) < BEYOND_64_BITS;
  if (held) return integer;
  throw outOfRange(source);
}

function toBoolean(value: Json): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') throw cannotBecome(value, 'boolean');
  switch (trimSpace(value)) {
    case '1':
    case 't':
    case 'T':
    case 'TRUE':
    case 'true':
    case 'True':
      return true;
    case '0':
    case 'f':
    case 'F':
    case 'FALSE':
    case 'false':
    case 'False':
      return false;
    default:
      throw new ValueError(`value ${showValue(value)} is not a boolean`);
  }
}

function cannotBecome(value: Json, kind: ScalarKind): ValueError {
  const shown = typeof value === 'number' || typeof value === 'bigint' ? String(value) : jsonType(value);
  return new ValueError(`value ${shown} cannot become ${kind === 'integer' ? 'an' : 'a'} ${kind}`);
}

function outOfRange(text: string): ValueError {
  return new ValueError(`value ${showValue(text)} is out of range`);
}
