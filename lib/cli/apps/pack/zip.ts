import { readFile } from 'node:fs/promises';
import { Zip, ZipDeflate } from 'fflate';
import { AppError } from '../../../errors.ts';
import type { PackedFile } from './walk.ts';

/** MS-DOS dates begin in 1980. Zips have local time: the same clock face is the same bytes in every zone. */
const MTIME = new Date(1980, 0, 1, 12);
/** Unix attributes stand in the upper half; without this number of a system nobody reads them. */
const UNIX = 3;
const [FILE, PROGRAM] = [0o100644, 0o100755].map((mode) => mode * 2 ** 16);

/**
 * One zip of the files, in memory. The same files give the same bytes on every machine: of times, owners and modes only
 * the bit that makes a program counts, and the compression is not Node's, which changes with its version.
 * @param onFile hears how many bytes of the sources are in
 * @throws AppError when a file has changed since it was listed
 */
export async function zipFiles(files: readonly PackedFile[], onFile: (bytes: number) => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  let done = 0;
  for (const { path, source, bytes, executable } of files) {
    const content = await readFile(source);
    if (content.length !== bytes) {
      throw new AppError('CONFLICT', `${path} changed while it was packed. Let it come to rest, then deploy again`);
    }
    const entry = new ZipDeflate(path, { level: 6 });
    Object.assign(entry, { mtime: MTIME, os: UNIX, attrs: executable ? PROGRAM : FILE });
    zip.add(entry);
    entry.push(content, true);
    done += bytes;
    onFile(done);
  }
  zip.end();
  return Buffer.concat(chunks);
}
