import { type CfnElement, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import type { Alias, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct, type IConstruct } from 'constructs';
import type { Deployed } from '../../lib/deployment/deployed.ts';
import { VERSION_PANICS } from '../../lib/telemetry/metric-catalogue.ts';
import type { Settings } from '../settings.ts';
import { type FunctionDefaults, LIVE, ServiceFunction } from './service-function.ts';

interface DeploymentProps {
  /** What is deployed: it decides what the hook asks a new version, and what its alarms watch. */
  readonly check: Deployed;
  readonly deployed: ServiceFunction;
  readonly alias: Alias;
  readonly deploy: Settings['deploy'];
}

/** One reason to take a new version back. */
interface Symptom {
  readonly id: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly what: string;
}

/**
 * CodeDeploy moves the alias to a new version. First a hook asks the version itself; then a tenth of the traffic goes
 * there for five minutes, and alarms on what only that version did take it back. `all-at-once` moves everything at once
 * and looks at no alarm, so that a fix can ship while they are red; the hook runs all the same.
 */
export class Deployment extends Construct {
  constructor(scope: Construct, id: string, defaults: FunctionDefaults, props: DeploymentProps) {
    super(scope, id);
    const { check, alias } = props;
    const canary = props.deploy === 'canary';
    const hook = createHook(this, defaults, props);
    const group = new LambdaDeploymentGroup(this, 'Group', {
      alias,
      deploymentConfig: canary ? LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES : LambdaDeploymentConfig.ALL_AT_ONCE,
      preHook: hook.function,
      alarms: symptoms(this, defaults, props).map((symptom) =>
        createAlarm(this, `${defaults.stage}-${check}`, symptom),
      ),
      ignoreAlarmConfiguration: !canary,
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: canary },
    });
    hook.allow('ReportResult', ['codedeploy:PutLifecycleEventHookExecutionStatus'], [group.deploymentGroupArn]);
    // The alias names both in its update policy only, and neither may be older than the version that it gets.
    alias.node.addDependency(hook.function, group);
    acknowledgeRole(group.role, hook.function);
  }
}

/** The function that CodeDeploy calls before the new version gets any traffic. */
function createHook(scope: Construct, defaults: FunctionDefaults, { check, deployed }: DeploymentProps) {
  const hook = new ServiceFunction(scope, 'Hook', defaults, {
    service: 'pre-traffic',
    description: `Checks a new version of ${check} before it gets traffic`,
    memorySize: 256,
    timeout: Duration.minutes(2),
    environment: { CHECK: check, TARGET_VERSION_ARN: deployed.function.currentVersion.functionArn },
  });
  // By the number of a version the policy would change with every deployment, and reach IAM too late for the hook.
  hook.allow('InvokeVersions', ['lambda:InvokeFunction'], [`${deployed.function.functionArn}:*`]);
  Validations.of(hook.policy).acknowledge({
    id: anyVersionOf(deployed.function),
    reason: `The new version of ${check} is what the hook is there to invoke, and its number is not known before.`,
  });
  return hook;
}

function acknowledgeRole(role: IConstruct, hook: LambdaFunction): void {
  Validations.of(role).acknowledge({
    id: 'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
    reason:
      'The policy that AWS keeps for this very role. A narrower one of ours would stop every deployment on the day CodeDeploy needs one more action, and only CodeDeploy can take the role.',
  });
  Validations.of(role.node.findChild('DefaultPolicy')).acknowledge({
    id: anyVersionOf(hook),
    reason: 'CodeDeploy calls the hook by its name; CDK adds its versions, of which there are none.',
  });
}

/** cdk-nag's name for its finding that a policy allows every version of a function. */
function anyVersionOf(fn: LambdaFunction): string {
  const logicalId = Stack.of(fn).resolve((fn.node.defaultChild as CfnElement).logicalId);
  return `AwsSolutions::AwsSolutions-IAM5[Resource::<${logicalId}.Arn>:*]`;
}

/** Lambda's own metrics by alias and executed version, and for `convert` what only its log lines know. */
function symptoms(scope: Construct, defaults: FunctionDefaults, props: DeploymentProps): readonly Symptom[] {
  const { check, deployed, alias } = props;
  const { functionName, currentVersion } = deployed.function;
  const own = (metricName: string, statistic: string) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: {
        FunctionName: functionName,
        Resource: `${functionName}:${LIVE}`,
        ExecutedVersion: currentVersion.version,
      },
      statistic,
      period: Duration.minutes(1),
    });
  const errors = { id: 'Errors', metric: own('Errors', Stats.SUM), threshold: 1, what: 'It crashed or timed out.' };
  if (check === 'api') return [errors];
  const { namespace, name } = VERSION_PANICS;
  const filter = new MetricFilter(scope, 'PanicLines', {
    logGroup: deployed.logGroup,
    filterPattern: FilterPattern.literal('{ $.result = "panic" }'),
    metricNamespace: namespace,
    metricName: name,
    metricValue: '1',
    dimensions: { stage: '$.stage', version: '$.version' },
  });
  alias.node.addDependency(filter);
  const panics = filter.metric({
    statistic: Stats.SUM,
    period: Duration.minutes(1),
    dimensionsMap: { stage: defaults.stage, version: currentVersion.version },
  });
  return [
    errors,
    // Not a percentile: a tenth of the traffic of most fleets is too little for one.
    { id: 'Slow', metric: own('Duration', Stats.AVERAGE), threshold: 1_000, what: 'It took 1 s and more on average.' },
    { id: 'Panics', metric: panics, threshold: 1, what: 'A conversion of it failed by a fault of ours.' },
  ];
}

function createAlarm(scope: Construct, prefix: string, { id, metric, threshold, what }: Symptom): Alarm {
  return new Alarm(scope, id, {
    alarmName: `roundhouse-${prefix}-new-version-${id.toLowerCase()}`,
    alarmDescription: `The new version during its deployment: ${what} CodeDeploy takes it back. Read the log lines of that version, mend the cause, deploy again.`,
    metric,
    threshold,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}
