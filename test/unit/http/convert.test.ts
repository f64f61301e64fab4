import { describe, expect, test } from 'vitest';
import type { RegistryCounters } from '../../../lib/configs/types.ts';
import type { ConvertOptions } from '../../../lib/http/convert.ts';
import type { RegistryRecord, ReviewRecord } from '../../../lib/telemetry/metrics.ts';
import { createTestConvert } from '../../support/convert-handler.ts';
import {
  createEntry,
  createFakeRegistries,
  createFakeRegistry,
  createScriptedRouter,
} from '../../support/fake-registry.ts';
import { createMemoryLog } from '../../support/memory-log.ts';

const TARGET = 'widgets.example.org';

function setUp({ msPerObject = 0, ...options }: Partial<ConvertOptions> & { msPerObject?: number } = {}) {
  let time = 0;
  const onConvert = () => {
    time += msPerObject;
  };
  const reviews: ReviewRecord[] = [];
  const loads: RegistryRecord[] = [];
  const log = createMemoryLog();
  const registry = createFakeRegistry([createEntry(TARGET, createScriptedRouter({ onConvert }))]);
  const handler = createTestConvert({
    registries: createFakeRegistries(registry),
    now: () => time,
    log,
    telemetry: { review: (record) => reviews.push(record), registry: (record) => loads.push(record) },
    ...options,
  });
  const call = async (body: string, left?: number, path = `/convert/eu/s3cr3t/${TARGET}`) => {
    const event = { rawPath: path, requestContext: { http: { method: 'POST' } }, body };
    const result = await handler(event, left === undefined ? {} : { getRemainingTimeInMillis: () => left });
    return { ...result, json: JSON.parse(result.body) };
  };
  return { call, registry, reviews, loads, log };
}

function review(count: number): string {
  const objects = Array.from({ length: count }, (_, index) => ({
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    metadata: { name: `w-${index}`, uid: `u-${index}` },
    spec: {},
  }));
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'u', desiredAPIVersion: 'example.org/v2', objects },
  });
}

describe('the deadline', () => {
  test.each([
    ['is 10 s by default', {}, undefined, 4],
    ['is what the function is told', { deadlineMs: 5_000 }, undefined, 2],
    ['is never above 25 s', { deadlineMs: 60_000 }, undefined, 9],
    ['leaves a second of what the invocation has left', {}, 7_000, 3],
    ['is over at once when the invocation has nothing left', {}, 500, 0],
    ['is not put off by an invocation with much time', {}, 900_000, 4],
  ])('%s', async (_name, options, left, done) => {
    const { call } = setUp({ msPerObject: 3_000, ...options });
    const { statusCode, json } = await call(review(20), left);
    expect(statusCode).toBe(200);
    expect(json.response.uid).toBe('u');
    expect(json.response.result.message).toBe(`deadline, ${done} of 20 done`);
  });
});

test.each([
  [6_291_456, 400],
  [6_291_457, 413],
])('a body of %i bytes is answered %i', async (size, status) => {
  const { call, reviews } = setUp();
  const { statusCode, json } = await call('x'.repeat(size));
  expect(statusCode).toBe(status);
  expect(json).toMatchObject({ kind: 'Status', code: status });
  expect(reviews).toMatchObject([{ result: 'bad_request', target: TARGET, objects: 0 }]);
});

test('a body of two-byte characters is measured in bytes', async () => {
  expect((await setUp().call('ü'.repeat(3_145_729))).statusCode).toBe(413);
});

describe('telemetry', () => {
  test.each([
    ['a wrong token', `/convert/eu/wrong/${TARGET}`, []],
    ['an unknown target behind a right token', '/convert/eu/s3cr3t/no.example.org', [{ result: 'not_registered' }]],
  ])('counts %s as it should: nobody without a token can trip an alarm', async (_name, path, records) => {
    const { call, reviews } = setUp();
    expect((await call(review(1), undefined, path)).statusCode).toBe(404);
    expect(reviews).toMatchObject(records);
    for (const record of reviews) expect(record).not.toHaveProperty('target');
  });

  test('cuts what the caller made up', async () => {
    const { call, reviews } = setUp();
    const long = 'v'.repeat(10_000);
    await call(review(1).replaceAll('example.org/v2', `example.org/${long}`).replace('"uid":"u"', `"uid":"${long}"`));
    expect(reviews[0]?.uid).toHaveLength(64);
    expect(reviews[0]?.to).toHaveLength(64);
  });

  test('tells of loads and failed looks once', async () => {
    const { call, registry, loads, log } = setUp();
    const idle = registry.drain();
    const counters: RegistryCounters[] = [
      {
        compiles: 2,
        loadFailures: [{ target: 't', revision: 2, reason: 'why' }],
        compileDurations: [3, 4],
        looks: 1,
        lookFailures: 2,
      },
      idle,
    ];
    registry.drain = () => counters.shift() ?? idle;
    await call(review(1));
    await call(review(1));
    expect(loads).toEqual([{ size: 1, compileMs: 7, compileErrors: 1 }]);
    expect(log.lines).toMatchObject([
      { level: 'error', message: 'plan not loaded', fields: { target: 't', revision: 2, reason: 'why' } },
      { level: 'warn', message: 'configs not read', fields: { failures: 2 } },
    ]);
  });
});

