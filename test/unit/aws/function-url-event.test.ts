import { expect, test } from 'vitest';
import { createFunctionUrlEvent } from '../../../lib/aws/function-url-event.ts';
import { decodeRequest } from '../../../lib/http/function-url.ts';

const NOW = Date.UTC(2020, 2, 4, 9, 3, 8);

test('an event has what a function URL without authentication sends', () => {
  const headers = { 'content-type': 'application/json', 'user-agent': 'hook' };
  const input = {
    method: 'POST',
    path: '/convert/self-test',
    headers,
    body: { text: '{}' },
    requestId: 'r-1',
    now: NOW,
  };
  expect(createFunctionUrlEvent(input)).toEqual({
    version: '2.0',
    routeKey: '$default',
    rawPath: '/convert/self-test',
    rawQueryString: '',
    headers: { host: 'direct.lambda-url.invalid', 'x-forwarded-proto': 'https', ...headers },
    requestContext: {
      accountId: 'anonymous',
      apiId: 'direct',
      domainName: 'direct.lambda-url.invalid',
      domainPrefix: 'direct',
      http: {
        method: 'POST',
        path: '/convert/self-test',
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: 'hook',
      },
      requestId: 'r-1',
      routeKey: '$default',
      stage: '$default',
      time: '04/Mar/2020:09:03:08 +0000',
      timeEpoch: NOW,
    },
    body: '{}',
    isBase64Encoded: false,
  });
});

test('an event without a body has no body, as AWS sends it, and is read by our handlers', () => {
  const event = createFunctionUrlEvent({ method: 'GET', path: '/readyz', requestId: 'r-1', now: NOW });
  expect(event).not.toHaveProperty('body');
  expect(decodeRequest(event)).toMatchObject({ method: 'GET', path: '/readyz', bodyBytes: 0, requestId: 'r-1' });
});
