import { describe, expect, test, vi } from 'vitest';
import { AppError } from '../../../lib/errors.ts';
import { createApiClient } from '../../support/api-client.ts';

const view = { target: 'widgets.example.org', revision: 3, etag: '"e3"', warnings: [] };

describe('who may do what', () => {
  test.each([
    ['GET', '/api/v1/configs'],
    ['GET', '/api/v1/no-such-thing'],
    ['PATCH', '/api/v1/configs'],
    ['GET', '/api'],
  ])('%s %s without a token is 401, whether or not it exists', async (method, path) => {
    const answer = await createApiClient().call(method, path, { token: '' });
    expect(answer).toMatchObject({ statusCode: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(answer.json).toMatchObject({ code: 'UNAUTHORIZED', error: 'a bearer token is needed' });
  });

  test('a reader cannot write, and is told so before its input is looked at', async () => {
    const answer = await createApiClient().call('PUT', '/api/v1/configs/a', { token: 'reader', body: 'not json' });
    expect(answer).toMatchObject({ statusCode: 403, json: { detail: 'the token does not have the ability write' } });
  });

  test.each(['/healthz', '/readyz', '/openapi.json'])('%s is public', async (path) => {
    expect((await createApiClient().call('GET', path, { token: '' })).statusCode).toBe(200);
  });

  test('while the tokens cannot be read, routes that need one are 503, and those that do not are not', async () => {
    const authenticate = async () => {
      const headers = { 'retry-after': '5' };
      throw new AppError('UNAVAILABLE', 'no token', { headers }, { cause: new Error('canary') });
    };
    const { call, log } = createApiClient({ authenticate });
    for (const path of ['/api/v1/configs', '/api/v1/registry', '/api/v1/no-such-thing']) {
      const answer = await call('GET', path);
      expect(answer).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5' }, json: { code: 'UNAVAILABLE' } });
      expect(answer.headers['content-type']).toBe('application/problem+json');
    }
    for (const path of ['/healthz', '/readyz', '/openapi.json']) expect((await call('GET', path)).statusCode).toBe(200);
    const failed = log.lines.filter(({ message }) => message === 'request failed');
    expect(failed.map(({ fields }) => fields['reason'])).toEqual(['no token', 'no token', 'no token']);
    expect(JSON.stringify(log.lines)).not.toContain('canary');
  });
});

describe('paths and methods', () => {
  test.each([
    ['GET', '/api/v1/nothing', 404, undefined],
    ['GET', '/', 404, undefined],
    ['PATCH', '/api/v1/configs/a', 405, 'DELETE, GET, HEAD, PUT'],
    ['POST', '/healthz', 405, 'GET, HEAD'],
  ])('%s %s is %i, allowed: %s', async (method, path, status, allow) => {
    const answer = await createApiClient().call(method, path);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['allow']).toBe(allow);
    expect(answer.headers['content-type']).toBe('application/problem+json');
  });

  test('HEAD answers like GET without the body', async () => {
    const answer = await createApiClient({ configs: { get: async () => view } }).call('HEAD', '/api/v1/configs/a');
    expect(answer).toMatchObject({ statusCode: 200, headers: { etag: '"e3"' }, body: '' });
  });

  test('a path parameter is decoded', async () => {
    const get = vi.fn(async () => view);
    await createApiClient({ configs: { get } }).call('GET', '/api/v1/configs/a%2Fb');
    expect(get).toHaveBeenCalledWith('a/b');
  });
});

describe('input', () => {
  test.each([
    ['an unknown query key', 'GET', '/api/v1/configs?limit=5&size=3', undefined, '/size'],
    ['a query where none is taken', 'GET', '/api/v1/configs/a?limit=5', undefined, '/limit'],
    ['a limit of none', 'GET', '/api/v1/configs?limit=0', undefined, '/limit'],
    ['a limit that is text', 'GET', '/api/v1/configs?limit=many', undefined, '/limit'],
    ['a flag that is neither', 'PUT', '/api/v1/configs/a?dryRun=yes', { config: {}, schema: {} }, '/dryRun'],
    ['an unknown body key', 'PUT', '/api/v1/configs/a', { config: {}, schema: {}, force: true }, '/force'],
    ['a missing body key', 'PUT', '/api/v1/configs/a', { config: {} }, '/schema'],
    ['no body', 'PUT', '/api/v1/configs/a', undefined, ''],
    ['a body where none is taken', 'DELETE', '/api/v1/configs/a', { force: true }, '/force'],
    ['a revision that is none', 'POST', '/api/v1/configs/a/rollback', { revision: 0 }, '/revision'],
  ])('%s is 400 with a pointer', async (_name, method, path, body, pointer) => {
    const answer = await createApiClient().call(method, path, { body });
    expect(answer.statusCode).toBe(400);
    expect(answer.json.errors.map((error: any) => error.pointer)).toContain(pointer);
  });

  test.each([
    ['not JSON', '{"config":', /not JSON/],
    ['nested too deeply', '['.repeat(2_000) + ']'.repeat(2_000), /nested/],
  ])('a body that is %s is 400', async (_name, body, message) => {
    const answer = await createApiClient().call('PUT', '/api/v1/configs/a', { body });
    expect(answer).toMatchObject({ statusCode: 400, json: { detail: expect.stringMatching(message) } });
  });

  test.each(['/api/v1/configs?limit=5&limit=6', '/api/v1/configs?__proto__=1&__proto__=2'])(
    'a query key given twice is 400: %s',
    async (path) => {
      expect((await createApiClient().call('GET', path)).statusCode).toBe(400);
    },
  );

  test.each(['0', '-1', '1.5', 'x'])('the revision %s in a path is 400', async (revision) => {
    expect((await createApiClient().call('GET', `/api/v1/configs/a/revisions/${revision}`)).statusCode).toBe(400);
  });

  test('objects reach the service as they came: exact integers, and __proto__ as a key', async () => {
    const tryConvert = vi.fn(async (_target: string, input: any) => ({ object: input.object }));
    const body = '{"object":{"n":9007199254740993,"__proto__":{"a":1}},"to":"v2"}';
    const answer = await createApiClient({ configs: { tryConvert } }).call('POST', '/api/v1/configs/a/convert', {
      body,
    });
    expect(answer.body).toBe('{"object":{"n":9007199254740993,"__proto__":{"a":1}}}\n');
  });

  test('queries, flags and preconditions reach the service typed', async () => {
    const put = vi.fn(async () => ({ created: true, etag: '"e1"', diagnostics: [] }));
    const list = vi.fn(async () => ({ items: [], total: 0 }));
    const { call } = createApiClient({ configs: { put, list } });
    const body = { config: 'kind: X', schema: { a: 1 } };
    await call('PUT', '/api/v1/configs/a?dryRun=true', { body, headers: { 'If-Match': '"e1"' } });
    expect(put).toHaveBeenCalledWith('a', body, { dryRun: true, ifMatch: '"e1"' });
    await call('GET', '/api/v1/configs?limit=7&next=n&labelSelector=a%3Db');
    expect(list).toHaveBeenCalledWith({ limit: 7, next: 'n', labelSelector: 'a=b' });
  });
});

describe('answers', () => {
  test('a page carries its rows, the next mark and the total', async () => {
    const list = async () => ({ items: [view], next: 'abc', total: 7 });
    const answer = await createApiClient({ configs: { list } }).call('GET', '/api/v1/configs');
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'x-total-count': '7' } });
    expect(answer.json).toEqual({ items: [view], next: 'abc' });
  });

  test.each([
    [{ created: true, etag: '"e1"' }, '', 201, '"e1"'],
    [{ created: false, etag: '"e2"' }, '', 200, '"e2"'],
    [{ created: true }, '?dryRun=true', 200, undefined],
  ])('PUT that answers %j with %j is %i', async (result, query, status, etag) => {
    const { call } = createApiClient({ configs: { put: async () => ({ ...result, diagnostics: [] }) } });
    const answer = await call('PUT', `/api/v1/configs/a${query}`, { body: { config: {}, schema: {} } });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['etag']).toBe(etag);
  });

  test('DELETE is 204 without a body', async () => {
    const remove = vi.fn(async () => {});
    const answer = await createApiClient({ configs: { remove } }).call('DELETE', '/api/v1/configs/a?force=true');
    expect(answer).toMatchObject({ statusCode: 204, body: '' });
    expect(remove).toHaveBeenCalledWith('a', { force: true });
  });

  test('a patch begins with the URL of convert', async () => {
    const patch = vi.fn(async () => ({}));
    await createApiClient({ configs: { patch } }).call('GET', '/api/v1/configs/a/patch?endpoint=eu&token=t');
    expect(patch).toHaveBeenCalledWith('a', 'eu', { baseUrl: 'https://convert.example.com', token: 't' });
  });

  test('a patch has the CA of the handler, and no caller chooses another', async () => {
    const patch = vi.fn(async () => ({}));
    const { call } = createApiClient({ configs: { patch }, caBundle: 'Q0E=' });
    await call('GET', '/api/v1/configs/a/patch');
    const options = { baseUrl: 'https://convert.example.com', caBundle: 'Q0E=' };
    expect(patch).toHaveBeenCalledWith('a', undefined, options);
    expect((await call('GET', '/api/v1/configs/a/patch?caBundle=x')).statusCode).toBe(400);
  });

  test('a refusal of the service is a problem with its diagnostics', async () => {
    const diagnostics = [{ code: 'A', severity: 'error', message: 'm', rule: 3 }];
    const put = async () => {
      throw new AppError('CONFIG_INVALID', 'one error', { diagnostics: diagnostics as any });
    };
    const { call } = createApiClient({ configs: { put } });
    const answer = await call('PUT', '/api/v1/configs/a', { body: { config: {}, schema: {} } });
    expect(answer).toMatchObject({
      statusCode: 422,
      json: { code: 'CONFIG_INVALID', error: 'one error', diagnostics },
    });
  });

  test('a bug is a 500 with a reference, and the log has it once', async () => {
    const get = async () => {
      throw new TypeError('canary');
    };
    const { call, log } = createApiClient({ configs: { get } });
    const answer = await call('GET', '/api/v1/configs/a');
    expect(answer.statusCode).toBe(500);
    expect(answer.body + JSON.stringify(log.lines)).not.toContain('canary');
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test('readyz is 503 while the store cannot be read', async () => {
    const checkReady = async () => {
      throw new Error('down');
    };
    const answer = await createApiClient({ checkReady }).call('GET', '/readyz');
    expect(answer).toMatchObject({ statusCode: 503, headers: { 'retry-after': '1' } });
  });
});

