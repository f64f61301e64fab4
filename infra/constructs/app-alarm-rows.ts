import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmRow } from './alarm-rows.ts';
import { finishedPasses, functionMetric, lostWork, type Observed, queueMetric } from './metrics.ts';
import { prose } from './prose.ts';

const {
  GREATER_THAN_OR_EQUAL_TO_THRESHOLD: AT_LEAST,
  GREATER_THAN_THRESHOLD: OVER,
  LESS_THAN_THRESHOLD: UNDER,
} = ComparisonOperator;
const { BREACHING, NOT_BREACHING } = TreatMissingData;
const FIVE_MINUTES = Duration.minutes(5);
const QUARTER = Duration.minutes(15);
/** As old as a deploy with a slow image and a gate of its full budget makes a message of the same app that waits behind it. */
const LATE_S = 600;

/**
 * The alarms about apps. That a deploy fails is no alarm: the one who asked for it is told, and the release before serves
 * on. These tell that nobody can deploy, or that nobody looks after what runs.
 */
export function appAlarmRows(observed: Observed): readonly AlarmRow[] {
  return [...workRows(observed), ...workerRows(observed), ...reconcileRows(observed)];
}

function workRows({ work }: Observed): readonly AlarmRow[] {
  return [
    {
      id: 'lost-work',
      title: 'Work on an app was given up',
      metric: lostWork(work, FIVE_MINUTES),
      comparison: AT_LEAST,
      threshold: 1,
      // `worker` takes a dead letter out of its queue at once, so that it is seen in one period only.
      datapoints: [1, 1],
      missingData: NOT_BREACHING,
      meaning: prose`A message about an app was delivered five times and never finished. Its attempt ends as failed with
        worker_lost; what was live before serves on. Other apps are not held up.`,
      whatToDo: prose`Logs Insights, log group of worker: filter message = "worker lost" has app, attempt and step; the
        lines before it, with the same app, have why. Crashes and timeouts: see worker-crashes. Mend the cause, then
        deploy the app again. Letters that stay in the queue (widget "Dead letters") could not be ended either: their
        lines come every 90 s. The alarm goes back to OK five minutes after the last letter: trust the log, not the
        alarm.`,
    },
    {
      id: 'late-work',
      title: 'Work on apps waits for over 10 minutes',
      metric: queueMetric(work.queue, 'ApproximateAgeOfOldestMessage', Stats.MAXIMUM, FIVE_MINUTES),
      comparison: OVER,
      threshold: LATE_S,
      datapoints: [2, 2],
      missingData: NOT_BREACHING,
      meaning: prose`Deploys, stops and deletions are asked for faster than they are done, or nobody does them. Apps go on as
        they are.`,
      whatToDo: prose`Widget "Concurrency of the worker": at workerMaxConcurrency all the time means that it is too small,
        raise it and deploy. At 0: see worker-throttles and worker-crashes; else the event source of worker is
        switched off (Lambda console, Triggers). In between: one app holds up its own messages, and the log group of
        worker has its steps.`,
    },
  ];
}

function workerRows({ worker }: Observed): readonly AlarmRow[] {
  return [
    {
      id: 'worker-crashes',
      title: 'Invocations of the worker crash or time out',
      metric: functionMetric(worker, 'Errors', Stats.SUM, FIVE_MINUTES),
      comparison: AT_LEAST,
      threshold: 1,
      datapoints: [2, 3],
      missingData: NOT_BREACHING,
      meaning: prose`A message that fails comes again after 90 s and is given up after five times. While this goes on, apps
        are deployed late or not at all. Apps that run are not touched.`,
      whatToDo: prose`Logs Insights, log group of worker: filter level = "ERROR" has reason, error_name and error_stack;
        filter type like "platform." has record.status. timeout: a call of AWS hangs, look at AWS Health. Init errors:
        the environment or the permissions are wrong; their log line says which. Since the last deployment of
        Roundhouse: roll it back (docs/deploy.md); attempts go on where they were.`,
    },
    {
      id: 'worker-throttles',
      title: 'Calls of the worker are throttled',
      metric: functionMetric(worker, 'Throttles', Stats.SUM, FIVE_MINUTES),
      comparison: AT_LEAST,
      threshold: 1,
      datapoints: [2, 3],
      missingData: NOT_BREACHING,
      meaning: prose`The concurrency of the account is used up. A message that finds no instance five times is given up, and
        apps are throttled as well.`,
      whatToDo: prose`GET /api/v1/system/doctor has what the account has and what is left of it. Ask Service Quotas for more
        "Concurrent executions", or take the reservation of an app back. If convert has no reservation, it is next: see
        convert-throttles, now.`,
    },
  ];
}

function reconcileRows({ stage, reconcile }: Observed): readonly AlarmRow[] {
  return [
    {
      id: 'reconcile-missing',
      title: 'No pass over the apps has ended for 5 minutes',
      metric: finishedPasses(stage, FIVE_MINUTES),
      comparison: UNDER,
      threshold: 1,
      datapoints: [1, 1],
      missingData: BREACHING,
      meaning: prose`Work whose message was lost, retries that wait for their time, and apps that somebody changed behind our
        back are found by nobody. Deploys that are asked for are done all the same.`,
      whatToDo: prose`Logs Insights, log group of reconcile: filter level = "ERROR" has reason and error_name. No lines at
        all: the schedules are switched off (EventBridge Scheduler, the group of this stack), or their role may not start
        the function; deploy again. Throttled: see worker-throttles. Since the last deployment of Roundhouse: roll it
        back (docs/deploy.md). After the very first deployment it is red until one pass ran.`,
    },
    {
      id: 'reconcile-crashes',
      title: 'Passes over the apps crash or time out',
      metric: functionMetric(reconcile, 'Errors', Stats.SUM, QUARTER),
      comparison: AT_LEAST,
      threshold: 1,
      // The drift pass comes once in such a period, so that the fast one does not hide it.
      datapoints: [2, 3],
      missingData: NOT_BREACHING,
      meaning: prose`The fast pass or the drift pass fails again and again. What it looks for is not found: overdue work, or
        functions that are not as they should be.`,
      whatToDo: prose`Logs Insights, log group of reconcile: filter level = "ERROR" has the pass, reason and error_name.
        Throttling by Lambda's own API: somebody else calls it a lot in this account. timeout: the widget "Reconcile:
        duration" shows since when; more apps than one pass can look at need more time than it has.`,
    },
  ];
}
