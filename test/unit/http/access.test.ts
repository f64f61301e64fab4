import { describe, expect, test } from 'vitest';
import { ABILITIES, type Ability } from '../../../lib/access/abilities.ts';
import { AppError } from '../../../lib/errors.ts';
import { tierOf } from '../../../lib/http/rate-limit.ts';
import { ROUTES } from '../../../lib/http/route-table.ts';
import { createAccessBench } from '../../support/access-bench.ts';

const DAY = 86_400_000;
const TOKENS = '/api/v1/auth/tokens';
const AUDIT = '/api/v1/audit-log';

/** Services whose every method fails in the way that shows that they were reached. */
const reached = new Proxy({}, { get: () => () => Promise.reject(new AppError('UNPROCESSABLE', 'reached')) });
const SERVICES = { configs: reached, endpoints: reached, registries: reached, apps: reached };

describe('tokens', () => {
  test('are made, used, listed and revoked', async () => {
    const { call, clock } = createAccessBench({ apps: { domains: async () => [] } });
    const made = await call('POST', TOKENS, { body: { name: ' ci ', abilities: ['read'], expires_in_days: 7 } });
    const view = {
      id: expect.stringMatching(/^tok_[\w-]{12}$/),
      name: 'ci',
      abilities: ['read'],
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2026-01-08T00:00:00.000Z',
    };
    expect(made).toMatchObject({ statusCode: 201 });
    expect(made.json).toEqual({ ...view, token: expect.stringMatching(/^rht_[\w-]{43}$/) });
    const { id, token } = made.json;

    await clock.advance(60_000);
    expect((await call('GET', '/api/v1/domains', { token })).statusCode).toBe(200);
    const used = { ...view, last_used_at: '2026-01-01T00:01:00.000Z' };
    const listed = await call('GET', TOKENS);
    expect(listed).toMatchObject({ headers: { 'x-total-count': '1' } });
    expect(listed.json).toEqual([used]);

    for (let times = 0; times < 2; times += 1) {
      expect(await call('DELETE', `${TOKENS}/${id}`)).toMatchObject({ statusCode: 204, body: '' });
    }
    expect((await call('GET', TOKENS)).json).toEqual([{ ...used, revoked_at: '2026-01-01T00:01:00.000Z' }]);
    expect((await call('DELETE', `${TOKENS}/tok_never`)).statusCode).toBe(404);
  });

  test('are refused each with its own reason', async () => {
    const { call, clock, grant, access } = createAccessBench();
    const revoked = await grant(['read']);
    await access.tokens.revoke(revoked.token.id);
    const expired = await grant(['read'], 1);
    await clock.advance(DAY);
    const reasons = [
      ['', 'a bearer token is needed'],
      ['rht_nobody', 'the token is not known'],
      [expired.text, 'the token has expired'],
      [revoked.text, 'the token was revoked'],
    ];
    for (const [token, error] of reasons) {
      const answer = await call('GET', '/api/v1/domains', { token });
      expect(answer).toMatchObject({ statusCode: 401, json: { code: 'UNAUTHORIZED', error } });
    }
  });

  test('work until the last millisecond, and while the root token cannot be read', async () => {
    const { call, clock, grant, access } = createAccessBench({ apps: { domains: async () => [] } });
    const { text } = await grant(['read'], 1);
    await clock.advance(DAY - 1);
    expect((await call('GET', '/api/v1/domains', { token: text })).statusCode).toBe(200);

    const down = async () => {
      throw new AppError('UNAVAILABLE', 'the root token could not be read');
    };
    const { createAuthenticator } = await import('../../../lib/http/auth.ts');
    const authenticate = createAuthenticator({
      tokens: { get: down, reread: down },
      stored: { tokens: access.tokens, log: { warn: () => {} } as any },
      now: clock.now,
    });
    expect(await authenticate(`Bearer ${text}`)).toMatchObject({ abilities: ['read'] });
    await expect(authenticate('Bearer root')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('count as unknown for nobody while the table cannot be read', async () => {
    const { call, store, grant } = createAccessBench();
    const { text } = await grant(['read']);
    store.beforeRead = (pk) => {
      if (pk === 'TOKENS') throw new AppError('UNAVAILABLE', 'down');
    };
    expect((await call('GET', '/api/v1/domains', { token: text })).statusCode).toBe(503);
  });

  test.each([
    ['an unknown ability, which is named', { name: 'a', abilities: ['read', 'admin'] }, '/abilities/1', '"admin"'],
    ['root with another', { name: 'a', abilities: ['root', 'read'] }, '/abilities', 'root'],
    ['no ability', { name: 'a', abilities: [] }, '/abilities', 'at least one'],
    ['no name', { name: ' ', abilities: ['read'] }, '/name', ''],
    ['a long name', { name: 'a'.repeat(101), abilities: ['read'] }, '/name', ''],
    ['a negative life', { name: 'a', abilities: ['read'], expires_in_days: -1 }, '/expires_in_days', ''],
    ['half a day', { name: 'a', abilities: ['read'], expires_in_days: 0.5 }, '/expires_in_days', ''],
    ['an unknown key', { name: 'a', abilities: ['read'], scope: 'x' }, '/scope', 'not known'],
  ])('are not made of a body with %s', async (_name, body, pointer, detail) => {
    const answer = await createAccessBench().call('POST', TOKENS, { body });
    expect(answer.statusCode).toBe(400);
    expect(answer.json.errors).toContainEqual({ pointer, detail: expect.stringContaining(detail) });
  });

  test('do not make one that can do more', async () => {
    const { call, grant } = createAccessBench();
    const { text: token } = await grant(['write:sensitive', 'read']);
    const answer = await call('POST', TOKENS, { token, body: { name: 'a', abilities: ['read', 'deploy'] } });
    expect(answer).toMatchObject({ statusCode: 403, json: { detail: expect.stringContaining('deploy') } });
    expect((await call('POST', TOKENS, { token, body: { name: 'a', abilities: ['read'] } })).statusCode).toBe(201);
  });

  test('serve on when their use cannot be noted', async () => {
    const { call, store, grant, log } = createAccessBench({ apps: { domains: async () => [] } });
    const { text: token } = await grant(['read']);
    store.beforeWrite = ({ pk }) => {
      if (pk === 'TOKENS') throw new Error('down');
    };
    expect((await call('GET', '/api/v1/domains', { token })).statusCode).toBe(200);
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'warn', message: 'use of a token not noted' }));
  });
});

