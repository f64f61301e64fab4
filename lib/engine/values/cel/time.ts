import { Failure } from './error.ts';
import { Duration, Timestamp } from './value.ts';

const MILLISECOND = 1_000_000n;
const SECOND = 1_000_000_000n;

/** No timestamp or duration is longer; it keeps the time to refuse a text constant. */
const MAX_TEXT = 200;

/** RFC 3339 with an upper-case `T`, as Go reads it; more than nine decimals are cut off. */
const RFC3339 = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

export function parseTimestamp(text: string): Timestamp {
  const [, date, time, fraction = '', zone] = text.length > MAX_TEXT ? [] : (RFC3339.exec(text) ?? []);
  const local = Date.parse(`${date}T${time}Z`);
  const valid = Number.isFinite(local) && new Date(local).toISOString().startsWith(`${date}T${time}`);
  const offset = zone === undefined ? undefined : offsetOf(zone);
  if (!valid || offset === undefined) throw new Failure('evaluation', `${quote(text)} is no RFC 3339 timestamp`);
  return new Timestamp(BigInt(local - offset) * MILLISECOND + BigInt(fraction.slice(0, 9).padEnd(9, '0')));
}

/** RFC 3339 in UTC, without trailing zeros in the fraction. */
export function renderTimestamp({ nanos }: Timestamp): string {
  const whole = new Date(Number(floorDivide(nanos, MILLISECOND))).toISOString().slice(0, 19);
  return `${whole}${renderFraction(((nanos % SECOND) + SECOND) % SECOND)}Z`;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: MILLISECOND,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
};
const DURATION = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/;

/** Go's duration text, such as `1h2.5m` or `-300ms`. */
export function parseDuration(text: string): Duration {
  const [, sign, parts] = text.length > MAX_TEXT ? [] : (DURATION.exec(text) ?? []);
  if (parts === undefined) throw new Failure('evaluation', `${quote(text)} is no duration such as "1h30m" or "300ms"`);
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of parts.matchAll(/(\d*)\.?(\d*)([^\d.]+)/g)) {
    const scale = UNITS[unit] ?? 0n;
    nanos += BigInt(whole || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);
  }
  return new Duration(sign === '-' ? -nanos : nanos);
}

/** Seconds, as cel-go prints a duration: `90s`, `0.3s`. */
export function renderDuration({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos;
  return `${nanos < 0n ? '-' : ''}${size / SECOND}${renderFraction(size % SECOND)}s`;
}

function renderFraction(nanos: bigint): string {
  return nanos === 0n ? '' : `.${nanos.toString().padStart(9, '0').replace(/0+$/, '')}`;
}

/** The parts of a timestamp that CEL can ask for, read from a date whose UTC fields are the local time. */
export const TIMESTAMP_PARTS: Readonly<Record<string, (local: Date) => number>> = {
  getFullYear: (local) => local.getUTCFullYear(),
  getMonth: (local) => local.getUTCMonth(),
  getDate: (local) => local.getUTCDate(),
  getDayOfMonth: (local) => local.getUTCDate() - 1,
  getDayOfWeek: (local) => local.getUTCDay(),
  getDayOfYear: (local) => {
    const newYear = new Date(local).setUTCMonth(0, 1);
    return Math.floor((local.getTime() - newYear) / 86_400_000);
  },
  getHours: (local) => local.getUTCHours(),
  getMinutes: (local) => local.getUTCMinutes(),
  getSeconds: (local) => local.getUTCSeconds(),
  getMilliseconds: (local) => local.getUTCMilliseconds(),
};

/** Whole units of a duration, cut off. */
export const DURATION_UNITS: Readonly<Record<string, bigint>> = {
  getHours: 3600n * SECOND,
  getMinutes: 60n * SECOND,
  getSeconds: SECOND,
  getMilliseconds: MILLISECOND,
};

/** A date whose UTC fields show the time in a zone: `UTC`, `+05:30` or an IANA name. */
export function localDate({ nanos }: Timestamp, zone: string): Date {
  const time = Number(floorDivide(nanos, MILLISECOND));
  const offset = zone === 'UTC' ? 0 : (offsetOf(zone) ?? namedOffset(time, zone));
  return new Date(time + offset);
}

/** Milliseconds of `Z`, `+05:30` or `05:30`. */
function offsetOf(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function namedOffset(time: number, zone: string): number {
  const parts = new Map(
    formatIn(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const local = new Date(0);
  local.setUTCFullYear(part('year'), part('month') - 1, part('day'));
  local.setUTCHours(part('hour'), part('minute'), part('second'));
  return local.getTime() - Math.floor(time / 1000) * 1000;
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const numeric = 'numeric';
  const fields = {
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...fields });
  } catch {
    throw new Failure('evaluation', `unknown time zone ${quote(timeZone)}`);
  }
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
