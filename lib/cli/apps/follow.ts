import { AppError } from '../../errors.ts';
import { renderMilliseconds } from '../cluster/milliseconds.ts';
import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';
import { startProgress } from '../output/progress.ts';
import type { Apps } from './api.ts';
import type { Attempt } from './shapes.ts';

const POLL_MS = 1000;
const FINAL = new Set(['succeeded', 'failed', 'canceled', 'superseded']);

export function isFinal({ status }: Attempt): boolean {
  return FINAL.has(status);
}

/** Whether only somebody else can get it on: its app is stopped. */
export function isHeld({ status, wait_reason }: Attempt): boolean {
  return status === 'queued' && wait_reason !== undefined;
}

/**
 * Looks at an attempt until it is over, or held. On a terminal one line shows where it is, elsewhere each step that is
 * done is a line.
 * @param limitMs how long to look; the attempt itself goes on after it
 * @throws AppError when it cannot be looked at any longer, which says how to look on
 */
export async function follow(apps: Apps, name: string, id: string, limitMs: number, io: Io): Promise<Attempt> {
  const end = io.now() + limitMs;
  const begin = io.now();
  const progress = startProgress(io);
  let told = 0;
  try {
    for (;;) {
      const attempt = await apps.attempt(name, id).catch((error: unknown) => {
        throw error instanceof AppError ? stopLooking(error, name, id) : error;
      });
      if (io.terminal.err === undefined) told = tellSteps(attempt, told, io);
      if (isFinal(attempt) || isHeld(attempt)) return attempt;
      if (io.now() >= end) throw lost(name, attempt, limitMs);
      progress.show(`${name}: ${attempt.id} ${placeOf(attempt)}, ${renderMilliseconds(io.now() - begin)}`);
      await io.wait(POLL_MS);
    }
  } finally {
    progress.end();
  }
}

function placeOf({ status, step }: Attempt): string {
  return status === 'running' && step !== undefined ? `is at ${step}` : `is ${status}`;
}

/** @param told how many steps were said before */
function tellSteps({ steps = [] }: Attempt, told: number, io: Io): number {
  const done = steps.filter(({ finished_at }) => finished_at !== undefined);
  for (const { step, started_at, finished_at = '', detail } of done.slice(told)) {
    const took = Date.parse(finished_at) - Date.parse(started_at);
    const length = Number.isNaN(took) ? '' : ` ${renderMilliseconds(Math.max(0, took))}`;
    io.err(`${printable(`  ${step}:${length}${detail === undefined ? '' : `, ${detail}`}`)}\n`);
  }
  return Math.max(told, done.length);
}

function lookOn(name: string, id: string): string {
  return `\`roundhouse deploys watch ${name} ${id}\` looks on`;
}

function stopLooking(error: AppError, name: string, id: string): AppError {
  const text = `${error.message}\n  The deploy itself goes on: ${lookOn(name, id)}`;
  return new AppError(error.code, text, error.details, { cause: error });
}

function lost(name: string, attempt: Attempt, limitMs: number): AppError {
  const place = `${attempt.id} of ${name} ${placeOf(attempt)} after ${renderMilliseconds(limitMs)}`;
  return new AppError('UNAVAILABLE', `${place}. It goes on: ${lookOn(name, attempt.id)}`);
}
