import { beforeEach, describe, expect, test } from 'vitest';
import { hasWork } from '../../../../lib/apps/attention.ts';
import { loadAttempt } from '../../../../lib/apps/records.ts';
import { keptOf } from '../../../../lib/apps/work/retention.ts';
import { answers } from '../../../support/fake-runtime.ts';
import { createWorkBench, SETTINGS } from '../../../support/work-bench.ts';

let bench = createWorkBench();
const MINUTE = 60_000;

beforeEach(async () => {
  bench = createWorkBench();
  for (const artifact of ['a1', 'a2', 'a3'])
    bench.belongings.artifacts.set(`shop/${artifact}`, { versionId: 'v1', bytes: 10 });
  await bench.create();
});

async function release(artifact: string, settings = SETTINGS) {
  const attempt = await bench.request({ image: `artifact:${artifact}`, settings });
  expect(await bench.worker.work('shop', MINUTE)).toBe('done');
  return attempt;
}

const fn = () => bench.runtime.functions.get('shop');

describe('stop and start', () => {
  beforeEach(() => release('a1'));

  test('are a reservation of 0 and none at all; twice is as once', async () => {
    await bench.stop();
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect(fn()?.reserved).toBe(0);
    const stopped = await bench.app();
    expect(stopped.observed).toMatchObject({ stopped: true, reservedConcurrency: 0, generation: stopped.generation });
    expect(stopped.conditions[0]).toMatchObject({ type: 'Ready', status: 'Unknown', reason: 'Suspended' });
    bench.runtime.calls.length = 0;
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect(bench.runtime.calls).toEqual([]);
    await bench.start();
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect(fn()?.reserved).toBeUndefined();
    const started = await bench.app();
    expect(started.observed).toMatchObject({ stopped: false });
    expect(started.observed).not.toHaveProperty('reservedConcurrency');
    expect(started.conditions[0]).toMatchObject({ status: 'True', reason: 'Deployed' });
    expect(started.lease).toBeUndefined();
  });

  test('a start brings back what was reserved', async () => {
    await bench.change('shop', ({ spec }) => ({ spec: { ...spec, reservedConcurrency: 5 } }));
    await bench.stop();
    await bench.worker.work('shop', MINUTE);
    await bench.start();
    await bench.worker.work('shop', MINUTE);
    expect(fn()?.reserved).toBe(5);
    expect((await bench.app()).observed?.reservedConcurrency).toBe(5);
  });

  test('a start without room for the reservation runs without one, and says so (R41)', async () => {
    await bench.change('shop', ({ spec }) => ({ spec: { ...spec, reservedConcurrency: 5 } }));
    await bench.stop();
    await bench.worker.work('shop', MINUTE);
    bench.runtime.pool = 0;
    await bench.start();
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    const { observed, conditions } = await bench.app();
    expect(fn()?.reserved).toBeUndefined();
    expect(observed).toMatchObject({ stopped: false });
    expect(conditions.find(({ type }) => type === 'Reservation')).toMatchObject({
      status: 'False',
      reason: 'NotEnoughConcurrency',
      message: expect.stringContaining('5 instances cannot be reserved'),
    });
  });

  test('stop, start, stop quickly ends stopped, whatever the messages say', async () => {
    await bench.stop();
    await bench.start();
    await bench.stop();
    for (let message = 0; message < 3; message += 1) await bench.worker.work('shop', MINUTE);
    expect(fn()?.reserved).toBe(0);
    expect((await bench.app()).observed?.stopped).toBe(true);
  });

  test('a stop that AWS refuses is tried again later and shown', async () => {
    bench.runtime.refuse('setConcurrency', 'permission_denied', { message: 'lambda:PutFunctionConcurrency' });
    await bench.stop();
    expect(await bench.worker.work('shop', MINUTE)).toBe('later');
    const app = await bench.app();
    expect(app.conditions[0]).toMatchObject({ status: 'False', reason: 'SuspendFailed' });
    expect(app.retry).toMatchObject({ count: 1 });
    expect(app.retry?.at).toBeGreaterThan(bench.clock.now());
    expect(app.lease).toBeUndefined();
    expect(hasWork(app)).toBe(true);
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect((await bench.app()).retry).toBeUndefined();
  });

  test('what passes by itself is tried again within the message', async () => {
    bench.runtime.refuse('setConcurrency', 'throttled', { times: 2 });
    await bench.stop();
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect(fn()?.reserved).toBe(0);
  });

  test('a function that somebody removed is told, not looked for again and again', async () => {
    bench.runtime.functions.delete('shop');
    await bench.stop();
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    await bench.start();
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect((await bench.app()).conditions[0]).toMatchObject({ status: 'False', reason: 'FunctionMissing' });
    expect(hasWork(await bench.app())).toBe(false);
  });
});

