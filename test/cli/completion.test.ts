import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openCliSandbox } from './support/convctl.ts';

const sandbox = openCliSandbox({
  'bin/convctl': '#!/bin/sh\nprintf "%s|" "$@" >> asked\nprintf "validate\\tcheck a config\\ndeploy/\\t\\n:4\\n"\n',
  asked: '',
});
chmodSync(join(sandbox.folder, 'bin/convctl'), 0o755);
afterAll(() => sandbox.remove());

/** What readline sets before it calls the function. */
const BASH = `COMP_WORDS=(convctl validate -c ""); COMP_CWORD=3; _convctl; printf "%s\\n" "\${COMPREPLY[@]}"; cat asked`;
const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

describe('the script of a shell', () => {
  test.skipIf(!has('bash'))('bash: asks about the words up to the cursor, and offers the answers', async () => {
    const { out } = await sandbox.run(['completion', 'bash']);
    const env = { ...process.env, PATH: `${join(sandbox.folder, 'bin')}:${process.env['PATH']}` };
    // compopt only works while readline completes.
    const script = `compopt() { :; }\n${out}\n${BASH}`;
    const shown = execFileSync('bash', ['-c', script], { cwd: sandbox.folder, env, encoding: 'utf8' });
    expect(shown).toBe('validate\ndeploy/\n__complete|validate|-c||');
  });

  describe.each(['zsh', 'fish'])('%s', (shell) => {
    test.skipIf(!has(shell))('has no syntax error', async () => {
      const { out } = await sandbox.run(['completion', shell]);
      expect(execFileSync(shell, ['-n'], { input: out, encoding: 'utf8' })).toBe('');
    });
  });
});

test('completion never fails, whatever the words', async () => {
  for (const words of [
    [],
    [''],
    ['--'],
    ['-'],
    ['validate', '-o'],
    ['validate', '-c', 'no/such/folder/'],
    ['=', '='],
  ]) {
    expect(await sandbox.run(['__complete', ...words])).toMatchObject({ code: 0, err: '' });
  }
});

test('a flag that was given is not offered again, unless it may be repeated', async () => {
  const { out } = await sandbox.run(['__complete', 'validate', '-c', 'x', '--filename', 'y', '--']);
  expect(out).not.toContain('--config');
  expect(out).toContain('--filename');
});

test('contexts that login made are offered, where there are any', async () => {
  const context = { server: 'https://a.example.org', token: 'canary' };
  const home = openCliSandbox({
    'roundhouse/contexts.json': JSON.stringify({ contexts: { prod: context, pilot: context, dev: context } }),
  });
  chmodSync(join(home.folder, 'roundhouse/contexts.json'), 0o600);
  const ask = async (...words: string[]) => {
    return (await home.run(['__complete', ...words], { env: { XDG_CONFIG_HOME: home.folder } })).out;
  };
  expect(await ask('push', '--context', 'p')).toBe('pilot\t\nprod\t\n:4\n');
  expect(await ask('push', '--context=d')).toBe('--context=dev\t\n:4\n');
  expect(await ask('contexts', 'use', '')).toBe('dev\t\npilot\t\nprod\t\n:4\n');
  chmodSync(join(home.folder, 'roundhouse/contexts.json'), 0o644);
  expect(await ask('push', '--context', '')).toBe(':4\n');
  home.remove();
});
