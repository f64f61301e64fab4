import type { AppRecord } from '../model.ts';
import type { AppChange } from '../records.ts';
import { RuntimeError } from '../runtime/runtime.ts';
import { withCondition } from './conditions.ts';
import type { WorkerDeps } from './types.ts';

const TYPE = 'Reservation';

/**
 * Reserves instances for a started app, or takes the reservation away. Where the account has too few left, the app runs
 * without one, and a condition says so: being up without a promise is better than being down (R41).
 *
 * @returns what to write of it
 */
export async function applyReservation(
  { runtime, clock }: Pick<WorkerDeps, 'runtime' | 'clock'>,
  name: string,
  reserved: number | undefined,
): Promise<(app: AppRecord) => AppChange> {
  try {
    await runtime.setConcurrency(name, reserved);
  } catch (error) {
    if (reserved === undefined || !isRefusal(error)) throw error;
    await runtime.setConcurrency(name, undefined);
    const message = `${reserved} instances cannot be reserved: ${error.message} The app runs without a reservation.`;
    return observing(undefined, { status: 'False', reason: 'NotEnoughConcurrency', message });
  }
  const message = `${reserved} instances are reserved.`;
  return observing(reserved, reserved === undefined ? undefined : { status: 'True', reason: 'Reserved', message });

  function observing(now: number | undefined, facts?: Parameters<typeof withCondition>[2]) {
    return (app: AppRecord): AppChange => ({
      ...observedWith(app, now),
      conditions: facts
        ? withCondition(app.conditions, TYPE, facts, clock.now())
        : app.conditions.filter(({ type }) => type !== TYPE),
    });
  }
}

/** Writes down what is reserved, and so whether the app is stopped. */
export function observedWith({ observed }: AppRecord, reserved: number | undefined): AppChange {
  if (observed === undefined) return {};
  const { reservedConcurrency: _before, ...rest } = observed;
  const stopped = reserved === 0;
  return { observed: { ...rest, stopped, ...(reserved !== undefined && { reservedConcurrency: reserved }) } };
}

/** Writes down that there is no function, or none that serves: only a deploy brings it back. */
export function unseen({ observed, suspended }: AppRecord, now: number): AppChange {
  if (observed === undefined) return {};
  const { functionArn: _arn, url: _url, codeSha256: _code, reservedConcurrency: _reserved, ...rest } = observed;
  return { observed: { ...rest, stopped: suspended, at: now } };
}

function isRefusal(error: unknown): error is RuntimeError {
  return error instanceof RuntimeError && (error.code === 'concurrency_exhausted' || error.code === 'invalid');
}