describe('a deploy and a stop', () => {
  beforeEach(() => release('a1'));

  test('a stopped app takes a deploy and stays stopped; the start goes on with it', async () => {
    await bench.stop();
    await bench.worker.work('shop', MINUTE);
    const { id } = await bench.request({ image: 'artifact:a2' });
    bench.runtime.calls.length = 0;
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect(bench.runtime.calls).toEqual([]);
    expect((await bench.app()).attempt).toMatchObject({ id, status: 'queued', waitReason: 'suspended', steps: [] });
    expect(hasWork(await bench.app())).toBe(false);
    await bench.start();
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    const app = await bench.app();
    expect(app.attempt).toMatchObject({ id, status: 'succeeded' });
    expect(app.attempt).not.toHaveProperty('waitReason');
    expect(fn()).toMatchObject({ reserved: undefined, alias: { version: '2' } });
  });

  test.each(['updateCode', 'updateSettings', 'publish', 'invoke'] as const)(
    'a stop during %s wins, and the attempt waits with what it has',
    async (method) => {
      await bench.request({ image: 'artifact:a2' });
      bench.runtime.before = async (called) => {
        if (called !== method) return;
        bench.runtime.before = () => {};
        await bench.stop();
      };
      expect(await bench.worker.work('shop', MINUTE)).toBe('done');
      const parked = await bench.app();
      expect(parked.attempt).toMatchObject({ status: 'queued', waitReason: 'suspended' });
      expect(parked.attempt?.steps.every(({ finishedAt }) => finishedAt !== undefined)).toBe(true);
      expect(fn()).toMatchObject({ reserved: 0, alias: { version: '1' } });
      await bench.start();
      expect(await bench.worker.work('shop', MINUTE)).toBe('done');
      expect((await bench.app()).live).toMatchObject({ number: 2, version: '2' });
      expect(fn()?.versions.map(({ version }) => version)).toEqual(['1', '2']);
      expect(fn()?.reserved).toBeUndefined();
    },
  );

  test.each(['setAlias', 'ensureUrl'] as const)(
    'a stop during %s lets the release be, and no request in',
    async (method) => {
      await bench.request({ image: 'artifact:a2' });
      bench.runtime.before = async (called) => {
        if (called !== method) return;
        bench.runtime.before = () => {};
        await bench.stop();
      };
      expect(await bench.worker.work('shop', MINUTE)).toBe('done');
      const app = await bench.app();
      expect(app.live).toMatchObject({ number: 2, version: '2' });
      expect(app.observed?.stopped).toBe(true);
      expect(fn()).toMatchObject({ reserved: 0, alias: { version: '2' } });
      expect(app.conditions[0]).toMatchObject({ reason: 'Suspended' });
    },
  );
});

describe('cancel', () => {
  beforeEach(() => release('a1'));

  test.each(['updateCode', 'updateSettings', 'publish', 'invoke'] as const)(
    'during %s ends the attempt',
    async (method) => {
      await bench.request({ image: 'artifact:a2' });
      bench.runtime.before = async (called) => {
        if (called === method) await bench.cancel();
      };
      expect(await bench.worker.work('shop', MINUTE)).toBe('done');
      const { attempt, live, spec, conditions } = await bench.app();
      expect(attempt).toMatchObject({ status: 'canceled', canceledBy: 'ada', finishedAt: expect.any(Number) });
      expect(live?.version).toBe('1');
      expect(spec.image).toBe('artifact:a1');
      expect(fn()?.alias?.version).toBe('1');
      expect(conditions.map(({ reason }) => reason)).toEqual(['Deployed', 'Canceled']);
    },
  );

  test('before the first step ends it without a call', async () => {
    await bench.request({ image: 'artifact:a2' });
    await bench.cancel();
    bench.runtime.calls.length = 0;
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).attempt?.status).toBe('canceled');
    expect(bench.runtime.calls).toEqual([]);
  });

  test('comes too late once the alias moves', async () => {
    await bench.request({ image: 'artifact:a2' });
    bench.runtime.before = async (called) => {
      if (called === 'setAlias') await bench.cancel();
    };
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).attempt?.status).toBe('succeeded');
  });
});

