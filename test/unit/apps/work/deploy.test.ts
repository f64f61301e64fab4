import { beforeEach, describe, expect, test } from 'vitest';
import { STEPS } from '../../../../lib/apps/model.ts';
import { loadAttempts, saveApp } from '../../../../lib/apps/records.ts';
import { answers } from '../../../support/fake-runtime.ts';
import { createWorkBench, SETTINGS } from '../../../support/work-bench.ts';

let bench = createWorkBench();
const MINUTE = 60_000;

beforeEach(async () => {
  bench = createWorkBench();
  bench.belongings.artifacts.set('shop/a1', { versionId: 'v1', bytes: 10 });
  bench.belongings.artifacts.set('shop/a2', { versionId: 'v1', bytes: 10 });
  await bench.create();
});

/** One release, so that something serves. */
async function release(artifact = 'a1', name = 'shop') {
  await bench.request({ image: `artifact:${artifact}` }, name);
  expect(await bench.worker.work(name, MINUTE)).toBe('done');
}

const only = (prefix: RegExp) =>
  bench.runtime.calls.filter((call) => prefix.test(call)).map((call) => call.split(' ')[0]);
const CHANGES = /^(create|update|publish|invoke|setAlias|ensureUrl|setConcurrency|remove)/;

describe('a first deploy', () => {
  test('makes what is needed, asks the version before it gets traffic and the URL after', async () => {
    const { id } = await bench.request();
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    const app = await bench.app();
    expect(app.attempt).toMatchObject({ id, status: 'succeeded', release: 1, version: '1', step: 'retain' });
    expect(app.attempt?.code).toEqual({ kind: 'zip', artifact: 'a1', versionId: 'v1', bytes: 10 });
    expect(app.attempt?.steps.map(({ step }) => step)).toEqual(STEPS);
    expect(app.attempt?.steps.every(({ finishedAt }) => finishedAt !== undefined)).toBe(true);
    expect(app.live).toMatchObject({ number: 1, deployId: id, version: '1', settings: SETTINGS });
    expect(app.observed).toMatchObject({ url: 'https://shop.lambda-url.test/', stopped: false, generation: 2 });
    expect(app.lease).toBeUndefined();
    expect(only(CHANGES)).toEqual(['create', 'publish', 'invoke', 'setConcurrency', 'setAlias', 'ensureUrl']);
    expect(bench.probed).toEqual(['https://shop.lambda-url.test/']);
    expect([...bench.belongings.roles, ...bench.belongings.logGroups]).toEqual(['shop', 'shop']);
    expect(bench.deploys).toEqual([{ result: 'succeeded', durationMs: 0, app: 'shop', attempt: id }]);
  });

  test('gives the function its own variables beside the app’s, and the layer that brings secrets', async () => {
    const settings = { ...SETTINGS, env: { MODE: 'test' } };
    bench = createWorkBench({ settings: { secretsLayerArn: 'arn:aws:lambda:us-east-1:000000000000:layer:secrets:1' } });
    bench.belongings.artifacts.set('shop/a1', { versionId: 'v1', bytes: 10 });
    await bench.create();
    const secrets = { TOKEN: { locked: false, updatedAt: 0, fingerprint: 'f' } };
    await saveApp(bench.deps, await bench.app(), { secrets });
    const { id } = await bench.request({ settings });
    await bench.worker.work('shop', MINUTE);
    expect(bench.runtime.functions.get('shop')?.content).toMatchObject({
      settings: { env: { MODE: 'test' } },
      variables: {
        PORT: '8080',
        ROUNDHOUSE_APP: 'shop',
        ROUNDHOUSE_DEPLOY: id,
        ROUNDHOUSE_SECRETS_PATH: '/roundhouse/test/shop',
        AWS_LAMBDA_EXEC_WRAPPER: '/opt/roundhouse-secrets',
      },
      layers: ['arn:aws:lambda:us-east-1:000000000000:layer:secrets:1'],
      logGroup: '/roundhouse/test/shop',
    });
    expect(bench.runtime.functions.get('shop')?.tags).toEqual({ 'roundhouse:stage': 'test', 'roundhouse:app': 'shop' });
  });

  test('pins an image to its digest, and gives it no layer', async () => {
    bench = createWorkBench({ settings: { secretsLayerArn: 'arn:layer' } });
    const image = '000000000000.dkr.ecr.us-east-1.amazonaws.com/shop:1';
    bench.belongings.images.set(image, 'sha256:abc');
    await bench.create();
    await bench.request({ source: 'image', image });
    await bench.worker.work('shop', MINUTE);
    const code = { kind: 'image', uri: '000000000000.dkr.ecr.us-east-1.amazonaws.com/shop', digest: 'sha256:abc' };
    expect((await bench.app()).live?.code).toEqual(code);
    expect(bench.runtime.functions.get('shop')?.content).toMatchObject({ code, layers: [] });
    expect(bench.runtime.functions.get('shop')?.content.variables).not.toHaveProperty('AWS_LAMBDA_EXEC_WRAPPER');
  });

  test('waits for a role that cannot be assumed yet, and gives up after 30 s', async () => {
    await bench.request();
    bench.runtime.refuse('create', 'role_not_ready', { times: 3 });
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).attempt?.status).toBe('succeeded');
    expect((await bench.app()).attempt?.steps[1]?.detail).toContain('role_not_ready: tried again 3 times');

    await bench.create('other');
    bench.belongings.artifacts.set('other/a1', { versionId: 'v1', bytes: 10 });
    await bench.request({}, 'other');
    bench.runtime.refuse('create', 'role_not_ready', { times: 99 });
    await bench.worker.work('other', 10 * MINUTE);
    const { attempt } = await bench.app('other');
    expect(attempt?.failure).toMatchObject({ code: 'permission_denied', step: 'code' });
    expect((attempt?.finishedAt ?? 0) - (attempt?.startedAt ?? 0)).toBeLessThan(40_000);
  });
});

