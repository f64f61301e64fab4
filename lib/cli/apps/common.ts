import { AppError } from '../../errors.ts';
import { parseMilliseconds } from '../cluster/milliseconds.ts';
import type { Argument, Flag } from '../command.ts';
import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';
import { openApps } from './access.ts';

/** For the shell: of the Roundhouse that environment and contexts name. */
async function appNames(io: Io): Promise<readonly string[]> {
  const apps = await openApps({ timeout: '2s' }, io);
  return (await apps.list()).map(({ name }) => name);
}

export const APP_ARGUMENT = { summary: 'the app', required: true, complete: appNames } as const satisfies Argument;
export const DEPLOY_ARGUMENT = { summary: 'the deploy: its id, or latest', required: true } as const satisfies Argument;

/** `-o` of the commands that do something. */
export const RESULT_FLAG = {
  short: 'o',
  value: 'FORMAT',
  default: 'text',
  choices: ['text', 'json'],
  summary: 'how to print',
} as const satisfies Flag;

/** `-o` of the commands that show one thing. */
export const FACTS_FLAG = {
  short: 'o',
  value: 'FORMAT',
  default: 'text',
  choices: ['text', 'json', 'yaml'],
  summary: 'how to print',
} as const satisfies Flag;

export const SECRET_ARGUMENT = { summary: 'the name of the secret', required: true } as const satisfies Argument;
export const OVERWRITE_FLAG = { summary: 'also when it is locked' } as const satisfies Flag;

export const LIMIT_FLAG = {
  value: 'DURATION',
  default: '15m',
  summary: 'how long to wait; what waits is not stopped by it',
} as const satisfies Flag;

/** Flags of the commands that begin a deploy. */
export const TURN_FLAGS = {
  detach: { summary: 'end once the deploy is queued, without looking at it' },
  noWait: { summary: 'end when another deploy of the app runs, instead of waiting for its end' },
  waitTimeout: LIMIT_FLAG,
  output: RESULT_FLAG,
} as const satisfies Record<string, Flag>;

export function parseLimit(text: string): number {
  return parseMilliseconds(text, '--wait-timeout');
}

/** What the server thinks of what it took all the same. */
export function tellWarnings({ warnings = [] }: { readonly warnings?: readonly string[] | undefined }, io: Io): void {
  for (const warning of warnings) io.err(`${printable(`warning: ${warning}`)}\n`);
}

/** @throws AppError */
export function parseCount(text: string, flag: string, most: number): number {
  const count = Number(text);
  if (/^[1-9]\d*$/.test(text) && count <= most) return count;
  throw new AppError('BAD_REQUEST', `${flag} is "${text}": write a whole number from 1 to ${most}`);
}