describe('rollback (A05)', () => {
  test('brings back code and settings together, with the version that is still there', async () => {
    const first = await release('a1');
    await release('a1', { ...SETTINGS, env: { USER: 'test' } });
    await release('a2', { ...SETTINGS, env: { USER: 'test' }, memoryMb: 1024 });
    await bench.change('shop', ({ spec, attempt }) => ({ spec: { ...spec, ...attempt?.settings } }));
    const target = await loadAttempt(bench.deps, await bench.app(), first.id);
    bench.runtime.calls.length = 0;
    await bench.request({
      source: 'rollback',
      image: 'artifact:a1',
      settings: SETTINGS,
      ...(target?.code && { code: target.code }),
      rollbackOf: { deployId: first.id, release: 1, fromRelease: 3 },
    });
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    const { live, spec, lastRelease } = await bench.app();
    expect(live).toMatchObject({ number: 4, version: '1', settings: SETTINGS, image: 'artifact:a1' });
    expect(spec).toMatchObject({ env: {}, memoryMb: 512, image: 'artifact:a1' });
    expect(lastRelease).toBe(4);
    expect(fn()?.alias?.version).toBe('1');
    expect(bench.runtime.calls.filter((call) => /^(update|publish|create)/.test(call))).toEqual([]);
    expect(bench.runtime.calls).toContain('invoke shop');
  });

  async function rollBackTo(id: string, input = {}) {
    const target = await loadAttempt(bench.deps, await bench.app(), id);
    const rollbackOf = { deployId: id, release: target?.release ?? 0 };
    const { image = '', settings = SETTINGS } = target ?? {};
    await bench.request({
      source: 'rollback',
      image,
      settings,
      ...(target?.code && { code: target.code }),
      rollbackOf,
      ...input,
    });
    while ((await bench.worker.work('shop', MINUTE)) === 'again');
    return await bench.app();
  }

  test('publishes the code anew when its version was removed', async () => {
    const first = await release('a1');
    await release('a2');
    await bench.runtime.removeVersion('shop', '1');
    const { live, attempt } = await rollBackTo(first.id, { version: '1' });
    expect(attempt?.status).toBe('succeeded');
    expect(live).toMatchObject({ number: 3, version: '3', code: { artifact: 'a1' } });
    expect(fn()?.versions.at(-1)?.content.code).toMatchObject({ artifact: 'a1' });
  });

  test('fails before anything changes when version and package are gone', async () => {
    const first = await release('a1');
    await release('a2');
    await bench.runtime.removeVersion('shop', '1');
    bench.belongings.artifacts.delete('shop/a1');
    bench.runtime.calls.length = 0;
    const { live, attempt } = await rollBackTo(first.id);
    expect(attempt?.failure).toMatchObject({ code: 'rollback_target_gone', step: 'prepare' });
    expect(live).toMatchObject({ number: 2, version: '2' });
    expect(bench.runtime.calls.filter((call) => !call.startsWith('find'))).toEqual([]);
  });

  test('wakes the version that it goes back to', async () => {
    const first = await release('a1');
    await release('a2');
    for (const version of fn()?.versions ?? []) version.state = 'Inactive';
    const { live, attempt } = await rollBackTo(first.id);
    expect(live).toMatchObject({ number: 3, version: '1' });
    expect(attempt?.steps[4]?.detail).toContain('version 1 was inactive and was woken');
  });

  test('leaves a desired state that was changed since it was asked for', async () => {
    const first = await release('a1');
    await release('a2');
    bench.runtime.before = async (called) => {
      if (called !== 'invoke') return;
      bench.runtime.before = () => {};
      await bench.change('shop', ({ spec, generation }) => ({
        generation: generation + 1,
        spec: { ...spec, memoryMb: 2048 },
      }));
    };
    const { spec, live } = await rollBackTo(first.id);
    expect(live?.settings.memoryMb).toBe(512);
    expect(spec.memoryMb).toBe(2048);
  });

  test('does not open the gate for a version that is not well any more', async () => {
    const first = await release('a1');
    await release('a2');
    bench.runtime.answer = ({ version }) => answers.status(version === '1' ? 500 : 200);
    const { live, attempt } = await rollBackTo(first.id);
    expect(attempt).toMatchObject({ status: 'failed', step: 'gate' });
    expect(live?.version).toBe('2');
    expect(fn()?.alias?.version).toBe('2');
  });
});

