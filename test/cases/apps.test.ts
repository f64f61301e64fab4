import { beforeEach, describe, expect, test } from 'vitest';
import { isFinal } from '../../lib/apps/model.ts';
import { RuntimeError } from '../../lib/apps/runtime/runtime.ts';
import { createAppService } from '../../lib/apps/service.ts';
import { parseApp } from '../../lib/apps/spec/parse-app.ts';
import { renderApp, renderAttempt } from '../../lib/apps/views.ts';
import { createWorkBench } from '../support/work-bench.ts';

/** Situations from the field, by the service behind the API and the worker, on one table. */

const CALLER = { tokenId: 'ci' };
const ACCOUNT = { id: '000000000000', region: 'us-east-1' };
const MINUTE = 60_000;

let bench: ReturnType<typeof createWorkBench>;
let apps: ReturnType<typeof createAppService>;

beforeEach(() => {
  bench = createWorkBench();
  for (const artifact of ['a', 'b', 'c'])
    bench.belongings.artifacts.set(`shop/${artifact}`, { versionId: '1', bytes: 1 });
  let ids = 0;
  apps = createAppService({
    ...bench.deps,
    random: (bytes) => Uint8Array.from({ length: bytes }, () => ++ids % 256),
    logs: { read: async () => ({ entries: [] }) },
    metrics: { read: async () => [] },
    account: ACCOUNT,
    maxConcurrency: 100,
  });
});

const context = () => ({ account: ACCOUNT, secretsPath: bench.deps.secretValues.pathOf, maxConcurrency: 100 });
const create = (body: object = {}) =>
  apps.create('shop', parseApp({ name: 'shop', image: 'zip:pending', ...body }, context()), CALLER);
const replace = (body: object) => apps.replace('shop', parseApp(body, context(), 'shop'), CALLER);
const work = () => bench.worker.work('shop', MINUTE);
const latest = async () => (await apps.attempt('shop', 'latest')).attempt;

async function deploy(artifact: string) {
  await apps.deploy('shop', `artifact:${artifact}`, CALLER);
  await work();
  return await latest();
}

describe('A01: two updates in a row', () => {
  test('code, wait, configuration, wait, publish, probe, alias; each wait is a step that can be seen', async () => {
    await create();
    await deploy('a');
    bench.runtime.looks = 3;
    bench.runtime.refuse('updateSettings', 'conflict');
    bench.runtime.calls.length = 0;
    const attempt = await deploy('b');
    expect(attempt).toMatchObject({ status: 'succeeded', release: 2 });
    const order = ['updateCode', 'updateSettings', 'updateSettings', 'publish', 'invoke', 'setAlias'];
    const made = bench.runtime.calls.map((call) => call.split(' ')[0] ?? '').filter((call) => order.includes(call));
    expect(made).toEqual(order);
    const steps = Object.fromEntries(attempt.steps.map(({ step, detail = '' }) => [step, detail]));
    expect(steps).toMatchObject({
      code: expect.stringContaining('waited'),
      settings: expect.stringContaining('waited'),
      gate: expect.stringContaining('answered 200'),
    });
  });

  test("an update that fails ends the attempt with AWS's reason and leaves the alias", async () => {
    await create();
    await deploy('a');
    const before = await bench.runtime.findAlias('shop');
    bench.runtime.refuse('updateCode', 'invalid', { message: 'The package has no handler.' });
    const attempt = await deploy('b');
    expect(attempt).toMatchObject({ status: 'failed', step: 'code', failure: { code: 'build_config_error' } });
    expect(attempt.failure?.cause).toContain('The package has no handler.');
    expect(await bench.runtime.findAlias('shop')).toEqual(before);
    expect(await apps.get('shop')).toMatchObject({ live: { number: 1 } });
  });
});

