import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hasWork } from '../../lib/apps/attention.ts';
import { type AppRecord, isFinal } from '../../lib/apps/model.ts';
import { runFastPass } from '../../lib/apps/reconcile/fast-pass.ts';
import { loadApp, loadAttempts } from '../../lib/apps/records.ts';
import { hasLease } from '../../lib/apps/work/session.ts';
import type { WorkerDeps } from '../../lib/apps/work/types.ts';
import { createWorker } from '../../lib/apps/work/worker.ts';
import { appPartition, DOMAINS, domainKey, passKey } from '../../lib/store/keys.ts';
import type { Store } from '../../lib/store/ports.ts';
import { createExecutioner, type Executioner, Killed } from './crash.ts';
import { answers } from './fake-runtime.ts';
import { createWorkBench, type JumpClock, SETTINGS } from './work-bench.ts';

const MINUTE = 60_000;

export interface Ground {
  readonly clock: JumpClock;
  readonly store: Store;
}

type Bench = ReturnType<typeof createWorkBench>;

/** Everything that a worker does to the world goes through these. */
function killable(deps: WorkerDeps, by: Executioner): WorkerDeps {
  const runtimeReads = ['find', 'findVersion', 'versions', 'findAlias', 'findUrl', 'list', 'account'] as const;
  return {
    ...deps,
    store: by.wrap('store', deps.store, ['get', 'getMany', 'query']),
    runtime: by.wrap('runtime', deps.runtime, runtimeReads),
    artifacts: by.wrap('artifacts', deps.artifacts, ['find', 'exists']),
    images: by.wrap('images', deps.images, ['resolve', 'exists']),
    roles: by.wrap('roles', deps.roles, []),
    logGroups: { ...by.wrap('logGroups', deps.logGroups, []), nameOf: deps.logGroups.nameOf },
    secretValues: { ...by.wrap('secretValues', deps.secretValues, []), pathOf: deps.secretValues.pathOf },
    queue: by.wrap('queue', deps.queue, []),
    probe: async (...input) => await deps.probe(...input),
  };
}

interface Scenario {
  /** What is there before the worker that dies begins. */
  readonly prepare: (bench: Bench, name: string) => Promise<void>;
  /** What must be true at the end, besides what must always be. */
  readonly verify: (bench: Bench, app: AppRecord | undefined, name: string) => void;
}

async function release(bench: Bench, name: string, artifact: string): Promise<void> {
  bench.belongings.artifacts.set(`${name}/${artifact}`, { versionId: 'v1', bytes: 10 });
  await bench.request({ image: `artifact:${artifact}` }, name);
  expect(await bench.worker.work(name, MINUTE)).toBe('done');
}

