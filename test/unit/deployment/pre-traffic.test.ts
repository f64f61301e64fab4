import { describe, expect, test } from 'vitest';
import type { HookReport } from '../../../lib/aws/code-deploy.ts';
import type { Invoked } from '../../../lib/aws/lambda.ts';
import type { Deployed } from '../../../lib/deployment/deployed.ts';
import { createPreTrafficHook } from '../../../lib/deployment/pre-traffic.ts';
import { AppError } from '../../../lib/errors.ts';
import type { FunctionUrlEvent } from '../../../lib/http/function-url.ts';
import { createApiClient } from '../../support/api-client.ts';
import { createTestConvert, readyBy } from '../../support/convert-handler.ts';
import { createMemoryLog } from '../../support/memory-log.ts';
import { createTestClock } from '../../support/test-clock.ts';

const EVENT = { DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'e-1' };
const answer = (statusCode: number, body: string) => ({ payload: JSON.stringify({ statusCode, headers: {}, body }) });
const OK = answer(200, '{"status":"ok"}\n');

/** A rejection as the SDK makes it. */
function refusal(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

type Invoke = (event: FunctionUrlEvent, signal: AbortSignal) => Promise<Invoked>;

function setUp(deployed: Deployed, invoke: Invoke) {
  const clock = createTestClock();
  const log = createMemoryLog();
  const reports: HookReport[] = [];
  const events: FunctionUrlEvent[] = [];
  let ids = 0;
  const options = {
    deployed,
    clock,
    log,
    delay: clock.delay,
    newId: () => `id-${++ids}`,
    invoke: (event: FunctionUrlEvent, signal: AbortSignal) => {
      events.push(event);
      return invoke(event, signal);
    },
    report: async (report: HookReport) => {
      reports.push(report);
    },
  };
  const reasons = () => log.lines.flatMap(({ fields }) => ('reason' in fields ? [fields['reason']] : []));
  return { hook: createPreTrafficHook(options), options, clock, log, reports, events, reasons };
}

/** The version itself, with endpoints that can be read or not. */
function convertVersion(ready = async () => {}): Invoke {
  const handler = createTestConvert({ registries: readyBy(ready) });
  return async (event) => ({ payload: JSON.stringify(await handler(event)) });
}

describe('a new version', () => {
  test('of convert that answers the recorded review may have traffic', async () => {
    const { hook, reports, events, log } = setUp('convert', convertVersion());
    await hook(EVENT);
    expect(reports).toEqual([{ deploymentId: 'd-1', executionId: 'e-1', status: 'Succeeded' }]);
    expect(events).toMatchObject([{ rawPath: '/convert/self-test', requestContext: { http: { method: 'POST' } } }]);
    const fields = { deployed: 'convert', request: 'POST /convert/self-test', deployment_id: 'd-1' };
    expect(log.lines).toEqual([{ level: 'info', message: 'pre-traffic check passed', fields }]);
  });

  test('of api that is healthy and ready may have traffic', async () => {
    const { call } = createApiClient();
    const { hook, reports, events } = setUp('api', async ({ rawPath = '', headers }) => {
      const { json: _json, ...result } = await call('GET', rawPath, { token: '', headers });
      return { payload: JSON.stringify(result) };
    });
    await hook(EVENT);
    expect(reports).toMatchObject([{ status: 'Succeeded' }]);
    expect(events.map(({ rawPath }) => rawPath)).toEqual(['/healthz', '/readyz', '/api/v1/configs']);
  });

  test('of convert that cannot read its table gets none', async () => {
    const ready = async () => {
      throw new AppError('UNAVAILABLE', 'The database cannot be used now (AccessDeniedException).');
    };
    const { hook, reports, reasons } = setUp('convert', convertVersion(ready));
    await hook(EVENT);
    expect(reports).toMatchObject([{ status: 'Failed' }]);
    expect(reasons()).toEqual(['the answer is HTTP 503, expected 200: no plan could be loaded yet, reference ref-1']);
  });

  test.each([
    ['/readyz', 'the answer is HTTP 503, expected 200: Unavailable, reference r'],
    ['/api/v1/configs', 'the answer to an unknown token is HTTP 503, expected 401: Unavailable, reference r'],
  ])('of api that is healthy and fails at %s gets none, and the log says where', async (path, reason) => {
    const good: Record<string, Invoked> = { '/healthz': OK, '/readyz': OK, '/api/v1/configs': answer(401, '{}') };
    const problem = answer(503, '{"status":503,"detail":"Unavailable, reference r"}');
    const invoke: Invoke = async ({ rawPath = '' }) => (rawPath === path ? problem : (good[rawPath] ?? problem));
    const { hook, reports, log } = setUp('api', invoke);
    await hook(EVENT);
    expect(reports).toMatchObject([{ status: 'Failed' }]);
    const failed = log.lines.filter(({ message }) => message === 'pre-traffic check failed');
    expect(failed).toMatchObject([{ level: 'error', fields: { request: `GET ${path}`, reason } }]);
  });
});

describe('the hook reports Failed, with the reason in the log, when the version', () => {
  const crash = { errorType: 'Runtime.ImportModuleError', errorMessage: "Cannot find module 'x'", trace: [] };
  test.each<[string, Invoked, string | RegExp]>([
    [
      'crashes at its start',
      { functionError: 'Unhandled', payload: JSON.stringify(crash) },
      "it crashed (Unhandled: Runtime.ImportModuleError): Cannot find module 'x'",
    ],
    [
      'times out',
      { functionError: 'Unhandled', payload: '{"errorMessage":"2026-01-01T00:00:00Z r Task timed out after 10.01 s"}' },
      /^it crashed \(Unhandled\): .*Task timed out/,
    ],
    ['crashes without a word', { functionError: 'Unhandled', payload: '' }, 'it crashed (Unhandled)'],
    ['answers nothing', { payload: '' }, 'its result is no HTTP answer (0 characters)'],
    ['answers null', { payload: 'null' }, 'its result is no HTTP answer (4 characters)'],
    ['answers what is not JSON', { payload: '<html>' }, 'its result is no HTTP answer (6 characters)'],
    ['answers a list', { payload: '[]' }, 'its result is no HTTP answer (2 characters)'],
    ['answers without a status', { payload: '{"body":"{}"}' }, /^its result is no HTTP answer/],
    ['answers without a body', { payload: '{"statusCode":200}' }, /^its result is no HTTP answer/],
    ['answers a body that is no text', { payload: '{"statusCode":200,"body":{}}' }, /^its result is no HTTP answer/],
    ['has an internal error', answer(500, '{"message":"internal error"}'), /HTTP 500, expected 200: internal error/],
    ['answers something else', answer(200, '{"status":"sick"}'), 'the answer is not {"status":"ok"}'],
    ['answers no JSON', answer(200, 'ok'), 'the answer is not {"status":"ok"}'],
  ])('%s', async (_name, invoked, reason) => {
    const { hook, reports, reasons } = setUp('api', async () => invoked);
    await hook(EVENT);
    expect(reports).toEqual([{ deploymentId: 'd-1', executionId: 'e-1', status: 'Failed' }]);
    const told = typeof reason === 'string' ? reason : expect.stringMatching(reason);
    expect(reasons().slice(0, 2)).toEqual([told, told]);
  });

  test.each([
    ['may not be invoked', 'AccessDeniedException', /the role of the hook may not invoke it \(AccessDenied\w+: why\)$/],
    [
      'finds no concurrency',
      'TooManyRequestsException',
      /no concurrency is left for it: .* \(TooManyRequests\w+: why\)$/,
    ],
    ['is not active yet', 'ResourceConflictException', /it is not active yet; deploy again/],
    ['meets a fault of Lambda', 'ServiceException', /the Lambda API refused \(ServiceException: why\)$/],
  ])('%s', async (_name, name, reason) => {
    const { hook, reports, reasons } = setUp('convert', async () => {
      throw refusal(name, 'why');
    });
    await hook(EVENT);
    expect(reports).toMatchObject([{ status: 'Failed' }]);
    expect(reasons()).toEqual([expect.stringMatching(reason)]);
  });

  test('does not answer in 20 s, and its invocation is ended', async () => {
    let signal: AbortSignal | undefined;
    const { hook, clock, reports, reasons } = setUp('convert', (_event, given) => {
      signal = given;
      return new Promise(() => {});
    });
    const done = hook(EVENT);
    await clock.advance(19_999);
    expect(reports).toEqual([]);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    await done;
    expect(reports).toMatchObject([{ status: 'Failed' }]);
    expect(reasons()).toEqual(['no answer within 20 s']);
    expect(signal?.aborted).toBe(true);
  });

  test('answers a review of somebody else', async () => {
    const version = convertVersion();
    const { hook, reports, reasons } = setUp('convert', (event, signal) =>
      version({ ...event, body: event.body?.replace('id-1', 'id-0') ?? '' }, signal),
    );
    await hook(EVENT);
    expect(reports).toMatchObject([{ status: 'Failed' }]);
    expect(reasons()).toEqual(['the answer is to another review than id-1; its uid: id-0']);
  });

  test('throws at once, or throws what is no error', async () => {
    const thrown: unknown[] = [new TypeError('sync'), 'text', undefined];
    for (const value of thrown) {
      const { hook, reports } = setUp('convert', () => {
        throw value;
      });
      await hook(EVENT);
      expect(reports).toMatchObject([{ status: 'Failed' }]);
    }
  });
});

test('an answer in base64 is read', async () => {
  const body = Buffer.from('{"message":"told in base64"}').toString('base64');
  const payload = JSON.stringify({ statusCode: 500, headers: {}, body, isBase64Encoded: true });
  const { hook, reasons } = setUp('api', async () => ({ payload }));
  await hook(EVENT);
  expect(reasons()[0]).toBe('the answer is HTTP 500, expected 200: told in base64');
});

test('a fault of the check itself is reported as Failed, too', async () => {
  const { options, reports, reasons } = setUp('convert', convertVersion());
  const newId = () => {
    throw new TypeError('canary');
  };
  await createPreTrafficHook({ ...options, newId })(EVENT);
  expect(reports).toMatchObject([{ status: 'Failed' }]);
  expect(reasons()).toEqual(['the check itself crashed']);
});

test('a report that fails makes the hook fail, so that Lambda calls it again', async () => {
  const { options } = setUp('convert', convertVersion());
  const report = async () => {
    throw refusal('ThrottlingException', 'slow down');
  };
  await expect(createPreTrafficHook({ ...options, report })(EVENT)).rejects.toThrow('slow down');
});

test.each([{}, { DeploymentId: 'd-1' }, { LifecycleEventHookExecutionId: 'e-1' }, { ...EVENT, DeploymentId: '' }])(
  'the event %j is refused: there is nobody to report to',
  async (event) => {
    const { hook, events, reports } = setUp('convert', convertVersion());
    await expect(hook(event)).rejects.toThrow('CodeDeploy did not send it');
    expect([events, reports]).toEqual([[], []]);
  },
);
