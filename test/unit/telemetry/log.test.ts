import { afterEach, expect, test, vi } from 'vitest';
import { AppError } from '../../../lib/errors.ts';
import { createLog, describeError, redactPath } from '../../../lib/telemetry/log.ts';

afterEach(() => vi.restoreAllMocks());

test.each([
  ['/convert/eu/s3cr3t/widgets.example.org', '/convert/eu/***/widgets.example.org'],
  ['/convert/eu/s3cr3t/', '/convert/eu/***/***'],
  ['/convert/eu/s3cr3t', '/convert/eu/***/***'],
  ['/convert/eu/s3cr3t/widgets.example.org/', '/***'],
  ['//convert/eu/s3cr3t/widgets.example.org', '/***'],
  ['/convert/S3cr3t_Token/eu/widgets.example.org', '/convert/***/***/widgets.example.org'],
  ['/s3cr3t/widgets.example.org', '/***'],
  ['/convert/widgets.example.org', '/***'],
  ['/api/v1/configs/a/convert', '/api/v1/configs/a/convert'],
  ['/openapi.json', '/openapi.json'],
  ['/', '/'],
])('%s is logged as %s', (path, logged) => {
  expect(redactPath(path)).toBe(logged);
});

test.each([
  ['/convert/open', '/convert/open'],
  ['/convert/open/', '/convert/open/***/***'],
  ['/convert/opens', '/***'],
])('of the paths beside a known one without a token, %s is logged as %s', (path, logged) => {
  expect(redactPath(path, '/convert/open')).toBe(logged);
});

test.each([
  ['UNAVAILABLE', 'it is down', 'it is down'],
  ['INTERNAL', 'it is damaged', 'it is damaged'],
  ['CONVERSION_FAILED', 'value "canary" is not mapped', undefined],
  ['BAD_REQUEST', 'canary', undefined],
] as const)(
  'of our own errors, %s is logged with its reason where that cannot quote the caller',
  (code, text, reason) => {
    const fields = describeError(new AppError(code, text));
    expect(fields['reason']).toBe(reason);
    expect(JSON.stringify(fields)).not.toContain('canary');
  },
);

test('an error is logged by name, code and place, never by its message', () => {
  const error = Object.assign(new TypeError('canary\n    at canary'), { code: 'ECODE' });
  const fields = describeError(error);
  expect(fields).toMatchObject({ error_name: 'TypeError', error_code: 'ECODE' });
  expect(fields['error_stack']).toEqual(expect.arrayContaining([expect.stringContaining('log.test.ts')]));
  expect(JSON.stringify(fields)).not.toContain('canary');
  expect(describeError('canary')).toEqual({ error_name: 'string' });
});

test('a line is JSON with level, service and stage', () => {
  const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  createLog({ service: 'convert', stage: 'test', level: 'INFO' }).info('review refused', { reason: 'x' });
  const line = JSON.parse(String(print.mock.calls[0]?.[0]));
  expect(line).toMatchObject({
    level: 'INFO',
    service: 'convert',
    stage: 'test',
    message: 'review refused',
    reason: 'x',
  });
});

test('a silent log writes nothing', () => {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  createLog({ service: 'convert', stage: 'test', level: 'SILENT' }).error('x', {});
  expect([...out.mock.calls, ...err.mock.calls]).toEqual([]);
});
