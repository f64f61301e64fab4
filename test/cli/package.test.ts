import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleCli } from '../../infra/bundle-cli.ts';
import pkg from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'convctl-package-'));
afterAll(() => rmSync(folder, { recursive: true }));

const npm = (...args: readonly string[]) => {
  const options = ['--offline', '--ignore-scripts', '--cache', join(folder, 'npm-cache')];
  return run('npm', [...args, ...options], join(folder, 'source'));
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

const databases = join(root, 'examples/crd-databases');
const given = ['-c', join(databases, 'config.yaml'), '--crd', join(databases, 'crd.yaml')];

describe('the packed tarball', () => {
  test('is one file, which both commands are', () => {
    expect(packed.toSorted()).toEqual(['dist/cli/convctl.js', 'package.json']);
    expect(Object.entries(pkg.bin)).toEqual([
      ['convctl', 'dist/cli/convctl.js'],
      ['kubectl-conv', 'dist/cli/convctl.js'],
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

  test('has the Kubernetes client, which it unpacks to read a kubeconfig', () => {
    const kubeconfig = join(folder, 'kubeconfig');
    const cluster = { name: 'c', cluster: { server: 'http://127.0.0.1:1' } };
    const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
    const users = [{ name: 'u', user: {} }];
    const config = { apiVersion: 'v1', kind: 'Config', clusters: [cluster], contexts: [context], users };
    writeFileSync(kubeconfig, JSON.stringify({ ...config, 'current-context': 'x' }));
    const { status, stderr } = convctl('migrate-storage', '--crd', 'w.example.org', '--kubeconfig', kubeconfig);
    expect(status).toBe(2);
    expect(stderr).toContain('127.0.0.1:1');
    expect(stderr).not.toContain('fault');
  });
});