describe('an update (A01)', () => {
  beforeEach(() => release());

  test('waits for each update, retries what conflicts, and moves the alias last', async () => {
    bench.runtime.looks = 3;
    bench.runtime.conflicts = 1;
    bench.runtime.calls.length = 0;
    await bench.request({ image: 'artifact:a2' });
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    const { attempt, live } = await bench.app();
    expect(attempt).toMatchObject({ status: 'succeeded', release: 2, previousVersion: '1', version: '2' });
    expect(live).toMatchObject({ number: 2, version: '2' });
    expect(only(CHANGES)).toEqual([
      'updateCode',
      'updateSettings', // Refused: a conflict.
      'updateSettings',
      'publish',
      'invoke',
      'setConcurrency',
      'setAlias',
      'ensureUrl',
    ]);
    const details = Object.fromEntries(attempt?.steps.map(({ step, detail }) => [step, detail]) ?? []);
    expect(details['code']).toMatch(/waited [\d.]+ s for LastUpdateStatus/);
    expect(details['settings']).toMatch(/conflict: tried again 1 times/);
    expect(details['settings']).toMatch(/waited [\d.]+ s for LastUpdateStatus/);
  });

  test.each([
    ['updateCode', 'code'],
    ['updateSettings', 'settings'],
  ] as const)('that Lambda ends as failed after %s ends the attempt with its reason', async (method, step) => {
    await bench.request({ image: 'artifact:a2' });
    bench.runtime.before = (called) => {
      if (called === method)
        bench.runtime.failNext = { reason: 'the zip has no handler', code: 'InvalidZipFileException' };
    };
    await bench.worker.work('shop', MINUTE);
    const { attempt, live, conditions, spec } = await bench.app();
    expect(attempt).toMatchObject({
      status: 'failed',
      step,
      failure: { code: 'build_config_error', step, retryable: false },
    });
    expect(attempt?.failure?.cause).toContain('the zip has no handler (InvalidZipFileException)');
    expect(live?.number).toBe(1);
    expect(spec.image).toBe('artifact:a1');
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe('1');
    expect(conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['Ready', 'True', 'Deployed'],
      ['Deploy', 'False', 'BuildConfigError'],
    ]);
  });

  test('does not trip over an earlier update that failed', async () => {
    const fn = bench.runtime.functions.get('shop');
    if (fn) fn.failed = { reason: 'old', code: 'InternalError' };
    await release('a2');
    expect((await bench.app()).live?.number).toBe(2);
  });

  test('that never ends is given up after ten minutes', async () => {
    bench.runtime.looks = 1_000_000;
    await bench.request({ image: 'artifact:a2' });
    expect(await bench.worker.work('shop', MINUTE)).toBe('again');
    let outcome = 'again';
    for (let messages = 0; messages < 30 && outcome === 'again'; messages += 1)
      outcome = await bench.worker.work('shop', MINUTE);
    expect(outcome).toBe('done');
    expect((await bench.app()).attempt?.failure).toMatchObject({ code: 'build_timeout', step: 'code' });
  });

  test('of settings alone leaves the code as it is', async () => {
    const { live } = await bench.app();
    bench.runtime.calls.length = 0;
    const change = { source: 'restart', image: 'artifact:a1', settings: { ...SETTINGS, memoryMb: 1024 } } as const;
    await bench.request({ ...change, ...(live && { code: live.code }) });
    await bench.worker.work('shop', MINUTE);
    expect(only(/^update/)).toEqual(['updateSettings']);
    expect((await bench.app()).live).toMatchObject({ number: 2, version: '2', settings: { memoryMb: 1024 } });
  });

  test('puts the code back that a failed attempt left behind', async () => {
    const { live } = await bench.app();
    bench.runtime.refuse('updateSettings', 'invalid');
    await bench.request({ image: 'artifact:a2' });
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).attempt?.status).toBe('failed');
    await bench.request({ source: 'restart', image: 'artifact:a1', ...(live && { code: live.code }) });
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).live).toMatchObject({ number: 2 });
    expect(bench.runtime.functions.get('shop')?.versions.at(-1)?.content.code).toMatchObject({ artifact: 'a1' });
  });

  test('of nothing at all makes a new version: that is what a restart is', async () => {
    const { live } = await bench.app();
    await bench.request({ source: 'restart', image: 'artifact:a1', ...(live && { code: live.code }) });
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).live).toMatchObject({ number: 2, version: '2' });
  });

  test('updates the code of another architecture though it is the same package', async () => {
    const { live } = await bench.app();
    bench.runtime.calls.length = 0;
    const settings = { ...SETTINGS, architecture: 'x86_64' } as const;
    await bench.request({ source: 'restart', image: 'artifact:a1', settings, ...(live && { code: live.code }) });
    await bench.worker.work('shop', MINUTE);
    expect(only(/^update/)).toEqual(['updateCode', 'updateSettings']);
  });

  test('from a package to an image is refused with what to do', async () => {
    const image = '000000000000.dkr.ecr.us-east-1.amazonaws.com/shop:1';
    bench.belongings.images.set(image, 'sha256:abc');
    await bench.request({ source: 'image', image });
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).attempt?.failure).toMatchObject({ code: 'build_config_error', step: 'code' });
    expect((await bench.app()).attempt?.failure?.cause).toContain('Delete shop and create it anew');
  });

  test('finds the version that it published before its answer was lost', async () => {
    bench.runtime.refuse('publish', 'unavailable', { lost: true });
    await release('a2');
    expect(bench.runtime.functions.get('shop')?.versions.map(({ version }) => version)).toEqual(['1', '2']);
  });

  test('reads the alias again when its move was answered by nobody', async () => {
    bench.runtime.refuse('setAlias', 'unavailable', { lost: true });
    await release('a2');
    expect(only(/^setAlias/)).toHaveLength(2);
    expect(bench.runtime.functions.get('shop')?.alias).toEqual({ version: '2', revision: 2 });
  });

  test('wakes a version that fell asleep', async () => {
    bench.runtime.versionState = 'Inactive';
    await release('a2');
    expect((await bench.app()).attempt?.steps[3]?.detail).toContain('version 2 was inactive and was woken');
  });

  test('ends when Lambda says that the version failed', async () => {
    bench.runtime.versionState = 'Failed';
    await bench.request({ image: 'artifact:a2' });
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).attempt).toMatchObject({ status: 'failed', step: 'publish' });
  });
});

