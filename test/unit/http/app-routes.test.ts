import { describe, expect, test, vi } from 'vitest';
import { AppError } from '../../../lib/errors.ts';
import { createApiClient } from '../../support/api-client.ts';
import { appRecord, attempt, SETTINGS, THEN } from '../../support/app-records.ts';

const APPS = '/api/v1/apps';
const SHOP = `${APPS}/shop`;
const DEPLOYS = `${SHOP}/deploys`;
const ID = 'dep_AAAAAQAAAAAA';
const CALLER = { tokenId: 'root', name: 'root', abilities: ['root'] };
const NOW = THEN + 86_400_000;

const app = appRecord();
const failed = attempt({
  status: 'failed',
  step: 'gate',
  startedAt: THEN,
  finishedAt: THEN + 5_000,
  failure: {
    code: 'health_check_failed',
    cause: 'GET /health answered 500',
    step: 'gate',
    suggestedFix: 'mend it',
    retryable: true,
    at: THEN + 5_000,
  },
});

/** The handler on a service that has only what the test gives it; each method is one that records its calls. */
function client(service: Record<string, (...args: any[]) => unknown> = {}) {
  const apps = Object.fromEntries(
    Object.entries(service).map(([name, method]) => [name, vi.fn(async (...args: unknown[]) => method(...args))]),
  );
  return { ...createApiClient({ apps, clock: { now: () => NOW } }), apps };
}

const ETAG = '"app_abcdefghijkl.3"';
const guard = { ifMatch: ETAG };

