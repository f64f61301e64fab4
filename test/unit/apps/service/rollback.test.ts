import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../../../lib/apps/model.ts';
import { renderApp, renderAttempt } from '../../../../lib/apps/views.ts';
import { CALLER, createAppBench } from '../../../support/apps.ts';

/** Case A05: release 1 = code a; release 2 = code a with USER; release 3 = code b with 1024 MB. */
async function threeReleases() {
  const bench = createAppBench();
  await bench.create('shop');
  for (const id of ['a', 'b']) bench.packages.set(`shop/${id}`, { versionId: `v-${id}`, bytes: 1 });
  const first = await bench.apps.deploy('shop', 'artifact:a', CALLER);
  await bench.apps.putSecret('shop', 'OLD', { value: 'x' });
  await bench.clock.advance(1000);
  await bench.succeed('shop');
  await bench.apps.changeEnv('shop', { USERNAME: 'test' });
  await bench.apps.restart('shop', CALLER);
  await bench.succeed('shop');
  await bench.replace('shop', { image: 'artifact:b', env: { USERNAME: 'test' }, resources: { memory_bytes: 2 ** 30 } });
  await bench.clock.advance(1000);
  await bench.succeed('shop');
  await bench.apps.putSecret('shop', 'TOKEN', { value: 'y' });
  return { bench, first: first.attempt?.id ?? '' };
}

describe('a rollback (A05)', () => {
  test('makes a new attempt of code and settings of the release together', async () => {
    const { bench, first } = await threeReleases();
    const { attempt, spec } = await bench.apps.rollback('shop', first, CALLER);
    expect(attempt).toMatchObject({
      number: 4,
      source: 'rollback',
      status: 'queued',
      image: 'artifact:a',
      code: { kind: 'zip', artifact: 'a', versionId: 'v-a' },
      settings: { env: {}, memoryMb: 512 },
      rollbackOf: { deployId: first, release: 1, fromRelease: 3 },
      rotatedSecrets: ['TOKEN'],
    });
    expect(attempt).not.toHaveProperty('version');
    expect(spec).toMatchObject({ image: 'artifact:b', memoryMb: 1024 });
    expect(renderAttempt('shop', attempt as Attempt).description).toBe('rollback of 3 to 1');
  });

  test('that succeeds is release 4, and nothing waits for a deploy but the secret that is newer', async () => {
    const { bench, first } = await threeReleases();
    await bench.apps.rollback('shop', first, CALLER);
    await bench.clock.advance(1000);
    const app = await bench.succeed('shop');
    expect(renderApp(app)).toMatchObject({ image: 'artifact:a', env_dirty: false, live: { release: 4 } });
    expect(renderApp(app)).not.toHaveProperty('env');
    expect(renderApp(app).resources.memory_bytes).toBe(512 * 1024 * 1024);
  });

  test('uses the version that is still there, even if its package is not', async () => {
    const { bench, first } = await threeReleases();
    bench.versions.add('shop/1');
    bench.packages.delete('shop/a');
    expect((await bench.apps.rollback('shop', first, CALLER)).attempt).toMatchObject({ version: '1' });
  });

  test.each(['gone', 'overwritten'])('whose package is %s is a conflict before anything changes', async (how) => {
    const { bench, first } = await threeReleases();
    if (how === 'gone') bench.packages.delete('shop/a');
    else bench.packages.set('shop/a', { versionId: 'other', bytes: 1 });
    const before = bench.store.all();
    const sent = bench.sent.length;
    await expect(bench.apps.rollback('shop', first, CALLER)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/its package a is gone. Nothing was changed. Deploy the code anew/),
      details: { failure: { code: 'rollback_target_gone', retryable: false } },
    });
    expect(bench.store.all()).toEqual(before);
    expect(bench.sent).toHaveLength(sent);
  });

  test('to a pruned release does not trust a version of its number', async () => {
    const { bench, first } = await threeReleases();
    bench.versions.add('shop/1');
    bench.packages.delete('shop/a');
    const { attempt } = await bench.apps.attempt('shop', first);
    await bench.store.put({ pk: 'APP#shop', sk: 'ATTEMPT#0000000001', ...(attempt as any), pruned: true });
    await expect(bench.apps.rollback('shop', first, CALLER)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('to an attempt that made no release is a conflict', async () => {
    const { bench } = await threeReleases();
    const { attempt } = await bench.apps.deploy('shop', 'artifact:a', CALLER);
    await bench.fail('shop');
    await expect(bench.apps.rollback('shop', attempt?.id ?? '', CALLER)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('it is failed, so it made no release'),
    });
    await expect(bench.apps.rollback('shop', 'dep_AAAAAQAAAAAA', CALLER)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('meets a deploy that runs as every deploy does', async () => {
    const { bench, first } = await threeReleases();
    const { attempt } = await bench.apps.deploy('shop', 'artifact:a', CALLER);
    await bench.work('shop', { lease: { owner: 'w1', expiresAt: bench.clock.now() + 5000 } });
    await expect(bench.apps.rollback('shop', first, CALLER)).rejects.toMatchObject({
      details: { headers: { 'retry-after': '5' } },
    });
    await bench.clock.advance(5000);
    const app = await bench.apps.rollback('shop', first, CALLER);
    expect(app.spec.image).toBe('artifact:b');
    expect((await bench.apps.attempt('shop', attempt?.id ?? '')).attempt.status).toBe('superseded');
  });

  test('still gives its settings to the spec when the app was stopped, started or got a secret in between', async () => {
    const { bench, first } = await threeReleases();
    await bench.apps.rollback('shop', first, CALLER);
    await bench.apps.stop('shop', CALLER);
    await bench.apps.putSecret('shop', 'TOKEN', { value: 'z' });
    const app = await bench.apps.start('shop', CALLER);
    expect(app.attempt?.generation).toBe(app.generation);
  });

  test('gives them to no spec that somebody changed after it was asked for, whatever comes then', async () => {
    const { bench, first } = await threeReleases();
    await bench.apps.rollback('shop', first, CALLER);
    await bench.apps.changeEnv('shop', { AA: '1' });
    const app = await bench.apps.stop('shop', CALLER);
    expect(app.attempt?.generation).toBe(app.generation - 2);
  });

  test('of an image needs the image', async () => {
    const bench = createAppBench();
    const image = '123456789012.dkr.ecr.eu-central-1.amazonaws.com/shop:1';
    const { attempt } = await bench.create('shop', { image });
    await bench.succeed('shop');
    bench.versions.add('shop/1');
    await expect(bench.apps.rollback('shop', attempt?.id ?? '', CALLER)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`its image ${image} (sha256:`),
    });
    bench.images.add(image);
    expect((await bench.apps.rollback('shop', attempt?.id ?? '', CALLER)).attempt).toMatchObject({ version: '1' });
  });
});
