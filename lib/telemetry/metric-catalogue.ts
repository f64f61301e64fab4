/** CloudWatch namespace of every metric below. */
export const NAMESPACE = 'Roundhouse';

interface MetricSpec {
  readonly unit: 'Count' | 'Milliseconds';
  /** Value of the dimension `service`: the function that publishes it. */
  readonly service: 'convert' | 'synthetic';
  /** Published for `[service, stage, target]` as well as for `[service, stage]`; there are no other dimension sets. */
  readonly byTarget: boolean;
  /** Made by a function's own EMF lines, or by the metric filter that reads those of a new version while it is deployed. */
  readonly source: 'code' | 'log-filter';
}

/**
 * Every metric that Roundhouse publishes. The functions take names and units from here, dashboard and alarms take names
 * and dimensions. It imports nothing, so that infrastructure code can read it without loading what publishes metrics.
 */
export const METRICS = Object.freeze({
  ConversionReviewDuration: { unit: 'Milliseconds', service: 'convert', byTarget: true, source: 'code' },
  ConversionReviewRequests: { unit: 'Count', service: 'convert', byTarget: true, source: 'code' },
  ConversionReviewErrors: { unit: 'Count', service: 'convert', byTarget: true, source: 'code' },
  ConversionObjects: { unit: 'Count', service: 'convert', byTarget: true, source: 'code' },
  LossyConversions: { unit: 'Count', service: 'convert', byTarget: true, source: 'code' },
  RulesSkippedAbsent: { unit: 'Count', service: 'convert', byTarget: true, source: 'code' },
  StashIgnored: { unit: 'Count', service: 'convert', byTarget: true, source: 'code' },
  ShapeMismatches: { unit: 'Count', service: 'convert', byTarget: true, source: 'code' },
  ColdStart: { unit: 'Count', service: 'convert', byTarget: false, source: 'code' },
  RegistrySize: { unit: 'Count', service: 'convert', byTarget: false, source: 'code' },
  RegistryCompileDuration: { unit: 'Milliseconds', service: 'convert', byTarget: false, source: 'code' },
  RegistryCompileErrors: { unit: 'Count', service: 'convert', byTarget: false, source: 'code' },
  ConversionPanics: { unit: 'Count', service: 'convert', byTarget: false, source: 'log-filter' },
  SyntheticReviewFailures: { unit: 'Count', service: 'synthetic', byTarget: false, source: 'code' },
  SyntheticReviewDuration: { unit: 'Milliseconds', service: 'synthetic', byTarget: false, source: 'code' },
} as const satisfies Record<string, MetricSpec>);

type Catalogue = typeof METRICS;

export type MetricName = keyof Catalogue;

/** Names of the metrics whose row has these values, for instance `MetricOf<{ byTarget: true }>`. */
export type MetricOf<Values extends Partial<MetricSpec>> = {
  [Name in MetricName]: Catalogue[Name] extends Values ? Name : never;
}[MetricName];