const served = (bench: Bench, name: string) => bench.runtime.functions.get(name)?.alias?.version;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a first deploy': {
    async prepare(bench, name) {
      bench.belongings.artifacts.set(`${name}/a1`, { versionId: 'v1', bytes: 10 });
      await bench.request({}, name);
    },
    verify(bench, app, name) {
      expect(app).toMatchObject({
        attempt: { status: 'succeeded' },
        live: { number: 1, version: '1' },
        lastRelease: 1,
      });
      expect(served(bench, name)).toBe('1');
    },
  },
  'an update, with six releases before it': {
    async prepare(bench, name) {
      for (let count = 1; count <= 6; count += 1) await release(bench, name, `a${count}`);
      bench.belongings.artifacts.set(`${name}/a7`, { versionId: 'v1', bytes: 10 });
      await bench.request({ image: 'artifact:a7' }, name);
    },
    verify(bench, app, name) {
      expect(app).toMatchObject({
        attempt: { status: 'succeeded' },
        live: { number: 7, version: '7' },
        lastRelease: 7,
      });
      expect(served(bench, name)).toBe('7');
      expect(bench.runtime.functions.get(name)?.versions.map(({ version }) => version)).toEqual([
        '2',
        '3',
        '4',
        '5',
        '6',
        '7',
      ]);
      const left = [...bench.belongings.artifacts.keys()].filter((key) => key.startsWith(`${name}/`));
      expect(left).toEqual(['a2', 'a3', 'a4', 'a5', 'a6', 'a7'].map((artifact) => `${name}/${artifact}`));
    },
  },
  'an update whose version is not well': {
    async prepare(bench, name) {
      await release(bench, name, 'a1');
      bench.belongings.artifacts.set(`${name}/bad`, { versionId: 'v1', bytes: 10 });
      await bench.request({ image: 'artifact:bad' }, name);
    },
    verify(bench, app, name) {
      expect(app).toMatchObject({
        attempt: { status: 'failed', failure: { code: 'container_crashed' } },
        live: { version: '1' },
      });
      expect(served(bench, name)).toBe('1');
    },
  },
  'an update that its URL does not reach': {
    async prepare(bench, name) {
      await release(bench, name, 'a1');
      bench.belongings.artifacts.set(`${name}/a2`, { versionId: 'v1', bytes: 10 });
      await bench.request({ image: 'artifact:a2' }, name);
      const probe = bench.bench.probe;
      bench.bench.probe = async (...input) =>
        served(bench, name) === '2' ? { status: 403, body: '' } : await probe(...input);
    },
    verify(bench, app, name) {
      expect(app).toMatchObject({
        attempt: { status: 'failed', failure: { code: 'health_check_failed' } },
        live: { version: '1' },
      });
      expect(app?.attempt?.failure?.cause).toContain('lambda:InvokeFunctionUrl');
      expect(served(bench, name)).toBe('1');
    },
  },
  'a rollback': {
    async prepare(bench, name) {
      await release(bench, name, 'a1');
      await release(bench, name, 'a2');
      const [, first] = await loadAttempts(bench.deps, await bench.app(name), { limit: 2 });
      const rollbackOf = { deployId: first?.id ?? '', release: 1, fromRelease: 2 };
      const code = { kind: 'zip', artifact: 'a1', versionId: 'v1', bytes: 10 } as const;
      await bench.request({ source: 'rollback', image: 'artifact:a1', code, settings: SETTINGS, rollbackOf }, name);
    },
    verify(bench, app, name) {
      expect(app).toMatchObject({
        attempt: { status: 'succeeded' },
        live: { number: 3, version: '1' },
        spec: { image: 'artifact:a1' },
      });
      expect(served(bench, name)).toBe('1');
    },
  },
  'a stop': {
    async prepare(bench, name) {
      await release(bench, name, 'a1');
      await bench.stop(name);
    },
    verify(bench, app, name) {
      expect(app?.observed?.stopped).toBe(true);
      expect(bench.runtime.functions.get(name)?.reserved).toBe(0);
    },
  },
  'a start with a deploy that waited for it': {
    async prepare(bench, name) {
      await release(bench, name, 'a1');
      await bench.stop(name);
      await bench.worker.work(name, MINUTE);
      bench.belongings.artifacts.set(`${name}/a2`, { versionId: 'v1', bytes: 10 });
      await bench.request({ image: 'artifact:a2' }, name);
      await bench.worker.work(name, MINUTE);
      await bench.start(name);
    },
    verify(bench, app, name) {
      expect(app).toMatchObject({
        attempt: { status: 'succeeded' },
        live: { number: 2, version: '2' },
        observed: { stopped: false },
      });
      expect(bench.runtime.functions.get(name)?.reserved).toBeUndefined();
      expect(served(bench, name)).toBe('2');
    },
  },
  'a deletion in the middle of a deploy': {
    async prepare(bench, name) {
      await release(bench, name, 'a1');
      await bench.request({}, name);
      bench.belongings.secrets.add(`${name}/KEY`);
      const claim = { app: name, appId: `app_${name}`, at: 0, claimId: name };
      await bench.store.put({ ...domainKey(`${name}.example.com`), ...claim });
      await bench.remove(name);
    },
    verify(_bench, app) {
      expect(app).toBeUndefined();
    },
  },
};

function createBench(ground: Ground): Bench {
  const bench = createWorkBench({ ...ground });
  const well = bench.runtime.answer;
  bench.runtime.answer = (input) => {
    const { code } = input.content;
    return code.kind === 'zip' && code.artifact === 'bad' ? answers.crash() : well(input);
  };
  return bench;
}

/** Whenever the alias is moved, its target had passed the gate or was live before. */
function watchAlias(bench: Bench): string[] {
  const wrong: string[] = [];
  const proven = new Set<string>();
  const { answer } = bench.runtime;
  bench.runtime.answer = (input) => {
    const result = answer(input);
    if ('payload' in result && result.functionError === undefined) proven.add(`${input.app}:${input.version}`);
    return result;
  };
  const { setAlias } = bench.runtime;
  bench.runtime.setAlias = async (app, version, revisionId) => {
    if (!proven.has(`${app}:${version}`)) wrong.push(`${app}:${version}`);
    return await setAlias(app, version, revisionId);
  };
  return wrong;
}

