import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type FunctionUrlServer, startFunctionUrlServer } from '../../../lib/dev/function-url-server.ts';
import { send } from '../../support/http-client.ts';

const OK = { statusCode: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' };
let server: FunctionUrlServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Starts a server whose function answers `result` (or what it makes of the event) and remembers its events. */
async function start(result: unknown = OK, closeGraceMs?: number) {
  const events: any[] = [];
  const faults: unknown[] = [];
  server = await startFunctionUrlServer({
    port: 0,
    ...(closeGraceMs !== undefined && { closeGraceMs }),
    onFault: (fault) => faults.push(fault),
    route: () => async (event, invocation) => {
      events.push(event);
      return typeof result === 'function' ? result(event, invocation) : result;
    },
  });
  return { url: server.url, events, faults };
}

describe('an event', () => {
  test('is of payload version 2.0', async () => {
    const { url, events } = await start();
    await fetch(`${url}/a%2Fb/c?timeout=30s&x=1`, { headers: { 'X-One': 'two', cookie: 'a=1; b=2' } });
    expect(events[0]).toMatchObject({
      version: '2.0',
      rawPath: '/a%2Fb/c',
      rawQueryString: 'timeout=30s&x=1',
      headers: { 'x-one': 'two' },
      cookies: ['a=1', 'b=2'],
      requestContext: { http: { method: 'GET', path: '/a%2Fb/c', sourceIp: '127.0.0.1' } },
      isBase64Encoded: false,
    });
    expect(events[0].headers).not.toHaveProperty('cookie');
    expect(events[0]).not.toHaveProperty('body');
  });

  test.each([
    ['application/json', false],
    ['application/json; charset=utf-8', false],
    ['APPLICATION/JSON', false],
    ['text/yaml', false],
    ['application/problem+json', false],
    ['application/x-www-form-urlencoded', true],
    ['application/octet-stream', true],
    ['application/vnd.kubernetes.protobuf', true],
  ])('with a body of %s has it as base64: %s', async (type, base64) => {
    const { url, events } = await start();
    await fetch(url, { method: 'POST', headers: { 'content-type': type }, body: '{"a":"ü"}' });
    expect(events[0].isBase64Encoded).toBe(base64);
    expect(Buffer.from(events[0].body, base64 ? 'base64' : 'utf8').toString()).toBe('{"a":"ü"}');
  });

  test('comes with the time that is left', async () => {
    const { url } = await start((_event: unknown, { getRemainingTimeInMillis }: any) => ({
      ...OK,
      body: String(getRemainingTimeInMillis()),
    }));
    const left = Number(await (await fetch(url)).text());
    expect(left).toBeGreaterThan(20_000);
    expect(left).toBeLessThanOrEqual(30_000);
  });
});

describe('a result', () => {
  test('in base64 is sent as bytes', async () => {
    const body = Buffer.from([0, 255, 1]);
    const { url } = await start({ statusCode: 200, headers: {}, body: body.toString('base64'), isBase64Encoded: true });
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(body);
  });

  test.each([
    ['nothing', null],
    ['text', 'ok'],
    ['a status that is text', { ...OK, statusCode: '200' }],
    ['a body that is an object', { ...OK, body: {} }],
    ['no body', { statusCode: 200, headers: {} }],
    ['no headers', { statusCode: 200, body: '' }],
    ['a header that is a number', { ...OK, headers: { 'x-n': 1 } }],
    ['base64 that is text', { ...OK, isBase64Encoded: 'true' }],
    ['more than 6,291,556 bytes', { ...OK, body: '"'.repeat(3_200_000) }],
  ])('of %s is a 502', async (_name, result) => {
    const { url, faults } = await start(result);
    expect((await fetch(url)).status).toBe(502);
    expect(faults).toHaveLength(1);
  });

  test('that is a throw is a 502 without its text, and the server goes on', async () => {
    let calls = 0;
    const { url, faults } = await start(() => {
      if (++calls === 1) throw new Error('canary');
      return OK;
    });
    const answer = await fetch(url);
    expect(answer.status).toBe(502);
    expect(await answer.text()).not.toContain('canary');
    expect((await fetch(url)).status).toBe(200);
    expect(faults).toMatchObject([{ message: 'canary' }]);
  });

  test('just under the limit goes out whole', async () => {
    const { url } = await start({ ...OK, body: 'x'.repeat(6_291_000) });
    expect((await (await fetch(url)).text()).length).toBe(6_291_000);
  });
});

describe('a request', () => {
  test.each([
    [6_291_456, 200],
    [6_291_457, 413],
  ])('of %i bytes is answered %i', async (size, status) => {
    const { url, events } = await start();
    const answer = await fetch(url, { method: 'POST', body: Buffer.alloc(size, 'x') });
    expect(answer.status).toBe(status);
    await answer.text();
    expect(events).toHaveLength(status === 200 ? 1 : 0);
  });

  test('after another one uses the same connection', async () => {
    const { url } = await start();
    const ports = new Set<number | undefined>();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let index = 0; index < 3; index++) {
      await new Promise<void>((resolve, reject) => {
        httpRequest(url, { agent }, (response) => {
          ports.add(response.socket.localPort);
          response.resume().on('end', resolve);
        })
          .on('error', reject)
          .end();
      });
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });

  test('that is broken off is no fault', async () => {
    const { url, events, faults } = await start();
    const { hostname, port } = new URL(url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc', () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    expect((await fetch(url)).status).toBe(200);
    expect(events).toHaveLength(1);
    expect(faults).toEqual([]);
  });
});

test('a taken port is refused', async () => {
  const { url } = await start();
  const port = Number(new URL(url).port);
  await expect(startFunctionUrlServer({ port, route: () => async () => OK })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test('closing waits for the request that runs, and then nobody answers', async () => {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const { url } = await start(async () => {
    entered.resolve();
    await gate.promise;
    return OK;
  });
  const running = fetch(url);
  await entered.promise;
  const closed = server?.close();
  gate.resolve();
  expect((await running).status).toBe(200);
  await closed;
  await expect(fetch(url)).rejects.toThrow();
});

describe('closing ends within its grace time, whatever the connections do', () => {
  test.each([
    ['half of a head', 'POST / HTTP/1.1\r\nhost: x\r\n'],
    ['half of a body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc'],
    ['half of a chunk', 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n64\r\nabc'],
    ['a request whose handler never ends', 'GET /hang HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['nothing', ''],
  ])('%s', async (_name, sent) => {
    const { url, faults } = await start(() => new Promise(() => {}), 20);
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const ended = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {});
    await new Promise<void>((resolve) => socket.on('connect', () => socket.write(sent, () => resolve())));
    // Anything that is answered on another connection shows that the server has read what came before.
    await send(`${url}/`, { body: Buffer.alloc(6_291_457) });
    await server?.close();
    await ended;
    expect(faults).toEqual([]);
  });
});
