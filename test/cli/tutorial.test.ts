import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longName } from '../../lib/cli/completion.ts';
import { COMMANDS } from './support/commands.ts';
import { openCliSandbox } from './support/convctl.ts';
import { splitWords } from './support/script.ts';

const file = join(import.meta.dirname, '../../docs/convctl-tutorial.md');
const BLOCK = /^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm;

/**
 * The tutorial is a script: a block with a file name writes that file, a `console` block runs its `$ convctl` lines, and
 * what they print stands below them.
 */
test('the tutorial prints what it shows (-u writes it)', async () => {
  const text = readFileSync(file, 'utf8');
  const sandbox = openCliSandbox();
  try {
    let [written, end] = ['', 0];
    for (const { 0: block, 1: language, 2: name, 3: body = '', index } of text.matchAll(BLOCK)) {
      if (name) sandbox.write({ [name]: body });
      const shown = language === 'console' ? `\`\`\`console\n${await runBlock(body)}\`\`\`` : block;
      written += text.slice(end, index) + shown;
      end = index + block.length;
    }
    await expect(written + text.slice(end)).toMatchFileSnapshot(file);
  } finally {
    sandbox.remove();
  }

  async function runBlock(body: string): Promise<string> {
    const parts = [];
    for (const line of body.split('\n').filter((candidate) => candidate.startsWith('$ convctl '))) {
      const words = splitWords(line.slice('$ convctl '.length));
      const target = words.indexOf('>');
      const { out, err } = await sandbox.run(target === -1 ? words : words.slice(0, target));
      if (target !== -1) sandbox.write({ [words[target + 1] ?? '']: out });
      parts.push(`${line}\n${target === -1 ? out : ''}${err}`);
    }
    return parts.join('\n');
  }
});

test('the commands of the tutorial that need a cluster or a server have flags that there are', () => {
  const lines = [...readFileSync(file, 'utf8').matchAll(/^convctl (.*)$/gm)].map(([, line]) => line ?? '');
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) {
    const command = COMMANDS.convctl.find(({ name }) => `${line} `.startsWith(`${name} `));
    const options = [...line.matchAll(/(?<= )--?[a-z][a-z-]*/g)].map(([option]) => option);
    const known = Object.entries(command?.flags ?? {}).flatMap(([key, { short }]) => [longName(key), `-${short}`]);
    expect({ line, unknown: options.filter((option) => !known.includes(option)) }).toEqual({ line, unknown: [] });
  }
});
