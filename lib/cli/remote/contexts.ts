import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { Json } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { parseJson } from '../../k8s/json.ts';
import type { Io } from '../io.ts';

const contextShape = z.strictObject({
  server: z.string(),
  token: z.string(),
  /** The CA of the server, PEM, where no public one vouches for it. */
  ca: z.exactOptional(z.string()),
});
const fileShape = z.strictObject({
  current: z.exactOptional(z.string()),
  contexts: z.record(z.string(), contextShape),
});

/** One Roundhouse, and who asks it. */
export type Context = z.infer<typeof contextShape>;
export type Contexts = z.infer<typeof fileShape>;

const NAME = /^[a-z0-9][\w.:-]{0,63}$/i;

/** Where the contexts are kept, as the XDG base directory specification has it; undefined without a home folder. */
export function contextFile({ XDG_CONFIG_HOME, HOME, USERPROFILE }: Io['env']): string | undefined {
  const home = HOME || USERPROFILE;
  const config = XDG_CONFIG_HOME || (home && join(home, '.config'));
  return config ? join(config, 'roundhouse', 'contexts.json') : undefined;
}

/**
 * The contexts of this user; none when there is no file.
 * @throws AppError when the file cannot be read, is damaged, or others can read it: it holds tokens
 */
export async function loadContexts(io: Io): Promise<Contexts> {
  const file = contextFile(io.env);
  if (file === undefined) return { contexts: {} };
  try {
    const { mode } = await stat(file);
    // Windows has no such modes.
    if ((mode & 0o077) !== 0 && platform() !== 'win32') {
      const shown = (mode & 0o777).toString(8).padStart(4, '0');
      throw new AppError(
        'FORBIDDEN',
        `${file} holds tokens, and others than you may read or change it (mode ${shown}): chmod 600 ${file}`,
      );
    }
    return parseContexts(await readFile(file, 'utf8'), file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { contexts: {} };
    throw cause instanceof AppError ? cause : unusable(file, (cause as NodeJS.ErrnoException).code ?? '', cause);
  }
}

/** For the shell. */
export async function contextNames(io: Io): Promise<readonly string[]> {
  return Object.keys((await loadContexts(io)).contexts).sort();
}

/** Writes the file whole or not at all, for this user only. @throws AppError */
export async function saveContexts(contexts: Contexts, io: Io): Promise<string> {
  const file = contextFile(io.env);
  if (file === undefined) throw new AppError('BAD_REQUEST', 'contexts need a folder: set HOME, or XDG_CONFIG_HOME');
  const draft = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
    return file;
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => {});
    throw unusable(file, (cause as NodeJS.ErrnoException).code ?? '', cause);
  }
}

/** @throws AppError NOT_FOUND with the names that there are */
export function contextCalled(name: string, { contexts }: Contexts): Context {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(contexts).sort();
  const hint = names.length === 0 ? 'login makes one' : `there are ${names.join(', ')}`;
  throw new AppError('NOT_FOUND', `there is no context ${name}: ${hint}`);
}

/** @throws AppError BAD_REQUEST for a name that cannot be one */
export function withContext(file: Contexts, name: string, context: Context): Contexts {
  if (!NAME.test(name)) {
    const rule = 'up to 64 letters, digits, ".", "_", ":" and "-", the first a letter or a digit';
    throw new AppError('BAD_REQUEST', `"${name}" cannot be the name of a context: ${rule}`);
  }
  return { current: name, contexts: { ...file.contexts, [name]: context } };
}

/** @throws AppError NOT_FOUND */
export function withoutContext(file: Contexts, name: string): Contexts {
  contextCalled(name, file);
  const { [name]: _gone, ...contexts } = file.contexts;
  return { ...(file.current !== undefined && file.current !== name && { current: file.current }), contexts };
}

/** What is wrong is not quoted: it may be a token. */
function parseContexts(text: string, file: string): Contexts {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw unusable(file, 'it is not JSON', cause);
  }
  const parsed = fileShape.safeParse(value);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') || 'the top';
  throw unusable(file, `it is not as login writes it (at ${where})`);
}

function unusable(file: string, reason: string, cause?: unknown): AppError {
  const hint = 'Move it away and log in again';
  return new AppError('UNPROCESSABLE', `${file} cannot be used: ${reason}. ${hint}`, {}, { cause });
}
