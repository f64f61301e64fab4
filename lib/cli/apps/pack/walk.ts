import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { compareUtf8 } from '../../../engine/values/go-json.ts';
import { AppError } from '../../../errors.ts';
import { IGNORE_FILE, type Ignores, parseIgnore } from './ignore.ts';

export interface PackedFile {
  /** With `/`, from the package's folder on. */
  readonly path: string;
  /** Where it is read. */
  readonly source: string;
  readonly bytes: number;
  readonly executable: boolean;
}

/** What Lambda takes of a package once it is unpacked. */
const MAX_PACKAGE_BYTES = 250 * 1024 * 1024;
/** What fits into a zip without its 64-bit form. */
const MAX_FILES = 65_535;

interface Walk {
  /** The real path of the package's folder. */
  readonly root: string;
  readonly ignores: Ignores;
  readonly files: PackedFile[];
}

/**
 * The files of a package, in the order of their paths' bytes. A link counts as what it leads to, where that is in the
 * folder: a package that reaches out of it would hold what nobody sees in it.
 * @param folder absolute
 * @param shown how messages call it
 * @throws AppError when it is no folder, has nothing in it, is too large, or holds what cannot be packed
 */
export async function listPackage(folder: string, shown: string): Promise<readonly PackedFile[]> {
  const found = await stat(folder).catch((cause: NodeJS.ErrnoException) => {
    throw refuse(shown, cause.code === 'ENOENT' ? 'there is no such folder' : (cause.code ?? cause.message));
  });
  if (!found.isDirectory()) throw refuse(shown, 'it is no folder. Name the folder that your handler is in');
  const root = await realpath(folder);
  const rules = await readFile(join(root, IGNORE_FILE), 'utf8').catch(none);
  const walk: Walk = { root, ignores: parseIgnore(rules), files: [] };
  try {
    await visit(walk, root, '', [root]);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const { code, path = '' } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw refuse(shown, `${relative(root, path) || path}: ${code}`);
  }
  checkSize(walk.files, shown);
  return walk.files.sort((a, b) => compareUtf8(a.path, b.path));
}

/** @param above real paths of the folders that it is in: a link to one of them leads in a circle */
async function visit(walk: Walk, folder: string, prefix: string, above: readonly string[]): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    const source = join(folder, entry.name);
    // Asked before the link is followed: one that stays out may lead anywhere.
    if (walk.ignores(path, entry.isDirectory())) continue;
    const target = entry.isSymbolicLink() ? await follow(walk, source, path) : source;
    const facts = await stat(target);
    if (facts.isDirectory()) {
      if (entry.isSymbolicLink() && walk.ignores(path, true)) continue;
      if (above.includes(target)) throw refuse(path, 'this link leads in a circle');
      await visit(walk, target, `${path}/`, [...above, target]);
    } else if (facts.isFile()) {
      walk.files.push({ path, source: target, bytes: facts.size, executable: (facts.mode & 0o111) !== 0 });
    } else throw refuse(path, 'it is neither a file nor a folder');
  }
}

async function follow({ root }: Walk, source: string, path: string): Promise<string> {
  const target = await realpath(source).catch((cause: NodeJS.ErrnoException) => {
    throw refuse(path, cause.code === 'ELOOP' ? 'this link leads in a circle' : 'this link leads nowhere');
  });
  if (target === root || target.startsWith(root + sep)) return target;
  throw refuse(
    path,
    `this link leads out of the folder, to ${target}. Copy what it leads to, or name it in ${IGNORE_FILE}`,
  );
}

function checkSize(files: readonly PackedFile[], shown: string): void {
  if (files.length === 0) throw refuse(shown, 'there is no file in it that counts');
  if (files.length > MAX_FILES) throw refuse(shown, `it has ${files.length} files, and a zip holds ${MAX_FILES}`);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MAX_PACKAGE_BYTES) return;
  const largest = files
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, 5)
    .map(({ path, bytes }) => `\n  ${megabytes(bytes)}  ${path}`);
  const limit = `Lambda takes ${megabytes(MAX_PACKAGE_BYTES)} unpacked. Name what is not needed in ${IGNORE_FILE}`;
  throw refuse(shown, `it has ${megabytes(total)}, and ${limit}. The largest files:${largest.join('')}`);
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function refuse(what: string, reason: string): AppError {
  return new AppError('BAD_REQUEST', `cannot pack ${what}: ${reason}`);
}

function none(cause: NodeJS.ErrnoException): string {
  if (cause.code === 'ENOENT') return '';
  throw cause;
}
