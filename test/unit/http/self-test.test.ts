import { describe, expect, test } from 'vitest';
import { createEndpointService } from '../../../lib/configs/endpoints.ts';
import { createRegistries } from '../../../lib/configs/registries.ts';
import { checkAnswer, renderReview } from '../../../lib/deployment/review.ts';
import { AppError } from '../../../lib/errors.ts';
import type { ConvertOptions } from '../../../lib/http/convert.ts';
import { createTestConvert, readyBy } from '../../support/convert-handler.ts';
import { countReads } from '../../support/counting-store.ts';
import { createMemoryLog } from '../../support/memory-log.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { webhookServer } from '../../support/widgets.ts';

const UID = 'u-1';
const MAX_BODY_BYTES = 16_384;

function setUp(overrides: Partial<ConvertOptions> = {}) {
  const log = createMemoryLog();
  const told: unknown[] = [];
  const handler = createTestConvert({
    log,
    telemetry: { review: (record) => told.push(record), registry: (record) => told.push(record) },
    ...overrides,
  });
  const call = async (body = renderReview(UID), { method = 'POST', path = '/convert/self-test' } = {}) => {
    const result = await handler({ rawPath: path, requestContext: { http: { method } }, body });
    return { ...result, json: JSON.parse(result.body) };
  };
  return { call, log, told };
}

test.each([true, false])(
  'the recorded review gets the recorded answer, each time (development: %s)',
  async (development) => {
    const { call, told, log } = setUp({ development });
    for (const uid of ['u-1', 'u-2', 'u-1']) {
      const { statusCode, body } = await call(renderReview(uid));
      expect(checkAnswer(uid, { status: statusCode, body })).toBeUndefined();
    }
    expect(told, 'a self-test in the metrics of reviews').toEqual([]);
    expect(log.lines).toEqual([]);
  },
);

test.each(['GET', 'PUT', 'HEAD', 'DELETE'])('%s is 405 and says what is allowed', async (method) => {
  const answer = await setUp().call('', { method });
  expect(answer).toMatchObject({ statusCode: 405, headers: { allow: 'POST' }, json: { kind: 'Status', code: 405 } });
});

test.each(['/convert/self-test/', '/convert/self%2Dtest', '/convert/Self-Test', '/convert//self-test'])(
  'no other path leads there: %s is 404',
  async (path) => {
    expect(await setUp().call(renderReview(UID), { path })).toMatchObject({ statusCode: 404 });
  },
);

test.each([
  [MAX_BODY_BYTES, 400],
  [MAX_BODY_BYTES + 1, 413],
])('a body of %i bytes is answered %i', async (size, status) => {
  const { call } = setUp();
  expect(await call('x'.repeat(size))).toMatchObject({ statusCode: status, json: { kind: 'Status', code: status } });
  expect((await call('ü'.repeat(size / 2 + 1))).statusCode).toBe(413);
});

test('a body that is too large is refused before anything is read', async () => {
  let reads = 0;
  const { call } = setUp({ registries: readyBy(async () => void reads++) });
  await call('x'.repeat(MAX_BODY_BYTES + 1));
  expect(reads).toBe(0);
});

describe('another review than the recorded one is answered like any other', () => {
  test.each([
    ['that is not JSON', 'not json', { statusCode: 400, json: { kind: 'Status' } }],
    ['without a uid', '{"request":{"objects":[]}}', { statusCode: 400, json: { kind: 'Status' } }],
    [
      'to a version that there is not',
      renderReview(UID).replace('example.org/v3', 'example.org/v9'),
      { statusCode: 200, json: { response: { uid: UID, result: { status: 'Failure' } } } },
    ],
    [
      'of another group',
      renderReview(UID).replaceAll('self-test.example.org', 'example.com'),
      { statusCode: 200, json: { response: { uid: UID, convertedObjects: [], result: { status: 'Failure' } } } },
    ],
  ])('one %s', async (_name, body, answer) => {
    expect(await setUp().call(body)).toMatchObject(answer);
  });

  test('one that takes too long', async () => {
    let time = 0;
    const { call } = setUp({ now: () => (time += 6_000) });
    expect((await call()).json.response.result.message).toBe('deadline, 1 of 2 done');
  });
});

describe('a version that cannot read its endpoints', () => {
  test('fails with a Status, and logs why', async () => {
    const ready = async () => {
      throw new AppError('UNAVAILABLE', 'The database cannot be used now (AccessDeniedException).');
    };
    const { call, log } = setUp({ registries: readyBy(ready) });
    const answer = await call();
    expect(answer).toMatchObject({ statusCode: 503, headers: { 'retry-after': '1' }, json: { code: 503 } });
    expect(answer.json.message).toBe('no plan could be loaded yet, reference ref-1');
    expect(checkAnswer(UID, { status: answer.statusCode, body: answer.body })).toContain(answer.json.message);
    const reason = 'The database cannot be used now (AccessDeniedException).';
    const fields = { reference: 'ref-1', path: '/convert/self-test', reason };
    expect(log.lines).toMatchObject([{ level: 'error', message: 'review not answered', fields }]);
  });

  test('and has a fault of its own is told from one whose table cannot be read, and the text stays inside', async () => {
    const ready = async () => {
      throw new TypeError('canary');
    };
    const { call, log } = setUp({ registries: readyBy(ready) });
    const answer = await call();
    expect(answer).toMatchObject({ statusCode: 500, json: { message: 'internal error, reference id ref-1' } });
    expect(answer.body + JSON.stringify(log.lines)).not.toContain('canary');
    expect(log.lines).toMatchObject([{ fields: { error_name: 'TypeError', path: '/convert/self-test' } }]);
  });

  test('passes as soon as they can be read', async () => {
    const clock = createTestClock();
    const memory = createMemoryStore(clock);
    const store = countReads(memory);
    await createEndpointService({ store: memory, clock, ids: () => 'id' }).put('eu', webhookServer('eu'));
    const { call } = setUp({ registries: createRegistries({ store, clock, delay: clock.delay }) });
    memory.beforeRead = () => Promise.reject(new AppError('UNAVAILABLE', 'down'));
    expect((await call()).statusCode).toBe(503);
    memory.beforeRead = () => {};
    expect((await call()).statusCode).toBe(200);
    memory.beforeRead = () => Promise.reject(new AppError('UNAVAILABLE', 'down'));
    store.reset();
    expect((await call()).statusCode).toBe(200);
    expect(store.calls).toMatchObject({ get: 0, getMany: 0, query: 0 });
  });

  test('reads them once for all who ask together', async () => {
    const clock = createTestClock();
    const store = countReads(createMemoryStore(clock));
    const { call } = setUp({ registries: createRegistries({ store, clock, delay: clock.delay }) });
    const answers = await Promise.all([call(), call(), call()]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect(store.calls.query).toBe(1);
  });
});
