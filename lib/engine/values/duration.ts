import { showValue, ValueError } from './value-error.ts';

/** Nanoseconds in an int64: Go's range, about 292 years each way. */
const MAX_NANOS = 2n ** 63n - 1n;
const MAX_SECONDS = 9_223_372_036;
const NANOS_PER_SECOND = 1_000_000_000n;

/** Nanoseconds in a unit; both characters for micro, U+00B5 and U+03BC. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['\u00b5s', 1e3],
  ['\u03bcs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);

/** One `<decimal><unit>`; what is not a digit or a point belongs to the unit. */
const PART = /([0-9]*)(?:\.([0-9]*))?([^0-9.]+)/y;

/**
 * A Go duration (`90s`, `1h30m`, `1.5h`, `-5m`, `0`) in whole seconds.
 * Throws {@link ValueError} for text that Go's `time.ParseDuration` refuses (spaces, days, no unit), for a duration
 * that is not a whole number of seconds, and beyond int64 nanoseconds.
 */
export function parseDurationSeconds(text: string): number {
  return parseWhole(text) ?? parseExact(text);
}

/** The common case: whole numbers of h, m and s within range; undefined for all else. */
function parseWhole(text: string): number | undefined {
  const length = text.length;
  const negative = text.charCodeAt(0) === 45;
  let seconds = 0;
  let value = -1;
  for (let index = negative ? 1 : 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 48 && code <= 57) {
      value = (value < 0 ? 0 : value * 10) + code - 48;
      continue;
    }
    const unit = code === 115 ? 1 : code === 109 ? 60 : code === 104 ? 3600 : 0;
    if (unit === 0 || value < 0) return undefined;
    seconds += value * unit;
    value = -1;
    // Also keeps every sum a safe integer. `ms` fails above: no digit comes before its `s`.
    if (seconds > MAX_SECONDS) return undefined;
  }
  if (value >= 0 || length <= 1) return undefined;
  return negative && seconds > 0 ? -seconds : seconds;
}

function parseExact(text: string): number {
  const negative = text.startsWith('-');
  const unsigned = negative || text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return 0;
  const nanos = unsigned === '' ? undefined : sumParts(unsigned, text);
  if (nanos === undefined) throw new ValueError(`value ${showValue(text)} is not a duration`);
  if (nanos > MAX_NANOS + (negative ? 1n : 0n)) throw outOfRange(text);
  if (nanos % NANOS_PER_SECOND !== 0n) {
    throw new ValueError(`duration ${showValue(text)} is not a whole number of seconds`);
  }
  const seconds = Number(nanos / NANOS_PER_SECOND);
  return negative && seconds > 0 ? -seconds : seconds;
}

/** Nanoseconds, at most 2^63; undefined when the text is not a list of `<decimal><unit>`. */
function sumParts(unsigned: string, text: string): bigint | undefined {
  let total = 0n;
  for (let index = 0; index < unsigned.length; index = PART.lastIndex) {
    PART.lastIndex = index;
    const [, whole = '', fraction = '', unitText = ''] = PART.exec(unsigned) ?? [];
    const unit = UNITS.get(unitText);
    if (unit === undefined || (whole === '' && fraction === '')) return undefined;
    const digits = whole.replace(/^0+/, '');
    if (digits.length > 19) throw outOfRange(text);
    total += BigInt(digits) * BigInt(unit) + fractionNanos(fraction, unit);
    if (total > MAX_NANOS + 1n) throw outOfRange(text);
  }
  return total;
}

/**
 * The fraction of a unit, cut to whole nanoseconds. Go's own double arithmetic, step by step, because it decides
 * what is a whole second: 18 or 19 digits count, the rest are dropped.
 */
function fractionNanos(fraction: string, unit: number): bigint {
  const zeros = fraction.length - fraction.replace(/^0+/, '').length;
  let digits = fraction.slice(zeros, zeros + 19);
  if (digits.length === 19 && BigInt(digits) > MAX_NANOS + 1n) digits = digits.slice(0, 18);
  if (digits === '') return 0n;
  let scale = 1;
  for (let place = zeros + digits.length; place > 0 && scale < Number.POSITIVE_INFINITY; place--) scale *= 10;
  return BigInt(Math.trunc(Number(digits) * (unit / scale)));
}

/**
 * Whole seconds as Go's `Duration.String`: 5 → `5s`, 90 → `1m30s`, 90061 → `25h1m1s`. A fraction is cut toward zero.
 * Throws {@link ValueError} beyond ±9223372036 s, where Go would wrap (D9), and for what is not finite.
 */
export function formatDurationSeconds(seconds: number | bigint): string {
  const whole = Math.trunc(Number(seconds));
  const size = Math.abs(whole);
  if (!(size <= MAX_SECONDS)) throw new ValueError(`value ${seconds} seconds is out of range`);
  const sign = whole < 0 ? '-' : '';
  if (size < 60) return `${sign}${size}s`;
  const second = size % 60;
  const minutes = (size - second) / 60;
  if (minutes < 60) return `${sign}${minutes}m${second}s`;
  const minute = minutes % 60;
  return `${sign}${(minutes - minute) / 60}h${minute}m${second}s`;
}

function outOfRange(text: string): ValueError {
  return new ValueError(`duration ${showValue(text)} is out of range`);
}
