import { beforeEach, describe, expect, test } from 'vitest';
import { runFastPass } from '../../../../lib/apps/reconcile/fast-pass.ts';
import { createReconcileHandler } from '../../../../lib/apps/reconcile/handler.ts';
import type { ReconcileDeps } from '../../../../lib/apps/reconcile/types.ts';
import { createApp } from '../../../../lib/apps/records.ts';
import { countReads } from '../../../support/counting-store.ts';
import { createWorkBench } from '../../../support/work-bench.ts';

const MINUTE = 60_000;
let bench = createWorkBench();
let store = countReads(bench.store);
let deps: ReconcileDeps;
const passes: unknown[] = [];

beforeEach(() => {
  bench = createWorkBench();
  store = countReads(bench.store);
  passes.length = 0;
  deps = { ...bench.reconcileDeps, store, telemetry: { pass: (record) => void passes.push(record) } };
});

async function stopped(name: string): Promise<void> {
  bench.belongings.artifacts.set(`${name}/a1`, { versionId: 'v1', bytes: 10 });
  await bench.create(name);
  await bench.request({}, name);
  await bench.worker.work(name, MINUTE);
  await bench.stop(name);
  await bench.worker.work(name, MINUTE);
}

describe('the fast pass', () => {
  test('costs one Query and no call of Lambda at 500 apps that are stopped', async () => {
    await stopped('app');
    const { version: _version, writeId: _writeId, ...draft } = await bench.app('app');
    for (let count = 1; count < 500; count += 1) await createApp(bench.deps, { ...draft, name: `app-${count}` });
    bench.runtime.calls.length = 0;
    bench.sent.length = 0;
    store.reset();
    expect(await runFastPass(deps)).toEqual({ calls: 0, sent: 0 });
    // The put is the lease of the pass.
    expect(store.calls).toEqual({ get: 0, getMany: 0, query: 1, put: 1, add: 0, remove: 0, writeMany: 0 });
    expect(store.read).toEqual([]);
    expect(bench.runtime.calls).toEqual([]);
    expect(bench.sent).toEqual([]);
  });

  test('sends what was asked for and not taken within a minute', async () => {
    await stopped('shop');
    await bench.start();
    await runFastPass(deps);
    expect(bench.sent).toEqual([]);
    bench.clock.jump(MINUTE);
    await runFastPass(deps);
    const { version } = await bench.app();
    expect(bench.sent).toMatchObject([
      { app: 'shop', reason: 'due', dedupeId: expect.stringMatching(`^app_.*\\.${version}$`) },
    ]);
  });

  test('sends what a lost worker left, once its lease has ended, and what waits for its next try', async () => {
    await stopped('leased');
    await stopped('waiting');
    await bench.start('leased');
    await bench.start('waiting');
    const now = bench.clock.now();
    await bench.change('leased', () => ({ lease: { owner: 'dead', expiresAt: now + MINUTE } }));
    await bench.change('waiting', () => ({ retry: { at: now + 3 * MINUTE, count: 1, reason: 'no' } }));
    const sentAt = async (ms: number) => {
      bench.clock.jump(ms);
      bench.sent.length = 0;
      await runFastPass(deps);
      return bench.sent.map(({ app }) => app);
    };
    expect(await sentAt(0)).toEqual([]);
    expect(await sentAt(MINUTE)).toEqual(['leased']);
    expect(await sentAt(2 * MINUTE)).toEqual(['leased', 'waiting']);
  });

  test('sends no app whose last attempt failed, and that has nothing to do', async () => {
    await bench.create();
    await bench.request({ image: 'artifact:gone' });
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).attempt?.status).toBe('failed');
    bench.clock.jump(60 * MINUTE);
    await runFastPass(deps);
    expect(bench.sent).toEqual([]);
  });

  test('runs once when it is called twice, and again a minute later', async () => {
    expect(await runFastPass(deps)).toBeDefined();
    expect(await runFastPass(deps)).toBeUndefined();
    bench.clock.jump(MINUTE);
    expect(await runFastPass(deps)).toBeDefined();
    bench.clock.jump(MINUTE);
    const both = await Promise.all([runFastPass(deps), runFastPass(deps)]);
    expect(both.filter((result) => result !== undefined)).toHaveLength(1);
  });

  test('goes on when one app cannot be sent', async () => {
    for (const name of ['one', 'two']) {
      await stopped(name);
      await bench.start(name);
    }
    bench.clock.jump(MINUTE);
    const queue: ReconcileDeps['queue'] = {
      send: async (message, dedupeId) => {
        if (message.app === 'one') throw new Error('SQS is away');
        await bench.deps.queue.send(message, dedupeId);
      },
    };
    expect(await runFastPass({ ...deps, queue })).toEqual({ calls: 2, sent: 1 });
    expect(bench.sent.map(({ app }) => app)).toEqual(['two']);
    expect(bench.log.lines.some(({ level }) => level === 'error')).toBe(true);
  });
});

describe('the handler', () => {
  const context = { getRemainingTimeInMillis: () => MINUTE };

  test('tells how long a pass took and what it called', async () => {
    await createReconcileHandler(deps)({ pass: 'fast' }, context);
    await createReconcileHandler(deps)({ pass: 'drift' }, context);
    expect(passes).toEqual([
      { pass: 'fast', durationMs: 0, calls: 0, sent: 0 },
      { pass: 'drift', durationMs: 0, calls: 1, sent: 0 },
    ]);
  });

  test('publishes nothing for a pass that another one runs', async () => {
    const handler = createReconcileHandler(deps);
    await handler({ pass: 'fast' }, context);
    await handler({ pass: 'fast' }, context);
    expect(passes).toHaveLength(1);
  });

  test.each([[{}], [{ pass: 'slow' }]])('refuses %j', async (event) => {
    await expect(createReconcileHandler(deps)(event, context)).rejects.toThrow(
      'expected {"pass": "fast"} or {"pass": "drift"}',
    );
  });
});