describe('what changes an app', () => {
  test.each([
    ['POST', `${SHOP}/stop`, undefined, 'stop', ['shop', CALLER, guard], 200],
    ['POST', `${SHOP}/start`, undefined, 'start', ['shop', CALLER, guard], 200],
    ['POST', `${SHOP}/restart`, undefined, 'restart', ['shop', CALLER, guard], 200],
    ['POST', DEPLOYS, { image: 'artifact:two' }, 'deploy', ['shop', 'artifact:two', CALLER, guard], 202],
    ['PATCH', `${SHOP}/env`, { A: '1', B: null }, 'changeEnv', ['shop', { A: '1', B: null }, guard], 200],
    ['PUT', `${SHOP}/env/A%2FB`, { value: '' }, 'changeEnv', ['shop', { 'A/B': '' }, guard], 200],
  ])('%s %s answers the stored app', async (method, path, body, name, args, status) => {
    const { call, apps } = client({ [name]: () => app });
    const answer = await call(method, path, { body, headers: { 'if-match': ETAG } });
    expect(answer).toMatchObject({
      statusCode: status,
      headers: { etag: ETAG },
      json: { name: 'shop', suspended: false },
    });
    expect(apps[name]?.mock.calls).toEqual([args]);
  });

  test.each([
    ['DELETE', `${SHOP}/env/A`, undefined, 'changeEnv', ['shop', { A: null }, {}]],
    ['PUT', `${SHOP}/secrets/A`, { value: 'v' }, 'putSecret', ['shop', 'A', { value: 'v', overwriteLocked: false }]],
    [
      'PUT',
      `${SHOP}/secrets/A`,
      { value: 'v', overwrite_locked: true },
      'putSecret',
      ['shop', 'A', { value: 'v', overwriteLocked: true }],
    ],
    ['DELETE', `${SHOP}/secrets/A`, undefined, 'removeSecret', ['shop', 'A', { overwriteLocked: false }]],
    [
      'DELETE',
      `${SHOP}/secrets/A?overwrite_locked=true`,
      undefined,
      'removeSecret',
      ['shop', 'A', { overwriteLocked: true }],
    ],
    ['POST', `${SHOP}/secrets/A/lock`, { locked: false }, 'lockSecret', ['shop', 'A', false]],
  ])('%s %s answers 204 without a body', async (method, path, body, name, args) => {
    const { call, apps } = client({ [name]: () => undefined });
    expect(await call(method, path, { body })).toMatchObject({ statusCode: 204, body: '' });
    expect(apps[name]?.mock.calls).toEqual([args]);
  });

  test('to create one is 201 with the stored app and what its caller should know', async () => {
    const { call, apps } = client({ create: () => ({ app, warnings: ['replicas does nothing'] }) });
    const body = { name: 'shop', image: 'artifact:one', port: 80, replicas: 3 };
    const answer = await call('POST', APPS, { body });
    expect(answer).toMatchObject({ statusCode: 201, headers: { etag: ETAG } });
    expect(answer.json).toMatchObject({ app_id: 'app_abcdefghijkl', warnings: ['replicas does nothing'] });
    const [name, input, caller] = apps['create']?.mock.calls[0] ?? [];
    expect([name, caller]).toEqual(['shop', CALLER]);
    expect(input).toMatchObject({ spec: { image: 'artifact:one', port: 80 }, warnings: [expect.any(String)] });
  });

  test('to replace one takes the name of the path', async () => {
    const { call, apps } = client({ replace: () => ({ app, warnings: [] }) });
    const answer = await call('PUT', SHOP, { body: { name: 'other', image: 'artifact:one', env: { COLOUR: 'blue' } } });
    expect(answer).toMatchObject({ statusCode: 200, headers: { etag: ETAG } });
    expect(answer.json).not.toHaveProperty('warnings');
    expect(apps['replace']).toHaveBeenCalledWith('shop', expect.anything(), CALLER, {});
  });

  test('to remove one is 202 while something is left, and 204 when nothing is', async () => {
    const leftovers = [{ resource: 'role', reason: 'AccessDenied' }];
    const deletion = { requestedAt: THEN, leftovers };
    const going = await client({ remove: () => appRecord({ deletion }) }).call('DELETE', SHOP);
    expect(going).toMatchObject({ statusCode: 202, headers: { etag: ETAG } });
    expect(going.json.deletion).toEqual({ requested_at: '2026-01-01T00:00:00.000Z', leftovers });
    const { call, apps } = client({ remove: () => app });
    expect(await call('DELETE', SHOP, { headers: { 'if-match': '*' } })).toMatchObject({ statusCode: 204, body: '' });
    expect(apps['remove']).toHaveBeenCalledWith('shop', CALLER, { ifMatch: '*' });
  });

  test('an upload says where to, and what to deploy then', async () => {
    const upload = {
      method: 'PUT',
      url: 'https://bucket/x',
      headers: { 'content-type': 'application/zip' },
      expiresAt: THEN,
    };
    const answer = await client({ createArtifact: () => ({ id: 'x1', upload }) }).call('POST', `${SHOP}/artifacts`);
    expect(answer.statusCode).toBe(201);
    expect(answer.json).toEqual({
      id: 'x1',
      image: 'artifact:x1',
      upload: {
        method: 'PUT',
        url: 'https://bucket/x',
        headers: { 'content-type': 'application/zip' },
        expires_at: '2026-01-01T00:00:00.000Z',
      },
    });
  });

  test('is done once under an Idempotency-Key', async () => {
    const kept = new Map<string, any>();
    const idempotency = {
      begin: async (key: string) => (kept.has(key) ? { state: 'replay', response: kept.get(key) } : { state: 'new' }),
      complete: async (key: string, response: any) => void kept.set(key, response),
      abandon: async () => {},
    };
    const deploy = vi.fn(async () => app);
    const { call } = createApiClient({ apps: { deploy }, idempotency });
    const request = { body: { image: 'artifact:two' }, headers: { 'idempotency-key': 'k' } };
    const first = await call('POST', DEPLOYS, request);
    const again = await call('POST', DEPLOYS, request);
    expect(again).toMatchObject({ statusCode: 202, body: first.body, headers: { 'idempotency-replayed': 'true' } });
    expect(deploy).toHaveBeenCalledTimes(1);
  });
});

