import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineCommand, needing } from '../../lib/cli/command.ts';
import { COMMANDS } from '../../lib/cli/commands/index.ts';
import { COMMAND_FILES } from '../../lib/cli/commands/table.ts';
import { EXIT } from '../../lib/cli/exit-code.ts';
import type { Io } from '../../lib/cli/io.ts';
import { runProgram } from '../../lib/cli/program.ts';
import { AppError } from '../../lib/errors.ts';
import { openCliSandbox } from './support/convctl.ts';

describe('every command', () => {
  test('stands in the table under its name, by which a start loads it alone', () => {
    expect(COMMANDS.map(({ name }) => name)).toEqual(Object.keys(COMMAND_FILES));
    const folder = join(import.meta.dirname, '../../lib/cli/commands');
    const files = readdirSync(folder).filter((file) => !/^(index|table)\.ts$/.test(file));
    expect(files.toSorted()).toEqual(COMMANDS.map(({ name }) => `${name.replaceAll(' ', '-')}.ts`).toSorted());
  });

  test.each(COMMANDS)('$name: a flag that needs another one needs one that there is', ({ flags }) => {
    const needed = Object.values(flags).flatMap(({ needs }) => needs ?? []);
    expect(Object.keys(flags)).toEqual(expect.arrayContaining(needed));
  });

  test.each(COMMANDS)('$name has a summary of one line and an example that can be parsed', async (command) => {
    expect(command.summary).toMatch(/^[a-z].*[^.]$/);
    expect(command.examples.length).toBeGreaterThan(0);
    const flags = Object.entries(command.flags);
    for (const { command: line, what } of command.examples) {
      expect(what).toMatch(/^[^.]*[^.]$/);
      expect(line.startsWith(command.name)).toBe(true);
      for (const [option] of line.matchAll(/(?<= )--?[a-z][a-z-]*/g)) {
        const known = flags.some(([key, { short }]) => option === `-${short}` || option === toOption(key));
        expect({ line, option, known }).toEqual({ line, option, known: true });
      }
    }
  });

  test.each(COMMANDS)('$name: help is no error and has its examples', async ({ name }) => {
    const sandbox = openCliSandbox();
    const { code, out, err } = await sandbox.run([...name.split(' '), '--help']);
    sandbox.remove();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Examples:');
  });
});

const toOption = (key: string) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function runWith(run: (flags: object) => unknown, argv: readonly string[], name = 'convctl') {
  const said = { out: '', err: '' };
  const io = {
    out: (text: string) => {
      said.out += text;
    },
    err: (text: string) => {
      said.err += text;
    },
    terminal: {},
    colour: false,
  } as unknown as Io;
  const probe = defineCommand({
    name: 'probe',
    group: 'Other',
    summary: 'a probe',
    flags: {
      dryRun: { summary: 'a switch' },
      many: { value: 'X', repeat: true, summary: 'several' },
      one: { value: 'X', summary: 'one' },
      preset: { value: 'X', default: 'p', summary: 'preset' },
      ...needing('dryRun', { loud: { summary: 'a switch' }, level: { value: 'N', default: '1', summary: 'preset' } }),
    },
    examples: [{ what: 'A probe', command: 'probe --dry-run' }],
    run: async ({ flags }) => {
      run(flags);
      return EXIT.finding;
    },
  });
  const code = await runProgram(argv, { name, commands: [probe], io });
  return { code, ...said };
}

test.each([
  [[], { dryRun: false, many: [], preset: 'p', loud: false, level: '1' }],
  [
    ['--dry-run', '--many', 'a', '--many', 'b', '--one', 'x', '--preset', 'q'],
    { dryRun: true, many: ['a', 'b'], one: 'x', preset: 'q', loud: false, level: '1' },
  ],
])('flags %j become what the command expects', async (argv, expected) => {
  let seen: object = {};
  const keep = (flags: object) => {
    seen = flags;
  };
  const { code } = await runWith(keep, ['probe', ...argv]);
  expect({ code, seen }).toEqual({ code: 1, seen: expected });
});

test.each([
  ['a flag that counts only with another one', ['--loud'], '--loud only counts with --dry-run'],
  ['one with a value', ['--level', '1'], '--level only counts with --dry-run'],
  [
    'standard input given twice',
    ['--one', '-', '--preset', '-'],
    'only one of --one, --preset can be -, standard input',
  ],
  [
    'the same by one flag',
    ['--many', '-', '--many', 'x', '--many', '-'],
    'only one of --many, --many can be -, standard input',
  ],
])('%s is refused, and nothing is done', async (_what, argv, reason) => {
  const { code, err } = await runWith(() => expect.unreachable(), ['probe', ...argv]);
  expect({ code, err }).toEqual({ code: 2, err: `error: ${reason}\n` });
});

test('a flag that needs another one is taken with it, and standard input once', async () => {
  const argv = ['--dry-run', '--loud', '--level', '2', '--one', '-'];
  expect(await runWith(() => undefined, ['probe', ...argv])).toEqual({ code: 1, out: '', err: '' });
});

test('an error that a person can act on is one line, a fault of ours has its stack; both end with 2', async () => {
  const known = await runWith(() => {
    throw new AppError('NOT_FOUND', 'there is no such thing');
  }, ['probe']);
  expect(known).toEqual({ code: 2, out: '', err: 'error: there is no such thing\n' });
  const unknown = await runWith(() => {
    throw new TypeError('x is not a function');
  }, ['probe']);
  expect(unknown.code).toBe(2);
  expect(unknown.err).toMatch(
    /^error: this is a fault of convctl, please report it\nTypeError: x is not a function\n +at /,
  );
});

test('as a plugin of kubectl it calls itself so', async () => {
  const { out } = await runWith(() => undefined, ['probe', '--help'], 'kubectl conv');
  expect(out).toContain('Usage: kubectl conv probe [options]');
  expect(out).toContain('  kubectl conv probe --dry-run');
});

test('version says what runs', async () => {
  const sandbox = openCliSandbox();
  const [text, json] = [await sandbox.run(['version']), await sandbox.run(['version', '-o', 'json'])];
  expect(await sandbox.run(['--version'])).toEqual(text);
  sandbox.remove();
  expect(text.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(JSON.parse(json.out)).toEqual({ version: text.out.trim(), node: process.versions.node, strategies: 29 });
});
