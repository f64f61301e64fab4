import { onUse } from '../../aws/on-use.ts';
import type { AppMetrics } from '../ports.ts';
import type { MetricOptions } from './app-metrics-on-cloudwatch.ts';

/** Metrics of apps in CloudWatch, whose client is loaded on use. */
export function createAppMetrics(options: MetricOptions): AppMetrics {
  const metrics = onUse(async () =>
    (await import('./app-metrics-on-cloudwatch.ts')).createCloudWatchAppMetrics(options),
  );
  return { read: async (app, query) => (await metrics()).read(app, query) };
}
