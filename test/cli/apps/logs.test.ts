import { describe, expect, test } from 'vitest';
import type { Apps } from '../../../lib/cli/apps/api.ts';
import { followLogs, logLine, parseSince, readLogs } from '../../../lib/cli/apps/logs.ts';
import type { LogEntry, Logs } from '../../../lib/cli/apps/shapes.ts';
import type { Io } from '../../../lib/cli/io.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const entry = (message: string, at = NOW): LogEntry => ({
  timestamp: new Date(at).toISOString(),
  stream: 's',
  message,
});

/** Gives one page after the other, then rejects; remembers what it was asked. */
function scripted(pages: readonly Logs[]) {
  const asked: Readonly<Record<string, string | undefined>>[] = [];
  const logs = async (_name: string, query: Readonly<Record<string, string | undefined>>) => {
    const page = pages[asked.length];
    asked.push(query);
    if (page === undefined) throw new Error('no more pages');
    return page;
  };
  return { apps: { logs } as unknown as Apps, asked };
}

test('all pages are read, in their order', async () => {
  const { apps, asked } = scripted([
    { entries: [entry('a')], next: 'n1' },
    { entries: [], next: 'n2' },
    { entries: [entry('b')] },
  ]);
  const seen: string[] = [];
  await readLogs(apps, 'shop', { from: NOW - 1000, contains: 'x' }, ({ message }) => void seen.push(message));
  expect(seen).toEqual(['a', 'b']);
  expect(asked.map(({ next }) => next)).toEqual([undefined, 'n1', 'n2']);
  expect(asked[0]).toEqual({ from: '2026-01-01T11:59:59.000Z', to: undefined, q: 'x', limit: '1000', next: undefined });
});

test('pages that never end are left', async () => {
  let pages = 0;
  const logs = async () => ({ entries: [], next: String(++pages) });
  await readLogs({ logs } as unknown as Apps, 'shop', { from: NOW }, () => {});
  expect(pages).toBe(200);
});

test('what is written is followed: late lines are shown, none twice, and twins are two', async () => {
  const [a, b, late, c] = [entry('a'), entry('b', NOW + 1000), entry('late', NOW + 500), entry('c', NOW + 2000)];
  const { apps, asked } = scripted([
    { entries: [a, a] },
    { entries: [a, a, b] },
    { entries: [a, a, late, b, b] },
    { entries: [late, b, b, c] },
  ]);
  const seen: string[] = [];
  let time = NOW + 20_000;
  const io = {
    now: () => time,
    wait: async (ms: number) => {
      time += ms;
    },
  } as unknown as Io;
  const following = followLogs(apps, 'shop', { from: NOW }, ({ message }) => void seen.push(message), io);
  await expect(following).rejects.toThrow('no more pages');
  expect(seen).toEqual(['a', 'a', 'b', 'late', 'b', 'c']);
  expect(asked.map(({ from }) => from?.slice(14, 19))).toEqual(['00:00', '00:05', '00:07', '00:09', '00:11']);
});

describe('--since', () => {
  test.each([
    ['15m', NOW - 900_000],
    ['1.5h', NOW - 5_400_000],
    ['2026-01-01T11:00:00Z', NOW - 3_600_000],
    ['2026-01-01T12:00:00+01:00', NOW - 3_600_000],
  ])('takes %s', (text, expected) => {
    expect(parseSince(text, NOW)).toBe(expected);
  });

  test.each(['yesterday', '', '-5m', '2026-13-01T00:00:00Z', '2026-01-01'])('does not take %j', (text) => {
    expect(() => parseSince(text, NOW)).toThrow(/--since is ".*": write a time above zero/);
  });
});

test.each([
  ['one line', 'hello\n', '2026-01-01T12:00:00.000Z hello\n'],
  ['lines that go on', 'Error: x\n  at y\n', '2026-01-01T12:00:00.000Z Error: x\n    at y\n'],
  ['what a terminal obeys', '\u001b[2J\r\nx', '2026-01-01T12:00:00.000Z \u241b[2J\u240d\n  x\n'],
  ['an order to a runner of workflows', 'a\n::add-mask::x', '2026-01-01T12:00:00.000Z a\n  \u2236:add-mask::x\n'],
])('%s is shown with its time', (_what, message, expected) => {
  expect(logLine(entry(message))).toBe(expected);
});
