import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import type { FunctionRecord } from './model.ts';

/** The functions in a folder: one JSON file each, replaced in one step. */
export interface Snapshot {
  readonly load: () => Promise<FunctionRecord[]>;
  /** Undefined removes the function. */
  readonly save: (name: string, fn: FunctionRecord | undefined) => Promise<void>;
}

/** Of the files' form; another one is not read. */
const VERSION = 1;

export async function openSnapshot(dir: string): Promise<Snapshot> {
  const folder = join(dir, 'functions');
  await mkdir(folder, { recursive: true });
  const path = (name: string) => join(folder, `${name}.json`);
  return {
    async load() {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
      return Promise.all(names.map((name) => read(join(folder, name))));
    },
    async save(name, fn) {
      if (fn === undefined) return rm(path(name), { force: true });
      const draft = `${path(name)}.new`;
      await writeFile(draft, JSON.stringify({ version: VERSION, function: fn }));
      await rename(draft, path(name));
    },
  };
}

async function read(path: string): Promise<FunctionRecord> {
  try {
    const kept = JSON.parse(await readFile(path, 'utf8'));
    if (kept.version === VERSION) return kept.function;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  const hint = 'Move it away, and deploy its app again.';
  throw new AppError(
    'UNPROCESSABLE',
    `The file ${path} does not hold a function of this version of Roundhouse. ${hint}`,
  );
}
