import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { renderJson } from '../output/json.ts';
import { printReport } from '../output/report-file.ts';
import { type Conversion, parseVersionPair } from './conversion.ts';
import { junitSuite, renderJunit } from './render-junit.ts';
import { renderReport, renderSummary } from './render-table.ts';
import { type FailOn, hasFinding, type TestReport } from './report.ts';

/** The flags of `test` that do not depend on where its objects come from. */
export interface TestFlags {
  readonly output: string;
  readonly outputFile: string | undefined;
  readonly absent: string | undefined;
  readonly versionPair: readonly string[];
  readonly skipIdentity: boolean;
  readonly failOn: string;
  readonly strict: boolean;
  readonly quiet: boolean;
}

/** @throws AppError for a pair that is none */
export function testOptions(conversion: Conversion, { skipIdentity, versionPair }: TestFlags, { now }: Io) {
  return { skipIdentity, pairs: versionPair.map((text) => parseVersionPair(text, conversion)), now };
}

export function isFailed(report: TestReport, { failOn, strict }: TestFlags): boolean {
  return hasFinding(report, failOn as FailOn, strict);
}

/** Prints one report as the flags want it. */
export async function printTest(report: TestReport, flags: TestFlags, io: Io): Promise<ExitCode> {
  const whole = {
    json: () => renderJson(report),
    junit: () => renderJunit([junitSuite(report)]),
    table: (to: Io) => renderReport(report, to),
  }[flags.output as 'json' | 'junit' | 'table'];
  await printReport({ whole, summary: () => renderSummary(report) }, flags.outputFile, io);
  return isFailed(report, flags) ? EXIT.finding : EXIT.ok;
}
