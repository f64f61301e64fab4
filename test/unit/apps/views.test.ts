import { describe, expect, test } from 'vitest';
import type { AppRecord, Attempt } from '../../../lib/apps/model.ts';
import * as views from '../../../lib/apps/views.ts';
import { appRecord, appSpec, attempt, SETTINGS, THEN } from '../../support/app-records.ts';

const ISO = '2026-01-01T00:00:00.000Z';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const live: NonNullable<AppRecord['live']> = {
  number: 3,
  deployId: 'dep_AAAAAQAAAAAA',
  version: '4',
  image: 'artifact:one',
  code: { kind: 'zip', artifact: 'one', versionId: 'v', bytes: 1 },
  settings: SETTINGS,
  since: THEN,
};
const full: Attempt = attempt({
  source: 'rollback',
  status: 'failed',
  step: 'gate',
  steps: [
    { step: 'publish', startedAt: THEN, finishedAt: THEN, detail: 'waited' },
    { step: 'gate', startedAt: THEN },
  ],
  code: { kind: 'image', uri: 'x', digest: DIGEST },
  createdBy: 'tok_1',
  startedAt: THEN,
  finishedAt: THEN,
  waitReason: 'suspended',
  previousVersion: '3',
  version: '4',
  release: 5,
  rollbackOf: { deployId: 'dep_AAAAAAAAAAAA', release: 1, fromRelease: 3 },
  rotatedSecrets: ['TOKEN'],
  cancelRequestedBy: 'tok_2',
  canceledBy: 'tok_3',
  supersededBy: 'dep_AAAAAwAAAAAA',
  failure: {
    code: 'health_check_failed',
    cause: 'it answered 500',
    step: 'gate',
    excerpt: 'boom',
    suggestedFix: 'mend it',
    retryable: true,
    at: THEN,
  },
});

describe('an app', () => {
  test('that is new has the keys that are always there', () => {
    expect(views.renderApp(appRecord({ spec: appSpec({ env: {} }) }))).toEqual({
      name: 'shop',
      app_id: 'app_abcdefghijkl',
      image: 'artifact:one',
      port: 8080,
      resources: { memory_bytes: 512 * 1024 * 1024 },
      runtime: 'nodejs24.x',
      handler: 'index.handler',
      architecture: 'arm64',
      timeout_seconds: 30,
      strategy: 'blue-green',
      replicas: 1,
      suspended: false,
      generation: 1,
      env_dirty: false,
      state: { name: 'never_deployed', reason: 'never deployed', since: ISO },
      created_at: ISO,
      updated_at: ISO,
    });
  });

  test('that has everything shows it', () => {
    const readiness = { path: '/up', intervalMs: 2000, timeoutMs: 500, budgetMs: 60_000 };
    const spec = appSpec({ domains: ['a.example.org'], labels: { a: 'b' }, reservedConcurrency: 3, readiness });
    const secret = { locked: true, updatedAt: THEN, fingerprint: 'abc' };
    const view = views.renderApp(
      appRecord({
        spec,
        live: { ...live, settings: { ...SETTINGS, readiness } },
        attempt: attempt({ status: 'succeeded', release: 3, step: 'retain', startedAt: THEN, finishedAt: THEN }),
        secrets: { TOKEN: secret, KEY: secret },
        observed: { at: THEN, generation: 1, stopped: false, url: 'https://x.invalid/' },
        deletion: { requestedAt: THEN, leftovers: [{ resource: 'arn', reason: 'denied' }] },
      }),
    );
    expect(view).toMatchObject({
      env: { COLOUR: 'red' },
      domains: ['a.example.org'],
      labels: { a: 'b' },
      secret_env: ['KEY', 'TOKEN'],
      reserved_concurrency: 3,
      health: {
        readiness: { path: '/up', interval: 2_000_000_000, timeout: 500_000_000 },
        ready_timeout: 60_000_000_000,
      },
      observed_generation: 1,
      env_dirty: false,
      url: 'https://x.invalid/',
      live: { release: 3, deploy_id: 'dep_AAAAAQAAAAAA', image: 'artifact:one', version: '4', since: ISO },
      deletion: { requested_at: ISO, leftovers: [{ resource: 'arn', reason: 'denied' }] },
    });
    expect(view.latest_deploy).toEqual({
      id: 'dep_AAAAAQAAAAAA',
      status: 'succeeded',
      source: 'image',
      image: 'artifact:one',
      step: 'retain',
      release: 3,
      queued_at: ISO,
      started_at: ISO,
      finished_at: ISO,
    });
  });

  test('has a status in lists, and warnings in answers of writes that have any', () => {
    expect(views.renderListItem(appRecord()).status).toEqual({ label: 'No status yet', variant: 'muted' });
    expect(views.renderApp(appRecord())).not.toHaveProperty('status');
    expect(views.renderResult({ app: appRecord(), warnings: [] })).not.toHaveProperty('warnings');
    expect(views.renderResult({ app: appRecord(), warnings: ['x'] })).toHaveProperty('warnings', ['x']);
  });

  test.each<[string, Partial<AppRecord>, boolean]>([
    ['nothing is live', {}, false],
    ['the same settings are live', { live }, false],
    ['another variable is wanted', { live, spec: appSpec({ env: {} }) }, true],
    ['other memory is wanted', { live, spec: appSpec({ memoryMb: 128 }) }, true],
    [
      'a probe is wanted',
      { live, spec: appSpec({ readiness: { path: '/', intervalMs: 1, timeoutMs: 1, budgetMs: 1 } }) },
      true,
    ],
    ['another image is wanted', { live, spec: appSpec({ image: 'x:pending' }) }, false],
    [
      'labels, domains and reservations differ',
      { live, spec: appSpec({ labels: { a: 'b' }, reservedConcurrency: 1 }) },
      false,
    ],
    ['a secret is older', { live, secrets: { A: { locked: false, updatedAt: THEN, fingerprint: '' } } }, false],
    ['a secret is newer', { live, secrets: { A: { locked: false, updatedAt: THEN + 1, fingerprint: '' } } }, true],
  ])('env_dirty when %s', (_what, change, dirty) => {
    expect(views.renderApp(appRecord(change)).env_dirty).toBe(dirty);
  });

  test('has an ETag that no other app of its name has', () => {
    expect(views.appEtag({ appId: 'app_a', version: 3 })).toBe('"app_a.3"');
  });
});

