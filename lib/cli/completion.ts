import { readdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command, Completer, Flag } from './command.ts';
import type { Io } from './io.ts';

/** One thing that the shell can put in place of the word at the cursor. */
interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** What the last line of an answer says to the shell, as bits: put no space behind, complete no files of its own. */
const NO_SPACE = 2;
const NO_FILES = 4;

/** Values that are no files; anything else is completed as one. */
const FILE_VALUES = /^(FILE|PATH|DIR|FOLDER)/;
const SOURCE_FILE = /\.(ya?ml|json)$/i;

/**
 * Answers `__complete WORDS… WORD`, the question of a shell about the word at the cursor: a candidate a line, with a tab
 * and its description, then a colon and bits. It is cobra's protocol, which kubectl speaks to its plugins.
 */
export async function complete(words: readonly string[], commands: readonly Command[], io: Io): Promise<string> {
  // bash splits `--output=json` into three words; PowerShell cannot pass an empty one.
  const before = words.slice(0, -1).filter((word) => word !== '=');
  const word = (words.at(-1) ?? '').replace(/^(=|"")$/, '');
  const found = await candidates(before, word, commands, io);
  const lines = found.map(({ value, description }) => `${value}\t${description}\n`);
  const open = found.length > 0 && found.every(({ value }) => value.endsWith('/'));
  return `${lines.join('')}:${NO_FILES | (open ? NO_SPACE : 0)}\n`;
}

async function candidates(
  before: readonly string[],
  word: string,
  commands: readonly Command[],
  io: Io,
): Promise<Candidate[]> {
  const command = commandOf(before, commands);
  if (command === undefined) return nextWords(before, commands).filter(({ value }) => value.startsWith(word));
  const [option, inline] = word.startsWith('--') && word.includes('=') ? splitOnce(word) : [before.at(-1) ?? '', word];
  const flag = flagOf(option, command);
  if (flag?.value !== undefined) {
    const values = await valuesOf(flag, inline, io);
    return option === before.at(-1) ? values : values.map((found) => ({ ...found, value: `${option}=${found.value}` }));
  }
  if (word.startsWith('-')) return options(before, command).filter(({ value }) => value.startsWith(word));
  return (await argument(before, command, io)).filter(({ value }) => value.startsWith(word));
}

/** Values of the argument that comes next. */
async function argument(before: readonly string[], command: Command, io: Io): Promise<Candidate[]> {
  const words = before.slice(command.name.split(' ').length);
  const given = words.filter((word, index) => {
    return !word.startsWith('-') && flagOf(words[index - 1] ?? '', command)?.value === undefined;
  });
  const args = Object.values(command.args ?? {});
  const next = args[given.length] ?? args.filter(({ repeat }) => repeat).at(-1);
  return [...(next?.suggestions ?? []), ...(await found(next?.complete, io))].map(plain);
}

/** The command that the words begin with: the longest name. */
export function commandOf(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const matches = commands.filter(({ name }) => name.split(' ').every((part, index) => words[index] === part));
  return matches.sort((a, b) => b.name.length - a.name.length)[0];
}

/** First words of the names of commands, or those that may follow: `generate` is followed by `kyverno`. */
function nextWords(words: readonly string[], commands: readonly Command[]): Candidate[] {
  const found = new Map<string, string>();
  for (const { name, summary } of [...commands, { name: 'help', summary: 'show help for a command' }]) {
    const parts = name.split(' ');
    const next = parts[words.length];
    if (next === undefined || !words.every((word, index) => parts[index] === word)) continue;
    found.set(next, parts.length === words.length + 1 ? summary : `commands that begin with ${next}`);
  }
  return [...found].map(([value, description]) => ({ value, description }));
}

export function longName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function flagOf(option: string, { flags }: Command): Flag | undefined {
  return Object.entries(flags).find(([key, { short }]) => option === longName(key) || option === `-${short}`)?.[1];
}

function options(before: readonly string[], { flags }: Command): Candidate[] {
  const left = Object.entries(flags).filter(([key, { short, repeat }]) => {
    return repeat || !before.some((word) => word === longName(key) || word === `-${short}`);
  });
  const own = left.map(([key, { summary }]) => ({ value: longName(key), description: summary }));
  return [...own, { value: '--help', description: 'display help for command' }];
}

async function valuesOf({ choices, complete, value = '' }: Flag, word: string, io: Io): Promise<Candidate[]> {
  const known = choices ?? (complete && (await found(complete, io)));
  if (known) return known.filter((choice) => choice.startsWith(word)).map(plain);
  return FILE_VALUES.test(value) ? files(word, io) : [];
}

/** Nobody would read an error at this place. */
async function found(complete: Completer | undefined, io: Io): Promise<readonly string[]> {
  return (await complete?.(io).catch(() => [])) ?? [];
}

function plain(value: string): Candidate {
  return { value, description: '' };
}

/** Folders and YAML or JSON files whose path begins with a word. */
async function files(word: string, io: Io): Promise<Candidate[]> {
  const folder = word.endsWith('/') ? word : word.includes('/') ? `${dirname(word)}/` : '';
  const entries = await readdir(resolve(io.cwd, folder || '.'), { withFileTypes: true }).catch(() => []);
  const start = word.slice(folder.length);
  return entries
    .filter(({ name }) => name.startsWith(start) && (start.startsWith('.') || !name.startsWith('.')))
    .filter((entry) => entry.isDirectory() || SOURCE_FILE.test(entry.name))
    .map((entry) => plain(entry.isDirectory() ? `${folder}${entry.name}/` : `${folder}${entry.name}`))
    .sort((a, b) => (a.value < b.value ? -1 : 1));
}

function splitOnce(word: string): [string, string] {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
}