describe('attempts', () => {
  test.each([DEPLOYS, `${SHOP}/deploy-attempts`])(
    '%s lists them, newest first, with a way to the older ones',
    async (path) => {
      const attempts = [attempt({ number: 9, id: 'dep_nine' }), attempt({ number: 8, id: 'dep_eight' })];
      const { call, apps } = client({ get: () => appRecord({ nextAttempt: 10 }), attempts: () => attempts });
      const answer = await call('GET', `${path}?limit=2&before=dep_ten`);
      expect(answer.json.map(({ id }: any) => id)).toEqual(['dep_nine', 'dep_eight']);
      expect(answer.json[0]).toMatchObject({ service_name: 'shop', status: 'queued', queued_at: expect.any(String) });
      expect(answer.headers).toMatchObject({
        'x-total-count': '9',
        link: `<${path}?limit=2&before=dep_eight>; rel="next"`,
      });
      expect(apps['attempts']).toHaveBeenCalledWith('shop', { limit: 2, before: 'dep_ten' });
    },
  );

  test.each([
    ['the last page', '?limit=2', [attempt({ number: 2 }), attempt({ number: 1 })]],
    ['a page that is not full', '?limit=3', [attempt({ number: 4 }), attempt({ number: 3 })]],
  ])('%s links to no other', async (_name, query, attempts) => {
    const answer = await client({ get: () => app, attempts: () => attempts }).call('GET', `${DEPLOYS}${query}`);
    expect(answer.headers['link']).toBeUndefined();
  });

  test('none are an empty list, not null', async () => {
    const answer = await client({ get: () => app, attempts: () => [] }).call('GET', DEPLOYS);
    expect(answer).toMatchObject({ statusCode: 200, json: [] });
  });

  test.each([
    ['', 100],
    ['?limit=1', 1],
    ['?limit=500', 500],
    ['?limit=501', 500],
    ['?limit=99999999999999999999', 100],
    ['?limit=0', 100],
    ['?limit=-3', 100],
    ['?limit=1.5', 100],
    ['?limit=many', 100],
    ['?limit=', 100],
  ])('the limit of %j is %i', async (query, limit) => {
    const { call, apps } = client({ get: () => app, attempts: () => [] });
    expect((await call('GET', `${DEPLOYS}${query}`)).statusCode).toBe(200);
    expect(apps['attempts']).toHaveBeenCalledWith('shop', { limit, before: undefined });
  });

  test.each([ID, 'latest'])('one is read as %s, with its settings and its failure', async (id) => {
    const { call, apps } = client({ attempt: () => ({ attempt: failed, app }) });
    const answer = await call('GET', `${DEPLOYS}/${id}`);
    expect(answer.json).toMatchObject({
      id: ID,
      error: 'GET /health answered 500',
      failure: { code: 'health_check_failed', failing_step: 'gate', deploy_id: ID, app: 'shop', retryable: true },
      settings: { env: SETTINGS.env },
    });
    expect(apps['attempt']).toHaveBeenCalledWith('shop', id);
  });

  test('cancel answers the attempt, rollback the app', async () => {
    const canceled = attempt({ status: 'canceled', canceledBy: 'root' });
    const { call, apps } = client({ cancel: () => canceled, rollback: () => app });
    const cancel = await call('POST', `${DEPLOYS}/${ID}/cancel`);
    expect(cancel).toMatchObject({ statusCode: 200, json: { id: ID, status: 'canceled', canceled_by: 'root' } });
    const rollback = await call('POST', `${DEPLOYS}/${ID}/rollback`);
    expect(rollback).toMatchObject({ statusCode: 202, headers: { etag: ETAG }, json: { name: 'shop' } });
    for (const name of ['cancel', 'rollback']) expect(apps[name]).toHaveBeenCalledWith('shop', ID, CALLER);
  });

  test('a refusal says why an attempt could not begin, and when to try again', async () => {
    const failure = { code: 'rollback_target_gone', cause: 'gone', suggested_fix: 'deploy anew', retryable: false };
    const rollback = () => {
      throw new AppError('CONFLICT', 'the package is gone', { failure, headers: { 'retry-after': '7' } });
    };
    const answer = await client({ rollback }).call('POST', `${DEPLOYS}/${ID}/rollback`);
    expect(answer).toMatchObject({ statusCode: 409, headers: { 'retry-after': '7' } });
    expect(answer.json).toMatchObject({ error: 'the package is gone', failure });
  });
});

describe('GET /deploys/failed', () => {
  const live = {
    number: 1,
    deployId: 'dep_x',
    version: '4',
    image: 'artifact:good',
    code: { kind: 'zip', artifact: 'good', versionId: 'v', bytes: 1 },
    settings: SETTINGS,
    since: THEN,
  } as const;

  test('has the attempt and the image that serves on', async () => {
    const answer = await client({ failed: () => [appRecord({ attempt: failed, live })] }).call(
      'GET',
      '/api/v1/deploys/failed',
    );
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'x-total-count': '1' } });
    expect(answer.json).toMatchObject([
      { id: ID, service_name: 'shop', status: 'failed', last_good_image: 'artifact:good' },
    ]);
  });

  test.each([
    ['', 24 * 3600],
    ['?since=24h', 24 * 3600],
    ['?since=1h30m', 5400],
    ['?since=15s', 15],
    ['?since=1.5h', 5400],
  ])('with %j looks back %i seconds', async (query, seconds) => {
    const { call, apps } = client({ failed: () => [] });
    expect((await call('GET', `/api/v1/deploys/failed${query}`)).json).toEqual([]);
    expect(apps['failed']).toHaveBeenCalledWith(NOW - seconds * 1_000);
  });

  test.each(['0', '0s', '-1h', '', '24', 'yesterday', '1d', '24 h', '99999999h'])('refuses since=%s', async (since) => {
    const answer = await client().call('GET', `/api/v1/deploys/failed?since=${since}`);
    expect(answer).toMatchObject({ statusCode: 400, json: { errors: [{ pointer: '/since' }] } });
  });
});

