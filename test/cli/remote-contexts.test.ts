import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolveAccess } from '../../lib/cli/remote/access.ts';
import { contextFile } from '../../lib/cli/remote/contexts.ts';
import { type CliSandbox, openCliSandbox } from './support/convctl.ts';
import { startRoundhouse, type TestRoundhouse, TOKENS } from './support/roundhouse.ts';

let server: TestRoundhouse;
let sandbox: CliSandbox;
let file: string;
beforeEach(async () => {
  server = await startRoundhouse();
  sandbox = openCliSandbox(TOKENS);
  file = join(sandbox.folder, '.config/roundhouse/contexts.json');
});
afterEach(async () => {
  sandbox.remove();
  await server.close();
});

const run = async (line: string, more: { env?: Record<string, string>; stdin?: string } = {}) => {
  const result = await sandbox.run(line.split(' '), { ...more, env: { HOME: sandbox.folder, ...more.env } });
  expect(result.out + result.err).not.toContain('canary');
  return result;
};
const logIn = (more = '') => run(`login --server ${server.url} --token-file root${more}`);
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the file of contexts', () => {
  test('is only for this user, and so is its folder', async () => {
    expect(await logIn()).toMatchObject({ code: 0, err: '' });
    expect([modeOf(file), modeOf(dirname(file))]).toEqual(['600', '700']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      current: new URL(server.url).host,
      contexts: { [new URL(server.url).host]: { server: server.url, token: TOKENS.root } },
    });
  });

  test('is replaced whole, and leaves no draft', async () => {
    await logIn(' --context one');
    const before = statSync(file).ino;
    await logIn(' --context two');
    expect(statSync(file).ino).not.toBe(before);
    expect(readdirSync(dirname(file))).toEqual(['contexts.json']);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).contexts)).toEqual(['one', 'two']);
  });

  test('is as it was when the server does not know the token', async () => {
    await logIn(' --context one');
    const before = readFileSync(file, 'utf8');
    const { code, err } = await run(`login --server ${server.url} --token - --context two`, { stdin: 'wrong-canary' });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('the token is not known') });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('gets a new token for a context whose address is not the current one', async () => {
    const other = await startRoundhouse();
    await run(`login --server ${other.url} --token-file reader --context other`);
    await logIn(' --context here');
    expect((await run('login --context other --token-file root')).out).toMatch(`other: ${other.url} is`);
    await other.close();
    const { contexts } = JSON.parse(readFileSync(file, 'utf8'));
    expect(contexts.other).toEqual({ server: other.url, token: TOKENS.root });
  });

  test.each([0o640, 0o604, 0o620, 0o644, 0o777])('is refused when others may use it (mode %o)', async (mode) => {
    await logIn();
    chmodSync(file, mode);
    for (const line of [
      'registry',
      'contexts list',
      'contexts use x',
      `login --server ${server.url} --token-file root`,
    ]) {
      expect(await run(line)).toEqual({
        code: 2,
        out: '',
        err: `error: ${file} holds tokens, and others than you may read or change it (mode 0${mode.toString(8)}): chmod 600 ${file}\n`,
      });
    }
  });

  test('is refused when it is a link to a file that others may read', async () => {
    const target = join(sandbox.folder, 'contexts.json');
    writeFileSync(target, '{"contexts":{}}', { mode: 0o644 });
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(target, file);
    expect((await run('contexts list')).err).toContain('mode 0644');
  });

  test.each([
    ['no JSON', '{"contexts": {"a": {"token": "canary', 'it is not JSON'],
    ['a token at the wrong place', '{"contexts": {"a": "canary"}}', 'it is not as login writes it (at contexts.a)'],
    ['something else', '"canary"', 'it is not as login writes it (at the top)'],
  ])('that holds %s is told, without what is in it', async (_name, text, reason) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
    const { code, err } = await run('registry');
    expect({ code, err }).toEqual({
      code: 2,
      err: `error: ${file} cannot be used: ${reason}. Move it away and log in again\n`,
    });
  });

  test('is not read where it is not needed', async () => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'damaged', { mode: 0o644 });
    expect((await run(`registry --server ${server.url} --token-file root`)).code).toBe(0);
    const env = { ROUNDHOUSE_URL: server.url, ROUNDHOUSE_TOKEN: TOKENS.root };
    expect((await run('registry', { env })).code).toBe(0);
  });

  test('cannot be written where there is a file in place of the folder', async () => {
    writeFileSync(join(sandbox.folder, '.config'), '');
    expect((await logIn()).err).toBe(`error: ${file} cannot be used: ENOTDIR. Move it away and log in again\n`);
  });

  test('needs a home', async () => {
    const { err } = await sandbox.run(['login', '--server', server.url, '--token-file', 'root']);
    expect(err).toBe('error: contexts need a folder: set HOME, or XDG_CONFIG_HOME\n');
  });

  test.each([
    [{ HOME: '/h' }, '/h/.config/roundhouse/contexts.json'],
    [{ HOME: '/h', XDG_CONFIG_HOME: '' }, '/h/.config/roundhouse/contexts.json'],
    [{ HOME: '/h', XDG_CONFIG_HOME: '/x' }, '/x/roundhouse/contexts.json'],
    [{}, undefined],
  ])('is where the XDG specification has it: %o', (env, expected) => {
    expect(contextFile(env)).toBe(expected);
  });
});

