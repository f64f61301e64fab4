import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleCli } from '../../infra/bundle-cli.ts';
import { openCliSandbox } from './support/convctl.ts';

const sandbox = openCliSandbox({ 'bad.yaml': 'apiVersion: terasky.com/v1alpha1\nkind: CRDConversionConfig\n' });
let [main, roundhouse] = ['', ''];
beforeAll(async () => {
  ({ convctl: main, roundhouse } = await bundleCli(join(sandbox.folder, 'cli')));
});
afterAll(() => sandbox.remove());

/** `CONVCTL` and `ROUNDHOUSE` are the programs, `$code` the file that gets its exit code. */
function shell(line: string, env: NodeJS.ProcessEnv = {}) {
  const call = (file: string) => `"${process.execPath}" "${file}"`;
  const command = line.replaceAll('CONVCTL', call(main)).replaceAll('ROUNDHOUSE', call(roundhouse));
  const { stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: sandbox.folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: sandbox.folder, ...env },
  });
  return { stdout, stderr };
}

describe('a reader that goes away', () => {
  test.each([
    ['of the data', '(CONVCTL validate -c bad.yaml; echo "code $?" >&2) | true', 'code 1\n'],
    ['of more data than a pipe holds', '(CONVCTL completion zsh; CONVCTL help; echo "code $?" >&2) | true', 'code 0\n'],
    ['of help of roundhouse', '(ROUNDHOUSE help; ROUNDHOUSE completion zsh; echo "code $?" >&2) | true', 'code 0\n'],
    [
      'of its errors',
      '(ROUNDHOUSE doctor --server http://127.0.0.1:1 2>&3; echo "code $?" >&2) 3>&1 >/dev/null | true',
      'code 3\n',
    ],
    ['of the errors', '(CONVCTL validate -c nowhere.yaml 2>&3; echo "code $?" >&2) 3>&1 >/dev/null | true', 'code 2\n'],
  ])('%s changes no exit code', (_what, line, expected) => {
    expect(shell(line).stderr).toBe(expected);
  });
});

describe.skipIf(!existsSync('/dev/full'))('a full disk', () => {
  test('is told, and is no finding', () => {
    const { stderr } = shell('CONVCTL help >/dev/full; echo "code $?" >&2');
    expect(stderr).toBe('error: cannot write the output: the disk is full\ncode 2\n');
  });

  test('under the errors changes no exit code', () => {
    expect(shell('CONVCTL validate -c nowhere.yaml 2>/dev/full; echo "code $?"').stdout).toBe('code 2\n');
    expect(shell('CONVCTL validate -c bad.yaml >/dev/full 2>/dev/full; echo "code $?"').stdout).toBe('code 2\n');
  });
});

test('a folder for roundhouse that is a pipe is refused, and not waited for', () => {
  const env = { ROUNDHOUSE_URL: 'http://127.0.0.1:1', ROUNDHOUSE_TOKEN: 'canary' };
  const { stdout, stderr } = shell('mkfifo pipe; ROUNDHOUSE apps deploy shop pipe; echo "code $?"', env);
  expect({ stdout, stderr }).toEqual({
    stdout: 'code 2\n',
    stderr: 'error: cannot pack pipe: it is no folder. Name the folder that your handler is in\n',
  });
});

test('standard input that is no UTF-8 is refused, with its place', () => {
  const { stdout, stderr } = shell(String.raw`printf 'a: 1\nb: caf\351\n' | CONVCTL validate -c -; echo "code $?"`);
  expect({ stdout, stderr }).toEqual({
    stdout: 'code 2\n',
    stderr: expect.stringMatching(/^error: stdin:2: .* is no UTF-8: save the text as UTF-8\n$/),
  });
});

test('what nothing catches is a fault of convctl, and no finding', () => {
  const thrower = `data:text/javascript,process.once('beforeExit', () => { throw new Error('boom'); })`;
  const args = ['--import', thrower, main, 'version'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toMatch(/^error: this is a fault of convctl, please report it\nError: boom\n +at /);
});

test('NO_COLOR wins over FORCE_COLOR', () => {
  const forced = shell('CONVCTL validate -c bad.yaml', { FORCE_COLOR: '1' });
  expect(forced.stdout).toContain('\u001b[31m');
  const both = shell('CONVCTL validate -c bad.yaml', { FORCE_COLOR: '1', NO_COLOR: '1' });
  expect(both.stdout).toBe(forced.stdout.replaceAll(/\p{Cc}\[\d+m/gu, ''));
});
