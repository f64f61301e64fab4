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
import { type Alarms, dashboardName, type Page } from './alarms.ts';
import { appSections } from './app-panels.ts';
import { type Section, sections } from './dashboard-panels.ts';
import type { Observed } from './metrics.ts';

interface DashboardProps extends Observed {
  readonly alarms: Alarms;
}

/** Width of a dashboard, in CloudWatch's grid. */
const WIDTH = 24;
const GRAPH_HEIGHT = 6;

/** One page for conversion, one for apps: which alarms ring, the graphs, and what to do about each alarm. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { alarms, ...observed }: DashboardProps) {
    super(scope, id);
    createPage(this, 'Page', { page: 'conversion', sections: sections(observed), alarms, stage: observed.stage });
    createPage(this, 'Apps', { page: 'apps', sections: appSections(observed), alarms, stage: observed.stage });
  }
}

interface PageProps {
  readonly page: Page;
  readonly sections: readonly Section[];
  readonly alarms: Alarms;
  readonly stage: string;
}

function createPage(scope: Construct, id: string, { page, sections, alarms, stage }: PageProps): void {
  const entries = alarms.entries.filter((entry) => entry.page === page);
  const rows = entries.map(({ row }) => row);
  new CloudWatchDashboard(scope, id, {
    dashboardName: dashboardName(stage, page),
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
      ...sections.flatMap(renderSection),
      [new TextWidget({ markdown: renderRunbook(rows), width: WIDTH, height: page === 'apps' ? 20 : 40 })],
    ],
  });
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
