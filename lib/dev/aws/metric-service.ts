import type { InvocationRecord, InvocationStore } from '../lambda/stores.ts';
import { AwsError, type JsonService } from './json-service.ts';

interface Query {
  readonly Id: string;
  readonly MetricStat?: {
    readonly Metric: {
      readonly Namespace: string;
      readonly MetricName: string;
      readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
    };
    readonly Period: number;
    readonly Stat: string;
  };
}

/** What one call adds to a metric; undefined when it says nothing about it. */
type Sample = (call: InvocationRecord) => number | undefined;

/** Lambda's metrics that calls are counted in. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  Invocations: ({ throttled }) => (throttled ? undefined : 1),
  Errors: ({ throttled, error }) => (throttled ? undefined : Number(error)),
  Throttles: ({ throttled }) => Number(throttled),
  Duration: ({ throttled, durationMs }) => (throttled ? undefined : durationMs),
  ConcurrentExecutions: ({ throttled, concurrency }) => (throttled ? undefined : concurrency),
};

/** CloudWatch's GetMetricData for Lambda's metrics of a function, over the calls that the Lambda emulator records. */
export function createMetricService(invocations: InvocationStore): JsonService {
  return {
    GetMetricData({ MetricDataQueries: queries, StartTime, EndTime }) {
      const [from, until] = [Number(StartTime) * 1_000, Number(EndTime) * 1_000];
      if (!Array.isArray(queries) || !(from < until)) throw invalid('the range or the queries are not valid');
      return { MetricDataResults: queries.map((query: Query) => answer(invocations, query, from, until)) };
    },
  };
}

function answer(invocations: InvocationStore, { Id, MetricStat }: Query, from: number, until: number) {
  if (MetricStat === undefined) throw invalid('this emulator computes no expressions');
  const { Metric, Period, Stat } = MetricStat;
  if (!(Period >= 60 && Period % 60 === 0)) throw invalid('Period must be a multiple of 60');
  const [first, ...rest] = Metric.Dimensions ?? [];
  const sample = Metric.Namespace === 'AWS/Lambda' ? SAMPLES[Metric.MetricName] : undefined;
  const isOfFunction = first?.Name === 'FunctionName' && rest.length === 0;
  const steps = new Map<number, number[]>();
  if (sample !== undefined && isOfFunction) {
    for (const call of invocations.read({ functionName: first.Value, from, until })) {
      const value = sample(call);
      const step = call.at - (call.at % (Period * 1_000));
      if (value !== undefined) steps.set(step, [...(steps.get(step) ?? []), value]);
    }
  }
  const points = [...steps].toSorted(([one], [other]) => one - other);
  return {
    Id,
    Label: Metric.MetricName,
    StatusCode: 'Complete',
    Timestamps: points.map(([at]) => at / 1_000),
    Values: points.map(([, values]) => reduce(Stat, values)),
  };
}

function reduce(statistic: string, values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  if (statistic === 'Sum') return sum;
  if (statistic === 'Maximum') return Math.max(...values);
  if (statistic === 'Average') return sum / values.length;
  if (statistic === 'SampleCount') return values.length;
  const [, percent] = /^p(\d{1,2}(?:\.\d+)?)$/.exec(statistic) ?? [];
  if (percent === undefined) throw invalid(`this emulator does not know the statistic ${statistic}`);
  const sorted = values.toSorted((one, other) => one - other);
  // Nearest rank.
  return sorted[Math.max(0, Math.ceil((Number(percent) / 100) * sorted.length) - 1)] ?? 0;
}

function invalid(message: string): AwsError {
  return new AwsError('ValidationError', message);
}