describe('the list of apps', () => {
  const page = (count: number, total: number) => () => ({
    apps: Array.from({ length: count }, (_, index) => appRecord({ name: `a${index}` })),
    total,
  });

  test('is a bare array with a status each, and says how many there are', async () => {
    const answer = await client({ list: page(2, 2) }).call('GET', APPS);
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'x-total-count': '2' } });
    expect(answer.json).toMatchObject([
      { name: 'a0', status: { label: 'No status yet', variant: 'muted' } },
      { name: 'a1' },
    ]);
    expect(answer.headers['link']).toBeUndefined();
  });

  test('links to its next page', async () => {
    const { call, apps } = client({ list: page(2, 7) });
    const answer = await call('GET', `${APPS}?q=a%26b&limit=2&offset=4`);
    expect(apps['list']).toHaveBeenCalledWith({ q: 'a&b', limit: 2, offset: 4 });
    expect(answer.headers['link']).toBe(`<${APPS}?q=a%26b&limit=2&offset=6>; rel="next"`);
  });

  test('ends, also when an offset is beyond the end', async () => {
    expect((await client({ list: page(0, 7) }).call('GET', `${APPS}?offset=900`)).headers['link']).toBeUndefined();
  });

  test.each([
    ['', { limit: 500, offset: 0 }],
    ['?limit=700&offset=2', { limit: 500, offset: 2 }],
    ['?limit=none&offset=-1', { limit: 500, offset: 0 }],
    ['?limit=0', { limit: 500, offset: 0 }],
  ])('clamps what is too large and passes over nonsense: %j', async (query, expected) => {
    const { call, apps } = client({ list: page(0, 0) });
    expect((await call('GET', `${APPS}${query}`)).statusCode).toBe(200);
    expect(apps['list']).toHaveBeenCalledWith({ q: undefined, ...expected });
  });

  test('is counted, over all its pages', async () => {
    const stopped = appRecord({ suspended: true });
    const broken = appRecord({ attempt: failed });
    const deploying = appRecord({ attempt: attempt() });
    const all = [
      ...Array(500).fill(stopped),
      broken,
      deploying,
      app,
      appRecord({ deletion: { requestedAt: 0, leftovers: [] } }),
    ];
    const list = ({ limit, offset }: any) => ({ apps: all.slice(offset, offset + limit), total: all.length });
    const answer = await client({ list }).call('GET', '/api/v1/apps-summary');
    expect(answer.json).toEqual({ total: 504, running: 0, failing: 1, deploying: 2, stopped: 500, unknown: 1 });
  });
});

