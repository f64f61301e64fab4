import { beforeEach, describe, expect, test } from 'vitest';
import { loadDefaultEndpoint, loadEndpoint } from '../../../lib/configs/endpoint-records.ts';
import { makeToken, verifyToken } from '../../../lib/configs/tokens.ts';
import type { EndpointService } from '../../../lib/configs/types.ts';
import { type Bench, createBench } from '../../support/config-bench.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';
import { webhookServer, widgets } from '../../support/widgets.ts';

let clock: TestClock;
let store: MemoryStore;
let bench: Bench;
let endpoints: EndpointService;
beforeEach(() => {
  clock = createTestClock();
  store = createMemoryStore(clock);
  bench = createBench(store, clock);
  endpoints = bench.endpoints;
});

async function accepts(name: string, token: string | undefined): Promise<boolean> {
  return verifyToken(await loadEndpoint(store, name), token ?? '', clock.now());
}

describe('an endpoint', () => {
  test('is created with a token that is shown once and stored as a hash', async () => {
    const { token = '', ...result } = await endpoints.put('public', webhookServer('public', { replicas: 2 }));
    expect(result).toMatchObject({ created: true, diagnostics: [{ code: 'KNOB_UNUSED' }] });
    expect(result.endpoint).toEqual({
      name: 'public',
      default: false,
      tokens: [{ createdAt: '2026-01-01T00:00:00.000Z' }],
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
      etag: '"1"',
    });
    expect(token).toMatch(/^[\w-]{32}$/);
    expect(JSON.stringify(store.all())).not.toContain(token);
    expect(JSON.stringify([await endpoints.get('public'), await endpoints.list()])).not.toContain(token);
    expect(await accepts('public', token)).toBe(true);
  });

  test('keeps its tokens when it is changed, and shows none', async () => {
    const { token } = await endpoints.put('public', webhookServer('public'));
    await clock.advance(1000);
    const selector = { matchLabels: { team: 'a' } };
    const changed = await endpoints.put('public', webhookServer('public', { cacheSelector: selector }));
    expect(changed).not.toHaveProperty('token');
    expect(changed).toMatchObject({
      created: false,
      endpoint: { selector, etag: '"2"', createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:01.000Z' },
    });
    expect(await accepts('public', token)).toBe(true);
    expect(await endpoints.put('public', webhookServer('public'))).not.toHaveProperty('endpoint.selector');
  });

  test.each<{ title: string; resource: Parameters<EndpointService['put']>[1]; code: string }>([
    { title: 'another name', resource: webhookServer('other'), code: 'TARGET_MISMATCH' },
    { title: 'broken text', resource: 'a: [', code: 'CONFIG_SYNTAX' },
    { title: 'an unknown key', resource: webhookServer('public', { tokens: [] }), code: 'CONFIG_UNKNOWN_KEY' },
  ])('is refused for $title, and nothing is stored', async ({ resource, code }) => {
    await expect(endpoints.put('public', resource)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      details: { diagnostics: [expect.objectContaining({ code })] },
    });
    expect(store.all()).toEqual([]);
  });

  test('is listed by name, page by page', async () => {
    for (const name of ['c', 'a', 'b']) await endpoints.put(name, webhookServer(name));
    const first = await endpoints.list({ limit: 2 });
    expect([first.items.map(({ name }) => name), first.total]).toEqual([['a', 'b'], 3]);
    const second = await endpoints.list({ limit: 2, next: first.next as string });
    expect([second.items.map(({ name }) => name), second.next]).toEqual([['c'], undefined]);
  });

  test('is 404 when it is not there', async () => {
    for (const attempt of [endpoints.get('none'), endpoints.rotate('none'), endpoints.remove('none')]) {
      await expect(attempt).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
    }
  });

  test('is 412 with a stale If-Match, whatever is to be done', async () => {
    await endpoints.put('public', webhookServer('public'));
    await endpoints.put('public', webhookServer('public'));
    const stale = { ifMatch: '"1"' };
    for (const attempt of [
      endpoints.put('public', webhookServer('public'), stale),
      endpoints.rotate('public', stale),
      endpoints.remove('public', stale),
      endpoints.put('new', webhookServer('new'), { ifMatch: '*' }),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'PRECONDITION_FAILED', status: 412 });
    }
    expect((await endpoints.get('public')).etag).toBe('"2"');
  });

  test('is gone with its tokens when it is removed, and never gets an old ETag again', async () => {
    const { token } = await endpoints.put('public', webhookServer('public', { default: true }));
    await endpoints.remove('public');
    await expect(endpoints.get('public')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await endpoints.list()).toEqual({ items: [], total: 0 });
    expect(await accepts('public', token)).toBe(false);
    const again = await endpoints.put('public', webhookServer('public'));
    expect(again).toMatchObject({ created: true, endpoint: { etag: '"3"', default: false } });
    expect(await accepts('public', token)).toBe(false);
    expect(await accepts('public', again.token)).toBe(true);
  });

  test('is not removed while a config names it', async () => {
    await endpoints.put('public', webhookServer('public'));
    await bench.configs.put('widgets.example.org', widgets({ endpoint: 'public' }));
    await expect(endpoints.remove('public')).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('widgets.example.org'),
    });
    await bench.configs.put('widgets.example.org', widgets());
    await endpoints.remove('public');
  });

  test('lets one of two racing changes win; the other gets 412', async () => {
    await endpoints.put('public', webhookServer('public'));
    const outcomes = await Promise.allSettled([endpoints.rotate('public'), endpoints.rotate('public')]);
    const lost = outcomes.filter(({ status }) => status === 'rejected');
    expect(lost).toMatchObject([{ reason: { code: 'PRECONDITION_FAILED' } }]);
    expect((await endpoints.get('public')).etag).toBe('"2"');
  });
});

