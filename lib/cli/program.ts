import { stripVTControlCharacters } from 'node:util';
import { Argument, Command as Commander, CommanderError, Option } from 'commander';
import { AppError } from '../errors.ts';
import type { Argument as ArgumentFacts, Command, Flag } from './command.ts';
import { commandOf, complete, longName } from './completion.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { Io } from './io.ts';
import { printableLines } from './output/printable.ts';
import type { Program } from './programs.ts';

export interface ProgramOptions {
  readonly program: Pick<Program, 'name' | 'summary' | 'groups'>;
  /** How it was called, where that is not its name: `kubectl conv`. */
  readonly name?: string;
  /** All of them, or the one that the line begins with. */
  readonly commands: readonly Command[];
  readonly io: Io;
}

/** Runs one command line, without program and script, and gives what the process should end with. */
export async function runProgram(argv: readonly string[], options: ProgramOptions): Promise<ExitCode> {
  const { io } = options;
  let code: ExitCode = EXIT.ok;
  const program = createProgram(options, (result) => {
    code = result;
  });
  try {
    if (argv[0] === '__complete') io.out(await complete(argv.slice(1), options.commands, io));
    else if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(normalise(argv, options.commands), { from: 'user' });
    return code;
  } catch (error) {
    const ended = explain(error, io, options.program.name);
    return ended === EXIT.failure ? (commandOf(argv, options.commands)?.undone ?? ended) : ended;
  }
}

/** Forms that people and scripts of the Go tool may use, as commander takes them: `-o=json`, `--strict=false`, `--version`. */
function normalise(argv: readonly string[], commands: readonly Command[]): string[] {
  const flags = commands.flatMap((command) => Object.entries(command.flags));
  const valued = new Set(flags.filter(([, { value }]) => value !== undefined).map(([key]) => longName(key)));
  const switches = new Set(flags.map(([key]) => longName(key)).filter((name) => !valued.has(name)));
  if (argv[0] === '--version') return ['version', ...argv.slice(1)];
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.flatMap((word, index) => {
    if (index > end) return [word];
    const short = /^(-[A-Za-z])=(.*)$/s.exec(word);
    if (short) return short.slice(1);
    const [, name = '', state] = /^(--[a-z-]+)=(true|false)$/.exec(word) ?? [];
    if (!switches.has(name)) return [word];
    return state === 'true' ? [name] : [];
  });
}

/** The commander program. */
function createProgram({ program, name, commands, io }: ProgramOptions, done: (code: ExitCode) => void): Commander {
  const called = name ?? program.name;
  const made = new Commander(called)
    .description(program.summary)
    .helpCommand('help [command]', 'show help for a command');
  configure(made, io);
  for (const group of program.groups) {
    made.commandsGroup(`${group}:`);
    for (const command of commands.filter((candidate) => candidate.group === group)) {
      add(parentOf(made, command, io), command, { name: called, io, done });
    }
  }
  made.commandsGroup('Other:');
  return made;
}

/** Errors end in an exception, so that one place decides about exit codes; text goes to the io that was passed. */
function configure(command: Commander, io: Io): void {
  command.exitOverride().configureOutput({
    writeOut: io.out,
    writeErr: io.err,
    getOutHasColors: () => io.colour,
    getErrHasColors: () => io.colour,
    getOutHelpWidth: () => io.terminal.out?.columns ?? 100,
    getErrHelpWidth: () => io.terminal.err?.columns ?? 100,
    outputError: (text, write) => write(text),
  });
  command.showSuggestionAfterError(true);
}

/** `generate kyverno` is a command of the command `generate`, which only has help. */
function parentOf(program: Commander, command: Command, io: Io): Commander {
  let parent = program;
  for (const word of command.name.split(' ').slice(0, -1)) {
    const found = parent.commands.find((candidate) => candidate.name() === word);
    if (found !== undefined) {
      parent = found;
      continue;
    }
    const made = parent.command(word).summary(`commands that begin with ${word}`);
    configure(made, io);
    parent = made;
  }
  return parent;
}

interface Binding {
  readonly name: string;
  readonly io: Io;
  readonly done: (code: ExitCode) => void;
}

