import { AppError } from '../../errors.ts';
import type { AppRecord } from '../model.ts';
import { AppChanged, removeApp, requireApp, saveApp } from '../records.ts';
import type { Caller } from '../types.ts';
import { checkMatch, desiredBesideSpec, sendWork } from './change.ts';
import type { AppServiceDeps } from './deps.ts';

const TRIES = 8;

/** Marks an app for the finalizer, or removes its item at once when there is nothing else of it. */
export async function removeOrMark(
  deps: AppServiceDeps,
  name: string,
  { tokenId }: Caller,
  ifMatch: string | undefined,
): Promise<AppRecord> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const app = await requireApp(deps, name);
    checkMatch(ifMatch, app);
    if (app.deletion !== undefined) return app;
    try {
      if (isBare(app)) {
        await removeApp(deps, app);
        return app;
      }
      const deletion = { requestedAt: deps.clock.now(), requestedBy: tokenId, leftovers: [] };
      const marked = await saveApp(deps, app, { ...desiredBesideSpec(app), deletion });
      await sendWork(deps, marked, 'remove');
      return marked;
    } catch (error) {
      if (!(error instanceof AppChanged)) throw error;
    }
  }
  throw new AppError('PRECONDITION_FAILED', `The app ${name} is changed by others all the time. Try again.`);
}

/** Whether its item is all there ever was of an app: no function, no attempt, and nothing kept elsewhere. */
function isBare({ observed, nextAttempt, secrets, spec, hasBelongings, lease }: AppRecord): boolean {
  if (observed !== undefined || lease !== undefined || hasBelongings) return false;
  return nextAttempt === 1 && spec.domains.length === 0 && Object.keys(secrets).length === 0;
}
