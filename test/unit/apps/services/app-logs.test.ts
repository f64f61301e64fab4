import { afterEach, expect, test } from 'vitest';
import { createAppLogs } from '../../../../lib/apps/services/app-logs.ts';
import { type AwsStub, startAwsStub } from '../../../support/aws-stub.ts';
import { createTestClock } from '../../../support/test-clock.ts';

const RANGE = { from: 1_000, to: 2_000 };
const clock = createTestClock();
let stub: AwsStub;

afterEach(() => stub.close());

const event = (timestamp: number, message: string) => ({ timestamp, message });

test('empty pages are read on, to the last of ten, and the rest is for the next read', async () => {
  stub = await startAwsStub((call) => ({ body: { events: [], nextToken: `t${call}` } }));
  const found = await createAppLogs({ stage: 'test', client: stub.client, clock }).read('shop', { ...RANGE, limit: 5 });
  expect(found).toEqual({ entries: [], next: 't10' });
  expect(stub.calls.map(({ nextToken }) => nextToken)).toEqual([
    undefined,
    ...Array.from({ length: 9 }, (_, i) => `t${i + 1}`),
  ]);
});

test('after its time no further call begins', async () => {
  const slow = createTestClock();
  stub = await startAwsStub((call) => {
    void slow.advance(5_000);
    return { body: { events: [event(1_500, `line ${call}`)], nextToken: `t${call}` } };
  });
  const found = await createAppLogs({ stage: 'test', client: stub.client, clock: slow }).read('shop', {
    ...RANGE,
    limit: 50,
  });
  expect(found).toEqual({ entries: [expect.anything(), expect.anything()], next: 't2' });
});

test('no call asks for more lines than are wanted still, so that none is lost between reads', async () => {
  stub = await startAwsStub((call) => ({
    body: { events: [event(1_000 + call, 'a'), event(1_000, 'b')], nextToken: `t${call}` },
  }));
  const { entries, next } = await createAppLogs({ stage: 'test', client: stub.client, clock }).read('shop', {
    ...RANGE,
    limit: 4,
  });
  expect(stub.calls).toEqual([
    { logGroupName: '/roundhouse/test/shop', startTime: 1_000, endTime: 2_000, limit: 4 },
    expect.objectContaining({ limit: 2, nextToken: 't1' }),
  ]);
  expect(entries.map(({ message }) => message)).toEqual(['b', 'a', 'b', 'a']);
  expect(next).toBe('t2');
});

test('what CloudWatch lets pass and does not hold the text is left out, and the line break too', async () => {
  const events = [event(1_000, 'say "hi" now\n'), event(1_001, 'hi, I say\r\n'), event(1_002, 'SAY "HI"')];
  stub = await startAwsStub(() => ({ body: { events } }));
  const query = { ...RANGE, limit: 10, contains: 'say "hi"' };
  const { entries } = await createAppLogs({ stage: 'test', client: stub.client, clock }).read('shop', query);
  expect(stub.calls[0].filterPattern).toBe('"say" "hi"');
  expect(entries).toEqual([{ at: 1_000, stream: 'stdout', message: 'say "hi" now' }]);
});

test.each([
  ['AccessDeniedException', 400, 'BAD_GATEWAY'],
  ['InvalidParameterException', 400, 'BAD_GATEWAY'],
  ['ThrottlingException', 400, 'UNAVAILABLE'],
  ['ServiceUnavailableException', 503, 'UNAVAILABLE'],
])('%s is %d for CloudWatch and %s for the caller', async (type, status, code) => {
  stub = await startAwsStub(() => ({ status, body: { __type: type, message: 'a reason' } }));
  const reading = createAppLogs({ stage: 'test', client: stub.client, clock }).read('shop', { ...RANGE, limit: 5 });
  await expect(reading).rejects.toMatchObject({ name: 'AppError', code, cause: { name: 'RuntimeError' } });
});
