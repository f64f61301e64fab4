import { hasErrors } from '../../engine/diagnostic.ts';
import type { Flag } from '../command.ts';
import type { Batch, Judged } from '../input/batch.ts';
import type { Io } from '../io.ts';
import { renderFindings } from './findings.ts';
import { renderGithub } from './github.ts';
import { printJson } from './json.ts';
import { sarifLog } from './sarif.ts';

const FORMATS = ['table', 'json', 'sarif', 'github'] as const;

/** How commands that judge configs print what they found. */
export const REPORT_FLAG = {
  short: 'o',
  value: 'FORMAT',
  default: 'table',
  choices: FORMATS,
  summary: 'how to print; sarif is for code scanning, github for annotations in a workflow',
} as const satisfies Flag;

interface Printers {
  readonly toJson: (judged: Judged) => unknown;
  /** What is said of a config before and after its findings, in a table; with a head the parts stand apart. */
  readonly toHead?: (judged: Judged) => string;
  readonly toText?: (judged: Judged) => string;
}

export function failed({ judged }: Batch): boolean {
  return judged.some(({ findings }) => hasErrors(findings.map(({ diagnostic }) => diagnostic)));
}

export function printFindings({ judged, many }: Batch, format: string, io: Io, printers: Printers): void {
  if (format === 'json') {
    const reports = judged.map(printers.toJson);
    printJson(io, many ? { configs: reports } : reports[0]);
  } else if (format === 'sarif') printJson(io, sarifLog(judged));
  else if (format === 'github') io.out(judged.map(({ findings, texts }) => renderGithub(findings, texts)).join(''));
  else {
    const { toHead, toText } = printers;
    const gap = toHead ? '\n' : '';
    const blocks = judged.map((one) => {
      const parts = [toHead?.(one) ?? '', renderFindings(one.findings, one.texts, io), toText?.(one) ?? ''];
      return parts.filter((part) => part !== '').join(gap);
    });
    io.out(blocks.join(gap));
  }
}
