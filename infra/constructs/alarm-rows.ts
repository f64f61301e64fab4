import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, type IMetric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { catalogueMetric, errorRatio, functionMetric, httpApiMetric, lossyRate, type Observed } from './metrics.ts';
import { prose } from './prose.ts';

/** One alarm: when it rings, and what to tell the person it wakes. */
export interface AlarmRow {
  /** Last part of the alarm's name. */
  readonly id: string;
  readonly title: string;
  readonly metric: IMetric;
  readonly comparison: ComparisonOperator;
  readonly threshold: number;
  /** It rings when so many of the last so many periods were beyond the threshold. */
  readonly datapoints: readonly [breaching: number, of: number];
  readonly missingData: TreatMissingData;
  /** Only percentiles: what to do in a period with too few values for them. */
  readonly lowSamples?: 'ignore';
  readonly meaning: string;
  readonly whatToDo: string;
}

const { GREATER_THAN_OR_EQUAL_TO_THRESHOLD: AT_LEAST, GREATER_THAN_THRESHOLD: OVER } = ComparisonOperator;
const { BREACHING, NOT_BREACHING } = TreatMissingData;
const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);

/** A burst that clients get over by trying again is over sooner: three minutes of five mean that it goes on. */
const GOES_ON = [3, 5] as const;

/**
 * The alarms about conversion and the API. CloudWatch has no value for a period in which nothing happened, which is good news for all of
 * them but `synthetic-review`: so missing data counts as within the threshold, and only there as beyond it.
 */
export function alarmRows(observed: Observed): readonly AlarmRow[] {
  return [...reviewRows(observed), ...convertRows(observed), ...domainRows(observed), ...apiRows(observed)];
}