describe('a gate that does not open', () => {
  beforeEach(() => release());

  test.each([
    [
      'answers 500 without a path to ask',
      {},
      () => answers.status(500, 'boom'),
      'health_check_failed',
      /GET \/: answered 500/,
    ],
    [
      'answers 404 at the path that it names',
      { readiness: { path: '/ready', intervalMs: 1_000, timeoutMs: 1_000, budgetMs: 5_000 } },
      () => answers.status(404, 'nothing here'),
      'health_check_failed',
      /within 5 s: GET \/ready: answered 404/,
    ],
    ['ends at its start', {}, () => answers.crash(), 'container_crashed', /Runtime.ImportModuleError: no such module/],
    [
      'has too little memory',
      {},
      () => answers.crash('Runtime exited with error: signal: killed', 'Runtime.ExitError'),
      'oom_killed',
      /signal: killed/,
    ],
    [
      'is too slow each time',
      {},
      () => answers.crash('Task timed out after 3.00 seconds', 'Sandbox.Timedout'),
      'health_check_failed',
      /timed out/,
    ],
    [
      'returns what is no answer',
      {},
      () => ({ payload: '{"statusCode":"no"}', logTail: '' }),
      'health_check_failed',
      /no HTTP answer/,
    ],
  ] as const)('because the new version %s', async (_what, settings, answer, code, cause) => {
    const last = bench.runtime.answer;
    bench.runtime.answer = (input) => (input.version === '1' ? last(input) : answer());
    await bench.request({ image: 'artifact:a2', settings: { ...SETTINGS, ...settings } });
    let outcome = 'again';
    for (let messages = 0; messages < 5 && outcome === 'again'; messages += 1)
      outcome = await bench.worker.work('shop', MINUTE);
    expect(outcome).toBe('done');
    const { attempt, live, lastRelease } = await bench.app();
    expect(attempt).toMatchObject({ status: 'failed', step: 'gate', failure: { code, step: 'gate' } });
    expect(attempt?.failure?.cause).toMatch(cause);
    expect(attempt).not.toHaveProperty('release');
    expect(live?.version).toBe('1');
    expect(lastRelease).toBe(1);
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe('1');
    expect(bench.deploys.at(-1)).toMatchObject({ result: 'failed', code });
  });

  test('has a budget that spans messages, and opens at a late try', async () => {
    let tries = 0;
    bench.runtime.answer = ({ version }) => {
      if (version === '1') return answers.status();
      tries += 1;
      return tries < 40 ? answers.status(503) : answers.status(204);
    };
    const readiness = { path: '/ready', intervalMs: 2_000, timeoutMs: 1_000, budgetMs: 100_000 };
    await bench.request({ image: 'artifact:a2', settings: { ...SETTINGS, readiness } });
    expect(await bench.worker.work('shop', MINUTE)).toBe('again');
    expect((await bench.app()).lease).toBeUndefined();
    expect(await bench.worker.work('shop', MINUTE)).toBe('done');
    expect((await bench.app()).attempt).toMatchObject({ status: 'succeeded' });
    expect(bench.sent).toMatchObject([{ app: 'shop', reason: 'goes on', dedupeId: expect.stringContaining('.gate.') }]);
  });

  test('waits for a free instance, and says so when none comes', async () => {
    const { RuntimeError } = await import('../../../../lib/apps/runtime/runtime.ts');
    bench.runtime.answer = () => new RuntimeError('throttled', 'Rate Exceeded.');
    await bench.request({ image: 'artifact:a2' });
    let outcome = 'again';
    for (let messages = 0; messages < 5 && outcome === 'again'; messages += 1)
      outcome = await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).attempt?.failure).toMatchObject({ code: 'concurrency_exhausted', retryable: true });
    expect(bench.runtime.calls.filter((call) => call === 'invoke shop').length).toBeGreaterThan(10);
  });

  test('leaves an excerpt without values of variables, of 20 lines at most', async () => {
    const secret = 'planted-canary-"1"';
    const log = `${Array.from({ length: 40 }, (_line, index) => `line ${index} ${secret}`).join('\n')}\n`;
    bench.runtime.answer = ({ version }) =>
      version === '1' ? answers.status() : answers.crash(`bad ${secret}`, 'Error', log);
    await bench.request({ image: 'artifact:a2', settings: { ...SETTINGS, env: { KEY: secret, SHORT: 'line' } } });
    await bench.worker.work('shop', MINUTE);
    const { attempt } = await bench.app();
    const { excerpt = '', cause = '' } = attempt?.failure ?? {};
    expect(excerpt.split('\n')).toHaveLength(20);
    expect(excerpt).toContain('line 39 ***');
    const { settings: _settings, ...told } = attempt ?? { settings: {} };
    expect(JSON.stringify([told, (await bench.app()).conditions, bench.log.lines])).not.toContain('planted-canary');
    expect(cause).toContain('bad ***');
  });
});

