import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClientOptions, createClient } from '../../lib/cli/remote/client.ts';
import type { HttpAnswer, HttpRequest } from '../../lib/cli/remote/http.ts';
import { createRoundhouse, type Roundhouse } from '../../lib/cli/remote/roundhouse.ts';
import type { Json } from '../../lib/engine/json.ts';
import { AppError } from '../../lib/errors.ts';

const TOKEN = 'canary-6f1d20';
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const answer = (status: number, body: unknown, headers = {}): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  text: JSON.stringify(body),
});
const failing = (code: string) => Object.assign(new Error(`boom ${TOKEN}`), { code });

/** A client whose requests get these outcomes in turn; it never sleeps. */
function scripted(outcomes: readonly (HttpAnswer | Error)[], more: Partial<ClientOptions> = {}) {
  const sent: HttpRequest[] = [];
  const waits: number[] = [];
  const left = [...outcomes];
  let ids = 0;
  const client = createClient({
    access: { server: 'https://api.example.org', token: TOKEN, tokenFrom: 'ROUNDHOUSE_TOKEN' },
    timeoutMs: 1000,
    env: {},
    send: async (request) => {
      sent.push(request);
      const next = left.shift();
      if (next === undefined || next instanceof Error) throw next ?? new Error('no more outcomes');
      return next;
    },
    wait: async (ms) => waits.push(ms),
    random: () => 0,
    newId: () => `id-${++ids}`,
    ...more,
  });
  return { client, sent, waits };
}

const errorOf = (promise: Promise<unknown>): Promise<AppError> =>
  promise.then(
    () => expect.fail('it did not reject'),
    (error) => {
      expect(error).toBeInstanceOf(AppError);
      return error;
    },
  );

describe('trouble that passes', () => {
  test.each([
    ['a cut connection', failing('ECONNRESET')],
    ['a name server that is busy', failing('EAI_AGAIN')],
    ['429', answer(429, { Message: 'Rate Exceeded.' })],
    ['502', answer(502, {})],
    ['503', answer(503, {})],
    ['504', answer(504, {})],
    ['409 while the first attempt is at work', answer(409, {}, { 'retry-after': '1' })],
  ])('%s: the request is made again, as the same one', async (_name, trouble) => {
    const { client, sent } = scripted([trouble, trouble, answer(200, { revision: 2 })]);
    await expect(client.call('POST', '/x', { body: { a: 1 }, ifMatch: '"3"' })).resolves.toEqual({ revision: 2 });
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map((request) => JSON.stringify(request)))).toHaveProperty('size', 1);
    expect(sent[0]?.headers).toEqual({
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/json',
      'content-type': 'application/json',
      'idempotency-key': 'id-1',
      'if-match': '"3"',
    });
  });

  test('four attempts are made, with longer and longer pauses', async () => {
    const { client, sent, waits } = scripted(Array.from({ length: 9 }, () => answer(503, { Message: 'down' })));
    expect((await errorOf(client.call('GET', '/x'))).message).toBe(
      'https://api.example.org cannot answer now (HTTP 503 "down"): try again later',
    );
    expect(sent).toHaveLength(4);
    expect(waits).toEqual([125, 250, 500]);
  });

  test('half of a pause is chance', async () => {
    const { client, waits } = scripted([answer(503, {}), answer(204, {})], { random: () => 0.999 });
    await client.call('GET', '/x');
    expect(waits[0]).toBeCloseTo(249.9, 0);
  });

  test.each([
    ['is kept to', '3', [3000]],
    ['that is long ends the command', '60', []],
    ['that is no number is passed over', 'Fri, 31 Dec 1999 23:59:59 GMT', [125]],
  ])('a pause that the server asks for %s', async (_name, retryAfter, expected) => {
    const { client, waits } = scripted([answer(503, {}, { 'retry-after': retryAfter }), answer(200, {})]);
    await client.call('GET', '/x').catch(() => {});
    expect(waits).toEqual(expected);
  });
});

