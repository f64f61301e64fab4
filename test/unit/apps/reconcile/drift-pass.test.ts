import { beforeEach, describe, expect, test } from 'vitest';
import { runDriftPass } from '../../../../lib/apps/reconcile/drift-pass.ts';
import { countReads } from '../../../support/counting-store.ts';
import { createWorkBench } from '../../../support/work-bench.ts';

const MINUTE = 60_000;
let bench = createWorkBench();

beforeEach(async () => {
  bench = createWorkBench();
  await release('shop');
});

async function release(name: string): Promise<void> {
  bench.belongings.artifacts.set(`${name}/a1`, { versionId: 'v1', bytes: 10 });
  await bench.create(name);
  await bench.request({}, name);
  await bench.worker.work(name, MINUTE);
}

async function pass() {
  bench.clock.jump(15 * MINUTE);
  bench.runtime.calls.length = 0;
  bench.sent.length = 0;
  return await runDriftPass(bench.reconcileDeps, bench.clock.now() + MINUTE);
}

const fn = (name = 'shop') => {
  const found = bench.runtime.functions.get(name);
  if (found === undefined) throw new Error(`no function ${name}`);
  return found;
};
const changes = () => bench.runtime.calls.filter((call) => !/^(find|list)/.test(call));
const condition = async (type: string) => (await bench.app()).conditions.find((entry) => entry.type === type);

