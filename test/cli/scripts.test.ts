import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCliSandbox } from './support/convctl.ts';
import { parseScript, renderScript, splitWords } from './support/script.ts';

const folder = join(import.meta.dirname, 'scripts');
const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.txt'));

test.each(scripts)('%s prints what it shows (-u writes it)', async (name) => {
  const file = join(folder, name);
  const script = parseScript(readFileSync(file, 'utf8'));
  const sandbox = openCliSandbox(script.files, name.startsWith('roundhouse') ? 'roundhouse' : 'convctl');
  try {
    const outcomes = [];
    for (const step of script.steps) {
      const [program, ...words] = splitWords(step);
      expect(program).toBe(name.startsWith('roundhouse') ? 'roundhouse' : 'convctl');
      const input = words.indexOf('<');
      const argv = input === -1 ? words : words.slice(0, input);
      const stdin = input === -1 ? '' : (script.files[words[input + 1] ?? ''] ?? '');
      const { code, out, err } = await sandbox.run(argv, { stdin });
      const plain = (text: string) => text.replaceAll(sandbox.folder, 'FOLDER');
      outcomes.push({ step, code, out: plain(out), err: plain(err) });
    }
    await expect(renderScript(script, outcomes)).toMatchFileSnapshot(file);
  } finally {
    sandbox.remove();
  }
});
