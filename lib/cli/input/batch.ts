import { type Inspection, inspect } from '../../configs/inspect.ts';
import { type Parsed, type Resource, readResource, toResource } from '../../configs/resource.ts';
import { getOwn, isObject, type Json, type JsonObject } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { stringifyJson } from '../../k8s/json.ts';
import { parseYaml } from '../../k8s/yaml.ts';
import { YamlError } from '../../k8s/yaml-error.ts';
import type { Flag } from '../command.ts';
import type { Io } from '../io.ts';
import type { Texts } from '../output/findings.ts';
import { checkFlag, SCHEMA_FLAGS } from './conversion.ts';
import { listSources, readSource, type SourceText } from './files.ts';
import { isConfig, isSchema, kindOf, schemaKindOf, targetKindOf } from './kinds.ts';

/** The flags of commands that judge any number of configs. */
export const BATCH_FLAGS = {
  config: {
    short: 'c',
    value: 'FILE',
    summary: 'the XRDConversionConfig or CRDConversionConfig; a folder of them; - for standard input',
  },
  filename: {
    short: 'f',
    value: 'FILE',
    repeat: true,
    summary: 'files and folders with configs and their schemas, together; - for standard input',
  },
  ...SCHEMA_FLAGS,
} as const satisfies Record<string, Flag>;

export const BATCH_ONE_OF = [{ flags: ['config', 'filename'], required: true }, { flags: ['xrd', 'crd'] }] as const;

interface BatchFlags {
  readonly config?: string | undefined;
  readonly filename: readonly string[];
  readonly xrd?: string | undefined;
  readonly crd?: string | undefined;
}

/** One config, judged. */
export interface Judged extends Inspection {
  /** The file it is in. */
  readonly name: string;
  /** The texts that findings have their lines in. */
  readonly texts: Texts;
  readonly kind: 'XRD' | 'CRD' | undefined;
}

export interface Batch {
  readonly judged: readonly Judged[];
  /** Whether several were asked for: then reports are lists, also of one. */
  readonly many: boolean;
}

interface Document {
  readonly source: SourceText;
  readonly resource: Resource;
}

/**
 * Judges every config in files and folders, each with the schema of its target: the one that the flag names, or one
 * beside the config. Documents of other kinds are passed by, with a note.
 * @throws AppError when a file cannot be read, holds no config, or the schema flag is the wrong one for the only config
 */
export async function judgeAll(flags: BatchFlags, io: Io): Promise<Batch> {
  const paths = flags.config === undefined ? flags.filename : [flags.config];
  const { documents, unreadable, folder } = await readAll(paths, 'config', io);
  const configs = documents.filter((document) => isMeant(document, documents.length === 1 && !folder));
  if (configs.length + unreadable.length === 0) {
    throw new AppError('NOT_FOUND', `there is no CRDConversionConfig or XRDConversionConfig in ${paths.join(', ')}`);
  }
  noteOthers(documents, configs, io);
  const [only] = configs;
  if (configs.length === 1 && only) checkFlag(only.resource.value, { ...flags, config: only.source.name });
  const named = await readNamed(flags, io);
  const beside = documents.filter(({ resource }) => isSchema(resource.value)).map(toCandidate);
  const judged = [];
  for (const source of unreadable) judged.push(await judge({ source, parsed: unread(source, 'config') }, [], []));
  for (const config of configs) judged.push(await judge(toCandidate(config), named, beside));
  return { judged, many: flags.filename.length > 0 || folder || configs.length > 1 };
}

/** What was named on its own is taken for a config whatever its kind, so that a wrong kind is a finding with a line. */
function isMeant({ resource: { value } }: Document, alone: boolean): boolean {
  return isConfig(value) || (alone && !isSchema(value));
}

async function readAll(paths: readonly string[], what: 'config' | 'schema', io: Io) {
  const documents: Document[] = [];
  const unreadable: SourceText[] = [];
  let folder = false;
  for (const path of paths) {
    const listed = await listSources(path, io);
    folder ||= listed.folder;
    for (const file of listed.paths) {
      const source = await readSource(file, what, io);
      try {
        documents.push(...resourcesIn(source));
      } catch (error) {
        if (!(error instanceof YamlError)) throw error;
        unreadable.push(source);
      }
    }
  }
  return { documents, unreadable, folder };
}

function resourcesIn(source: SourceText): Document[] {
  return parseYaml(source.text).flatMap(({ value, lineOf }) => {
    if (!isObject(value)) return [];
    return [{ source, resource: toResource(value, source.text, lineOf) }];
  });
}

/** What the schema flag gives: all schemas in it, or else its only document, so that a wrong one is found out. */
async function readNamed({ xrd, crd }: BatchFlags, io: Io): Promise<readonly Candidate[]> {
  const path = xrd ?? crd;
  if (path === undefined) return [];
  const { documents, unreadable } = await readAll([path], 'schema', io);
  const [broken] = unreadable;
  if (broken) return [{ source: broken, parsed: unread(broken, 'schema') }];
  const schemas = documents.filter(({ resource }) => isSchema(resource.value));
  if (schemas.length > 0) return schemas.map(toCandidate);
  if (documents.length === 1) return documents.map(toCandidate);
  const wanted = schemaKindOf(xrd === undefined ? 'CRD' : 'XRD');
  throw new AppError('BAD_REQUEST', `${path} holds no ${wanted}, but ${documents.length} other documents`);
}

/** A document, or what is wrong with the text that should be one. */
interface Candidate {
  readonly source: SourceText;
  readonly parsed: Parsed<Resource>;
}

function toCandidate({ source, resource }: Document): Candidate {
  return { source, parsed: { value: resource, diagnostics: [] } };
}

/** The finding about a text that is no YAML. */
function unread({ text }: SourceText, what: 'config' | 'schema'): Parsed<Resource> {
  return readResource(text, what, stringifyJson);
}

async function judge(config: Candidate, named: readonly Candidate[], beside: readonly Candidate[]): Promise<Judged> {
  const value = config.parsed.value?.value ?? {};
  const kind = targetKindOf(value);
  const isOf = ({ parsed }: Candidate): boolean =>
    parsed.value !== undefined &&
    kindOf(parsed.value.value) === schemaKindOf(kind ?? 'CRD') &&
    textAt(parsed.value.value, ['metadata', 'name']) === textAt(value, ['spec', `target${kind}`, 'name']);
  const schema = named.find(isOf) ?? (named.length === 1 ? named[0] : beside.find(isOf));
  const inspection = await inspect({ config: config.parsed, ...(schema && { schema: schema.parsed }) });
  const texts = { config: config.source, ...(schema && { schema: schema.source }) };
  return { ...inspection, name: config.source.name, kind, texts };
}

function textAt(value: JsonObject, path: readonly string[]): string | undefined {
  let found: Json | undefined = value;
  for (const key of path) found = isObject(found) ? getOwn(found, key) : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** One line for each file with documents that are not for this command (R47). */
function noteOthers(documents: readonly Document[], configs: readonly Document[], io: Io): void {
  const others = documents.filter((document) => !configs.includes(document) && !isSchema(document.resource.value));
  for (const name of new Set(others.map(({ source }) => source.name))) {
    const kinds = others
      .filter(({ source }) => source.name === name)
      .map(({ resource }) => kindOf(resource.value) || 'no kind');
    io.err(`note: ${name}: passed by, neither a config nor a schema: ${kinds.join(', ')}\n`);
  }
}
