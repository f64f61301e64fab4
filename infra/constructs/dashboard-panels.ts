import { type IMetric, MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName, MetricOf } from '../../lib/telemetry/metric-catalogue.ts';
import {
  catalogueMetric,
  errorRatio,
  type FunctionMetric,
  functionMetric,
  httpApiMetric,
  lossyRate,
  metricByTarget,
  type NamedFunction,
  type Observed,
  tableLatency,
  tableMetric,
} from './metrics.ts';

/** One graph. */
export interface Panel {
  readonly title: string;
  readonly left: readonly IMetric[];
  readonly right?: readonly IMetric[];
}

/** A part of the dashboard: rows of up to four graphs, which share the width. */
export interface Section {
  readonly title: string;
  readonly rows: readonly (readonly Panel[])[];
}

/** Every graph of the page for conversion, in the order in which somebody who was woken up looks at them. */
export function sections(observed: Observed): readonly Section[] {
  return [reviewSection(observed), convertSection(observed), targetSection(observed), apiSection(observed)];
}

function reviewSection({ stage }: Observed): Section {
  const metric = (name: MetricName, statistic?: string) => catalogueMetric(stage, name, statistic);
  const size = metric('RegistrySize', Stats.MAXIMUM);
  const objects = metric('ConversionObjects');
  return {
    title: 'Conversion reviews',
    rows: [
      [
        {
          title: 'Reviews',
          left: [metric('ConversionReviewRequests'), metric('ConversionReviewErrors')],
        },
        {
          title: 'Review duration',
          left: severally(['p50', 'p99'], (statistic) => metric('ConversionReviewDuration', statistic)),
        },
        { title: 'Failed reviews', left: [errorRatio(stage)] },
        {
          title: 'Objects per second',
          left: [
            new MathExpression({
              expression: 'objects/PERIOD(objects)',
              usingMetrics: { objects },
              label: 'Objects per second',
              period: objects.period,
            }),
          ],
        },
      ],
      [
        { title: 'Lossy conversions', left: [lossyRate(stage)] },
        {
          title: 'Rules without effect',
          left: [metric('RulesSkippedAbsent'), metric('StashIgnored'), metric('ShapeMismatches')],
        },
        {
          title: 'Plans in an instance',
          left: [
            new MathExpression({
              // An instance reports its size when it changes, so between two reports the last one holds.
              expression: 'FILL(size,REPEAT)',
              usingMetrics: { size },
              label: 'Plans, at most',
              period: size.period,
            }),
          ],
        },
        {
          title: 'Registry compile time',
          left: severally([Stats.AVERAGE, Stats.MAXIMUM], (statistic) => metric('RegistryCompileDuration', statistic)),
          right: [metric('RegistryCompileErrors')],
        },
      ],
      [
        { title: 'Cold starts', left: [metric('ColdStart')] },
        { title: 'Synthetic review: failures', left: [metric('SyntheticReviewFailures')] },
        { title: 'Synthetic review: duration', left: [metric('SyntheticReviewDuration')] },
      ],
    ],
  };
}

function convertSection({ convert, httpApiId, table }: Observed): Section {
  return {
    title: 'Function convert and the table',
    rows: [
      urlPanels('convert', convert),
      ...(httpApiId === undefined ? [] : [domainPanels(httpApiId)]),
      [
        {
          title: 'Table capacity',
          left: [tableMetric(table, 'ConsumedReadCapacityUnits'), tableMetric(table, 'ConsumedWriteCapacityUnits')],
        },
        {
          title: 'Table throttles',
          left: [tableMetric(table, 'ReadThrottleEvents'), tableMetric(table, 'WriteThrottleEvents')],
        },
        {
          title: 'Table latency',
          // The five operations that the functions may call.
          left: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'].map((name) => tableLatency(table, name)),
        },
      ],
    ],
  };
}

function targetSection({ stage }: Observed): Section {
  const panel = (title: string, name: MetricOf<{ byTarget: true }>, statistic: string = Stats.SUM): Panel => ({
    title: `${title} by target`,
    left: [metricByTarget(stage, name, statistic)],
  });
  return {
    title: 'By target',
    rows: [
      [
        panel('Reviews', 'ConversionReviewRequests'),
        panel('Failed reviews', 'ConversionReviewErrors'),
        panel('p99 duration', 'ConversionReviewDuration', 'p99'),
        panel('Objects', 'ConversionObjects'),
      ],
      [
        panel('Lossy conversions', 'LossyConversions'),
        panel('Rules skipped', 'RulesSkippedAbsent'),
        panel('Stashes ignored', 'StashIgnored'),
        panel('Shape mismatches', 'ShapeMismatches'),
      ],
    ],
  };
}

function apiSection({ api }: Observed): Section {
  return { title: 'Function api', rows: [urlPanels('the API', api)] };
}

function urlPanels(name: string, of: NamedFunction): readonly Panel[] {
  const metric = (name: FunctionMetric, statistic?: string) => functionMetric(of, name, statistic);
  return [
    {
      title: `URL of ${name}`,
      left: [metric('UrlRequestCount'), metric('Url4xxCount'), metric('Url5xxCount')],
      right: [metric('UrlRequestLatency', Stats.AVERAGE)],
    },
    ...functionPanels(name, of),
  ];
}

export function functionPanels(name: string, of: NamedFunction): readonly Panel[] {
  const metric = (name: FunctionMetric, statistic?: string) => functionMetric(of, name, statistic);
  return [
    { title: `Errors and throttles of ${name}`, left: [metric('Errors'), metric('Throttles')] },
    { title: `Concurrency of ${name}`, left: [metric('ConcurrentExecutions', Stats.MAXIMUM)] },
    {
      title: `Duration of ${name}`,
      left: severally([Stats.AVERAGE, 'p99'], (statistic) => metric('Duration', statistic)),
    },
  ];
}

/** The domain's own numbers; old CRDs may go on using the URL beside it. */
function domainPanels(apiId: string): readonly Panel[] {
  return [
    {
      title: 'Domain of convert',
      left: [httpApiMetric(apiId, 'Count'), httpApiMetric(apiId, '4xx'), httpApiMetric(apiId, '5xx')],
    },
    {
      title: 'Latency of the domain of convert',
      left: severally([Stats.AVERAGE, 'p99'], (statistic) => httpApiMetric(apiId, 'Latency', statistic)),
    },
  ];
}

/** One metric in several statistics, each labelled with its own. */
export function severally(statistics: readonly string[], metric: (statistic: string) => Metric): readonly Metric[] {
  return statistics.map((label) => metric(label).with({ label }));
}
