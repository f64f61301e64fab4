import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../lib/errors.ts';
import { createApiClient } from '../../support/api-client.ts';

/** Every route of conversion that answers with a body, and whether it changes something and whether it takes a limit. */
const ROUTES = [
  ['GET', '/api/v1/configs', undefined, false, true],
  ['PUT', '/api/v1/configs/a', { config: {}, schema: {} }, true, false],
  ['GET', '/api/v1/configs/a', undefined, false, false],
  ['GET', '/api/v1/configs/a/revisions', undefined, false, true],
  ['GET', '/api/v1/configs/a/revisions/1', undefined, false, false],
  ['POST', '/api/v1/configs/a/rollback', { revision: 1 }, true, false],
  ['POST', '/api/v1/configs/a/convert', { object: {}, to: 'v2' }, false, false],
  ['GET', '/api/v1/configs/a/patch', undefined, false, false],
  ['GET', '/api/v1/endpoints', undefined, false, true],
  ['PUT', '/api/v1/endpoints/a', {}, true, false],
  ['GET', '/api/v1/endpoints/a', undefined, false, false],
  ['POST', '/api/v1/endpoints/a/rotate', {}, true, false],
  ['GET', '/api/v1/registry', undefined, false, true],
] as const;

/** Services whose every answer holds this text. */
function services(text: string) {
  const item = { target: 'a', text, warnings: [], diagnostics: [], etag: '"e"' };
  const answer = { ...item, endpoint: { etag: '"e"' }, items: [item], total: 1 };
  const service = new Proxy({}, { get: () => async () => answer });
  const registry = { refresh: async () => {}, compilePending: async () => {}, snapshot: () => [item] };
  return { configs: service, endpoints: service, registries: { all: async () => registry } };
}

describe.each(ROUTES)('an answer of %s %s that is large', (method, path, body, changes, takesLimit) => {
  const compressible = 'x"y'.repeat(2_000_000);
  const noise = randomBytes(5_000_000).toString('base64');
  const gzip = { 'accept-encoding': 'gzip' };
  const done = changes ? 'the request was carried out, but ' : '';
  const size = `${done}its answer is \\d{7} bytes; the limit is 6000000: `;
  const less = takesLimit ? 'ask with a smaller limit' : undefined;

  test('is compressed where the caller takes gzip', async () => {
    const { call } = createApiClient(services(compressible));
    const answer = await call(method, path, { body, headers: gzip, raw: true });
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'content-encoding': 'gzip' }, isBase64Encoded: true });
    const text = gunzipSync(Buffer.from(answer.body, 'base64')).toString();
    expect(JSON.stringify(JSON.parse(text))).toContain(JSON.stringify(compressible).slice(1, -1));
  });

  test.each([
    ['without gzip', compressible, {}, ['send accept-encoding: gzip', less]],
    ['even compressed', noise, gzip, [less ?? 'there is no smaller form of it']],
  ])('is a problem that says what to do where it is too large %s', async (_name, text, headers, ways) => {
    const answer = await createApiClient(services(text)).call(method, path, { body, headers });
    expect(answer).toMatchObject({ statusCode: 413, headers: { 'content-type': 'application/problem+json' } });
    const advice = ways.filter((way) => way !== undefined).join(', or ');
    const detail = expect.stringMatching(new RegExp(`^${size.replace('{7}', '{7,}')}${advice}$`));
    expect(answer.json).toMatchObject({ code: 'TOO_LARGE', detail });
  });
});

test('HEAD of an answer that is too large is what GET is, without the body', async () => {
  const { call } = createApiClient(services('x'.repeat(7_000_000)));
  expect((await call('HEAD', '/api/v1/configs/a')).statusCode).toBe(413);
  const compressed = await call('HEAD', '/api/v1/configs/a', { headers: { 'accept-encoding': 'gzip' } });
  expect(compressed).toMatchObject({ statusCode: 200, headers: { 'content-encoding': 'gzip' }, body: '' });
});

test('a large answer that is kept for its Idempotency-Key is compressed when it is given again, too', async () => {
  const kept = new Map<string, any>();
  const idempotency = {
    begin: async (key: string) => (kept.has(key) ? { state: 'replay', response: kept.get(key) } : { state: 'new' }),
    complete: async (key: string, response: any) => void kept.set(key, response),
    abandon: async () => {},
  };
  const { call } = createApiClient({ ...services('x'.repeat(2_000_000)), idempotency });
  const request = { body: { revision: 1 }, headers: { 'idempotency-key': 'k', 'accept-encoding': 'gzip' }, raw: true };
  const first = await call('POST', '/api/v1/configs/a/rollback', request);
  const again = await call('POST', '/api/v1/configs/a/rollback', request);
  expect(first.headers['content-encoding']).toBe('gzip');
  expect(again.body).toBe(first.body);
  const plain = await call('POST', '/api/v1/configs/a/rollback', { ...request, headers: { 'idempotency-key': 'k' } });
  expect(JSON.parse(plain.body)).toMatchObject({ text: 'x'.repeat(2_000_000) });
});

describe('of 20,000 findings the first 1,000 are shown, and the rest is counted', () => {
  const findings = Array.from({ length: 20_000 }, (_, index) => ({
    code: 'X',
    severity: 'warning',
    message: `${index}`,
  }));
  const views = { warnings: findings, etag: '"e"' };
  const results = { diagnostics: findings, etag: '"e"', endpoint: { etag: '"e"' } };

  test.each([
    ['GET', '/api/v1/configs', undefined, { list: { items: [views], total: 1 } }],
    ['PUT', '/api/v1/configs/a', { config: {}, schema: {} }, { put: results }],
    ['GET', '/api/v1/configs/a', undefined, { get: views }],
    ['GET', '/api/v1/configs/a/revisions', undefined, { revisions: { items: [views], total: 1 } }],
    ['GET', '/api/v1/configs/a/revisions/1', undefined, { revision: views }],
    ['POST', '/api/v1/configs/a/rollback', { revision: 1 }, { rollback: views }],
    ['PUT', '/api/v1/endpoints/a', {}, { put: results }],
    ['POST', '/api/v1/endpoints/a/rotate', {}, { rotate: results }],
  ])('by %s %s', async (method, path, body, answers) => {
    const service = Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, async () => answer]));
    const { call } = createApiClient({ configs: service, endpoints: service });
    const { statusCode, json } = await call(method, path, { body });
    expect(statusCode).toBe(200);
    const { warnings, diagnostics, moreFindings } = json.items?.[0] ?? json;
    expect(warnings ?? diagnostics).toEqual(findings.slice(0, 1_000));
    expect(moreFindings).toBe(19_000);
  });

  test('by a problem', async () => {
    const put = async () => {
      throw new AppError('CONFIG_INVALID', 'm'.repeat(10_000_000), { diagnostics: findings as any });
    };
    const { call } = createApiClient({ configs: { put } });
    const { statusCode, json } = await call('PUT', '/api/v1/configs/a', { body: { config: {}, schema: {} } });
    expect(statusCode).toBe(422);
    expect(json).toMatchObject({ diagnostics: findings.slice(0, 1_000), moreFindings: 19_000 });
    expect(json.detail).toHaveLength(4_097);
  });

  test('by a problem about the keys of a body', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => [`key${index}`, 1]);
    const body = { config: {}, schema: {}, ...Object.fromEntries(keys) };
    const { statusCode, json } = await createApiClient().call('PUT', '/api/v1/configs/a', { body });
    expect([statusCode, json.errors.length, json.moreFindings]).toEqual([400, 1_000, 19_000]);
  });
});
