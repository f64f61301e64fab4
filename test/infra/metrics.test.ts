import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { Alarms } from '../../infra/constructs/alarms.ts';
import { Dashboard } from '../../infra/constructs/dashboard.ts';
import { createApiMetrics, createReconcileMetrics, createWorkerMetrics } from '../../lib/telemetry/app-metrics.ts';
import { METRICS } from '../../lib/telemetry/metric-catalogue.ts';
import {
  createMetrics,
  createSyntheticMetrics,
  type ReviewRecord,
  type ReviewResult,
} from '../../lib/telemetry/metrics.ts';
import {
  alarmExpressions,
  alarmMetrics,
  dashboardBody,
  graphMetrics,
  type MetricId,
  metricId,
  resolveText,
} from './support/template-metrics.ts';

interface Variant {
  readonly stage?: string;
  readonly httpApiId?: string;
  readonly alarmEmail?: string;
}

function createStack({ stage = 'test', ...options }: Variant = {}) {
  const stack = new Stack(new App(), `Roundhouse-${stage}`);
  const create = (id: string) =>
    new LambdaFunction(stack, id, {
      runtime: Runtime.NODEJS_24_X,
      code: Code.fromInline('exports.handler = async () => {};'),
      handler: 'index.handler',
    });
  const table = new Table(stack, 'Table', { partitionKey: { name: 'pk', type: AttributeType.STRING } });
  const work = { queue: new Queue(stack, 'Work'), dead: new Queue(stack, 'Dead') };
  const functions = { convert: create('Convert'), api: create('Api'), worker: create('Worker') };
  const props = { stage, ...functions, reconcile: create('Reconcile'), work, table, ...options };
  const alarms = new Alarms(stack, 'Alarms', props);
  new Dashboard(stack, 'Dashboard', { ...props, alarms });
  const template = Template.fromStack(stack);
  const resources: Readonly<Record<string, any>> = template.toJSON()['Resources'];
  const ofType = (type: string) => Object.values(resources).filter(({ Type }) => Type === type);
  const pages = ofType('AWS::CloudWatch::Dashboard').map((dashboard) => {
    const widgets: any[] = dashboardBody(dashboard).widgets;
    return {
      name: dashboard.Properties.DashboardName as string,
      widgets,
      graphs: widgets.filter(({ type }) => type === 'metric'),
    };
  });
  return {
    alarms: ofType('AWS::CloudWatch::Alarm'),
    entries: alarms.entries,
    rows: alarms.entries.map(({ row }) => row),
    pages,
    graphs: pages.flatMap((page) => page.graphs),
    ofType,
    resources,
    logicalId: (text: string) => text.replace(/^<(\w+)(?:\.\w+)?>$/, '$1'),
  };
}

type Synthesised = ReturnType<typeof createStack>;

const plain = createStack();
const withDomain = createStack({ httpApiId: 'api1234567' });

const usedMetrics = ({ alarms, graphs }: Synthesised) =>
  unique([...alarms.flatMap(alarmMetrics), ...graphs.flatMap(graphMetrics)]);
const unique = (ids: readonly MetricId[]) => [...new Set(ids)].sort();

