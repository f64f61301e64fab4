import { describe, expect, test } from 'vitest';
import { createMetrics, type ReviewResult } from '../../lib/telemetry/metrics.ts';
import { EVERYTHING, type Synthesised, synthesise } from '../support/synthesise.ts';

const canary = synthesise();
const allAtOnce = synthesise({ deploy: 'all-at-once' });
const VARIANTS = { canary, allAtOnce, everything: synthesise(EVERYTHING) };
const NAMES = ['Convert', 'Api'];

const versionOf = (name: string) => `${name}/Service/Function/CurrentVersion`;
const groupOf = ({ at }: Synthesised, name: string) => at(`${name}Deployment/Group`).Properties;

describe('CodeDeploy', () => {
  test.each(Object.entries(VARIANTS))('has a group for convert and one for api, always (%s)', (_, stack) => {
    const groups = NAMES.map((name) => `${name}Deployment/Group`);
    expect(stack.paths('AWS::CodeDeploy::DeploymentGroup').sort()).toEqual([...groups].sort());
  });

  test.each(NAMES.flatMap((name) => Object.entries(VARIANTS).map(([variant, stack]) => ({ name, variant, stack }))))(
    'moves the alias of $name, after the hook ($variant)',
    ({ name, stack }) => {
      const { UpdatePolicy } = stack.at(`${name}/Service/Function/Aliaslive`);
      const { CodeDeployLambdaAliasUpdate, ...others } = UpdatePolicy;
      expect(others).toEqual({});
      expect(Object.entries(CodeDeployLambdaAliasUpdate).map(([key, value]) => [key, stack.text(value)])).toEqual([
        ['ApplicationName', `<${name}Deployment/Group/Application>`],
        ['DeploymentGroupName', `<${name}Deployment/Group>`],
        ['BeforeAllowTrafficHook', `<${name}Deployment/Hook/Function>`],
      ]);
      const { ApplicationName, ServiceRoleArn, DeploymentStyle } = groupOf(stack, name);
      expect(stack.text(ApplicationName)).toBe(`<${name}Deployment/Group/Application>`);
      expect(stack.text(ServiceRoleArn)).toBe(`<${name}Deployment/Group/ServiceRole.Arn>`);
      expect(DeploymentStyle).toEqual({ DeploymentOption: 'WITH_TRAFFIC_CONTROL', DeploymentType: 'BLUE_GREEN' });
      expect(stack.at(`${name}Deployment/Group/Application`).Properties.ComputePlatform).toBe('Lambda');
    },
  );

  const stops = ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST'];
  test.each([
    {
      title: 'a tenth of the traffic for five minutes, and goes back when an alarm is red',
      stack: canary,
      config: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      looksAtAlarms: true,
      events: [...stops, 'DEPLOYMENT_STOP_ON_ALARM'],
    },
    {
      title: 'everything at once, and ignores alarms, so that a fix can ship',
      stack: allAtOnce,
      config: 'CodeDeployDefault.LambdaAllAtOnce',
      looksAtAlarms: false,
      events: stops,
    },
  ])('moves $title', ({ stack, config, looksAtAlarms, events }) => {
    for (const name of NAMES) {
      const { DeploymentConfigName, AlarmConfiguration, AutoRollbackConfiguration } = groupOf(stack, name);
      expect(DeploymentConfigName).toBe(config);
      expect(AlarmConfiguration.Enabled).toBe(looksAtAlarms);
      expect(AlarmConfiguration.IgnorePollAlarmFailure ?? false).toBe(false);
      expect(AutoRollbackConfiguration).toEqual({ Enabled: true, Events: events });
    }
  });
});

describe('the hook', () => {
  test.each(NAMES)('asks the version of %s that the alias is about to get', (name) => {
    const { CHECK, TARGET_VERSION_ARN } = canary.at(`${name}Deployment/Hook/Function`).Properties.Environment.Variables;
    expect(CHECK).toBe(name.toLowerCase());
    expect(canary.text(TARGET_VERSION_ARN)).toBe(`<${versionOf(name)}>`);
    const { FunctionVersion } = canary.at(`${name}/Service/Function/Aliaslive`).Properties;
    expect(canary.text(FunctionVersion)).toBe(`<${versionOf(name)}.Version>`);
    expect(canary.text(canary.at(versionOf(name)).Properties.FunctionName)).toBe(`<${name}/Service/Function>`);
  });
});