test.each([
  ['a refused connection', failing('ECONNREFUSED')],
  ['a time-out', failing('TIMEOUT')],
  ['a certificate that is not trusted', failing('SELF_SIGNED_CERT_IN_CHAIN')],
  ['400', answer(400, { detail: 'no' })],
  ['409', answer(409, { detail: 'no' })],
  ['412', answer(412, { detail: 'no' })],
  ['422', answer(422, { detail: 'no' })],
  ['500', answer(500, { detail: 'no' })],
])('%s is told at once', async (_name, trouble) => {
  const { client, sent, waits } = scripted([trouble, answer(200, {})]);
  const { message, stack } = await errorOf(client.call('PUT', '/x', { body: {} }));
  expect({ sent: sent.length, waits }).toEqual({ sent: 1, waits: [] });
  expect(message + stack).not.toContain(TOKEN);
});

test('each change has an Idempotency-Key of its own, and reads have none', async () => {
  const { client, sent } = scripted([answer(200, {}), answer(200, {}), answer(200, {})]);
  await client.call('PUT', '/x', { body: {} });
  await client.call('DELETE', '/x');
  await client.call('GET', '/x');
  expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['id-1', 'id-2', undefined]);
});

test('a list is all of its pages, in order', async () => {
  const { client, sent } = scripted([
    answer(200, { items: [1, 2], next: 'a b&c' }),
    answer(200, { items: [], next: 'd' }),
    answer(200, { items: [3] }),
  ]);
  await expect(client.list('/x')).resolves.toEqual([1, 2, 3]);
  expect(sent.map(({ url }) => url.searchParams.get('next'))).toEqual([null, 'a b&c', 'd']);
});

test("a conflict that passes is the caller's where it wants to say something of it, with the time", async () => {
  const { client, sent, waits } = scripted([answer(409, { detail: 'held' }, { 'retry-after': '1' }), answer(202, {})]);
  const call = { tellConflict: true, idempotencyKey: 'mine' };
  const error = await errorOf(client.call('POST', '/x', call));
  expect({ code: error.code, headers: error.details.headers, waits }).toEqual({
    code: 'CONFLICT',
    headers: { 'retry-after': '1' },
    waits: [],
  });
  await client.call('POST', '/x', call);
  expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);
});

test('links of bare arrays are followed by their query alone', async () => {
  const link = (to: string) => ({ link: `</old>; rel="prev", <${to}>; rel="next"` });
  const { client, sent } = scripted([
    answer(200, [1], link('https://other.example.org/x?limit=2&offset=1')),
    answer(200, [2], link('?offset=2')),
    answer(200, [3], { link: '</x?offset=0>; rel="first"' }),
  ]);
  await expect(client.listBare('/y', { limit: '2', q: 'a b' })).resolves.toEqual([1, 2, 3]);
  expect(sent.map(({ url }) => url.href)).toEqual([
    'https://api.example.org/y?limit=2&q=a+b',
    'https://api.example.org/y?limit=2&offset=1',
    'https://api.example.org/y?offset=2',
  ]);
});

test('integers of an answer keep all their digits', async () => {
  const body = '{"items":[9007199254740993]}';
  const { client } = scripted([{ ...answer(200, {}), text: body }]);
  await expect(client.list('/x')).resolves.toEqual([9007199254740993n]);
});

test('every fault of a request is listed', async () => {
  const errors = [
    { pointer: '/a', detail: 'this key is not known' },
    { pointer: '/b', detail: 'is missing' },
  ];
  const { client } = scripted([answer(400, { detail: 'the body is not valid: /a: this key is not known', errors })]);
  expect((await errorOf(client.call('GET', '/x'))).message).toBe(
    'the body is not valid: /a: this key is not known\n  /a: this key is not known\n  /b: is missing',
  );
});

