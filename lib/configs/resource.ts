import type * as z from 'zod/mini';
import type { Diagnostic } from '../engine/diagnostic.ts';
import { cloneJson, getOwn, isArray, isObject, type Json, type JsonObject, jsonType } from '../engine/json.ts';
import { type DocumentPath, pathText } from '../engine/values/path-text.ts';
import { parseYaml } from '../k8s/yaml.ts';
import { YamlError } from '../k8s/yaml-error.ts';

/** A resource as it was sent, with what is needed to say where something in it is. */
export interface Resource {
  readonly value: JsonObject;
  /** What was sent, as text: kept with the revision. */
  readonly text: string;
  /** 1-based line of the deepest part of a path that is there; undefined for a resource that came as an object. */
  lineOf(path: DocumentPath): number | undefined;
}

export type Parsed<T> =
  | { readonly value: T; readonly diagnostics: readonly Diagnostic[] }
  | { readonly value?: never; readonly diagnostics: readonly Diagnostic[] };

/**
 * `what` is how findings call it (`config`, `schema`); it also begins their codes.
 * @param wanted of the documents of a text, the one that is meant; there must be one such. A text of one document is
 *   that document whatever this says, so that one of a wrong kind is judged, with its lines. Without `wanted` there must
 *   be one document
 */
export function readResource(
  raw: Json,
  what: string,
  render: (value: Json) => string,
  wanted?: (value: JsonObject) => boolean,
): Parsed<Resource> {
  const code = `${what.toUpperCase()}_SYNTAX`;
  const refuse = (message: string, hint: string, line?: number): Parsed<Resource> => ({
    diagnostics: [
      { code, severity: 'error', message: `the ${what} ${message}`, path: '', hint, ...(line && { line }) },
    ],
  });
  if (isObject(raw)) {
    return { value: { value: raw, text: render(raw), lineOf: () => undefined }, diagnostics: [] };
  }
  if (typeof raw !== 'string') {
    return refuse(`is ${jsonType(raw)}`, 'send YAML or JSON text, or the resource as an object');
  }
  try {
    const all = parseYaml(raw);
    const documents = all.length > 1 && wanted ? all.filter(({ value }) => isObject(value) && wanted(value)) : all;
    const [document] = documents;
    if (document === undefined || documents.length > 1) {
      return wanted
        ? refuse(`text holds ${documents.length} ${what}s instead of one`, 'give a text with one')
        : refuse(`holds ${documents.length} resources instead of one`, `send the ${what} alone`);
    }
    const { value, lineOf } = document;
    if (!isObject(value)) return refuse(`is ${jsonType(value)}`, 'it must be a Kubernetes resource');
    return { value: toResource(value, raw, lineOf), diagnostics: [] };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return refuse(`cannot be read: ${error.message}`, error.hint ?? 'correct the text', error.line);
  }
}

/** One document of a text, as a resource. */
export function toResource(value: JsonObject, text: string, lineOf: Resource['lineOf']): Resource {
  return { value, text, lineOf: nearestLine(lineOf) };
}

function nearestLine(lineOf: (path: DocumentPath) => number | undefined) {
  return (path: DocumentPath): number | undefined => {
    for (let length = path.length; length >= 0; length--) {
      const line = lineOf(path.slice(0, length));
      if (line !== undefined) return line;
    }
    return undefined;
  };
}

/** Makes findings about one resource, with their lines. */
export function createReporter(resource: Resource, found: Diagnostic[]) {
  const report =
    (severity: Diagnostic['severity']) =>
    (code: string, path: DocumentPath, message: string, hint: string): void => {
      const line = resource.lineOf(path);
      found.push({ code, severity, message, hint, path: pathText(path), ...(line !== undefined && { line }) });
    };
  return { error: report('error'), warn: report('warning') };
}

export type Reporter = ReturnType<typeof createReporter>;

/** Checks a resource against a shape and reports every fault. Unknown keys are left out; another fault is undefined. */
export function checkShape<T>(shape: z.ZodMiniType<T>, resource: Resource, { error }: Reporter): T | undefined {
  const result = shape.safeParse(resource.value);
  if (result.success) return result.data;
  const { issues } = result.error;
  for (const issue of issues) {
    const path = issue.path as DocumentPath;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        error('CONFIG_UNKNOWN_KEY', [...path, key], `unknown key "${key}"`, 'remove it, or check its spelling');
      }
      continue;
    }
    const value = valueAt(resource.value, path);
    const hint = value === undefined ? 'add it' : 'correct the value';
    error('CONFIG_FIELD', path, `${pathText(path)} ${faultOf(issue, value)}`, hint);
  }
  return shape.safeParse(withoutUnknown(resource.value, issues)).data;
}

/** A copy without the keys that the issues call unknown. */
function withoutUnknown(value: Json, issues: readonly z.core.$ZodIssue[]): Json {
  const copy = cloneJson(value);
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const holder = valueAt(copy, issue.path as DocumentPath) as Record<string, Json>;
    for (const key of issue.keys) delete holder[key];
  }
  return copy;
}

function faultOf(issue: z.core.$ZodIssue, value: Json | undefined): string {
  if (value === undefined) return 'is missing';
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_type') {
    const wanted = issue.expected === 'record' ? 'object' : issue.expected;
    return `must be ${/^[aeio]/.test(wanted) ? 'an' : 'a'} ${wanted}, found ${jsonType(value)}`;
  }
  return issue.message;
}

function valueAt(root: Json, path: DocumentPath): Json | undefined {
  let value: Json | undefined = root;
  for (const segment of path) {
    if (isArray(value)) value = value[Number(segment)];
    else value = isObject(value) ? getOwn(value, String(segment)) : undefined;
  }
  return value;
}
