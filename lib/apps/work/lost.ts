import { type AppRecord, isFinal } from '../model.ts';
import { endedWith, endedWithout } from './ending.ts';
import { workerLost } from './failure.ts';
import { createContext } from './step.ts';
import { goBack } from './steps/shift.ts';
import type { Visit } from './visit.ts';

/**
 * Ends an attempt that no worker could finish: what serves is again what served before. At the last step the release has
 * traffic and proved itself, so it is one.
 */
export async function loseAttempt(visit: Visit, id: string | undefined): Promise<void> {
  const { deps, session } = visit;
  const { attempt, deletion } = session.app();
  // One that came after the message, or that no worker has begun, was tried by nobody.
  if (deletion !== undefined || attempt?.status !== 'running' || (id !== undefined && attempt.id !== id)) return;
  if (attempt.step === 'shift' || attempt.step === 'verify')
    await goBack(createContext({ ...visit, attemptId: attempt.id }));
  const now = deps.clock.now();
  await session.save((app) => ended(app, attempt.id, now));
  deps.log.error('worker lost', { app: session.app().name, attempt: attempt.id, step: attempt.step });
  const result = session.app().attempt?.status === 'succeeded' ? 'succeeded' : 'failed';
  deps.telemetry?.deploy({ result, durationMs: now - attempt.queuedAt, app: session.app().name, attempt: attempt.id });
}

function ended(app: AppRecord, id: string, now: number) {
  const { attempt } = app;
  if (attempt?.id !== id || isFinal(attempt)) return {};
  if (attempt.step === 'retain') return endedWith(app, attempt, now);
  return endedWithout(app, attempt, { status: 'failed', failure: workerLost(attempt, now) }, now);
}
