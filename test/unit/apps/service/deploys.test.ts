import { describe, expect, test } from 'vitest';
import type { Attempt, Step } from '../../../../lib/apps/model.ts';
import { archive } from '../../../../lib/apps/records.ts';
import { CALLER, createAppBench, FOREIGN_IMAGE, IMAGE, OTHER_IMAGE } from '../../../support/apps.ts';

async function liveBench() {
  const bench = createAppBench();
  await bench.create('shop', { image: IMAGE });
  await bench.succeed('shop');
  return bench;
}

/** A worker that holds the app, with its newest attempt at a step, for so long. */
function runningAt(bench: Awaited<ReturnType<typeof liveBench>>, step: Step, leaseMs: number | undefined) {
  return bench.work('shop', ({ attempt }) => ({
    attempt: { ...(attempt as Attempt), status: 'running', step, startedAt: bench.clock.now() },
    ...(leaseMs !== undefined && { lease: { owner: 'w1', expiresAt: bench.clock.now() + leaseMs } }),
  }));
}

describe('a deploy', () => {
  test('queues an attempt with the image and the settings of now', async () => {
    const bench = await liveBench();
    await bench.apps.changeEnv('shop', { AA: '1' });
    const app = await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    expect(app.spec.image).toBe(OTHER_IMAGE);
    expect(app.attempt).toMatchObject({
      number: 2,
      status: 'queued',
      image: OTHER_IMAGE,
      settings: { env: { AA: '1' } },
    });
    expect(app.live?.image).toBe(IMAGE);
    expect(bench.sent.at(-1)).toEqual({
      message: { app: 'shop', reason: 'deploy', attempt: expect.stringMatching(/^dep_/) },
      dedupeId: `${app.appId}.${app.version}`,
    });
  });

  test('pins the package that was uploaded', async () => {
    const bench = createAppBench();
    await bench.create('shop');
    const { id, upload } = await bench.apps.createArtifact('shop');
    expect(upload.url).toContain(`/shop/${id}`);
    bench.packages.set(`shop/${id}`, { versionId: 'v1', bytes: 900 });
    const { attempt } = await bench.apps.deploy('shop', `artifact:${id}`, CALLER);
    expect(attempt).toMatchObject({
      source: 'manual',
      code: { kind: 'zip', artifact: id, versionId: 'v1', bytes: 900 },
    });
  });

  test.each([
    [FOREIGN_IMAGE, 'BAD_REQUEST', 'is not in ECR'],
    ['shop:pending', 'BAD_REQUEST', 'stands for code that comes later'],
    ['artifact:none', 'BAD_REQUEST', 'no package was uploaded as artifact none'],
    ['a b', 'BAD_REQUEST', 'has characters'],
    ['', 'BAD_REQUEST', 'has characters'],
  ])('of %j is refused and changes nothing', async (image, code, text) => {
    const bench = await liveBench();
    const before = bench.store.all();
    await expect(bench.apps.deploy('shop', image, CALLER)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text),
      details: { errors: [{ pointer: '/image' }] },
    });
    expect(bench.store.all()).toEqual(before);
  });

  test('of a package over an image is a conflict: Lambda cannot change the kind', async () => {
    const bench = await liveBench();
    bench.packages.set('shop/one', { versionId: 'v1', bytes: 1 });
    await expect(bench.apps.deploy('shop', 'artifact:one', CALLER)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('was made of an image; Lambda cannot change it to a zip package'),
    });
  });

  test('of an app that is not there is NOT_FOUND, whatever the image is', async () => {
    const bench = createAppBench();
    await expect(bench.apps.deploy('shop', 'a b', CALLER)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('of an app that is being removed is a conflict', async () => {
    const bench = await liveBench();
    await bench.apps.remove('shop', CALLER);
    await expect(bench.apps.deploy('shop', OTHER_IMAGE, CALLER)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(bench.apps.restart('shop', CALLER)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('of a stopped app leaves it stopped', async () => {
    const bench = await liveBench();
    await bench.apps.stop('shop', CALLER);
    const app = await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    expect(app).toMatchObject({ suspended: true, attempt: { status: 'queued' } });
  });
});

describe('a deploy that meets another one', () => {
  test('takes the place of one that waits, which stays in the history as superseded', async () => {
    const bench = await liveBench();
    const { attempt: first } = await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    const { attempt: second } = await bench.apps.deploy('shop', IMAGE, CALLER);
    const { attempt: seen } = await bench.apps.attempt('shop', first?.id ?? '');
    expect(seen).toMatchObject({ status: 'superseded', supersededBy: second?.id, finishedAt: bench.clock.now() });
    expect((await bench.apps.attempts('shop', {})).map(({ status }) => status)).toEqual([
      'queued',
      'superseded',
      'succeeded',
    ]);
  });

  test('takes the place of one that waits for its stopped app', async () => {
    const bench = await liveBench();
    await bench.apps.stop('shop', CALLER);
    await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    await bench.work('shop', ({ attempt }) => ({
      attempt: { ...(attempt as Attempt), version: '2', waitReason: 'suspended' },
    }));
    const { attempt: first } = await bench.apps.get('shop');
    await bench.apps.deploy('shop', IMAGE, CALLER);
    const { attempt: seen } = await bench.apps.attempt('shop', first?.id ?? '');
    expect(seen.status).toBe('superseded');
    expect(seen).not.toHaveProperty('waitReason');
  });

  test('is told holder and expiry while a worker has the lease, and succeeds after it: the first is lost (A03)', async () => {
    const bench = await liveBench();
    const { attempt: first } = await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    await runningAt(bench, 'publish', 60_000);
    await bench.clock.advance(20_500);
    const before = bench.store.all();
    await expect(bench.apps.deploy('shop', IMAGE, CALLER)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/at step publish is held by worker w1 until 2026-01-01T00:01:00\.000Z/),
      details: { headers: { 'retry-after': '40' } },
    });
    for (const other of [bench.apps.restart('shop', CALLER), bench.replace('shop', { image: `${IMAGE}2` })]) {
      await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    expect(bench.store.all()).toEqual(before);
    await bench.clock.advance(39_500);
    const after = await bench.apps.deploy('shop', IMAGE, CALLER);
    expect(after.attempt).toMatchObject({ number: 3, status: 'queued' });
    expect(after.lease).toBeUndefined();
    expect((await bench.apps.attempt('shop', first?.id ?? '')).attempt).toMatchObject({
      status: 'failed',
      finishedAt: bench.clock.now(),
      failure: { code: 'worker_lost', cause: 'worker lost at publish', step: 'publish', retryable: true },
    });
  });

  test('is told to wait for one that is queued under a lease', async () => {
    const bench = await liveBench();
    await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    await bench.work('shop', { lease: { owner: 'w1', expiresAt: bench.clock.now() + 1 } });
    await expect(bench.apps.deploy('shop', IMAGE, CALLER)).rejects.toMatchObject({
      details: { headers: { 'retry-after': '1' } },
    });
  });

  test('takes the place of one that has run and that no worker holds: nobody was lost', async () => {
    const bench = await liveBench();
    const { attempt: first } = await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    await runningAt(bench, 'gate', undefined);
    await bench.apps.deploy('shop', IMAGE, CALLER);
    expect((await bench.apps.attempt('shop', first?.id ?? '')).attempt.status).toBe('superseded');
  });

  test.each<Step>(['shift', 'verify', 'retain'])(
    'waits for one whose worker was lost at %s: its version may serve',
    async (step) => {
      const bench = await liveBench();
      await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
      await runningAt(bench, step, 60_000);
      await bench.clock.advance(3_600_000);
      await expect(bench.apps.deploy('shop', IMAGE, CALLER)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(`was interrupted at step ${step}`),
        details: { headers: { 'retry-after': '60' } },
      });
    },
  );

  test('is free when the other one is final, even if its worker still has the lease', async () => {
    const bench = await liveBench();
    await bench.work('shop', { lease: { owner: 'w1', expiresAt: bench.clock.now() + 60_000 } });
    const app = await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    expect(app).toMatchObject({ attempt: { number: 2 }, lease: { owner: 'w1' } });
  });

  test('in the same moment: one is superseded by the other, and none is lost', async () => {
    const bench = await liveBench();
    await Promise.all([bench.apps.deploy('shop', OTHER_IMAGE, CALLER), bench.apps.deploy('shop', IMAGE, CALLER)]);
    const attempts = await bench.apps.attempts('shop', {});
    expect(attempts.map(({ number, status }) => [number, status])).toEqual([
      [3, 'queued'],
      [2, 'superseded'],
      [1, 'succeeded'],
    ]);
    expect(attempts[1]?.supersededBy).toBe(attempts[0]?.id);
    expect((await bench.apps.get('shop')).spec.image).toBe(attempts[0]?.image);
  });
});

describe('a restart', () => {
  test('deploys the live code with the settings of now', async () => {
    const bench = await liveBench();
    await bench.apps.changeEnv('shop', { AA: '1' });
    const { live, attempt } = await bench.apps.restart('shop', CALLER);
    expect(attempt).toMatchObject({
      source: 'restart',
      image: IMAGE,
      code: live?.code,
      settings: { env: { AA: '1' } },
    });
  });

  test('supersedes a deploy that waits, and takes its image back', async () => {
    const bench = await liveBench();
    await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    expect(await bench.apps.restart('shop', CALLER)).toMatchObject({
      spec: { image: IMAGE },
      attempt: { image: IMAGE },
    });
  });

  test('of an app that was never live is a conflict', async () => {
    const bench = createAppBench();
    await bench.create('shop', { image: FOREIGN_IMAGE });
    await expect(bench.apps.restart('shop', CALLER)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has no live release'),
    });
  });
});

describe('canceling', () => {
  test('ends an attempt that nobody works on at once, and the image of the live release is wanted again', async () => {
    const bench = await liveBench();
    const { attempt } = await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    const canceled = await bench.apps.cancel('shop', attempt?.id ?? '', { tokenId: 'tok_2' });
    expect(canceled).toMatchObject({ id: attempt?.id, status: 'canceled', canceledBy: 'tok_2' });
    expect(await bench.apps.get('shop')).toMatchObject({ attempt: canceled, spec: { image: IMAGE } });
    expect((await bench.apps.conditions('shop')).at(-1)).toMatchObject({ type: 'Deploy', reason: 'Canceled' });
  });

  test('keeps an image that somebody has set since', async () => {
    const bench = await liveBench();
    await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    await bench.replace('shop', { image: 'shop:pending' });
    await bench.apps.cancel('shop', 'latest', CALLER);
    expect((await bench.apps.get('shop')).spec.image).toBe('shop:pending');
  });

  test.each<[Step, number | undefined]>([
    ['prepare', 60_000],
    ['code', 60_000],
    ['settings', 60_000],
    ['publish', -1],
    ['gate', undefined],
  ])('asks the worker to end an attempt that runs at %s', async (step, lease) => {
    const bench = await liveBench();
    await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    await runningAt(bench, step, lease);
    const canceled = await bench.apps.cancel('shop', 'latest', { tokenId: 'tok_2' });
    expect(canceled).toMatchObject({ status: 'running', cancelRequestedBy: 'tok_2' });
    expect(bench.sent.at(-1)?.message).toEqual({
      app: 'shop',
      reason: 'cancel',
      attempt: expect.stringMatching(/^dep_/),
    });
    expect(await bench.apps.cancel('shop', 'latest', CALLER)).toEqual(canceled);
  });

  test('asks the worker too when the attempt is still queued but held', async () => {
    const bench = await liveBench();
    await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    await bench.work('shop', { lease: { owner: 'w1', expiresAt: bench.clock.now() + 1 } });
    expect(await bench.apps.cancel('shop', 'latest', CALLER)).toMatchObject({
      status: 'queued',
      cancelRequestedBy: 'tok_1',
    });
  });

  test.each<Step>(['shift', 'verify', 'retain'])('is too late at %s', async (step) => {
    const bench = await liveBench();
    await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    await runningAt(bench, step, 60_000);
    const before = bench.store.all();
    await expect(bench.apps.cancel('shop', 'latest', CALLER)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(bench.store.all()).toEqual(before);
  });

  test('is too late for what is final, but twice is as once', async () => {
    const bench = await liveBench();
    await expect(bench.apps.cancel('shop', 'latest', CALLER)).rejects.toMatchObject({
      message: expect.stringContaining('it is succeeded already'),
    });
    const { attempt } = await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    await bench.apps.deploy('shop', IMAGE, CALLER);
    await expect(bench.apps.cancel('shop', attempt?.id ?? '', CALLER)).rejects.toMatchObject({
      message: expect.stringContaining('it is superseded already'),
    });
    const canceled = await bench.apps.cancel('shop', 'latest', CALLER);
    expect(await bench.apps.cancel('shop', canceled.id, CALLER)).toEqual(canceled);
  });

  test('knows only attempts of its app', async () => {
    const bench = await liveBench();
    const other = await bench.create('other', { image: IMAGE });
    for (const id of [other.attempt?.id ?? '', 'dep_AAAAAQAAAAAA', 'x', '']) {
      await expect(bench.apps.cancel('shop', id, CALLER)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(bench.apps.attempt('shop', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await bench.create('empty');
    await expect(bench.apps.attempt('empty', 'latest')).rejects.toMatchObject({
      message: 'The app empty has no deploy yet.',
    });
  });
});

describe('the list of attempts', () => {
  test('pages from the newest to the oldest by id', async () => {
    const bench = await liveBench();
    for (let count = 0; count < 5; count += 1) await bench.apps.deploy('shop', count % 2 ? IMAGE : OTHER_IMAGE, CALLER);
    const numbers: number[] = [];
    let before: string | undefined;
    for (let pages = 0; pages < 9; pages += 1) {
      const page = await bench.apps.attempts('shop', { limit: 2, before });
      if (page.length === 0) break;
      numbers.push(...page.map(({ number }) => number));
      before = page.at(-1)?.id;
    }
    expect(numbers).toEqual([6, 5, 4, 3, 2, 1]);
  });

  test.each([{ limit: 0 }, { limit: 501 }, { limit: 1.5 }, { before: 'latest' }])('refuses %j', async (query) => {
    const bench = await liveBench();
    await expect(bench.apps.attempts('shop', query)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('apps whose latest deploy failed', () => {
  test('are read with one query, the newest first, from a time on', async () => {
    const bench = createAppBench();
    for (const name of ['old', 'mid', 'new', 'good', 'mended', 'open', 'gone']) {
      await bench.clock.advance(1000);
      await bench.create(name, { image: IMAGE });
      await (name === 'good' ? bench.succeed(name) : bench.fail(name));
    }
    await bench.apps.deploy('mended', IMAGE, CALLER);
    await bench.succeed('mended');
    await bench.apps.deploy('open', IMAGE, CALLER);
    await bench.apps.remove('gone', CALLER);
    const reads: string[] = [];
    bench.store.beforeRead = (pk) => void reads.push(pk);
    const start = Date.parse('2026-01-01T00:00:02Z');
    expect((await bench.apps.failed(start)).map(({ name }) => name)).toEqual(['new', 'mid']);
    expect(reads).toEqual(['APPS']);
    expect(await bench.apps.failed(start + 1002)).toEqual([]);
  });

  test('are found while they have other work, such as a stop', async () => {
    const bench = await liveBench();
    await bench.apps.deploy('shop', OTHER_IMAGE, CALLER);
    await bench.fail('shop');
    await bench.apps.stop('shop', CALLER);
    expect(await bench.apps.failed(0)).toMatchObject([{ name: 'shop', live: { image: IMAGE } }]);
  });
});

test('a deploy of the history cannot be canceled, whatever it says, and the present one stays as it is', async () => {
  const bench = createAppBench();
  await bench.create('shop', { image: IMAGE });
  const stray = (await bench.apps.get('shop')).attempt as Attempt;
  await bench.succeed('shop');
  await bench.apps.deploy('shop', IMAGE, CALLER);
  await archive({ store: bench.store }, 'shop', { ...stray, status: 'queued' });
  const { attempt } = await bench.apps.get('shop');
  await expect(bench.apps.cancel('shop', stray.id, CALLER)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await bench.apps.get('shop')).attempt).toEqual(attempt);
});
