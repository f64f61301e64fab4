import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { send } from '../../support/http-client.ts';

const MAIN = join(import.meta.dirname, '../../../lib/dev/main.ts');
let folder: string;
const running = new Set<ChildProcess>();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-main-'));
});

afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Runs `npm start` with these arguments. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args]);
  running.add(child);
  const output = { stdout: '', stderr: '' };
  const welcome = Promise.withResolvers<string>();
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
    const url = /Roundhouse runs at (\S+) [\s\S]*Bearer token: /.exec(output.stdout)?.[1];
    if (url !== undefined) welcome.resolve(url);
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => {
      running.delete(child);
      welcome.reject(new Error(`ended before it ran: ${output.stderr}`));
      resolve({ code, ...output });
    });
  });
  welcome.promise.catch(() => {});
  return {
    url: welcome.promise,
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Resolves with the match once the output holds such a text. */
    said: async (text: RegExp) => {
      while (!text.test(output.stdout)) await once(child.stdout, 'data');
      return text.exec(output.stdout);
    },
  };
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends it cleanly, and its data folder can be used again',
  async (signal) => {
    const data = join(folder, 'data');
    for (let round = 0; round < 2; round++) {
      const { url, ended, kill } = start('--port', '0', '--data', data);
      expect((await send(`${await url}/readyz`, { method: 'GET' })).status).toBe(200);
      kill(signal);
      expect(await ended).toMatchObject({ code: 0, stderr: '' });
    }
  },
);

test('--tls serves HTTPS with a CA that is kept with the data, and ends cleanly', async () => {
  const data = join(folder, 'data');
  const caFile = join(data, 'private', 'ca.crt');
  for (const note of ['made now', 'kept from before']) {
    const { url, ended, kill } = start('--port', '0', '--data', data, '--tls', '--host', 'laptop');
    const reply = await send(`${await url}/readyz`, { method: 'GET', ca: await readFile(caFile, 'utf8') });
    expect(reply.status).toBe(200);
    kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`CA certificate: ${caFile} (${note}`);
    expect(stdout).toContain(`reach it at https://laptop:${new URL(await url).port}.`);
  }
});

test('a signal as soon as it says that it runs ends it cleanly, too', async () => {
  const { said, ended, kill } = start('--port', '0', '--data', join(folder, 'data'), '--tls');
  await said(/^Roundhouse runs at /m);
  kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('--tls without --data takes its CA file along when it ends', async () => {
  const { said, ended, kill } = start('--port', '0', '--tls');
  const caFile = (await said(/^CA certificate: (\S+) /m))?.[1] ?? '';
  expect((await stat(caFile)).isFile()).toBe(true);
  kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  await expect(stat(caFile)).rejects.toMatchObject({ code: 'ENOENT' });
});

/** A connection on which half of a request was sent, once the process has read it. */
async function sendHalf(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.on('connect', () =>
      socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{', () => resolve()),
    );
  });
  await send(`${url}/healthz`, { method: 'GET' });
}

test('a request that was sent by half holds it up for 2 s, and it says so', async () => {
  const { url, ended, kill } = start('--port', '0');
  await sendHalf(await url);
  kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\nStops once running requests end, in 2 s at most; Ctrl-C again stops it at once\.\n$/);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a second signal, %s, ends it at once', async (signal, expected) => {
  const { url, ended, kill, said } = start('--port', '0');
  await sendHalf(await url);
  kill('SIGINT');
  await said(/Ctrl-C again/);
  // What comes within a fifth of a second is the same key press, passed on by npm.
  const again = setInterval(() => kill(signal), 50);
  const outcome = await ended;
  clearInterval(again);
  expect(outcome).toMatchObject({ code: expected, stderr: '' });
});

test('a second instance on one data folder ends with 1 and says why', async () => {
  const data = join(folder, 'data');
  const first = start('--port', '0', '--data', data);
  await first.url;
  const second = await start('--port', '0', '--data', data).ended;
  expect(second.code).toBe(1);
  expect(second.stderr).toBe(
    `The data folder ${data} is in use by another instance. Stop the other instance, or use another folder.\n`,
  );
  first.kill('SIGTERM');
  expect((await first.ended).code).toBe(0);
});

test('a data folder that cannot be used ends with 1 and says why', async () => {
  const { code, stderr } = await start('--port', '0', '--data', join(MAIN, 'below-a-file')).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The data folder .* cannot be used: .*\n$/);
});

test('a taken port ends with 1 and says what to do', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => blocker.once('listening', resolve));
  const { port } = blocker.address() as { port: number };
  const { code, stderr } = await start('--port', String(port)).ended;
  blocker.close();
  expect(code).toBe(1);
  expect(stderr).toBe(
    `Cannot listen on port ${port}: it is in use. Choose another with --port; --port 0 picks a free one.\n`,
  );
});

test.each([
  [['--prot', '1'], /Unknown option '--prot'/],
  [['extra'], /Unexpected argument 'extra'/],
  [['--port', 'many'], /--port takes a number from 0 to 65535, not "many"/],
  [['--port', '65536'], /--port takes a number/],
  [['--port', ''], /--port takes a number/],
  [['--port'], /--port/],
  [['--data', ''], /--data takes a folder/],
  [['--tls=yes'], /--tls/],
  [['--host', 'laptop'], /^--host names this machine in the certificate of --tls: give --tls too\n/],
  [['--tls', '--host'], /--host/],
  [['--tls', '--host', ''], /^--host takes a DNS name or an IP address/],
  [['--tls', '--host', 'laptop', '--host', 'https://laptop'], /; not "https:\/\/laptop"\n/],
])('the arguments %j are refused with the usage', async (args, message) => {
  const { code, stdout, stderr } = await start(...args).ended;
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(message);
  expect(stderr).toContain('Usage: npm start -- [--port PORT] [--data DIR]');
});

test('--help prints the usage', async () => {
  const { code, stdout } = await start('--help').ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Runs Roundhouse on this machine/);
});
