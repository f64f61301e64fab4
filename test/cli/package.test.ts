import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleCli } from '../../infra/bundle-cli.ts';
import pkg from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'convctl-package-'));
afterAll(() => rmSync(folder, { recursive: true }));

const npm = (...args: readonly string[]) => {
  const options = ['--offline', '--ignore-scripts', '--cache', join(folder, 'npm-cache')];
  return run('npm', [...options, ...args], join(folder, 'source'));
};

function run(program: string, args: readonly string[], cwd = join(folder, 'elsewhere'), env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
  });
  return { status, stdout, stderr };
}

let packed: string[] = [];
const installed = join(folder, 'installed/node_modules/.bin/convctl');
const convctl = (...args: readonly string[]) => run(process.execPath, [installed, ...args]);
const roundhouse = (...args: readonly string[]) =>
  run(process.execPath, [join(folder, 'installed/node_modules/.bin/roundhouse'), ...args]);

beforeAll(async () => {
  for (const name of ['source', 'elsewhere', 'installed']) mkdirSync(join(folder, name));
  copyFileSync(join(root, 'package.json'), join(folder, 'source/package.json'));
  await bundleCli(join(folder, 'source/dist/cli'));
  const { status, stdout, stderr } = npm('pack', '--json');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [tarball] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  packed = tarball.files.map(({ path }) => path);
  const tgz = join(folder, 'source', tarball.filename);
  const done = npm('install', '--no-audit', '--no-fund', '--prefix', join(folder, 'installed'), tgz);
  expect({ ...done, stdout: '' }).toEqual({ status: 0, stdout: '', stderr: '' });
});

/** Says on stderr which packed packages are unpacked. */
const SPY = `data:text/javascript,${encodeURIComponent(`import vm from 'node:vm';
const { compileFunction } = vm;
vm.compileFunction = (code, params, options) => {
  process.stderr.write('unpacked ' + options.filename + '\\n');
  return compileFunction(code, params, options);
};`)}`;

function unpackedBy(...args: readonly string[]): string[] {
  const { stderr } = run(process.execPath, ['--import', SPY, installed, ...args]);
  return [...stderr.matchAll(/^unpacked (.*)$/gm)].map(([, name]) => name ?? '').toSorted();
}