function reviewRows({ stage }: Observed): readonly AlarmRow[] {
  return [
    {
      id: 'synthetic-review',
      title: 'The synthetic review fails',
      metric: catalogueMetric(stage, 'SyntheticReviewFailures', Stats.SUM, FIVE_MINUTES),
      comparison: AT_LEAST,
      threshold: 1,
      // One probe in five minutes: two of three, so that one lost packet wakes nobody. No probe is as bad as a failed one,
      // but takes longer to ring: CloudWatch first looks for older values, about 25 minutes.
      datapoints: [2, 3],
      missingData: BREACHING,
      meaning: prose`Nobody gets a good answer through the URL that apiservers use, or the probe itself no longer runs.
        While conversion is down, clusters can neither read nor write the objects that need it.`,
      whatToDo: prose`Logs Insights, log group of synthetic: filter SyntheticReviewFailures = 1 has the reason. No lines at
        all: the schedule or the function synthetic is broken, so send POST /convert/self-test to the URL of convert
        yourself. 403: an invoke permission of the alias is gone, deploy again. 429: see convert-throttles. 500 and 502: see
        convert-crashes. 503: convert cannot read the table. With a convertDomain, 500 and 503 can be what domain-5xx
        says. No connection: DNS or certificate of convertDomain. Wrong answer: roll the last deployment back
        (docs/deploy.md). After the very first deployment it is red until two probes ran.`,
    },
    {
      id: 'review-errors',
      title: 'More than 5 % of the reviews fail',
      metric: errorRatio(stage, MINUTE),
      comparison: OVER,
      threshold: 5,
      datapoints: GOES_ON,
      missingData: NOT_BREACHING,
      meaning: prose`Apiservers get a Failure or a refusal for more than one review in twenty; kubectl shows the reason,
        controllers cannot read or write those objects.`,
      whatToDo: prose`Logs Insights, log group of convert: stats count(*) by result, target, from, to. error: config and
        objects do not fit, or there is no plan (see compile-errors). Try one object with POST
        /api/v1/configs/TARGET/convert; if the config changed, POST /api/v1/configs/TARGET/rollback. not_registered: a CRD points here whose config is missing or outside its
        endpoint's selector. bad_request: the caller is no apiserver. panic: a fault of ours; filter message = "review
        crashed" has error_name and error_stack; roll the last deployment back (docs/deploy.md).`,
    },
    {
      id: 'review-p99',
      title: 'The p99 duration of reviews is over 1 s',
      metric: catalogueMetric(stage, 'ConversionReviewDuration', 'p99', FIVE_MINUTES),
      comparison: OVER,
      threshold: 1_000,
      // A p99 needs 10 / (1 - 0.99) = 1,000 values a period, or 3.3 reviews a second in five minutes; `convert-latency`
      // watches the stages that have fewer.
      datapoints: [2, 3],
      missingData: NOT_BREACHING,
      lowSamples: 'ignore',
      meaning: prose`One review in a hundred takes over a second inside convert. An apiserver converts a list object by
        object, so kubectl get of a large list waits for many of them.`,
      whatToDo: prose`Widget "p99 duration by target": one target or all? Logs Insights, log group of convert: stats
        pct(ConversionReviewDuration, 99), max(ConversionObjects) by target, from, to. One target: compare its revisions
        (GET /api/v1/configs/TARGET/revisions) and roll back with POST /api/v1/configs/TARGET/rollback. All: since a
        deployment, roll that back (docs/deploy.md); else raise convertMemory, which is CPU too. Cold starts and compile
        time have widgets of their own. Below 1,000 reviews in 5 minutes the alarm keeps the state it has.`,
    },
    {
      id: 'compile-errors',
      title: 'A config revision cannot be loaded',
      metric: catalogueMetric(stage, 'RegistryCompileErrors', Stats.SUM, FIVE_MINUTES),
      comparison: AT_LEAST,
      threshold: 1,
      // Reported once for each load, so there is no second period to wait for.
      datapoints: [1, 1],
      missingData: NOT_BREACHING,
      meaning: prose`An active revision was read and could not be compiled. The last good plan goes on serving; a target
        that never had one fails.`,
      whatToDo: prose`Logs Insights, log group of convert: filter message = "plan not loaded" has target, revision and
        reason. PUT a config that compiles, or POST /api/v1/configs/TARGET/rollback. If it came with a deployment of
        Roundhouse, roll that back (docs/deploy.md); GET /api/v1/registry tells what the API's own version makes of the
        same config. An error is reported once for each load, so the alarm goes back to OK by itself: trust the log, not
        the alarm.`,
    },
    {
      id: 'lossy-rate',
      title: 'More than 5 % of the converted objects can lose data',
      metric: lossyRate(stage, FIVE_MINUTES),
      comparison: OVER,
      // A lossy direction must be acknowledged in its config, which people do for old versions that are hardly used. A few
      // old clients stay below 5 %; above it such a version has become traffic.
      threshold: 5,
      datapoints: [3, 3],
      missingData: NOT_BREACHING,
      meaning: prose`Objects go in a direction whose config acknowledges that it loses data. Who reads there and writes back
        removes fields from what is stored.`,
      whatToDo: prose`Widget "Lossy conversions by target". Logs Insights, log group of convert: stats
        sum(LossyConversions) by target, from, to. Did a config change? POST /api/v1/configs/TARGET/rollback. Did a client
        start to use the old version? Move it to the hub version, or stop its writes. To keep the data, change the rule
        that has acknowledgeLossy (or unmappedFieldPolicy Warn) so that it stashes the field; PUT
        /api/v1/configs/TARGET?dryRun=true shows the findings. A fleet that accepts the loss raises the threshold in
        infra/constructs/alarm-rows.ts.`,
    },
  ];
}

