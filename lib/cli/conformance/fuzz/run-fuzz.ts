import { AppError } from '../../../errors.ts';
import type { Flag } from '../../command.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { parseWholeNumber } from '../../input/numbers.ts';
import type { Io } from '../../io.ts';
import { renderJson } from '../../output/json.ts';
import { startProgress } from '../../output/progress.ts';
import { printReport } from '../../output/report-file.ts';
import { type Conversion, parseVersionPair } from '../conversion.ts';
import { renderJunit } from '../render-junit.ts';
import { fuzz } from './fuzz.ts';
import type { FuzzReport } from './fuzz-report.ts';
import { fuzzSuite, renderFuzz, renderFuzzSummary } from './render-fuzz.ts';

/** The flags of `test` that only `--fuzz` has. */
export const FUZZ_FLAGS = {
  runs: { value: 'N', summary: 'with --fuzz: objects for each way, and as many beyond the rules (default: 1000)' },
  seed: { value: 'N', summary: 'with --fuzz: repeat the objects of a run (default: the time)' },
} as const satisfies Record<string, Flag>;

interface FuzzFlags {
  readonly runs: string | undefined;
  readonly seed: string | undefined;
  readonly output: string;
  readonly outputFile: string | undefined;
  readonly absent: string | undefined;
  readonly versionPair: readonly string[];
  readonly failOn: string;
  readonly strict: boolean;
  readonly quiet: boolean;
}

const DEFAULT_RUNS = '1000';

/** Tests generated objects and prints the report. @throws AppError for flags that cannot be */
export async function runFuzz(conversion: Conversion, flags: FuzzFlags, io: Io): Promise<ExitCode> {
  const progress = startProgress(io, flags.quiet);
  const report = await fuzz(conversion, {
    runs: parseWholeNumber(flags.runs ?? DEFAULT_RUNS, '--runs', 1),
    seed: parseWholeNumber(flags.seed ?? String(Math.trunc(io.now()) % 1e9), '--seed'),
    mode: flags.absent === 'fail' ? 'offline' : 'review',
    pairs: flags.versionPair.map((text) => parseVersionPair(text, conversion)),
    now: io.now,
    onObject: (done) => progress.show(`tested ${done} objects`),
  }).finally(progress.end);
  const whole = {
    json: () => renderJson(report),
    junit: () => renderJunit([fuzzSuite(report)]),
    table: (to: Io) => renderFuzz(report, to),
  }[flags.output as 'json' | 'junit' | 'table'];
  await printReport({ whole, summary: () => renderFuzzSummary(report) }, flags.outputFile, io);
  return isFinding(report, flags) ? EXIT.finding : EXIT.ok;
}

function isFinding({ summary }: FuzzReport, { failOn, strict }: FuzzFlags): boolean {
  if (failOn === 'none') return false;
  return summary.counterExamples + summary.beyond > 0 || ((strict || failOn === 'warn') && summary.schemaIssues > 0);
}

/** Without --fuzz they would be left out in silence. */
export function checkFuzzFlags({ fuzz: wanted, runs, seed }: { fuzz: boolean } & Pick<FuzzFlags, 'runs' | 'seed'>) {
  if (wanted || (runs ?? seed) === undefined) return;
  throw new AppError('BAD_REQUEST', `${runs === undefined ? '--seed' : '--runs'} is for --fuzz`);
}
