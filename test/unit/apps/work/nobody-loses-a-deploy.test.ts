import { beforeEach, describe, expect, test } from 'vitest';
import { isFinal } from '../../../../lib/apps/model.ts';
import { runDriftPass } from '../../../../lib/apps/reconcile/drift-pass.ts';
import { runFastPass } from '../../../../lib/apps/reconcile/fast-pass.ts';
import { loadAttempts } from '../../../../lib/apps/records.ts';
import { createWorkBench, SETTINGS } from '../../../support/work-bench.ts';

const MINUTE = 60_000;
let bench = createWorkBench();

beforeEach(async () => {
  bench = createWorkBench();
  for (const artifact of ['a1', 'a2'])
    bench.belongings.artifacts.set(`shop/${artifact}`, { versionId: 'v1', bytes: 10 });
  await bench.create();
  await bench.request({ image: 'artifact:a1' });
  await work();
});

const work = () => bench.worker.work('shop', MINUTE);
const history = async () => await loadAttempts(bench.deps, await bench.app(), { limit: 10 });

async function drift(): Promise<void> {
  bench.clock.jump(15 * MINUTE);
  await runDriftPass(bench.reconcileDeps, bench.clock.now() + MINUTE);
}

/** Only the newest attempt may still be under way. */
async function expectEnded(): Promise<void> {
  expect((await history()).slice(1).filter((attempt) => !isFinal(attempt))).toEqual([]);
}

describe('a function that somebody deleted', () => {
  test('is not made anew in the place of a deploy that waits for the start', async () => {
    await bench.stop();
    await work();
    const { id } = await bench.request({ image: 'artifact:a2' });
    await work();
    bench.runtime.functions.delete('shop');
    await drift();
    expect((await bench.app()).attempt).toMatchObject({ id, status: 'queued', waitReason: 'suspended' });
    await bench.start();
    await work();
    expect((await bench.app()).live).toMatchObject({ deployId: id, image: 'artifact:a2' });
    await expectEnded();
  });

  test('is not made anew in the place of a deploy that comes in that moment, which has a message then', async () => {
    bench.runtime.functions.delete('shop');
    let looks = 0;
    let id: string | undefined;
    bench.runtime.before = async (method) => {
      if (method !== 'find' || ++looks !== 2) return;
      bench.runtime.before = () => {};
      ({ id } = await bench.request({ image: 'artifact:a2' }));
      bench.sent.length = 0;
    };
    await drift();
    expect((await bench.app()).attempt).toMatchObject({ id, status: 'queued' });
    expect(bench.sent).toMatchObject([{ app: 'shop', attempt: id }]);
    await work();
    expect((await bench.app()).live).toMatchObject({ deployId: id });
    await expectEnded();
  });
});

test('a cancel of a deploy that waits for the start is found by the fast pass when its message is lost', async () => {
  await bench.stop();
  await work();
  await bench.request({ image: 'artifact:a2' });
  await work();
  await bench.change('shop', () => ({ lease: { owner: 'dead', expiresAt: bench.clock.now() + 30_000 } }));
  await bench.cancel();
  bench.sent.length = 0;
  bench.clock.jump(10 * MINUTE);
  await runFastPass(bench.reconcileDeps);
  expect(bench.sent).toHaveLength(1);
  await work();
  expect((await bench.app()).attempt).toMatchObject({ status: 'canceled' });
});

test.each(['//169.254.169.254/latest', '/\\evil.example/x', '/ok?next=//evil.example'])(
  'the readiness path %s never leads to another host',
  async (path) => {
    bench.probed.length = 0;
    const readiness = { path, intervalMs: 1_000, timeoutMs: 1_000, budgetMs: 5_000 };
    await bench.request({ image: 'artifact:a2', settings: { ...SETTINGS, readiness } });
    await work();
    const { url = '' } = (await bench.app()).observed ?? {};
    expect(bench.probed.length).toBeGreaterThan(0);
    expect(bench.probed.map((probed) => new URL(probed).host)).toEqual(bench.probed.map(() => new URL(url).host));
  },
);

test('code of another architecture, which a failed attempt left behind, is replaced', async () => {
  const good = bench.runtime.answer;
  bench.runtime.answer = () => ({ functionError: 'Unhandled', payload: '{"errorMessage":"bad"}', logTail: '' });
  await bench.request({ image: 'artifact:a1', settings: { ...SETTINGS, architecture: 'x86_64' } });
  await work();
  bench.runtime.answer = good;
  await bench.request({ image: 'artifact:a1', settings: { ...SETTINGS, architecture: 'arm64' } });
  await work();
  const { attempt } = await bench.app();
  expect(attempt).toMatchObject({ status: 'succeeded' });
  expect((await bench.runtime.find('shop'))?.architecture).toBe('arm64');
});

test.each([
  ['stop', () => bench.stop(), { status: 'queued', waitReason: 'suspended' }],
  ['cancel', () => bench.cancel(), { status: 'canceled' }],
] as const)('a %s at the gate is heeded after the look that is under way', async (_what, ask, expected) => {
  let looks = 0;
  bench.runtime.answer = () => {
    looks += 1;
    if (looks === 1) void ask();
    return { payload: '{"statusCode":503}', logTail: '' };
  };
  const readiness = { path: '/', intervalMs: 1_000, timeoutMs: 1_000, budgetMs: 10 * MINUTE };
  await bench.request({ image: 'artifact:a2', settings: { ...SETTINGS, readiness } });
  await work();
  expect(looks).toBeLessThanOrEqual(2);
  expect((await bench.app()).attempt).toMatchObject(expected);
  expect(await bench.runtime.findAlias('shop')).toMatchObject({ version: (await bench.app()).live?.version });
});