describe('retention (R43)', () => {
  test('keeps what the alias points at, what an attempt needs, and what is desired', async () => {
    const app = await bench.create('other', { image: 'artifact:wanted' });
    const attempt = (input: object) =>
      ({ id: 'x', number: 1, image: '', settings: SETTINGS, steps: [], ...input }) as never;
    const history = [
      attempt({ id: 'a', status: 'queued', version: '7', code: { kind: 'zip', artifact: 'queued' } }),
      attempt({ id: 'b', status: 'failed', version: '6', code: { kind: 'zip', artifact: 'failed' } }),
    ];
    const { versions, artifacts } = keptOf(app, history, ['9']);
    expect([[...versions].sort(), [...artifacts].sort()]).toEqual([
      ['7', '9'],
      ['queued', 'wanted'],
    ]);
  });

  test('keeps the live release and five before it, with their packages; the rest goes', async () => {
    for (let count = 1; count <= 8; count += 1) {
      bench.belongings.artifacts.set(`shop/b${count}`, { versionId: 'v1', bytes: 10 });
      await release(`b${count}`);
    }
    expect(fn()?.versions.map(({ version }) => version)).toEqual(['3', '4', '5', '6', '7', '8']);
    const left = [...bench.belongings.artifacts.keys()].filter((key) => key.startsWith('shop/b'));
    expect(left).toEqual(['b3', 'b4', 'b5', 'b6', 'b7', 'b8'].map((key) => `shop/${key}`));
  });

  test('removes versions and packages of attempts that failed', async () => {
    await release('a1');
    bench.runtime.answer = ({ version }) => answers.status(version === '2' ? 500 : 200);
    await bench.request({ image: 'artifact:a2' });
    let outcome = 'again';
    while (outcome === 'again') outcome = await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).attempt?.status).toBe('failed');
    await release('a3');
    expect(fn()?.versions.map(({ version }) => version)).toEqual(['1', '3']);
    expect(bench.belongings.artifacts.has('shop/a2')).toBe(false);
    expect(bench.belongings.artifacts.has('shop/a1')).toBe(true);
  });

  test('leaves versions that somebody else published', async () => {
    await release('a1');
    await bench.runtime.updateCode(
      'shop',
      { kind: 'zip', artifact: 'a3', versionId: 'v1', bytes: 1 },
      { architecture: 'arm64' },
    );
    const { version } = await bench.runtime.publish('shop', { description: 'by hand' });
    await release('a2');
    expect(fn()?.versions.map((found) => found.version)).toContain(version);
  });

  test('never fails an attempt: what cannot be removed is told', async () => {
    await release('a1');
    for (let count = 0; count < 6; count += 1) await release('a2');
    bench.runtime.refuse('removeVersion', 'permission_denied', { message: 'lambda:DeleteFunction' });
    await release('a3');
    const { attempt } = await bench.app();
    expect(attempt?.status).toBe('succeeded');
    expect(attempt?.steps.at(-1)?.detail).toMatch(/version \d+ stays: lambda:DeleteFunction/);
    await release('a3');
    expect(fn()?.versions).toHaveLength(6);
  });

  test('marks what cannot be rolled back to any more, and cuts a long history', async () => {
    const first = await release('a1');
    for (let count = 0; count < 104; count += 1) await release('a2');
    const app = await bench.app();
    expect(await loadAttempt(bench.deps, app, first.id)).toBeUndefined();
    expect((await bench.store.query({ pk: 'APP#shop' })).length).toBeLessThanOrEqual(100);
    expect(bench.belongings.artifacts.has('shop/a1')).toBe(false);
    expect(bench.belongings.artifacts.has('shop/a2')).toBe(true);
  });
});
