import type { Json } from '../engine/json.ts';
import { stringifyJson } from '../k8s/json.ts';

/** Of more findings than this nobody reads the rest, and they would not fit into an answer. */
const MAX_FINDINGS = 1_000;
/** Characters of the JSON of all findings that are shown: they, and the rest of a problem, are far below Lambda's limit. */
const MAX_JSON_LENGTH = 1_000_000;
/** Longest text of an error; it can quote what was sent. */
const MAX_TEXT = 4_096;

/** What is shown of a list, and how many are not. */
export interface Shown<T> {
  readonly shown: readonly T[];
  readonly more: number;
}

/** The answer to a config, with how many of its findings are left out. */
export type WithMoreFindings<T> = T & { readonly moreFindings?: number };

/** The first 1,000 findings in their order, errors before warnings where not all are shown; fewer when they are long. */
export function limitFindings<T extends object>(findings: readonly T[]): Shown<T> {
  if (findings.length <= MAX_FINDINGS && lengthOf(findings) <= MAX_JSON_LENGTH) return { shown: findings, more: 0 };
  const kept = new Set<T>();
  let room = MAX_JSON_LENGTH;
  for (const finding of [...findings.filter(isNoWarning), ...findings.filter((finding) => !isNoWarning(finding))]) {
    if (kept.size === MAX_FINDINGS) break;
    const length = lengthOf(finding);
    if (length > room) continue;
    room -= length;
    kept.add(finding);
  }
  return { shown: findings.filter((finding) => kept.has(finding)), more: findings.length - kept.size };
}

/** A result with what fits of its findings, which are under `key`, and beside them the count of the rest. */
export function limitResult<K extends string, T extends Readonly<Record<K, readonly object[]>>>(
  result: T,
  key: K,
): WithMoreFindings<T> {
  const { shown, more } = limitFindings<object>(result[key]);
  return more === 0 ? result : { ...result, [key]: shown, moreFindings: more };
}

export function cutText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}…`;
}

function isNoWarning(finding: object): boolean {
  return !('severity' in finding && finding.severity === 'warning');
}

function lengthOf(value: object): number {
  return stringifyJson(value as unknown as Json).length;
}
