import { RuntimeError, type RuntimeErrorCode } from '../runtime/runtime.ts';
import { pauseMs } from './backoff.ts';
import type { WorkerDeps } from './types.ts';

/** Refusals that pass by themselves, and how long a step goes on in spite of them, in milliseconds. */
const BUDGETS: Readonly<Partial<Record<RuntimeErrorCode, number>>> = {
  // R17.
  conflict: 60_000,
  precondition: 60_000,
  role_not_ready: 30_000,
  // What was just made is not known everywhere at once.
  not_found: 10_000,
  throttled: 5 * 60_000,
  unavailable: 5 * 60_000,
};

/** How long a refusal is worth waiting for; undefined when it will not pass. */
export function budgetOf(error: unknown): number | undefined {
  return error instanceof RuntimeError ? BUDGETS[error.code] : undefined;
}

/** Tries of a call that belongs to no step, all within some seconds; after them the app's own backoff begins. */
const TRIES = 4;

/** Calls again what is refused for reasons that pass by themselves, as long as the message has time. */
export async function retried<T>(
  { deps, deadline }: { readonly deps: Pick<WorkerDeps, 'clock' | 'delay' | 'random'>; readonly deadline: number },
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const passes = budgetOf(error) !== undefined && (error as RuntimeError).code !== 'not_found';
      if (!passes || tries === TRIES) throw error;
      const ms = pauseMs(tries, deps.random);
      if (deps.clock.now() + ms > deadline) throw error;
      await deps.delay(ms);
    }
  }
}
