import { Metrics } from '@aws-lambda-powertools/metrics';
import { METRICS, type MetricOf, NAMESPACE, type Service } from './metric-catalogue.ts';

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

/** One synthetic review, which went through the same URL as those of apiservers. */
export interface SyntheticRecord {
  /** No answer, or not the expected one. */
  readonly failed: boolean;
  readonly durationMs: number;
  /** Why it failed; a log property. */
  readonly reason?: string;
}

export interface SyntheticTelemetry {
  record(record: SyntheticRecord): void;
}

export interface PublisherOptions {
  readonly stage: string;
  /** Takes one EMF line, without the newline. */
  readonly print: (line: string) => void;
}

interface MetricsOptions extends PublisherOptions {
  /** The Lambda function version that writes; a property of every line, so that those of a new version can be told apart. */
  readonly version: string;
}

type Values<Name extends string> = Readonly<Partial<Record<Name, number>>>;
type Properties = Readonly<Record<string, string | undefined>>;

/** Every series costs money: so many targets get a series of their own, the rest share `other`. */
const MAX_TARGETS = 50;
const OTHER = 'other';

/**
 * The metrics of `convert`, in CloudWatch's embedded metric format. CloudWatch never aggregates over dimensions, so each
 * metric is published for `[service, stage]`, and those of a review for `[service, stage, target]` as well. What must not
 * be a dimension (result, versions, uid) is a property of the same line, which so is also the log line of the review.
 */
export function createMetrics({ version, ...options }: MetricsOptions): Telemetry {
  const publish = createPublisher('convert', options);
  const targets = new Set<string>();
  let cold = true;

  const series = (target: string | undefined) => {
    if (target === undefined) return OTHER;
    if (targets.size < MAX_TARGETS) targets.add(target);
    return targets.has(target) ? target : OTHER;
  };

  return {
    review: (record) => {
      publish(reviewValues(record), { ...reviewProperties(record), version }, series(record.target));
      if (cold) publish({ ColdStart: 1 }, { version });
      cold = false;
    },
    registry: ({ size, compileMs, compileErrors }) => {
      const values = {
        RegistrySize: size,
        RegistryCompileDuration: compileMs,
        RegistryCompileErrors: compileErrors,
      };
      publish(values, { version });
    },
  };
}

/** The metrics of `synthetic`, for `[service, stage]`. */
export function createSyntheticMetrics(options: PublisherOptions): SyntheticTelemetry {
  const publish = createPublisher('synthetic', options);
  return {
    record: ({ failed, durationMs, reason }) => {
      publish({ SyntheticReviewFailures: failed ? 1 : 0, SyntheticReviewDuration: durationMs }, { reason });
    },
  };
}

/** Prints metrics of one service, and no others, as one line a call. */
export function createPublisher<Of extends Service>(service: Of, options: PublisherOptions) {
  type Name = MetricOf<{ service: Of }>;
  const { stage, print } = options;
  const metrics = new Metrics({ namespace: NAMESPACE, serviceName: service, defaultDimensions: { stage } });
  return (values: Values<Name>, properties: Properties, target?: string): void => {
    metrics.addDimensions({});
    if (target !== undefined) metrics.addDimensions({ target });
    for (const [name, value] of Object.entries(properties)) if (value !== undefined) metrics.addMetadata(name, value);
    for (const [name, value] of Object.entries(values) as [Name, number][]) {
      metrics.addMetric(name, METRICS[name].unit, value);
    }
    print(JSON.stringify(metrics.serializeMetrics()));
    metrics.clearMetrics();
    metrics.clearDimensions();
    metrics.clearMetadata();
  };
}

function reviewValues(record: ReviewRecord): Record<MetricOf<{ byTarget: true }>, number> {
  return {
    ConversionReviewDuration: record.durationMs,
    ConversionReviewRequests: 1,
    ConversionReviewErrors: record.result === 'success' ? 0 : 1,
    ConversionObjects: record.objects,
    LossyConversions: record.lossy,
    RulesSkippedAbsent: record.absentSkipped,
    StashIgnored: record.stashIgnored,
    ShapeMismatches: record.shapeMismatches,
  };
}

function reviewProperties({ result, endpoint, uid, from, to, revision }: ReviewRecord): Properties {
  return { result, endpoint, uid, from, to, revision: revision?.toString() };
}
