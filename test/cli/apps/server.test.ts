import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliSandbox, openCliSandbox } from '../support/convctl.ts';
import { startRoundhouse, type TestRoundhouse, TOKENS } from '../support/roundhouse.ts';

let server: TestRoundhouse;
let sandbox: CliSandbox;
const closing: (() => unknown)[] = [];
beforeEach(async () => {
  server = await startRoundhouse();
  sandbox = openCliSandbox({ 'app/index.mjs': 'export const handler = 1;\n' }, 'roundhouse');
  closing.push(server.close, sandbox.remove);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Waiting is the worker's time. */
const run = async (...argv: string[]) => {
  const env = { ROUNDHOUSE_URL: server.url, ROUNDHOUSE_TOKEN: TOKENS.root };
  const { now } = server.appBench.clock;
  const done = await sandbox.run(argv, { env, now, wait: (ms) => server.worker.next(ms) });
  expect(done.out + done.err).not.toContain('canary');
  return done;
};
/** Answers all requests whose path ends so. */
const answer = (end: string, body: unknown, status = 200, headers: Record<string, string> = {}) =>
  server.intercept(({ path }) =>
    path.endsWith(end)
      ? {
          statusCode: status,
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
          cookies: [],
        }
      : undefined,
  );

/** A storage that is another server; packages are sent there. */
async function startStorage(listen: RequestListener): Promise<string> {
  const storage = createServer(listen);
  await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    storage.closeAllConnections();
    storage.close();
  });
  const url = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`;
  pointUploadsTo(`${url}/bucket/x.zip?X-Amz-Signature=canary`);
  return url;
}

function pointUploadsTo(url: string, headers: Record<string, string> = {}): void {
  Object.assign(server.appBench.deps.artifacts, {
    createUpload: async () => ({ method: 'PUT', url, headers, expiresAt: 0 }),
  });
}

describe('a package', () => {
  test('arrives as it was packed, once, and the token does not go along', async () => {
    const { code } = await run('apps', 'deploy', 'shop', 'app', '--create');
    expect(code).toBe(0);
    expect(server.uploads).toHaveLength(1);
    expect(Object.keys(unzipSync(server.uploads[0] as Buffer))).toEqual(['index.mjs']);
    const put = server.seen.find(({ path }) => path.startsWith('/packages/'));
    expect(put?.headers['content-type']).toBe('application/zip');
    expect(JSON.stringify(put?.headers)).not.toContain('canary');
  });

  test('is sent with the headers that its storage asks for, and with no others', async () => {
    let seen: object = {};
    await startStorage((request, response) => {
      seen = request.headers;
      request.resume().on('end', () => response.end());
    });
    const url = 'x-amz-meta-app';
    const headers = { [url]: 'shop', authorization: 'Basic canary', host: 'other.example.org', cookie: 'canary' };
    const { createUpload } = server.appBench.deps.artifacts;
    const upload = await createUpload('', '');
    Object.assign(server.appBench.deps.artifacts, { createUpload: async () => ({ ...upload, headers }) });
    await run('apps', 'deploy', 'shop', 'app', '--create', '--detach');
    expect(seen).toMatchObject({ [url]: 'shop', host: expect.stringMatching(/^127/) });
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['authorization']));
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['cookie']));
  });

  test('is sent again when its storage is out of order for a moment', async () => {
    let puts = 0;
    await startStorage((request, response) => {
      response.statusCode = ++puts < 3 ? 503 : 200;
      request.resume().on('end', () => response.end());
    });
    await run('apps', 'deploy', 'shop', 'app', '--create', '--detach');
    expect(puts).toBe(3);
  });

  test.each([
    [
      403,
      '<Error><Code>AccessDenied</Code><Message>canary</Message></Error>',
      / \(HTTP 403 AccessDenied\)\. The permission/,
    ],
    [307, '', / \(HTTP 307\)\. Deploy again/],
    [500, '<Code>\u001b[2J</Code>', / \(HTTP 500\)\. Deploy again/],
  ])('that is refused with %i ends the command, and nothing is deployed', async (status, body, reason) => {
    const url = await startStorage((request, response) => {
      response.writeHead(status, status === 307 ? { location: 'https://other.example.org/canary' } : {});
      request.resume().on('end', () => response.end(body));
    });
    const { code, err } = await run('apps', 'deploy', 'shop', 'app', '--create');
    expect(code).toBe(2);
    expect(err).toContain(`error: ${url} does not take the package`);
    expect(err).toMatch(reason);
    expect((await server.appBench.apps.get('shop')).attempt).toBeUndefined();
  });

  test('of megabytes arrives whole, also at a storage that reads slowly', async () => {
    // Does not shrink.
    const noise = Buffer.alloc(3_000_000, 1).map((_, index) => (index * 2654435761) >>> (index % 24));
    writeFileSync(join(sandbox.folder, 'app/noise.bin'), noise);
    let length = 0;
    await startStorage(async (request, response) => {
      for await (const chunk of request) {
        length += chunk.length;
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(length).toBe(Number(request.headers['content-length']));
      response.end();
    });
    const { err } = await run('apps', 'deploy', 'shop', 'app', '--create', '--detach');
    expect(err).toContain('packed app: 2 files, 2.9 MB');
    expect(length).toBeGreaterThan(1_000_000);
  });

  test.each(['http://storage.example.org/x', 'ftp://127.0.0.1/x', 'http://', 'javascript:alert(1)'])(
    'is not sent to %s',
    async (url) => {
      pointUploadsTo(url);
      const { code, err } = await run('apps', 'deploy', 'shop', 'app', '--create');
      expect(code).toBe(2);
      expect(err).toContain('names an address for the package that is not https: nothing was sent');
    },
  );

  test('that cannot be packed leaves no app behind', async () => {
    mkdirSync(join(sandbox.folder, 'empty'));
    expect(await run('apps', 'deploy', 'shop', 'empty', '--create')).toMatchObject({ code: 2 });
    await expect(server.appBench.apps.get('shop')).rejects.toThrow('There is no app');
  });

  test('whose app.json is wrong says so, and leaves nothing behind', async () => {
    writeFileSync(join(sandbox.folder, 'app/app.json'), '{');
    expect((await run('apps', 'deploy', 'shop', 'app', '--create')).err).toContain('app/app.json is not JSON');
    await expect(server.appBench.apps.get('shop')).rejects.toThrow('There is no app');
  });
});

describe('a list of several pages', () => {
  test('is read whole; the token goes to our own address, wherever the links lead', async () => {
    const names = ['a1', 'a2', 'a3'];
    for (const name of names) await server.appBench.create(name);
    const app = JSON.parse((await run('apps', 'list', '-o', 'json')).out).items[0];
    server.intercept(({ query }) => {
      const at = Number(new URLSearchParams(query).get('offset') ?? 0);
      const link = `<https://other.example.org/elsewhere?limit=1&offset=${at + 1}>; rel="next"`;
      const headers = { 'content-type': 'application/json', ...(at < 2 && { link }) };
      return { statusCode: 200, headers, body: JSON.stringify([{ ...app, name: names[at] }]), cookies: [] };
    });
    expect((await run('apps', 'list', '-o', 'name')).out).toBe('a1\na2\na3\n');
    expect(new Set(server.seen.map(({ path }) => path))).toEqual(new Set(['/api/v1/apps']));
  });

  test('is an error when it never ends', async () => {
    answer('/apps', [], 200, { link: '</api/v1/apps?offset=0>; rel="next"' });
    expect((await run('apps', 'list')).err).toMatch(/^error: .* gives the pages of a list without an end/);
  });
});

