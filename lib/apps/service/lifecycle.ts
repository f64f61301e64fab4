import { type AppRecord, isFinal } from '../model.ts';
import { change, desiredBesideSpec } from './change.ts';
import type { AppServiceDeps } from './deps.ts';

/** Marks an app as stopped or started; the worker does it. Twice is as once. */
export async function setSuspended(
  deps: AppServiceDeps,
  name: string,
  suspended: boolean,
  ifMatch: string | undefined,
): Promise<AppRecord> {
  const reason = suspended ? 'stop' : 'start';
  return await change(deps, name, { ifMatch, reason }, (app) => {
    if (app.suspended === suspended) return undefined;
    const next = desiredBesideSpec(app);
    const attempt = next.attempt ?? app.attempt;
    if (suspended || attempt === undefined || isFinal(attempt)) {
      return { ...next, suspended, switchedAt: deps.clock.now() };
    }
    const { waitReason, ...goesOn } = attempt;
    return { ...next, attempt: goesOn, suspended, switchedAt: deps.clock.now() };
  });
}
