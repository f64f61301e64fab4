import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCliSandbox } from './support/convctl.ts';
import { startRoundhouse, TOKENS } from './support/roundhouse.ts';
import { parseScript, renderScript, splitWords } from './support/script.ts';

const folder = join(import.meta.dirname, 'remote-scripts');
const scripts = readdirSync(folder).filter((name) => name.endsWith('.txt'));

/**
 * As the scripts of the offline commands, with a server: SERVER is its address, `NAME=value` before `convctl` is the
 * environment, the files root, reader and writer hold tokens, and a path token is shown as PATH-TOKEN.
 */
test.each(scripts)('%s prints what it shows (-u writes it)', async (name) => {
  const file = join(folder, name);
  const script = parseScript(readFileSync(file, 'utf8'));
  const server = await startRoundhouse();
  const sandbox = openCliSandbox({ ...script.files, ...TOKENS });
  const plain = (text: string) =>
    text
      .replaceAll(sandbox.folder, 'FOLDER')
      .replaceAll(server.url, 'SERVER')
      .replaceAll(new URL(server.url).host, 'HOST')
      .replaceAll(/^[\w-]{32}$/gm, 'PATH-TOKEN')
      .replaceAll(/"token": "[\w-]{32}"/g, '"token": "PATH-TOKEN"');
  try {
    const outcomes = [];
    for (const step of script.steps) {
      const words = splitWords(step.replaceAll('SERVER', server.url));
      const start = words.indexOf('convctl');
      const env = Object.fromEntries(words.slice(0, start).map((word) => word.split('=')));
      const input = words.indexOf('<');
      const argv = words.slice(start + 1, input === -1 ? undefined : input);
      const read = words[input + 1] as string;
      const stdin = input === -1 ? '' : ({ ...script.files, ...TOKENS }[read] ?? '');
      const { code, out, err } = await sandbox.run(argv, { stdin, env: { HOME: sandbox.folder, ...env } });
      // Right tokens, wrong ones, and those at a wrong place all have this word in them.
      expect(out + err).not.toContain('canary');
      outcomes.push({ step, code, out: plain(out), err: plain(err) });
    }
    await expect(renderScript(script, outcomes)).toMatchFileSnapshot(file);
  } finally {
    sandbox.remove();
    await server.close();
  }
});
