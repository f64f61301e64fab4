import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RevisionDetail } from '../../configs/types.ts';
import type { Json } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { parseYaml } from '../../k8s/yaml.ts';
import type { Io } from '../io.ts';
import { renderJson } from '../output/json.ts';
import { renderYaml } from '../output/yaml.ts';

/** A config and its schema as they are printed or written, and the names of their files. */
export interface Documents {
  readonly config: Document;
  readonly schema: Document;
}

interface Document {
  readonly file: string;
  readonly value: Json;
  readonly text: string;
}

/** The sources of a revision; YAML is what was sent, comments and all, unless it was sent as JSON. */
export function documentsOf({ config, schema }: RevisionDetail, format: 'yaml' | 'json'): Documents {
  const [configValue, schemaValue] = [parse(config), parse(schema)];
  const kind = (schemaValue as { readonly kind?: Json } | null)?.kind;
  const schemaName = kind === 'CompositeResourceDefinition' ? 'xrd' : 'crd';
  const render = (text: string, value: Json): string => {
    if (format === 'json') return renderJson(value);
    return /^\s*\{/.test(text) ? renderYaml(value) : text.replace(/\n*$/, '\n');
  };
  return {
    config: { file: `config.${format}`, value: configValue, text: render(config, configValue) },
    schema: { file: `${schemaName}.${format}`, value: schemaValue, text: render(schema, schemaValue) },
  };
}

/** As one text: two YAML documents, or a JSON list, which kubectl and convctl read alike. */
export function renderDocuments({ config, schema }: Documents, format: 'yaml' | 'json'): string {
  if (format === 'json') return renderJson({ apiVersion: 'v1', kind: 'List', items: [config.value, schema.value] });
  return `${config.text}${schema.text.startsWith('---') ? '' : '---\n'}${schema.text}`;
}

/**
 * Writes both into a folder, or neither: a file that is there with another content is not overwritten.
 * @returns the paths
 * @throws AppError CONFLICT
 */
export async function writeDocuments(
  { config, schema }: Documents,
  folder: string,
  { force, io }: { readonly force: boolean; readonly io: Io },
): Promise<readonly string[]> {
  const files = [config, schema].map(({ file, text }) => ({ path: join(folder, file), text }));
  for (const { path, text } of force ? [] : files) {
    const there = await readFile(resolve(io.cwd, path), 'utf8').catch(() => undefined);
    if (there === undefined || there === text) continue;
    throw new AppError('CONFLICT', `${path} is there and differs; --force overwrites it, nothing was written`);
  }
  try {
    await mkdir(resolve(io.cwd, folder), { recursive: true });
    for (const { path, text } of files) await writeFile(resolve(io.cwd, path), text);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new AppError('UNPROCESSABLE', `cannot write to ${folder}: ${code}`, {}, { cause });
  }
  return files.map(({ path }) => path);
}

function parse(text: string): Json {
  return parseYaml(text)[0]?.value ?? null;
}
