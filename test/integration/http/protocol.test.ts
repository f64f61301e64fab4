import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Registries } from '../../../lib/configs/types.ts';
import { type FunctionUrlServer, startFunctionUrlServer } from '../../../lib/dev/function-url-server.ts';
import { AppError } from '../../../lib/errors.ts';
import { createConvertHandler } from '../../../lib/http/convert.ts';
import type { ReviewRecord } from '../../../lib/telemetry/metrics.ts';
import {
  createEntry,
  createFakeRegistries,
  createFakeRegistry,
  createScriptedRouter,
} from '../../support/fake-registry.ts';
import { send } from '../../support/http-client.ts';
import { createMemoryLog } from '../../support/memory-log.ts';

const UID = '11111111-0000-4000-8000-000000000001';
const TARGET = 'widgets.example.org';
const PATH = `/convert/eu/s3cr3t/${TARGET}`;
const GZIP = { 'accept-encoding': 'gzip' };

const log = createMemoryLog();
const reviews: ReviewRecord[] = [];
let time = 0;
/** How long each conversion takes: the slow rule of R30. */
let msPerObject = 0;
let registries: Registries;
let production: FunctionUrlServer;
let development: FunctionUrlServer;

const onConvert = () => {
  time += msPerObject;
};
const registry = createFakeRegistry([createEntry(TARGET, createScriptedRouter({ onConvert }))], ['broken.example.org']);

function start(isDevelopment: boolean): Promise<FunctionUrlServer> {
  const handler = createConvertHandler({
    // Looked up on each call: a test may put another one in its place.
    registries: {
      open: (endpoint, token) => registries.open(endpoint, token),
      admits: (endpoint, token) => registries.admits(endpoint, token),
      all: () => registries.all(),
      warm: () => registries.warm(),
      ready: () => registries.ready(),
    },
    development: isDevelopment,
    deadlineMs: 10_000,
    now: () => time,
    newId: () => 'ref-1',
    log,
    telemetry: { review: (record) => reviews.push(record), registry: () => {} },
  });
  return startFunctionUrlServer({ port: 0, route: () => handler });
}

beforeAll(async () => {
  production = await start(false);
  development = await start(true);
});

afterAll(async () => {
  await production.close();
  await development.close();
});

beforeEach(() => {
  log.lines.length = 0;
  reviews.length = 0;
  registry.lookups.length = 0;
  time = 0;
  msPerObject = 0;
  registries = createFakeRegistries(registry);
});

afterEach(() => {
  const told = JSON.stringify([log.lines, reviews]);
  expect(told, 'a token in a log line').not.toContain('s3cr3t');
  expect(told, 'an object in a log line').not.toContain('canary');
});

function widget(name: string, spec: object = {}, version = 'v1') {
  return {
    apiVersion: `example.org/${version}`,
    kind: 'Widget',
    metadata: { name, namespace: 'ns', uid: `u-${name}` },
    spec,
  };
}

function review(objects: unknown, to = 'v2', apiVersion = 'apiextensions.k8s.io/v1') {
  return {
    apiVersion,
    kind: 'ConversionReview',
    request: { uid: UID, desiredAPIVersion: `example.org/${to}`, objects },
  };
}

function post(body: unknown, { path = PATH, headers = {} }: { path?: string; headers?: Record<string, string> } = {}) {
  return send(production.url + path, {
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
}

function expectStatus(
  reply: { status: number; headers: any; json: any },
  code: number,
  reason: string,
  message?: RegExp,
) {
  expect(reply.status).toBe(code);
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.json).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason,
    code,
    message: message ? expect.stringMatching(message) : expect.any(String),
  });
}

function expectFailure(reply: { status: number; json: any }, message: string | RegExp) {
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: {
      uid: UID,
      convertedObjects: [],
      result: { status: 'Failure', message: typeof message === 'string' ? message : expect.stringMatching(message) },
    },
  });
}

