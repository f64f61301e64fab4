import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Io } from '../io.ts';

/** How a report is printed: whole, or its last line alone. */
export interface Printed {
  readonly whole: (io: Io) => string;
  readonly summary: () => string;
}

/** Prints a report, or writes it to a file and prints where it is. @throws AppError when the file cannot be written */
export async function printReport({ whole, summary }: Printed, file: string | undefined, io: Io): Promise<void> {
  if (file === undefined) {
    io.out(whole(io));
    return;
  }
  try {
    await writeFile(resolve(io.cwd, file), whole({ ...io, colour: false }));
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    throw new AppError('NOT_FOUND', `cannot write the report to ${file}: ${REASONS[code] ?? code}`, {}, { cause });
  }
  io.out(`report written to ${file}\n${summary()}`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  EISDIR: 'it is a folder',
  EACCES: 'writing it is not allowed',
};
