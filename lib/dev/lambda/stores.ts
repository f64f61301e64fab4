/** One line that an app wrote, or that the platform wrote about it (START, END, REPORT). */
export interface LogEvent {
  /** Rises by one with every line of the store, over all groups: an event id and a place to read on from. */
  readonly sequence: number;
  /** `2026/01/31/[$LATEST]0123abcd…`: one stream a sandbox. */
  readonly stream: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Without the line break. */
  readonly message: string;
}

export interface LogFilter {
  /** Only lines at or after, and before; milliseconds since the epoch. */
  readonly from?: number;
  readonly until?: number;
  readonly stream?: string;
  /** Only lines with a higher sequence. */
  readonly after?: number;
  /** The first so many. */
  readonly limit?: number;
}

/** What CloudWatch Logs keeps, in memory. */
export interface LogStore {
  /** Makes the group when it is not there, as Lambda does. */
  append(group: string, stream: string, lines: readonly { readonly at: number; readonly message: string }[]): void;
  /** Oldest first; undefined when there is no such group. */
  read(group: string, filter?: LogFilter): readonly LogEvent[] | undefined;
  /** Sorted names. */
  groups(): readonly string[];
  /** False when it is there. */
  create(group: string): boolean;
  /** False when there was none. */
  remove(group: string): boolean;
}

/** One call of a function, by Invoke or through its URL. */
export interface InvocationRecord {
  readonly functionName: string;
  /** Number of the version that ran, or `$LATEST`; of a throttled call the one it was for. */
  readonly version: string;
  /** Its start, milliseconds since the epoch. */
  readonly at: number;
  /** 0 when it was throttled. */
  readonly durationMs: number;
  /** The function threw, ended or ran out of time. */
  readonly error: boolean;
  /** Refused for concurrency: it did not run, and is not an invocation in the metrics. */
  readonly throttled: boolean;
  /** How many calls of the function ran, with this one, when it began. */
  readonly concurrency: number;
}

export interface InvocationFilter {
  readonly functionName?: string;
  readonly from?: number;
  readonly until?: number;
}

/** What CloudWatch's metrics of functions are made of, in memory. */
export interface InvocationStore {
  record(invocation: InvocationRecord): void;
  /** In the order of their ends. */
  read(filter?: InvocationFilter): readonly InvocationRecord[];
}

const LINES_PER_GROUP = 10_000;
const INVOCATIONS = 100_000;

/** Keeps the newest `limit` lines of each group. */
export function createLogStore(limit = LINES_PER_GROUP): LogStore {
  const groups = new Map<string, LogEvent[]>();
  let sequence = 0;
  return {
    append(group, stream, lines) {
      const events = groups.get(group) ?? [];
      groups.set(group, events);
      for (const { at, message } of lines) {
        sequence += 1;
        events.push({ sequence, stream, at, message });
      }
      trim(events, limit);
    },
    read(group, { from = -Infinity, until = Infinity, stream, after = 0, limit: most = Infinity } = {}) {
      return groups
        .get(group)
        ?.filter(({ at, sequence: place }) => at >= from && at < until && place > after)
        .filter((event) => stream === undefined || event.stream === stream)
        .slice(0, most);
    },
    groups: () => [...groups.keys()].sort(),
    create(group) {
      if (groups.has(group)) return false;
      groups.set(group, []);
      return true;
    },
    remove: (group) => groups.delete(group),
  };
}

/** Keeps the newest `limit` calls. */
export function createInvocationStore(limit = INVOCATIONS): InvocationStore {
  const records: InvocationRecord[] = [];
  return {
    record(invocation) {
      records.push(invocation);
      trim(records, limit);
    },
    read: ({ functionName, from = -Infinity, until = Infinity } = {}) =>
      records.filter(
        (record) =>
          record.at >= from &&
          record.at < until &&
          (functionName === undefined || record.functionName === functionName),
      ),
  };
}

/** A tenth more than the limit before anything is cut, so that cutting is rare. */
function trim(list: unknown[], limit: number): void {
  if (list.length > limit * 1.1) list.splice(0, list.length - limit);
}
