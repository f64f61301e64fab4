import type { AppRecord, Attempt, Condition } from '../model.ts';

type Facts = Pick<Condition, 'status' | 'reason' | 'message'>;

/** Puts a condition in the place of the one with its type; `lastTransitionAt` changes only with `status`. */
export function withCondition(
  conditions: readonly Condition[],
  type: string,
  facts: Facts,
  now: number,
): readonly Condition[] {
  const before = conditions.find((condition) => condition.type === type);
  const lastTransitionAt = before?.status === facts.status ? before.lastTransitionAt : now;
  const after = { type, ...facts, lastTransitionAt, lastObservedAt: now };
  return before === undefined
    ? [...conditions, after]
    : conditions.map((condition) => (condition === before ? after : condition));
}

/** `Ready` is about what serves, `Deploy` about the newest attempt: a failed one does not make a good release unready (R42). */
export function judged(app: AppRecord, now: number): { readonly conditions: readonly Condition[] } {
  const ready = withCondition(app.conditions, 'Ready', readyOf(app), now);
  return { conditions: app.attempt ? withCondition(ready, 'Deploy', deployOf(app.attempt), now) : ready };
}

function readyOf({ suspended, observed, live, attempt }: AppRecord): Facts {
  if (suspended && observed?.stopped !== false) {
    return { status: 'Unknown', reason: 'Suspended', message: 'The app is stopped; requests are answered with 429.' };
  }
  if (live !== undefined && observed?.url === undefined) {
    const message = `Release ${live.number} does not serve: its function or version was removed outside of Roundhouse.`;
    return { status: 'False', reason: 'FunctionMissing', message };
  }
  if (live !== undefined) {
    const message = `Release ${live.number} (${live.deployId}) serves, as version ${live.version}.`;
    return { status: 'True', reason: 'Deployed', message };
  }
  if (attempt?.failure !== undefined) {
    const reason = attempt.failure.code === 'health_check_failed' ? 'ReadinessFailed' : 'CreateFailed';
    return { status: 'False', reason, message: attempt.failure.cause };
  }
  if (attempt?.status === 'queued' || attempt?.status === 'running') {
    return { status: 'Unknown', reason: 'Reconciling', message: `The first release is being made (${attempt.id}).` };
  }
  return { status: 'Unknown', reason: 'NoDesiredState', message: 'Nothing was deployed yet.' };
}

function deployOf({ id, status, failure, release, canceledBy, supersededBy, step, waitReason }: Attempt): Facts {
  switch (status) {
    case 'succeeded':
      return { status: 'True', reason: 'Succeeded', message: `${id} made release ${release}.` };
    case 'failed':
      return { status: 'False', reason: pascal(failure?.code ?? 'unknown'), message: `${id}: ${failure?.cause}` };
    case 'canceled':
      return {
        status: 'Unknown',
        reason: 'Canceled',
        message: `${id} was canceled${canceledBy ? ` by ${canceledBy}` : ''}.`,
      };
    case 'superseded':
      return {
        status: 'Unknown',
        reason: 'Superseded',
        message: `${id} gave way to ${supersededBy ?? 'a newer one'}.`,
      };
    case 'queued':
      return waitReason === 'suspended'
        ? { status: 'Unknown', reason: 'Suspended', message: `${id} waits until the app is started.` }
        : { status: 'Unknown', reason: 'Queued', message: `${id} waits for a worker.` };
    case 'running':
      return { status: 'Unknown', reason: 'Running', message: `${id} is at ${step}.` };
  }
}

function pascal(code: string): string {
  return code.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
