import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { AlarmRow } from './alarm-rows.ts';
import type { Alarms } from './alarms.ts';
import { type Section, sections } from './dashboard-panels.ts';
import type { Observed } from './metrics.ts';

interface DashboardProps extends Observed {
  readonly alarms: Alarms;
}

/** Width of a dashboard, in CloudWatch's grid. */
const WIDTH = 24;
const GRAPH_HEIGHT = 6;

/** The page for conversion: which alarms ring, the graphs, and what to do about each alarm. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { alarms, ...observed }: DashboardProps) {
    super(scope, id);
    const { entries } = alarms;
    new CloudWatchDashboard(this, 'Page', {
      dashboardName: `roundhouse-${observed.stage}`,
      defaultInterval: Duration.hours(3),
      widgets: [
        [
          new AlarmStatusWidget({
            title: 'Alarms',
            alarms: entries.map(({ alarm }) => alarm),
            width: WIDTH,
            height: 4,
          }),
        ],
        ...sections(observed).flatMap(renderSection),
        [new TextWidget({ markdown: renderRunbook(entries.map(({ row }) => row)), width: WIDTH, height: 40 })],
      ],
    });
  }
}

function renderSection({ title, rows }: Section): IWidget[][] {
  return [
    [new TextWidget({ markdown: `## ${title}`, width: WIDTH, height: 1 })],
    ...rows.map((row) =>
      row.map(
        ({ title, left, right = [] }) =>
          new GraphWidget({
            title,
            left: [...left],
            right: [...right],
            leftYAxis: { min: 0 },
            rightYAxis: { min: 0 },
            period: Duration.minutes(1),
            width: WIDTH / row.length,
            height: GRAPH_HEIGHT,
          }),
      ),
    ),
  ];
}

/** A table with one row for each alarm. */
function renderRunbook(rows: readonly AlarmRow[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const lines = rows.map(
    ({ id, title, meaning, whatToDo }) => `| **${cell(title)}** (${id}) | ${cell(meaning)} | ${cell(whatToDo)} |`,
  );
  return ['## When an alarm rings', '', '| Alarm | What it means | What to do |', '|---|---|---|', ...lines].join('\n');
}
