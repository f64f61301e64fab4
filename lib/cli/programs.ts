import type { Command } from './command.ts';

/** One program of the package: what is the same for each of its command lines. */
export interface Program {
  readonly name: 'convctl' | 'roundhouse';
  /** One sentence, for help. */
  readonly summary: string;
  /** The parts of help and of the documentation, in their order; `Other` is the last one. */
  readonly groups: readonly string[];
  /** Every command by its name, in the order of help. Each is loaded alone, so that a start reads no more than it needs. */
  readonly commands: Readonly<Record<string, () => Promise<Command>>>;
}

/** The command that a line begins with, alone; all of them for help, completion, and a name that there is not. */
export async function loadCommands(
  { commands }: Program,
  [first = '', second = '', third = '']: readonly string[],
): Promise<readonly Command[]> {
  for (const name of [`${first} ${second} ${third}`, `${first} ${second}`, first]) {
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (load !== undefined) return [await load()];
  }
  return await loadAll({ commands });
}

export async function loadAll({ commands }: Pick<Program, 'commands'>): Promise<readonly Command[]> {
  return await Promise.all(Object.values(commands).map((load) => load()));
}
