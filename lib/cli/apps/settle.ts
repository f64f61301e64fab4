import { AppError } from '../../errors.ts';
import { renderMilliseconds } from '../cluster/milliseconds.ts';
import type { Io } from '../io.ts';
import { startProgress } from '../output/progress.ts';
import type { App } from './shapes.ts';

const POLL_MS = 1000;

interface Settling<T> {
  /** What is awaited, for the line that a person sees. */
  readonly what: string;
  readonly limitMs: number;
  /** Looks; undefined ends the waiting too: there is nothing left to look at. */
  readonly look: () => Promise<T>;
  readonly isDone: (found: T) => boolean;
  /** Where it is now, for people. */
  readonly placeOf: (found: T) => string;
}

/** Looks until it is done. @throws AppError UNAVAILABLE when that takes too long, with where it was last */
export async function settle<T>({ what, limitMs, look, isDone, placeOf }: Settling<T>, io: Io): Promise<T> {
  const begin = io.now();
  const progress = startProgress(io);
  try {
    for (;;) {
      const found = await look();
      if (isDone(found)) return found;
      const waited = renderMilliseconds(io.now() - begin);
      if (io.now() - begin >= limitMs) {
        throw new AppError('UNAVAILABLE', `${what}: not done after ${waited}: ${placeOf(found)}. It goes on by itself`);
      }
      progress.show(`${what}: ${placeOf(found)}, ${waited}`);
      await io.wait(POLL_MS);
    }
  } finally {
    progress.end();
  }
}

/** Whether what was asked for is what is there: a stop that is not seen yet is a state `deploying`. */
export function isStopped({ state, suspended }: App): boolean {
  return suspended && state.name !== 'deploying';
}

export function isStarted({ state, suspended }: App): boolean {
  return !suspended && state.name !== 'deploying';
}
