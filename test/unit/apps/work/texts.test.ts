import { describe, expect, test } from 'vitest';
import type { AppRecord, Condition } from '../../../../lib/apps/model.ts';
import { nextRetry, pauseMs } from '../../../../lib/apps/work/backoff.ts';
import { judged, withCondition } from '../../../../lib/apps/work/conditions.ts';
import { excerptOf, redact } from '../../../../lib/apps/work/excerpt.ts';
import { readInvocation } from '../../../../lib/apps/work/invocation.ts';
import { createWorkBench } from '../../../support/work-bench.ts';

describe('an excerpt', () => {
  test.each([
    ['nothing', '', {}, undefined],
    [
      'its last 20 lines',
      Array.from({ length: 30 }, (_line, index) => `l${index}`).join('\n'),
      {},
      /^l10\n[\s\S]*l29$/,
    ],
    ['no value of a variable', 'key=abcdefghi!', { KEY: 'abcdefghi' }, /^key=\*\*\*!$/],
    ['short values as they are', 'mode=abcdefgh', { MODE: 'abcdefgh' }, /^mode=abcdefgh$/],
    ['no value in its JSON form', '{"k":"a\\"bcdefgh\\n"}', { KEY: 'a"bcdefgh\n' }, /^\{"k":"\*\*\*"\}$/],
    [
      'no longer value with a shorter one in it',
      'x abcdefghi-long y',
      { A: 'abcdefghi', B: 'abcdefghi-long' },
      /^x \*\*\* y$/,
    ],
  ] as const)('has %s', (_what, text, env, expected) => {
    const found = excerptOf(text, env);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(expected);
  });

  test('is at most 4,000 bytes, of whole characters', () => {
    const found = excerptOf('ä'.repeat(3_000), {}) ?? '';
    expect(Buffer.byteLength(found)).toBe(4_000);
    expect(found).not.toContain('\uFFFD');
    expect(Buffer.byteLength(excerptOf(`${'ä'.repeat(3_000)}x`, {}) ?? '')).toBe(3_999);
  });

  test('is redacted before it is cut: half a secret is one too', () => {
    const secret = 's'.repeat(5_000);
    expect(excerptOf(`a ${secret}`, { KEY: secret })).toBe('a ***');
    expect(redact('nothing', {})).toBe('nothing');
  });
});

test.each([
  ['{"statusCode":204}', undefined, { status: 204 }],
  ['{"statusCode":"201"}', undefined, { status: 201 }],
  ['{"hello":1}', undefined, { status: 200 }],
  ['"text"', undefined, { status: 200 }],
  ['null', undefined, { status: 200 }],
  ['', undefined, { status: 502, problem: expect.any(String) }],
  ['{"statusCode":9999}', undefined, { status: 502, problem: expect.any(String) }],
  ['{"statusCode":500,"body":"aGk=","isBase64Encoded":true}', undefined, { status: 500, excerpt: 'hi' }],
  ['{"errorMessage":"x"}', 'Unhandled', { status: 0, code: 'container_crashed', fatal: true, problem: 'x' }],
  [
    '{"errorMessage":"RequestId: 1 Error: Runtime exited with error: signal: killed"}',
    'Unhandled',
    { code: 'oom_killed', fatal: true },
  ],
  [
    '{"errorMessage":"2026 Task timed out after 3.00 seconds"}',
    'Unhandled',
    { code: 'health_check_failed', fatal: false },
  ],
  ['not JSON', 'Unhandled', { problem: 'not JSON', code: 'container_crashed' }],
])('what a version returned, %s (%s), is read as a function URL does', (payload, functionError, expected) => {
  expect(readInvocation({ payload, logTail: '', ...(functionError && { functionError }) })).toMatchObject(expected);
});

describe('conditions', () => {
  const first: Condition = {
    type: 'Ready',
    status: 'True',
    reason: 'A',
    message: '',
    lastTransitionAt: 1,
    lastObservedAt: 1,
  };

  test.each([
    ['True', 1],
    ['False', 9],
  ] as const)('keep the time of their transition unless the status changes: %s', (status, at) => {
    const [after] = withCondition([first], 'Ready', { status, reason: 'B', message: 'm' }, 9);
    expect(after).toEqual({
      type: 'Ready',
      status,
      reason: 'B',
      message: 'm',
      lastTransitionAt: at,
      lastObservedAt: 9,
    });
  });

  test('stand beside each other', () => {
    expect(withCondition([first], 'Deploy', { status: 'Unknown', reason: 'B', message: '' }, 9)).toHaveLength(2);
  });

  test.each([
    ['never deployed', {}, ['Unknown', 'NoDesiredState']],
    ['first attempt under way', { attempt: { status: 'running', id: 'd' } }, ['Unknown', 'Reconciling']],
    [
      'first attempt failed',
      { attempt: { status: 'failed', failure: { code: 'oom_killed', cause: 'c' } } },
      ['False', 'CreateFailed'],
    ],
    ['serves', { live: { number: 1 }, observed: { url: 'u', stopped: false } }, ['True', 'Deployed']],
    [
      'serves, and a later attempt failed',
      {
        live: { number: 1 },
        observed: { url: 'u' },
        attempt: { status: 'failed', failure: { code: 'unknown', cause: 'c' } },
      },
      ['True', 'Deployed'],
    ],
    ['its function is gone', { live: { number: 1 }, observed: { stopped: false } }, ['False', 'FunctionMissing']],
    [
      'is being stopped',
      { live: { number: 1 }, suspended: true, observed: { url: 'u', stopped: false } },
      ['True', 'Deployed'],
    ],
    [
      'is stopped',
      { live: { number: 1 }, suspended: true, observed: { url: 'u', stopped: true } },
      ['Unknown', 'Suspended'],
    ],
  ])('Ready of an app that %s', (_what, facts, expected) => {
    const { conditions } = judged({ conditions: [], suspended: false, ...facts } as unknown as AppRecord, 1);
    expect([conditions[0]?.status, conditions[0]?.reason]).toEqual(expected);
  });
});

describe('backoff', () => {
  test('leaves half of each wait to chance, and never waits over 15 minutes', async () => {
    const { create } = createWorkBench();
    const app = await create();
    expect(nextRetry(app, 'r', 0, () => 0)).toEqual({ at: 15_000, count: 1, reason: 'r' });
    expect(nextRetry(app, 'r', 0, () => 1).at).toBe(30_000);
    const late = { ...app, retry: { at: 0, count: 1_000, reason: '' } };
    expect(nextRetry(late, 'r', 0, () => 1)).toMatchObject({ at: 900_000, count: 1_001 });
  });

  test.each([
    [0, 250, 500],
    [1, 500, 1_000],
    [9, 4_000, 8_000],
  ])('try %i is followed by a pause of %i to %i ms', (tries, least, most) => {
    expect([pauseMs(tries, () => 0), pauseMs(tries, () => 1)]).toEqual([least, most]);
  });
});
