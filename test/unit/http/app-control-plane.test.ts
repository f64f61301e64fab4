import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../../lib/apps/model.ts';
import type { Store } from '../../../lib/store/ports.ts';
import { createAccessBench } from '../../support/access-bench.ts';
import { type AppBench, createAppBench } from '../../support/apps.ts';
import type { TestClock } from '../../support/test-clock.ts';

const APPS = '/api/v1/apps';
const ZIP = { name: 'shop', image: 'artifact:one' };

/** The `api` handler with the real service of apps, and everything else that is not AWS. */
function createControlPlane() {
  let apps!: AppBench;
  const servicesOn = (store: Store, clock: TestClock) => {
    apps = createAppBench({ store, clock });
    return { apps: apps.apps, appContext: apps.context };
  };
  const bench = createAccessBench({ servicesOn });
  for (const name of ['one', 'two', 'three']) apps.packages.set(`shop/${name}`, { versionId: `v-${name}`, bytes: 1 });
  return { ...bench, apps };
}

async function createShop(body: object = ZIP) {
  const bench = createControlPlane();
  const created = await bench.call('POST', APPS, { body });
  expect(created.statusCode).toBe(201);
  return { ...bench, created: created.json };
}

describe('the statuses of every route for an app that there is not', () => {
  const SHOP = `${APPS}/nobody`;
  test.each([
    ['GET', SHOP, undefined],
    ['PUT', SHOP, { image: 'artifact:one' }],
    ['DELETE', SHOP, undefined],
    ['POST', `${SHOP}/stop`, undefined],
    ['POST', `${SHOP}/start`, undefined],
    ['POST', `${SHOP}/restart`, undefined],
    ['GET', `${SHOP}/deploys`, undefined],
    ['GET', `${SHOP}/deploy-attempts`, undefined],
    ['POST', `${SHOP}/deploys`, { image: 'artifact:one' }],
    ['GET', `${SHOP}/deploys/latest`, undefined],
    ['POST', `${SHOP}/deploys/dep_AAAAAQAAAAAA/cancel`, undefined],
    ['POST', `${SHOP}/deploys/dep_AAAAAQAAAAAA/rollback`, undefined],
    ['GET', `${SHOP}/conditions`, undefined],
    ['GET', `${SHOP}/env`, undefined],
    ['PATCH', `${SHOP}/env`, { COLOUR: 'red' }],
    ['PUT', `${SHOP}/env/COLOUR`, { value: 'red' }],
    ['DELETE', `${SHOP}/env/COLOUR`, undefined],
    ['GET', `${SHOP}/secrets`, undefined],
    ['PUT', `${SHOP}/secrets/KEY`, { value: 'v' }],
    ['DELETE', `${SHOP}/secrets/KEY`, undefined],
    ['POST', `${SHOP}/secrets/KEY/lock`, { locked: true }],
    ['POST', `${SHOP}/artifacts`, undefined],
    ['GET', `${SHOP}/logs`, undefined],
    ['GET', `${SHOP}/metrics?metric=errors`, undefined],
  ])('%s %s is 404 and says which', async (method, path, body) => {
    const { call, store } = createControlPlane();
    const answer = await call(method, path, { body });
    expect(answer).toMatchObject({
      statusCode: 404,
      json: { code: 'NOT_FOUND', error: expect.stringContaining('nobody') },
    });
    expect(store.all().filter(({ pk }) => !pk.startsWith('AUDIT#'))).toEqual([]);
  });
});

