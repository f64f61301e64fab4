import { randomUUID } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { renderMilliseconds } from '../cluster/milliseconds.ts';
import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';
import { startProgress } from '../output/progress.ts';
import type { Apps } from './api.ts';
import { isFinal } from './follow.ts';
import type { App } from './shapes.ts';

const POLL_MS = 2000;

interface Patience {
  /** False: another deploy that runs is an error. */
  readonly wait: boolean;
  readonly limitMs: number;
}

/**
 * Begins a deploy once its app is free for one: while another runs the API refuses it with 409 and a time. All tries
 * have one `Idempotency-Key`, so that one whose answer was lost is not done twice.
 * @throws AppError CONFLICT when it may not wait, or has waited long enough
 */
export async function takeTurn(
  apps: Apps,
  name: string,
  begin: (once: { readonly idempotencyKey: string }) => Promise<App>,
  { wait, limitMs }: Patience,
  io: Io,
): Promise<App> {
  const idempotencyKey = randomUUID();
  const start = io.now();
  const progress = startProgress(io);
  let told = false;
  try {
    for (;;) {
      try {
        return await begin({ idempotencyKey });
      } catch (error) {
        const busy = busyError(error);
        if (busy === undefined) throw error;
        if (!wait) throw withHint(busy, 'Leave --no-wait out to wait for it');
        if (io.now() - start >= limitMs) throw withHint(busy, `That was so for ${renderMilliseconds(limitMs)}`);
        // Once: the time of expiry in it changes.
        if (!told) io.err(`${printable(`waiting: ${busy.message}`)}\n`);
        told = true;
      }
      progress.show(`${name}: waiting for its turn, ${renderMilliseconds(io.now() - start)}`);
      await untilFree(apps, name, start + limitMs, io);
    }
  } finally {
    progress.end();
  }
}

/** A 409 without a time is no matter of waiting. */
function busyError(error: unknown): AppError | undefined {
  const isBusy = error instanceof AppError && error.code === 'CONFLICT' && error.details.headers?.['retry-after'];
  return isBusy ? (error as AppError) : undefined;
}

function withHint(error: AppError, hint: string): AppError {
  return new AppError(error.code, `${error.message.replace(/\.$/, '')}. ${hint}`, error.details, { cause: error });
}

/** Until the attempt that runs is over; one pause when nobody may look, or something else holds the app. */
async function untilFree(apps: Apps, name: string, end: number, io: Io): Promise<void> {
  do {
    await io.wait(POLL_MS);
    const latest = await apps.attempt(name, 'latest').catch(() => undefined);
    if (latest === undefined || isFinal(latest)) return;
  } while (io.now() < end);
}