function convertRows({ convert }: Observed): readonly AlarmRow[] {
  return [
    {
      id: 'convert-5xx',
      title: 'Apiservers get HTTP 5xx from convert',
      metric: functionMetric(convert, 'Url5xxCount', Stats.SUM, MINUTE),
      comparison: AT_LEAST,
      threshold: 1,
      datapoints: GOES_ON,
      missingData: NOT_BREACHING,
      meaning: prose`Requests to convert end without a review: 502 is a crash or a timeout, 503 a plan or a table that could
        not be read in time, 500 a fault of ours.`,
      whatToDo: prose`502: see convert-crashes. Else Logs Insights, log group of convert: filter message = "configs not
        read" (DynamoDB fails or is slow: widgets "Table latency" and "Table throttles", AWS Health) and filter message =
        "review not answered" (reference, reason, error_name, error_stack). Since the last deployment: roll it back
        (docs/deploy.md).`,
    },
    {
      id: 'convert-latency',
      title: 'Requests to convert take over 1 s on average',
      metric: functionMetric(convert, 'UrlRequestLatency', Stats.AVERAGE, FIVE_MINUTES),
      comparison: OVER,
      // A cold start takes about half of it; fifteen minutes of an average above it are not cold starts.
      threshold: 1_000,
      datapoints: [3, 3],
      missingData: NOT_BREACHING,
      meaning: prose`What apiservers wait for, cold starts and queueing included; they log a trace beyond 50 ms and give up
        after 30 s.`,
      whatToDo: prose`Compare with the widget "Review duration". High too: do what review-p99 says. Low: the time goes before
        our code runs. Widget "Cold starts": many means that instances come and go, so set
        convertProvisionedConcurrency. Widget "Registry compile time": a start loads too much, narrow the endpoint's
        selector. Widget "Concurrency of convert" at its limit: do what convert-throttles says.`,
    },
    {
      id: 'convert-crashes',
      title: 'Invocations of convert crash or time out',
      metric: functionMetric(convert, 'Errors', Stats.SUM, FIVE_MINUTES),
      comparison: AT_LEAST,
      // The handler answers every throw, so each one is a crash of the process; a machine that AWS lost is one, not two.
      threshold: 1,
      datapoints: [2, 3],
      missingData: NOT_BREACHING,
      meaning: prose`Lambda ended invocations without an answer, or the function cannot start. Apiservers see 502.`,
      whatToDo: prose`Logs Insights, log group of convert: filter type like "platform." has record.status and
        record.errorType. Runtime.OutOfMemory: raise convertMemory. timeout: widget "Table latency", else a target whose
        reviews are slow (review-p99). Init errors: the environment or the permissions are wrong; their log line
        says which. Since the last deployment: roll it back (docs/deploy.md).`,
    },
    {
      id: 'convert-throttles',
      title: 'Calls of convert are throttled',
      metric: functionMetric(convert, 'Throttles', Stats.SUM, MINUTE),
      comparison: AT_LEAST,
      threshold: 1,
      datapoints: GOES_ON,
      missingData: NOT_BREACHING,
      meaning: prose`Lambda refuses calls because no concurrency is left. Each is a read or write of a cluster that fails.`,
      whatToDo: prose`Widget "Concurrency of convert": flat at convertReservedConcurrency means raise it and deploy. Below
        it, or without one: other functions use up the account's pool, so reserve for convert, and ask Service Quotas for
        more "Concurrent executions". A unit carries about 10 requests a second, so slow reviews need more of them: look
        at "Review duration". Which clusters ask so much: stats count(*) by endpoint, target in the log group of convert.`,
    },
  ];
}

/** A domain is one more way to `convert`, beside its function URL; its HTTP API has metrics of its own. */
function domainRows({ httpApiId }: Observed): readonly AlarmRow[] {
  if (httpApiId === undefined) return [];
  return [
    {
      id: 'domain-5xx',
      title: 'Apiservers get HTTP 5xx from the domain of convert',
      metric: httpApiMetric(httpApiId, '5xx', Stats.SUM, MINUTE),
      comparison: AT_LEAST,
      threshold: 1,
      datapoints: GOES_ON,
      missingData: NOT_BREACHING,
      meaning: prose`Requests through convertDomain end without a review. API Gateway answers 500 for a crash, a timeout or a
        permission that is gone, and 503 for a throttle; the function itself answers 503 when its table cannot be read.`,
      whatToDo: prose`The access log of the domain has status and integrationErrorMessage for each request.
        Crash or timeout: see convert-crashes. Throttle: see convert-throttles. No integrationErrorMessage: the answer is
        the function's own, do what convert-5xx says. Permission: deploy again.`,
    },
    {
      id: 'domain-latency',
      title: 'Requests to the domain of convert take over 1 s on average',
      metric: httpApiMetric(httpApiId, 'Latency', Stats.AVERAGE, FIVE_MINUTES),
      comparison: OVER,
      threshold: 1_000,
      datapoints: [3, 3],
      missingData: NOT_BREACHING,
      meaning: prose`What apiservers wait for that use convertDomain, cold starts included.`,
      whatToDo: prose`The access log of the domain has responseLatency and integrationLatency. Alike: do what convert-latency
        says. Far apart: the time goes in API Gateway, look at AWS Health.`,
    },
  ];
}

