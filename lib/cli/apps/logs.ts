import { parseMilliseconds } from '../cluster/milliseconds.ts';
import type { Io } from '../io.ts';
import { printable } from '../output/printable.ts';
import type { Apps } from './api.ts';
import type { LogEntry } from './shapes.ts';

const POLL_MS = 2000;
/** CloudWatch has a line up to some seconds after it was written, and not always in order: so far back is read again. */
const OVERLAP_MS = 15_000;
/** The most that the API gives at once. */
const PAGE_SIZE = '1000';
/** 200 pages: more is a server without an end. */
const MAX_PAGES = 200;

export interface LogRequest {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to?: number;
  readonly contains?: string | undefined;
}

/** Every entry of a time, oldest first, page by page. */
export async function readLogs(
  apps: Apps,
  name: string,
  { from, to, contains }: LogRequest,
  each: (entry: LogEntry) => void,
): Promise<void> {
  let next: string | undefined;
  let pages = 0;
  do {
    const times = { from: rfc3339(from), to: to === undefined ? undefined : rfc3339(to) };
    const page = await apps.logs(name, { ...times, q: contains, limit: PAGE_SIZE, next });
    for (const entry of page.entries) each(entry);
    next = page.next;
  } while (next !== undefined && ++pages < MAX_PAGES);
}

/** What was written since, then what is written, until the process ends. Entries that come late are shown once. */
export async function followLogs(
  apps: Apps,
  name: string,
  request: LogRequest,
  each: (entry: LogEntry) => void,
  io: Io,
): Promise<never> {
  let before = new Map<string, number>();
  let { from } = request;
  for (;;) {
    const begun = io.now();
    const seen = new Map<string, number>();
    await readLogs(apps, name, { ...request, from }, (entry) => {
      const key = JSON.stringify([entry.timestamp, entry.stream, entry.message]);
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      if (count > (before.get(key) ?? 0)) each(entry);
    });
    before = seen;
    from = Math.max(request.from, begun - OVERLAP_MS);
    await io.wait(POLL_MS);
  }
}

/** @throws AppError for what is neither a length of time nor a time */
export function parseSince(text: string, now: number): number {
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? now - parseMilliseconds(text, '--since') : time;
}

export function logLine({ timestamp, message }: LogEntry): string {
  return `${printable(timestamp)} ${message.replace(/\n$/, '').split('\n').map(printable).join('\n  ')}\n`;
}

function rfc3339(time: number): string {
  return new Date(time).toISOString();
}
