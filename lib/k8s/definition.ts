import type { Diagnostic } from '../engine/diagnostic.ts';
import { getOwn, isObject, type Json, type JsonObject } from '../engine/json.ts';
import { type DocumentPath, pathText } from '../engine/values/path-text.ts';

/** How the two kinds of definition differ. */
export interface DefinitionKind {
  readonly source: 'CRD' | 'XRD';
  readonly kind: string;
  readonly apiVersions: readonly string[];
  /** API versions that once existed, and what to do with a document in one of them. */
  readonly retired: Readonly<Record<string, string>>;
  /** The flag of the version that objects are stored at. */
  readonly storageFlag: string;
}

/** Looks into a definition and collects what is wrong with it. */
export class DefinitionReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #lineOf: ((path: DocumentPath) => number | undefined) | undefined;

  constructor(lineOf: ((path: DocumentPath) => number | undefined) | undefined) {
    this.#lineOf = lineOf;
  }

  problem(
    code: string,
    path: DocumentPath,
    message: string,
    hint = 'send the CRD or XRD as a cluster accepts it',
  ): void {
    // Something missing has no line of its own: the line of what should hold it is the place to look.
    const line = this.#lineOf?.(path) ?? this.#lineOf?.(path.slice(0, -1));
    const where = path.length === 0 ? 'the schema' : pathText(path);
    this.diagnostics.push({
      code,
      severity: 'error',
      message: `${where} ${message}`,
      path: path.length === 0 ? '' : where,
      hint,
      ...(line !== undefined && { line }),
    });
  }

  object(root: JsonObject, path: readonly string[]): JsonObject | undefined {
    const value = find(root, path);
    if (isObject(value)) return value;
    this.problem('SCHEMA_FIELD_MISSING', path, 'must be an object');
    return undefined;
  }

  /** A non-empty string; '' after a problem. Says nothing where its container is missing and was reported. */
  text(root: JsonObject, path: readonly string[], code = 'SCHEMA_FIELD_MISSING'): string {
    const value = find(root, path);
    if (typeof value === 'string' && value !== '') return value;
    if (path[0] !== 'spec' || isObject(getOwn(root, 'spec'))) this.problem(code, path, 'must be a non-empty string');
    return '';
  }

  /** A missing flag is false, as in the peer's adapters. */
  flag(item: JsonObject, path: DocumentPath): boolean {
    const value = getOwn(item, String(path.at(-1))) ?? false;
    if (typeof value !== 'boolean') this.problem('SCHEMA_VERSION_FLAG', path, 'must be true or false');
    return value === true;
  }
}

function find(root: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const segment of path) value = isObject(value) ? getOwn(value, segment) : undefined;
  return value;
}
