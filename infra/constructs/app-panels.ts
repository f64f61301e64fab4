import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../lib/telemetry/metric-catalogue.ts';
import { functionPanels, type Section, severally } from './dashboard-panels.ts';
import { catalogueMetric, finishedPasses, type Observed, queueMetric } from './metrics.ts';

/** Every graph of the page for apps. */
export function appSections(observed: Observed): readonly Section[] {
  return [deploySection(observed), workSection(observed), reconcileSection(observed)];
}

function deploySection({ stage }: Observed): Section {
  const metric = (name: MetricName, statistic?: string) => catalogueMetric(stage, name, statistic);
  return {
    title: 'Deploys, and callers of the API',
    rows: [
      [
        { title: 'Deploys', left: [metric('Deploys'), metric('DeploysFailed')] },
        {
          title: 'Deploy duration',
          left: severally(['p50', Stats.MAXIMUM], (statistic) => metric('DeployDuration', statistic)),
        },
        { title: 'Requests refused for their rate', left: [metric('RateLimited')] },
      ],
    ],
  };
}

function workSection({ work, worker }: Observed): Section {
  const { queue, dead } = work;
  return {
    title: 'The queue of work, and function worker',
    rows: [
      [
        {
          title: 'Work that waits and is worked on',
          left: [
            queueMetric(queue, 'ApproximateNumberOfMessagesVisible'),
            queueMetric(queue, 'ApproximateNumberOfMessagesNotVisible'),
          ],
          right: [queueMetric(queue, 'NumberOfMessagesSent', Stats.SUM)],
        },
        { title: 'Age of the oldest work (s)', left: [queueMetric(queue, 'ApproximateAgeOfOldestMessage')] },
        {
          title: 'Dead letters',
          left: [
            queueMetric(dead, 'ApproximateNumberOfMessagesVisible'),
            queueMetric(dead, 'NumberOfMessagesReceived', Stats.SUM),
          ],
        },
      ],
      functionPanels('the worker', worker),
    ],
  };
}

function reconcileSection({ stage, reconcile }: Observed): Section {
  return {
    title: 'Reconcile',
    rows: [
      [
        { title: 'Reconcile: finished passes', left: [finishedPasses(stage)] },
        {
          title: 'Reconcile: duration',
          left: severally([Stats.AVERAGE, Stats.MAXIMUM], (statistic) =>
            catalogueMetric(stage, 'ReconcileDuration', statistic),
          ),
        },
        { title: 'Reconcile: calls of AWS', left: [catalogueMetric(stage, 'ReconcileCalls')] },
      ],
      functionPanels('reconcile', reconcile),
    ],
  };
}
