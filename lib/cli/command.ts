import type { ExitCode } from './exit-code.ts';
import type { Io } from './io.ts';

/** What the shell completes when it cannot be known before; it must be quick, and may fail. */
export type Completer = (io: Io) => Promise<readonly string[]>;

/** An option of a command. One with `value` takes a value, one without is a switch. */
export interface Flag {
  /** One letter. */
  readonly short?: string;
  /** How help calls the value: `FILE`. */
  readonly value?: string;
  readonly summary: string;
  readonly required?: boolean;
  readonly default?: string;
  /** The only values that are allowed; the shell completes them. */
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly repeat?: boolean;
  /** The name of the flag without which this one means nothing, and is refused. */
  readonly needs?: string;
  readonly complete?: Completer;
}

export interface Argument {
  readonly summary: string;
  readonly required?: boolean;
  /** Takes all words that follow: only for the last one. */
  readonly repeat?: boolean;
  /** What the shell completes; other values are allowed. */
  readonly suggestions?: readonly string[];
  readonly complete?: Completer;
}

export type Flags = Readonly<Record<string, Flag>>;
export type Arguments = Readonly<Record<string, Argument>>;

type FlagValue<F extends Flag> = F extends { value: string }
  ? F extends { repeat: true }
    ? readonly string[]
    : F extends { required: true } | { default: string }
      ? string
      : string | undefined
  : boolean;
type ArgumentValue<A extends Argument> = A extends { repeat: true }
  ? readonly string[]
  : A extends { required: true }
    ? string
    : string | undefined;

/** What the command line gave, by the names of the tables. */
export interface Input<F extends Flags, A extends Arguments> {
  readonly flags: { readonly [Name in keyof F]: FlagValue<F[Name]> };
  readonly args: { readonly [Name in keyof A]: ArgumentValue<A[Name]> };
}

interface CommandFacts<F extends Flags, A extends Arguments> {
  /** Words: `validate`, `generate kyverno`. */
  readonly name: string;
  /** The part of help and of the documentation; each program has its own. */
  readonly group: string;
  /** One sentence without an end stop, for the list of commands. */
  readonly summary: string;
  /** What a person must know beyond the summary, in sentences. */
  readonly description?: string;
  readonly args?: A;
  readonly flags: F;
  /** Of the flags of each entry at most one may be given, or exactly one. */
  readonly oneOf?: readonly { readonly flags: readonly (keyof F & string)[]; readonly required?: boolean }[];
  /** Command lines without the program's name, and what each does. */
  readonly examples: readonly { readonly what: string; readonly command: string }[];
  /** What the command ends with when it is not done, where that is not the 2 of all others. */
  readonly undone?: ExitCode;
}

/** One command: everything that help, completion, documentation and parsing need, and what it does. */
export interface Command extends CommandFacts<Flags, Arguments> {
  readonly run: (input: Input<Flags, Arguments>, io: Io) => Promise<ExitCode>;
}

/** The same flags, each of which means nothing without another one. */
export function needing<const F extends Flags>(needs: string, flags: F): F {
  return Object.fromEntries(Object.entries(flags).map(([key, flag]) => [key, { ...flag, needs }])) as F;
}

/** @throws AppError (from `run`) when the command cannot be done: its message is shown, exit code 2 */
export function defineCommand<const F extends Flags, const A extends Arguments = Record<never, Argument>>(
  command: CommandFacts<F, A> & { readonly run: (input: Input<F, A>, io: Io) => Promise<ExitCode> },
): Command {
  return command as unknown as Command;
}