describe('the registry', () => {
  const rows = ['a', 'b', 'c'].map((target) => ({ target, ready: true, revision: 1, versions: [] }));
  const registry = { refresh: async () => {}, compilePending: async () => {}, snapshot: () => rows };

  test('pages by target', async () => {
    const { call } = createApiClient({ registries: { all: async () => registry } });
    const first = await call('GET', '/api/v1/registry?limit=2');
    expect(first.json.items).toEqual(rows.slice(0, 2));
    expect(first.headers['x-total-count']).toBe('3');
    const second = await call('GET', `/api/v1/registry?limit=2&next=${first.json.next}`);
    expect(second.json).toEqual({ items: rows.slice(2) });
    expect((await call('GET', '/api/v1/registry?next=***')).statusCode).toBe(400);
  });

  test('shows what is held when the store cannot be read', async () => {
    const refresh = async () => {
      throw new AppError('UNAVAILABLE', 'down');
    };
    const { call, log } = createApiClient({ registries: { all: async () => ({ ...registry, refresh }) } });
    expect((await call('GET', '/api/v1/registry')).json.items).toEqual(rows);
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'warn', message: 'registry not refreshed' }));
  });
});

test('requests are logged by method, path and status, never with a query or a body', async () => {
  const { call, log } = createApiClient({ configs: { patch: async () => ({}) } });
  await call('GET', '/api/v1/configs/a/patch?token=canary', { body: {} });
  expect(log.lines).toMatchObject([
    { level: 'info', message: 'request', fields: { method: 'GET', path: '/api/v1/configs/a/patch', status: 200 } },
  ]);
  expect(JSON.stringify(log.lines)).not.toContain('canary');
});
