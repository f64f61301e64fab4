import { beforeEach, describe, expect, test } from 'vitest';
import { workDueAt } from '../../../../lib/apps/attention.ts';
import type { Attempt } from '../../../../lib/apps/model.ts';
import { loadAttempts, saveApp } from '../../../../lib/apps/records.ts';
import { createWorkHandler } from '../../../../lib/apps/work/handler.ts';
import { createWorker } from '../../../../lib/apps/work/worker.ts';
import { createMemoryStore } from '../../../support/memory-store.ts';
import { createJumpClock, createWorkBench } from '../../../support/work-bench.ts';

const MINUTE = 60_000;
let bench = createWorkBench();

beforeEach(async () => {
  bench = createWorkBench();
  for (const artifact of ['a1', 'a2', 'a3'])
    bench.belongings.artifacts.set(`shop/${artifact}`, { versionId: 'v1', bytes: 10 });
  await bench.create();
});

/** Lets the worker go up to a call, and never come back from it. */
async function dieAt(method: string): Promise<void> {
  const dead = Promise.withResolvers<void>();
  bench.runtime.before = async (called) => {
    if (called !== method) return;
    bench.runtime.before = () => {};
    dead.resolve();
    await new Promise(() => {});
  };
  bench.worker.work('shop', MINUTE).catch(() => {});
  await dead.promise;
}

describe('the lease', () => {
  test('keeps a second worker away, and the index knows when it ends', async () => {
    await bench.request();
    await dieAt('publish');
    const app = await bench.app();
    expect(app.lease?.expiresAt).toBe(bench.clock.now() + MINUTE);
    expect(workDueAt(app)).toBe(app.lease?.expiresAt);
    bench.runtime.calls.length = 0;
    expect(await createWorker(bench.deps).work('shop', MINUTE)).toBe('later');
    expect(bench.runtime.calls).toEqual([]);
  });

  test('that ran out is taken over, and the attempt goes on where it was (R16)', async () => {
    const { id } = await bench.request();
    await dieAt('publish');
    bench.clock.jump(MINUTE);
    bench.runtime.calls.length = 0;
    expect(await createWorker(bench.deps).work('shop', MINUTE)).toBe('done');
    expect((await bench.app()).attempt).toMatchObject({ id, status: 'succeeded' });
    expect(bench.runtime.calls.filter((call) => /^(create|update)/.test(call))).toEqual([]);
    expect((await bench.app()).lease).toBeUndefined();
  });

  test('gives a step its time anew when its worker was lost', async () => {
    await bench.request();
    await dieAt('create');
    bench.clock.jump(10 * MINUTE);
    bench.runtime.refuse('create', 'role_not_ready', { times: 2 });
    expect(await createWorker(bench.deps).work('shop', MINUTE)).toBe('done');
    expect((await bench.app()).attempt?.status).toBe('succeeded');
    expect((await bench.app()).attempt?.steps[1]?.detail).toContain('taken over from a lost worker');
  });

  test('that another worker has by now makes the first one stop without a trace', async () => {
    await bench.request();
    await bench.worker.work('shop', MINUTE);
    await bench.request({ image: 'artifact:a2' });
    const woken = Promise.withResolvers<void>();
    const asleep = Promise.withResolvers<void>();
    bench.runtime.before = async (called) => {
      if (called !== 'invoke') return;
      bench.runtime.before = () => {};
      asleep.resolve();
      await woken.promise;
    };
    const first = bench.worker.work('shop', MINUTE);
    await asleep.promise;
    bench.clock.jump(2 * MINUTE);
    expect(await createWorker(bench.deps).work('shop', MINUTE)).toBe('done');
    const { version } = await bench.app();
    bench.runtime.calls.length = 0;
    woken.resolve();
    expect(await first).toBe('later');
    expect((await bench.app()).version).toBe(version);
    expect(bench.runtime.calls.filter((call) => /^(set|ensure|publish|update|remove)/.test(call))).toEqual([]);
  });

  test('of a sleeper does not move the alias that a newer attempt has moved (R29)', async () => {
    await bench.request();
    await bench.worker.work('shop', MINUTE);
    await bench.request({ image: 'artifact:a2' });
    const woken = Promise.withResolvers<void>();
    const asleep = Promise.withResolvers<void>();
    bench.runtime.before = async (called) => {
      if (called !== 'findAlias' || (await bench.app()).attempt?.step !== 'shift') return;
      bench.runtime.before = () => {};
      asleep.resolve();
      await woken.promise;
    };
    const first = bench.worker.work('shop', MINUTE);
    await asleep.promise;
    bench.clock.jump(2 * MINUTE);
    await createWorker(bench.deps).lose('shop', MINUTE);
    expect((await bench.app()).attempt).toMatchObject({ status: 'failed', failure: { cause: 'worker lost at shift' } });
    await bench.request({ image: 'artifact:a3' });
    await createWorker(bench.deps).work('shop', MINUTE);
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe('3');
    bench.runtime.calls.length = 0;
    woken.resolve();
    expect(await first).toBe('later');
    expect(bench.runtime.calls).not.toContain('setAlias shop');
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe('3');
    expect((await bench.app()).live?.version).toBe('3');
  });

  test('is not stuck after two workers began at once: one of them does it all', async () => {
    await bench.request();
    const outcomes = await Promise.all([
      bench.worker.work('shop', MINUTE),
      createWorker(bench.deps).work('shop', MINUTE),
    ]);
    expect(outcomes.sort()).toEqual(['done', 'later']);
    expect(bench.runtime.calls.filter((call) => /^(create|publish|setAlias)/.test(call))).toEqual([
      'create shop',
      'publish shop',
      'setAlias shop',
    ]);
    expect((await bench.app()).lease).toBeUndefined();
  });
});

