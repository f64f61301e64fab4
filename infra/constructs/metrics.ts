import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, SearchExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { METRICS, type MetricName, type MetricOf, NAMESPACE } from '../../lib/telemetry/metric-catalogue.ts';

export type NamedFunction = Pick<IFunction, 'functionName'>;
type NamedTable = Pick<ITable, 'tableName'>;
type NamedQueue = Pick<IQueue, 'queueName'>;

/** What alarms and dashboard look at. The functions themselves, not their aliases: AWS counts by function name. */
export interface Observed {
  readonly stage: string;
  readonly convert: NamedFunction;
  readonly api: NamedFunction;
  readonly worker: NamedFunction;
  readonly reconcile: NamedFunction;
  /** The queue of work, and that of its dead letters. */
  readonly work: { readonly queue: NamedQueue; readonly dead: NamedQueue };
  readonly table: NamedTable;
  /** The HTTP API in front of `convert`, where there is a domain. */
  readonly httpApiId?: string;
}

export type FunctionMetric =
  | 'Errors'
  | 'Throttles'
  | 'Duration'
  | 'ConcurrentExecutions'
  | 'UrlRequestCount'
  | 'Url4xxCount'
  | 'Url5xxCount'
  | 'UrlRequestLatency';
type HttpApiMetric = 'Count' | '4xx' | '5xx' | 'Latency';
type QueueMetric =
  | 'ApproximateNumberOfMessagesVisible'
  | 'ApproximateNumberOfMessagesNotVisible'
  | 'ApproximateAgeOfOldestMessage'
  | 'NumberOfMessagesSent'
  | 'NumberOfMessagesReceived';
type TableMetric =
  | 'ConsumedReadCapacityUnits'
  | 'ConsumedWriteCapacityUnits'
  | 'ReadThrottleEvents'
  | 'WriteThrottleEvents';

const MINUTE = Duration.minutes(1);

/** A metric of the catalogue, on `[service, stage]`: a sum over a minute for counts, an average for times, unless told. */
export function catalogueMetric(stage: string, name: MetricName, statistic?: string, period = MINUTE): Metric {
  const { service, unit } = METRICS[name];
  return new Metric({
    namespace: NAMESPACE,
    metricName: name,
    dimensionsMap: { service, stage },
    statistic: statistic ?? (unit === 'Count' ? Stats.SUM : Stats.AVERAGE),
    period,
  });
}

/** One line for each target. For dashboards: an alarm cannot search. */
export function metricByTarget(stage: string, name: MetricOf<{ byTarget: true }>, statistic: string): SearchExpression {
  const schema = `{${NAMESPACE},service,stage,target}`;
  const terms = `MetricName="${name}" service="${METRICS[name].service}" stage="${stage}"`;
  return new SearchExpression({
    expression: `SEARCH('${schema} ${terms}', '${statistic}', ${MINUTE.toSeconds()})`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a dynamic label of CloudWatch, the value of the dimension
    label: "${PROP('Dim.target')}",
    period: MINUTE,
  });
}

/**
 * Share of reviews that failed, in percent. Both counts come from the same lines, so that a period without requests has
 * no value at all: nothing is divided by zero.
 */
export function errorRatio(stage: string, period = MINUTE): MathExpression {
  return new MathExpression({
    expression: '100*FILL(errors,0)/requests',
    usingMetrics: {
      errors: catalogueMetric(stage, 'ConversionReviewErrors', Stats.SUM, period),
      requests: catalogueMetric(stage, 'ConversionReviewRequests', Stats.SUM, period),
    },
    label: 'Failed reviews (%)',
    period,
  });
}

/** Share of objects that were converted in a lossy direction, in percent; no value while nothing is converted. */
export function lossyRate(stage: string, period = MINUTE): MathExpression {
  return new MathExpression({
    expression: '100*FILL(lossy,0)/objects',
    usingMetrics: {
      lossy: catalogueMetric(stage, 'LossyConversions', Stats.SUM, period),
      objects: catalogueMetric(stage, 'ConversionObjects', Stats.SUM, period),
    },
    label: 'Lossy conversions (%)',
    period,
  });
}

/** https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html, and urls-monitoring.html for those of URLs. */
export function functionMetric(
  of: NamedFunction,
  name: FunctionMetric,
  statistic = Stats.SUM,
  period = MINUTE,
): Metric {
  const dimensionsMap = { FunctionName: of.functionName };
  return new Metric({ namespace: 'AWS/Lambda', metricName: name, dimensionsMap, statistic, period });
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html */
export function httpApiMetric(apiId: string, name: HttpApiMetric, statistic = Stats.SUM, period = MINUTE): Metric {
  const dimensionsMap = { ApiId: apiId };
  return new Metric({ namespace: 'AWS/ApiGateway', metricName: name, dimensionsMap, statistic, period });
}

/**
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 *
 * `NumberOfMessagesSent` of a dead-letter queue does not count what SQS itself moves there.
 */
export function queueMetric(queue: NamedQueue, name: QueueMetric, statistic = Stats.MAXIMUM, period = MINUTE): Metric {
  const dimensionsMap = { QueueName: queue.queueName };
  return new Metric({ namespace: 'AWS/SQS', metricName: name, dimensionsMap, statistic, period });
}

/**
 * Messages that were given up, in five minutes: those that `worker` was given out of the queue of dead letters, and those
 * that wait there because it could not finish them either. It has a value, 0, as long as one of the two has.
 */
export function lostWork({ dead }: Observed['work'], period = Duration.minutes(5)): MathExpression {
  return new MathExpression({
    expression: 'FILL(taken,0)+FILL(waiting,0)',
    usingMetrics: {
      taken: queueMetric(dead, 'NumberOfMessagesReceived', Stats.SUM, period),
      waiting: queueMetric(dead, 'ApproximateNumberOfMessagesVisible', Stats.MAXIMUM, period),
    },
    label: 'Lost work',
    period,
  });
}

/** Passes of `reconcile` that came to their end, in five minutes; 0 while there are none. */
export function finishedPasses(stage: string, period = Duration.minutes(5)): MathExpression {
  return new MathExpression({
    // Without FILL an alarm would look for older passes, and ring half an hour too late.
    expression: 'FILL(passes,0)',
    usingMetrics: { passes: catalogueMetric(stage, 'ReconcileDuration', Stats.SAMPLE_COUNT, period) },
    label: 'Finished passes',
    period,
  });
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html */
export function tableMetric(table: NamedTable, name: TableMetric): Metric {
  const dimensionsMap = { TableName: table.tableName };
  return new Metric({
    namespace: 'AWS/DynamoDB',
    metricName: name,
    dimensionsMap,
    statistic: Stats.SUM,
    period: MINUTE,
  });
}

/** Average time of the requests of one operation, in milliseconds, without the way there and back. */
export function tableLatency(table: NamedTable, operation: string): Metric {
  return new Metric({
    namespace: 'AWS/DynamoDB',
    metricName: 'SuccessfulRequestLatency',
    dimensionsMap: { TableName: table.tableName, Operation: operation },
    statistic: Stats.AVERAGE,
    period: MINUTE,
    label: operation,
  });
}
