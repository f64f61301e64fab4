import { AppError } from '../../errors.ts';
import { limitOf } from '../../store/paging.ts';
import { ATTENTION } from '../attention.ts';
import { type AppRecord, type Attempt, isFinal } from '../model.ts';
import { attemptNumber, loadAttempt, loadAttempts, readApp, requireApp } from '../records.ts';
import { settingsOf } from '../settings.ts';
import type { AttemptQuery, Caller } from '../types.ts';
import { endAttempt, imageWithout, isShifted, startAttempt } from './attempts.ts';
import { change } from './change.ts';
import { checkKind, findCode } from './code.ts';
import type { AppServiceDeps } from './deps.ts';

type Guard = string | undefined;

export async function deploy(
  deps: AppServiceDeps,
  name: string,
  image: string,
  caller: Caller,
  ifMatch: Guard,
): Promise<AppRecord> {
  return await change(deps, name, { ifMatch, reason: 'deploy' }, async (app) => {
    const code = await findCode(deps, name, image);
    checkKind(app, code);
    const attempt = startAttempt(deps, app, { ...code, settings: settingsOf(app.spec) }, caller);
    return { ...attempt, spec: { ...app.spec, image } };
  });
}

/**
 * The code that is live, with today's settings: fresh instances, which read today's secrets. A deploy that waits for the start of
 * a stopped app stays: it makes fresh ones anyway.
 */
export async function restart(deps: AppServiceDeps, name: string, caller: Caller, ifMatch: Guard): Promise<AppRecord> {
  return await change(deps, name, { ifMatch, reason: 'restart' }, (app) => {
    const { live, spec } = app;
    if (app.suspended && app.attempt?.waitReason === 'suspended' && !isFinal(app.attempt)) return undefined;
    if (live === undefined) {
      const how = `Deploy it first: POST /api/v1/apps/${name}/deploys.`;
      throw new AppError('CONFLICT', `The app ${name} has no live release that could be restarted. ${how}`);
    }
    const { image, code } = live;
    const attempt = startAttempt(deps, app, { source: 'restart', image, code, settings: settingsOf(spec) }, caller);
    return { ...attempt, spec: { ...spec, image } };
  });
}

export async function listAttempts(deps: AppServiceDeps, name: string, query: AttemptQuery): Promise<Attempt[]> {
  const limit = limitOf({ ...(query.limit !== undefined && { limit: query.limit }) });
  const before = query.before === undefined ? undefined : attemptNumber(query.before);
  if (query.before !== undefined && before === undefined) {
    throw new AppError('BAD_REQUEST', 'before is not the id of an attempt (dep_ and 12 characters)');
  }
  const app = await requireApp(deps, name);
  return await loadAttempts(deps, app, { limit, ...(before !== undefined && { before }) });
}

export async function getAttempt(deps: AppServiceDeps, name: string, id: string) {
  const app = await requireApp(deps, name);
  return { app, attempt: await requireAttempt(deps, app, id) };
}

/** @throws AppError NOT_FOUND, for the id of another app too */
export async function requireAttempt(deps: AppServiceDeps, app: AppRecord, id: string): Promise<Attempt> {
  const attempt = await loadAttempt(deps, app, id);
  if (attempt !== undefined) return attempt;
  const what = id === 'latest' ? 'no deploy yet' : `no deploy ${JSON.stringify(id.slice(0, 64))}`;
  throw new AppError('NOT_FOUND', `The app ${app.name} has ${what}.`);
}

/** Ends an attempt that nobody works on at once; asks the worker to end one that it works on. */
export async function cancel(deps: AppServiceDeps, name: string, id: string, { tokenId }: Caller): Promise<Attempt> {
  let found: Attempt | undefined;
  const app = await change(deps, name, { reason: 'cancel' }, async (before) => {
    found = await requireAttempt(deps, before, id);
    if (found.status === 'canceled') return undefined;
    // What the history has is over, whatever it says: only the app's own attempt can be ended.
    if (found.id !== before.attempt?.id || isFinal(found) || isShifted(found)) throw tooLate(name, found);
    if (found.cancelRequestedBy !== undefined) return undefined;
    const now = deps.clock.now();
    const { lease } = before;
    if (found.status === 'running' || (lease !== undefined && lease.expiresAt > now)) {
      return { attempt: { ...found, cancelRequestedBy: tokenId } };
    }
    const spec = { ...before.spec, image: imageWithout(before, found) };
    const attempt = endAttempt(found, { status: 'canceled', canceledBy: tokenId, finishedAt: now });
    return { spec, attempt, retry: undefined };
  });
  return app.attempt?.id === found?.id ? (app.attempt as Attempt) : (found as Attempt);
}

function tooLate(app: string, { id, status, step }: Attempt): AppError {
  const why = isFinal({ status }) ? `it is ${status} already` : `it is at step ${step}: its version serves`;
  const how = `To go back, POST /api/v1/apps/${app}/deploys/{id}/rollback with an earlier deploy.`;
  return new AppError('CONFLICT', `The deploy ${id} of the app ${app} cannot be canceled: ${why}. ${how}`);
}

/**
 * Apps whose latest attempt failed. The index may lag and has apps with work too, which can have a failed attempt as well,
 * so the item itself is judged.
 */
export async function listFailed({ store }: AppServiceDeps, since: number): Promise<AppRecord[]> {
  const items = await store.query({ pk: ATTENTION, index: 'attention' });
  return items
    .map(readApp)
    .filter(({ attempt, deletion }) => attempt?.status === 'failed' && deletion === undefined)
    .filter((app) => startOf(app) >= since)
    .sort((a, b) => startOf(b) - startOf(a) || (a.name < b.name ? -1 : 1));
}

function startOf({ attempt }: AppRecord): number {
  return attempt?.startedAt ?? attempt?.queuedAt ?? 0;
}
