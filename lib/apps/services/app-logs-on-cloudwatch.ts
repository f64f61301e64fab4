import {
  CloudWatchLogsClient,
  type CloudWatchLogsClientConfig,
  FilterLogEventsCommand,
  type FilterLogEventsCommandInput,
  type FilterLogEventsCommandOutput,
} from '@aws-sdk/client-cloudwatch-logs';
import { requestTimeouts } from '../../aws/request-timeouts.ts';
import type { Clock } from '../../clock.ts';
import { AppError } from '../../errors.ts';
import type { AppLogs, LogEntry, LogQuery } from '../ports.ts';
import { logGroupName } from '../runtime/names.ts';
import { askAws } from './app-error.ts';
import { renderFilterPattern } from './filter-pattern.ts';

export interface LogOptions {
  readonly stage: string;
  readonly clock: Clock;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<CloudWatchLogsClientConfig, 'region' | 'endpoint' | 'credentials'>;
  readonly attemptMs?: number;
  /** How many calls one read makes at most; 10 when absent. */
  readonly maxPages?: number;
  /** After which time no further call begins, in milliseconds; 8,000 when absent. */
  readonly budgetMs?: number;
}

/** Of one call. */
const MAX_EVENTS = 10_000;

/**
 * Logs of apps in CloudWatch Logs, with the lines of the platform (START, END, REPORT). A page may come short or empty with
 * more behind it: CloudWatch searches a part of the time at each call, and a read makes few of them. An app without a log
 * group has no lines. `LogQuery.to` is included. Rejects with `AppError`: BAD_REQUEST for a `next` that CloudWatch does not
 * take, UNAVAILABLE or BAD_GATEWAY when it does not answer or refuses.
 */
export function createCloudWatchAppLogs({ stage, clock, client: settings, attemptMs, ...limits }: LogOptions): AppLogs {
  const { maxPages = 10, budgetMs = 8_000 } = limits;
  const client = new CloudWatchLogsClient({
    ...settings,
    maxAttempts: 3,
    requestHandler: requestTimeouts(attemptMs),
    cacheMiddleware: true,
  });
  return {
    async read(app, query) {
      const entries: LogEntry[] = [];
      const deadline = clock.now() + budgetMs;
      let next = query.next;
      for (let page = 0; page < maxPages && clock.now() < deadline; page += 1) {
        const found = await readPage(client, {
          ...renderQuery(query, query.limit - entries.length),
          logGroupName: logGroupName(stage, app),
          nextToken: next,
        });
        entries.push(...renderEntries(found, query.contains));
        next = found.nextToken;
        if (next === undefined || entries.length >= query.limit) break;
      }
      return { entries, ...(next !== undefined && { next }) };
    },
  };
}

function renderQuery({ from, to, contains }: LogQuery, limit: number) {
  const filterPattern = contains === undefined ? undefined : renderFilterPattern(contains);
  return { startTime: from, endTime: to, limit: Math.min(limit, MAX_EVENTS), ...(filterPattern && { filterPattern }) };
}

async function readPage(
  client: CloudWatchLogsClient,
  input: FilterLogEventsCommandInput,
): Promise<Pick<FilterLogEventsCommandOutput, 'events' | 'nextToken'>> {
  const found = await askAws('CloudWatch Logs', () =>
    client.send(new FilterLogEventsCommand(input)).catch((error: { name?: string }) => {
      if (error.name === 'ResourceNotFoundException') return {};
      if (error.name === 'InvalidParameterException' && input.nextToken !== undefined) return undefined;
      throw error;
    }),
  );
  if (found !== undefined) return found;
  const hint = 'Begin again without it.';
  throw new AppError('BAD_REQUEST', `The place to read on from is not one of these logs, or is too old. ${hint}`);
}

/** CloudWatch sorts a page by time; what is in it and is not meant goes out here. */
function renderEntries({ events = [] }: Pick<FilterLogEventsCommandOutput, 'events'>, contains = ''): LogEntry[] {
  return events
    .map(({ timestamp = 0, message = '' }) => ({
      at: timestamp,
      stream: 'stdout',
      message: message.replace(/\r?\n$/, ''),
    }))
    .filter(({ message }) => message.includes(contains))
    .toSorted((one, other) => one.at - other.at);
}