test('what a server says is said without the token (the terminal gets it without control characters)', async () => {
  const detail = `\u001b[2Jyou sent ${TOKEN}\u0007, did you?`;
  const { client } = scripted([
    answer(400, {
      detail,
      errors: [
        { pointer: '/a', detail },
        { pointer: '/b', detail },
      ],
    }),
  ]);
  expect((await errorOf(client.call('GET', '/x'))).message.split('\n')[0]).toBe('\u001b[2Jyou sent …\u0007, did you?');
});

/** A server that is no Roundhouse. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const clientOf = (server: string, timeoutMs = 10_000) =>
  createClient({
    access: { server, token: TOKEN, tokenFrom: 'FILE' },
    timeoutMs,
    env: {},
    wait: async () => {},
  });

describe('what answers is no Roundhouse', () => {
  const html = { 'content-type': 'text/html' };
  test.each<[string, RequestListener, RegExp]>([
    [
      'a page',
      (_, response) => response.writeHead(200, html).end('<h1>Welcome'),
      /^no Roundhouse answers at .*HTTP 200/,
    ],
    ['a page that is missing', (_, response) => response.writeHead(404, html).end('<h1>'), /HTTP 404\).*ApiUrl/],
    ['a list that is none', (_, response) => json(response, 200, { data: [] }), /^no Roundhouse answers/],
    [
      'text that says it is JSON',
      (_, response) => response.writeHead(200, JSON_TYPE).end('{"items":'),
      /^no Roundhouse/,
    ],
    ['a refusal of AWS', (_, response) => json(response, 403, { Message: 'Forbidden' }), /HTTP 403 "Forbidden"/],
    ['a body that is too large for it', (_, response) => json(response, 413, {}), /takes no request as large/],
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: 'https://evil.example.org/' }).end(),
      /redirects \(HTTP 302\).*the token was not sent there$/,
    ],
    ['a connection that is cut', (_, response) => response.socket?.destroy(), /the connection was cut; is it https/],
    [
      'half an answer',
      (_, response) => {
        response.writeHead(200, { ...JSON_TYPE, 'content-length': '100' });
        response.write('{"items":[', () => response.socket?.destroy());
      },
      /the connection was cut/,
    ],
    [
      'gzip that is none',
      (_, response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end('plain'),
      /its answer is damaged$/,
    ],
  ])('but %s', async (_name, listener, message) => {
    const error = await errorOf(clientOf(await serve(listener)).list('/x'));
    expect(error.message).toMatch(message);
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain(TOKEN);
  });

  const JSON_TYPE = { 'content-type': 'application/json' };
  const json = (response: Parameters<RequestListener>[1], status: number, body: unknown) =>
    response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));

  test('but a page, where one thing is asked for', async () => {
    const server = await serve((_, response) => response.writeHead(200, html).end('<h1>Welcome'));
    expect((await errorOf(clientOf(server).call('GET', '/x'))).message).toMatch(/^no Roundhouse answers/);
  });

  test('but nothing at all', async () => {
    const server = await serve(() => {});
    for (const close of closers.splice(0)) await close();
    expect((await errorOf(clientOf(server).call('GET', '/x'))).message).toBe(
      `cannot reach ${server}: nothing listens there`,
    );
  });

  test('but silence', async () => {
    const server = await serve(() => {});
    expect((await errorOf(clientOf(server, 50).call('GET', '/x'))).message).toBe(
      `cannot reach ${server}: no answer within 0.05 s; --timeout gives it longer`,
    );
  });

  test('but half an answer, and then silence', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, JSON_TYPE);
      response.write('{"items":[');
    });
    expect((await errorOf(clientOf(server, 50).call('GET', '/x'))).message).toContain('no answer within');
  });

  test('but something that does not speak TLS', async () => {
    const server = (await serve(() => {})).replace('http:', 'https:');
    expect((await errorOf(clientOf(server).call('GET', '/x'))).message).toContain('does not speak TLS; is it http?');
  });
});

describe('a proxy of the environment', () => {
  async function proxied(server: string, more: Record<string, string> = {}) {
    const seen: string[] = [];
    const proxy = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.writeHead(502).end();
    });
    proxy.on('connect', (request, socket) => {
      seen.push(`CONNECT ${request.url}${JSON.stringify(request.headers).includes(TOKEN) ? ' with the token' : ''}`);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => proxy.close(resolve)));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const access = { server, token: TOKEN, tokenFrom: '' };
    const env = { HTTPS_PROXY: url, HTTP_PROXY: url, ...more };
    const error = await errorOf(
      createClient({ access, timeoutMs: 10_000, env, wait: async () => {} }).call('GET', '/x'),
    );
    expect(`${error.message}${error.stack}`).not.toContain(TOKEN);
    return seen;
  }

  test('carries https, and does not see the token', async () => {
    expect(await proxied('https://api.test')).toEqual(['CONNECT api.test:443']);
  });

  test('is left out for what NO_PROXY names', async () => {
    const server = (await serve(() => {})).replace('http:', 'https:');
    expect(await proxied(server, { NO_PROXY: '127.0.0.1' })).toEqual([]);
  });

  test('does not get plain HTTP to this machine', async () => {
    expect(await proxied(await serve((_, response) => response.writeHead(404).end()))).toEqual([]);
  });
});

test('a compressed answer is read', async () => {
  const items = ['x'.repeat(100_000)];
  const server = await serve((request, response) => {
    expect(request.headers['accept-encoding']).toBe('gzip');
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    response.writeHead(200, headers).end(gzipSync(JSON.stringify({ items })));
  });
  await expect(clientOf(server).list('/x')).resolves.toEqual(items);
});

test('an answer that would fill the memory is refused', async () => {
  const server = await serve((_, response) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    response.writeHead(200, headers).end(gzipSync(Buffer.alloc(65 * 1024 * 1024)));
  });
  expect((await errorOf(clientOf(server).list('/x'))).message).toMatch(/its answer is over 64 MB$/);
});

test('pages that never end are an error, also empty ones', async () => {
  let pages = 0;
  const send = async () => answer(200, { items: [], next: `page-${++pages}` });
  const { client } = scripted([], { send });
  expect((await errorOf(client.list('/x'))).message).toMatch(/gives the pages of a list without an end/);
  expect(pages).toBe(1000);
});

test('a fault of convctl is not told as trouble of the network', async () => {
  const fault = new TypeError('x is not a function');
  const { client } = scripted([fault]);
  await expect(client.call('GET', '/x')).rejects.toBe(fault);
});

describe('JSON of another server', () => {
  const access = { server: 'https://api.example.org', token: TOKEN, tokenFrom: 'FILE' };
  const listBare = async () => [];
  const roundhouse = (body: Json) =>
    createRoundhouse({ access, call: async () => body, list: async () => [body], listBare });
  test.each<[string, (roundhouse: Roundhouse) => Promise<unknown>]>([
    ['check', ({ check }) => check()],
    ['config', ({ config }) => config('a')],
    ['putConfig', ({ putConfig }) => putConfig('a', { config: '', schema: '' })],
    ['revisions', ({ revisions }) => revisions('a')],
    ['revision', ({ revision }) => revision('a', 1)],
    ['rollback', ({ rollback }) => rollback('a', 1)],
    ['patch', ({ patch }) => patch('a')],
    ['endpoints', ({ endpoints }) => endpoints()],
    ['endpoint', ({ endpoint }) => endpoint('a')],
    ['putEndpoint', ({ putEndpoint }) => putEndpoint('a', {})],
    ['rotate', ({ rotate }) => rotate('a', {})],
    ['registry', ({ registry }) => registry()],
  ])('is no answer of %s', async (_name, ask) => {
    for (const body of [{}, [], null, 'hello', { revision: '1', items: {}, endpoint: null }] as Json[]) {
      expect((await errorOf(ask(roundhouse(body)))).message).toMatch(/^no Roundhouse answers at .* \(HTTP 200\)/);
    }
  });
});
