import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isObject, type JsonObject, jsonType } from '../../engine/json.ts';
import { compareUtf8 } from '../../engine/values/go-json.ts';
import { AppError } from '../../errors.ts';
import { parseYaml } from '../../k8s/yaml.ts';
import { YamlError } from '../../k8s/yaml-error.ts';
import type { Io } from '../io.ts';
import { readSource, type SourceText } from './files.ts';

/** One document of a file, and where it is. */
export interface SourceDocument {
  /** The file, with `#2` for the second of several documents. */
  readonly name: string;
  readonly object: JsonObject;
}

const YAML_FILE = /\.ya?ml$/i;

/**
 * Every document of a file, of standard input (`-`), or of the `.yaml` and `.yml` files of a folder and the folders in
 * it, in the order of their names. Empty documents are left out; a `kind: List` is its items.
 * @throws AppError when something cannot be read, with the file and the line
 */
export async function readDocuments(path: string, what: string, io: Io): Promise<SourceDocument[]> {
  const files = await filesOf(path, io);
  const sources = await Promise.all(files.map((file) => readSource(file, what, io)));
  return sources.flatMap(parseDocuments);
}

async function filesOf(path: string, io: Io): Promise<string[]> {
  const isFolder = path !== '-' && (await stat(resolve(io.cwd, path)).catch(() => undefined))?.isDirectory();
  return isFolder ? filesIn(path, io) : [path];
}

async function filesIn(folder: string, io: Io): Promise<string[]> {
  const entries = await readdir(resolve(io.cwd, folder), { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => compareUtf8(a.name, b.name))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await filesIn(path, io)));
    else if (YAML_FILE.test(entry.name)) files.push(path);
  }
  return files;
}

function parseDocuments({ name, text }: SourceText): SourceDocument[] {
  try {
    const documents = parseYaml(text);
    return documents.map(({ value, lineOf }, index) => {
      if (isObject(value)) return { name: documents.length > 1 ? `${name}#${index + 1}` : name, object: value };
      const message = `${name}:${lineOf([]) ?? 1}: a document must be a Kubernetes object, found ${jsonType(value)}`;
      throw new AppError('BAD_REQUEST', message);
    });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new AppError('BAD_REQUEST', `${name}: ${error.message}${error.hint ? `: ${error.hint}` : ''}`);
  }
}
