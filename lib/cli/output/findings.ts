import type { Finding } from '../../configs/inspect.ts';
import type { SourceText } from '../input/files.ts';
import type { Io } from '../io.ts';
import { printable } from './printable.ts';
import { paint } from './style.ts';

export type Texts = Readonly<Partial<Record<Finding['of'], SourceText>>>;

/** Where a finding is, for people and for machines; `text` is the line itself. */
export interface Place {
  readonly line: number;
  /** 1-based, in UTF-16 code units. */
  readonly column: number;
  readonly text: string;
}

/**
 * Findings as a compiler prints them: `file:line:column: severity CODE: message`, the line with a caret, and the hint.
 * Those without a line have the path in its place.
 */
export function renderFindings(findings: readonly Finding[], texts: Texts, io: Io): string {
  return findings.map((finding) => renderFinding(finding, texts, io)).join('');
}

function renderFinding(finding: Finding, texts: Texts, io: Io): string {
  const { code, severity, message, hint, path, spoke } = finding.diagnostic;
  const source = texts[finding.of];
  const place = placeOf(finding, texts);
  const at = place || path === '' ? '' : ` (${path})`;
  const excerpt = place
    ? [printable(`    ${place.text}`), `    ${' '.repeat(place.column - 1)}${paint(io, 'cyan', '^')}`]
    : [];
  const where = place ? `${source?.name}:${place.line}:${place.column}` : (source?.name ?? finding.of);
  const what = paint(io, severity === 'error' ? 'red' : 'yellow', `${severity} ${code}`);
  const tag = spoke === undefined ? '' : ` [${spoke}]`;
  const text = `${printable(`${where}: `)}${what}${printable(`${tag}: ${message}${at}`)}`;
  return [text, ...excerpt, `    ${paint(io, 'dim', hint)}`, ''].join('\n');
}

/** The line, and where in it the field or the key of the finding is named; else where its text begins. */
export function placeOf({ of, diagnostic }: Finding, texts: Texts): Place | undefined {
  const { line, path } = diagnostic;
  const source = texts[of];
  if (source === undefined || line === undefined) return undefined;
  const lines = source.text.split(/\r\n?|\n/).map((text) => text.replaceAll('\t', ' '));
  const named = diagnostic.rule === undefined ? undefined : nameIn(lines, line, path);
  if (named !== undefined) return named;
  const text = lines[line - 1] ?? '';
  const key =
    path
      .split('.')
      .at(-1)
      ?.replace(/\[\d+\]$/, '') ?? '';
  const at = key === '' ? -1 : text.indexOf(key);
  return { line, text, column: (at === -1 ? indentOf(text) : at) + 1 };
}

/** Where a rule that begins at a line names a field. */
function nameIn(lines: readonly string[], line: number, path: string): Place | undefined {
  const indent = indentOf(lines[line - 1] ?? '');
  for (let index = line - 1; index < lines.length && path !== ''; index++) {
    const text = lines[index] ?? '';
    if (index >= line && text.trim() !== '' && indentOf(text) <= indent) return undefined;
    const column = text.indexOf(path) + 1;
    if (column > 0) return { line: index + 1, column, text };
  }
  return undefined;
}

function indentOf(text: string): number {
  return Math.max(0, text.search(/\S/));
}