describe('another server', () => {
  const COMMANDS = [
    ['apps', 'list'],
    ['apps', 'get', 'shop'],
    ['apps', 'create', 'shop'],
    ['apps', 'deploy', 'shop', 'app'],
    ['apps', 'deploy', 'shop', '--image', 'x'],
    ['apps', 'stop', 'shop'],
    ['apps', 'restart', 'shop'],
    ['apps', 'rollback', 'shop'],
    ['apps', 'delete', 'shop', '--yes'],
    ['apps', 'logs', 'shop'],
    ['apps', 'env', 'list', 'shop'],
    ['apps', 'env', 'set', 'shop', 'AA=1'],
    ['apps', 'secrets', 'list', 'shop'],
    ['deploys', 'list', 'shop'],
    ['deploys', 'get', 'shop', 'latest'],
    ['deploys', 'failed'],
    ['deploys', 'watch', 'shop'],
    ['deploys', 'cancel', 'shop', 'dep_1'],
    ['status'],
    ['certificates'],
    ['tokens', 'list'],
    ['tokens', 'create', 'x', '--ability', 'read'],
  ].map((argv) => [argv.join(' '), argv] as const);

  test.each(COMMANDS)('whose JSON is of another shape: %s says so, and is no fault of ours', async (_name, argv) => {
    for (const body of [{ name: 7, id: null }, [1], null, 'hello', 17]) {
      if (argv[0] === 'status' && !Array.isArray(body) && typeof body === 'object' && body !== null) continue;
      answer('', body);
      const { code, out, err } = await run(...argv);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^error: http:\S+ answers what cannot be used|^error: no Roundhouse answers at/);
    }
  });

  test.each(COMMANDS)('that redirects: %s does not follow it', async (_name, argv) => {
    answer('', {}, 302, { location: 'https://other.example.org/' });
    const { code, err } = await run(...argv);
    expect(code).toBe(2);
    expect(err).toMatch(/redirects \(HTTP 302\): give the address that it leads to; the token was not sent there/);
  });

  test('that repeats the token, and speaks to the terminal, is quoted without either', async () => {
    const detail = `\u001b[2Jyour token is ${TOKENS.root}\u009b`;
    answer('', { detail, failure: { suggested_fix: detail } }, 400);
    const { err } = await run('apps', 'list');
    expect(err).toBe('error: your token is …\ufffd\n  your token is …\ufffd\n');
  });

  test('has its texts in tables as one line each', async () => {
    const app = { name: 'a\u001b[2J\nb', image: '', suspended: false, state: { name: '\r::x', reason: '' } };
    answer('/apps', [app]);
    expect((await run('apps', 'list')).out).not.toMatch(/[^\P{Cc}\n]|^::/mu);
    expect((await run('apps', 'list')).out.split('\n')).toHaveLength(3);
  });
});