describe('an app', () => {
  test('is created, read, changed and removed', async () => {
    const { call, created, apps } = await createShop();
    expect(created).toMatchObject({ name: 'shop', suspended: false, latest_deploy: { status: 'queued' } });
    expect(apps.sent).toMatchObject([{ message: { app: 'shop' } }]);

    const read = await call('GET', `${APPS}/shop`);
    expect(read.json).toEqual(created);
    const etag = read.headers['etag'];

    const body = { image: 'artifact:one', env: { COLOUR: 'red' } };
    const replaced = await call('PUT', `${APPS}/shop`, { body, headers: { 'if-match': etag } });
    expect(replaced).toMatchObject({ statusCode: 200, json: { env: { COLOUR: 'red' } } });
    const late = await call('PUT', `${APPS}/shop`, { body, headers: { 'if-match': etag } });
    expect(late).toMatchObject({ statusCode: 412, json: { code: 'PRECONDITION_FAILED' } });

    const removed = await call('DELETE', `${APPS}/shop`);
    expect(removed).toMatchObject({ statusCode: 202, json: { deletion: { leftovers: [] } } });
    expect((await call('DELETE', `${APPS}/shop`)).statusCode).toBe(202);
    expect((await call('GET', `${APPS}/shop`)).json.deletion).toEqual(removed.json.deletion);
    for (const [method, path, again] of [
      ['POST', APPS, ZIP],
      ['POST', `${APPS}/shop/deploys`, { image: 'artifact:one' }],
      ['POST', `${APPS}/shop/stop`, undefined],
    ] as const) {
      expect((await call(method, path, { body: again })).statusCode).toBe(409);
    }
  });

  test('of which nothing is left is gone at once', async () => {
    const { call } = await createShop({ name: 'shop', image: 'shop:pending' });
    expect(await call('DELETE', `${APPS}/shop`)).toMatchObject({ statusCode: 204, body: '' });
    expect((await call('GET', `${APPS}/shop`)).statusCode).toBe(404);
  });

  test('cannot have a name that is taken, or a domain of another', async () => {
    const { call } = await createShop({ ...ZIP, domains: ['shop.example.org'] });
    expect((await call('POST', APPS, { body: ZIP })).statusCode).toBe(409);
    const other = { name: 'other', image: 'other:pending', domains: ['shop.example.org'] };
    const answer = await call('POST', APPS, { body: other });
    expect(answer).toMatchObject({
      statusCode: 409,
      json: { error: expect.stringMatching(/shop\.example\.org.*shop/) },
    });
    expect((await call('GET', '/api/v1/domains')).json).toEqual([{ domain: 'shop.example.org', service_name: 'shop' }]);
  });

  test('is one, however many create it at the same time', async () => {
    const { call } = createControlPlane();
    const answers = await Promise.all(Array.from({ length: 10 }, () => call('POST', APPS, { body: ZIP })));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([201, ...Array(9).fill(409)]);
  });

  test('is created once under an Idempotency-Key, and the answer is the same', async () => {
    const { call } = createControlPlane();
    const request = { body: ZIP, headers: { 'idempotency-key': 'k' } };
    const first = await call('POST', APPS, request);
    const again = await call('POST', APPS, request);
    expect(again).toMatchObject({ statusCode: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } });
    expect((await call('POST', APPS, { ...request, body: { ...ZIP, port: 9 } })).statusCode).toBe(422);
  });

  test.each([
    ['a refused body', { name: 'shop', image: 'artifact:one', port: 0 }, 400],
    ['a package that was not uploaded', { name: 'shop', image: 'artifact:missing' }, 400],
  ])('is not created half by %s', async (_name, body, status) => {
    const { call, store, apps } = createControlPlane();
    expect((await call('POST', APPS, { body })).statusCode).toBe(status);
    expect(store.all().filter(({ pk }) => !pk.startsWith('AUDIT#'))).toEqual([]);
    expect(apps.sent).toEqual([]);
  });
});