describe('H03: a request that is no review gets a Status', () => {
  test.each([
    ['that is not JSON', 'not json', /^the body cannot be read: /],
    ['that is empty', '', /^the body cannot be read: /],
    ['that is cut short', JSON.stringify(review([widget('a')])).slice(0, -5), /^the body cannot be read: /],
    ['of JSON null', 'null', /not a ConversionReview/],
    ['of a list', '[]', /not a ConversionReview/],
    ['without request', '{}', /it has no request/],
    ['without a uid', '{"request":{"objects":[]}}', /request\.uid/],
    ['nested too deeply', '['.repeat(5_000) + ']'.repeat(5_000), /nested/],
    ['with a number that no double holds, and no uid', '{"request":{"objects":[1e400]}}', /request\.objects\[0\]/],
    ['that is not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), /UTF-8/],
  ])('a body %s is 400', async (_name, body, message) => {
    const headers = { 'content-type': 'application/octet-stream' };
    expectStatus(await post(body, { headers }), 400, 'BadRequest', message);
    expect(reviews).toMatchObject([{ result: 'bad_request', target: TARGET }]);
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is 405 and says what is allowed', async (method) => {
    const reply = await send(production.url + PATH, { method });
    expectStatus(reply, 405, 'MethodNotAllowed');
    expect(reply.headers['allow']).toBe('POST');
  });

  test('a request over 6 MB is 413 from the platform, before any code runs', async () => {
    const reply = await post('x'.repeat(6_291_457));
    expect(reply.status).toBe(413);
    expect(reviews).toEqual([]);
  });

  test('a wrong token, an unknown endpoint and an unknown target are one answer, whatever the body', async () => {
    const paths = [`/convert/eu/wrong/${TARGET}`, `/convert/us/s3cr3t/${TARGET}`, '/convert/eu/s3cr3t/no.example.org'];
    for (const body of [review([widget('a')]), 'not json', '{}']) {
      const replies = await Promise.all(paths.map((path) => post(body, { path })));
      for (const reply of replies) expectStatus(reply, 404, 'NotFound');
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      const shapes = replies.map(({ headers }) => JSON.stringify(Object.keys(headers)));
      expect(new Set(shapes).size).toBe(1);
    }
  });

  test.each([
    '/',
    '/convert',
    '/convert/',
    `/convert/${TARGET}`,
    '/convert/eu/s3cr3t',
    `${PATH}/more`,
    '/convert/eu/s3cr3t/__proto__',
    '/convert/eu/s3cr3t/%zz',
    '/convert/eu/s3cr3t/',
  ])('the path %s is 404', async (path) => {
    expectStatus(await post(review([]), { path }), 404, 'NotFound');
  });

  test('503 with Retry-After is only for a start without any plan', async () => {
    registries = {
      ...registries,
      open: async () => {
        throw new AppError('UNAVAILABLE', 'the table is gone', {}, { cause: new Error('canary') });
      },
    };
    const reply = await post(review([widget('a')]));
    expectStatus(reply, 503, 'ServiceUnavailable', /^no plan could be loaded yet, reference ref-1$/);
    expect(reply.headers['retry-after']).toBe('1');
    expect(log.lines).toMatchObject([{ message: 'review not answered', fields: { reason: 'the table is gone' } }]);
  });

  test('a fault before the review is read is 500 without its text', async () => {
    registries = {
      ...registries,
      open: async () => {
        throw new TypeError('canary');
      },
    };
    const reply = await post(review([widget('a')]));
    expectStatus(reply, 500, 'InternalError', /^internal error, reference id ref-1$/);
    expect(log.lines).toMatchObject([
      { level: 'error', fields: { reference: 'ref-1', path: `/convert/eu/***/${TARGET}` } },
    ]);
  });
});

describe('a review is answered', () => {
  test('with all objects in their order, and told to telemetry without them', async () => {
    const reply = await post(review([widget('a'), widget('b', {}, 'v3'), widget('c', { keep: 1 }, 'v2')]));
    expect(reply.status).toBe(200);
    expect(reply.json.response).toEqual({
      uid: UID,
      result: { status: 'Success' },
      convertedObjects: [
        widget('a', { convertedTo: 'v2' }, 'v2'),
        widget('b', { convertedTo: 'v2' }, 'v2'),
        widget('c', { keep: 1 }, 'v2'),
      ],
    });
    expect(reviews).toEqual([
      {
        result: 'success',
        target: TARGET,
        endpoint: 'eu',
        revision: 7,
        uid: UID,
        from: 'v1,v3,v2',
        to: 'v2',
        objects: 3,
        lossy: 0,
        absentSkipped: 0,
        stashIgnored: 0,
        shapeMismatches: 0,
        durationMs: 0,
      },
    ]);
    expect(registry.lookups).toEqual([{ target: TARGET, versions: ['v2', 'v1', 'v3'] }]);
  });

  test.each(['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'])(
    'in the version %s that it came in',
    async (version) => {
      const reply = await post(review([widget('a')], 'v2', version));
      expect(reply.json).toMatchObject({ apiVersion: version, response: { result: { status: 'Success' } } });
    },
  );

  test('with an empty list for an empty list', async () => {
    const { response } = (await post(review([]))).json;
    expect(response).toEqual({ uid: UID, convertedObjects: [], result: { status: 'Success' } });
  });

  test('untouched when every object is at the target', async () => {
    const object = widget('a', { n: 1 }, 'v2');
    expect((await post(review([object]))).json.response.convertedObjects).toEqual([object]);
  });

  test('with every digit of its integers', async () => {
    const text = JSON.stringify(review([widget('a', { big: 0 })])).replace('"big":0', '"big":9007199254740993');
    expect((await post(text)).text).toContain('"big":9007199254740993,');
  });

  test.each([
    ['application/json; charset=utf-8'],
    ['APPLICATION/JSON'],
    ['text/plain'],
    ['application/octet-stream'],
    ['application/x-www-form-urlencoded'],
    ['nonsense'],
  ])('for content type %s, as text or as base64', async (type) => {
    const reply = await post(review([widget('ü')]), { headers: { 'content-type': type } });
    expect(reply.json.response.convertedObjects).toMatchObject([{ metadata: { name: 'ü' } }]);
    expect(reply.headers['content-type']).toBe('application/json');
  });

  test('without a content type', async () => {
    const reply = await send(production.url + PATH, { body: JSON.stringify(review([])) });
    expect(reply.json.response.result.status).toBe('Success');
  });

  test.each(['application/json', 'application/octet-stream'])('behind a byte order mark in %s', async (type) => {
    const body = `\ufeff${JSON.stringify(review([]))}`;
    const reply = await post(body, { headers: { 'content-type': type } });
    expect(reply.json.response.result.status).toBe('Success');
  });

  test.each(['?timeout=30s', '?timeout=30s&unknown=1', '?', '?%zz=%'])('with the query %s ignored', async (query) => {
    const reply = await post(review([]), { path: PATH + query });
    expect(reply.json.response.result.status).toBe('Success');
  });

  test('in development without endpoint and token, and with them', async () => {
    for (const path of [`/convert/${TARGET}`, PATH]) {
      const reply = await send(development.url + path, { body: JSON.stringify(review([widget('a')])) });
      expect(reply.json.response.result.status).toBe('Success');
    }
  });
});

describe('a review fails as a whole, with HTTP 200 and its uid', () => {
  test.each([
    ['C03: a number that no double holds', '1E400', 'request.objects[0].spec.n'],
    ['objects nested too deeply', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, 'nested more than 500 deep'],
  ])('for %s', async (_name, value, expected) => {
    const text = JSON.stringify(review([widget('a', { n: 0 })])).replace('"n":0', `"n":${value}`);
    const reply = await post(text);
    expectFailure(reply, /^the body cannot be read: /);
    expect(reply.json.response.result.message).toContain(expected);
  });

  test('H01: naming object, item, rule and path of what does not convert', async () => {
    expectFailure(
      await post(review([widget('a'), widget('b', { size: 'XL' })])),
      '1 of 2 objects failed: Widget ns/b (uid u-b, item 1): v1 -> v2: rule 7 EnumRemap at spec.size: value "XL" is not mapped',
    );
    expect(reviews).toMatchObject([{ result: 'error', objects: 2 }]);
  });

  test('naming ten of eleven failing objects and counting the rest', async () => {
    const objects = [
      widget('good'),
      ...Array.from({ length: 11 }, (_, index) => widget(`bad-${index}`, { size: 'XL' })),
    ];
    const reply = await post(review(objects));
    expectFailure(reply, /^11 of 12 objects failed: .*; and 1 more$/);
    const { message } = reply.json.response.result;
    expect(message.match(/Widget ns\/bad-\d+ \(uid [^)]+, item \d+\)/g)).toHaveLength(10);
    expect(message).not.toContain('bad-10');
  });

  test('H02: for a crash inside a rule, with a reference and nothing else; the next request works', async () => {
    expectFailure(
      await post(review([widget('a'), widget('b', { crash: true })])),
      'internal error, reference id ref-1',
    );
    expect(log.lines).toMatchObject([{ level: 'error', fields: { reference: 'ref-1', error_name: 'TypeError' } }]);
    expect(reviews).toMatchObject([{ result: 'panic' }]);
    expect((await post(review([widget('a')]))).json.response.result.status).toBe('Success');
  });

  test.each([
    ['an answer that cannot be written', { notANumber: true }, {}],
    ['a look-up that rejects', {}, { lookup: () => Promise.reject(new TypeError('canary')) }],
  ])('for %s', async (_name, spec, overrides) => {
    registries = createFakeRegistries({ ...registry, ...overrides });
    expectFailure(await post(review([widget('a', spec)])), 'internal error, reference id ref-1');
    expect(reviews).toMatchObject([{ result: 'panic' }]);
  });

  test.each([
    ['with a uid and nothing else', { request: { uid: UID } }],
    ['whose objects are no list', review({})],
    ['of another group', { ...review([]), request: { uid: UID, desiredAPIVersion: 'other.org/v2', objects: [] } }],
    ['with an object that is none', review([null])],
    ['with an object of another group', review([{ ...widget('a'), apiVersion: 'other.org/v1' }])],
    ['to a version that there is not', review([widget('a')], 'v9')],
  ])('%s', async (_name, body) => {
    expectFailure(await post(body), /./);
  });

  test('when the config of its target has no plan that works', async () => {
    const reply = await post(review([widget('a')]), { path: '/convert/eu/s3cr3t/broken.example.org' });
    expectFailure(reply, 'the plan of broken.example.org cannot be loaded: revision 1: does not compile');
    expect(reviews).toMatchObject([{ result: 'error', target: 'broken.example.org' }]);
  });

  test('when the deadline passes between two objects', async () => {
    msPerObject = 4_000;
    const reply = await post(review(['a', 'b', 'c', 'd', 'e'].map((name) => widget(name))));
    expectFailure(reply, 'deadline, 3 of 5 done');
    expect(reviews).toMatchObject([{ result: 'error', durationMs: 12_000 }]);
  });
});

