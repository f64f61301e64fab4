import { isStopPending } from '../attention.ts';
import { type AppRecord, type Attempt, isFinal } from '../model.ts';

/** What an app needs, in the order in which it gets it. */
export type Task = 'delete' | 'switch' | 'cancel' | 'park' | 'step';

/** The next thing to do for an app; undefined when it is as it should be. */
export function nextTask(app: AppRecord): Task | undefined {
  if (app.deletion !== undefined) return 'delete';
  if (isStopPending(app)) return 'switch';
  const { attempt } = app;
  if (attempt === undefined || isFinal(attempt)) return undefined;
  if (isPastGate(attempt)) return 'step';
  if (attempt.cancelRequestedBy !== undefined) return 'cancel';
  if (!app.suspended) return 'step';
  return attempt.status === 'queued' && attempt.waitReason === 'suspended' ? undefined : 'park';
}

/** From here on the alias may have moved: no cancel and no stop holds the attempt up any more. */
export function isPastGate({ status, step }: Attempt): boolean {
  return status === 'running' && (step === 'shift' || step === 'verify' || step === 'retain');
}
