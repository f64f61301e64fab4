import { isUtf8 } from 'node:buffer';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compareUtf8 } from '../../engine/values/go-json.ts';
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
  ELOOP: 'its links lead in a circle',
};

/**
 * Reads a file, or standard input for `-`. A byte order mark is not part of the text.
 * @throws AppError NOT_FOUND with the reason and what the file was for; BAD_REQUEST when it is no UTF-8
 */
export async function readSource(path: string, what: string, io: Io): Promise<SourceText> {
  if (path === '-') return { name: 'stdin', text: await io.readStdin() };
  const bytes = await readFile(resolve(io.cwd, path)).catch(unreadable(what, path));
  return { name: path, text: decodeUtf8(bytes, path) };
}

/** @throws AppError with the place of the first byte that is no UTF-8: read on with another letter, it would be changed */
export function decodeUtf8(bytes: Uint8Array, name: string): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  const offset = firstWrongByte(bytes);
  const line = bytes.subarray(0, offset).reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 1);
  const message = `${name}:${line}: the byte at offset ${offset} is no UTF-8: save the text as UTF-8`;
  throw new AppError('BAD_REQUEST', message);
}

/** Looks by halves for the longest beginning that more bytes could go on, and goes back to the start of its last letter. */
function firstWrongByte(bytes: Uint8Array): number {
  let [good, bad] = [0, bytes.length + 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (canBegin(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  while (!isUtf8(bytes.subarray(0, good))) good -= 1;
  return good;
}

function canBegin(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The YAML and JSON files below a folder. A path that is no folder is itself. */
export async function listSources(path: string, io: Io): Promise<{ paths: readonly string[]; folder: boolean }> {
  const folder = path !== '-' && (await isFolder(path, io));
  return { paths: folder ? await filesBelow(path, /\.(ya?ml|json)$/i, io) : [path], folder };
}

/**
 * The files below a folder whose names match, in the order of their names, folder by folder. What begins with a dot and
 * `node_modules` are left out; links to files count, as in a mounted ConfigMap, links to folders are not followed.
 * @throws AppError for a folder that cannot be read
 */
async function filesBelow(folder: string, name: RegExp, io: Io): Promise<string[]> {
  const found = await readdir(resolve(io.cwd, folder), { withFileTypes: true }).catch(unreadable('folder', folder));
  const files: string[] = [];
  for (const entry of found.sort((a, b) => compareUtf8(a.name, b.name))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await filesBelow(path, name, io)));
    else if (name.test(entry.name) && !(entry.isSymbolicLink() && (await isFolder(path, io)))) files.push(path);
  }
  return files;
}

/** A link that leads nowhere is none: reading it says so. */
async function isFolder(path: string, { cwd }: Io): Promise<boolean> {
  return (await stat(resolve(cwd, path)).catch(() => undefined))?.isDirectory() ?? false;
}

function unreadable(what: string, path: string) {
  return (cause: NodeJS.ErrnoException): never => {
    const reason = REASONS[cause.code ?? ''] ?? cause.code ?? cause.message;
    throw new AppError('NOT_FOUND', `cannot read the ${what} ${path}: ${reason}`, {}, { cause });
  };
}
