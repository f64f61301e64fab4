import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildSecretsLayer } from '../../../infra/bundle-layer.ts';
import { createSecretValues } from '../../../lib/apps/services/secret-values.ts';
import { type AwsEmulatorForTest, startAwsEmulatorForTest } from '../../support/aws-emulator.ts';

let dir: string;
let layer: string;
let emulator: AwsEmulatorForTest;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roundhouse-layer-'));
  layer = await buildSecretsLayer(dir);
  emulator = await startAwsEmulatorForTest();
  writeFileSync(join(dir, 'show.mjs'), 'process.stdout.write(JSON.stringify(process.env))');
});

afterAll(async () => {
  await emulator.close();
  rmSync(dir, { recursive: true });
});

interface Started {
  readonly path?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly endpoint?: string;
  readonly args?: readonly string[];
  /** What runs the wrapper; absent: what its first line says. */
  readonly shell?: string;
  /** What is open as descriptor 3. */
  readonly three?: number;
}

/** Starts a command as Lambda starts a runtime: through the wrapper, with Node.js as its first word. */
function start({ path, env = {}, endpoint, args = [join(dir, 'show.mjs')], shell, three }: Started) {
  const [file = '', ...words] = [
    ...(shell ? [shell] : []),
    join(layer, 'roundhouse-secrets'),
    process.execPath,
    ...args,
  ];
  const child = spawn(file, words, {
    env: {
      // No Node.js in here: the wrapper takes the one of the runtime.
      PATH: '/usr/bin:/bin',
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_ENDPOINT_URL_SSM: endpoint ?? emulator.client.endpoint,
      ...(path !== undefined && { ROUNDHOUSE_SECRETS_PATH: path }),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe', three ?? 'ignore'],
  });
  child.stdin?.end();
  return child;
}

async function run(options: Started) {
  const child = start(options);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => (stdout += chunk));
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

async function put(app: string, values: Readonly<Record<string, string>>): Promise<string> {
  const secrets = createSecretValues({ stage: 'layer', client: emulator.client });
  for (const [key, value] of Object.entries(values)) await secrets.put(app, key, value);
  return secrets.pathOf(app);
}

const HOSTILE = {
  PLAIN: 'word',
  QUOTE: `'; touch /tmp/never; echo '`,
  SUBSTITUTION: '$(exit 7) `exit 8` $PATH',
  DOUBLE: '"double" \\"escaped\\" \\n \\',
  NEWLINES: 'first\nsecond\r\n\n',
  SPACES: '  both ends  ',
  UNICODE: 'naïve 🎠 \u0001\u007f',
  GLOB: '* ? [a] ~ #x ! & | ; < >',
  DASH: '-n',
  EQUALS: 'a=b=c',
  LARGE: `'"`.repeat(2_048),
  // Names with a meaning of their own in a shell.
  IFS: 'x',
  UID: '5',
  RANDOM: 'not random',
  SECONDS: 'no number',
  PS4: '$(exit 9)',
  EMPTY_LOOKING: ' ',
};

/** The shell of Amazon Linux is bash. */
const SHELLS = ['/bin/sh', '/bin/bash', '/bin/dash'].filter((file) => existsSync(file));

test.each(SHELLS)(
  'secrets of any characters and names are variables of the runtime, as they are, by %s',
  async (shell) => {
    const path = await put('hostile', HOSTILE);
    const { code, stdout, stderr } = await run({ path, shell });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject(HOSTILE);
  },
);

test('an app without secrets starts, after one call', async () => {
  const before = emulator.calls.length;
  const { code, stdout } = await run({ path: '/roundhouse/layer/none', env: { OWN: 'kept' } });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ OWN: 'kept' });
  expect(emulator.calls.slice(before)).toEqual(['AmazonSSM.GetParametersByPath']);
});

test('a secret stands above a variable of the same name', async () => {
  const path = await put('above', { MODE: 'secret' });
  expect(JSON.parse((await run({ path, env: { MODE: 'variable' } })).stdout)).toMatchObject({ MODE: 'secret' });
});

test('only the own secrets are read, not those of further levels', async () => {
  const path = await put('own', { MINE: '1' });
  await put('own/deeper', { THEIRS: '2' });
  await put('own-two', { OTHER: '3' });
  const env = JSON.parse((await run({ path })).stdout);
  expect(env).toMatchObject({ MINE: '1' });
  expect(env).not.toHaveProperty('THEIRS');
  expect(env).not.toHaveProperty('OTHER');
});

test('a parameter whose name is no variable is left out and named', async () => {
  const path = await put('names', { GOOD: '1', 'with-dash': 'canary', '-u.PATH': 'canary' });
  const { code, stdout, stderr } = await run({ path });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ GOOD: '1' });
  expect(stdout + stderr).not.toContain('canary');
  expect(stderr).toContain(`${path}/with-dash cannot be a variable`);
});

test('the options of the app for Node.js are for the app, and not for the reading of its secrets', async () => {
  const module = join(dir, 'told.cjs');
  writeFileSync(module, 'process.stderr.write("loaded;")');
  const path = await put('options', { KEY: '1' });
  const { code, stderr, stdout } = await run({ path, env: { NODE_OPTIONS: `--require ${module}` } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'loaded;' });
  expect(JSON.parse(stdout)).toMatchObject({ KEY: '1', NODE_OPTIONS: `--require ${module}` });
});

test('words of the command, exit code and descriptor 3 are those of the runtime', async () => {
  const file = join(dir, 'three');
  const three = openSync(file, 'w');
  const script = 'fs.writeSync(3, JSON.stringify(process.argv.slice(1))); process.exit(23)';
  const path = await put('exec', { KEY: '1' });
  const words = ['a b', "it's", '$HOME', '', 'x=y'];
  const { code, stderr } = await run({ path, args: ['-e', script, ...words], three });
  closeSync(three);
  expect({ code, stderr }).toEqual({ code: 23, stderr: '' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(words);
});

test('the runtime takes the place of the wrapper: it has its process id and gets its signals', async () => {
  const script = 'process.on("SIGTERM", () => process.exit(42)); console.log(process.pid); setInterval(() => {}, 1000)';
  const child = start({ path: await put('signal', { KEY: '1' }), args: ['-e', script] });
  const [pid] = await once(child.stdout ?? child, 'data');
  expect(Number(pid)).toBe(child.pid);
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([42, null]);
});

test.each([
  ['Systems Manager cannot be reached', { path: '/roundhouse/layer/x', endpoint: 'http://127.0.0.1:1' }, /no answer/],
  [
    'there are no credentials',
    { path: '/roundhouse/layer/x', env: { AWS_ACCESS_KEY_ID: '', AWS_EC2_METADATA_DISABLED: 'true' } },
    /no credentials/,
  ],
  ['no path is given', {}, /ROUNDHOUSE_SECRETS_PATH/],
  ['the path is none', { path: 'roundhouse' }, /ROUNDHOUSE_SECRETS_PATH/],
])('the app does not start when %s', async (_what, options, reason) => {
  const { code, stdout, stderr } = await run(options);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^roundhouse-secrets: the secrets below .* cannot be read, and the app does not start/);
  expect(stderr).toMatch(reason);
});

test('everybody may run the wrapper and read what it runs', () => {
  expect(statSync(join(layer, 'roundhouse-secrets')).mode & 0o777).toBe(0o755);
  expect(statSync(join(layer, 'roundhouse-secrets.mjs')).mode & 0o444).toBe(0o444);
});
