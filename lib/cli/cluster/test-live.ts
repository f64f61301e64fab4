import { availableParallelism } from 'node:os';
import { AppError } from '../../errors.ts';
import type { Conversion } from '../conformance/conversion.ts';
import type { TestReport } from '../conformance/report.ts';
import { isFailed, printTest, type TestFlags, testOptions } from '../conformance/test-output.ts';
import { type TestOptions, testSamples } from '../conformance/test-samples.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { startProgress } from '../output/progress.ts';
import { printReport } from '../output/report-file.ts';
import { type FleetFlags, type FleetMember, fleetOf } from './fleet.ts';
import { liveSamples, type Selection } from './live-objects.ts';
import { mapParallel } from './parallel.ts';
import { type ClusterReport, fleetReport } from './render-fleet.ts';

interface LiveFlags extends TestFlags, FleetFlags, Selection {
  readonly live: boolean;
  /** Clusters at the same time; 0 for one a CPU. */
  readonly concurrency: string;
}

/**
 * `test --live`. A cluster has what people wrote, and converts it as a webhook does: absent sources are skipped unless
 * they shall fail. A cluster of a fleet that cannot be tested is a finding, whatever is asked for; one alone is an error.
 */
export async function runLiveTest(conversion: Conversion, flags: LiveFlags, io: Io): Promise<ExitCode> {
  const progress = startProgress(io, flags.quiet);
  const options = {
    ...testOptions(conversion, flags, io),
    mode: flags.absent === 'fail' ? 'offline' : 'review',
    onSample: (done: number) => progress.show(`tested ${done} objects`),
  } as const;
  const reports = await testFleet(conversion, flags, options, io).finally(progress.end);
  const [only] = reports;
  if (reports.length === 1 && only && 'report' in only) return printTest(only.report, flags, io);
  const fails = (report: TestReport) => isFailed(report, flags);
  await printReport(fleetReport(reports, fails, flags.output), flags.outputFile, io);
  return reports.some((each) => 'error' in each || fails(each.report)) ? EXIT.finding : EXIT.ok;
}

async function testFleet(
  conversion: Conversion,
  flags: LiveFlags,
  options: TestOptions,
  io: Io,
): Promise<ClusterReport[]> {
  const members = fleetOf(flags, io);
  const { namespace, selector, concurrency } = flags;
  let done = 0;
  const test = async ({ open }: FleetMember): Promise<TestReport> => {
    const { target, router } = conversion;
    const samples = liveSamples(await open(), target, router.hub, { namespace, selector });
    return await testSamples(conversion, samples, { ...options, onSample: () => options.onSample?.(++done) });
  };
  const [only] = members;
  if (members.length === 1 && only) return [{ label: only.label, report: await test(only) }];
  return await mapParallel(members, Number(concurrency) || availableParallelism(), async (member) => {
    const { label } = member;
    try {
      return { label, report: await test(member) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { label, error: error.message };
    }
  });
}

/** @throws AppError for a flag that would be left out in silence */
export function checkLiveFlags(flags: LiveFlags): void {
  if (flags.live) return;
  const { namespace, selector, kubeconfig, kubeconfigDir, context, contexts } = flags;
  const given = { namespace, selector, kubeconfig, 'kubeconfig-dir': kubeconfigDir, context, contexts: contexts[0] };
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) throw new AppError('BAD_REQUEST', `--${name} is for --live`);
}
