import { describe, expect, test } from 'vitest';
import { AppError } from '../../../lib/errors.ts';
import { decodeRequest } from '../../../lib/http/function-url.ts';
import { createProblemRenderer } from '../../../lib/http/problem.ts';
import { createStatusRenderer, renderStatus } from '../../../lib/http/status.ts';
import { createMemoryLog } from '../../support/memory-log.ts';

const request = decodeRequest({ rawPath: '/api/v1/configs', requestContext: { http: { method: 'PUT' } } });

function render(error: unknown) {
  const log = createMemoryLog();
  const response = createProblemRenderer({ log, newId: () => 'ref-1' })(error, request);
  return { response, problem: JSON.parse(response.body), lines: log.lines };
}

test('an error that a caller can act on is shown whole', () => {
  const diagnostics = [{ code: 'X', severity: 'error' as const, message: 'm', path: 'spec', hint: 'h' }];
  const errors = [{ pointer: '/a', detail: 'd' }];
  const { response, problem, lines } = render(
    new AppError('CONFIG_INVALID', 'two faults', { diagnostics, errors, headers: { 'x-extra': '1' } }),
  );
  expect(response).toMatchObject({
    status: 422,
    headers: { 'content-type': 'application/problem+json', 'x-extra': '1' },
  });
  expect(problem).toEqual({
    type: 'urn:roundhouse:problem:config-invalid',
    title: 'The config is invalid',
    status: 422,
    detail: 'two faults',
    instance: '/api/v1/configs',
    code: 'CONFIG_INVALID',
    error: 'two faults',
    errors,
    diagnostics,
  });
  expect(lines).toEqual([]);
});

test.each([
  ['a bug', new TypeError('secret canary'), 500, 'INTERNAL'],
  ['a thrown string', 'secret canary', 500, 'INTERNAL'],
  ['an INTERNAL of ours', new AppError('INTERNAL', 'damaged', {}, { cause: new Error('canary') }), 500, 'INTERNAL'],
  [
    'an UNAVAILABLE of ours',
    new AppError('UNAVAILABLE', 'down', {}, { cause: new Error('canary') }),
    503,
    'UNAVAILABLE',
  ],
])('%s shows a reference instead of its text, and is logged once without it', (_name, error, status, code) => {
  const { response, problem, lines } = render(error);
  expect(response.status).toBe(status);
  expect(problem).toMatchObject({ status, code, detail: expect.stringContaining('reference ref-1') });
  expect(problem.error).toBe(problem.detail);
  expect(response.body).not.toContain('canary');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ level: 'error', fields: { reference: 'ref-1', path: '/api/v1/configs' } });
  expect(JSON.stringify(lines)).not.toContain('canary');
});

describe.each([
  ['a problem', 'request failed', createProblemRenderer],
  ['a Status', 'review not answered', createStatusRenderer],
])('%s for a 5xx', (_name, message, createRenderer) => {
  const down = new AppError('UNAVAILABLE', 'The database cannot be used now (ResourceNotFoundException).');
  test.each([
    ['an AppError', down, down.message],
    ['an INTERNAL', new AppError('INTERNAL', 'the stored item is damaged'), 'the stored item is damaged'],
    [
      'an AppError with another one as its cause',
      new AppError('UNAVAILABLE', 'the store cannot be read', {}, { cause: down }),
      `the store cannot be read: ${down.message}`,
    ],
    [
      'an AppError whose cause quotes the caller',
      new AppError('INTERNAL', 'crashed', {}, { cause: new AppError('BAD_REQUEST', 'canary') }),
      'crashed',
    ],
    ['an AppError with a foreign cause', new AppError('INTERNAL', 'x', {}, { cause: new Error('canary') }), 'x'],
    ['a fault of ours', new TypeError('canary', { cause: down }), undefined],
    ['a thrown string', 'canary', undefined],
  ])('by %s is one line in the log, with its reason, and the caller sees none of it', (_what, error, reason) => {
    const log = createMemoryLog();
    const { body } = createRenderer({ log, newId: () => 'ref-1' })(error, request);
    expect(log.lines).toMatchObject([{ level: 'error', message, fields: { reference: 'ref-1' } }]);
    expect(log.lines[0]?.fields['reason']).toBe(reason);
    expect(body + JSON.stringify(log.lines)).not.toContain('canary');
    expect(body).not.toMatch(/database|damaged|crashed/);
    expect(body).toContain('ref-1');
  });
});

test('headers of a 5xx are kept', () => {
  const { response } = render(new AppError('UNAVAILABLE', 'x', { headers: { 'retry-after': '1' } }));
  expect(response.headers['retry-after']).toBe('1');
});

test.each([
  ['BAD_REQUEST', 400, 'BadRequest'],
  ['NOT_FOUND', 404, 'NotFound'],
  ['METHOD_NOT_ALLOWED', 405, 'MethodNotAllowed'],
  ['TOO_LARGE', 413, 'RequestEntityTooLarge'],
  ['UNAVAILABLE', 503, 'ServiceUnavailable'],
] as const)('%s is a Kubernetes Status with code %i and reason %s', (code, status, reason) => {
  const response = renderStatus(new AppError(code, 'why', { headers: { allow: 'POST' } }));
  expect(response).toMatchObject({ status, headers: { 'content-type': 'application/json', allow: 'POST' } });
  expect(JSON.parse(response.body)).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: 'why',
    reason,
    code: status,
  });
});
