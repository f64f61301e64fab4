import { constructFromEvents, type Event, parseEvents, YAMLException } from 'js-yaml';
import { getOwn, isArray, isObject, type Json } from '../engine/json.ts';
import type { DocumentPath } from '../engine/values/path-text.ts';
import { YamlError } from './yaml-error.ts';
import { markDocuments } from './yaml-marks.ts';
import { KUBERNETES_SCHEMA } from './yaml-schema.ts';

/** One document of a YAML text, or one item of a `kind: List` in it. */
export interface YamlDocument {
  readonly value: Json;
  /** 1-based line of the key or list item at a path below this document; undefined where there is none. */
  lineOf(path: DocumentPath): number | undefined;
}

const MAX_LENGTH = 16 * 1024 * 1024;
const MAX_DEPTH = 500;
const MAX_MERGED_KEYS = 100_000;

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^duplicate/, 'keep one of the two entries'],
  [/tab characters/, 'indent with spaces'],
  [/^unknown \S+ tag/, 'remove the tag: Kubernetes reads JSON types only'],
  [/^unidentified alias/, 'define the anchor (&name) before its alias (*name)'],
  [/non-printable/, 'write the character as an escape in double quotes'],
  [/^a key must be/, 'put the key in quotes'],
];

/**
 * Reads YAML, or JSON, as kubectl does (R46): documents in order, empty ones left out, the items of a `kind: List` in
 * its place. A duplicate key is an error here, where kubectl lets the last one win. Integers are exact to uint64.
 *
 * @param text at most 16 Mi characters, also with all aliases written out, and 500 nested collections.
 * @throws YamlError, with the line and, where there is one, a hint.
 */
export function parseYaml(text: string): YamlDocument[] {
  if (text.length > MAX_LENGTH) throw new YamlError(`the text is longer than ${MAX_LENGTH} characters`);
  const lineAt = lineFinder(text);
  const { values, marks } = construct(text, lineAt);
  return values.flatMap((value, index) => {
    const lineOf = (path: DocumentPath) => {
      const offset = marks[index]?.offsetOf(path);
      return offset === undefined ? undefined : lineAt(offset);
    };
    return value === null || value === undefined ? [] : expandList({ value, lineOf });
  });
}

function construct(text: string, lineAt: (offset: number) => number) {
  try {
    const events: Event[] = parseEvents(text, { maxDepth: MAX_DEPTH });
    const marks = markDocuments(events, text, lineAt);
    const options = { source: text, schema: KUBERNETES_SCHEMA, maxTotalMergeKeys: MAX_MERGED_KEYS };
    return { marks, values: constructFromEvents(events, options) as Json[] };
  } catch (error) {
    if (error instanceof YAMLException) throw explain(error, text);
    throw error;
  }
}

function explain({ reason, mark }: YAMLException, text: string): YamlError {
  const key = /^["']?([^"':\r\n]{1,64})/.exec(text.slice(mark?.position, (mark?.position ?? 0) + 70))?.[1];
  const shown = reason === 'duplicated mapping key' && key ? `duplicate key "${key.trim()}"` : reason;
  return new YamlError(shown, mark && mark.line + 1, HINTS.find(([pattern]) => pattern.test(shown))?.[1]);
}

function expandList(document: YamlDocument): YamlDocument[] {
  const { value } = document;
  if (!isObject(value) || getOwn(value, 'kind') !== 'List') return [document];
  const items = getOwn(value, 'items');
  if (!isArray(items)) return [document];
  return items.flatMap((item, index) =>
    expandList({ value: item, lineOf: (path) => document.lineOf(['items', index, ...path]) }),
  );
}

/** Offsets to 1-based lines, by a table that is made on first use. */
function lineFinder(text: string): (offset: number) => number {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= [0, ...text.matchAll(/\r\n?|\n/g).map((match) => match.index + match[0].length)];
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