describe('what is read of an app', () => {
  test('is the app with its ETag', async () => {
    const answer = await client({ get: () => app }).call('GET', SHOP);
    expect(answer).toMatchObject({ statusCode: 200, headers: { etag: ETAG }, json: { env: { COLOUR: 'red' } } });
    expect(answer.json).not.toHaveProperty('status');
  });

  test('are its variables', async () => {
    const answer = await client({ get: () => app }).call('GET', `${SHOP}/env`);
    expect(answer).toMatchObject({ headers: { etag: ETAG } });
    expect(answer.json).toEqual({ env: { COLOUR: 'red' }, env_dirty: false });
    const none = await client({ get: () => appRecord({ spec: { ...app.spec, env: {} } }) }).call('GET', `${SHOP}/env`);
    expect(none.json.env).toEqual({});
  });

  test('are the names of its secrets, with fingerprints that tell when a value is another one', async () => {
    const secret = (locked: boolean) => ({ locked, updatedAt: THEN, fingerprint: '0123456789ab' });
    const answer = await client({ secrets: () => ({ B: secret(false), A: secret(true) }) }).call(
      'GET',
      `${SHOP}/secrets`,
    );
    expect(answer.json).toEqual([
      { key: 'A', locked: true, updated_at: '2026-01-01T00:00:00.000Z', fingerprint: '0123456789ab' },
      { key: 'B', locked: false, updated_at: '2026-01-01T00:00:00.000Z', fingerprint: '0123456789ab' },
    ]);
  });

  test('are its conditions, as clients of the peer know them', async () => {
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: 'Deployed',
      message: 'm',
      lastTransitionAt: THEN,
      lastObservedAt: NOW,
    };
    const answer = await client({ conditions: () => [condition] }).call('GET', `${SHOP}/conditions`);
    expect(answer.json).toEqual([
      {
        Type: 'Ready',
        Status: 'True',
        Reason: 'Deployed',
        Message: 'm',
        LastTransitionTime: '2026-01-01T00:00:00.000Z',
        LastObservedTime: '2026-01-02T00:00:00.000Z',
      },
    ]);
  });

  test('are the domains of all apps', async () => {
    const answer = await client({ domains: () => [{ domain: 'a.example.org', app: 'shop' }] }).call(
      'GET',
      '/api/v1/domains',
    );
    expect(answer).toMatchObject({ headers: { 'x-total-count': '1' } });
    expect(answer.json).toEqual([{ domain: 'a.example.org', service_name: 'shop' }]);
  });
});

describe('logs', () => {
  test('are lines, and the fields of those that are JSON objects', async () => {
    const messages = ['plain', '{"level":"info","n":9007199254740993}', '[1]', '{"broken"', ' {}', '{"__proto__":1}'];
    const entries = messages.map((message) => ({ at: THEN, stream: 's', message }));
    const answer = await client({ logs: () => ({ entries, next: 'mark' }) }).call('GET', `${SHOP}/logs`);
    expect(answer.json.next).toBe('mark');
    expect(answer.json.entries[0]).toEqual({
      timestamp: '2026-01-01T00:00:00.000Z',
      stream: 's',
      message: 'plain',
      structured: false,
    });
    expect(answer.json.entries.map(({ structured }: any) => structured)).toEqual([
      false,
      true,
      false,
      false,
      true,
      true,
    ]);
    expect(answer.body).toContain('"fields":{"level":"info","n":9007199254740993}');
    expect(answer.body).toContain('"fields":{"__proto__":1}');
  });

  test.each([
    ['', { from: NOW - 3_600_000, to: NOW, limit: 100 }],
    ['?to=2026-01-01T05:00:00Z', { from: THEN + 4 * 3_600_000, to: THEN + 5 * 3_600_000, limit: 100 }],
    [
      '?from=2026-01-01T00:00:00Z&q=a b&limit=9999&next=m',
      { from: THEN, to: NOW, limit: 1_000, contains: 'a b', next: 'm' },
    ],
    ['?from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', { from: THEN, to: THEN, limit: 100 }],
  ])('are asked for with %j', async (query, expected) => {
    const { call, apps } = client({ logs: () => ({ entries: [] }) });
    expect((await call('GET', `${SHOP}/logs${query}`)).json).toEqual({ entries: [] });
    expect(apps['logs']).toHaveBeenCalledWith('shop', expected);
  });

  test.each([
    ['a start after the end', '?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', '/from'],
    ['a start in the future', '?from=2027-01-01T00:00:00Z', '/from'],
    ['a time that is none', '?from=now', '/from'],
    ['a time without its zone', '?to=2026-01-01T00:00:00', '/to'],
  ])('are not given for %s', async (_name, query, pointer) => {
    for (const path of [`/logs${query}`, `/metrics${query}&metric=errors`]) {
      const answer = await client().call('GET', `${SHOP}${path}`);
      expect(answer).toMatchObject({ statusCode: 400, json: { errors: [{ pointer }] } });
    }
  });
});

