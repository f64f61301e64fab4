import type { AppRecord, Retry } from '../model.ts';

const FIRST_MS = 30_000;
const CEILING_MS = 15 * 60_000;

/** When the work on an app is tried again: doubling from 30 s to 15 min, of which the last half is left to chance. */
export function nextRetry(app: AppRecord, reason: string, now: number, random: () => number): Retry {
  const count = (app.retry?.count ?? 0) + 1;
  const span = Math.min(CEILING_MS, FIRST_MS * 2 ** Math.min(count - 1, 10));
  return { at: Math.round(now + span / 2 + (span / 2) * random()), count, reason: reason.slice(0, 500) };
}

/** Pause between two tries within one message: doubling from 0.5 s to 8 s, half of it left to chance. */
export function pauseMs(tries: number, random: () => number): number {
  const span = Math.min(8_000, 500 * 2 ** Math.min(tries, 5));
  return Math.round(span / 2 + (span / 2) * random());
}