describe('alarms', () => {
  /** id, threshold, breaching datapoints of how many periods, seconds of a period, missing data. */
  test.each([
    ['synthetic-review', '>= 1', '2 of 3', 300, 'breaching'],
    ['review-errors', '> 5', '3 of 5', 60, 'notBreaching'],
    ['review-p99', '> 1000', '2 of 3', 300, 'notBreaching'],
    ['compile-errors', '>= 1', '1 of 1', 300, 'notBreaching'],
    ['lossy-rate', '> 5', '3 of 3', 300, 'notBreaching'],
    ['convert-5xx', '>= 1', '3 of 5', 60, 'notBreaching'],
    ['convert-latency', '> 1000', '3 of 3', 300, 'notBreaching'],
    ['convert-crashes', '>= 1', '2 of 3', 300, 'notBreaching'],
    ['convert-throttles', '>= 1', '3 of 5', 60, 'notBreaching'],
    ['domain-5xx', '>= 1', '3 of 5', 60, 'notBreaching'],
    ['domain-latency', '> 1000', '3 of 3', 300, 'notBreaching'],
    ['api-5xx', '>= 1', '3 of 5', 60, 'notBreaching'],
    ['api-latency', '> 3000', '3 of 3', 300, 'notBreaching'],
    ['api-crashes', '>= 1', '2 of 3', 300, 'notBreaching'],
    ['api-throttles', '>= 1', '3 of 5', 60, 'notBreaching'],
    ['lost-work', '>= 1', '1 of 1', 300, 'notBreaching'],
    ['late-work', '> 600', '2 of 2', 300, 'notBreaching'],
    ['worker-crashes', '>= 1', '2 of 3', 300, 'notBreaching'],
    ['worker-throttles', '>= 1', '2 of 3', 300, 'notBreaching'],
    ['reconcile-missing', '< 1', '1 of 1', 300, 'breaching'],
    ['reconcile-crashes', '>= 1', '2 of 3', 900, 'notBreaching'],
  ])('%s rings at %s in %s periods of %d s; missing data is %s', (id, limit, datapoints, period, missing) => {
    for (const { alarms } of id.startsWith('domain-') ? [withDomain] : [plain, withDomain]) {
      const { Properties: alarm } = findAlarm(alarms, id);
      const comparison = { GreaterThanOrEqualToThreshold: '>=', GreaterThanThreshold: '>', LessThanThreshold: '<' };
      const sign = comparison[alarm.ComparisonOperator as keyof typeof comparison];
      const periods = alarm.Period ?? alarm.Metrics.find(({ MetricStat }: any) => MetricStat).MetricStat.Period;
      expect(`${sign} ${alarm.Threshold}`).toBe(limit);
      expect(`${alarm.DatapointsToAlarm ?? alarm.EvaluationPeriods} of ${alarm.EvaluationPeriods}`).toBe(datapoints);
      expect(periods).toBe(period);
      expect(alarm.TreatMissingData).toBe(missing);
    }
  });

  test('there are no others', () => {
    expect(plain.alarms).toHaveLength(19);
    expect(withDomain.alarms).toHaveLength(21);
  });

  test.each([
    ['review-errors', '100*FILL(errors,0)/requests'],
    ['lossy-rate', '100*FILL(lossy,0)/objects'],
  ])('%s is %s, so that a period without requests has no value', (id, expression) => {
    const { Properties: alarm } = findAlarm(plain.alarms, id);
    expect(alarm.Metrics.filter(({ ReturnData }: any) => ReturnData !== false)).toEqual([
      expect.objectContaining({ Expression: expression }),
    ]);
    for (const { MetricStat } of alarm.Metrics.filter(({ MetricStat }: any) => MetricStat)) {
      expect(MetricStat).toMatchObject({ Stat: 'Sum', Period: id === 'review-errors' ? 60 : 300 });
    }
  });

  test('lost work is seen when the worker takes a dead letter, and while one waits that it cannot end', () => {
    const { Properties: alarm } = findAlarm(plain.alarms, 'lost-work');
    const [expression, ...metrics] = alarm.Metrics;
    expect(expression).toMatchObject({ Expression: 'FILL(taken,0)+FILL(waiting,0)' });
    const stats = metrics.map(({ Id, MetricStat: { Metric, Stat } }: any) => [Id, Metric.MetricName, Stat]);
    expect(stats).toEqual([
      ['taken', 'NumberOfMessagesReceived', 'Sum'],
      ['waiting', 'ApproximateNumberOfMessagesVisible', 'Maximum'],
    ]);
    const queues = metrics.map(({ MetricStat }: any) => resolveText(MetricStat.Metric.Dimensions[0].Value));
    for (const id of queues) expect(plain.logicalId(id)).toMatch(/^Dead[0-9A-F]{8}$/);
    // SQS does not count what it moves to a dead-letter queue by itself as sent.
    expect(plain.alarms.flatMap(alarmMetrics).filter((id) => id.includes('NumberOfMessagesSent'))).toEqual([]);
  });

  test('a missing pass is a 0, for which no alarm looks at older periods', () => {
    const { Properties: alarm } = findAlarm(plain.alarms, 'reconcile-missing');
    const [expression, metric] = alarm.Metrics;
    expect(expression).toMatchObject({ Expression: 'FILL(passes,0)' });
    expect(metric.MetricStat).toMatchObject({ Stat: 'SampleCount', Metric: { MetricName: 'ReconcileDuration' } });
  });

  test('only the percentile leaves out periods with few values', () => {
    const ignoring = plain.alarms.filter(({ Properties }) => Properties.EvaluateLowSampleCountPercentile);
    expect(ignoring.map(({ Properties }) => Properties)).toMatchObject([
      { ExtendedStatistic: 'p99', EvaluateLowSampleCountPercentile: 'ignore', MetricName: 'ConversionReviewDuration' },
    ]);
  });

  test('none uses SEARCH, which CloudWatch refuses in alarms', () => {
    for (const { alarms } of [plain, withDomain]) {
      expect(alarms.flatMap(alarmExpressions).filter((text) => text.includes('SEARCH'))).toEqual([]);
    }
  });

  test('each one tells the topic when it starts and when it stops', () => {
    const [topic] = Object.entries(plain.resources).find(([, { Type }]) => Type === 'AWS::SNS::Topic') ?? [];
    for (const { Properties } of plain.alarms) {
      expect(Properties).toMatchObject({ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] });
      expect(Properties.ActionsEnabled).not.toBe(false);
    }
  });

  test.each(plain.entries.map(({ row, page }) => [row.id, row, page] as const))(
    '%s says what it means and what to do',
    (id, row, page) => {
      const { AlarmDescription: text } = findAlarm(plain.alarms, id).Properties;
      const dashboard = page === 'apps' ? 'roundhouse-test_apps' : 'roundhouse-test';
      expect(text).toBe(`${row.title}. ${row.meaning} What to do: ${row.whatToDo} Dashboard: ${dashboard}.`);
      expect(text.length).toBeGreaterThan(300);
      // The limit of CloudWatch; a stage has up to 20 characters, `test` has 4.
      expect(text.length + 16).toBeLessThanOrEqual(1024);
      expect(text).not.toMatch(/[\n|]|undefined|\s{2}/);
    },
  );

  test('their texts name widgets, log lines and alarms that exist', () => {
    const titles = plain.graphs.map(({ properties }) => properties.title);
    const sources = ['lib', 'functions'].flatMap(readSources).join('\n');
    for (const { meaning, whatToDo, id } of plain.rows) {
      const text = `${meaning} ${whatToDo}`;
      const messages = [...text.matchAll(/message = "([^"]+)"/g)].map(([, message]) => message ?? '');
      const quoted = [...text.matchAll(/(?:widgets? |look at |and )"([^"]+)"/gi)].map(([, title]) => title ?? '');
      const alarms = [
        ...text.matchAll(/(?:see|do what|\() ?((?:review|compile|convert|api|worker|reconcile|lost|late)-[\w-]+)/g),
      ].map(([, name]) => name);
      expect({ id, unknown: messages.filter((message) => !sources.includes(`'${message}'`)) }).toEqual({
        id,
        unknown: [],
      });
      expect({ id, unknown: quoted.filter((title) => !titles.includes(title)) }).toEqual({ id, unknown: [] });
      expect({ id, unknown: alarms.filter((name) => !plain.rows.some((row) => row.id === name)) }).toEqual({
        id,
        unknown: [],
      });
    }
  });

  test.each([
    ['convert', 4],
    ['api', 4],
    ['worker', 2],
  ])('those of %s look at its function', (name, count) => {
    const own = plain.alarms.filter(({ Properties }) => Properties.AlarmName.startsWith(`roundhouse-test-${name}-`));
    const functions = own.flatMap(({ Properties }) =>
      Properties.Dimensions.map(({ Value }: any) => resolveText(Value)),
    );
    expect(functions).toHaveLength(count);
    for (const id of functions) expect(plain.logicalId(id)).toMatch(new RegExp(`^${name}[0-9A-F]{8}$`, 'i'));
  });

  test('with a domain, what apiservers get is measured there, and still at the function URL', () => {
    const metrics = (id: string) => alarmMetrics(findAlarm(withDomain.alarms, id));
    expect(metrics('domain-5xx')).toEqual(['AWS/ApiGateway 5xx ApiId=api1234567']);
    expect(metrics('domain-latency')).toEqual(['AWS/ApiGateway Latency ApiId=api1234567']);
    for (const id of ['convert-5xx', 'convert-latency', 'api-5xx']) {
      expect(metrics(id)).toEqual([expect.stringMatching(/^AWS\/Lambda Url\w+ FunctionName=</)]);
    }
  });
});