test('an answer waits for the look that runs beside its conversion', async () => {
  const { call, registry } = setUp();
  const steps: string[] = [];
  const lookup = registry.lookup.bind(registry);
  registry.lookup = async (target, versions) => ({
    ...(await lookup(target, versions)),
    settle: async () => {
      steps.push('settled');
    },
  });
  await call(review(1));
  steps.push('answered');
  expect(steps).toEqual(['settled', 'answered']);
});

test('the versions of all objects are asked for, each once', async () => {
  const { call, registry } = setUp();
  await call(review(3));
  expect(registry.lookups).toEqual([{ target: TARGET, versions: ['v2', 'v1'] }]);
});

describe('a target is looked up once a request', () => {
  test.each([
    ['that is known', TARGET, review(1), 200],
    ['whose plan cannot be loaded', 'broken.example.org', review(1), 200],
    ['whose plan could not be read yet', 'pending.example.org', review(1), 503],
    ['that is unknown', 'no.example.org', review(1), 404],
    ['that is known, for a body that cannot be read', TARGET, 'not json', 400],
    ['that is unknown, for a body that cannot be read', 'no.example.org', 'not json', 404],
    ['whose plan could not be read yet, for a body that cannot be read', 'pending.example.org', 'not json', 400],
  ])('%s', async (_name, target, body, status) => {
    const registry = createFakeRegistry([createEntry(TARGET)], ['broken.example.org'], ['pending.example.org']);
    const { call } = setUp({ registries: createFakeRegistries(registry) });
    expect((await call(body, undefined, `/convert/eu/s3cr3t/${target}`)).statusCode).toBe(status);
    expect(registry.lookups.map((lookup) => lookup.target)).toEqual([target]);
  });
});

test('a plan that could not be read yet asks to be called again', async () => {
  const registry = createFakeRegistry([], [], [TARGET]);
  const { call, reviews } = setUp({ registries: createFakeRegistries(registry) });
  const answer = await call(review(1));
  expect(answer).toMatchObject({ statusCode: 503, headers: { 'retry-after': '1' } });
  expect(answer.json).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable', code: 503 });
  expect(answer.json.message).toBe(`the plan of ${TARGET} could not be read yet; try again`);
  expect(reviews).toMatchObject([{ result: 'error', target: TARGET }]);
});

test('a plan that cannot be loaded is a Failure with the reason, cut', async () => {
  const registry = createFakeRegistry([], [TARGET]);
  registry.lookup = async () => ({ known: true, error: `revision 3: ${'x'.repeat(5_000)}`, settle: async () => {} });
  const { call, reviews } = setUp({ registries: createFakeRegistries(registry) });
  const { statusCode, json } = await call(review(1));
  expect(statusCode).toBe(200);
  expect(json.response).toMatchObject({ uid: 'u', convertedObjects: [], result: { status: 'Failure' } });
  expect(json.response.result.message).toMatch(
    /^the plan of widgets\.example\.org cannot be loaded: revision 3: x{900,}…$/,
  );
  expect(json.response.result.message.length).toBeLessThan(1_100);
  expect(reviews).toMatchObject([{ result: 'error', target: TARGET }]);
});

test('a token that the look beside the conversion finds ended is refused, and trips no alarm', async () => {
  let valid = true;
  const registry = createFakeRegistry([createEntry(TARGET)]);
  const { lookup } = registry;
  registry.lookup = async (target, versions) => ({
    ...(await lookup(target, versions)),
    settle: async () => {
      valid = false;
    },
  });
  const registries = { ...createFakeRegistries(registry), admits: () => valid };
  const { call, reviews, log } = setUp({ registries });
  const ended = await call(review(1));
  const wrong = await call(review(1), undefined, `/convert/eu/wrong/${TARGET}`);
  expect(ended).toEqual(wrong);
  expect(ended.statusCode).toBe(404);
  expect(reviews).toEqual([]);
  expect(log.lines).toHaveLength(2);
  expect(log.lines[0]).toEqual(log.lines[1]);
});

test('rules whose source has another shape are counted in the record of the review', async () => {
  const router = createScriptedRouter();
  const mismatching: typeof router.convert = (object, from, to, run) => {
    run.shapeMismatches += 2;
    return router.convert(object, from, to, run);
  };
  const registry = createFakeRegistry([createEntry(TARGET, { ...router, convert: mismatching })]);
  const { call, reviews } = setUp({ registries: createFakeRegistries(registry) });
  await call(review(3));
  expect(reviews).toMatchObject([{ result: 'success', shapeMismatches: 6 }]);
});