describe('after the shift', () => {
  beforeEach(() => release());

  test.each([
    [403, /^The URL answers 403. It needs both lambda:InvokeFunctionUrl and lambda:InvokeFunction/],
    [429, /The URL answered 429 after the traffic had moved/],
    [502, /The URL answered 502 after the traffic had moved/],
    [0, /The URL did not answer/],
  ])('a URL that answers %i gives the traffic back', async (status, cause) => {
    bench.bench.probe = async () => {
      if (status === 0) throw new Error('no answer in time');
      return { status, body: 'gateway says no' };
    };
    await bench.request({ image: 'artifact:a2' });
    await bench.worker.work('shop', MINUTE);
    const { attempt, live, spec } = await bench.app();
    expect(attempt).toMatchObject({ status: 'failed', step: 'verify', failure: { code: 'health_check_failed' } });
    expect(attempt?.failure?.cause).toMatch(cause);
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe('1');
    expect(live?.version).toBe('1');
    expect(spec.image).toBe('artifact:a1');
  });

  test('an app that answers 403 itself is well', async () => {
    bench.runtime.answer = () => answers.status(403, 'who are you');
    await release('a2');
  });

  test('a first URL is given time to become known', async () => {
    await bench.create('first');
    bench.belongings.artifacts.set('first/a1', { versionId: 'v1', bytes: 10 });
    let tries = 0;
    bench.bench.probe = async () => {
      tries += 1;
      return { status: tries < 10 ? 403 : 200, body: '' };
    };
    await release('a1', 'first');
    expect(tries).toBe(10);
  });

  test('a first release that cannot be reached has nothing to go back to, and fails', async () => {
    await bench.create('first');
    bench.belongings.artifacts.set('first/a1', { versionId: 'v1', bytes: 10 });
    bench.bench.probe = async () => ({ status: 403, body: '' });
    await bench.request({}, 'first');
    await bench.worker.work('first', MINUTE);
    const { attempt, live, conditions } = await bench.app('first');
    expect(attempt).toMatchObject({ status: 'failed', step: 'verify' });
    expect(live).toBeUndefined();
    expect(conditions[0]).toMatchObject({ type: 'Ready', status: 'False', reason: 'ReadinessFailed' });
  });

  test('a permission that is missing at the shift gives the traffic back too', async () => {
    await bench.request({ image: 'artifact:a2' });
    bench.runtime.refuse('ensureUrl', 'permission_denied', { message: 'not authorized: lambda:AddPermission' });
    await bench.worker.work('shop', MINUTE);
    expect((await bench.app()).attempt?.failure).toMatchObject({ code: 'permission_denied', step: 'shift' });
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe('1');
  });

  test('readiness decides at the URL as it did at the gate', async () => {
    const readiness = { path: '/ready?deep=1', intervalMs: 1_000, timeoutMs: 1_000, budgetMs: 5_000 };
    await bench.request({ image: 'artifact:a2', settings: { ...SETTINGS, readiness } });
    bench.probed.length = 0;
    await bench.worker.work('shop', MINUTE);
    expect(bench.probed).toEqual(['https://shop.lambda-url.test/ready?deep=1']);
  });
});

