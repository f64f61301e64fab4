import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasWork } from '../../../lib/apps/attention.ts';
import { loadAttempts } from '../../../lib/apps/records.ts';
import { createLambdaRuntime, type LambdaRuntime } from '../../../lib/apps/runtime/lambda.ts';
import { createProbe } from '../../../lib/apps/services/probe.ts';
import { createWorker } from '../../../lib/apps/work/worker.ts';
import { createExecutioner, Killed } from '../../support/crash.ts';
import { type EmulatorForTest, startEmulatorForTest, zipOf } from '../../support/lambda-emulator.ts';
import { createJumpClock, createWorkBench, SETTINGS, STAGE } from '../../support/work-bench.ts';

const MINUTE = 60_000;
const packages = new Map<string, Uint8Array>();
let emulator: EmulatorForTest;
let runtime: LambdaRuntime;
let clock = createJumpClock();
let bench: ReturnType<typeof createWorkBench>;
let count = 0;
let name = 'shop';

const app = (text: string) =>
  zipOf({
    'index.mjs': `export const handler = async () => ({ statusCode: 200, body: ${JSON.stringify(text)} + (process.env.USER_NAME ?? '') });`,
  });
const broken = zipOf({ 'index.mjs': "console.log('about to break'); throw new Error('no database');" });

beforeAll(async () => {
  emulator = await startEmulatorForTest({ readObject: async ({ key }) => packages.get(key) });
  runtime = createLambdaRuntime({ stage: STAGE, client: emulator.connection, artifactBucket: 'packages' });
});
afterAll(async () => {
  runtime.close();
  await emulator.close();
});
beforeEach(async () => {
  emulator.faults.clear();
  clock = createJumpClock();
  count += 1;
  name = `shop-${count}`;
  bench = createWorkBench({ clock, runtime, probe: createProbe({ fetch }) });
  await bench.create(name);
  upload('one', app('one'));
  upload('two', app('two'));
  upload('broken', broken);
});

function upload(artifact: string, zip: Uint8Array): void {
  packages.set(`apps/${name}/${artifact}.zip`, zip);
  bench.belongings.artifacts.set(`${name}/${artifact}`, { versionId: 'v1', bytes: zip.length });
}

async function deploy(artifact: string, settings = SETTINGS) {
  await bench.request({ image: `artifact:${artifact}`, settings }, name);
  await settle();
  return await bench.app(name);
}

/** Messages and passes until nothing is left to do. */
async function settle(): Promise<void> {
  for (let rounds = 0; rounds < 12; rounds += 1) {
    await bench.worker.work(name, MINUTE);
    if (!hasWork(await bench.app(name))) return;
    clock.jump(2 * MINUTE);
  }
}

async function ask(): Promise<{ status: number; body: string }> {
  const { observed } = await bench.app(name);
  const response = await fetch(observed?.url ?? '');
  return { status: response.status, body: await response.text() };
}

test('an app is deployed, survives a broken deploy, goes back, is stopped, started and removed', async () => {
  expect((await deploy('one', { ...SETTINGS, env: { USER_NAME: '!' } })).live).toMatchObject({
    number: 1,
    version: '1',
  });
  expect(await ask()).toEqual({ status: 200, body: 'one!' });

  const failed = await deploy('broken');
  expect(failed.attempt).toMatchObject({ status: 'failed', step: 'gate', failure: { code: 'container_crashed' } });
  expect(failed.attempt?.failure?.cause).toContain('no database');
  expect(failed.attempt?.failure?.excerpt).toContain('about to break');
  expect(await ask()).toEqual({ status: 200, body: 'one!' });

  expect((await deploy('two')).live).toMatchObject({ number: 2 });
  expect(await ask()).toEqual({ status: 200, body: 'two' });

  const [, , first] = await loadAttempts(bench.deps, await bench.app(name), { limit: 5 });
  const rollbackOf = { deployId: first?.id ?? '', release: 1 };
  const { code, settings = SETTINGS, image = '' } = first ?? {};
  await bench.request({ source: 'rollback', image, settings, rollbackOf, ...(code && { code }) }, name);
  await settle();
  expect((await bench.app(name)).live).toMatchObject({ number: 3, version: '1' });
  expect(await ask()).toEqual({ status: 200, body: 'one!' });

  await bench.stop(name);
  await settle();
  expect((await ask()).status).toBe(429);
  await bench.start(name);
  await settle();
  expect(await ask()).toEqual({ status: 200, body: 'one!' });

  await bench.remove(name);
  expect(await bench.worker.work(name, MINUTE)).toBe('done');
  expect(await runtime.find(name)).toBeUndefined();
  await expect(bench.app(name)).rejects.toThrow('no app');
});

