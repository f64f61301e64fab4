import {
  CloudWatchClient,
  type CloudWatchClientConfig,
  GetMetricDataCommand,
  type GetMetricDataCommandOutput,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';
import { requestTimeouts } from '../../aws/request-timeouts.ts';
import { AppError } from '../../errors.ts';
import { APP_METRICS, type AppMetrics, type MetricPoint, type MetricQuery } from '../ports.ts';
import { functionName } from '../runtime/names.ts';
import { askAws } from './app-error.ts';

export interface MetricOptions {
  readonly stage: string;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<CloudWatchClientConfig, 'region' | 'endpoint' | 'credentials'>;
  readonly attemptMs?: number;
}

const MINUTE_MS = 60_000;
/** Of 100,800 points each: more than anybody asks for. */
const MAX_PAGES = 5;

/**
 * CloudWatch's metrics of an app's function, over all of its versions; the calls of the health gate count too. Points are
 * at the start of their step, at whole multiples of it, so the first step may begin before `from`; a step in which nothing
 * ran has none. CloudWatch keeps single minutes for 15 days, and is some minutes late. Rejects with `AppError`.
 */
export function createCloudWatchAppMetrics({ stage, client: settings, attemptMs }: MetricOptions): AppMetrics {
  const client = new CloudWatchClient({
    ...settings,
    maxAttempts: 3,
    requestHandler: requestTimeouts(attemptMs),
    cacheMiddleware: true,
  });
  return {
    async read(app, query) {
      const stepMs = Math.max(1, Math.ceil(query.stepMs / MINUTE_MS)) * MINUTE_MS;
      const input = {
        StartTime: new Date(query.from - (query.from % stepMs)),
        EndTime: new Date(query.to),
        ScanBy: 'TimestampAscending',
        MetricDataQueries: [renderQuery(functionName(stage, app), query, stepMs / 1_000)],
      } as const;
      const points: MetricPoint[] = [];
      let NextToken: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const command = new GetMetricDataCommand({
          ...input,
          NextToken,
          MetricDataQueries: [...input.MetricDataQueries],
        });
        const found: GetMetricDataCommandOutput = await askAws('CloudWatch', () => client.send(command));
        points.push(...readPoints(found));
        NextToken = found.NextToken;
        if (NextToken === undefined) break;
      }
      return points.toSorted((one, other) => one.at - other.at);
    },
  };
}

function renderQuery(name: string, { metric }: MetricQuery, Period: number): MetricDataQuery {
  const { name: MetricName, statistic: Stat } = APP_METRICS[metric];
  const Metric = { Namespace: 'AWS/Lambda', MetricName, Dimensions: [{ Name: 'FunctionName', Value: name }] };
  return { Id: 'points', MetricStat: { Metric, Period, Stat } };
}

function readPoints({ MetricDataResults: [result] = [] }: GetMetricDataCommandOutput): MetricPoint[] {
  const { StatusCode, Timestamps = [], Values = [] } = result ?? {};
  if (StatusCode === 'InternalError' || StatusCode === 'Forbidden') {
    const code = StatusCode === 'Forbidden' ? 'BAD_GATEWAY' : 'UNAVAILABLE';
    throw new AppError(code, `CloudWatch could not read the metric (${StatusCode}).`);
  }
  return Timestamps.flatMap((at, index) => {
    const value = Values[index];
    return value === undefined ? [] : [{ at: at.getTime(), value }];
  });
}