describe('rotating a token', () => {
  test('keeps the one before valid for a day', async () => {
    const { token: old } = await endpoints.put('public', webhookServer('public'));
    const { token, endpoint } = await endpoints.rotate('public');
    expect(endpoint.tokens).toEqual([
      { createdAt: '2026-01-01T00:00:00.000Z' },
      { createdAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-02T00:00:00.000Z' },
    ]);
    expect([await accepts('public', old), await accepts('public', token)]).toEqual([true, true]);
    await clock.advance(24 * 60 * 60 * 1000 - 1);
    expect(await accepts('public', old)).toBe(true);
    await clock.advance(1);
    expect([await accepts('public', old), await accepts('public', token)]).toEqual([false, true]);
    expect((await endpoints.get('public')).tokens).toHaveLength(1);
  });

  test('ends the one before the last at once: two are valid at a time', async () => {
    const { token: first } = await endpoints.put('public', webhookServer('public'));
    const { token: second } = await endpoints.rotate('public');
    const { token: third } = await endpoints.rotate('public');
    const valid = await Promise.all([first, second, third].map((token) => accepts('public', token)));
    expect(valid).toEqual([false, true, true]);
  });

  test.each([
    { graceSeconds: 0, valid: [false, false] },
    { graceSeconds: 60, valid: [true, false] },
  ])('with a grace of $graceSeconds s', async ({ graceSeconds, valid }) => {
    const { token } = await endpoints.put('public', webhookServer('public'));
    await endpoints.rotate('public', { graceSeconds });
    const now = await accepts('public', token);
    await clock.advance(60_000);
    expect([now, await accepts('public', token)]).toEqual(valid);
  });

  test.each([-1, 30 * 24 * 60 * 60 + 1, Number.NaN])('refuses a grace of %s s', async (graceSeconds) => {
    await endpoints.put('public', webhookServer('public'));
    await expect(endpoints.rotate('public', { graceSeconds })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe('the default endpoint', () => {
  test('is one at most', async () => {
    await endpoints.put('a', webhookServer('a', { default: true }));
    await expect(endpoints.put('b', webhookServer('b', { default: true }))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('The endpoint a is the default'),
    });
    await expect(endpoints.get('b')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await endpoints.put('a', webhookServer('a', { default: false }));
    await endpoints.put('b', webhookServer('b', { default: true }));
    const { items } = await endpoints.list();
    expect(items.map((item) => [item.name, item.default])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    expect(await loadDefaultEndpoint(store)).toBe('b');
  });

  test('is one at most when two want to become it at once', async () => {
    for (const name of ['a', 'b']) await endpoints.put(name, webhookServer(name));
    const outcomes = await Promise.allSettled(
      ['a', 'b'].map((name) => endpoints.put(name, webhookServer(name, { default: true }))),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await endpoints.list()).items.filter((item) => item.default)).toHaveLength(1);
  });

  test('is free again after a crash left a claim without an endpoint', async () => {
    store.beforeWrite = ({ pk }) => {
      if (pk === 'ENDPOINTS') throw new Error('crashed');
    };
    await expect(endpoints.put('a', webhookServer('a', { default: true }))).rejects.toThrow('crashed');
    store.beforeWrite = () => {};
    expect(await loadDefaultEndpoint(store)).toBeUndefined();
    await endpoints.put('b', webhookServer('b', { default: true }));
    expect(await loadDefaultEndpoint(store)).toBe('b');
  });

  test('is given up again by a change that lost its race', async () => {
    await endpoints.put('a', webhookServer('a'));
    let overtaken = false;
    store.beforeWrite = async ({ pk }) => {
      if (overtaken || pk !== 'ENDPOINTS') return;
      overtaken = true;
      await endpoints.rotate('a');
    };
    const attempt = endpoints.put('a', webhookServer('a', { default: true }));
    await expect(attempt).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await loadDefaultEndpoint(store)).toBeUndefined();
  });
});

describe('verifying a token', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const { text, stored } = makeToken(now);
  const expired = { ...stored, expiresAt: '2026-01-01T00:00:00.000Z' };

  test.each<{ title: string; endpoint: Parameters<typeof verifyToken>[0]; token: string; valid: boolean }>([
    { title: 'the token', endpoint: { tokens: [stored] }, token: text, valid: true },
    { title: 'the token, second', endpoint: { tokens: [makeToken(now).stored, stored] }, token: text, valid: true },
    { title: 'another token', endpoint: { tokens: [stored] }, token: makeToken(now).text, valid: false },
    { title: 'no token', endpoint: { tokens: [stored] }, token: '', valid: false },
    { title: 'the digest instead of the token', endpoint: { tokens: [stored] }, token: stored.digest, valid: false },
    { title: 'a token that ended', endpoint: { tokens: [expired] }, token: text, valid: false },
    { title: 'an endpoint without tokens', endpoint: { tokens: [] }, token: text, valid: false },
    { title: 'an unknown endpoint', endpoint: undefined, token: text, valid: false },
    { title: 'a damaged digest', endpoint: { tokens: [{ ...stored, digest: 'zz' }] }, token: text, valid: false },
    { title: 'very long text', endpoint: { tokens: [stored] }, token: 'x'.repeat(100_000), valid: false },
  ])('$title: $valid', ({ endpoint, token, valid }) => {
    expect(verifyToken(endpoint, token, now)).toBe(valid);
  });

  test('has 192 random bits', () => {
    expect(Buffer.from(text, 'base64url')).toHaveLength(24);
    expect(makeToken(now).text).not.toBe(text);
  });
});