describe('the drift pass', () => {
  test('lists once, looks closely at 20, and changes nothing where nothing differs', async () => {
    for (let count = 1; count < 40; count += 1) await release(`app-${count}`);
    const store = countReads(bench.store);
    bench.clock.jump(15 * MINUTE);
    bench.runtime.calls.length = 0;
    const before = await bench.app();
    const result = await runDriftPass({ ...bench.reconcileDeps, store }, bench.clock.now() + MINUTE);
    expect(bench.runtime.calls.filter((call) => call === 'list')).toHaveLength(1);
    expect(bench.runtime.calls).toHaveLength(1 + 20 * 2);
    expect(result).toEqual({ calls: 41, sent: 0 });
    expect(store.calls.query).toBe(1);
    expect(changes()).toEqual([]);
    expect(await bench.app()).toEqual(before);
  });

  test('looks at every app after some passes', async () => {
    for (let count = 0; count < 30; count += 1) await release(`app-${count}`);
    const seen = new Set<string>();
    for (let count = 0; count < 2; count += 1) {
      await pass();
      for (const call of bench.runtime.calls) if (call.startsWith('find ')) seen.add(call);
    }
    expect(seen.size).toBe(31);
  });

  test('brings an alias back that somebody moved', async () => {
    await bench.request({ source: 'restart' });
    await bench.worker.work('shop', MINUTE);
    await bench.runtime.setAlias('shop', '1', (await bench.runtime.findAlias('shop'))?.revisionId);
    await pass();
    expect(fn().alias?.version).toBe('2');
    expect(await condition('InSync')).toMatchObject({
      status: 'True',
      reason: 'Repaired',
      message: 'Changed outside of Roundhouse: the alias was at version 1 and is back at 2.',
    });
    expect((await bench.app()).lease).toBeUndefined();
    await pass();
    expect(changes()).toEqual([]);
  });

  test('makes an alias that is gone', async () => {
    fn().alias = undefined;
    await pass();
    expect(fn().alias?.version).toBe('1');
  });

  test.each([
    ['a stopped app that somebody started', true, undefined, 0],
    ['a started app that somebody stopped', false, 0, undefined],
    ['a started app that somebody reserved for', false, 7, undefined],
  ] as const)('puts the reservation of %s right', async (_what, suspended, found, wanted) => {
    if (suspended) {
      await bench.stop();
      await bench.worker.work('shop', MINUTE);
    }
    fn().reserved = found;
    await pass();
    expect(fn().reserved).toBe(wanted);
    expect((await bench.app()).observed?.stopped).toBe(suspended);
    await pass();
    expect(changes()).toEqual([]);
  });

  test('does not ask again and again for a reservation that was refused', async () => {
    await bench.change('shop', ({ spec }) => ({ spec: { ...spec, reservedConcurrency: 5 } }));
    bench.runtime.pool = 0;
    await pass();
    expect(await condition('Reservation')).toMatchObject({ status: 'False' });
    await pass();
    expect(changes()).toEqual([]);
  });

  test('makes a function anew that somebody removed, with code and settings of the live release', async () => {
    bench.runtime.functions.delete('shop');
    await pass();
    expect(bench.sent.map(({ app }) => app)).toEqual(['shop']);
    expect(await condition('Ready')).toMatchObject({ status: 'False', reason: 'FunctionMissing' });
    expect((await bench.app()).attempt).toMatchObject({ source: 'restart', status: 'queued', number: 2 });
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect((await bench.app()).live).toMatchObject({ number: 2, version: '1', code: { artifact: 'a1' } });
    expect(await condition('Ready')).toMatchObject({ status: 'True', reason: 'Deployed' });
    await pass();
    expect(changes()).toEqual([]);
    expect(bench.sent).toEqual([]);
  });

  test('makes the live version anew that somebody removed', async () => {
    fn().alias = undefined;
    fn().versions = [];
    await pass();
    expect((await bench.app()).attempt).toMatchObject({ source: 'restart', status: 'queued' });
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect((await bench.app()).live).toMatchObject({ number: 2, version: '2' });
    expect(fn().alias?.version).toBe('2');
  });

  test('gives up after its own try failed, until somebody deploys', async () => {
    bench.runtime.functions.delete('shop');
    await pass();
    bench.belongings.roles.clear();
    bench.runtime.refuse('create', 'invalid');
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).attempt?.status).toBe('failed');
    await pass();
    expect((await bench.app()).attempt?.number).toBe(2);
    expect(await condition('Ready')).toMatchObject({ status: 'False', reason: 'FunctionMissing' });
  });

  test('leaves a stopped app without a function stopped: it is made when it is started', async () => {
    await bench.stop();
    await bench.worker.work('shop', MINUTE);
    bench.runtime.functions.delete('shop');
    await pass();
    expect(bench.sent).toEqual([]);
    expect((await bench.app()).attempt).toMatchObject({ status: 'queued', waitReason: 'suspended' });
    await bench.start();
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).live?.number).toBe(2);
    expect(fn().reserved).toBeUndefined();
  });

  test('tells when somebody changed the code, which no request reaches', async () => {
    fn().content = { ...fn().content, code: { kind: 'zip', artifact: 'foreign', versionId: 'v', bytes: 1 } };
    for (let count = 0; count < 30; count += 1) await release(`aaa-${count}`);
    await pass();
    expect((await condition('InSync'))?.message).toContain('the code of $LATEST was changed');
    await pass();
    expect(changes()).toEqual([]);
    bench.belongings.artifacts.set('shop/a2', { versionId: 'v1', bytes: 10 });
    await bench.request({ image: 'artifact:a2' });
    await bench.worker.work('shop', MINUTE);
    expect(fn().versions.at(-1)?.content.code).toMatchObject({ artifact: 'a2' });
  });

  test.each([
    ['an attempt runs', { status: 'running', step: 'shift' } as const],
    ['an attempt is queued', { status: 'queued' } as const],
  ])('leaves an app alone while %s', async (_what, change) => {
    await bench.request();
    await bench.change('shop', ({ attempt }) => (attempt ? { attempt: { ...attempt, ...change } } : {}));
    fn().alias = undefined;
    await pass();
    expect(fn().alias).toBeUndefined();
  });

  test('leaves an app alone that a worker has', async () => {
    fn().alias = undefined;
    const expiresAt = bench.clock.now() + 60 * MINUTE;
    await bench.change('shop', () => ({ lease: { owner: 'other', expiresAt } }));
    await pass();
    expect(fn().alias).toBeUndefined();
  });

  test('looks again under the lease before it repairs', async () => {
    await bench.request({ source: 'restart' });
    await bench.worker.work('shop', MINUTE);
    await bench.runtime.setAlias('shop', '1', (await bench.runtime.findAlias('shop'))?.revisionId);
    bench.runtime.before = async (method) => {
      if (method !== 'findAlias') return;
      bench.runtime.before = () => {};
      await bench.request({ source: 'restart' });
    };
    await pass();
    expect(fn().alias?.version).toBe('1');
    expect((await bench.app()).lease).toBeUndefined();
  });

  test('tells functions without an app, and never removes one', async () => {
    const content = fn().content;
    bench.runtime.functions.set('orphan', { ...fn(), content });
    await pass();
    expect(bench.runtime.functions.has('orphan')).toBe(true);
    expect(bench.log.lines.find(({ message }) => message === 'functions without an app')?.fields).toMatchObject({
      count: 1,
    });
  });

  test('goes on when one app cannot be looked at, and ends when its time does', async () => {
    await release('second');
    bench.runtime.before = (method, app) => {
      if (method === 'find' && app === 'second') throw new Error('no');
    };
    fn().alias = undefined;
    await pass();
    expect(fn().alias?.version).toBe('1');
    fn().alias = undefined;
    bench.clock.jump(15 * MINUTE);
    await runDriftPass(bench.reconcileDeps, bench.clock.now() - 1);
    expect(fn().alias).toBeUndefined();
  });
});
