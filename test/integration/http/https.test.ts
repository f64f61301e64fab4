import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DevelopmentOptions } from '../../../lib/dev/development.ts';
import { startFunctionUrlServer } from '../../../lib/dev/function-url-server.ts';
import { openPrivateFolder } from '../../../lib/dev/private-folder.ts';
import { loadDevelopmentTls } from '../../../lib/dev/tls.ts';
import { startDevelopmentForTest } from '../../support/development.ts';
import { send } from '../../support/http-client.ts';
import { KETTLES, kettleReview, TARGET, writeExample } from '../../support/kettles.ts';

const run = promisify(execFile);
const REVIEW = JSON.stringify(kettleReview([KETTLES.v1], 'v2'));
const OPEN = { hosts: ['host.docker.internal', '172.18.0.1'] };
/** An address of this machine that is neither of the loopback interface nor of one link only, where it has one. */
const OUTSIDE = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, address }) => !internal && !address.startsWith('fe80:'))?.address;
let folder: string;
let dataDir: string;
let examplesDir: string;
const closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-https-'));
  dataDir = join(folder, 'data');
  examplesDir = join(folder, 'examples');
  await writeExample(examplesDir);
});

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await rm(folder, { recursive: true, force: true });
});

async function start(options: Partial<DevelopmentOptions> = {}) {
  const own = { examplesDir, tls: { hosts: [] } };
  const { url, close, printed } = await startDevelopmentForTest({ ...own, ...options }, closers);
  const read = (pattern: RegExp) => pattern.exec(printed)?.[1] as string;
  const caFile = read(/^CA certificate: (\S+) \(/m);
  const ca = caFile && (await readFile(caFile, 'utf8'));
  const bearer = read(/^Bearer token: (\S+)$/m);
  const call = (method: string, path: string, body?: string) =>
    send(url + path, {
      method,
      headers: { authorization: `Bearer ${bearer}` },
      ...(body && { body }),
      ...(ca && { ca }),
    });
  return { url, close, printed, caFile, ca, bearer, call, pathToken: read(/\/convert\/default\/([\w-]{32})\//) };
}

const stop = async () => closers.pop()?.();

/** A handshake with the server, as the client that believes it has called `name`. */
async function shakeHands(url: string, name: string, ca: string, address = '127.0.0.1'): Promise<void> {
  const port = Number(new URL(url).port);
  // For an address there is no server name in the handshake; the certificate is checked against `host`.
  const socket = connectSecurely({ host: name, port, ca, socket: connect(port, address) });
  try {
    await once(socket, 'secureConnect');
  } finally {
    socket.destroy();
  }
}

describe('npm start -- --tls', () => {
  test('converts over HTTPS for who trusts its CA', async () => {
    const { url, call } = await start();
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect((await call('POST', `/convert/${TARGET}`, REVIEW)).json.response.convertedObjects).toEqual([KETTLES.v2]);
    expect((await call('GET', '/readyz')).status).toBe(200);
  });

  test('is refused by who trusts another CA, or the public ones', async () => {
    const [one, other] = [await start(), await start()];
    for (const trust of [{ ca: other.ca }, {}]) {
      await expect(send(`${one.url}/readyz`, { method: 'GET', ...trust })).rejects.toThrow(/certificate/);
    }
  });

  test('goes on after a call over plain HTTP, which gets no answer', async () => {
    const { url, call } = await start();
    await expect(send(url.replace('https:', 'http:'), { method: 'GET' })).rejects.toThrow();
    expect((await call('GET', '/readyz')).status).toBe(200);
  });

  test.each(['localhost', '127.0.0.1', '::1', ...OPEN.hosts])('has a certificate for %s', async (name) => {
    const { url, ca } = await start({ tls: OPEN });
    await shakeHands(url, name, ca);
    await expect(shakeHands(url, 'elsewhere.example', ca)).rejects.toThrow(/does not match certificate's altnames/);
  });

  test('keeps a connection between calls, over HTTP/1.1', async () => {
    const { url, ca } = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, ALPNProtocols: ['h2', 'http/1.1'] });
    const ports = new Set<number | undefined>();
    for (let index = 0; index < 3; index++) {
      const outgoing = request(`${url}/healthz`, { agent }).end();
      const [response] = await once(outgoing, 'response');
      ports.add(response.socket.localPort);
      expect(response.socket.alpnProtocol).toBe('http/1.1');
      expect(response.httpVersion).toBe('1.1');
      await once(response.resume(), 'end');
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });

  test('prints commands that work as they are pasted', async () => {
    const { printed, ca, pathToken, url } = await start();
    const commands = printed.split('\n').filter((line) => line.startsWith('curl '));
    const outputs = commands.map(async (line) => {
      const [command = '', apply] = line.split(' | kubectl apply --server-side --field-manager=roundhouse -f -');
      return { apply, json: JSON.parse((await run('sh', ['-c', command])).stdout) };
    });
    const [convert, list, patch, ...others] = await Promise.all(outputs);
    expect(others).toEqual([]);
    expect(convert?.json.response.convertedObjects).toEqual([KETTLES.v2]);
    expect(list?.json.items).toMatchObject([{ target: TARGET }]);
    expect(patch).toMatchObject({ apply: '', json: { kind: 'CustomResourceDefinition', metadata: { name: TARGET } } });
    expect(patch?.json.spec.conversion).toStrictEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: {
          url: `${url}/convert/default/${pathToken}/${TARGET}`,
          caBundle: Buffer.from(ca).toString('base64'),
        },
        conversionReviewVersions: expect.any(Array),
      },
    });
  });

  test('makes a patch whose URL and CA convert', async () => {
    const { call, pathToken } = await start();
    const { json } = await call('GET', `/api/v1/configs/${TARGET}/patch?token=${pathToken}`);
    const { url, caBundle } = json.spec.conversion.webhook.clientConfig;
    const reply = await send(`${url}?timeout=30s`, { body: REVIEW, ca: Buffer.from(caBundle, 'base64').toString() });
    expect(reply.json.response.convertedObjects).toEqual([KETTLES.v2]);
  });

  test('ends with its CA file', async () => {
    const { caFile, printed } = await start();
    expect(printed).toContain('of this run only: after a restart CRDs that were patched before need the patch again');
    await stop();
    await expect(stat(caFile)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('without --tls there is no patch, and no word of a CA', async () => {
  const { call, printed } = await start({ tls: undefined as never });
  const reply = await call('GET', `/api/v1/configs/${TARGET}/patch`);
  expect(reply).toMatchObject({ status: 422, json: { detail: expect.stringContaining('https://') } });
  expect(printed).not.toMatch(/CA certificate|cacert|kubectl/);
});

describe('with --data', () => {
  test('the CA and the certificate are the same after a restart, and the output says so', async () => {
    const first = await start({ dataDir });
    expect(first.caFile).toBe(join(dataDir, 'private', 'ca.crt'));
    expect(first.printed).toContain('(made now: CRDs that were patched before need the patch again)');
    expect(await stat(join(dataDir, 'private'))).toMatchObject({ mode: 0o40700 });
    await stop();
    const second = await start({ dataDir });
    expect(second.ca).toBe(first.ca);
    expect(second.printed).toContain('(kept from before)');
    const secret = `/convert/default/${first.pathToken}/${TARGET}`;
    expect((await second.call('POST', secret, REVIEW)).json.response.convertedObjects).toEqual([KETTLES.v2]);
  });

  test('a command makes another path token when that of the data was shown before', async () => {
    await start({ dataDir });
    await stop();
    const { printed } = await start({ dataDir });
    expect(printed).toContain('/patch?token=PATH-TOKEN');
    const rotate = printed.split('\n').find((line) => line.includes('/rotate')) ?? '';
    const { token } = JSON.parse((await run('sh', ['-c', rotate])).stdout);
    const patch = printed.split('\n').find((line) => line.includes('/patch?')) ?? '';
    const command = patch.replace('PATH-TOKEN', token).replace(/ \| kubectl.*/, '');
    const { spec } = JSON.parse((await run('sh', ['-c', command])).stdout);
    expect(spec.conversion.webhook.clientConfig.url).toContain(`/convert/default/${token}/`);
  });

  test('the command for another path token is about the endpoint that is the default one now', async () => {
    const { call } = await start({ dataDir });
    const server = { apiVersion: 'terasky.com/v1alpha1', kind: 'ConversionWebhookServer', metadata: { name: 'mine' } };
    expect((await call('DELETE', '/api/v1/endpoints/default')).status).toBe(204);
    const body = JSON.stringify({ ...server, spec: { default: true } });
    expect((await call('PUT', '/api/v1/endpoints/mine', body)).status).toBe(201);
    await stop();
    expect((await start({ dataDir })).printed).toContain('/api/v1/endpoints/mine/rotate');
  });

  test('a CA that is expired is made anew, and serves', async () => {
    const { close } = await start({ dataDir });
    closers.pop();
    await close();
    await rm(join(dataDir, 'private'), { recursive: true });
    const old = await loadDevelopmentTls({
      folder: await openPrivateFolder(join(dataDir, 'private')),
      hosts: [],
      now: Date.UTC(2010, 0, 1),
    });
    const { ca, printed, call } = await start({ dataDir });
    expect(Buffer.from(ca).toString('base64')).not.toBe(old.caBundle);
    expect(printed).toContain('(made now: ');
    expect((await call('GET', '/readyz')).status).toBe(200);
  });

  test.each(['ca.pem', 'server.pem', 'root-token'])(
    'a broken %s stops the start, which frees folder and port',
    async (file) => {
      await start({ dataDir, tls: OPEN });
      await stop();
      const path = join(dataDir, 'private', file);
      await writeFile(path, 'nothing of ours');
      await expect(start({ dataDir, tls: OPEN })).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
        message: expect.stringContaining(path),
      });
      await rm(path);
      expect((await (await start({ dataDir, tls: OPEN })).call('GET', '/readyz')).status).toBe(200);
    },
  );
});

describe('with a --host that other machines reach', () => {
  test('the token is a random one, and the known one is refused', async () => {
    const [one, other] = [await start({ tls: OPEN }), await start({ tls: OPEN })];
    expect(one.bearer).toMatch(/^[\w-]{43}$/);
    expect(other.bearer).not.toBe(one.bearer);
    expect((await one.call('GET', '/api/v1/configs')).status).toBe(200);
    const headers = { authorization: 'Bearer dev-root-token' };
    expect((await send(`${one.url}/api/v1/configs`, { method: 'GET', headers, ca: one.ca })).status).toBe(401);
    expect(one.printed).toContain('the bearer token is a random one, of this run only');
    expect(one.printed).not.toContain('dev-root-token');
  });

  test('with --data the token is the same after a restart, in a file that only this user reads', async () => {
    const first = await start({ dataDir, tls: OPEN });
    expect(first.printed).toContain('the bearer token is a random one, kept with the data');
    await stop();
    const second = await start({ dataDir, tls: OPEN });
    expect(second.bearer).toBe(first.bearer);
    const file = join(dataDir, 'private', 'root-token');
    expect(await readFile(file, 'utf8')).toBe(`${first.bearer}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await stop();
    expect((await start({ dataDir })).bearer).toBe('dev-root-token');
  });

  test('only URLs with a path token convert', async () => {
    const { call, pathToken, printed } = await start({ tls: OPEN });
    expect((await call('POST', `/convert/${TARGET}`, REVIEW)).status).toBe(404);
    expect((await call('POST', `/convert/default/guess/${TARGET}`, REVIEW)).status).toBe(404);
    const { json } = await call('POST', `/convert/default/${pathToken}/${TARGET}`, REVIEW);
    expect(json.response.convertedObjects).toEqual([KETTLES.v2]);
    const command = printed.split('\n').find((line) => line.startsWith('curl ')) ?? '';
    expect(JSON.parse((await run('sh', ['-c', command])).stdout).response.convertedObjects).toEqual([KETTLES.v2]);
  });

  test.each([
    [OPEN.hosts, 'https://host.docker.internal:'],
    [['localhost', '172.18.0.1'], 'https://172.18.0.1:'],
    [['fd00::1'], 'https://[fd00::1]:'],
  ])('%j: the patch points at %s', async (hosts, expected) => {
    const { url, call, printed } = await start({ tls: { hosts } });
    const { json } = await call('GET', `/api/v1/configs/${TARGET}/patch`);
    const origin = expected + new URL(url).port;
    expect(json.spec.conversion.webhook.clientConfig.url).toContain(`${origin}/convert/default/`);
    expect(printed).toContain(`for apiservers that reach it at ${origin}.`);
  });

  test.skipIf(OUTSIDE === undefined)('it answers on all interfaces, else on the loopback interface only', async () => {
    const outside = OUTSIDE as string;
    const open = await start({ tls: { hosts: [outside] } });
    await shakeHands(open.url, outside, open.ca, outside);
    for (const hosts of [[], ['localhost', '127.0.0.1']]) {
      const closed = await start({ tls: { hosts } });
      expect(closed.printed).not.toContain('Open to the network');
      expect(closed.bearer).toBe('dev-root-token');
      await shakeHands(closed.url, '127.0.0.1', closed.ca);
      await expect(shakeHands(closed.url, '127.0.0.1', closed.ca, outside)).rejects.toThrow(/ECONNREFUSED/);
    }
  });
});

describe('closing ends within its grace time, whatever a connection does', () => {
  const half = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{';
  const plain = async (port: number, text: string) => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
  const secure = async (port: number, ca: string, text: string) => {
    const socket = connectSecurely({ port, host: '127.0.0.1', ca });
    await once(socket, 'secureConnect');
    socket.write(text);
    return socket;
  };
  const cases: Record<string, (port: number, ca: string) => Promise<Socket>> = {
    'no handshake': (port) => plain(port, ''),
    // The head of a TLS record that never goes on.
    'half of a handshake': (port) => plain(port, '\x16\x03\x01'),
    'nothing after the handshake': (port, ca) => secure(port, ca, ''),
    'half of a request': (port, ca) => secure(port, ca, half),
  };

  test.each(Object.entries(cases))('%s', async (_name, open) => {
    const tls = await loadDevelopmentTls({ hosts: [], now: Date.now() });
    closers.push(tls.close);
    const ca = await readFile(tls.caFile, 'utf8');
    const route = () => async () => ({ statusCode: 200, headers: {}, body: '' });
    const server = await startFunctionUrlServer({ port: 0, tls, closeGraceMs: 20, route });
    const socket = await open(Number(new URL(server.url).port), ca);
    socket.on('error', () => {});
    const ended = once(socket, 'close');
    // An answer on another connection shows that the server has seen this one.
    expect((await send(server.url, { ca })).status).toBe(200);
    await server.close();
    await ended;
  });
});