function apiRows({ api }: Observed): readonly AlarmRow[] {
  return [
    {
      id: 'api-5xx',
      title: 'Callers of the API get HTTP 5xx',
      metric: functionMetric(api, 'Url5xxCount', Stats.SUM, MINUTE),
      comparison: AT_LEAST,
      threshold: 1,
      datapoints: GOES_ON,
      missingData: NOT_BREACHING,
      meaning: prose`People and CI cannot change or read configs. Conversion goes on.`,
      whatToDo: prose`Logs Insights, log group of api: filter message = "request failed" has reference, reason, method,
        path and error_name; callers see the same reference in the answer. 503: DynamoDB (widgets "Table latency" and "Table
        throttles", AWS Health), or the secret of the root token (filter message like "root token not"). 502: see api-crashes. Since the last deployment: roll it
        back (docs/deploy.md).`,
    },
    {
      id: 'api-latency',
      title: 'Requests to the API take over 3 s on average',
      metric: functionMetric(api, 'UrlRequestLatency', Stats.AVERAGE, FIVE_MINUTES),
      comparison: OVER,
      // A PUT of a large CRD is analysed and compiled in one to two seconds; an average above that is no work of its own.
      threshold: 3_000,
      datapoints: [3, 3],
      missingData: NOT_BREACHING,
      meaning: prose`People and CI wait; at 29 s the function is stopped. Conversion goes on.`,
      whatToDo: prose`Logs Insights, log group of api: stats count(*) by method, path shows what is called. Widget "Table
        latency": is DynamoDB slow? With apiTracing active, X-Ray shows which call takes the time. Widget "Duration of
        the API": lower than the latency means cold starts or queueing (widget "Concurrency of the API"). Since the last
        deployment: roll it back (docs/deploy.md).`,
    },
    {
      id: 'api-crashes',
      title: 'Invocations of the API crash or time out',
      metric: functionMetric(api, 'Errors', Stats.SUM, FIVE_MINUTES),
      comparison: AT_LEAST,
      threshold: 1,
      datapoints: [2, 3],
      missingData: NOT_BREACHING,
      meaning: prose`Lambda ended invocations without an answer, or the function cannot start. Callers see 502.`,
      whatToDo: prose`Logs Insights, log group of api: filter type like "platform." has record.status and
        record.errorType. timeout: a request that takes over 29 s, or DynamoDB (widget "Table latency"). Init errors: the
        environment or the permissions are wrong; their log line says which. A write that was cut off is safe to send
        again with the same Idempotency-Key. Since the last deployment: roll it back (docs/deploy.md).`,
    },
    {
      id: 'api-throttles',
      title: 'Calls of the API are throttled',
      metric: functionMetric(api, 'Throttles', Stats.SUM, MINUTE),
      comparison: AT_LEAST,
      threshold: 1,
      datapoints: GOES_ON,
      missingData: NOT_BREACHING,
      meaning: prose`Lambda refuses calls because no concurrency is left; callers see 429.`,
      whatToDo: prose`Widget "Concurrency of the API": flat at apiReservedConcurrency means raise it, or slow the caller
        down. Below it, or without one, the account's pool is used up, and convert is next unless it has a reservation:
        see convert-throttles, now.`,
    },
  ];
}
