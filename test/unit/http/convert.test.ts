import { describe, expect, test } from 'vitest';
import type { RegistryCounters } from '../../../lib/configs/types.ts';
import { type ConvertOptions, createConvertHandler } from '../../../lib/http/convert.ts';
import type { RegistryRecord, ReviewRecord } from '../../../lib/telemetry/metrics.ts';
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
  const handler = createConvertHandler({
    registries: createFakeRegistries(registry),
    development: false,
    deadlineMs: 10_000,
    now: () => time,
    newId: () => 'ref-1',
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
      { compiles: 2, compileErrors: 1, compileDurations: [3, 4], looks: 1, lookFailures: 2 },
      idle,
    ];
    registry.drain = () => counters.shift() ?? idle;
    await call(review(1));
    await call(review(1));
    expect(loads).toEqual([{ size: 1, compileMs: 7, compileErrors: 1 }]);
    expect(log.lines).toMatchObject([{ level: 'warn', message: 'configs not read', fields: { failures: 2 } }]);
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
