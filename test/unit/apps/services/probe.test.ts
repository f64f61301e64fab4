import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createProbe } from '../../../../lib/apps/services/probe.ts';
import { startTcpServer } from '../../../support/tcp-server.ts';

const probe = createProbe({ fetch });
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A port on which something listened a moment ago. */
async function freedPort(): Promise<number> {
  const server = await startTcpServer(() => {});
  await server.close();
  return server.port;
}

async function tcp(bytes: string): Promise<string> {
  const server = await startTcpServer((socket) => socket.end(bytes));
  closers.push(server.close);
  return `http://127.0.0.1:${server.port}/`;
}

test.each([200, 204, 302, 403, 404, 502])('an answer with status %d is told with its body', async (status) => {
  const body = status === 204 ? '' : 'hello';
  const url = await serve((_, response) => response.writeHead(status, { location: '/elsewhere' }).end(body));
  expect(await probe(`http${url}`, 5_000)).toEqual({ status, body });
});

test('a long body is cut at 4 KB and not read on', async () => {
  let written = 0;
  const url = await serve((_, response) => {
    const more = () => {
      for (let goOn = true; goOn && written < 1e9; written += 1_000) goOn = response.write('ü'.repeat(500));
    };
    response.on('drain', more);
    more();
  });
  const { body } = await probe(`http${url}`, 5_000);
  expect(body).toBe('ü'.repeat(2_048));
  expect(written).toBeLessThan(1e8);
});

test('half a character at the cut is left out', async () => {
  const url = await serve((_, response) => response.end(`x${'ü'.repeat(4_000)}`));
  expect((await probe(`http${url}`, 5_000)).body).toBe(`x${'ü'.repeat(2_047)}`);
});

test.each([
  ['no answer', () => serve(() => {}), /none came in 60 ms/],
  ['an answer that stops in the middle', () => serve((_, response) => response.write('half')), /none came in 60 ms/],
])('%s ends with its time', async (_what, open, reason) => {
  const rejected = expect(probe(`http${await open()}`, 60)).rejects;
  await rejected.toMatchObject({ name: 'RuntimeError', code: 'unavailable', message: expect.stringMatching(reason) });
});

test.each([
  ['refused', async () => `http://127.0.0.1:${await freedPort()}/`, /the connection was refused \(ECONNREFUSED\)/],
  ['ended', () => tcp(''), /the connection ended before an answer \(UND_ERR_SOCKET\)/],
  ['answered by something else', () => tcp('SSH-2.0-x\r\n\r\n'), /not HTTP/],
  ['without TLS', async () => `https${await serve((_, response) => response.end())}`, /TLS failed|not HTTP/],
  ['to an unknown host', async () => 'http://roundhouse.invalid/', /host name is not known/],
])('a connection that is %s is told in short', async (_what, open, reason) => {
  const url = await open();
  const rejected = expect(probe(url, 5_000)).rejects;
  await rejected.toMatchObject({ name: 'RuntimeError', message: expect.stringMatching(reason) });
  await expect(probe(url, 5_000)).rejects.toThrow(`GET ${url} had no answer: `);
});

test('a certificate that is not trusted is told', async () => {
  const failing = Object.assign(new TypeError('fetch failed'), { cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
  const own = createProbe({ fetch: () => Promise.reject(failing) });
  await expect(own('https://app.example/', 1_000)).rejects.toThrow('TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT)');
});
