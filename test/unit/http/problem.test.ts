import { expect, test } from 'vitest';
import { AppError } from '../../../lib/errors.ts';
import { decodeRequest } from '../../../lib/http/function-url.ts';
import { createProblemRenderer } from '../../../lib/http/problem.ts';
import { renderStatus } from '../../../lib/http/status.ts';
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
  ['an INTERNAL of ours', new AppError('INTERNAL', 'secret canary'), 500, 'INTERNAL'],
  ['an UNAVAILABLE of ours', new AppError('UNAVAILABLE', 'secret canary'), 503, 'UNAVAILABLE'],
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