test('what is asked for in the moment of the release is done by the same worker', async () => {
  const clock = createJumpClock();
  const store = createMemoryStore(clock);
  bench = createWorkBench({ clock, store });
  bench.belongings.artifacts.set('shop/a1', { versionId: 'v1', bytes: 10 });
  await bench.create();
  await bench.request();
  store.beforeWrite = async () => {
    if ((await bench.app()).attempt?.status !== 'succeeded') return;
    store.beforeWrite = () => {};
    await bench.stop();
  };
  expect(await bench.worker.work('shop', MINUTE)).toBe('done');
  expect(bench.runtime.functions.get('shop')?.reserved).toBe(0);
  expect((await bench.app()).lease).toBeUndefined();
});

describe('a newer attempt', () => {
  test('takes the place of one that a lost worker left (A03), and the alias is where the record says', async () => {
    await bench.request();
    await bench.worker.work('shop', MINUTE);
    await bench.request({ image: 'artifact:a2' });
    await dieAt('invoke');
    bench.clock.jump(2 * MINUTE);
    // What the API does: it ends the old one, then puts the new one in its place.
    await bench.change('shop', ({ attempt }) =>
      attempt ? { attempt: { ...attempt, status: 'failed', finishedAt: bench.clock.now() }, lease: undefined } : {},
    );
    const { id } = await bench.request({ image: 'artifact:a3' });
    expect(await createWorker(bench.deps).work('shop', MINUTE)).toBe('done');
    const app = await bench.app();
    expect(app.live).toMatchObject({ deployId: id, version: '3', number: 2 });
    expect((await loadAttempts(bench.deps, app, { limit: 9 })).map(({ status }) => status)).toEqual([
      'succeeded',
      'failed',
      'succeeded',
    ]);
  });

  test('that came in the middle of a step is what the same worker goes on with', async () => {
    await bench.request({ image: 'artifact:a1' });
    await bench.worker.work('shop', MINUTE);
    await bench.request({ image: 'artifact:a2' });
    bench.runtime.before = async (called) => {
      if (called !== 'publish') return;
      bench.runtime.before = () => {};
      const before = await bench.app();
      const ended = before.attempt && ({ ...before.attempt, status: 'superseded' } as const);
      await saveApp(bench.deps, before, { attempt: ended });
      await bench.request({ image: 'artifact:a3' });
    };
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    const { live, attempt } = await bench.app();
    expect(attempt).toMatchObject({ number: 3, status: 'succeeded' });
    expect(live?.code).toMatchObject({ artifact: 'a3' });
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe(live?.version);
  });

  test('brings an alias back that a lost attempt had moved', async () => {
    await bench.request();
    await bench.worker.work('shop', MINUTE);
    await bench.request({ image: 'artifact:a2' });
    await dieAt('ensureUrl');
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe('2');
    bench.clock.jump(2 * MINUTE);
    await bench.change('shop', ({ attempt }) =>
      attempt ? { attempt: { ...attempt, status: 'failed', finishedAt: bench.clock.now() } } : {},
    );
    await bench.request({ image: 'artifact:a3' });
    bench.runtime.refuse('updateCode', 'invalid');
    await createWorker(bench.deps).work('shop', MINUTE);
    expect((await bench.app()).attempt?.status).toBe('failed');
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe('1');
  });
});

