import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigService, ConfigView } from '../configs/types.ts';
import { getOwn, isObject, type Json, type JsonObject } from '../engine/json.ts';
import { AppError } from '../errors.ts';
import { parseYaml } from '../k8s/yaml.ts';

/** Holds apps to deploy, not configs. */
const APPS = 'apps';

/** One folder of `examples/`: a config, its CRD or XRD, and objects to convert. */
interface Example {
  readonly target: string;
  readonly config: string;
  readonly schema: string;
  readonly objects: readonly JsonObject[];
}

export interface SeededExample {
  readonly view: ConfigView;
  readonly objects: readonly JsonObject[];
}

/**
 * Puts every example that has no config yet through the service, as a user would. What is there already stays as it
 * is. Rejects with the folder's name when an example is not valid.
 */
export async function seedExamples(configs: ConfigService, folder: string): Promise<SeededExample[]> {
  const seeded: SeededExample[] = [];
  for (const name of await listFolders(folder)) {
    try {
      const example = await loadExample(join(folder, name));
      seeded.push({ view: await seed(configs, example), objects: example.objects });
    } catch (cause) {
      throw new Error(`examples/${name}: ${describe(cause)}`, { cause });
    }
  }
  return seeded;
}

async function seed(configs: ConfigService, { target, config, schema }: Example): Promise<ConfigView> {
  try {
    return await configs.get(target);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
  }
  await configs.put(target, { config, schema });
  return await configs.get(target);
}

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  return folders.filter((name) => name !== APPS).toSorted();
}

async function loadExample(folder: string): Promise<Example> {
  const files = (await readdir(folder)).toSorted();
  const schemaFile = files.find((file) => file === 'crd.yaml' || file === 'xrd.yaml');
  if (schemaFile === undefined) throw new Error('there is neither crd.yaml nor xrd.yaml');
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  const schema = await read(schemaFile);
  const objects = await Promise.all(files.filter((file) => /^object.*\.(yaml|json)$/.test(file)).map(read));
  return {
    target: nameOf(parseYaml(schema)[0]?.value),
    config: await read('config.yaml'),
    schema,
    objects: objects.flatMap((text) => parseYaml(text).map(({ value }) => value)).filter(isObject),
  };
}

function nameOf(resource: Json | undefined): string {
  const metadata = isObject(resource) ? getOwn(resource, 'metadata') : undefined;
  const name = isObject(metadata) ? getOwn(metadata, 'name') : undefined;
  if (typeof name === 'string') return name;
  throw new Error('the CRD or XRD has no metadata.name');
}

function describe(error: unknown): string {
  const findings = error instanceof AppError ? (error.details.diagnostics ?? []) : [];
  const lines = findings.map(({ code, message, spoke, rule }) => `  ${code} ${spoke ?? ''} ${rule ?? ''}: ${message}`);
  return [error instanceof Error ? error.message : String(error), ...lines].join('\n');
}