describe('deploys', () => {
  test('are 202 with the app, and listed newest first in pages', async () => {
    const { call } = await createShop();
    for (const image of ['artifact:two', 'artifact:three']) {
      const answer = await call('POST', `${APPS}/shop/deploys`, { body: { image } });
      expect(answer).toMatchObject({ statusCode: 202, json: { image, latest_deploy: { image, status: 'queued' } } });
    }
    const first = await call('GET', `${APPS}/shop/deploys?limit=2`);
    expect(first.json.map(({ image, status }: any) => [image, status])).toEqual([
      ['artifact:three', 'queued'],
      ['artifact:two', 'superseded'],
    ]);
    expect(first.headers['x-total-count']).toBe('3');
    const [, next] = /^<(\S+)>; rel="next"$/.exec(first.headers['link'] ?? '') ?? [];
    const second = await call('GET', String(next));
    expect(second.json.map(({ image }: any) => image)).toEqual(['artifact:one']);
    expect(second.headers['link']).toBeUndefined();
    expect((await call('GET', `${APPS}/shop/deploys?before=nonsense`)).statusCode).toBe(400);
  });

  test('of an image that Lambda cannot run are refused at its key', async () => {
    const { call } = await createShop();
    for (const image of ['bench.invalid/none:0', 'artifact:missing', 'shop:pending']) {
      const answer = await call('POST', `${APPS}/shop/deploys`, { body: { image } });
      expect(answer).toMatchObject({ statusCode: 400, json: { errors: [{ pointer: '/image' }] } });
    }
  });

  test('wait while a worker holds the app, and are told how long', async () => {
    const { call, clock, apps } = await createShop();
    const lease = { owner: 'worker-1', expiresAt: clock.now() + 42_000 };
    await apps.work('shop', ({ attempt }) => ({ attempt: { ...(attempt as Attempt), status: 'running' }, lease }));
    const answer = await call('POST', `${APPS}/shop/deploys`, { body: { image: 'artifact:two' } });
    expect(answer).toMatchObject({ statusCode: 409, headers: { 'retry-after': '42' } });
    expect(answer.json.error).toMatch(/worker-1.*2026-01-01T00:00:42/);
  });

  test('are canceled until they have ended', async () => {
    const { call, created } = await createShop();
    const path = `${APPS}/shop/deploys/${created.latest_deploy.id}/cancel`;
    const canceled = { statusCode: 200, json: { status: 'canceled', canceled_by: 'root' } };
    for (let times = 0; times < 2; times += 1) expect(await call('POST', path)).toMatchObject(canceled);
    expect((await call('POST', `${APPS}/shop/deploys/dep_AAAAAgAAAAAA/cancel`)).statusCode).toBe(404);

    const live = await createShop();
    await live.apps.succeed('shop');
    const late = await live.call('POST', `${APPS}/shop/deploys/${live.created.latest_deploy.id}/cancel`);
    expect(late).toMatchObject({ statusCode: 409, json: { error: expect.stringContaining('succeeded') } });
  });

  test('roll back to one that had succeeded, and to no other', async () => {
    const { call, apps, created } = await createShop();
    const { id } = created.latest_deploy;
    await apps.succeed('shop');
    const answer = await call('POST', `${APPS}/shop/deploys/${id}/rollback`);
    expect(answer).toMatchObject({ statusCode: 202, json: { latest_deploy: { source: 'rollback' } } });
    const latest = await call('GET', `${APPS}/shop/deploys/latest`);
    expect(latest.json).toMatchObject({ rollback_of: { deploy_id: id, release: 1 }, status: 'queued' });
    expect((await call('POST', `${APPS}/shop/deploys/${latest.json.id}/rollback`)).statusCode).toBe(409);
  });

  test('that failed are found by when they began, with the image that serves on', async () => {
    const { call, clock, apps } = await createShop();
    await apps.succeed('shop');
    await call('POST', `${APPS}/shop/deploys`, { body: { image: 'artifact:two' } });
    await apps.fail('shop');
    await clock.advance(3_600_000);
    const found = await call('GET', '/api/v1/deploys/failed?since=1h');
    const failure = { code: 'health_check_failed', failing_step: 'gate' };
    expect(found.json).toMatchObject([{ service_name: 'shop', last_good_image: 'artifact:one', failure }]);
    await clock.advance(1);
    expect((await call('GET', '/api/v1/deploys/failed?since=1h')).json).toEqual([]);
  });
});

describe('stop and start', () => {
  test('are 200 at once, and twice is as once', async () => {
    const { call } = await createShop();
    for (const [action, suspended] of [
      ['stop', true],
      ['stop', true],
      ['start', false],
      ['start', false],
    ] as const) {
      expect(await call('POST', `${APPS}/shop/${action}`)).toMatchObject({ statusCode: 200, json: { suspended } });
    }
    expect((await call('POST', `${APPS}/shop/restart`)).statusCode).toBe(409);
  });

  test('need deploy; write is not enough', async () => {
    const { call, grant } = await createShop();
    const { text: token } = await grant(['read', 'write']);
    for (const action of ['stop', 'start', 'restart']) {
      expect((await call('POST', `${APPS}/shop/${action}`, { token })).statusCode).toBe(403);
    }
  });
});