describe('an update', () => {
  const operations = [
    'UpdateFunctionCode',
    'UpdateFunctionConfiguration',
    'PublishVersion',
    'DeleteFunctionConcurrency',
    'UpdateAlias',
  ];

  test.each(
    operations.flatMap((operation) =>
      (['throttle', 'conflict', 'error', 'cut', 'lost'] as const).map((kind) => ({ operation, kind })),
    ),
  )('succeeds although $operation meets: $kind', async ({ operation, kind }) => {
    await deploy('one');
    const fault = emulator.faults.inject({ kind, operation, times: 2 });
    const { attempt, live } = await deploy('two');
    expect(fault.hits).toBeGreaterThan(0);
    expect(attempt).toMatchObject({ status: 'succeeded', release: 2 });
    expect(live?.version).toBe('2');
    expect((await ask()).body).toBe('two');
    expect((await runtime.versions(name)).map(({ version }) => version)).toEqual(['1', '2']);
  });

  test('waits for updates that take their time (A01)', async () => {
    await deploy('one');
    emulator.faults.inject({ kind: 'slow', operation: 'UpdateFunctionCode', looks: 3 });
    emulator.faults.inject({ kind: 'slow', operation: 'UpdateFunctionConfiguration', looks: 3 });
    const { attempt } = await deploy('two');
    expect(attempt?.status).toBe('succeeded');
    const details = attempt?.steps.map(({ step, detail }) => `${step}: ${detail}`) ?? [];
    expect(details[1]).toMatch(/^code: .*waited [\d.]+ s for LastUpdateStatus/);
    expect(details[2]).toMatch(/^settings: .*waited [\d.]+ s for LastUpdateStatus/);
  });

  test('that Lambda ends as failed has its reason, and the old one serves', async () => {
    await deploy('one');
    const failure = { code: 'InternalError', reason: 'Lambda had a bad day' };
    emulator.faults.inject({ kind: 'slow', operation: 'UpdateFunctionCode', looks: 1, failure });
    const { attempt } = await deploy('two');
    expect(attempt?.failure?.cause).toContain('Lambda had a bad day');
    expect((await ask()).body).toBe('one');
  });

  test.each(['before', 'after'] as const)(
    'ends well when the worker is killed %s any of its calls of Lambda',
    async (when) => {
      const reads = ['find', 'findVersion', 'versions', 'findAlias', 'findUrl', 'list', 'account', 'close'] as const;
      const run = async (at?: number) => {
        const by = createExecutioner(at, when);
        const deps = { ...bench.deps, runtime: by.wrap('runtime', runtime, reads) };
        // The store and the rest die with it: whatever is called after the kill rejects.
        const dying = {
          ...deps,
          store: by.wrap('store', deps.store, ['get', 'getMany', 'query', 'put', 'add', 'remove', 'writeMany']),
        };
        await deploy('one');
        await bench.request({ image: 'artifact:two' }, name);
        const work = createWorker(dying).work(name, MINUTE);
        if (at === undefined) await work;
        else await expect(work).rejects.toBeInstanceOf(Killed);
        clock.jump(2 * MINUTE);
        await settle();
        expect((await bench.app(name)).attempt).toMatchObject({ status: 'succeeded', release: 2 });
        expect((await ask()).body).toBe('two');
        expect((await runtime.versions(name)).map(({ version }) => version)).toEqual(['1', '2']);
        expect((await bench.app(name)).lease).toBeUndefined();
        return by.effects;
      };
      const effects = await run();
      expect(effects.length).toBeGreaterThanOrEqual(6);
      for (let at = 1; at <= effects.length; at += 1) {
        count += 1;
        name = `shop-${count}`;
        await bench.create(name);
        upload('one', app('one'));
        upload('two', app('two'));
        await run(at).catch((cause: Error) => {
          throw new Error(`killed ${when} ${effects[at - 1]}: ${cause.message}`, { cause });
        });
      }
    },
  );
});

test.each(
  ['CreateFunction', 'PublishVersion', 'CreateAlias', 'CreateFunctionUrlConfig', 'AddPermission'].flatMap((operation) =>
    (['throttle', 'cut', 'lost'] as const).map((kind) => ({ operation, kind })),
  ),
)('a first deploy succeeds although $operation meets: $kind', async ({ operation, kind }) => {
  const fault = emulator.faults.inject({ kind, operation });
  const { attempt } = await deploy('one');
  expect(fault.hits).toBe(1);
  expect(attempt).toMatchObject({ status: 'succeeded', release: 1, version: '1' });
  expect((await ask()).body).toBe('one');
  expect((await runtime.findUrl(name))?.permissions).toEqual({ invokeFunctionUrl: true, invokeFunction: true });
});
