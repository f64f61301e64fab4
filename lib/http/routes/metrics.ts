import * as z from 'zod/mini';
import { APP_METRICS, type AppMetric } from '../../apps/ports.ts';
import type { AppService } from '../../apps/types.ts';
import type { Clock } from '../../clock.ts';
import { type Route, route } from '../route.ts';
import { duration, readPeriod, refuseQuery, time } from './queries.ts';

interface MetricDeps {
  readonly apps: AppService;
  readonly clock: Clock;
}

/** The finest that CloudWatch keeps of Lambda. */
const MINUTE_MS = 60_000;
/** A day by the minute. */
const MAX_POINTS = 1_440;

const NAMES = Object.keys(APP_METRICS) as [AppMetric, ...AppMetric[]];

export const metricRoutes: readonly Route<MetricDeps>[] = [
  route({
    method: 'GET',
    path: '/api/v1/apps/{name}/metrics',
    ability: 'read',
    summary: 'One metric of an app, of the last hour and by the minute unless asked otherwise',
    query: z.strictObject({
      metric: z.enum(NAMES),
      from: z.exactOptional(time),
      to: z.exactOptional(time),
      step: z.exactOptional(duration),
    }),
    response: z.strictObject({
      metric: z.string(),
      points: z.array(z.strictObject({ timestamp: z.string(), value: z.number() })),
    }),
    handle: async ({ params, query }, { apps, clock }: MetricDeps) => {
      const { metric } = query;
      const period = readPeriod(query, clock.now());
      const points = await apps.metrics(params.name, { metric, ...period, stepMs: readStep(query.step, period) });
      const views = points.map(({ at, value }) => ({ timestamp: new Date(at).toISOString(), value }));
      return { body: { metric, points: views } };
    },
  }),
];

/** Whole minutes, rounded up; 0 is the finest there is. */
function readStep(given = 0, { from, to }: { readonly from: number; readonly to: number }): number {
  if (given < 0) throw refuseQuery('step', 'a step is not negative');
  const stepMs = Math.max(1, Math.ceil(given / MINUTE_MS)) * MINUTE_MS;
  const points = Math.ceil((to - from) / stepMs);
  if (points <= MAX_POINTS) return stepMs;
  throw refuseQuery(
    'step',
    `these are ${points} points; at most ${MAX_POINTS} are given: take a longer step, or less time`,
  );
}
