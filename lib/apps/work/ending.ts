import type { Failure } from '../failures.ts';
import type { AppRecord, Attempt, AttemptStatus, Release } from '../model.ts';
import type { AppChange } from '../records.ts';
import { judged } from './conditions.ts';

type Verdict =
  | { readonly status: Extract<AttemptStatus, 'failed'>; readonly failure: Failure }
  | { readonly status: Extract<AttemptStatus, 'canceled'>; readonly canceledBy?: string | undefined };

/** Ends an attempt without a release: what serves goes on, and what is desired is what serves, unless it changed since. */
export function endedWithout(app: AppRecord, attempt: Attempt, verdict: Verdict, now: number): AppChange {
  const { waitReason: _waitReason, ...rest } = attempt;
  const ended: Attempt = {
    ...rest,
    status: verdict.status,
    finishedAt: now,
    ...('failure' in verdict && { failure: verdict.failure }),
    ...('canceledBy' in verdict && verdict.canceledBy !== undefined && { canceledBy: verdict.canceledBy }),
  };
  const back = app.live !== undefined && app.spec.image === attempt.image;
  const spec = back && app.live ? { ...app.spec, image: app.live.image } : app.spec;
  return { attempt: ended, spec, retry: undefined, ...judged({ ...app, attempt: ended }, now) };
}

/** Ends an attempt with a release: one write makes everything true at once. */
export function endedWith(app: AppRecord, attempt: Attempt, now: number): AppChange {
  const { code, version, image, settings, id, generation } = attempt;
  if (code === undefined || version === undefined)
    throw new Error(`the attempt ${id} has no code or no version at its end`);
  const number = app.lastRelease + 1;
  const live: Release = { number, deployId: id, version, image, code, settings, since: now };
  const ended: Attempt = { ...attempt, status: 'succeeded', release: number, finishedAt: now };
  const restored = attempt.source === 'rollback' && app.generation === generation;
  const { readiness: _, ...spec } = app.spec;
  const observed = { stopped: false, ...app.observed, at: now, generation };
  const after = { attempt: ended, live, lastRelease: number, observed };
  return {
    ...after,
    ...(restored && { spec: { ...spec, ...settings, image } }),
    retry: undefined,
    ...judged({ ...app, ...after }, now),
  };
}
