import { type JunitSuite, junitSuite, renderJunit } from '../conformance/render-junit.ts';
import { renderReport, renderSummary } from '../conformance/render-table.ts';
import type { TestReport } from '../conformance/report.ts';
import type { Io } from '../io.ts';
import { renderJson } from '../output/json.ts';
import { printable, printableLines } from '../output/printable.ts';

/** What the objects of one cluster came to, or why they could not be had. */
export type ClusterReport =
  | { readonly label: string; readonly report: TestReport; readonly error?: never }
  | { readonly label: string; readonly error: string; readonly report?: never };

type Fails = (report: TestReport) => boolean;

/** The texts of a fleet's reports: all of it, and the lines that are printed when the whole goes to a file. */
export function fleetReport(reports: readonly ClusterReport[], fails: Fails, format: string) {
  const whole = (io: Io) => {
    if (format === 'json') return renderJson({ clusters: reports });
    return format === 'junit' ? renderJunit(reports.map(suiteOf)) : renderTables(reports, fails, io);
  };
  return { whole, summary: () => renderSummaries(reports, fails) };
}

function renderTables(reports: readonly ClusterReport[], fails: Fails, io: Io): string {
  const bodies = reports.map(({ label, report, error }) => {
    return `CLUSTER: ${label}\n${report === undefined ? `error: ${printableLines(error)}\n` : renderReport(report, io)}\n`;
  });
  return bodies.join('') + renderSummaries(reports, fails);
}

function renderSummaries(reports: readonly ClusterReport[], fails: Fails): string {
  const failed = reports.filter(({ report }) => report === undefined || fails(report)).length;
  const lines = reports.map(({ label, report, error }) => {
    return `${label}: ${report === undefined ? `${printable(error.split('\n')[0] ?? '')}\n` : renderSummary(report)}`;
  });
  return `${lines.join('')}FLEET: ${reports.length} clusters, ${failed} failed\n`;
}

/** One that cannot be reached is a case with an error. */
function suiteOf({ label, report, error }: ClusterReport): JunitSuite {
  if (report !== undefined) return junitSuite(report, `${label}/`);
  const fault = { kind: 'error', message: 'the cluster could not be tested' } as const;
  const failed = { name: label, classname: 'convctl.fleet', seconds: 0, fault, text: error };
  return { name: `${label}/`, cases: [failed] };
}