function add(parent: Commander, command: Command, { name, io, done }: Binding): void {
  const words = command.name.split(' ');
  const made = parent.command(words.at(-1) ?? '').summary(command.summary);
  configure(made, io);
  made.description(
    [`${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`, command.description ?? '']
      .join('\n\n')
      .trim(),
  );
  const args = Object.entries(command.args ?? {});
  for (const [key, argument] of args) made.addArgument(new Argument(argumentForm(key, argument), argument.summary));
  for (const [key, flag] of Object.entries(command.flags)) made.addOption(optionOf(key, flag));
  const examples = command.examples.map(({ what, command: line }) => `  # ${what}\n  ${name} ${line}`);
  if (examples.length > 0) made.addHelpText('after', `\nExamples:\n${examples.join('\n\n')}`);
  made.action(async (...given: unknown[]) => {
    checkFlags(command, made);
    const flags = { ...absent(command), ...made.opts() };
    const values = Object.fromEntries(
      args.map(([key, { repeat }], index) => [key, given[index] ?? (repeat ? [] : undefined)]),
    );
    done(await command.run({ flags, args: values } as never, io));
  });
}

/** `<name>`, `[name]`, `<name...>`, as help and documentation write an argument. */
export function argumentForm(key: string, { required, repeat }: Pick<ArgumentFacts, 'required' | 'repeat'>): string {
  const shown = `${key}${repeat ? '...' : ''}`;
  return required ? `<${shown}>` : `[${shown}]`;
}

function optionOf(key: string, { short, value, summary, required, default: preset, choices, repeat }: Flag): Option {
  const option = new Option(`${short ? `-${short}, ` : ''}${longName(key)}${value ? ` <${value}>` : ''}`, summary);
  // To commander `--no-wait` would be the opposite of a flag `--wait`.
  option.negate = false;
  if (choices) option.choices([...choices]);
  if (repeat) option.argParser((text: string, before: readonly string[] = []) => [...before, text]);
  else if (preset !== undefined) option.default(preset);
  if (required) option.makeOptionMandatory();
  return option;
}

/** What flags are that were not given; help would show it as a default. */
function absent({ flags }: Command): Record<string, false | readonly string[]> {
  const entries = Object.entries(flags).flatMap(([key, { value, repeat }]): [string, false | readonly string[]][] =>
    repeat ? [[key, []]] : value === undefined ? [[key, false]] : [],
  );
  return Object.fromEntries(entries);
}

/** What the tables say of flags beside each other. */
function checkFlags({ flags, oneOf = [] }: Command, made: Commander): void {
  const isGiven = (key: string) => made.getOptionValueSource(key) === 'cli';
  for (const { flags: keys, required } of oneOf) {
    const names = keys.map(longName).join(', ');
    const given = keys.filter(isGiven);
    if (given.length > 1) made.error(`error: only one of ${names} can be given`);
    if (required && given.length === 0) made.error(`error: one of ${names} is required`);
  }
  for (const [key, { needs }] of Object.entries(flags)) {
    if (needs !== undefined && isGiven(key) && !isGiven(needs)) {
      made.error(`error: ${longName(key)} only counts with ${longName(needs)}`);
    }
  }
  const dashes = Object.keys(flags).flatMap((key) => {
    return [made.getOptionValue(key)].flat().flatMap((value) => (value === '-' ? [longName(key)] : []));
  });
  if (dashes.length > 1) made.error(`error: only one of ${dashes.join(', ')} can be -, standard input`);
}

/**
 * Says what went wrong: help is no error; what a person can act on is its message; anything else is a fault of ours, with
 * its stack.
 */
export function explain(error: unknown, io: Pick<Io, 'err'>, name: Program['name']): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.failure;
  // Findings in a message have the colours of the data stream.
  if (error instanceof AppError) io.err(`error: ${printableLines(stripVTControlCharacters(error.message))}\n`);
  else {
    const stack = printableLines(String((error as Error | undefined)?.stack ?? error));
    io.err(`error: this is a fault of ${name}, please report it\n${stack}\n`);
  }
  return EXIT.failure;
}
