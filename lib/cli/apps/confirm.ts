import { AppError } from '../../errors.ts';
import type { Io } from '../io.ts';

/**
 * Has the person type a name before what cannot be undone; `yes` stands for that.
 * @throws AppError when nobody is there to be asked, or something else was typed
 */
export async function confirm(name: string, what: string, yes: boolean, { ask }: Pick<Io, 'ask'>): Promise<void> {
  if (yes) return;
  if (ask === undefined) {
    throw new AppError('BAD_REQUEST', `${what} cannot be undone, and nobody is here to be asked: give --yes`);
  }
  const typed = await ask(`${what} cannot be undone. Type its name to do it:`);
  if (typed.trim() !== name) throw new AppError('BAD_REQUEST', 'that is another name: nothing was done');
}

/**
 * A value that must not be seen: typed where nobody sees it, else all of standard input, without the line break that ends
 * it. Never from the command line, which everybody on the machine can read.
 */
export async function readSecretValue(key: string, { ask, readStdin }: Pick<Io, 'ask' | 'readStdin'>): Promise<string> {
  const value = ask === undefined ? (await readStdin()).replace(/\r?\n$/, '') : await ask(`${key}:`, { hidden: true });
  if (value !== '') return value;
  throw new AppError('BAD_REQUEST', `the value of ${key} is empty: a secret has at least one character`);
}

/** Does what a lock may forbid. @throws AppError that says how it is done all the same, in the words of this program */
export async function pastLock(change: Promise<void>, name: string, key: string): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'CONFLICT')) throw error;
    const hint = `If it is meant: --overwrite-locked, or \`roundhouse apps secrets unlock ${name} ${key}\``;
    throw new AppError('CONFLICT', `${error.message}\n  ${hint}`, error.details, { cause: error });
  }
}

/** @throws AppError when standard input would have to be both the token and the value */
export function refuseTokenFromStdin(
  { token, tokenFile }: { readonly token?: string | undefined; readonly tokenFile?: string | undefined },
  { ask }: Pick<Io, 'ask'>,
): void {
  if (ask !== undefined || (token !== '-' && tokenFile !== '-')) return;
  throw new AppError(
    'BAD_REQUEST',
    'standard input is the value here, so the token must come from a file or a context',
  );
}
