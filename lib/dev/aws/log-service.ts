import { Buffer } from 'node:buffer';
import type { LogStore } from '../lambda/stores.ts';
import { AwsError, cutPage, type JsonService, readText } from './json-service.ts';

interface LogServiceOptions {
  readonly account: string;
  readonly region: string;
  readonly clock: { now(): number };
  readonly logs: LogStore;
}

const RETENTIONS = new Set<unknown>([
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]);
const MAX_EVENTS = 10_000;
const MAX_GROUPS = 50;

/** CloudWatch Logs over the lines that the Lambda emulator collects: groups, their retention, and FilterLogEvents. */
export function createLogService({ account, region, clock, logs }: LogServiceOptions): JsonService {
  const retentions = new Map<string, number>();
  const createdAt = new Map<string, number>();
  const demand = (name: string): string => {
    if (!logs.groups().includes(name)) throw missing();
    return name;
  };
  const arnOf = (name: string) => `arn:aws:logs:${region}:${account}:log-group:${name}`;
  const render = (name: string) => ({
    arn: `${arnOf(name)}:*`,
    creationTime: createdAt.get(name) ?? 0,
    logGroupArn: arnOf(name),
    logGroupName: name,
    ...(retentions.has(name) && { retentionInDays: retentions.get(name) }),
  });
  return {
    CreateLogGroup(input) {
      const name = readText(input, 'logGroupName');
      if (!/^[\w./#-]{1,512}$/.test(name)) throw invalid('logGroupName');
      if (!logs.create(name)) {
        throw new AwsError('ResourceAlreadyExistsException', 'The specified log group already exists');
      }
      createdAt.set(name, clock.now());
      return {};
    },
    PutRetentionPolicy(input) {
      const days = input['retentionInDays'];
      if (!RETENTIONS.has(days)) throw invalid('retentionInDays');
      retentions.set(demand(readText(input, 'logGroupName')), Number(days));
      return {};
    },
    DescribeLogGroups({ logGroupNamePrefix: prefix = '', limit = MAX_GROUPS, nextToken }) {
      const names = logs.groups().filter((name) => name.startsWith(String(prefix)));
      const { page, next } = cutPage(names, Number(limit), nextToken);
      return { logGroups: page.map(render), ...(next !== undefined && { nextToken: next }) };
    },
    DeleteLogGroup(input) {
      const name = demand(readText(input, 'logGroupName'));
      logs.remove(name);
      retentions.delete(name);
      createdAt.delete(name);
      return {};
    },
    FilterLogEvents: (input) => filterEvents(logs, input),
  };
}

function filterEvents(logs: LogStore, input: Readonly<Record<string, unknown>>) {
  const { startTime, endTime, limit = MAX_EVENTS, nextToken, filterPattern } = input;
  if (!(Number(limit) >= 1 && Number(limit) <= MAX_EVENTS)) throw invalid('limit');
  const terms = parsePattern(filterPattern ?? '');
  const found = logs.read(readText(input, 'logGroupName'), {
    ...(startTime !== undefined && { from: Number(startTime) }),
    // AWS gives the lines of that moment too.
    ...(endTime !== undefined && { until: Number(endTime) + 1 }),
    after: readToken(nextToken),
  });
  if (found === undefined) throw missing();
  const matching = found.filter(({ message }) => terms.every((term) => message.includes(term)));
  const page = matching.slice(0, Number(limit));
  const events = page.map(({ sequence, stream, at, message }) => ({
    eventId: String(sequence).padStart(56, '0'),
    ingestionTime: at,
    logStreamName: stream,
    message,
    timestamp: at,
  }));
  const last = page.at(-1);
  const more = last !== undefined && page.length < matching.length ? { nextToken: renderToken(last.sequence) } : {};
  return { events, searchedLogStreams: [], ...more };
}

/** Quoted terms; the rest of CloudWatch's language is not known here. */
function parsePattern(pattern: unknown): string[] {
  if (typeof pattern !== 'string' || !/^(\s*"[^"\\]+")*\s*$/.test(pattern)) throw invalid('filterPattern');
  return [...pattern.matchAll(/"([^"]+)"/g)].map(([, term = '']) => term);
}

function renderToken(sequence: number): string {
  return Buffer.from(`after:${sequence}`).toString('base64url');
}

function readToken(token: unknown): number {
  if (token === undefined) return 0;
  const [, sequence] = /^after:(\d+)$/.exec(Buffer.from(String(token), 'base64url').toString()) ?? [];
  if (sequence === undefined) throw new AwsError('InvalidParameterException', 'The specified nextToken is invalid.');
  return Number(sequence);
}

function missing(): AwsError {
  return new AwsError('ResourceNotFoundException', 'The specified log group does not exist.');
}

function invalid(member: string): AwsError {
  return new AwsError('InvalidParameterException', `1 validation error detected: '${member}' is not valid`);
}
