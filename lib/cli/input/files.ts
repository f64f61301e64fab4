import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Io } from '../io.ts';

/** A text that was given by name, and how messages call it. */
export interface SourceText {
  readonly name: string;
  readonly text: string;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'reading it is not allowed',
};

/** Reads a file, or standard input for `-`. @throws AppError NOT_FOUND with the reason and what the file was for */
export async function readSource(path: string, what: string, io: Io): Promise<SourceText> {
  if (path === '-') return { name: 'stdin', text: await io.readStdin() };
  try {
    return { name: path, text: await readFile(resolve(io.cwd, path), 'utf8') };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    throw new AppError('NOT_FOUND', `cannot read the ${what} ${path}: ${REASONS[code] ?? code}`, {}, { cause });
  }
}

/**
 * The YAML and JSON files below a folder, in lexical order of their paths; without those in folders that begin with a
 * dot. A path that is no folder is itself.
 */
export async function listSources(path: string, io: Io): Promise<{ paths: readonly string[]; folder: boolean }> {
  const folder = path !== '-' && ((await stat(resolve(io.cwd, path)).catch(() => undefined))?.isDirectory() ?? false);
  if (!folder) return { paths: [path], folder };
  const names = await readdir(resolve(io.cwd, path), { recursive: true });
  const wanted = names.filter((name) => /\.(ya?ml|json)$/i.test(name) && !/(^|[\\/])(\.|node_modules[\\/])/.test(name));
  return { paths: wanted.sort().map((name) => join(path, name)), folder };
}
