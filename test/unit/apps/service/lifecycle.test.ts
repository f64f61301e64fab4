import { describe, expect, test } from 'vitest';
import type { Attempt, Observed } from '../../../../lib/apps/model.ts';
import { stateOf } from '../../../../lib/apps/status.ts';
import { ATTENTION_INDEX } from '../../../../lib/store/table.ts';
import { CALLER, createAppBench, FOREIGN_IMAGE, IMAGE } from '../../../support/apps.ts';

async function liveBench() {
  const bench = createAppBench();
  await bench.create('shop', { image: IMAGE });
  await bench.succeed('shop');
  return bench;
}

describe('stop and start', () => {
  test('write their mark at once and send word; twice is as once', async () => {
    const bench = await liveBench();
    const stopped = await bench.apps.stop('shop', CALLER);
    expect(stopped).toMatchObject({ suspended: true, switchedAt: bench.clock.now(), generation: 2 });
    expect(bench.sent.at(-1)?.message.reason).toBe('stop');
    expect(await bench.apps.stop('shop', CALLER)).toEqual(stopped);
    expect(bench.sent).toHaveLength(2);
    await bench.work('shop', { observed: { ...(stopped.observed as Observed), stopped: true } });
    const started = await bench.apps.start('shop', CALLER);
    expect(started).toMatchObject({ suspended: false, generation: 3 });
    expect(await bench.apps.start('shop', CALLER)).toEqual(started);
    expect(bench.sent.map(({ message }) => message.reason)).toEqual(['create', 'stop', 'start']);
  });

  test('of an app without a function is done with the mark: no work, no message, nothing in the index', async () => {
    const bench = createAppBench();
    await bench.create('bench-0001', { image: FOREIGN_IMAGE });
    const app = await bench.apps.stop('bench-0001', CALLER);
    expect(stateOf(app).name).toBe('stopped');
    expect(bench.sent).toEqual([]);
    expect(bench.store.all()).toHaveLength(1);
    expect(bench.store.all()[0]).not.toHaveProperty(ATTENTION_INDEX.pk);
  });

  test('let what has failed be tried at once', async () => {
    const bench = await liveBench();
    await bench.work('shop', { retry: { at: bench.clock.now() + 900_000, count: 6, reason: 'throttled' } });
    expect((await bench.apps.stop('shop', CALLER)).retry).toBeUndefined();
  });

  test('let an attempt go on that waited for the start', async () => {
    const bench = await liveBench();
    await bench.apps.stop('shop', CALLER);
    await bench.apps.restart('shop', CALLER);
    await bench.work('shop', ({ attempt }) => ({
      attempt: { ...(attempt as Attempt), version: '2', waitReason: 'suspended' },
    }));
    const { attempt } = await bench.apps.start('shop', CALLER);
    expect(attempt).toMatchObject({ status: 'queued', version: '2' });
    expect(attempt).not.toHaveProperty('waitReason');
  });

  test('look at the ETag before they look whether there is something to do', async () => {
    const bench = await liveBench();
    for (const verb of ['stop', 'start', 'restart'] as const) {
      const refused = bench.apps[verb]('shop', CALLER, { ifMatch: '"x"' });
      await expect(refused).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    }
  });

  test('of what is not there, or is being removed, say so', async () => {
    const bench = await liveBench();
    await expect(bench.apps.stop('none', CALLER)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no app "none".',
    });
    await bench.apps.remove('shop', CALLER);
    await expect(bench.apps.stop('shop', CALLER)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(bench.apps.start('shop', CALLER)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('and a deploy in the same moment both take effect', async () => {
    const bench = await liveBench();
    await Promise.all([bench.apps.stop('shop', CALLER), bench.apps.deploy('shop', IMAGE, CALLER)]);
    expect(await bench.apps.get('shop')).toMatchObject({ suspended: true, attempt: { number: 2, status: 'queued' } });
  });

  test('do not disturb a lease', async () => {
    const bench = await liveBench();
    const lease = { owner: 'w1', expiresAt: bench.clock.now() + 60_000 };
    await bench.work('shop', { lease });
    expect((await bench.apps.stop('shop', CALLER)).lease).toEqual(lease);
  });
});

describe('conditions', () => {
  test('say at once that an app is stopped which never served', async () => {
    const bench = createAppBench();
    await bench.create('shop');
    await bench.apps.stop('shop', CALLER);
    expect(await bench.apps.conditions('shop')).toMatchObject([
      { type: 'Ready', status: 'Unknown', reason: 'Suspended' },
    ]);
  });

  test('keep what was seen of an app that serves: a request has seen nothing', async () => {
    const bench = await liveBench();
    const seen = { type: 'Ready', status: 'False' as const, reason: 'FunctionMissing', message: 'it is not there' };
    const at = { lastTransitionAt: bench.clock.now(), lastObservedAt: bench.clock.now() };
    await bench.work('shop', { conditions: [{ ...seen, ...at }] });
    await bench.clock.advance(1000);
    await bench.apps.deploy('shop', IMAGE, CALLER);
    expect(await bench.apps.conditions('shop')).toMatchObject([
      { ...seen, ...at },
      { type: 'Deploy', reason: 'Queued' },
    ]);
  });
});

describe('removing', () => {
  test('marks an app that has something to take away, once', async () => {
    const bench = await liveBench();
    const app = await bench.apps.remove('shop', CALLER);
    expect(app).toMatchObject({
      generation: 2,
      deletion: { requestedAt: bench.clock.now(), requestedBy: 'tok_1', leftovers: [] },
    });
    expect(bench.sent.at(-1)?.message).toEqual({ app: 'shop', reason: 'remove' });
    expect(await bench.apps.remove('shop', { tokenId: 'tok_2' })).toEqual(app);
  });

  test('takes an app away at once of which there is nothing but its item', async () => {
    const bench = createAppBench();
    await bench.create('shop', { image: FOREIGN_IMAGE });
    await bench.apps.stop('shop', CALLER);
    expect(await bench.apps.remove('shop', CALLER)).not.toHaveProperty('deletion');
    expect(bench.store.all()).toEqual([]);
    await expect(bench.apps.remove('shop', CALLER)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await bench.create('shop')).version).toBe(1);
  });

  test.each<[string, (bench: ReturnType<typeof createAppBench>) => Promise<unknown>]>([
    ['a domain', (bench) => bench.replace('shop', { domains: ['a.example.org'] })],
    ['an attempt', (bench) => bench.replace('shop', { image: IMAGE })],
    ['an upload', (bench) => bench.apps.createArtifact('shop')],
    ['a secret', (bench) => bench.apps.putSecret('shop', 'TOKEN', { value: 'x' })],
    ['a lease', (bench) => bench.work('shop', { lease: { owner: 'w1', expiresAt: 0 } })],
    [
      'a secret that was removed',
      async (bench) => {
        await bench.apps.putSecret('shop', 'TOKEN', { value: 'x' });
        await bench.apps.removeSecret('shop', 'TOKEN');
      },
    ],
    [
      'a secret that was cut off',
      async (bench) => {
        bench.deps.secretValues.put = async () => Promise.reject(new Error('lost'));
        await bench.apps.putSecret('shop', 'TOKEN', { value: 'x' }).catch(() => undefined);
      },
    ],
  ])('leaves an app with %s to the finalizer', async (_what, prepare) => {
    const bench = createAppBench();
    await bench.create('shop');
    await prepare(bench);
    expect((await bench.apps.remove('shop', CALLER)).deletion).toBeDefined();
    expect(await bench.apps.get('shop')).toMatchObject({ deletion: { leftovers: [] } });
  });

  test('with another ETag is refused', async () => {
    const bench = await liveBench();
    const removed = bench.apps.remove('shop', CALLER, { ifMatch: '"x"' });
    await expect(removed).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  });

  test('and a deploy in the same moment: the app goes, and no deploy starts after the mark', async () => {
    const bench = await liveBench();
    const [removed] = await Promise.allSettled([
      bench.apps.remove('shop', CALLER),
      bench.apps.deploy('shop', IMAGE, CALLER),
    ]);
    expect(removed.status).toBe('fulfilled');
    expect((await bench.apps.get('shop')).deletion).toBeDefined();
    await expect(bench.apps.deploy('shop', IMAGE, CALLER)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('of a bare app and a first deploy in the same moment: the deploy is not lost without a word', async () => {
    const bench = createAppBench();
    await bench.create('shop');
    const [removed, deployed] = await Promise.allSettled([
      bench.apps.remove('shop', CALLER),
      bench.apps.deploy('shop', IMAGE, CALLER),
    ]);
    const left = bench.store.all().filter(({ pk }) => pk === 'APPS');
    expect(removed.status).toBe('fulfilled');
    if (deployed.status === 'fulfilled') expect(left).toMatchObject([{ deletion: {} }]);
    else expect({ left, code: deployed.reason.code }).toEqual({ left: [], code: 'NOT_FOUND' });
  });
});
