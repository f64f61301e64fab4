import { type Duration, type RemovalPolicy, Tags } from 'aws-cdk-lib';
import { Policy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ANY, addGrants, type Grant } from './grants.ts';

/** What all functions of a stage have in common. */
export interface FunctionDefaults {
  readonly stage: string;
  /** Folder with one bundle for each function, and the layer `secrets-layer`, as `infra/bundle.ts` makes it. */
  readonly bundles: string;
  readonly logRetention: RetentionDays;
  /** What happens to logs, and to what convert needs, when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
}

export interface ServiceFunctionProps {
  /** Name of the bundle, and the `service` of its logs, metrics and cost tag. */
  readonly service: string;
  readonly description: string;
  /** Megabytes; Lambda gives CPU in proportion, a full core at 1,769. */
  readonly memorySize: number;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  readonly tracing?: 'active' | 'off';
  readonly reservedConcurrency?: number | undefined;
  /** It sends messages to the queue that invokes it: Lambda would take 16 in a row for a loop, and drop the next. */
  readonly sendsToItself?: boolean;
}

const TRACES = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'];

/** The alias that URLs, schedules and CodeDeploy point at. */
export const LIVE = 'live';

/**
 * A Lambda function with everything that is the same for all of ours: Node 24 on arm64, a bundle from `bundles`, JSON
 * logs in a log group with retention, and a role of its own that may write to that log group and nothing else.
 */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;
  readonly role: Role;
  readonly policy: Policy;

  constructor(scope: Construct, id: string, defaults: FunctionDefaults, props: ServiceFunctionProps) {
    super(scope, id);
    Tags.of(this).add('roundhouse:service', props.service);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: defaults.logRetention,
      removalPolicy: defaults.removalPolicy,
    });
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `${props.service} of Roundhouse, stage ${defaults.stage}`,
    });
    this.policy = new Policy(this, 'Policy', { roles: [this.role] });
    this.allow('WriteLogs', ['logs:CreateLogStream', 'logs:PutLogEvents'], [this.logGroup.logGroupArn]);
    const traced = props.tracing === 'active';
    if (traced) this.grant({ sid: 'WriteTraces', actions: TRACES, resources: [ANY] });
    this.function = new LambdaFunction(this, 'Function', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(`${defaults.bundles}/${props.service}`),
      handler: 'index.handler',
      memorySize: props.memorySize,
      timeout: props.timeout,
      role: this.role.withoutPolicyUpdates(),
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Metrics are log lines without a level, which Lambda counts as INFO: above it they would be dropped.
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: traced ? Tracing.ACTIVE : Tracing.DISABLED,
      environment: { NODE_OPTIONS: '--enable-source-maps', STAGE: defaults.stage, ...props.environment },
      ...(props.sendsToItself && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(props.reservedConcurrency !== undefined && { reservedConcurrentExecutions: props.reservedConcurrency }),
    });
    // A version that starts before its permissions are there would fail its first requests.
    this.function.node.addDependency(this.policy);
  }

  allow(sid: string, actions: readonly string[], resources: readonly string[]): void {
    this.grant({ sid, actions, resources });
  }

  grant(...grants: readonly Grant[]): void {
    addGrants(this.policy, grants);
  }

  /** Publishes the present code and settings, and points the alias at it; see {@link LIVE}. */
  publish(provisionedConcurrency = 0): Alias {
    return this.function.addAlias(LIVE, {
      ...(provisionedConcurrency > 0 && { provisionedConcurrentExecutions: provisionedConcurrency }),
    });
  }
}