describe('an attempt', () => {
  test('that has just been queued says little', () => {
    expect(views.renderAttempt('shop', attempt())).toEqual({
      id: 'dep_AAAAAQAAAAAA',
      service_name: 'shop',
      number: 1,
      status: 'queued',
      source: 'image',
      image: 'artifact:one',
      generation: 1,
      steps: [],
      queued_at: ISO,
    });
  });

  test('that has everything says it', () => {
    expect(views.renderAttempt('shop', full)).toEqual({
      id: 'dep_AAAAAQAAAAAA',
      service_name: 'shop',
      number: 1,
      status: 'failed',
      source: 'rollback',
      image: 'artifact:one',
      generation: 1,
      digest: DIGEST,
      created_by: 'tok_1',
      step: 'gate',
      steps: [
        { step: 'publish', started_at: ISO, finished_at: ISO, detail: 'waited' },
        { step: 'gate', started_at: ISO },
      ],
      queued_at: ISO,
      started_at: ISO,
      finished_at: ISO,
      wait_reason: 'suspended',
      previous_version: '3',
      version: '4',
      release: 5,
      rollback_of: { deploy_id: 'dep_AAAAAAAAAAAA', release: 1, from_release: 3 },
      description: 'rollback of 3 to 1',
      rotated_secrets: ['TOKEN'],
      cancel_requested_by: 'tok_2',
      canceled_by: 'tok_3',
      superseded_by: 'dep_AAAAAwAAAAAA',
      error: 'it answered 500',
      failure: {
        code: 'health_check_failed',
        cause: 'it answered 500',
        failing_step: 'gate',
        log_excerpt: 'boom',
        suggested_fix: 'mend it',
        retryable: true,
        deploy_id: 'dep_AAAAAQAAAAAA',
        app: 'shop',
        at: ISO,
      },
    });
  });

  test('by itself has its settings, and in the list of failures what serves on', () => {
    const { settings } = views.renderAttemptDetail('shop', full);
    expect(settings).toMatchObject({ env: { COLOUR: 'red' }, timeout_seconds: 30 });
    expect(views.renderFailed({ ...appRecord({ live }), attempt: full })).toMatchObject({
      service_name: 'shop',
      last_good_image: 'artifact:one',
    });
    expect(views.renderFailed({ ...appRecord(), attempt: full })).not.toHaveProperty('last_good_image');
  });
});

test('secrets are sorted, and their values nowhere', () => {
  const secret = { locked: false, updatedAt: THEN, fingerprint: 'abc' };
  const view = { locked: false, updated_at: ISO, fingerprint: 'abc' };
  expect(views.renderSecrets({ BB: secret, AA: secret })).toEqual([
    { key: 'AA', ...view },
    { key: 'BB', ...view },
  ]);
});
