import { describe, expect, test } from 'vitest';
import type { AppRecord } from '../../../lib/apps/model.ts';
import { passKey } from '../../../lib/store/keys.ts';
import { runDoctor } from '../../../lib/system/doctor/doctor.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { createTestClock } from '../../support/test-clock.ts';

const MINUTE = 60_000;
const ACCOUNT = { codeBytes: 1, codeBytesLimit: 100, functions: 3, concurrency: 1000, unreservedConcurrency: 900 };
const BOTH = { invokeFunctionUrl: true, invokeFunction: true };

function app(name: string, more: Partial<AppRecord> = {}): AppRecord {
  return { name, spec: { env: {} }, conditions: [], secrets: {}, ...more } as AppRecord;
}

/** A healthy installation, with one thing changed. */
function examine(change: Partial<Parameters<typeof runDoctor>[0]> = {}, reconciledMs: number | undefined = MINUTE) {
  const clock = createTestClock();
  const store = createMemoryStore(clock);
  if (reconciledMs !== undefined) void store.put({ ...passKey('fast'), startedAt: clock.now() - reconciledMs });
  const report = runDoctor({
    store,
    clock,
    ids: () => 'id',
    runtime: { findUrl: async () => ({ url: 'https://u', permissions: BOTH }) },
    probeConvert: async () => undefined,
    serverTime: async () => clock.now(),
    certificates: async () => [],
    countTokens: async () => 1,
    loadApps: async () => [],
    loadAccount: async () => ACCOUNT,
    delay: clock.delay,
    ...change,
  });
  return { report, clock, store };
}

const certificate = (status: 'expired' | 'expiring_soon') => ({
  domain: 'a.example.com',
  not_before: '',
  not_after: '2026-02-01T00:00:00.000Z',
  status,
});
const running = (age: number) => {
  const queuedAt = createTestClock().now() - age;
  return { attempt: { status: 'running', queuedAt, startedAt: queuedAt } } as Partial<AppRecord>;
};
const live = { live: { version: '1' } } as Partial<AppRecord>;

