import { expect, test } from 'vitest';
import type { AppRecord, Attempt, Condition } from '../../../lib/apps/model.ts';
import { type AppState, stateOf, summarise } from '../../../lib/apps/status.ts';
import { appRecord, attempt, SETTINGS, THEN } from '../../support/app-records.ts';

const LATER = THEN + 5000;
const live = {
  number: 3,
  deployId: 'dep_AAAAAQAAAAAA',
  version: '3',
  image: 'artifact:one',
  code: { kind: 'zip' as const, artifact: 'one', versionId: 'v', bytes: 1 },
  settings: SETTINGS,
  since: LATER,
};
const failure = {
  code: 'health_check_failed' as const,
  cause: 'it answered 500',
  suggestedFix: '',
  retryable: true,
  at: LATER,
};
const failed: Attempt = attempt({ status: 'failed', failure, finishedAt: LATER });
const open: Attempt = attempt({ id: 'dep_AAAAAgAAAAAA', number: 2, status: 'running', step: 'gate', queuedAt: LATER });
const serves = { at: THEN, generation: 1, stopped: false };
const throttled = { at: LATER, count: 1, reason: 'throttled' };
const notReady: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'FunctionMissing',
  message: 'it is not there',
  lastTransitionAt: LATER,
  lastObservedAt: LATER,
};
const deletion = { requestedAt: LATER, leftovers: [{ resource: 'role', reason: 'denied' }] };

test.each<[string, Partial<AppRecord>, AppState['name'], RegExp, number]>([
  ['nothing was deployed', {}, 'never_deployed', /^never deployed$/, THEN],
  [
    'the only attempt was canceled',
    { attempt: attempt({ status: 'canceled' }) },
    'never_deployed',
    /was canceled/,
    THEN,
  ],
  ['the first attempt failed', { attempt: failed }, 'failed', /failed \(health_check_failed\), and there is no/, LATER],
  ['the first attempt runs', { attempt: open }, 'deploying', /is at step gate$/, LATER],
  ['one is queued', { attempt: attempt() }, 'deploying', /is queued$/, THEN],
  ['the next one runs', { attempt: open, live }, 'deploying', /is at step gate; release 3 serves on$/, LATER],
  ['it cannot go on', { attempt: open, retry: throttled }, 'deploying', /the last try failed: throttled$/, LATER],
  [
    'it serves',
    { live, observed: serves, attempt: attempt({ status: 'succeeded' }) },
    'healthy',
    /^release 3 serves$/,
    LATER,
  ],
  [
    'the next one was canceled',
    { live, attempt: attempt({ status: 'canceled' }) },
    'healthy',
    /^release 3 serves$/,
    LATER,
  ],
  [
    'the next one failed',
    { live, attempt: failed },
    'degraded',
    /failed \(health_check_failed\); release 3 serves on/,
    LATER,
  ],
  [
    'it is not ready',
    { live, conditions: [notReady] },
    'degraded',
    /^Ready is false \(FunctionMissing\): it is not/,
    LATER,
  ],
  [
    'a condition tells only of the attempt',
    { live, attempt: attempt({ status: 'canceled' }), conditions: [{ ...notReady, type: 'Deploy' }] },
    'healthy',
    /serves/,
    LATER,
  ],
  [
    'something is not known',
    { live, conditions: [{ ...notReady, status: 'Unknown', reason: 'NotConfigured' }] },
    'healthy',
    /serves/,
    LATER,
  ],
  [
    'it is stopped',
    { suspended: true, live, observed: { ...serves, stopped: true }, switchedAt: LATER },
    'stopped',
    /^release 3 is stopped$/,
    LATER,
  ],
  ['a bare app is stopped', { suspended: true, switchedAt: LATER }, 'stopped', /was never deployed$/, LATER],
  [
    'it is stopped with an attempt that waits',
    {
      suspended: true,
      live,
      observed: { ...serves, stopped: true },
      attempt: { ...open, status: 'queued' },
      switchedAt: LATER,
    },
    'stopped',
    /dep_AAAAAgAAAAAA goes on when it is started$/,
    LATER,
  ],
  [
    'a stop is not done',
    { suspended: true, live, observed: serves, switchedAt: LATER },
    'deploying',
    /^it is being stopped$/,
    LATER,
  ],
  [
    'a start is not done',
    { live, observed: { ...serves, stopped: true }, switchedAt: LATER, retry: throttled },
    'deploying',
    /^it is being started; the last try failed: throttled$/,
    LATER,
  ],
  ['it is being removed', { deletion, live, suspended: true }, 'deleting', /1 things could not be removed yet/, LATER],
])('when %s', (_what, change, name, reason, since) => {
  const state = stateOf(appRecord(change));
  expect(state).toEqual({ name, reason: expect.stringMatching(reason), since });
});

test.each<[AppState['name'], string, string]>([
  ['never_deployed', 'No status yet', 'muted'],
  ['stopped', 'Stopped', 'muted'],
  ['deploying', 'Reconciling', 'muted'],
  ['healthy', 'Healthy', 'success'],
  ['degraded', 'Attention needed', 'destructive'],
  ['failed', 'Attention needed', 'destructive'],
  ['deleting', 'Reconciling', 'muted'],
])('%s is "%s" in a list', (name, label, variant) => {
  expect(summarise({ name })).toEqual({ label, variant });
});
