import { describe, expect, test } from 'vitest';
import { ConditionFailed } from '../../../../lib/store/ports.ts';
import { ATTENTION_INDEX } from '../../../../lib/store/table.ts';
import { CALLER, createAppBench, FOREIGN_IMAGE, IMAGE } from '../../../support/apps.ts';

describe('creating an app', () => {
  test('whose image can run queues an attempt with its settings and sends word to the worker', async () => {
    const bench = createAppBench();
    const app = await bench.create('shop', { image: IMAGE, env: { COLOUR: 'red' } });
    expect(app).toMatchObject({ generation: 1, version: 1, nextAttempt: 2, suspended: false });
    expect(app.attempt).toMatchObject({
      number: 1,
      status: 'queued',
      source: 'image',
      image: IMAGE,
      generation: 1,
      createdBy: 'tok_1',
      settings: { env: { COLOUR: 'red' }, memoryMb: 512 },
    });
    expect(app.attempt).not.toHaveProperty('settings.image');
    expect(bench.sent).toEqual([
      { message: { app: 'shop', reason: 'create', attempt: app.attempt?.id }, dedupeId: `${app.appId}.1` },
    ]);
    expect(await bench.apps.get('shop')).toEqual(app);
  });

  test('whose code comes later makes no attempt and no work', async () => {
    const bench = createAppBench();
    const input = bench.parse({ name: 'shop', image: 'shop:pending' });
    const { app, warnings } = await bench.apps.create('shop', input, CALLER);
    expect(app).not.toHaveProperty('attempt');
    expect({ warnings, sent: bench.sent }).toEqual({ warnings: [], sent: [] });
    expect(bench.store.all()[0]).not.toHaveProperty(ATTENTION_INDEX.pk);
  });

  test('with the image of the benchmark of the peer says why nothing is deployed', async () => {
    const bench = createAppBench();
    const input = bench.parse({ name: 'bench-0001', image: FOREIGN_IMAGE, port: 8080 });
    const { app, warnings } = await bench.apps.create('bench-0001', input, CALLER);
    expect(app).not.toHaveProperty('attempt');
    expect(warnings).toEqual([
      expect.stringMatching(/^Nothing is deployed: the image bench\.invalid\/none:0 is not in ECR/),
    ]);
    expect(bench.sent).toEqual([]);
  });

  test('with a package that nobody uploaded is refused, and nothing is left', async () => {
    const bench = createAppBench();
    const created = bench.create('shop', { image: 'artifact:one', domains: ['a.example.org'] });
    await expect(created).rejects.toMatchObject({ code: 'BAD_REQUEST', details: { errors: [{ pointer: '/image' }] } });
    expect(bench.store.all()).toEqual([]);
  });

  test('tells a caller who wants it suspended how to stop it', async () => {
    const bench = createAppBench();
    const input = bench.parse({ name: 'shop', image: 'shop:pending', suspended: true, secret_env: ['TOKEN'] });
    const { app, warnings } = await bench.apps.create('shop', input, CALLER);
    expect(app.suspended).toBe(false);
    expect(warnings).toEqual([
      'suspended does nothing here: POST /api/v1/apps/shop/stop changes it.',
      'secret_env does nothing here: PUT /api/v1/apps/shop/secrets/{key} sets "TOKEN".',
    ]);
  });

  test('whose message cannot be sent succeeds: the index has the work', async () => {
    const bench = createAppBench();
    bench.deps.queue.send = async () => Promise.reject(new Error('no queue'));
    const app = await bench.create('shop', { image: IMAGE });
    const due = bench.clock.now() + 60_000;
    expect(app.attempt?.status).toBe('queued');
    expect(bench.store.all()[0]).toMatchObject({
      attention: 'APPS',
      attentionAt: `WORK#${String(due).padStart(15, '0')}`,
    });
  });
});

describe('a name that is taken', () => {
  test('is a conflict', async () => {
    const bench = createAppBench();
    await bench.create('shop');
    const text = 'There is an app shop already. Choose another name, or change it by PUT /api/v1/apps/shop.';
    await expect(bench.create('shop')).rejects.toMatchObject({ code: 'CONFLICT', message: text });
  });

  test('by an app that is being removed is a conflict that says so', async () => {
    const bench = createAppBench();
    await bench.create('shop', { image: IMAGE });
    await bench.apps.remove('shop', CALLER);
    await expect(bench.create('shop')).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('is being removed since 2026-01-01T00:00:00.000Z'),
    });
  });

  test('in the same moment is a conflict for one of the two, whose domains are free again', async () => {
    const bench = createAppBench();
    const both = await Promise.allSettled([
      bench.create('shop', { domains: ['one.example.org'] }),
      bench.create('shop', { domains: ['two.example.org'] }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } });
    const { spec } = await bench.apps.get('shop');
    expect(bench.store.all().map(({ sk }) => sk)).toEqual(['shop', ...spec.domains]);
  });
});

test('a write whose answer was lost and that the SDK repeated is a success', async () => {
  const bench = createAppBench();
  const put = bench.store.put;
  bench.store.put = async (item, condition) => {
    await put(item, condition);
    if (condition !== undefined) throw new ConditionFailed(item);
  };
  const app = await bench.create('shop', { domains: ['a.example.org'] });
  const { app: after } = await bench.replace('shop', { domains: ['a.example.org', 'b.example.org'] });
  expect([app.version, after.version]).toEqual([1, 2]);
  expect(bench.store.all().map(({ sk }) => sk)).toEqual(['shop', 'a.example.org', 'b.example.org']);
});

describe('the budget of reserved instances', () => {
  test('is shared by all apps', async () => {
    const bench = createAppBench();
    await bench.create('one', { reserved_concurrency: 60 });
    const second = bench.create('two', { reserved_concurrency: 41 });
    await expect(second).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('at most 40') });
    await bench.create('two', { reserved_concurrency: 40 });
    await expect(bench.replace('one', { reserved_concurrency: 61 })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await bench.replace('one', { reserved_concurrency: 60, env: { AA: '1' } })).app.generation).toBe(2);
  });

  test('does not count what the app itself has, and never stands in the way of less', async () => {
    const bench = createAppBench();
    await bench.create('one', { reserved_concurrency: 60 });
    await bench.create('two', { reserved_concurrency: 30 });
    expect((await bench.replace('one', { reserved_concurrency: 70 })).app.spec.reservedConcurrency).toBe(70);
    await bench.work('two', ({ spec }) => ({ spec: { ...spec, reservedConcurrency: 90 } }));
    expect((await bench.replace('one', { reserved_concurrency: 69 })).app.spec.reservedConcurrency).toBe(69);
  });
});
