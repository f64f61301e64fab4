/** CloudWatch namespace of every metric below. */
export const NAMESPACE = 'Roundhouse';

export type Service = 'convert' | 'synthetic' | 'worker' | 'reconcile' | 'api';

interface MetricSpec {
  readonly unit: 'Count' | 'Milliseconds';
  /** Value of the dimension `service`: the function that publishes it. */
  readonly service: Service;
  /** Published for `[service, stage, target]` as well as for `[service, stage]`; there are no other dimension sets. */
  readonly byTarget: boolean;
}

/**
 * Every metric that Roundhouse publishes. The functions take names and units from here, dashboard and alarms take names
 * and dimensions. It imports nothing, so that infrastructure code can read it without loading what publishes metrics.
 */
export const METRICS = Object.freeze({
  ConversionReviewDuration: { unit: 'Milliseconds', service: 'convert', byTarget: true },
  ConversionReviewRequests: { unit: 'Count', service: 'convert', byTarget: true },
  ConversionReviewErrors: { unit: 'Count', service: 'convert', byTarget: true },
  ConversionObjects: { unit: 'Count', service: 'convert', byTarget: true },
  LossyConversions: { unit: 'Count', service: 'convert', byTarget: true },
  RulesSkippedAbsent: { unit: 'Count', service: 'convert', byTarget: true },
  StashIgnored: { unit: 'Count', service: 'convert', byTarget: true },
  ShapeMismatches: { unit: 'Count', service: 'convert', byTarget: true },
  // First reviews of instances: one that a self-test started counts when its first review comes, or never.
  ColdStart: { unit: 'Count', service: 'convert', byTarget: false },
  RegistrySize: { unit: 'Count', service: 'convert', byTarget: false },
  RegistryCompileDuration: { unit: 'Milliseconds', service: 'convert', byTarget: false },
  RegistryCompileErrors: { unit: 'Count', service: 'convert', byTarget: false },
  SyntheticReviewFailures: { unit: 'Count', service: 'synthetic', byTarget: false },
  SyntheticReviewDuration: { unit: 'Milliseconds', service: 'synthetic', byTarget: false },
  // Attempts that ended, and those of them that failed; what was canceled or superseded is no deploy.
  Deploys: { unit: 'Count', service: 'worker', byTarget: false },
  DeploysFailed: { unit: 'Count', service: 'worker', byTarget: false },
  // From the moment an attempt was asked for to its end, so waiting in the queue counts.
  DeployDuration: { unit: 'Milliseconds', service: 'worker', byTarget: false },
  // Of passes that came to their end: without one for a while, nobody looks after the apps.
  ReconcileDuration: { unit: 'Milliseconds', service: 'reconcile', byTarget: false },
  // Calls of AWS that a pass made, the table left out: 0 while all apps are as they should be.
  ReconcileCalls: { unit: 'Count', service: 'reconcile', byTarget: false },
  RateLimited: { unit: 'Count', service: 'api', byTarget: false },
} as const satisfies Record<string, MetricSpec>);

type Catalogue = typeof METRICS;

export type MetricName = keyof Catalogue;

/** Names of the metrics whose row has these values, for instance `MetricOf<{ byTarget: true }>`. */
export type MetricOf<Values extends Partial<MetricSpec>> = {
  [Name in MetricName]: Catalogue[Name] extends Values ? Name : never;
}[MetricName];

/**
 * Reviews that ended in `panic`, by `[stage, version]`. No function publishes it: a metric filter counts log lines, for the
 * alarm that takes a new version back. On `[service, stage]` that alarm would ring for the version that is replaced, too;
 * so it is no metric of the catalogue and has a namespace of its own.
 */
export const VERSION_PANICS = Object.freeze({ namespace: `${NAMESPACE}/Deployments`, name: 'ConversionPanics' });
