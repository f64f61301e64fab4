import { describe, expect, test } from 'vitest';
import { decodeRequest, encodeResponse } from '../../../lib/http/function-url.ts';

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');

describe('the body of an event', () => {
  test.each([
    ['text', { body: '{"a":"ü"}' }, '{"a":"ü"}', 10],
    ['base64', { body: base64('{"a":"ü"}'), isBase64Encoded: true }, '{"a":"ü"}', 10],
    ['text behind a byte order mark', { body: '\ufeff{}' }, '{}', 5],
    ['base64 behind a byte order mark', { body: base64('\ufeff{}'), isBase64Encoded: true }, '{}', 5],
    ['nothing', {}, '', 0],
    ['null', { body: null }, '', 0],
    ['an inner byte order mark', { body: '"\ufeff"' }, '"\ufeff"', 5],
  ])('%s is read as text and sized in bytes', (_name, event, text, bytes) => {
    const request = decodeRequest(event);
    expect(request.text()).toBe(text);
    expect(request.bodyBytes).toBe(bytes);
  });

  test('that is not UTF-8 is refused instead of altered', () => {
    const request = decodeRequest({ body: base64(new Uint8Array([0x22, 0xff, 0x22])), isBase64Encoded: true });
    expect(request.bodyBytes).toBe(3);
    expect(() => request.text()).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });
});

describe('the path of an event', () => {
  test.each([
    ['/convert/widgets.example.org', ['convert', 'widgets.example.org']],
    ['/a%2Fb/%C3%BC', ['a/b', 'ü']],
    ['/a%zz/b%41', ['a%zz', 'bA']],
    ['/', ['']],
    ['/a//b/', ['a', '', 'b', '']],
  ])('%s has the segments %j', (rawPath, segments) => {
    expect(decodeRequest({ rawPath }).segments).toEqual(segments);
  });
});

test('header names are read in any case, and one called __proto__ is a header like any other', () => {
  const headers = JSON.parse('{"Content-TYPE":"text/plain","__proto__":"x","constructor":"y"}') as Record<
    string,
    string
  >;
  const request = decodeRequest({ headers });
  expect(request.headers.get('content-type')).toBe('text/plain');
  expect(request.headers.get('__proto__')).toBe('x');
  expect(request.headers.get('constructor')).toBe('y');
  expect(request.headers.get('tostring')).toBeUndefined();
});

test('an event with nothing in it is a GET of the root', () => {
  expect(decodeRequest({})).toMatchObject({ method: 'GET', path: '/', rawQuery: '', requestId: '', sourceIp: '' });
});

test('the method is upper case and the caller is known', () => {
  const event = { requestContext: { requestId: 'r1', http: { method: 'post', sourceIp: '192.0.2.1' } } };
  expect(decodeRequest(event)).toMatchObject({ method: 'POST', requestId: 'r1', sourceIp: '192.0.2.1' });
});

test('a result says that it is base64 only when it is', () => {
  const headers = { 'content-type': 'application/json' };
  expect(encodeResponse({ status: 200, headers, body: '{}' })).toEqual({ statusCode: 200, headers, body: '{}' });
  expect(encodeResponse({ status: 200, headers, body: 'AA==', base64: true })).toEqual({
    statusCode: 200,
    headers,
    body: 'AA==',
    isBase64Encoded: true,
  });
});
