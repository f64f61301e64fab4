import { describe, expect, test } from 'vitest';
import { fingerprintOf, withoutSecrets } from '../../../../lib/apps/fingerprint.ts';
import { saveApp } from '../../../../lib/apps/records.ts';
import type { MemoryStore } from '../../../support/memory-store.ts';
import { createWorkBench } from '../../../support/work-bench.ts';

const KEY = 'a-random-key';
const MINUTE = 60_000;
const app = (...values: readonly string[]) => ({
  fingerprintKey: KEY,
  secrets: Object.fromEntries(
    values.map((value, index) => [
      `S${index}`,
      { locked: false, updatedAt: 0, fingerprint: fingerprintOf(KEY, value) },
    ]),
  ),
});

describe('a text without the secrets of an app', () => {
  test.each([
    ['a word', 'pw canary-1 is wrong', 'canary-1', 'pw *** is wrong'],
    ['a word at the end of a sentence', 'pw is canary-1.', 'canary-1', 'pw is ***.'],
    ['a word in quotes', 'pw "canary-1"', 'canary-1', 'pw "***"'],
    ['the value of a query', 'GET /x?key=canary-1&y=2', 'canary-1', 'GET /x?key=***&y=2'],
    ['the password of a URL', 'postgres://me:canary-1@db/x', 'canary-1', 'postgres://me:***@db/x'],
    ['a whole URL', 'cannot connect to postgres://me:pw@db/x', 'postgres://me:pw@db/x', 'cannot connect to ***'],
    ['a line with blanks', 'first\n  correct horse battery\nlast', 'correct horse battery', 'first\n  ***\nlast'],
    ['a value in JSON', '{"pw":"canary-1","n":1}', 'canary-1', '{"pw":"***","n":1}'],
    ['every place', 'canary-1 canary-1,canary-1', 'canary-1', '*** ***,***'],
    ['nothing, where it is not', 'all is well', 'canary-1', 'all is well'],
  ])('has %s blotted out', (_what, text, secret, expected) => {
    expect(withoutSecrets(app('other', secret), text)).toBe(expected);
  });

  test('is as it was for an app without any', () => {
    expect(withoutSecrets({ secrets: {} }, 'canary-1')).toBe('canary-1');
  });
});

test.each([
  ['throws it', { functionError: 'Unhandled', payload: '{"errorMessage":"pw canary-1"}', logTail: 'pw canary-1' }],
  ['answers it', { payload: '{"statusCode":500,"body":"pw canary-1"}', logTail: '' }],
  ['writes it', { payload: '{"statusCode":500,"body":""}', logTail: 'connects with canary-1' }],
])('an app that %s at its gate leaves no secret in what is kept', async (_what, answer) => {
  const bench = createWorkBench();
  bench.belongings.artifacts.set('shop/a1', { versionId: 'v1', bytes: 10 });
  await bench.create();
  await saveApp(bench.deps, await bench.app(), app('canary-1'));
  bench.runtime.answer = () => answer as never;
  await bench.request({ image: 'artifact:a1' });
  await bench.worker.work('shop', MINUTE);
  bench.clock.jump(2 * MINUTE);
  await bench.worker.work('shop', MINUTE);
  expect((await bench.app()).attempt).toMatchObject({ status: 'failed' });
  expect(JSON.stringify((bench.store as MemoryStore).all())).not.toContain('canary-1');
  expect(JSON.stringify(bench.log.lines)).not.toContain('canary-1');
});