describe('the topic', () => {
  test('lets the alarms of its stage publish, and nobody without TLS', () => {
    const [policy, ...others] = plain.ofType('AWS::SNS::TopicPolicy');
    expect(others).toEqual([]);
    const [deny, allow, ...rest] = policy.Properties.PolicyDocument.Statement;
    expect(rest).toEqual([]);
    expect(deny).toMatchObject({
      Effect: 'Deny',
      Action: 'sns:Publish',
      Principal: '*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
    expect(allow).toMatchObject({
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
    expect(resolveText(allow.Condition.ArnLike['aws:SourceArn'])).toBe(
      'arn:<AWS::Partition>:cloudwatch:<AWS::Region>:<AWS::AccountId>:alarm:roundhouse-test-*',
    );
  });

  test('sends mail only where there is an address', () => {
    const subscribed = createStack({ alarmEmail: 'oncall@example.org' });
    const subscriptions = subscribed.ofType('AWS::SNS::Subscription').map(({ Properties }) => Properties);
    expect(subscriptions).toMatchObject([{ Protocol: 'email', Endpoint: 'oncall@example.org' }]);
    expect(plain.ofType('AWS::SNS::Subscription')).toEqual([]);
  });
});

describe('metric names and dimension sets', () => {
  test('the catalogue is what the code publishes', () => {
    const ids = Object.entries(METRICS).flatMap(([name, { service, byTarget }]) => [
      metricId('Roundhouse', name, { service, stage: 'test' }),
      ...(byTarget ? [metricId('Roundhouse', name, { service, stage: 'test', target: '*' })] : []),
    ]);
    expect(publishedByCode()).toEqual(unique(ids));
  });

  test.each([
    ['without', plain],
    ['with', withDomain],
  ] as const)('%s a domain, alarms and dashboard name all that is published, and nothing else', (_how, stack) => {
    const used = usedMetrics(stack).filter((id) => id.startsWith('Roundhouse '));
    expect(used).toEqual(publishedByCode());
  });

  test('a graph or alarm of AWS metrics names only what AWS documents', () => {
    const named = [...usedMetrics(plain), ...usedMetrics(withDomain)].filter((id) => !id.startsWith('Roundhouse '));
    const shapes = named.map((id) => id.replaceAll(/=\S+/g, '').replace(/^(\S+) (\S+) (.*)$/, '$1 $2 [$3]'));
    expect(unique(shapes).filter((shape) => !AWS_METRICS.includes(shape))).toEqual([]);
    expect(named.length).toBeGreaterThan(AWS_METRICS.length);
  });

  test('AWS dimensions name the functions and the table of the stack', () => {
    const types = usedMetrics(withDomain).flatMap((id) => {
      const [, name, value = ''] = / (FunctionName|QueueName|TableName)=(\S+)/.exec(id) ?? [];
      return name === undefined ? [] : [`${name} ${withDomain.resources[withDomain.logicalId(value)]?.Type}`];
    });
    expect(unique(types)).toEqual([
      'FunctionName AWS::Lambda::Function',
      'QueueName AWS::SQS::Queue',
      'TableName AWS::DynamoDB::Table',
    ]);
  });
});

describe('the dashboard', () => {
  test.each([
    ['without', plain],
    ['with', withDomain],
  ] as const)('%s a domain, every graph is complete', (_how, stack) => {
    for (const { properties } of stack.graphs) {
      expect(properties).toMatchObject({ region: '<AWS::Region>', period: 60, title: expect.any(String) });
      expect(properties.metrics.length).toBeGreaterThan(0);
      expect(properties.metrics.length).toBeLessThanOrEqual(500);
    }
    expect(JSON.stringify(stack.pages)).not.toMatch(/undefined|null|NaN|\[object/);
    const titles = stack.graphs.map(({ properties }) => properties.title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  test.each([
    ['without', plain],
    ['with', withDomain],
  ] as const)('%s a domain, widgets fill each page and none covers another', (_how, { pages }) => {
    for (const { widgets } of pages) checkCells(widgets);
  });

  function checkCells(widgets: readonly any[]): void {
    const cells = widgets.flatMap(({ x, y, width, height }) => {
      expect(x + width).toBeLessThanOrEqual(24);
      return Array.from({ length: width * height }, (_, at) => `${x + (at % width)},${y + Math.floor(at / width)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
    expect(cells).toHaveLength(24 * Math.max(...widgets.map(({ y, height }) => y + height)));
  }

  test('every expression computes with metrics that are there', () => {
    for (const { properties } of [...plain.graphs, ...withDomain.graphs]) {
      const options = properties.metrics
        .map((entry: any[]) => entry.at(-1))
        .filter((last: any) => typeof last === 'object');
      const ids = options.map(({ id }: any) => id);
      for (const { expression } of options.filter(
        ({ expression }: any) => expression && !expression.includes('SEARCH'),
      )) {
        const names = [...expression.matchAll(/\b[a-z]\w*/g)].map(([name]) => name);
        expect(names.length).toBeGreaterThan(0);
        expect(ids).toEqual(expect.arrayContaining(names));
      }
    }
  });

  test('has the alarms of each page on it, and none on two', () => {
    expect(plain.pages.map(({ name }) => name)).toEqual(['roundhouse-test', 'roundhouse-test_apps']);
    const shown = plain.pages.map(
      ({ widgets }) => widgets.find(({ type }) => type === 'alarm').properties.alarms.length,
    );
    const counted = (page: string) => plain.entries.filter((entry) => entry.page === page).length;
    expect(shown).toEqual([counted('conversion'), counted('apps')]);
    expect(counted('apps')).toBe(6);
  });

  test('shows the state of every alarm', () => {
    const widgets = plain.pages.flatMap((page) => page.widgets);
    const alarmArns = widgets.filter(({ type }) => type === 'alarm').flatMap(({ properties }) => properties.alarms);
    const shown = alarmArns.map((arn: string) => arn.replace(/^<(\w+)\.Arn>$/, '$1'));
    const alarms = Object.entries(plain.resources).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
    expect(unique(shown)).toEqual(unique(alarms.map(([id]) => id)));
  });

  test('tells for every alarm what to do', () => {
    const rows = plain.pages.flatMap(({ widgets }) => {
      const markdown: string = widgets.at(-1).properties.markdown;
      return markdown.split('\n').slice(4);
    });
    expect(rows).toHaveLength(plain.rows.length);
    for (const [index, { id, meaning, whatToDo }] of plain.rows.entries()) {
      const cells = rows[index]?.split(/(?<!\\)\|/).map((cell) => cell.trim());
      expect(cells).toEqual(['', expect.stringContaining(`(${id})`), meaning, whatToDo, '']);
    }
  });
});

test.each([
  ['prod', 'test'],
  ['prod', 'prod-eu'],
  ['prod', 'prod-convert'],
  ['prod', 'prod-review'],
  ['prod', 'prod-apps'],
  ['prod', 'prod-lost'],
])('the stages %s and %s share no name', (one, other) => {
  const names = [one, other].flatMap((stage) => {
    const { alarms, pages } = createStack({ stage });
    return [...pages.map(({ name }) => name), ...alarms.map(({ Properties }) => Properties.AlarmName)];
  });
  expect(names).toHaveLength(42);
  expect(new Set(names).size).toBe(names.length);
});

test('no alarm id ends in another one, which a stage of a longer name could make the same', () => {
  const ids = plain.rows.map(({ id }) => id);
  expect(ids.filter((id) => ids.some((other) => id !== other && id.endsWith(`-${other}`)))).toEqual([]);
});

/** Runs every path that publishes, and reads names and dimension sets from the lines. */
function publishedByCode(): MetricId[] {
  const lines: any[] = [];
  const options = { stage: 'test', print: (line: string) => lines.push(JSON.parse(line)) };
  const metrics = createMetrics({ ...options, version: '7' });
  const results: Readonly<Record<ReviewResult, true>> = {
    success: true,
    error: true,
    bad_request: true,
    not_registered: true,
    panic: true,
  };
  const counts = { objects: 1, lossy: 1, absentSkipped: 1, stashIgnored: 1, shapeMismatches: 1 };
  for (const result of Object.keys(results) as ReviewResult[]) {
    const record: ReviewRecord = { result, durationMs: 1, ...counts };
    metrics.review(record);
    metrics.review({ ...record, target: 'widgets.example.org' });
  }
  metrics.registry({ size: 1, compileMs: 1, compileErrors: 1 });
  const synthetic = createSyntheticMetrics(options);
  synthetic.record({ failed: false, durationMs: 1 });
  synthetic.record({ failed: true, durationMs: 1, reason: 'HTTP 503' });
  const deploy = { durationMs: 1, app: 'shop', attempt: 'dep_AAAAAQECAwQF' };
  for (const result of ['succeeded', 'failed'] as const) createWorkerMetrics(options).deploy({ ...deploy, result });
  createReconcileMetrics(options).pass({ pass: 'drift', durationMs: 1, calls: 1, sent: 1 });
  createApiMetrics(options).rateLimited('read');
  return unique(lines.flatMap(metricsOfLine));
}

function metricsOfLine(line: any): MetricId[] {
  return line._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }: any) =>
    Metrics.flatMap(({ Name }: any) =>
      Dimensions.map((set: string[]) => {
        const pairs = set.map((key) => [key, key === 'target' ? '*' : line[key]]);
        return metricId(Namespace, Name, Object.fromEntries(pairs));
      }),
    ),
  );
}

function findAlarm(alarms: readonly any[], id: string): any {
  const found = alarms.find(({ Properties }) => Properties.AlarmName === `roundhouse-test-${id}`);
  if (found === undefined) throw new Error(`no alarm ${id}`);
  return found;
}

function readSources(folder: string): string[] {
  const root = join(import.meta.dirname, '../..', folder);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return files.map((name) => readFileSync(join(root, name), 'utf8'));
}

function ofQueue(name: string): string {
  return `AWS/SQS ${name} [QueueName]`;
}

/**
 * What AWS publishes, with its dimension sets:
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html (FunctionName: all versions and aliases),
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-monitoring.html,
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html,
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html,
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html.
 */
const AWS_METRICS = [
  'AWS/Lambda Errors [FunctionName]',
  'AWS/Lambda Throttles [FunctionName]',
  'AWS/Lambda Duration [FunctionName]',
  'AWS/Lambda ConcurrentExecutions [FunctionName]',
  'AWS/Lambda UrlRequestCount [FunctionName]',
  'AWS/Lambda Url4xxCount [FunctionName]',
  'AWS/Lambda Url5xxCount [FunctionName]',
  'AWS/Lambda UrlRequestLatency [FunctionName]',
  'AWS/ApiGateway Count [ApiId]',
  'AWS/ApiGateway 4xx [ApiId]',
  'AWS/ApiGateway 5xx [ApiId]',
  'AWS/ApiGateway Latency [ApiId]',
  ...['ApproximateNumberOfMessagesVisible', 'ApproximateNumberOfMessagesNotVisible'].map(ofQueue),
  ...['ApproximateAgeOfOldestMessage', 'NumberOfMessagesSent', 'NumberOfMessagesReceived'].map(ofQueue),
  'AWS/DynamoDB ConsumedReadCapacityUnits [TableName]',
  'AWS/DynamoDB ConsumedWriteCapacityUnits [TableName]',
  'AWS/DynamoDB ReadThrottleEvents [TableName]',
  'AWS/DynamoDB WriteThrottleEvents [TableName]',
  'AWS/DynamoDB SuccessfulRequestLatency [Operation TableName]',
];