describe('status', () => {
  const body = { database_connected: true, runtime_connected: true, account: { functions: 3, code_bytes: 7 } };

  test('is a line for each fact', async () => {
    answer('/system/status', body);
    expect(await run('status')).toEqual({
      code: 0,
      err: '',
      out: 'database_connected  true\nruntime_connected   true\naccount.functions   3\naccount.code_bytes  7\n',
    });
  });

  test('ends with 1 when something is not connected', async () => {
    answer('/system/status', { ...body, runtime_connected: false });
    expect(await run('status', '-o', 'json')).toMatchObject({ code: 1, out: expect.stringContaining('false') });
  });
});

describe('doctor', () => {
  const check = (status: string) => ({
    code: status,
    name: status,
    status,
    message: `is ${status}`,
    fix: `mend ${status}`,
  });

  test.each<[string, readonly string[], readonly string[], number]>([
    ['0 when all is well', ['ok'], [], 0],
    ['0 when there are warnings', ['ok', 'warn', 'unknown'], [], 0],
    ['1 for warnings with --strict', ['ok', 'warn'], ['--strict'], 1],
    ['1 for what could not be checked with --strict', ['ok', 'unknown'], ['--strict'], 1],
    ['0 with --strict when all is well', ['ok'], ['--strict'], 0],
    ['2 when something fails', ['ok', 'fail', 'warn'], [], 2],
    ['2 with --strict when something fails', ['fail'], ['--strict'], 2],
  ])('ends with %s', async (_what, statuses, flags, code) => {
    answer('/system/doctor', { ok: !statuses.includes('fail'), checks: statuses.map(check) });
    const done = await run('doctor', ...flags);
    expect(done.code).toBe(code);
    expect(done.out.split('\n')[0]).toMatch(/^CHECK +STATUS +CAUSE +FIX$/);
    expect(done.out).toMatch(new RegExp(`^${statuses[0]} +${statuses[0]} +is ${statuses[0]} +mend`, 'm'));
  });

  test.each([
    ['nobody answers', async () => server.close()],
    ['it is refused', async () => answer('', { detail: 'no' }, 403)],
    ['the answer is of another shape', async () => answer('', { checks: 1 })],
  ])('ends with 3 when %s', async (_what, prepare) => {
    await prepare();
    expect(await run('doctor')).toMatchObject({ code: 3, out: '' });
    if (_what === 'nobody answers') closing.shift();
  });

  test('ends with 3 for wrong usage', async () => {
    expect(await run('doctor', '--nonsense')).toMatchObject({ code: 3, out: '' });
  });
});

