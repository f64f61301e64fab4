import { AppError } from '../../errors.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const PATTERN = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/** `20ms`, `1.5s`, `2m`, `1h` in milliseconds. @throws AppError naming the flag */
export function parseMilliseconds(text: string, flag: string): number {
  const [, amount, unit = ''] = PATTERN.exec(text) ?? [];
  const result = Number(amount) * (UNITS[unit] ?? Number.NaN);
  if (result > 0) return result;
  throw new AppError('BAD_REQUEST', `${flag} is "${text}": write a time above zero such as 20ms, 1.5s or 2m`);
}

/** A length of time as people say it: `40 ms`, `1.2 s`, `3 min 20 s`. */
export function renderMilliseconds(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.round(seconds % 60)];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${rest} s`;
}
