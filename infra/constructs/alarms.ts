import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { type AlarmRow, alarmRows } from './alarm-rows.ts';
import { appAlarmRows } from './app-alarm-rows.ts';
import type { Observed } from './metrics.ts';

interface AlarmsProps extends Observed {
  /** Gets a mail for every alarm, after its owner followed the link in the first one. */
  readonly alarmEmail?: string;
}

/** The dashboard pages of a stage. */
export type Page = 'conversion' | 'apps';

/** No name of a stage has a `_`, so the pages of one are never those of another. */
export function dashboardName(stage: string, page: Page): string {
  return page === 'conversion' ? `roundhouse-${stage}` : `roundhouse-${stage}_${page}`;
}

/** An alarm, and the row that it was made from. */
interface AlarmEntry {
  readonly page: Page;
  readonly row: AlarmRow;
  readonly alarm: Alarm;
}

/** All alarms of a stage. Each one is told to `topic` when it starts to ring and when it stops. */
export class Alarms extends Construct {
  readonly topic: Topic;
  readonly entries: readonly AlarmEntry[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.topic = createTopic(this, props);
    const action = new SnsAction(this.topic);
    const create = (page: Page, rows: readonly AlarmRow[]) =>
      rows.map((row) => {
        const alarm = createAlarm(this, props.stage, page, row);
        alarm.addAlarmAction(action);
        alarm.addOkAction(action);
        return { page, row, alarm };
      });
    this.entries = [...create('conversion', alarmRows(props)), ...create('apps', appAlarmRows(props))];
  }
}

function createAlarm(scope: Construct, stage: string, page: Page, row: AlarmRow): Alarm {
  const [datapointsToAlarm, evaluationPeriods] = row.datapoints;
  return new Alarm(scope, row.id, {
    alarmName: `roundhouse-${stage}-${row.id}`,
    alarmDescription: `${row.title}. ${row.meaning} What to do: ${row.whatToDo} Dashboard: ${dashboardName(stage, page)}.`,
    metric: row.metric,
    comparisonOperator: row.comparison,
    threshold: row.threshold,
    datapointsToAlarm,
    evaluationPeriods,
    treatMissingData: row.missingData,
    ...(row.lowSamples && { evaluateLowSampleCountPercentile: row.lowSamples }),
  });
}

function createTopic(scope: Construct, { stage, alarmEmail }: AlarmsProps): Topic {
  const topic = new Topic(scope, 'Topic', { displayName: `Roundhouse ${stage}`, enforceSSL: true });
  const stack = Stack.of(scope);
  // A topic policy of one's own, which enforceSSL makes, replaces the default one, and that let CloudWatch publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsPublish',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': stack.account },
        ArnLike: {
          'aws:SourceArn': stack.formatArn({
            service: 'cloudwatch',
            resource: 'alarm',
            resourceName: `roundhouse-${stage}-*`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        },
      },
    }),
  );
  if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail));
  return topic;
}
