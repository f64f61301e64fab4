import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Flag } from '../command.ts';
import type { Io } from '../io.ts';

export const TOKEN_OUT_FLAG = {
  value: 'FILE',
  summary: 'write the new path token there, readable for you only, instead of printing it',
} as const satisfies Flag;

export interface TokenFile {
  readonly path: string;
  readonly write: (token: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Opens a file for a token, and takes the rights of others to it away. What it holds stays until there is a token.
 * @throws AppError, before the token is made: it is shown only once
 */
export async function openTokenFile(path: string, io: Io): Promise<TokenFile> {
  try {
    const file = await open(resolve(io.cwd, path), 'a', 0o600);
    await file.chmod(0o600);
    return {
      path,
      write: async (token) => {
        await file.truncate();
        await file.writeFile(`${token}\n`);
      },
      close: () => file.close(),
    };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new AppError('UNPROCESSABLE', `cannot write the token file ${path}: ${code}`, {}, { cause });
  }
}
