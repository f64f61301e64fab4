import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import { auditKey, auditPartition } from '../store/keys.ts';
import { keyOf, type Page, tokenAfter } from '../store/paging.ts';
import { type Item, type Store, ttlAt } from '../store/ports.ts';

/** One request that could have changed something, or read something sensitive. Never its body or query. */
export interface AuditEntry {
  readonly id: string;
  readonly actorType: 'token';
  readonly actorId: string;
  readonly actorName: string;
  /** What its route needs. */
  readonly ability: string;
  readonly method: string;
  readonly path: string;
  readonly statusCode: number;
  readonly remoteAddr: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface AuditQuery {
  /** 1 to 200. */
  readonly limit: number;
  /** Only entries before this time, in milliseconds. */
  readonly before?: number;
  /** `next` of the page before; it goes before `before`. */
  readonly next?: string;
}

export interface AuditLog {
  /** Appends an entry; an id and the time are given to it. */
  record(entry: Omit<AuditEntry, 'id' | 'createdAt'>): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<Omit<Page<AuditEntry>, 'total'>>;
}

interface AuditDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: () => string;
}

const DAY_MS = 86_400_000;
const KEPT_DAYS = 90;
/** Days that are asked for together: most of them are empty where little happens. */
const DAYS_AT_ONCE = 10;

/** Entries are kept for 90 days, a partition a day. */
export function createAuditLog({ store, clock, ids }: AuditDeps): AuditLog {
  return {
    async record(entry) {
      const createdAt = clock.now();
      const id = `aud_${ids()}`;
      const expiresAt = ttlAt(createdAt + KEPT_DAYS * DAY_MS);
      await store.put({ ...auditKey(createdAt, id), ...entry, id, createdAt, expiresAt });
    },
    async list(query) {
      const now = clock.now();
      // A day ahead: the clock of another instance may be.
      const latest = auditKey(now + DAY_MS, '').sk;
      const end =
        checkToken(keyOf(query), latest) ??
        auditKey(Math.min(query.before ?? Number.POSITIVE_INFINITY, now + DAY_MS), '').sk;
      const found: Item[] = [];
      const days = daysBack(timeOf(end), now - KEPT_DAYS * DAY_MS);
      // One more than asked for tells whether there is a next page.
      const wanted = query.limit + 1;
      while (days.length > 0 && found.length < wanted) {
        const reads = days.splice(0, DAYS_AT_ONCE).map((day) => loadDay(store, day, end, wanted));
        found.push(...(await Promise.all(reads)).flat());
      }
      const items = found.slice(0, query.limit);
      const last = items.at(-1);
      return {
        items: items.map(readEntry),
        ...(last !== undefined && found.length > items.length && { next: tokenAfter(last.sk) }),
      };
    },
  };
}

/** Entries of a day whose sort key is smaller than `end`, newest first. */
async function loadDay(store: Store, day: string, end: string, limit: number): Promise<Item[]> {
  const items = await store.query({
    pk: auditPartition(day),
    sk: { from: '0', to: end },
    reverse: true,
    limit: limit + 1,
  });
  return items.filter(({ sk }) => sk < end);
}

/** @throws AppError BAD_REQUEST for a token that no page gave */
function checkToken(sort: string | undefined, latest: string): string | undefined {
  if (sort === undefined || (/^\d{15}#/.test(sort) && sort <= latest)) return sort;
  throw new AppError('BAD_REQUEST', 'next is not a token of an earlier page');
}

/** The days from that of `time` back to that of `oldest`, `yyyy-mm-dd`. */
function daysBack(time: number, oldest: number): string[] {
  const days: string[] = [];
  for (let day = Math.floor(time / DAY_MS); day >= Math.floor(oldest / DAY_MS); day -= 1) {
    days.push(new Date(day * DAY_MS).toISOString().slice(0, 10));
  }
  return days;
}

/** The time that a sort key begins with; 0, before which there is nothing, for one that is not ours. */
function timeOf(sort: string): number {
  const time = Number(sort.slice(0, sort.indexOf('#')));
  return Number.isSafeInteger(time) && time < 8.64e15 ? time : 0;
}

function readEntry({ pk, sk, expiresAt, ...entry }: Item): AuditEntry {
  return entry as unknown as AuditEntry;
}