describe('variables and secrets', () => {
  test('variables are set and removed one by one, or several together', async () => {
    const { call } = await createShop();
    await call('PATCH', `${APPS}/shop/env`, { body: { COLOUR: 'red', SIZE: 'L' } });
    await call('PUT', `${APPS}/shop/env/SIZE`, { body: { value: 'M' } });
    expect((await call('GET', `${APPS}/shop/env`)).json.env).toEqual({ COLOUR: 'red', SIZE: 'M' });
    await call('PATCH', `${APPS}/shop/env`, { body: { COLOUR: null, PRICE: '3' } });
    expect((await call('DELETE', `${APPS}/shop/env/SIZE`)).statusCode).toBe(204);
    expect((await call('GET', `${APPS}/shop/env`)).json.env).toEqual({ PRICE: '3' });
    for (const body of [{ AWS_REGION: 'x' }, { 'a b': 'x' }, { BIG: 'x'.repeat(4_096) }]) {
      const answer = await call('PATCH', `${APPS}/shop/env`, { body });
      expect(answer.statusCode).toBe(400);
    }
    expect((await call('GET', `${APPS}/shop/env`)).json.env).toEqual({ PRICE: '3' });
  });

  test('a secret is put, listed by name, locked, and overwritten or removed only when that is said', async () => {
    const { call, apps } = await createShop();
    const path = `${APPS}/shop/secrets/TOKEN`;
    expect((await call('PUT', path, { body: { value: '' } })).statusCode).toBe(400);
    expect((await call('PUT', path, { body: { value: 'one' } })).statusCode).toBe(204);
    expect((await call('POST', `${path}/lock`, { body: { locked: true } })).statusCode).toBe(204);
    expect((await call('GET', `${APPS}/shop/secrets`)).json).toEqual([
      {
        key: 'TOKEN',
        locked: true,
        updated_at: '2026-01-01T00:00:00.000Z',
        fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
      },
    ]);
    expect((await call('PUT', path, { body: { value: 'two' } })).statusCode).toBe(409);
    expect((await call('DELETE', path)).statusCode).toBe(409);
    expect((await call('PUT', path, { body: { value: 'two', overwrite_locked: true } })).statusCode).toBe(204);
    expect(apps.parameters.get('shop/TOKEN')).toBe('two');
    expect((await call('DELETE', `${path}?overwrite_locked=true`)).statusCode).toBe(204);
    expect(apps.parameters.size).toBe(0);
    expect((await call('DELETE', path)).statusCode).toBe(404);
    expect((await call('POST', `${path}/lock`, { body: { locked: true } })).statusCode).toBe(404);
  });

  test('the value of a secret is nowhere but in the store of secrets', async () => {
    const canary = 'canary-0815';
    const bench = await createShop();
    const answers = [];
    const headers = { 'idempotency-key': 'k' };
    answers.push(await bench.call('PUT', `${APPS}/shop/secrets/TOKEN`, { body: { value: canary }, headers }));
    answers.push(await bench.call('PUT', `${APPS}/shop/secrets/a%20b`, { body: { value: canary } }));
    answers.push(await bench.call('PUT', `${APPS}/nobody/secrets/TOKEN`, { body: { value: canary } }));
    for (const path of ['', '/secrets', '/env', '/deploys', '/conditions']) {
      answers.push(await bench.call('GET', `${APPS}/shop${path}`));
    }
    answers.push(await bench.call('GET', '/api/v1/audit-log'));
    expect(bench.apps.parameters.get('shop/TOKEN')).toBe(canary);
    expect(JSON.stringify([answers, bench.log.lines, bench.store.all(), bench.apps.sent])).not.toContain(canary);
  });
});

describe('the requests of the idle benchmark', () => {
  test('are all well, with its image that nothing can run', async () => {
    const { call } = createControlPlane();
    for (let index = 1; index <= 30; index += 1) {
      const name = `bench-${String(index).padStart(4, '0')}`;
      const created = await call('POST', APPS, { body: { name, image: 'bench.invalid/none:0', port: 8080 } });
      expect(created).toMatchObject({
        statusCode: 201,
        json: { warnings: [expect.stringContaining('bench.invalid')] },
      });
      expect((await call('POST', `${APPS}/${name}/stop`)).statusCode).toBe(200);
    }
    const list = await call('GET', APPS);
    expect(list.json).toHaveLength(30);
    expect(list.json[0]).toMatchObject({
      name: 'bench-0001',
      suspended: true,
      status: { label: 'Stopped', variant: 'muted' },
    });
    expect((await call('GET', `${APPS}/bench-0001`)).statusCode).toBe(200);
    expect((await call('GET', '/api/v1/deploys/failed?since=24h')).json).toEqual([]);
    expect((await call('GET', '/api/v1/apps-summary')).json).toMatchObject({ total: 30, stopped: 30 });
  });
});
