import { isStopPending } from './attention.ts';
import { type AppRecord, isFinal } from './model.ts';

export const STATE_NAMES = [
  'never_deployed',
  'stopped',
  'deploying',
  'healthy',
  'degraded',
  'failed',
  'deleting',
] as const;

/** What is true of an app now (R42). */
export interface AppState {
  readonly name: (typeof STATE_NAMES)[number];
  /** One sentence for people. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Two words and a colour for lists, with the vocabulary of the peer. */
export interface StatusSummary {
  readonly label: 'No status yet' | 'Stopped' | 'Attention needed' | 'Healthy' | 'Reconciling';
  readonly variant: 'muted' | 'destructive' | 'success';
}

const SUMMARIES: Readonly<Record<AppState['name'], StatusSummary>> = {
  never_deployed: { label: 'No status yet', variant: 'muted' },
  stopped: { label: 'Stopped', variant: 'muted' },
  deploying: { label: 'Reconciling', variant: 'muted' },
  healthy: { label: 'Healthy', variant: 'success' },
  degraded: { label: 'Attention needed', variant: 'destructive' },
  failed: { label: 'Attention needed', variant: 'destructive' },
  deleting: { label: 'Reconciling', variant: 'muted' },
};

export function summarise({ name }: Pick<AppState, 'name'>): StatusSummary {
  return SUMMARIES[name];
}

/** Judges desired and observed state, the newest attempt and the live release, in this order. */
export function stateOf(app: AppRecord): AppState {
  return (
    deleting(app) ?? switching(app) ?? stopped(app) ?? deploying(app) ?? (app.live ? serving(app) : neverLive(app))
  );
}

function deleting({ deletion }: AppRecord): AppState | undefined {
  if (deletion === undefined) return undefined;
  const left = deletion.leftovers.length;
  const reason = left === 0 ? 'it is being removed' : `it is being removed; ${left} things could not be removed yet`;
  return { name: 'deleting', reason, since: deletion.requestedAt };
}

/** Stop or start was asked for and is not seen yet: to call it stopped, or healthy, would not be true. */
function switching(app: AppRecord): AppState | undefined {
  if (!isStopPending(app)) return undefined;
  const what = app.suspended ? 'it is being stopped' : 'it is being started';
  const reason = app.retry === undefined ? what : `${what}; the last try failed: ${app.retry.reason}`;
  return { name: 'deploying', reason, since: app.switchedAt ?? app.updatedAt };
}

function stopped(app: AppRecord): AppState | undefined {
  if (!app.suspended) return undefined;
  const waiting = app.attempt !== undefined && !isFinal(app.attempt);
  const what = app.live ? `release ${app.live.number} is stopped` : 'it is stopped, and was never deployed';
  const reason = waiting ? `${what}; attempt ${app.attempt.id} goes on when it is started` : what;
  return { name: 'stopped', reason, since: app.switchedAt ?? app.createdAt };
}

function deploying({ attempt, live, retry }: AppRecord): AppState | undefined {
  if (attempt === undefined || isFinal(attempt)) return undefined;
  const step = attempt.status === 'queued' ? 'is queued' : `is at step ${attempt.step ?? 'prepare'}`;
  const meanwhile = live ? `; release ${live.number} serves on` : '';
  const trouble = retry ? `; the last try failed: ${retry.reason}` : '';
  return { name: 'deploying', reason: `attempt ${attempt.id} ${step}${meanwhile}${trouble}`, since: attempt.queuedAt };
}

function neverLive({ attempt, createdAt }: AppRecord): AppState {
  if (attempt?.failure === undefined) {
    const reason = attempt ? `never deployed: the newest attempt was ${attempt.status}` : 'never deployed';
    return { name: 'never_deployed', reason, since: createdAt };
  }
  const { id, failure } = attempt;
  const reason = `attempt ${id} failed (${failure.code}), and there is no earlier release`;
  return { name: 'failed', reason, since: attempt.finishedAt ?? failure.at };
}

function serving({ attempt, live, conditions }: AppRecord): AppState {
  const release = `release ${live?.number}`;
  // `Deploy` says of the newest attempt what is judged below, with more.
  const broken = conditions.find(({ type, status }) => status === 'False' && type !== 'Deploy');
  if (broken !== undefined) {
    const reason = `${broken.type} is false (${broken.reason}): ${broken.message}`;
    return { name: 'degraded', reason, since: broken.lastTransitionAt };
  }
  if (attempt?.failure !== undefined) {
    const reason = `attempt ${attempt.id} failed (${attempt.failure.code}); ${release} serves on`;
    return { name: 'degraded', reason, since: attempt.finishedAt ?? attempt.failure.at };
  }
  return { name: 'healthy', reason: `${release} serves`, since: live?.since ?? 0 };
}
