import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { MAX_RESULT_BYTES, oversize, renderJson } from '../../../lib/http/answer-size.ts';
import { encodeResponse } from '../../../lib/http/function-url.ts';

const headers = { 'content-type': 'application/json' };
const frame = Buffer.byteLength(JSON.stringify({ statusCode: 200, headers, body: '' }));
const room = MAX_RESULT_BYTES - frame;

describe('the size of a result is that of its JSON', () => {
  test.each([
    ['plain', 'a', room],
    ['quotes, twice as long', '"', room / 2],
    ['control characters, six times as long', '\u0001', room / 6],
    ['three-byte characters', '€', room / 3],
    ['lone surrogates, six times as long', '\ud800', room / 6],
  ])('%s', (_name, unit, fits) => {
    const at = { status: 200, headers, body: unit.repeat(Math.floor(fits)) };
    const over = { status: 200, headers, body: unit.repeat(Math.floor(fits) + 1) };
    expect(Buffer.byteLength(JSON.stringify(encodeResponse(at)))).toBeLessThanOrEqual(MAX_RESULT_BYTES);
    expect(oversize(at)).toBeUndefined();
    expect(oversize(over)).toBe(Buffer.byteLength(JSON.stringify(encodeResponse(over))));
    expect(oversize(over)).toBeGreaterThan(MAX_RESULT_BYTES);
  });
});

describe('a body', () => {
  const large = JSON.stringify('x'.repeat(1_000_000));

  test.each([
    ['gzip', true],
    ['GZIP', true],
    ['deflate, gzip;q=0.5', true],
    ['br, *', true],
    ['gzip;q=0', false],
    ['*;q=1, gzip; q=0.0', false],
    ['identity', false],
    ['', false],
    [undefined, false],
  ])('over 1 MB with Accept-Encoding %j is compressed: %s', async (accept, compressed) => {
    const response = await renderJson(large, accept);
    expect(response.headers['content-encoding']).toBe(compressed ? 'gzip' : undefined);
    const text = response.base64 ? gunzipSync(Buffer.from(response.body, 'base64')).toString() : response.body;
    expect(text).toBe(large);
  });

  test('of 1,000,000 bytes is not compressed, counted in bytes and not in characters', async () => {
    expect((await renderJson('x'.repeat(1_000_000), 'gzip')).base64).toBeUndefined();
    expect((await renderJson('€'.repeat(333_333), 'gzip')).base64).toBeUndefined();
    expect((await renderJson('€'.repeat(333_334), 'gzip')).base64).toBe(true);
  });
});
