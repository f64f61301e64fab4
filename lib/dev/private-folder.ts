import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError } from '../errors.ts';

/** Text files that only this user may read: a folder of mode 0700, its files 0600. */
export interface PrivateFolder {
  /** Undefined when there is no such file. */
  readonly read: (name: string) => Promise<string | undefined>;
  /** Whole or not at all: a file that is there is replaced in one step. */
  readonly write: (name: string, text: string) => Promise<void>;
  /** Where the file is, absolute. */
  readonly path: (name: string) => string;
}

/**
 * Opens the folder, or makes it; its parent must be there. Modes that were loosened, as by a copy, are set right.
 * @throws AppError UNPROCESSABLE, as `read` and `write` do, when the folder or a file cannot be used
 */
export async function openPrivateFolder(dir: string): Promise<PrivateFolder> {
  const folder = resolve(dir);
  const path = (name: string) => join(folder, name);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  } catch (cause) {
    throw unusable('folder', folder, cause);
  }
  return {
    path,
    read: async (name) => {
      try {
        const text = await readFile(path(name), 'utf8');
        await chmod(path(name), 0o600);
        return text;
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw unusable('file', path(name), cause);
      }
    },
    write: async (name, text) => {
      try {
        const draft = path(`${name}.new`);
        await writeFile(draft, text, { mode: 0o600 });
        await rename(draft, path(name));
      } catch (cause) {
        throw unusable('file', path(name), cause);
      }
    },
  };
}

function unusable(what: 'file' | 'folder', path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : 'unknown reason';
  const hint = 'It must belong to this user; move it away, and a new one is made.';
  return new AppError('UNPROCESSABLE', `The ${what} ${path} cannot be used: ${reason}. ${hint}`, {}, { cause });
}
