import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Schedule, ScheduleExpression, ScheduleGroup, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { RECONCILE_ACCESS } from '../../lib/store/access.ts';
import { type AppResources, reconcileGrants } from './app-grants.ts';
import { type FunctionDefaults, ServiceFunction } from './service-function.ts';
import type { ConfigTable } from './table.ts';

interface ReconcileProps {
  readonly table: ConfigTable;
  readonly apps: AppResources;
}

/** How often each pass runs, in minutes: what is overdue, and whether the functions in the account are as they should be. */
const PASSES = { fast: 1, drift: 15 } as const;

/**
 * The function that finds apps which are not as they should be, and sends them to `worker`. A pass that is late or that
 * failed is not repeated: the next one comes soon, and sees more. Like `worker` it goes live at once.
 */
export class Reconcile extends Construct {
  readonly service: ServiceFunction;

  constructor(scope: Construct, id: string, defaults: FunctionDefaults, props: ReconcileProps) {
    super(scope, id);
    const { table, apps } = props;
    const { work, artifacts } = apps;
    this.service = new ServiceFunction(this, 'Service', defaults, {
      service: 'reconcile',
      description: 'Finds apps that are not as they should be',
      memorySize: 512,
      timeout: Duration.seconds(60),
      environment: {
        TABLE_NAME: table.table.tableName,
        QUEUE_URL: work.queue.queueUrl,
        ARTIFACT_BUCKET: artifacts.bucket.bucketName,
        ACCOUNT_ID: Stack.of(this).account,
      },
    });
    this.service.grant(...reconcileGrants(apps));
    table.allow(this.service.role, RECONCILE_ACCESS);
    this.service.function.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    this.#schedule(defaults.stage);
  }

  #schedule(stage: string): void {
    const { functionArn } = this.service.function;
    const role = new Role(this, 'SchedulerRole', {
      description: `Starts the passes of Roundhouse, stage ${stage}`,
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    const policy = new Policy(this, 'SchedulerPolicy', {
      roles: [role],
      statements: [
        new PolicyStatement({ sid: 'StartPass', actions: ['lambda:InvokeFunction'], resources: [functionArn] }),
      ],
    });
    const scheduleGroup = new ScheduleGroup(this, 'Schedules', {
      scheduleGroupName: `roundhouse-${stage}`,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    for (const [pass, minutes] of Object.entries(PASSES)) {
      const schedule = new Schedule(this, pass, {
        description: `The ${pass} pass of Roundhouse, stage ${stage}`,
        scheduleGroup,
        schedule: ScheduleExpression.rate(Duration.minutes(minutes)),
        target: new LambdaInvoke(this.service.function, {
          input: ScheduleTargetInput.fromObject({ pass }),
          role: role.withoutPolicyUpdates(),
          retryAttempts: 0,
          maxEventAge: Duration.minutes(1),
        }),
      });
      // It names its group by text only.
      schedule.node.addDependency(policy, scheduleGroup);
    }
  }
}