describe('rollback alarms', () => {
  const onVersion = (name: string) => ({
    FunctionName: `<${name}/Service/Function>`,
    Resource: `<${name}/Service/Function>:live`,
    ExecutedVersion: `<${versionOf(name)}.Version>`,
  });
  const ROWS = [
    { name: 'Convert', id: 'Errors', metric: 'AWS/Lambda Errors Sum', dimensions: onVersion('Convert'), threshold: 1 },
    {
      name: 'Convert',
      id: 'Slow',
      metric: 'AWS/Lambda Duration Average',
      dimensions: onVersion('Convert'),
      threshold: 1000,
    },
    {
      name: 'Convert',
      id: 'Panics',
      metric: 'Roundhouse/Deployments ConversionPanics Sum',
      dimensions: { stage: 'prod', version: `<${versionOf('Convert')}.Version>` },
      threshold: 1,
    },
    { name: 'Api', id: 'Errors', metric: 'AWS/Lambda Errors Sum', dimensions: onVersion('Api'), threshold: 1 },
  ];

  test.each(ROWS)('watch the new version of $name only: $metric, from $threshold', (row) => {
    const alarm = canary.at(`${row.name}Deployment/${row.id}`).Properties;
    const { Namespace, MetricName, Statistic, ExtendedStatistic, Dimensions } = alarm;
    expect(`${Namespace} ${MetricName} ${Statistic ?? ExtendedStatistic}`).toBe(row.metric);
    expect(Object.fromEntries(Dimensions.map(({ Name, Value }: any) => [Name, canary.text(Value)]))).toEqual(
      row.dimensions,
    );
    expect(alarm).toMatchObject({
      AlarmName: `roundhouse-prod-${row.name.toLowerCase()}-new-version-${row.id.toLowerCase()}`,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: row.threshold,
      Period: 60,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  test.each(NAMES)('are all that the group of %s looks at, in both ways to deploy', (name) => {
    const expected = ROWS.filter((row) => row.name === name).map(({ id }) => `<${name}Deployment/${id}>`);
    for (const stack of [canary, allAtOnce]) {
      const { Alarms } = groupOf(stack, name).AlarmConfiguration;
      expect(Alarms.map(({ Name }: any) => stack.text(Name)).sort()).toEqual([...expected].sort());
    }
  });

  test('say what to do with low samples only where the statistic is a percentile, as CloudWatch wants it', () => {
    const alarms = canary.paths('AWS::CloudWatch::Alarm').map((path) => ({ path, ...canary.at(path).Properties }));
    const wrong = alarms.filter((alarm) => alarm.EvaluateLowSampleCountPercentile && !alarm.ExtendedStatistic);
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

describe('panics of the new version', () => {
  const filter = canary.at('ConvertDeployment/PanicLines').Properties;
  const VERSION = '12';
  const pattern: string = filter.FilterPattern;

  /** Judges patterns of the form `{ $.a = "x" && $.b = "y" }`; texts only, as CloudWatch compares them. */
  function matches(line: Readonly<Record<string, unknown>>): boolean {
    const inner = /^\{ (.+) \}$/.exec(pattern)?.[1] ?? '';
    return inner.split(' && ').every((term) => {
      const [, field, value] = /^\$\.(\w+) = "([^"]*)"$/.exec(term) ?? [];
      if (field === undefined) throw new Error(`this matcher does not know ${term}`);
      return line[field] === value;
    });
  }
  function linesOf(version: string, result: ReviewResult) {
    const lines: any[] = [];
    const metrics = createMetrics({ stage: 'prod', version, print: (line) => lines.push(JSON.parse(line)) });
    const counts = { objects: 1, lossy: 0, absentSkipped: 0, stashIgnored: 0, shapeMismatches: 0 };
    metrics.review({ result, durationMs: 3, target: 'widgets.example.org', ...counts });
    metrics.registry({ size: 1, compileMs: 2, compileErrors: 0 });
    return lines;
  }

  test.each<[ReviewResult, number]>([
    ['panic', 1],
    ['error', 0],
    ['not_registered', 0],
    ['success', 0],
  ])('are found among the lines after a review with %s: %d', (result, count) => {
    const lines = linesOf(VERSION, result);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter(matches)).toHaveLength(count);
  });

  test('are counted by the version in the line, and the alarm looks at the one that the alias gets', () => {
    const [transformation, ...others] = filter.MetricTransformations;
    expect(others).toEqual([]);
    const alarm = canary.at('ConvertDeployment/Panics').Properties;
    expect(transformation).toMatchObject({
      MetricNamespace: alarm.Namespace,
      MetricName: alarm.MetricName,
      MetricValue: '1',
    });
    const [line] = linesOf(VERSION, 'panic').filter(matches);
    const counted = transformation.Dimensions.map(({ Key, Value }: any) => [Key, line[Value.replace(/^\$\./, '')]]);
    expect(Object.fromEntries(counted)).toEqual({ stage: 'prod', version: VERSION });
    expect(alarm.Dimensions.map(({ Name }: any) => Name)).toEqual(counted.map(([key]: string[]) => key));
    expect(canary.text(filter.LogGroupName)).toBe('<Convert/Service/Logs>');
  });

  test('are looked for before the version gets traffic', () => {
    expect(canary.at('Convert/Service/Function/Aliaslive').DependsOn).toContain('ConvertDeployment/PanicLines');
  });

  test.each(NAMES)('are looked for, and the hook of %s knows the version, before the alias moves', (name) => {
    const { DependsOn } = canary.at(`${name}/Service/Function/Aliaslive`);
    expect(DependsOn).toEqual(expect.arrayContaining([`${name}Deployment/Hook/Function`, `${name}Deployment/Group`]));
  });
});

describe('the synthetic review', () => {
  test('is sent every five minutes, by the prober, and never twice', () => {
    const { ScheduleExpression, State, Targets, EventPattern } = canary.at('Synthetic/Schedule').Properties;
    expect({ ScheduleExpression, State, EventPattern }).toEqual({
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      EventPattern: undefined,
    });
    expect(Targets.map(({ Arn, RetryPolicy }: any) => [canary.text(Arn), RetryPolicy])).toEqual([
      ['<Synthetic/Prober/Function.Arn>', { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 }],
    ]);
    const { FunctionName, ...invoke } = canary.at('Synthetic/Prober/Function/EventInvokeConfig').Properties;
    expect(canary.text(FunctionName)).toBe('<Synthetic/Prober/Function>');
    expect(invoke).toEqual({ Qualifier: '$LATEST', MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
  });
});