describe('H05: an answer near the limit of Lambda', () => {
  /** 90 objects of 60 KB under a rule that stashes text: 5.4 MB come in, more goes out (H05). */
  const growing = (stash: number) =>
    review(Array.from({ length: 90 }, (_, index) => widget(`w-${index}`, { blob: 'x'.repeat(60_000), stash })));

  test('goes out as it is while its serialised form is below 6,000,000 bytes', async () => {
    const reply = await post(growing(0));
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect(reply.json.response.convertedObjects).toHaveLength(90);
  });

  test('is a Failure with size and limit above it, where the caller does not take gzip', async () => {
    const reply = await post(growing(10_000), { headers: { 'accept-encoding': 'identity' } });
    expectFailure(reply, /^the converted list is \d{7,} bytes; the limit is 6000000: ask for it with a smaller limit$/);
    expect(reviews).toMatchObject([{ result: 'error', objects: 90 }]);
  });

  test('goes out compressed where the caller takes gzip', async () => {
    const reply = await post(growing(10_000), { headers: GZIP });
    expect(reply.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/json' });
    const { response } = JSON.parse(gunzipSync(reply.bytes).toString());
    expect(response).toMatchObject({ uid: UID, result: { status: 'Success' } });
    expect(response.convertedObjects).toHaveLength(90);
    expect(response.convertedObjects[89].spec.stash).toHaveLength(10_000);
  });

  test('is a Failure when it is too large even compressed', async () => {
    const objects = Array.from({ length: 60 }, (_, index) => widget(`n-${index}`, { noise: 100_000 }));
    const reply = await post(review(objects), { headers: GZIP });
    expectFailure(reply, /^the converted list is \d{7,} bytes; the limit is 6000000/);
  });

  test('below 1 MB is not compressed', async () => {
    const reply = await post(review([widget('a')]), { headers: GZIP });
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect(reply.json.response.result.status).toBe('Success');
  });
});
