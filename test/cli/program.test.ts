import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineCommand } from '../../lib/cli/command.ts';
import { COMMANDS } from '../../lib/cli/commands/index.ts';
import { EXIT } from '../../lib/cli/exit-code.ts';
import type { Io } from '../../lib/cli/io.ts';
import { runProgram } from '../../lib/cli/program.ts';
import { AppError } from '../../lib/errors.ts';
import { openCliSandbox } from './support/convctl.ts';

describe('every command', () => {
  test.each(COMMANDS)('$name stands alone in the file of its name, from which a start loads it', async ({ name }) => {
    const file = join(import.meta.dirname, '../../lib/cli/commands', `${name.replaceAll(' ', '-')}.ts`);
    expect(existsSync(file)).toBe(true);
    const exported = Object.values(await import(file)) as { name?: string; run?: unknown }[];
    const commands = exported.filter((value) => typeof value === 'object' && value !== null && 'run' in value);
    expect(commands.map((command) => command.name)).toEqual([name]);
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
  [[], { dryRun: false, many: [], preset: 'p' }],
  [
    ['--dry-run', '--many', 'a', '--many', 'b', '--one', 'x', '--preset', 'q'],
    { dryRun: true, many: ['a', 'b'], one: 'x', preset: 'q' },
  ],
])('flags %j become what the command expects', async (argv, expected) => {
  let seen: object = {};
  const keep = (flags: object) => {
    seen = flags;
  };
  const { code } = await runWith(keep, ['probe', ...argv]);
  expect({ code, seen }).toEqual({ code: 1, seen: expected });
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
  sandbox.remove();
  expect(text.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(JSON.parse(json.out)).toEqual({ version: text.out.trim(), node: process.versions.node, strategies: 29 });
});
