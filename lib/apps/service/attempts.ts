import { AppError } from '../../errors.ts';
import { FAILURES, type Failure } from '../failures.ts';
import { type AppRecord, type Attempt, isFinal, STEPS } from '../model.ts';
import { attemptId } from '../records.ts';
import type { Caller } from '../types.ts';
import { desired } from './change.ts';
import type { AppServiceDeps } from './deps.ts';

type NewAttempt = Pick<Attempt, 'source' | 'image' | 'settings'> &
  Partial<Pick<Attempt, 'code' | 'version' | 'rollbackOf' | 'rotatedSecrets'>>;

/** What an attempt is made from: the app, or one that is about to be. */
type Target = Pick<AppRecord, 'name' | 'generation' | 'nextAttempt' | 'attempt' | 'lease'>;

/** How soon somebody should ask again whose request met an attempt that is past its shift: the fast pass takes it on. */
const RESUME_SECONDS = 60;

/** The change that gives an app a new attempt, in the place of one that nobody works on. @throws AppError CONFLICT */
export function startAttempt(deps: AppServiceDeps, app: Target, input: NewAttempt, { tokenId }: Caller) {
  const now = deps.clock.now();
  const next = desired(app);
  const attempt: Attempt = {
    ...input,
    id: attemptId(app.nextAttempt, deps.random(5)),
    number: app.nextAttempt,
    status: 'queued',
    steps: [],
    generation: next.generation,
    createdBy: tokenId,
    queuedAt: now,
  };
  const ended = endReplaced(app, attempt.id, now);
  return {
    ...next,
    attempt,
    nextAttempt: app.nextAttempt + 1,
    ended,
    // A worker that wakes up late must not find its own lease.
    ...(ended && { lease: undefined }),
  };
}

/** The final record of the attempt that is in the way; undefined when none is. @throws AppError CONFLICT */
function endReplaced({ name, attempt, lease }: Target, by: string, now: number): Attempt | undefined {
  if (attempt === undefined || isFinal(attempt)) return undefined;
  if (lease !== undefined && lease.expiresAt > now) throw held(name, attempt, lease.owner, lease.expiresAt, now);
  // The alias may serve its version by now, and only the attempt itself can say so or take it back.
  if (isShifted(attempt)) throw unfinished(name, attempt);
  if (lease === undefined || attempt.status === 'queued') {
    return endAttempt(attempt, { status: 'superseded', supersededBy: by, finishedAt: now });
  }
  const step = attempt.step ?? 'prepare';
  const { fix, retryable } = FAILURES.worker_lost;
  const failure: Failure = {
    code: 'worker_lost',
    cause: `worker lost at ${step}`,
    step,
    suggestedFix: fix,
    retryable,
    at: now,
  };
  return endAttempt(attempt, { status: 'failed', finishedAt: now, failure });
}

/** What is final waits for nothing. */
export function endAttempt({ waitReason, ...attempt }: Attempt, end: Partial<Attempt>): Attempt {
  return { ...attempt, ...end };
}

/** Whether the move of the alias has begun. */
export function isShifted({ step }: Pick<Attempt, 'step'>): boolean {
  return step !== undefined && STEPS.indexOf(step) >= STEPS.indexOf('shift');
}

/** The image that an app is left with when an attempt ends without success: what is live, if nobody set another one. */
export function imageWithout(app: AppRecord, attempt: Attempt | undefined): string {
  return attempt !== undefined && app.live !== undefined && app.spec.image === attempt.image
    ? app.live.image
    : app.spec.image;
}

function held(app: string, { id, step }: Attempt, owner: string, expiresAt: number, now: number): AppError {
  const seconds = Math.max(1, Math.ceil((expiresAt - now) / 1000));
  const until = new Date(expiresAt).toISOString();
  const where = step === undefined ? '' : `, at step ${step}`;
  const hint = `Wait for it, or POST /api/v1/apps/${app}/deploys/${id}/cancel.`;
  const text = `The app ${app} is being deployed: attempt ${id}${where} is held by worker ${owner} until ${until}. ${hint}`;
  return new AppError('CONFLICT', text, { headers: { 'retry-after': String(seconds) } });
}

function unfinished(app: string, { id, step }: Attempt): AppError {
  const why = `attempt ${id} was interrupted at step ${step}, and its version may serve already`;
  const text = `The app ${app} is being deployed: ${why}. The next pass ends it, within a minute. Then repeat the request.`;
  return new AppError('CONFLICT', text, { headers: { 'retry-after': String(RESUME_SECONDS) } });
}
