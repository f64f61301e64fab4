import { AppError } from '../../errors.ts';
import { hasWork, workMessage } from '../attention.ts';
import { type AppRecord, type Attempt, isFinal } from '../model.ts';
import { type AppChange, AppChanged, type AppDraft, requireApp, saveApp } from '../records.ts';
import { appEtag } from '../views.ts';
import { judged } from '../work/conditions.ts';
import type { AppServiceDeps } from './deps.ts';

const TRIES = 8;

interface Options {
  readonly ifMatch?: string | undefined;
  /** Why there is work; for logs. */
  readonly reason: string;
}

interface Verdict extends AppChange {
  /** The final record of the attempt that another one replaces. */
  readonly ended?: Attempt | undefined;
}

/**
 * Changes an app for a request and sends word to the worker. `judge` is asked anew whenever another writer was first; it
 * may throw, and undefined means that all is as it should be.
 * @throws AppError NOT_FOUND; CONFLICT while it is being removed; PRECONDITION_FAILED for another ETag
 */
export async function change(
  deps: AppServiceDeps,
  name: string,
  { ifMatch, reason }: Options,
  judge: (app: AppRecord) => Verdict | undefined | Promise<Verdict | undefined>,
): Promise<AppRecord> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const app = await requireApp(deps, name);
    refuseDeleting(app);
    checkMatch(ifMatch, app);
    const verdict = await judge(app);
    if (verdict === undefined) return app;
    const after = await save(deps, app, verdict);
    if (after === undefined) continue;
    await sendWork(deps, after, reason);
    return after;
  }
  throw new AppError('PRECONDITION_FAILED', `The app ${name} is changed by others all the time. Try again.`);
}

async function save(deps: AppServiceDeps, app: AppRecord, { ended, ...change }: Verdict) {
  const before = ended === undefined ? app : { ...app, attempt: ended };
  const conditions = conditionsOf({ ...app, ...change } as AppRecord, deps.clock.now());
  try {
    return await saveApp(deps, before, { ...change, conditions });
  } catch (error) {
    if (error instanceof AppChanged) return undefined;
    throw error;
  }
}

/** What a request can know: how the newest attempt is, and that nothing serves. What serves is for those who look at it. */
export function conditionsOf(app: AppDraft, now: number): AppDraft['conditions'] {
  const { conditions } = judged(app as AppRecord, now);
  if (app.live === undefined) return conditions;
  const seen = app.conditions.filter(({ type }) => type !== 'Deploy');
  return [...seen, ...conditions.filter(({ type }) => type === 'Deploy')];
}

/**
 * Tells the worker to look at an app, if there is something to do. A message that cannot be sent fails nothing: the item
 * says that there is work, and the fast pass finds it a minute later.
 */
export async function sendWork({ queue }: AppServiceDeps, app: AppRecord, reason: string): Promise<void> {
  if (!hasWork(app)) return;
  await queue.send(...workMessage(app, reason)).catch(() => undefined);
}

/** What every change of the desired state has in common: what has failed before is tried at once. */
export function desired({ generation }: Pick<AppRecord, 'generation'>) {
  return { generation: generation + 1, retry: undefined };
}

/**
 * As {@link desired}, for a change that leaves `spec` alone: an attempt that is under way goes along. When it succeeds it
 * gives its settings to a spec that is still the one it knew, and to no other.
 */
export function desiredBesideSpec(app: Pick<AppRecord, 'generation' | 'attempt'>): AppChange {
  const { attempt } = app;
  const next = desired(app);
  const follows = attempt !== undefined && !isFinal(attempt) && attempt.generation === app.generation;
  return { ...next, ...(follows && { attempt: { ...attempt, generation: next.generation } }) };
}

function refuseDeleting(app: Pick<AppRecord, 'name' | 'deletion'>): void {
  const conflict = deletionConflict(app);
  if (conflict !== undefined) throw conflict;
}

/** Why nothing can be done with a name whose app is being removed. */
export function deletionConflict({ name, deletion }: Pick<AppRecord, 'name' | 'deletion'>): AppError | undefined {
  if (deletion === undefined) return undefined;
  const since = new Date(deletion.requestedAt).toISOString();
  const left = `GET /api/v1/apps/${name} shows what is left; its name is free once that answers 404.`;
  return new AppError('CONFLICT', `The app ${name} is being removed since ${since}. ${left}`);
}

/** @throws AppError PRECONDITION_FAILED (RFC 9110, 13.1.1) */
export function checkMatch(ifMatch: string | undefined, app: AppRecord): void {
  if (ifMatch === undefined) return;
  const wanted = ifMatch.split(',').map((tag) => tag.trim());
  const etag = appEtag(app);
  if (wanted.includes('*') || wanted.includes(etag)) return;
  const hint = 'Read it again, then repeat the request.';
  throw new AppError('PRECONDITION_FAILED', `The app ${app.name} has changed: its ETag is ${etag}. ${hint}`);
}