describe('metrics', () => {
  test.each([
    ['', 60_000],
    ['&step=0', 60_000],
    ['&step=15s', 60_000],
    ['&step=61s', 120_000],
    ['&step=1h', 3_600_000],
  ])('come by whole minutes: %j', async (query, stepMs) => {
    const { call, apps } = client({ metrics: () => [{ at: THEN, value: 1.5 }] });
    const answer = await call('GET', `${SHOP}/metrics?metric=duration_p95${query}`);
    expect(answer.json).toEqual({
      metric: 'duration_p95',
      points: [{ timestamp: '2026-01-01T00:00:00.000Z', value: 1.5 }],
    });
    const period = { from: NOW - 3_600_000, to: NOW };
    expect(apps['metrics']).toHaveBeenCalledWith('shop', { metric: 'duration_p95', ...period, stepMs });
  });

  test.each([
    ['', '/metric'],
    ['?metric=cpu_percent', '/metric'],
    ['?metric=errors&step=-1m', '/step'],
    ['?metric=errors&step=60', '/step'],
    ['?metric=errors&from=2025-12-31T23:59:00Z', '/step'],
  ])('are refused for %j', async (query, pointer) => {
    const answer = await client().call('GET', `${SHOP}/metrics${query}`);
    expect(answer).toMatchObject({ statusCode: 400, json: { errors: [{ pointer }] } });
  });

  test('of a day by the minute are the most', async () => {
    const { call } = client({ metrics: () => [] });
    expect((await call('GET', `${SHOP}/metrics?metric=errors&from=2026-01-01T00:00:00Z`)).statusCode).toBe(200);
  });
});

describe('input that is refused before the service is asked', () => {
  const large = { name: 'a', image: 'a:pending', env: { A: 'x'.repeat(6 * 1024 * 1024) } };
  test.each([
    ['a query key that nobody knows', 'GET', `${APPS}?page=2`, undefined, 400, '/page'],
    ['a body key that nobody knows', 'POST', APPS, { name: 'a', image: 'a:pending', colour: 1 }, 400, '/colour'],
    ['no body', 'POST', APPS, undefined, 400, ''],
    ['a body that is a list', 'PUT', SHOP, [], 400, ''],
    ['a name that is none', 'POST', APPS, { name: 'A/b', image: 'a:pending' }, 400, '/name'],
    ['no image to deploy', 'POST', DEPLOYS, {}, 400, '/image'],
    ['an empty image', 'POST', DEPLOYS, { image: '' }, 400, '/image'],
    ['another key beside the image', 'POST', DEPLOYS, { image: 'a', pull: true }, 400, '/pull'],
    ['a body for stop', 'POST', `${SHOP}/stop`, { now: true }, 400, '/now'],
    ['a variable that is a number', 'PATCH', `${SHOP}/env`, { A: 1 }, 400, '/A'],
    ['variables in a list', 'PATCH', `${SHOP}/env`, ['A'], 400, ''],
    ['a variable without a value', 'PUT', `${SHOP}/env/A`, {}, 400, '/value'],
    ['a secret without a value', 'PUT', `${SHOP}/secrets/A`, {}, 400, '/value'],
    ['a lock that is a word', 'POST', `${SHOP}/secrets/A/lock`, { locked: 'yes' }, 400, '/locked'],
    ['a flag that is neither', 'DELETE', `${SHOP}/secrets/A?overwrite_locked=1`, undefined, 400, '/overwrite_locked'],
    ['more than 6 MiB', 'POST', APPS, large, 413, undefined],
  ])('%s', async (_name, method, path, body, status, pointer) => {
    const answer = await client().call(method, path, { body });
    expect(answer.statusCode).toBe(status);
    expect(answer.json.error).toBe(answer.json.detail);
    if (pointer !== undefined) expect(answer.json.errors.map((error: any) => error.pointer)).toContain(pointer);
  });

  test('a variable called __proto__ is not passed over', async () => {
    const { call, apps } = client({ changeEnv: () => app });
    await call('PATCH', `${SHOP}/env`, { body: '{"__proto__":"x"}' });
    expect(Object.keys(apps['changeEnv']?.mock.calls[0]?.[1] as object)).toEqual(['__proto__']);
  });

  test.each([
    ['POST', APPS, { name: 'a', image: 'a:pending' }],
    ['POST', `${DEPLOYS}/${ID}/cancel`, undefined],
    ['POST', `${DEPLOYS}/${ID}/rollback`, undefined],
    ['PUT', `${SHOP}/secrets/A`, { value: 'v' }],
    ['POST', `${SHOP}/artifacts`, undefined],
  ])('%s %s does not go on with an If-Match that it would not check', async (method, path, body) => {
    const answer = await client().call(method, path, { body, headers: { 'if-match': ETAG } });
    expect(answer).toMatchObject({ statusCode: 400, json: { error: expect.stringContaining('If-Match') } });
  });
});
