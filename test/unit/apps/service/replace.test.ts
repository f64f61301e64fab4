import { describe, expect, test } from 'vitest';
import { renderApp } from '../../../../lib/apps/views.ts';
import { CALLER, createAppBench, FOREIGN_IMAGE, IMAGE, OTHER_IMAGE } from '../../../support/apps.ts';

async function liveBench() {
  const bench = createAppBench();
  await bench.create('shop', { image: IMAGE });
  await bench.succeed('shop');
  return bench;
}

describe('replacing an app', () => {
  test('with other settings waits for an attempt and says so', async () => {
    const bench = await liveBench();
    const { app } = await bench.replace('shop', { image: IMAGE, env: { COLOUR: 'blue' } });
    expect(app).toMatchObject({ generation: 2, nextAttempt: 2, spec: { env: { COLOUR: 'blue' } } });
    expect(renderApp(app).env_dirty).toBe(true);
    expect(bench.sent).toHaveLength(1);
  });

  test('with another image makes an attempt with the new settings', async () => {
    const bench = await liveBench();
    const { app } = await bench.replace('shop', { image: OTHER_IMAGE, env: { COLOUR: 'blue' } });
    expect(app.attempt).toMatchObject({
      number: 2,
      image: OTHER_IMAGE,
      generation: 2,
      settings: { env: { COLOUR: 'blue' } },
    });
    expect(bench.sent.at(-1)?.message).toMatchObject({
      app: 'shop',
      reason: 'replace',
      attempt: expect.stringMatching(/^dep_/),
    });
    expect((await bench.apps.attempt('shop', 'latest')).attempt).toEqual(app.attempt);
    expect((await bench.apps.attempts('shop', {})).map(({ number, status }) => [number, status])).toEqual([
      [2, 'queued'],
      [1, 'succeeded'],
    ]);
  });

  test('with what is stored writes nothing', async () => {
    const bench = await liveBench();
    const before = await bench.apps.get('shop');
    expect((await bench.replace('shop', { image: IMAGE })).app).toEqual(before);
  });

  test('with its own answer to GET changes nothing and warns of nothing', async () => {
    const bench = createAppBench();
    await bench.create('shop', {
      ...{ image: IMAGE, env: { AA: '1' }, labels: { a: 'b' }, domains: ['a.example.org'], reserved_concurrency: 3 },
      ...{ resources: { memory_bytes: 2 ** 30 }, health: { readiness: { path: '/up' }, ready_timeout: '20s' } },
      ...{ timeout_seconds: 7, architecture: 'x86_64', runtime: 'nodejs22.x', handler: 'app.run', port: 81 },
    });
    await bench.succeed('shop');
    await bench.apps.putSecret('shop', 'TOKEN', { value: 'x' });
    const before = await bench.apps.stop('shop', CALLER);
    const { app, warnings } = await bench.replace('shop', JSON.parse(JSON.stringify(renderApp(before))));
    expect(app).toEqual(before);
    expect(warnings).toEqual([]);
  });

  test('leaves everything alone that it does not show: secrets, the stop, the history', async () => {
    const bench = await liveBench();
    await bench.apps.putSecret('shop', 'TOKEN', { value: 'x' });
    const before = await bench.apps.stop('shop', CALLER);
    const { app } = await bench.replace('shop', { image: IMAGE, labels: { a: 'b' } });
    expect(app).toMatchObject({ secrets: before.secrets, suspended: true, live: before.live, attempt: before.attempt });
  });

  test('warns of a variable that a secret hides, and of a suspended that is not so', async () => {
    const bench = await liveBench();
    await bench.apps.putSecret('shop', 'TOKEN', { value: 'x' });
    const { warnings } = await bench.replace('shop', { image: IMAGE, env: { TOKEN: 'y' }, suspended: true });
    expect(warnings).toEqual([
      'suspended does nothing here: POST /api/v1/apps/shop/stop changes it.',
      'env.TOKEN has no effect: the secret of that name goes before it.',
    ]);
  });

  test.each([
    ['an image of another registry', FOREIGN_IMAGE, 'BAD_REQUEST'],
    ['a package that is not there', 'artifact:none', 'CONFLICT'],
  ])('with %s changes nothing', async (_what, image, code) => {
    const bench = await liveBench();
    const before = bench.store.all();
    await expect(bench.replace('shop', { image, domains: ['a.example.org'] })).rejects.toMatchObject({ code });
    expect(bench.store.all()).toEqual(before);
  });

  test('of the benchmark is possible as long as its image stays', async () => {
    const bench = createAppBench();
    await bench.create('bench', { image: FOREIGN_IMAGE });
    const { app, warnings } = await bench.replace('bench', { image: FOREIGN_IMAGE, env: { AA: '1' } });
    expect(app.spec.env).toEqual({ AA: '1' });
    expect(warnings).toEqual([expect.stringContaining('Nothing is deployed')]);
  });

  test('with an older ETag, with that of another app of the name, or of none, is refused', async () => {
    const bench = createAppBench();
    const { appId } = await bench.create('shop');
    const input = bench.parse({ image: 'shop:pending', port: 81 }, 'shop');
    for (const ifMatch of [`"${appId}.9"`, '"app_other.1"', '"1"', '']) {
      const replaced = bench.apps.replace('shop', input, CALLER, { ifMatch });
      await expect(replaced).rejects.toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringContaining(`"${appId}.1"`),
      });
    }
    const ifMatch = `"x", "${appId}.1"`;
    expect((await bench.apps.replace('shop', input, CALLER, { ifMatch })).app.spec.port).toBe(81);
    expect(
      (await bench.apps.replace('shop', bench.parse({ image: 'a:pending' }, 'shop'), CALLER, { ifMatch: '*' })).app
        .version,
    ).toBe(3);
  });

  test('that is not there, or is being removed, says so', async () => {
    const bench = await liveBench();
    await expect(bench.replace('none', {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await bench.apps.remove('shop', CALLER);
    await expect(bench.replace('shop', {})).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('goes on when another writer is in between, and gives up when there always is one', async () => {
    const bench = await liveBench();
    let left = 3;
    bench.store.beforeWrite = async ({ pk }) => {
      if (pk !== 'APPS' || left-- <= 0) return;
      const hook = bench.store.beforeWrite;
      bench.store.beforeWrite = () => {};
      await bench.work('shop', {});
      bench.store.beforeWrite = hook;
    };
    expect((await bench.replace('shop', { image: IMAGE, port: 81 })).app).toMatchObject({
      generation: 2,
      spec: { port: 81 },
    });
    left = 1000;
    await expect(bench.replace('shop', { image: IMAGE, port: 82 })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
  });
});

describe('changing variables one by one', () => {
  test('sets and removes them, and leaves the rest', async () => {
    const bench = await liveBench();
    await bench.apps.changeEnv('shop', { AA: '1', BB: '2', constructor: 'c' });
    const app = await bench.apps.changeEnv('shop', { AA: null, BB: '3', CC: null });
    expect(app.spec.env).toEqual({ BB: '3', constructor: 'c' });
    expect(app).toMatchObject({ generation: 3, nextAttempt: 2 });
  });

  test('writes nothing when nothing changes', async () => {
    const bench = await liveBench();
    const before = await bench.apps.get('shop');
    expect(await bench.apps.changeEnv('shop', { AA: null, toString: null } as any)).toEqual(before);
  });

  test.each<[Record<string, any>, string]>([
    [{ PORT: '1' }, '/PORT'],
    [JSON.parse('{"__proto__":"x"}'), '/__proto__'],
    [{ AA: 5 }, '/AA'],
    [{ AA: 'x'.repeat(4096) }, ''],
    [{ AA: 'a\0' }, '/AA'],
  ])('refuses %j', async (changes, pointer) => {
    const bench = await liveBench();
    await expect(bench.apps.changeEnv('shop', changes)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      details: { errors: [{ pointer }] },
    });
  });

  test('does not get undone by a rollback that was asked for before', async () => {
    const bench = await liveBench();
    const { attempt: first } = await bench.apps.get('shop');
    const rollback = await bench.apps.rollback('shop', first?.id ?? '', CALLER).catch(() => undefined);
    expect(rollback).toBeUndefined();
    bench.images.add(IMAGE);
    await bench.apps.rollback('shop', first?.id ?? '', CALLER);
    const app = await bench.apps.changeEnv('shop', { AA: '1' });
    expect(app.attempt?.generation).toBeLessThan(app.generation);
  });
});
