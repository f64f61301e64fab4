import type { Io } from '../io.ts';
import { counted } from '../output/counted.ts';
import { paint } from '../output/style.ts';
import { renderTable } from '../output/table.ts';
import type { Issue, PathReport, TestReport } from './report.ts';

const COLOURS = { pass: 'green', loss: 'yellow', fail: 'red', error: 'red' } as const;

/** A report as tables: every path, what was found, the rules' coverage, and the counts. */
export function renderReport(report: TestReport, io: Io): string {
  return `${pathTable(report, io)}${issueTable(report)}${coverageTable(report, io)}\n${renderSummary(report)}`;
}

export function renderSummary({ summary }: TestReport): string {
  const { samples, pathsTested, pass, acknowledgedLoss, unacknowledgedLoss, errors, schemaIssues } = summary;
  const schema = schemaIssues > 0 ? `, ${counted(schemaIssues, 'place')} that an apiserver would prune or refuse` : '';
  return (
    `SUMMARY: ${counted(samples, 'sample')}, ${counted(pathsTested, 'path')}: ${pass} PASS, ${acknowledgedLoss} LOSS (acknowledged), ` +
    `${unacknowledgedLoss} FAIL (unacknowledged loss), ${errors} ERROR${schema}\n`
  );
}

function pathTable({ samples, ruleCoverage }: TestReport, io: Io): string {
  const rulesOf = ({ from, to }: PathReport) =>
    ruleCoverage.filter(({ ruleId }) => ruleId.startsWith(`${from}:`) || ruleId.startsWith(`${to}:`)).length;
  const rows = samples.flatMap(({ file, paths }) =>
    paths.map((path) => [
      file,
      `${path.from}→${path.to}`,
      paint(io, COLOURS[path.result], path.result),
      String(path.fieldsConverted),
      String(path.timingMicros),
      path.from === path.to
        ? '(identity)'
        : path.rulesMatched
          ? `${path.rulesMatched.length} of ${rulesOf(path)}`
          : '-',
    ]),
  );
  return renderTable([['SAMPLE', 'PATH', 'RESULT', 'FIELDS', 'TIME(µs)', 'RULES MATCHED'], ...rows]);
}

function issueTable({ samples }: TestReport): string {
  const rows = samples.flatMap(({ file, paths }) =>
    paths.flatMap(({ issues = [] }) => issues.map((issue) => [file, ...cellsOf(issue)])),
  );
  if (rows.length === 0) return '';
  return `\nISSUES (${rows.length})\n${renderTable([['SAMPLE', 'FIELD', 'FROM → TO', 'TYPE', 'DETAIL'], ...rows])}`;
}

function cellsOf({ field, from, to, type, detail }: Issue): string[] {
  return [field, `${from} → ${to}`, type, detail];
}

function coverageTable({ ruleCoverage }: TestReport, io: Io): string {
  if (ruleCoverage.length === 0) return '';
  const rows = ruleCoverage.map(({ ruleId, matchedSamples }) => [
    ruleId,
    matchedSamples === 0 ? paint(io, 'yellow', '0, never tested') : String(matchedSamples),
  ]);
  return `\nRULE COVERAGE\n${renderTable([['RULE', 'SAMPLES'], ...rows])}`;
}