/** One request for every route that needs an ability. */
const GUARDED = ROUTES.flatMap(({ method, path, ability }) =>
  ability === 'public' ? [] : [{ method, path: path.replace(/\{\w+\}/g, 'a'), ability }],
);

describe.each(GUARDED)('$method $path', ({ method, path, ability }) => {
  test(`needs ${ability}, which no other ability but root implies`, async () => {
    const { call, grant } = createAccessBench(SERVICES);
    const others = ABILITIES.filter((other) => other !== ability && other !== 'root');
    const without = await call(method, path, { token: (await grant(others)).text });
    expect(without).toMatchObject({ statusCode: 403, json: { code: 'FORBIDDEN' } });
    for (const abilities of [[ability], ['root']] as Ability[][]) {
      expect((await call(method, path, { token: (await grant(abilities)).text })).statusCode).not.toBe(403);
    }
  });
});

describe('the rate limit', () => {
  const apps = { domains: async () => [], stop: reached };
  const read = ['GET', '/api/v1/domains'] as const;

  test('allows its burst, then refuses until there is room again', async () => {
    const { call, clock, limited } = createAccessBench({ apps, rpm: { read: 2 } });
    for (let times = 0; times < 2; times += 1) expect((await call(...read)).statusCode).toBe(200);
    for (let times = 0; times < 2; times += 1) {
      const answer = await call(...read);
      expect(answer).toMatchObject({
        statusCode: 429,
        headers: { 'retry-after': '30' },
        json: { code: 'RATE_LIMITED' },
      });
      expect(answer.json.error).toBe('There were too many read requests by this caller. Try again in 30 s.');
    }
    await clock.advance(29_999);
    expect(await call(...read)).toMatchObject({ statusCode: 429, headers: { 'retry-after': '1' } });
    await clock.advance(1);
    expect((await call(...read)).statusCode).toBe(200);
    expect(limited).toEqual(['read', 'read', 'read']);
  });

  test.each([
    ['a route of read', 'GET', '/api/v1/domains', 'read'],
    ['to try a conversion, which changes nothing', 'POST', '/api/v1/configs/a/convert', 'read'],
    ['a path that there is not', 'GET', '/api/v1/nothing', 'read'],
    ['a mutation', 'POST', '/api/v1/apps/a/stop', 'write'],
    ['what needs write:sensitive, though it only reads', 'GET', TOKENS, 'write'],
    ['the audit log', 'GET', AUDIT, 'write'],
    ['a config', 'PUT', '/api/v1/configs/a', 'write'],
  ])('charges %s: %s %s to %s', async (_name, method, path, tier) => {
    const { call, limited } = createAccessBench({ ...SERVICES, rpm: { read: 1, write: 1 } });
    const other = tier === 'read' ? TOKENS : '/api/v1/domains';
    expect((await call('GET', other)).statusCode).not.toBe(429);
    expect((await call(method, path)).statusCode).not.toBe(429);
    expect((await call(method, path)).statusCode).toBe(429);
    expect(limited).toEqual([tier]);
  });

  test('counts as a read only what needs exactly read', () => {
    const reads = ABILITIES.filter((ability) => tierOf({ ability }) === 'read');
    expect(reads).toEqual(['read']);
  });

  test('comes after authentication and before the ability: 429 beats 403', async () => {
    const { call, grant } = createAccessBench({ ...SERVICES, rpm: { write: 1 } });
    const { text: token } = await grant(['read']);
    expect((await call('POST', '/api/v1/apps/a/stop', { token })).statusCode).toBe(403);
    expect((await call('POST', '/api/v1/apps/a/stop', { token })).statusCode).toBe(429);
  });

  test('charges requests without a token that is known to their address: 429 beats 401', async () => {
    const { call, grant, access } = createAccessBench({ apps, rpm: { read: 2 } });
    const { text, token } = await grant(['read']);
    await access.tokens.revoke(token.id);
    const statuses = [];
    for (const presented of ['rht_one', text, 'rht_two', '']) {
      statuses.push((await call(...read, { token: presented })).statusCode);
    }
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect((await call(...read, { token: 'rht_one', sourceIp: '192.0.2.2' })).statusCode).toBe(401);
    expect((await call(...read)).statusCode).toBe(200);
  });

  test('leaves public routes alone', async () => {
    const { call, store } = createAccessBench({ rpm: { read: 1, write: 1 } });
    for (let times = 0; times < 5; times += 1)
      expect((await call('GET', '/healthz', { token: '' })).statusCode).toBe(200);
    for (const path of ['/nothing', '/convert/a'])
      expect((await call('GET', path, { token: '' })).statusCode).toBe(404);
    expect(store.all()).toEqual([]);
  });

  test('is off where it is zero', async () => {
    const { call } = createAccessBench({ apps, rpm: { read: 0 } });
    for (let times = 0; times < 700; times += 1) expect((await call(...read)).statusCode).toBe(200);
  });

  test('lets everybody in while it cannot be asked, and says so once a minute', async () => {
    const { call, clock, store, log } = createAccessBench({ apps, rpm: { read: 1 } });
    store.beforeWrite = ({ pk }) => {
      if (pk.startsWith('LIMIT#')) throw new AppError('UNAVAILABLE', 'down');
    };
    const told = () => log.lines.filter(({ message }) => message === 'rate limit not checked').length;
    for (let times = 0; times < 3; times += 1) expect((await call(...read)).statusCode).toBe(200);
    expect(told()).toBe(1);
    await clock.advance(59_999);
    await call(...read);
    expect(told()).toBe(1);
    await clock.advance(1);
    await call(...read);
    expect(told()).toBe(2);
  });
});