test.each([
  ['healthy', 0],
  ['expiring_soon', 1],
  ['unreachable', 1],
])('certificates: one that is %s ends with %i', async (status, code) => {
  answer('/certificates', [{ domain: 'shop.example.org', status, not_after: '2027-01-01T00:00:00Z' }]);
  expect(await run('certificates')).toMatchObject({ code, out: expect.stringContaining('2027-01-01T00:00:00Z') });
});

describe('apps delete', () => {
  const removing = (leftovers: readonly object[]) => (app: object) => ({
    ...app,
    state: { name: 'deleting', reason: 'it is being removed' },
    deletion: { requested_at: '2026-01-01T00:00:00Z', leftovers },
  });
  const app = { name: 'shop', image: '', suspended: false, state: { name: 'healthy', reason: '' } };
  const play = (gets: readonly (object | undefined)[]) => {
    let got = 0;
    const json = (statusCode: number, body: object) => ({
      statusCode,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      cookies: [],
    });
    server.intercept(({ method }) => {
      if (method === 'DELETE') return json(202, removing([])(app));
      const found = gets[Math.min(got++, gets.length - 1)];
      return found ? json(200, found) : json(404, { detail: 'gone' });
    });
  };

  test('waits until it is gone', async () => {
    play([app, removing([])(app), undefined]);
    expect(await run('apps', 'delete', 'shop', '--yes', '--wait')).toEqual({
      code: 0,
      out: 'shop: removed\n',
      err: '',
    });
  });

  test('tells what is left over, and ends with 1', async () => {
    play([app, removing([{ resource: 'arn:aws:iam::1:role/x', reason: 'denied' }])(app)]);
    expect(await run('apps', 'delete', 'shop', '--yes', '--wait')).toEqual({
      code: 1,
      out: 'shop: it is being removed\n',
      err: 'left over: arn:aws:iam::1:role/x: denied\n',
    });
  });

  test('is over when another app has the name by now', async () => {
    play([app, app]);
    expect(await run('apps', 'delete', 'shop', '--yes', '--wait')).toMatchObject({ code: 0 });
  });

  test.each([
    ['shop', 0],
    [' shop ', 0],
    ['shob', 2],
    ['', 2],
  ])('asks for the name: %j ends with %i', async (typed, code) => {
    play([app]);
    const env = { ROUNDHOUSE_URL: server.url, ROUNDHOUSE_TOKEN: TOKENS.root };
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return typed;
    };
    expect(await sandbox.run(['apps', 'delete', 'shop'], { env, ask })).toMatchObject({ code });
    expect(questions).toEqual(['removing the app shop cannot be undone. Type its name to do it:']);
    expect(server.seen.some(({ method }) => method === 'DELETE')).toBe(code === 0);
  });
});

test('a secret that is typed is asked for unseen, and arrives as it was typed', async () => {
  await server.appBench.create('shop');
  const env = { ROUNDHOUSE_URL: server.url, ROUNDHOUSE_TOKEN: TOKENS.root };
  const asked: unknown[] = [];
  const ask = async (...question: unknown[]) => {
    asked.push(question);
    return ' canary typed ';
  };
  const { out, err, code } = await sandbox.run(['apps', 'secrets', 'set', 'shop', 'API_KEY'], { env, ask });
  expect({ code, asked }).toEqual({ code: 0, asked: [['API_KEY:', { hidden: true }]] });
  expect(out + err).not.toContain('canary');
  expect(server.appBench.parameters.get('shop/API_KEY')).toBe(' canary typed ');
});

test('a secret of a pipe keeps its lines, but for the last line break', async () => {
  await server.appBench.create('shop');
  const env = { ROUNDHOUSE_URL: server.url, ROUNDHOUSE_TOKEN: TOKENS.root };
  await sandbox.run(['apps', 'secrets', 'set', 'shop', 'API_KEY'], { env, stdin: 'one\ntwo\n\n' });
  expect(server.appBench.parameters.get('shop/API_KEY')).toBe('one\ntwo\n');
});

test('a new token in a file is for its owner only, and printed nowhere', async () => {
  const { out, err } = await run('tokens', 'create', 'ci', '--ability', 'read', '--token-out', 'token');
  const token = readFileSync(join(sandbox.folder, 'token'), 'utf8').trim();
  expect(token).toMatch(/^rht_/);
  expect(out + err).not.toContain(token);
});