describe('A03: the worker dies in the middle', () => {
  /** The worker goes up to the gate, after publish, and is never heard of again. */
  async function dieAfterPublish(): Promise<void> {
    await apps.deploy('shop', 'artifact:b', CALLER);
    const dead = Promise.withResolvers<void>();
    bench.runtime.before = async (method) => {
      if (method !== 'invoke') return;
      bench.runtime.before = () => {};
      dead.resolve();
      await new Promise(() => {});
    };
    void work();
    await dead.promise;
  }

  test('within the lease a second deploy is told holder and expiry; after it the first is over and the second goes', async () => {
    await create();
    await deploy('a');
    await dieAfterPublish();
    const { lease } = await apps.get('shop');
    const second = apps.deploy('shop', 'artifact:c', CALLER);
    await expect(second).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(new Date(lease?.expiresAt ?? 0).toISOString()),
      details: { headers: { 'retry-after': expect.stringMatching(/^\d+$/) } },
    });
    await expect(second).rejects.toThrow(String(lease?.owner));
    const first = (await latest()).id;
    bench.clock.jump(MINUTE + 1);
    // The item still has the lease, and nobody heeds it.
    expect((await apps.get('shop')).lease).toEqual(lease);
    await apps.deploy('shop', 'artifact:c', CALLER);
    const { attempt } = await apps.attempt('shop', first);
    expect(renderAttempt('shop', attempt)).toMatchObject({
      status: 'failed',
      failure: { code: 'worker_lost' },
      error: expect.stringMatching(/worker lost at (publish|gate)/i),
    });
    await work();
    expect(await latest()).toMatchObject({ status: 'succeeded', release: 2, image: 'artifact:c' });
    expect((await apps.attempts('shop', {})).filter((entry) => !isFinal(entry))).toEqual([]);
  });
});

describe('A05: a rollback brings the settings back', () => {
  const releases = async () => {
    await create();
    const first = await deploy('a');
    await apps.changeEnv('shop', { USER: 'test' });
    await apps.restart('shop', CALLER);
    await work();
    await replace({ image: 'zip:pending', env: { USER: 'test' }, resources: { memory_bytes: 512 * 2 ** 20 * 2 } });
    const third = await deploy('b');
    expect(third).toMatchObject({ status: 'succeeded', release: 3 });
    return first;
  };

  test('release 4 is code A, env without USER and the memory of release 1, and the history says so', async () => {
    const first = await releases();
    bench.clock.jump(1_000);
    await apps.putSecret('shop', 'TOKEN', { value: 'new' });
    await apps.rollback('shop', first.id, CALLER);
    await work();
    const app = await apps.get('shop');
    expect(app.live).toMatchObject({ number: 4, image: 'artifact:a', settings: { env: {}, memoryMb: 512 } });
    expect(renderApp(app)).toMatchObject({ image: 'artifact:a', resources: { memory_bytes: 512 * 2 ** 20 } });
    expect(renderApp(app).env?.['USER']).toBeUndefined();
    const attempt = await latest();
    expect(attempt).toMatchObject({
      source: 'rollback',
      release: 4,
      rollbackOf: { deployId: first.id, release: 1, fromRelease: 3 },
      rotatedSecrets: ['TOKEN'],
    });
  });

  test('to a release whose artefact is gone is a conflict before anything changes', async () => {
    const first = await releases();
    bench.belongings.artifacts.delete('shop/a');
    await bench.runtime.removeVersion('shop', first.version ?? '');
    const before = await apps.get('shop');
    await expect(apps.rollback('shop', first.id, CALLER)).rejects.toMatchObject({ code: 'CONFLICT', status: 409 });
    expect(await apps.get('shop')).toEqual(before);
  });
});

test('an error of AWS that nobody foresaw ends an attempt in a state that is true', async () => {
  await create();
  await deploy('a');
  bench.runtime.before = (method) => {
    if (method === 'publish') throw new RuntimeError('permission_denied', 'not allowed');
  };
  expect(await deploy('b')).toMatchObject({ status: 'failed', failure: { code: 'permission_denied' } });
  expect(await apps.get('shop')).toMatchObject({ live: { number: 1 }, spec: { image: 'artifact:a' } });
});