/** @returns how many side effects there were till the end, or till the worker was killed */
async function runOnce(
  ground: Ground,
  scenario: Scenario,
  name: string,
  kill?: { at: number; when: 'before' | 'after'; by: Bringer },
) {
  const bench = createBench(ground);
  const wrong = watchAlias(bench);
  await bench.create(name, { domains: [] });
  await scenario.prepare(bench, name);
  const by = createExecutioner(kill?.at, kill?.when);
  const dying = createWorker(killable(bench.deps, by)).work(name, MINUTE);
  if (kill === undefined) await dying;
  else await expect(dying).rejects.toBeInstanceOf(Killed);
  for (let rounds = 0; rounds < 12; rounds += 1) {
    const app = await loadApp(bench.deps, name);
    if (app === undefined || !hasWork(app)) break;
    bench.clock.jump(2 * MINUTE);
    // The queue gives the message out again; or that is lost too, and the index has the app.
    if (kill?.by === 'queue') await bench.worker.work(name, MINUTE);
    else await byFastPass(bench);
  }
  const app = await loadApp(bench.deps, name);
  expect(wrong).toEqual([]);
  if (app === undefined) await expectNothing(bench, name);
  else expectTruth(bench, app);
  scenario.verify(bench, app, name);
  return by.effects;
}

async function byFastPass(bench: Bench): Promise<void> {
  await bench.store.remove(passKey('fast'));
  bench.sent.length = 0;
  expect(await runFastPass({ ...bench.reconcileDeps, ids: randomUUID })).toBeDefined();
  for (const { app } of [...bench.sent]) await bench.worker.work(app, MINUTE);
}

function expectTruth(bench: Bench, app: AppRecord): void {
  expect(hasWork(app)).toBe(false);
  expect(app.attempt && isFinal(app.attempt)).toBe(true);
  expect(hasLease(app, bench.clock.now() + MINUTE)).toBe(false);
  expect(app.retry).toBeUndefined();
  const ready = app.conditions.find(({ type }) => type === 'Ready');
  expect(ready?.status).toBe(app.suspended ? 'Unknown' : 'True');
  expect(served(bench, app.name)).toBe(app.live?.version);
  // Not more than one version for each attempt.
  const descriptions = bench.runtime.functions.get(app.name)?.versions.map(({ description }) => description) ?? [];
  expect(new Set(descriptions).size).toBe(descriptions.length);
}

async function expectNothing({ belongings, runtime, store }: Bench, name: string): Promise<void> {
  const { roles, logGroups, secrets, artifacts } = belongings;
  const things = [...roles, ...logGroups, ...secrets, ...artifacts.keys(), ...runtime.functions.keys()];
  expect(things.filter((thing) => thing.split('/')[0] === name)).toEqual([]);
  expect(await store.query({ pk: appPartition(name) })).toEqual([]);
  expect((await store.query({ pk: DOMAINS })).filter(({ app }) => app === name)).toEqual([]);
}

type Bringer = 'queue' | 'pass';

interface MatrixOptions {
  readonly only?: readonly string[];
  readonly bringers?: readonly Bringer[];
}

/** Kills a worker at each of its side effects, once before and once after, and looks at what becomes of it all. */
export function describeCrashMatrix(
  ground: () => Ground,
  { only, bringers = ['queue', 'pass'] }: MatrixOptions = {},
): void {
  const scenarios = Object.entries(SCENARIOS).filter(([title]) => only === undefined || only.includes(title));
  const ways = bringers.flatMap((by) => (['before', 'after'] as const).map((when) => ({ when, by })));

  describe.each(scenarios)('%s', (title, scenario) => {
    const slug = title
      .replaceAll(/[^a-z]+/g, '-')
      .slice(0, 20)
      .replace(/-$/, '');

    test.each(ways)(
      'ends well when the worker is killed $when any of its side effects, and the $by brings the next',
      async ({ when, by }) => {
        const effects = await runOnce(ground(), scenario, `${slug}-${when}-${by}`);
        expect(effects.length).toBeGreaterThan(0);
        for (let at = 1; at <= effects.length; at += 1) {
          await runOnce(ground(), scenario, `${slug}-${when}-${by}-${at}`, { at, when, by }).catch((error: Error) => {
            throw new Error(`killed ${when} ${effects[at - 1]} (${at} of ${effects.length}): ${error.message}`, {
              cause: error,
            });
          });
        }
      },
    );
  });
}