test.each([
  [5, 1_000, 5, 'True'],
  [5, 0, undefined, 'False'],
] as const)(
  'a deploy of an app that wants %i instances, of %i free, reserves %s and says so',
  async (wanted, pool, reserved, status) => {
    bench.runtime.pool = pool;
    await bench.change('shop', ({ spec }) => ({ spec: { ...spec, reservedConcurrency: wanted } }));
    await release();
    const { observed, conditions } = await bench.app();
    expect(bench.runtime.functions.get('shop')?.reserved).toBe(reserved);
    expect(observed?.reservedConcurrency).toBe(reserved);
    expect(conditions.find(({ type }) => type === 'Reservation')).toMatchObject({ status });
  },
);

describe('refusals of AWS', () => {
  beforeEach(() => release());

  test.each([
    ['updateCode', 'code_missing', 'artifact_missing'],
    ['updateCode', 'code_storage_full', 'code_storage_full'],
    ['updateCode', 'image_unreadable', 'image_pull_failed'],
    ['updateCode', 'permission_denied', 'permission_denied'],
    ['updateSettings', 'env_too_large', 'env_too_large'],
    ['updateSettings', 'invalid', 'build_config_error'],
    ['publish', 'code_storage_full', 'code_storage_full'],
  ] as const)('%s: %s ends the attempt as %s', async (method, refusal, code) => {
    bench.runtime.refuse(method, refusal, { message: 'AWS says why.' });
    await bench.request({ image: 'artifact:a2' });
    await bench.worker.work('shop', MINUTE);
    const { attempt } = await bench.app();
    expect(attempt).toMatchObject({ status: 'failed', failure: { code } });
    expect(attempt?.failure?.cause).toContain('AWS says why.');
    expect(bench.runtime.functions.get('shop')?.alias?.version).toBe('1');
  });

  test('a package that nobody uploaded ends it before anything is made', async () => {
    await bench.create('new');
    await bench.request({ image: 'artifact:gone' }, 'new');
    await bench.worker.work('new', MINUTE);
    expect((await bench.app('new')).attempt?.failure).toMatchObject({ code: 'artifact_missing', step: 'prepare' });
    expect(bench.belongings.roles.has('new')).toBe(false);
  });

  test('throttling is waited for: in the message, then with the fast pass, at last it is told', async () => {
    bench.runtime.refuse('updateCode', 'throttled', { times: 10_000 });
    await bench.request({ image: 'artifact:a2' });
    expect(await bench.worker.work('shop', MINUTE)).toBe('later');
    const first = await bench.app();
    expect(first.attempt?.status).toBe('running');
    expect(first.retry).toMatchObject({ count: 1, reason: 'AWS says throttled' });
    expect(first.lease).toBeUndefined();
    let outcome = 'later';
    for (let passes = 0; passes < 10 && outcome === 'later'; passes += 1) {
      bench.clock.jump(MINUTE);
      outcome = await bench.worker.work('shop', MINUTE);
    }
    expect(outcome).toBe('done');
    expect((await bench.app()).attempt).toMatchObject({
      status: 'failed',
      failure: { code: 'throttled', retryable: true },
    });
    expect((await bench.app()).retry).toBeUndefined();
  });

  test('a fault of our own ends the attempt without its text, which goes to nobody', async () => {
    bench.runtime.before = (method) => {
      if (method === 'updateCode') throw new TypeError('quotes planted-canary');
    };
    await bench.request({ image: 'artifact:a2' });
    await bench.worker.work('shop', MINUTE);
    const app = await bench.app();
    expect(app.attempt?.failure).toMatchObject({ code: 'unknown', cause: 'Something unexpected happened at code.' });
    expect(JSON.stringify([app, bench.log.lines])).not.toContain('planted-canary');
    expect(bench.log.lines.some(({ level }) => level === 'error')).toBe(true);
  });
});

test('the history keeps each attempt as it ended', async () => {
  await release('a1');
  await release('a2');
  const attempts = await loadAttempts(bench.deps, await bench.app(), { limit: 10 });
  expect(attempts.map(({ number, status, release }) => [number, status, release])).toEqual([
    [2, 'succeeded', 2],
    [1, 'succeeded', 1],
  ]);
});
