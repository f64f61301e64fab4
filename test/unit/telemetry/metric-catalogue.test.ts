import { expect, test } from 'vitest';
import { METRICS, type MetricName, type MetricOf } from '../../../lib/telemetry/metric-catalogue.ts';

test('names that are not in it, or not of the wanted kind, do not compile', () => {
  // @ts-expect-error no such metric
  const unknown: MetricName = 'ConversionReviewRequest';
  // @ts-expect-error a metric of the instance has no series by target
  const withoutTarget: MetricOf<{ byTarget: true }> = 'ColdStart';
  const withTarget: MetricOf<{ byTarget: true }> = 'LossyConversions';
  expect([unknown, withoutTarget, withTarget].filter((name) => name in METRICS)).toEqual([
    'ColdStart',
    'LossyConversions',
  ]);
});
