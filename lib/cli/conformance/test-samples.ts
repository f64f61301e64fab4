import { getOwn } from '../../engine/json.ts';
import type { Run } from '../../engine/run.ts';
import { AppError } from '../../errors.ts';
import type { Conversion, VersionPair } from './conversion.ts';
import type { PathReport, SampleReport, TestReport } from './report.ts';
import { ruleId } from './rules.ts';
import { apiVersionOf, asStored, isOfKind, type Sample, type SampleSource } from './sample.ts';
import { type PathTest, testPath } from './test-path.ts';

export interface TestOptions {
  /** `offline`: a rule whose source is absent is an error; `review`: it writes nothing (D1). */
  readonly mode: Run['mode'];
  readonly skipIdentity: boolean;
  /** Only these ways; all when empty. */
  readonly pairs: readonly VersionPair[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called after each sample with how many are done. */
  readonly onSample?: (done: number) => void;
}

/**
 * Converts every sample of the target to every version and back. Samples of other groups and kinds are left out.
 * @throws AppError when there is no sample, one of the kind has no version, or a pair has nothing to test
 */
export async function testSamples(
  conversion: Conversion,
  source: SampleSource,
  options: TestOptions,
): Promise<TestReport> {
  const start = options.now();
  const samples: SampleReport[] = [];
  const seen = new Set<string>();
  for await (const sample of source) {
    const version = versionOf(sample, conversion);
    if (version === undefined) {
      seen.add(`${getOwn(sample.object, 'kind')}`);
      continue;
    }
    samples.push(testSample(conversion, sample, version, options));
    options.onSample?.(samples.length);
  }
  checkTested(conversion, samples, seen, options);
  return report(conversion, samples, options, start);
}

/** The version of an object of the target, undefined for another's. */
function versionOf({ name, object }: Sample, { target }: Conversion): string | undefined {
  if (!isOfKind(object, target)) return undefined;
  const found = apiVersionOf(object);
  if (found === undefined || found.version === '') {
    throw new AppError('BAD_REQUEST', `${name}: a ${target.kind} without apiVersion: write ${target.group}/<version>`);
  }
  return found.group === target.group ? found.version : undefined;
}

function testSample(conversion: Conversion, sample: Sample, from: string, options: TestOptions): SampleReport {
  const test: PathTest = { conversion, mode: options.mode, now: options.now };
  const object = options.mode === 'review' ? asStored(sample.object) : sample.object;
  const paths = conversion.versions.includes(from)
    ? pairsFrom(conversion, from, options).map((pair) => testPath(test, object, pair))
    : [unknownVersion(conversion, from)];
  return { file: sample.name, assertedVersion: from, paths };
}

function pairsFrom({ versions }: Conversion, from: string, { pairs, skipIdentity }: TestOptions): VersionPair[] {
  return versions
    .map((to) => ({ from, to }))
    .filter(({ to }) => !(skipIdentity && from === to))
    .filter(({ to }) => pairs.length === 0 || pairs.some((pair) => pair.from === from && pair.to === to));
}

function unknownVersion({ versions, router }: Conversion, from: string): PathReport {
  const detail = `version ${from} is not served, or has no rules; versions: ${versions.join(', ')}`;
  const issue = { field: 'apiVersion', from, to: router.hub, type: 'error', detail } as const;
  return { from, to: router.hub, result: 'error', timingMicros: 0, fieldsConverted: 0, issues: [issue] };
}

function checkTested(
  { target }: Conversion,
  samples: readonly SampleReport[],
  others: ReadonlySet<string>,
  { pairs }: TestOptions,
): void {
  if (samples.length === 0) {
    const found = others.size === 0 ? 'no object at all' : `only ${[...others].sort().join(', ')}`;
    throw new AppError('NOT_FOUND', `there is no ${target.kind} of ${target.group} to test: found ${found}`);
  }
  const idle = pairs.find(({ from }) => !samples.some(({ assertedVersion }) => assertedVersion === from));
  if (idle === undefined) return;
  const versions = [...new Set(samples.map(({ assertedVersion }) => assertedVersion))].sort();
  const message = `--version-pair ${idle.from}:${idle.to} tests nothing: the samples are at ${versions.join(', ')}`;
  throw new AppError('BAD_REQUEST', message);
}

function report(
  conversion: Conversion,
  samples: readonly SampleReport[],
  { now }: TestOptions,
  start: number,
): TestReport {
  const { target, config, router } = conversion;
  const paths = samples.flatMap((sample) => sample.paths);
  const count = (result: PathReport['result']) => paths.filter((path) => path.result === result).length;
  const issues = paths.flatMap((path) => path.issues ?? []);
  return {
    meta: {
      resourceKind: target.source,
      resource: target.name,
      config,
      hubVersion: router.hub,
      servedVersions: target.versions.filter(({ served }) => served).map(({ name }) => name),
      generatedAt: new Date(start).toISOString(),
      durationMs: Math.round(now() - start),
    },
    summary: {
      samples: samples.length,
      pathsTested: paths.length,
      pass: count('pass'),
      acknowledgedLoss: count('loss'),
      unacknowledgedLoss: count('fail'),
      errors: count('error'),
      schemaIssues: issues.filter(({ type }) => type === 'pruned' || type === 'schema-violation').length,
    },
    samples,
    ruleCoverage: coverage(conversion, samples),
  };
}

function coverage({ analysis }: Conversion, samples: readonly SampleReport[]): TestReport['ruleCoverage'] {
  const counts = new Map<string, number>();
  for (const { paths } of samples) {
    for (const id of new Set(paths.flatMap(({ rulesMatched = [] }) => rulesMatched))) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return analysis.spokes.flatMap(({ version, rules }) =>
    rules.map((rule) => ({
      ruleId: ruleId(version, rule),
      matchedSamples: counts.get(ruleId(version, rule)) ?? 0,
    })),
  );
}