/** The programs called node that the machine has, beside the one that runs this: for people it is often an older one. */
const node20 = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((path) => join(path, 'node'))
  .find((path) => spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v20.'));

const databases = join(root, 'examples/crd-databases');
const given = ['-c', join(databases, 'config.yaml'), '--crd', join(databases, 'crd.yaml')];

describe('the packed tarball', () => {
  test('is one file a program, with the licences of what is in them', () => {
    expect(packed.toSorted()).toEqual([
      'dist/cli/THIRD-PARTY-NOTICES',
      'dist/cli/convctl.js',
      'dist/cli/roundhouse.js',
      'package.json',
    ]);
    const notices = readFileSync(join(folder, 'source/dist/cli/THIRD-PARTY-NOTICES'), 'utf8');
    for (const name of [
      'commander',
      'js-yaml',
      '@kubernetes/client-node',
      '@marcbachmann/cel-js',
      're2js',
      'zod',
      'fflate',
    ]) {
      expect(notices).toMatch(new RegExp(`^${name} \\d[^\\n]*\\n\\n[^]{500}`, 'm'));
    }
    expect(Object.entries(pkg.bin)).toEqual([
      ['convctl', 'dist/cli/convctl.js'],
      ['kubectl-conv', 'dist/cli/convctl.js'],
      ['roundhouse', 'dist/cli/roundhouse.js'],
    ]);
    expect(readFileSync(installed, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test('installed without a network it runs from any folder', () => {
    expect(convctl('version')).toEqual({ status: 0, stdout: `${pkg.version}\n`, stderr: '' });
    expect(convctl('validate', ...given)).toMatchObject({ status: 0, stderr: '' });
    expect(convctl('validate', '-c', 'nowhere.yaml')).toMatchObject({ status: 2, stdout: '' });
    expect(convctl().stdout).toContain('Usage: convctl ');
    expect(convctl('endpoints', '--help').stdout).toContain('rotate');
    expect(convctl('__complete', 'val').stdout).toMatch(/^validate\t/);
  });

  test('has roundhouse, which is small and knows its own name', () => {
    const file = join(folder, 'source/dist/cli/roundhouse.js');
    expect(readFileSync(file).length).toBeLessThan(300_000);
    expect(roundhouse('version')).toEqual({ status: 0, stdout: `${pkg.version}\n`, stderr: '' });
    expect(roundhouse().stdout).toContain('Usage: roundhouse ');
    expect(roundhouse('apps', 'env', '--help').stdout).toContain('unset');
    expect(roundhouse('__complete', 'apps', 'dep').stdout).toMatch(/^deploy\t/);
    expect(roundhouse('doctor', '--server', 'http://127.0.0.1:1')).toMatchObject({ status: 3 });
  });

  test('npx finds both programs in a clone, by their names', () => {
    for (const name of ['convctl', 'roundhouse']) {
      expect(npm('exec', '--', name, 'version')).toMatchObject({ status: 0, stdout: `${pkg.version}\n` });
    }
  });

  test('as kubectl-conv it is a plugin of kubectl, also through a link', () => {
    const link = join(folder, 'kubectl-conv');
    symlinkSync(installed, link);
    expect(run(process.execPath, [link, 'validate', '--help']).stdout).toContain(
      'kubectl conv validate -c config.yaml',
    );
  });

  test('has what it unpacks on use: CEL and RE2, and what makes objects', () => {
    const sample = join(databases, 'object-v1.yaml');
    const explained = convctl('explain', ...given, '--sample', sample, '--to', 'v1alpha1');
    expect(explained).toMatchObject({ status: 0, stderr: '' });
    expect(explained.stdout).toMatch(/^spec\.maintenanceHour +147 .*:CEL$/m);
    expect(convctl('test', ...given, '--fuzz', '--runs', '3', '--seed', '1', '--quiet').stderr).not.toContain('fault');
  });

  test('unpacks nothing that a command line does not use', () => {
    const sample = ['--sample', join(databases, 'object-v1.yaml'), '--to', 'v1alpha1'];
    expect(unpackedBy('version')).toEqual([]);
    expect(unpackedBy('validate', '-c', 'nowhere.yaml')).toEqual([]);
    expect(unpackedBy('push', '-c', 'nowhere.yaml', '--crd', 'nowhere.yaml')).toEqual([]);
    expect(unpackedBy('explain', ...given, ...sample)).toEqual(['@marcbachmann/cel-js.cjs', 're2js.cjs']);
  });

  test('has the Kubernetes client, which it unpacks to read a kubeconfig', () => {
    expectNoCluster(process.execPath);
  });
});

function expectNoCluster(node: string): void {
  const kubeconfig = join(folder, 'kubeconfig');
  const cluster = { name: 'c', cluster: { server: 'http://127.0.0.1:1' } };
  const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
  const users = [{ name: 'u', user: {} }];
  const config = { apiVersion: 'v1', kind: 'Config', clusters: [cluster], contexts: [context], users };
  writeFileSync(kubeconfig, JSON.stringify({ ...config, 'current-context': 'x' }));
  const line = ['migrate-storage', '--crd', 'w.example.org', '--kubeconfig', kubeconfig];
  const { status, stderr } = run(node, [installed, ...line]);
  expect(status).toBe(2);
  expect(stderr).toContain('the cluster cannot be reached: nothing listens there');
}

// Skipped where PATH has no Node.js 20, the oldest that `engines` allows.
describe.skipIf(node20 === undefined)('under Node.js 20', () => {
  const old = (...args: readonly string[]) => run(node20 ?? '', [installed, ...args]);
  const bigNumber = join(folder, 'big.json');
  const object = (size: string) =>
    `{"apiVersion":"data.example.org/v1","kind":"Database","metadata":{"name":"a","annotations":{}},"spec":{"x":${size}}}`;

  test('commands work', () => {
    expect(old('version')).toEqual({ status: 0, stdout: `${pkg.version}\n`, stderr: '' });
    expect(old('validate', ...given)).toEqual(convctl('validate', ...given));
    const other = join(folder, 'installed/node_modules/.bin/roundhouse');
    expect(run(node20 ?? '', [other, 'apps', '--help']).stdout).toContain('deploy');
    const sample = ['--sample', join(databases, 'object-v1.yaml'), '--to', 'v1alpha1'];
    expect(old('convert', ...given, ...sample, '-o', 'json')).toEqual(
      convctl('convert', ...given, ...sample, '-o', 'json'),
    );
    expect(old('explain', ...given, ...sample)).toEqual(convctl('explain', ...given, ...sample));
    expect(old('test', ...given, '--fuzz', '--runs', '3', '--seed', '1', '--quiet').stderr).not.toContain('fault');
  });

  test('servers and clusters are asked', () => {
    const env = { ROUNDHOUSE_URL: 'http://127.0.0.1:1', ROUNDHOUSE_TOKEN: 'canary' };
    const { status, stderr } = run(node20 ?? '', [installed, 'registry'], folder, env);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'error: cannot reach http://127.0.0.1:1: nothing listens there\n',
    });
    expectNoCluster(node20 ?? '');
    const proxied = { ...env, ROUNDHOUSE_URL: 'https://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:2' };
    expect(run(node20 ?? '', [installed, 'registry'], folder, proxied).stderr).toMatch(
      /nothing listens there\. HTTPS_PROXY is set, but only Node\.js 24\.5 or newer uses it, and this is 20\./,
    );
  });

  test('integers beyond 2^53 in JSON end in an error that says so', () => {
    writeFileSync(bigNumber, object('9007199254740993'));
    const { status, stdout, stderr } = old('convert', ...given, '--sample', bigNumber, '--to', 'v1', '-o', 'json');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .*integers beyond 2\^53 in JSON need Node\.js 22 or newer; this is v20\./);
  });
});