describe('whose token goes where', () => {
  const A = 'https://a.example.org';
  const B = 'https://b.example.org';
  const contexts = {
    current: 'a',
    contexts: { a: { server: A, token: 'of-a' }, b: { server: B, token: 'of-b', ca: 'PEM' } },
  };
  const urlB = { ROUNDHOUSE_URL: B };
  const tokenE = { ROUNDHOUSE_TOKEN: 'of-env' };
  const file1 = { tokenFile: 'file' };

  test.each<[string, object, object, object | string]>([
    ['the current context', {}, {}, { server: A, token: 'of-a' }],
    ['a context by its name, and its CA', { context: 'b' }, {}, { server: B, token: 'of-b', ca: 'PEM' }],
    ['a named context is over the environment', { context: 'a' }, { ...urlB, ...tokenE }, { server: A, token: 'of-a' }],
    ['the environment is over the current context', {}, { ...urlB, ...tokenE }, { server: B, token: 'of-env' }],
    [
      'flags are over the environment',
      { server: A, ...file1 },
      { ...urlB, ...tokenE },
      { server: A, token: 'of-file' },
    ],
    ['a token of the flags for the context', file1, {}, { server: A, token: 'of-file' }],
    ['a token of the environment for the context', {}, tokenE, { server: A, token: 'of-env' }],
    ['a token of the environment for an address of the flags', { server: B }, tokenE, { server: B, token: 'of-env' }],
    ['the context, for its own address', { server: `${A}/api/v1/` }, {}, { server: A, token: 'of-a' }],
    ['the context, never for another address', { server: B }, {}, `there is no token for ${B}. Give`],
    ['the context, never for another address of the environment', {}, urlB, `there is no token for ${B}. Give`],
    ['a named context, never for another address', { context: 'a', server: B }, {}, 'the one from context a'],
    [
      'a token that stands beside an address in the environment, never for another one',
      { server: 'https://c.example.org' },
      { ...urlB, ...tokenE },
      'there is no token for https://c.example.org: the one from ROUNDHOUSE_TOKEN is for another address',
    ],
    ['a context beside a token that does not fit', { server: A }, { ...urlB, ...tokenE }, { server: A, token: 'of-a' }],
    ['an address that only looks the same', { server: `${A}.evil.example` }, {}, 'there is no token for'],
    ['another port', { server: `${A}:8443` }, {}, 'there is no token for'],
    ['an empty variable is none', {}, { ROUNDHOUSE_URL: '', ROUNDHOUSE_TOKEN: '' }, { server: A, token: 'of-a' }],
  ])('%s', async (_name, flags, env, expected) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(contexts), { mode: 0o600 });
    sandbox.write({ file: 'of-file\n' });
    const io = { env: { HOME: sandbox.folder, ...env }, cwd: sandbox.folder } as never;
    const access = resolveAccess({ timeout: '1s', ...flags }, io);
    if (typeof expected === 'string') {
      const error: Error = await access.then(
        () => expect.fail('it resolved'),
        (reason) => reason,
      );
      expect(error.message).toContain(expected);
      expect(error.message).not.toMatch(/of-(a|b|env|file)\b/);
    } else expect(await access).toMatchObject(expected);
  });

  test.each(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1', 'http://127.8.9.1'])(
    'plain HTTP is for this machine only: %s',
    async (address) => {
      sandbox.write({ file: 'of-file' });
      const io = { env: {}, cwd: sandbox.folder } as never;
      await expect(resolveAccess({ server: address, ...file1, timeout: '1s' }, io)).resolves.toBeDefined();
    },
  );

  test.each(['http://127.0.0.1.example.org', 'http://localhost.example.org', 'http://10.0.0.1', 'http://[::2]'])(
    'and not for another one: %s',
    async (address) => {
      sandbox.write({ file: 'of-file' });
      const io = { env: {}, cwd: sandbox.folder } as never;
      await expect(resolveAccess({ server: address, ...file1, timeout: '1s' }, io)).rejects.toThrow('must be https');
    },
  );
});
