import { beforeEach, describe, expect, test } from 'vitest';
import { type AuditLog, createAuditLog } from '../../../lib/access/audit.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-03-10T12:00:00Z');

let clock: TestClock;
let store: MemoryStore;
let audit: AuditLog;
let count: number;

beforeEach(() => {
  clock = createTestClock(START);
  store = createMemoryStore(clock);
  count = 0;
  audit = createAuditLog({ store, clock, ids: () => String(++count).padStart(4, '0') });
});

const record = (path = '/api/v1/apps') =>
  audit.record({
    actorType: 'token',
    actorId: 'tok_1',
    actorName: 'ci',
    ability: 'write',
    method: 'POST',
    path,
    statusCode: 201,
    remoteAddr: '192.0.2.1',
  });
const paths = async (query: Parameters<AuditLog['list']>[0]) => (await audit.list(query)).items.map(({ path }) => path);

test('an entry is kept with its time and an id, in the partition of its day, for 90 days', async () => {
  await record();
  expect(store.all()).toMatchObject([{ pk: 'AUDIT#2026-03-10', expiresAt: (START + 90 * DAY) / 1000 }]);
  expect(await audit.list({ limit: 1 })).toEqual({
    items: [
      {
        id: 'aud_0001',
        actorType: 'token',
        actorId: 'tok_1',
        actorName: 'ci',
        ability: 'write',
        method: 'POST',
        path: '/api/v1/apps',
        statusCode: 201,
        remoteAddr: '192.0.2.1',
        createdAt: START,
      },
    ],
  });
  await clock.advance(90 * DAY);
  expect(await audit.list({ limit: 1 })).toEqual({ items: [] });
});

describe('the list', () => {
  test('is newest first over the days, those without entries included', async () => {
    for (const path of ['/a', '/b', '/c']) {
      await record(path);
      await clock.advance(13 * DAY);
    }
    expect(await paths({ limit: 10 })).toEqual(['/c', '/b', '/a']);
    expect(await paths({ limit: 2 })).toEqual(['/c', '/b']);
  });

  test('begins before a time, which is not among it', async () => {
    for (const path of ['/a', '/b', '/c']) {
      await record(path);
      await clock.advance(1);
    }
    expect(await paths({ limit: 10, before: START + 2 })).toEqual(['/b', '/a']);
    expect(await paths({ limit: 10, before: START })).toEqual([]);
    expect(await paths({ limit: 10, before: START + 900 * DAY })).toEqual(['/c', '/b', '/a']);
    expect(await paths({ limit: 10, before: START - 900 * DAY })).toEqual([]);
    expect(await paths({ limit: 10, before: -1 })).toEqual([]);
  });

  test.each([1, 2, 3, 7])('has every entry once in pages of %i, also where many are of one moment', async (limit) => {
    const expected: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      if (index % 4 === 0) await clock.advance(DAY);
      await record(`/${index}`);
      expected.unshift(`/${index}`);
    }
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const page = await audit.list({ limit, ...(next !== undefined && { next }) });
      seen.push(...page.items.map(({ path }) => path));
      next = page.next;
    } while (next !== undefined);
    expect(seen).toEqual(expected);
  });

  test('shows what an instance wrote whose clock is ahead', async () => {
    await clock.advance(5_000);
    await record('/ahead');
    const behind = createAuditLog({ store, clock: { now: () => START }, ids: () => 'x' });
    expect((await behind.list({ limit: 1 })).items).toHaveLength(1);
  });

  const mark = (text: string) => Buffer.from(text).toString('base64url');
  test.each([
    ['no mark at all', '***'],
    ['empty', ''],
    ['another text', mark('nonsense')],
    ['a time without its digits', mark('1#x')],
    ['a time that begins with a space', mark(` ${'1'.repeat(14)}#x`)],
    ['a million days', mark('86400000000000#x')],
    ['the last day that there is', mark('008640000000000000#x')],
    ['a year in the future', mark(`${String(Date.parse('2030-01-01T00:00:00Z')).padStart(15, '0')}#x`)],
  ])('refuses a mark that no page gave: %s', async (_what, next) => {
    await expect(audit.list({ limit: 1, next })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});
