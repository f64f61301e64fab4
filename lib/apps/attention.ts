import { type AppRecord, isFinal } from './model.ts';
import type { WorkMessage } from './ports.ts';

/** A queued attempt whose message came through is taken by a worker within this time; after it the fast pass looks. */
const MESSAGE_GRACE_MS = 60_000;

/** Partition of the sparse index of apps that need attention. */
export const ATTENTION = 'APPS';

/** Prefixes of the sort keys there: work by when it is due, then what only `deploys/failed` wants. */
export const WORK_PREFIX = 'WORK#';
const FAILED_PREFIX = 'FAILED#';

const DIGITS = 15;

/** Sort key of work that is due at `time` (milliseconds). */
export function workSort(time: number): string {
  return `${WORK_PREFIX}${stamp(time)}`;
}

/** Attributes of an app's item that put it into the index; none when it is converged and its last attempt did not fail. */
export function attentionOf(app: AppRecord): { attention?: string; attentionAt?: string } {
  const due = workDueAt(app);
  if (due !== undefined) return { attention: ATTENTION, attentionAt: workSort(due) };
  if (app.attempt?.status === 'failed') {
    return {
      attention: ATTENTION,
      attentionAt: `${FAILED_PREFIX}${stamp(app.attempt.startedAt ?? app.attempt.queuedAt)}`,
    };
  }
  return {};
}

/** When somebody should look at the app, or undefined when there is nothing to do. */
export function workDueAt(app: AppRecord): number | undefined {
  if (!hasWork(app)) return undefined;
  if (app.lease !== undefined && app.lease.expiresAt > app.updatedAt) return app.lease.expiresAt;
  if (app.retry !== undefined) return app.retry.at;
  return app.updatedAt + MESSAGE_GRACE_MS;
}

/** Whether the app is not yet as it should be. */
export function hasWork(app: AppRecord): boolean {
  if (app.deletion !== undefined) return true;
  if (isStopPending(app)) return true;
  if (app.attempt === undefined || isFinal(app.attempt)) return false;
  if (app.attempt.cancelRequestedBy !== undefined) return true;
  return app.attempt.waitReason === undefined || !app.suspended;
}

/** Stopped but not seen stopped, or the other way round. An app without a function has nothing that could be stopped. */
export function isStopPending(app: AppRecord): boolean {
  return app.observed !== undefined && app.observed.stopped !== app.suspended;
}

/** What is sent about an app, with the id by which the queue takes repeats for one until something has changed. */
export function workMessage(app: AppRecord, reason: string): [WorkMessage, string] {
  const attempt = app.attempt && !isFinal(app.attempt) ? { attempt: app.attempt.id } : {};
  return [{ app: app.name, reason, ...attempt }, `${app.appId}.${app.version}`];
}

function stamp(time: number): string {
  return String(Math.max(0, Math.floor(time))).padStart(DIGITS, '0');
}
