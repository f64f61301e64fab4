import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** How one review ended. Only `success` is not an error. */
export type ReviewResult = 'success' | 'error' | 'bad_request' | 'not_registered' | 'panic';

/** One review, as counts and names; nothing of its objects. */
export interface ReviewRecord {
  readonly result: ReviewResult;
  readonly durationMs: number;
  /** Name of a registered target; missing when the request named none. */
  readonly target?: string;
  readonly endpoint?: string;
  readonly uid?: string;
  readonly from?: string;
  readonly to?: string;
  readonly revision?: number;
  readonly objects: number;
  readonly lossy: number;
  readonly absentSkipped: number;
  readonly stashIgnored: number;
  /** Rules that wrote nothing because their source has another shape than they expect. */
  readonly shapeMismatches: number;
}

/** The plans an instance holds, after a load that changed something. */
export interface RegistryRecord {
  readonly size: number;
  readonly compileMs: number;
  readonly compileErrors: number;
}

export interface Telemetry {
  review(record: ReviewRecord): void;
  registry(record: RegistryRecord): void;
}

interface MetricsOptions {
  readonly service: string;
  readonly stage: string;
  /** Takes one EMF line, without the newline. */
  readonly print: (line: string) => void;
}

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];
type Value = readonly [name: string, unit: Unit, value: number];

/** Every series costs money: so many targets get a series of their own, the rest share `other`. */
const MAX_TARGETS = 50;
const OTHER = 'other';

/**
 * Metrics in CloudWatch's embedded metric format. CloudWatch never aggregates over dimensions, so each metric is
 * published for `[service, stage]`, and those of a review for `[service, stage, target]` as well. What must not be a
 * dimension (result, versions, uid) is a property of the same line, which so is also the log line of the review.
 */
export function createMetrics({ service, stage, print }: MetricsOptions): Telemetry {
  const metrics = new Metrics({ namespace: 'Roundhouse', serviceName: service, defaultDimensions: { stage } });
  const targets = new Set<string>();
  let cold = true;

  const publish = (values: readonly Value[], target?: string) => {
    metrics.addDimensions({});
    if (target !== undefined) metrics.addDimensions({ target });
    for (const [name, unit, value] of values) metrics.addMetric(name, unit, value);
    print(JSON.stringify(metrics.serializeMetrics()));
    metrics.clearMetrics();
    metrics.clearDimensions();
    metrics.clearMetadata();
  };
  const series = (target: string | undefined) => {
    if (target === undefined) return OTHER;
    if (targets.size < MAX_TARGETS) targets.add(target);
    return targets.has(target) ? target : OTHER;
  };

  return {
    review: (record) => {
      for (const [name, value] of properties(record)) metrics.addMetadata(name, value);
      publish(reviewValues(record), series(record.target));
      if (cold) publish([['ColdStart', MetricUnit.Count, 1]]);
      cold = false;
    },
    registry: ({ size, compileMs, compileErrors }) => {
      publish([
        ['RegistrySize', MetricUnit.Count, size],
        ['RegistryCompileDuration', MetricUnit.Milliseconds, compileMs],
        ['RegistryCompileErrors', MetricUnit.Count, compileErrors],
      ]);
    },
  };
}

function reviewValues(record: ReviewRecord): readonly Value[] {
  return [
    ['ConversionReviewDuration', MetricUnit.Milliseconds, record.durationMs],
    ['ConversionReviewRequests', MetricUnit.Count, 1],
    ['ConversionReviewErrors', MetricUnit.Count, record.result === 'success' ? 0 : 1],
    ['ConversionObjects', MetricUnit.Count, record.objects],
    ['LossyConversions', MetricUnit.Count, record.lossy],
    ['RulesSkippedAbsent', MetricUnit.Count, record.absentSkipped],
    ['StashIgnored', MetricUnit.Count, record.stashIgnored],
    ['ShapeMismatches', MetricUnit.Count, record.shapeMismatches],
  ];
}

function properties({ result, endpoint, uid, from, to, revision }: ReviewRecord): [string, string][] {
  const named = { result, endpoint, uid, from, to, revision: revision?.toString() };
  return Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined);
}