describe('a message that was given up', () => {
  test.each([
    ['publish', 'failed', '1'],
    ['setAlias', 'failed', '1'],
    ['ensureUrl', 'failed', '1'],
    ['versions', 'failed', '1'], // Before it publishes.
  ] as const)('ends the attempt that was lost at %s as %s', async (method, status, alias) => {
    await bench.request();
    await bench.worker.work('shop', MINUTE);
    await bench.request({ image: 'artifact:a2' });
    await dieAt(method);
    expect(await bench.worker.lose('shop', MINUTE)).toBe('later');
    bench.clock.jump(MINUTE);
    expect(await bench.worker.lose('shop', MINUTE)).toBe('done');
    const { attempt, live, lease, spec } = await bench.app();
    expect(attempt).toMatchObject({
      status,
      failure: { code: 'worker_lost', cause: `worker lost at ${attempt?.step}` },
    });
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe(alias);
    expect(live?.version).toBe('1');
    expect(spec.image).toBe('artifact:a1');
    expect(lease).toBeUndefined();
  });

  test('at the last step finds a release that proved itself', async () => {
    await bench.request();
    await bench.worker.work('shop', MINUTE);
    await bench.request({ image: 'artifact:a2' });
    bench.runtime.before = async (called) => {
      if (called !== 'versions' || (await bench.app()).attempt?.step !== 'retain') return;
      bench.runtime.before = () => {};
      dead.resolve();
      await new Promise(() => {});
    };
    const dead = Promise.withResolvers<void>();
    bench.worker.work('shop', MINUTE).catch(() => {});
    await dead.promise;
    bench.clock.jump(MINUTE);
    expect(await bench.worker.lose('shop', MINUTE)).toBe('done');
    const { attempt, live } = await bench.app();
    expect(attempt).toMatchObject({ status: 'succeeded', release: 2 });
    expect(live?.version).toBe('2');
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe('2');
  });

  test('means nothing to an attempt that ended, or an app that is gone', async () => {
    await bench.request();
    await bench.worker.work('shop', MINUTE);
    const { version } = await bench.app();
    expect(await bench.worker.lose('shop', MINUTE)).toBe('done');
    expect(await bench.worker.lose('nobody', MINUTE)).toBe('done');
    expect((await bench.app()).version).toBe(version);
  });

  test('goes on with a queued attempt, which no worker has tried', async () => {
    await bench.request();
    expect(await bench.worker.lose('shop', MINUTE)).toBe('done');
    expect((await bench.app()).attempt).toMatchObject({ status: 'succeeded' });
  });

  test('of another attempt ends none, and the present one goes on', async () => {
    const { id } = await bench.request();
    const app = await bench.app();
    await saveApp(bench.deps, app, { attempt: { ...(app.attempt as Attempt), status: 'running', step: 'prepare' } });
    expect(await bench.worker.lose('shop', MINUTE, 'dep_AAAAAAAAAAAA')).toBe('done');
    expect((await bench.app()).attempt).toMatchObject({ id, status: 'succeeded' });
  });
});

describe('the handler', () => {
  const context = { getRemainingTimeInMillis: () => MINUTE };
  const arn = 'arn:aws:sqs:us-east-1:000000000000:roundhouse-dev-work.fifo';

  function createSubject() {
    const seen: string[] = [];
    const note = (what: string) => async (app: string) => {
      seen.push(`${what} ${app}`);
      return 'done' as const;
    };
    const worker = { work: note('work'), lose: note('lose') };
    const { log } = bench;
    return { seen, handler: createWorkHandler({ worker, log, queueName: 'roundhouse-dev-work.fifo' }) };
  }

  test.each([
    ['{"app":"shop","reason":"deploy"}', arn, ['work shop']],
    ['{"app":"shop","reason":"deploy","lost":true}', arn, ['lose shop']],
    ['{"app":"shop","reason":"deploy"}', arn.replace('work', 'dead'), ['lose shop']],
    ['{"app":"shop"}', undefined, ['work shop']],
    ['not JSON', arn, []],
    ['{"app":7}', arn, []],
  ])('reads %s from %s', async (body, eventSourceARN, expected) => {
    const { seen, handler } = createSubject();
    await handler({ Records: [{ body, ...(eventSourceARN && { eventSourceARN }) }] }, context);
    expect(seen).toEqual(expected);
  });

  test('fails when the worker does, so that the queue gives the message out again', async () => {
    const worker = {
      work: async () => {
        throw new Error('the table is gone');
      },
      lose: async () => 'done' as const,
    };
    const handler = createWorkHandler({ worker, log: bench.log, queueName: 'q' });
    await expect(handler({ Records: [{ body: '{"app":"shop"}' }] }, context)).rejects.toThrow('the table is gone');
  });
});
