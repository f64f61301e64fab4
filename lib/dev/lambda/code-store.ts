import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { invalid } from './errors.ts';

/** Zip packages by content, and their unpacked files. */
export interface CodeStore {
  /**
   * Checks, unpacks and keeps a package; one that is there already is not unpacked again.
   * @throws LambdaError as Lambda refuses it
   */
  put(zip: Uint8Array): Promise<StoredCode>;
  /** Folder of the unpacked files of a package. */
  folder(code: string): string;
  /** Removes what is not among these, but for what was put and is not in use yet. */
  keepOnly(codes: ReadonlySet<string>): Promise<void>;
}

interface StoredCode {
  /** Name in this store. */
  readonly code: string;
  /** As Lambda shows it: base64 of the package's SHA-256. */
  readonly sha256: string;
  readonly bytes: number;
}

/** Lambda's quota for the unpacked files of a package: 250 MB. */
export const MAX_UNZIPPED_BYTES = 262_144_000;
/** Far more than an app has; each costs an entry in the file system. */
const MAX_FILES = 50_000;

export async function openCodeStore(dir: string): Promise<CodeStore> {
  const zips = join(dir, 'zip');
  const tasks = join(dir, 'task');
  await mkdir(zips, { recursive: true });
  await mkdir(tasks, { recursive: true });
  const folder = (code: string) => join(tasks, code);
  /** Two puts of one package at once are one. */
  const running = new Map<string, Promise<void>>();
  /** Put, and not seen in use. */
  const fresh = new Set<string>();
  const unpack = async (code: string, zip: Uint8Array) => {
    if ((await readdir(tasks)).includes(code)) return;
    const files = readZip(zip);
    const draft = `${folder(code)}.new`;
    await rm(draft, { recursive: true, force: true });
    try {
      await writeFiles(draft, files);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      // A package with a file and a folder of one name.
      if (['EEXIST', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'].includes(`${(error as NodeJS.ErrnoException).code}`)) {
        throw unreadable();
      }
      throw error;
    }
    await writeFile(join(zips, `${code}.zip`), zip);
    await rename(draft, folder(code));
  };
  return {
    folder,
    async put(zip) {
      const hash = createHash('sha256').update(zip).digest();
      const code = hash.toString('hex');
      const job = running.get(code) ?? unpack(code, zip).finally(() => running.delete(code));
      running.set(code, job);
      fresh.add(code);
      await job;
      return { code, sha256: hash.toString('base64'), bytes: zip.length };
    },
    async keepOnly(codes) {
      for (const code of codes) fresh.delete(code);
      for (const name of await readdir(tasks)) {
        if (codes.has(name) || fresh.has(name.replace(/\.new$/, ''))) continue;
        await rm(join(tasks, name), { recursive: true, force: true });
        await rm(join(zips, `${name}.zip`), { force: true });
      }
    },
  };
}

/** The files of a package, with sizes bounded before anything is unpacked. */
export function readZip(zip: Uint8Array): ReadonlyMap<string, Uint8Array> {
  let total = 0;
  let count = 0;
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(zip, {
      filter: ({ name, size, originalSize }) => {
        if (!isSafe(name)) throw unreadable();
        // What it takes: a stored entry its size, a packed one what it says, for its buffer does not grow.
        total += Math.max(size, originalSize);
        count += 1;
        if (total > MAX_UNZIPPED_BYTES) throw invalid(`Unzipped size must be smaller than ${MAX_UNZIPPED_BYTES} bytes`);
        if (count > MAX_FILES) throw unreadable();
        return !name.endsWith('/');
      },
    });
  } catch (error) {
    throw error instanceof Error && error.name === 'LambdaError' ? error : unreadable();
  }
  const files = new Map(Object.entries(entries));
  if (files.size === 0) throw invalid('Uploaded file must be a non-empty zip');
  return files;
}

/** Only names that stay below the folder; no package that a tool made has others. */
function isSafe(name: string): boolean {
  const parts = name.replace(/\/$/, '').split('/');
  return !/[\\\0]|^[A-Za-z]:/.test(name) && parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

async function writeFiles(dir: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  await mkdir(dir);
  for (const folder of new Set([...files.keys()].map((name) => dirname(name)))) {
    await mkdir(join(dir, folder), { recursive: true });
  }
  for (const [name, bytes] of files) await writeFile(join(dir, name), bytes, { flag: 'wx' });
}

function unreadable() {
  return invalid('Could not unzip uploaded file. Please check your file, then try to upload again.');
}