describe('the audit log', () => {
  const outcomes: [string, any, number][] = [
    ['what was done', async () => ({ id: 'a', upload: { method: 'PUT', url: '', headers: {}, expiresAt: 0 } }), 201],
    ['a refusal of the service', () => Promise.reject(new AppError('CONFLICT', 'no')), 409],
    ['a fault of ours', () => Promise.reject(new TypeError('bug')), 500],
    ['a database that is down', () => Promise.reject(new AppError('UNAVAILABLE', 'down')), 503],
  ];
  test.each(outcomes)('has %s', async (_name, createArtifact, status) => {
    const { call, audited } = createAccessBench({ apps: { createArtifact } });
    expect((await call('POST', '/api/v1/apps/a/artifacts')).statusCode).toBe(status);
    expect(await audited()).toEqual([['deploy', 'POST', '/api/v1/apps/a/artifacts', status]]);
  });

  test('has a wrong ability, a wrong body and a body that is too large', async () => {
    const { call, grant, audited } = createAccessBench(SERVICES);
    const { text } = await grant(['read']);
    await call('POST', '/api/v1/apps', { token: text });
    await call('POST', '/api/v1/apps', { body: { name: 'a', surprise: true } });
    await call('POST', '/api/v1/apps', { body: 'x'.repeat(6_291_457) });
    expect((await audited()).map(([, , , status]) => status)).toEqual([403, 400, 413]);
  });

  test('has not what only reads, what is refused before it, and what is no route', async () => {
    const { call, grant, audited } = createAccessBench({ ...SERVICES, rpm: { write: 1 } });
    const { text } = await grant(['read']);
    await call('GET', '/api/v1/apps', { token: text });
    await call('POST', '/api/v1/configs/a/convert', { body: { object: {}, to: 'v2' }, token: text });
    await call('POST', '/api/v1/apps', { token: 'rht_unknown' });
    await call('GET', '/healthz');
    await call('POST', '/api/v1/nothing');
    expect(await audited()).toEqual([]);
    await call('POST', '/api/v1/apps/a/stop');
    await call('POST', '/api/v1/apps/a/stop');
    expect((await audited()).map(([, , , status]) => status)).toEqual([422]);
  });

  test('says who it was, from where', async () => {
    const { call, grant } = createAccessBench(SERVICES);
    const { text, token } = await grant(['deploy']);
    await call('POST', '/api/v1/apps/a%2Fb/stop?x=secret', { token: text, sourceIp: '2001:db8::1' });
    expect((await call('GET', AUDIT)).json).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        actor_type: 'token',
        actor_id: token.id,
        actor_name: 'deploy',
        ability: 'deploy',
        method: 'POST',
        path: '/api/v1/apps/a%2Fb/stop',
        status_code: 400,
        remote_addr: '2001:db8::1',
        created_at: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  test('that cannot be written fails no request, and the entry is in the log instead', async () => {
    const { call, store, log } = createAccessBench(SERVICES);
    store.beforeWrite = ({ pk }) => {
      if (pk.startsWith('AUDIT#')) throw new AppError('UNAVAILABLE', 'down');
    };
    expect((await call('POST', '/api/v1/apps/a/stop')).statusCode).toBe(422);
    expect(log.lines).toContainEqual({
      level: 'error',
      message: 'audit entry not written',
      fields: expect.objectContaining({ actorId: 'root', path: '/api/v1/apps/a/stop', statusCode: 422 }),
    });
  });

  test('is read in pages, newest first', async () => {
    const { call, clock } = createAccessBench(SERVICES);
    for (const name of ['a', 'b', 'c']) {
      await call('POST', `/api/v1/apps/${name}/stop`);
      await clock.advance(1_000);
    }
    const paths = (answer: any) => answer.json.map(({ path }: any) => path.split('/')[4]);
    const first = await call('GET', `${AUDIT}?limit=2`);
    expect(paths(first)).toEqual(['c', 'b']);
    const [, next] = /^<(\S+)>; rel="next"$/.exec(first.headers['link'] ?? '') ?? [];
    const second = await call('GET', String(next));
    expect(paths(second)).toEqual(['a']);
    expect(second.headers['link']).toBeUndefined();
    expect(paths(await call('GET', `${AUDIT}?before=2026-01-01T00:00:01Z`))).toEqual(['a']);
    expect(paths(await call('GET', `${AUDIT}?before=2026-01-01T01:00:01%2B01:00`))).toEqual(['a']);
    // Those reads are in it too: they need more than read.
    for (const limit of ['0', '-1', 'many', '']) {
      expect((await call('GET', `${AUDIT}?limit=${limit}`)).json.length).toBeGreaterThan(3);
    }
    expect((await call('GET', `${AUDIT}?before=yesterday`)).json.errors).toMatchObject([{ pointer: '/before' }]);
    expect((await call('GET', `${AUDIT}?next=***`)).statusCode).toBe(400);
  });

  test.each([
    ['', 50],
    ['?limit=200', 200],
    ['?limit=201', 200],
    ['?limit=x', 50],
  ])('gives as many as %j says: %i', async (query, expected) => {
    const { call, access } = createAccessBench();
    const entry = {
      actorType: 'token',
      actorId: 'a',
      actorName: 'a',
      ability: 'write',
      method: 'POST',
      path: '/',
    } as const;
    for (let count = 0; count < 250; count += 1)
      await access.audit.record({ ...entry, statusCode: 200, remoteAddr: '' });
    expect((await call('GET', `${AUDIT}${query}`)).json).toHaveLength(expected);
  });
});

test('a secret that is put is in no answer, log line, audit entry or idempotency record, not even as a hash of it', async () => {
  const canary = 'canary-1234';
  const putSecret = async (_app: string, key: string, { value }: any) => {
    if (key === 'BROKEN') throw new TypeError(`cannot store ${value}`);
    return { locked: false, updatedAt: 0, fingerprint: 'f' };
  };
  const bench = createAccessBench({ apps: { putSecret } });
  const answers = [];
  for (const key of ['GOOD', 'BROKEN']) {
    const path = `/api/v1/apps/a/secrets/${key}`;
    for (const body of [
      { value: canary },
      { value: canary, surprise: 1 },
      { value: canary, overwrite_locked: canary },
    ]) {
      const headers = { 'idempotency-key': `${key}-${Object.keys(body).length}` };
      answers.push(await bench.call('PUT', path, { body, headers }));
    }
    answers.push(await bench.call('PUT', path, { body: `{"value":"${canary}"` }));
  }
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([204, 400, 400, 400, 500, 400, 400, 400]);
  const seen = JSON.stringify([answers, bench.log.lines, bench.store.all()]);
  expect(seen).not.toContain(canary);

  // Whoever reads the table and guesses the value must not be able to tell that the guess is right.
  const record = bench.store.all().find(({ pk }) => pk.startsWith('IDEMPOTENCY#'));
  const parts = ['PUT', '/api/v1/apps/a/secrets/GOOD', '', '', JSON.stringify({ value: canary })];
  const { createHash } = await import('node:crypto');
  const guesses = [parts, ['root/GOOD-1', ...parts]].map((guess) =>
    createHash('sha256').update(JSON.stringify(guess)).digest('hex'),
  );
  expect(record?.['requestHash']).toMatch(/^[0-9a-f]{64}$/);
  expect(guesses).not.toContain(record?.['requestHash']);
});
