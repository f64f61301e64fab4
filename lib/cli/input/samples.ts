import { isObject, type JsonObject, jsonType } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import { parseYaml } from '../../k8s/yaml.ts';
import { YamlError } from '../../k8s/yaml-error.ts';
import type { Io } from '../io.ts';
import { listSources, readSource, type SourceText } from './files.ts';

/** One document of a file, and where it is. */
export interface SourceDocument {
  /** The file, with `#2` for the second of several documents. */
  readonly name: string;
  readonly object: JsonObject;
}

/**
 * Every document of a file, of standard input (`-`), or of the YAML and JSON files of a folder and the folders in it, in
 * the order of their names. Empty documents are left out; a `kind: List` is its items.
 * Peer: of a folder it reads `.yaml` and `.yml` alone, and passes a dump that `kubectl get -o json` wrote by in silence.
 * @throws AppError when something cannot be read, with the file and the line
 */
export async function readDocuments(path: string, what: string, io: Io): Promise<SourceDocument[]> {
  const { paths } = await listSources(path, io);
  const sources = await Promise.all(paths.map((file) => readSource(file, what, io)));
  return sources.flatMap(parseDocuments);
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
