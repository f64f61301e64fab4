import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Command, defineCommand, needing } from '../../lib/cli/command.ts';
import { DOCTOR_EXIT, EXIT } from '../../lib/cli/exit-code.ts';
import type { Io } from '../../lib/cli/io.ts';
import { runProgram } from '../../lib/cli/program.ts';
import { AppError } from '../../lib/errors.ts';
import { COMMANDS, PROGRAMS } from './support/commands.ts';
import { openCliSandbox } from './support/convctl.ts';

const FOLDERS = { convctl: 'commands', roundhouse: 'apps/commands' } as const;
/** Commands of convctl that roundhouse has too. */
const SHARED = ['login', 'contexts list', 'contexts use', 'contexts delete'];

describe.each(['convctl', 'roundhouse'] as const)('every command of %s', (program) => {
  const { commands: table, groups } = PROGRAMS[program];
  const commands = COMMANDS[program];

  test('stands in the table under its name, by which a start loads it alone', () => {
    expect(commands.map(({ name }) => name)).toEqual(Object.keys(table));
    const folder = join(import.meta.dirname, '../../lib/cli', FOLDERS[program]);
    const files = readdirSync(folder).filter((file) => file !== 'table.ts');
    const own = commands.filter(({ name }) => program === 'convctl' || !SHARED.includes(name));
    expect(files.toSorted()).toEqual(own.map(({ name }) => `${name.replaceAll(' ', '-')}.ts`).toSorted());
  });

  test.each(commands)('$name: a flag that needs another one needs one that there is', ({ flags }) => {
    const needed = Object.values(flags).flatMap(({ needs }) => needs ?? []);
    expect(Object.keys(flags)).toEqual(expect.arrayContaining(needed));
  });

  test.each(commands)('$name: flags that exclude each other are flags that there are', ({ flags, oneOf = [] }) => {
    expect(Object.keys(flags)).toEqual(expect.arrayContaining(oneOf.flatMap((entry) => entry.flags)));
  });

  test.each(commands)('$name is of a part of help', ({ group }) => {
    expect(groups).toContain(group);
  });

  test.each(commands)('$name has a summary of one line and an example that can be parsed', async (command) => {
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

  test.each(commands)('$name: help is no error and has its examples', async ({ name }) => {
    const sandbox = openCliSandbox({}, program);
    const { code, out, err } = await sandbox.run([...name.split(' '), '--help']);
    sandbox.remove();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Examples:');
  });
});

const toOption = (key: string) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

async function runWith(
  run: (flags: object, args: object) => unknown,
  argv: readonly string[],
  name?: string,
  more: Partial<Command> = {},
) {
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
      noWait: { summary: 'a switch that begins with no' },
      ...needing('dryRun', { loud: { summary: 'a switch' }, level: { value: 'N', default: '1', summary: 'preset' } }),
    },
    args: { words: { summary: 'several', repeat: true } },
    examples: [{ what: 'A probe', command: 'probe --dry-run' }],
    run: async ({ flags, args }) => {
      run(flags, args);
      return EXIT.finding;
    },
  });
  const options = { program: PROGRAMS.convctl, ...(name !== undefined && { name }), io };
  const code = await runProgram(argv, { ...options, commands: [{ ...probe, ...more }] });
  return { code, ...said };
}

test.each([
  [[], { dryRun: false, many: [], preset: 'p', noWait: false, loud: false, level: '1' }],
  [
    ['--dry-run', '--many', 'a', '--many', 'b', '--one', 'x', '--preset', 'q', '--no-wait'],
    { dryRun: true, many: ['a', 'b'], one: 'x', preset: 'q', noWait: true, loud: false, level: '1' },
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

test('a repeated argument takes all words that follow', async () => {
  const seen: object[] = [];
  const keep = (_flags: object, args: object) => void seen.push(args);
  await runWith(keep, ['probe', 'a', '--dry-run', 'b=c']);
  await runWith(keep, ['probe']);
  expect(seen).toEqual([{ words: ['a', 'b=c'] }, { words: [] }]);
  expect((await runWith(keep, ['probe', '--help'])).out).toContain('Usage: convctl probe [options] [words...]');
});

describe('a command with a code of its own for not being done', () => {
  const undone = { undone: DOCTOR_EXIT.unable };

  test.each([
    ['an error that a person can act on', ['probe', '--one', 'x'], new AppError('UNAVAILABLE', 'no answer')],
    ['a fault of ours', ['probe'], new TypeError('x is not a function')],
    ['wrong usage', ['probe', '--nonsense'], undefined],
  ])('ends with it after %s', async (_what, argv, error) => {
    const fail = () => {
      throw error;
    };
    expect(await runWith(fail, argv, undefined, undone)).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^error: /),
    });
  });

  test('ends as it says otherwise, and its help is no failure', async () => {
    expect(await runWith(() => undefined, ['probe'], undefined, undone)).toMatchObject({ code: 1 });
    expect(await runWith(() => undefined, ['probe', '--help'], undefined, undone)).toMatchObject({ code: 0 });
  });
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