describe('the doctor', () => {
  test('finds nothing wrong with what is healthy', async () => {
    const { report } = examine();
    const { ok, checks } = await report;
    expect(ok).toBe(true);
    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(new Set(checks.map(({ code }) => code)).size).toBe(checks.length);
  });

  test.each<[string, string, Parameters<typeof examine>[0], string, RegExp]>([
    [
      'the Lambda API refuses',
      'lambda_api',
      { loadAccount: () => Promise.reject(new Error()) },
      'fail',
      /nothing can be/,
    ],
    [
      '79 % of code storage',
      'code_storage',
      { loadAccount: async () => ({ ...ACCOUNT, codeBytes: 79 }) },
      'ok',
      /79 %/,
    ],
    [
      '80 % of code storage',
      'code_storage',
      { loadAccount: async () => ({ ...ACCOUNT, codeBytes: 80 }) },
      'warn',
      /80 %/,
    ],
    [
      '95 % of code storage',
      'code_storage',
      { loadAccount: async () => ({ ...ACCOUNT, codeBytes: 95 }) },
      'fail',
      /95 %/,
    ],
    [
      'a small account',
      'unreserved_concurrency',
      { loadAccount: async () => ({ ...ACCOUNT, concurrency: 10, unreservedConcurrency: 10 }) },
      'warn',
      /stop conversion/,
    ],
    [
      'little unreserved',
      'unreserved_concurrency',
      { loadAccount: async () => ({ ...ACCOUNT, unreservedConcurrency: 119 }) },
      'warn',
      /119 of 1000/,
    ],
    [
      'enough unreserved',
      'unreserved_concurrency',
      { loadAccount: async () => ({ ...ACCOUNT, unreservedConcurrency: 120 }) },
      'ok',
      /120/,
    ],
    [
      'a convert URL that fails',
      'convert_url',
      { probeConvert: async () => 'HTTP 403' },
      'fail',
      /not answered well: HTTP 403/,
    ],
    [
      'a clock 5 minutes off',
      'clock_skew',
      { serverTime: async () => createTestClock().now() + 5 * MINUTE },
      'ok',
      /300 s/,
    ],
    [
      'a clock further off',
      'clock_skew',
      { serverTime: async () => createTestClock().now() - 5 * MINUTE - 1 },
      'warn',
      /300 s/,
    ],
    ['no tokens', 'bootstrap_done', { countTokens: async () => 0 }, 'warn', /Only the root token/],
    [
      'an app URL with one permission',
      'function_url_permissions',
      {
        loadApps: async () => [app('shop', live)],
        runtime: { findUrl: async () => ({ url: 'u', permissions: { ...BOTH, invokeFunction: false } }) },
      },
      'fail',
      /403.*shop/,
    ],
    [
      'an app without its URL',
      'function_url_permissions',
      { loadApps: async () => [app('shop', live)], runtime: { findUrl: async () => undefined } },
      'fail',
      /shop/,
    ],
    [
      'a deploy of 15 minutes',
      'stuck_attempts',
      { loadApps: async () => [app('shop', running(15 * MINUTE))] },
      'ok',
      /No deploy/,
    ],
    [
      'a longer deploy',
      'stuck_attempts',
      { loadApps: async () => [app('shop', running(15 * MINUTE + 1))] },
      'warn',
      /shop/,
    ],
    [
      'leftovers',
      'leftovers',
      {
        loadApps: async () => [
          app('shop', { deletion: { requestedAt: 0, leftovers: [{ resource: 'arn', reason: 'x' }] } }),
        ],
      },
      'warn',
      /shop/,
    ],
    [
      'much env',
      'env_size',
      { loadApps: async () => [app('shop', { spec: { env: { A: 'x'.repeat(3_600) } } as any })] },
      'warn',
      /shop/,
    ],
    [
      'a certificate that ends soon',
      'certificates',
      { certificates: async () => [certificate('expiring_soon')] },
      'warn',
      /a.example.com \(2026/,
    ],
    [
      'a certificate that has ended',
      'certificates',
      { certificates: async () => [certificate('expired')] },
      'fail',
      /a.example.com/,
    ],
  ])('judges %s', async (_what, code, change, status, message) => {
    const { checks, ok } = await examine(change).report;
    const found = checks.find((check) => check.code === code);
    expect(found).toMatchObject({ status, message: expect.stringMatching(message) });
    expect(found?.fix === undefined).toBe(status === 'ok');
    expect(ok).toBe(status !== 'fail');
  });

  test.each([
    [3 * MINUTE, 'ok'],
    [3 * MINUTE + 1, 'warn'],
    [10 * MINUTE, 'warn'],
    [10 * MINUTE + 1, 'fail'],
  ])('judges a last pass %i ms ago', async (age, status) => {
    const { checks } = await examine({}, age).report;
    expect(checks.find(({ code }) => code === 'scheduler_last_run')).toMatchObject({ status });
  });

  test('says when no pass has run yet', async () => {
    const clock = createTestClock();
    const { checks } = await examine({ store: createMemoryStore(clock) }).report;
    expect(checks.find(({ code }) => code === 'scheduler_last_run')).toMatchObject({ status: 'warn' });
  });

  test('fails the table that cannot be written', async () => {
    const store = createMemoryStore(createTestClock());
    store.beforeWrite = () => Promise.reject(new Error('canary-secret'));
    const report = await examine({ store }).report;
    expect(report.checks.find(({ code }) => code === 'database')).toMatchObject({ status: 'fail' });
    expect(JSON.stringify(report)).not.toContain('canary');
  });

  test('answers when a check hangs or throws, which is unknown and spoils nothing', async () => {
    const { report, clock } = examine({
      probeConvert: () => new Promise(() => {}),
      countTokens: () => Promise.reject(new TypeError('canary-secret')),
    });
    await clock.advance(1);
    await clock.advance(5_000);
    const { ok, checks } = await report;
    expect(ok).toBe(true);
    expect(checks.filter(({ status }) => status === 'unknown').map(({ code }) => code)).toEqual([
      'convert_url',
      'bootstrap_done',
    ]);
    expect(JSON.stringify(checks)).not.toContain('canary');
  });
});
