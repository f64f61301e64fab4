import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ABILITIES } from '../../../lib/access/abilities.ts';
import { createAuthenticator, fixedTokens, requireAbility, type TokenRecord } from '../../../lib/http/auth.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const NOW = 1_700_000_000_000;
const authenticate = createAuthenticator({
  now: () => NOW,
  tokens: fixedTokens([
    { id: 'root', sha256: sha256('root-token'), abilities: ['root'] },
    { id: 'ci', sha256: sha256('ci-token'), abilities: ['read', 'write'], expiresAt: NOW + 1 },
    { id: 'old', sha256: sha256('old-token'), abilities: ['read'], expiresAt: NOW },
    { id: 'gone', sha256: sha256('gone-token'), abilities: ['read'], revokedAt: NOW },
    { id: 'leaving', sha256: sha256('leaving-token'), abilities: ['read'], revokedAt: NOW + 1 },
  ]),
});

describe('a bearer token', () => {
  test.each([
    ['Bearer root-token', 'root'],
    ['bearer root-token', 'root'],
    ['BEARER  ci-token ', 'ci'],
    ['Bearer leaving-token', 'leaving'],
  ])('%j is the token %s', async (header, tokenId) => {
    expect((await authenticate(header)).tokenId).toBe(tokenId);
  });

  test.each([
    [undefined, 'a bearer token is needed'],
    ['', 'the authorization header is not "Bearer <token>"'],
    ['Basic cm9vdA==', 'the authorization header is not "Bearer <token>"'],
    ['Bearer ', 'the token is not known'],
    ['Bearer root-token-', 'the token is not known'],
    [`Bearer ${sha256('root-token')}`, 'the token is not known'],
    ['Bearer old-token', 'the token has expired'],
    ['Bearer gone-token', 'the token was revoked'],
  ])('%j is refused: %s', async (header, message) => {
    const details = { headers: { 'www-authenticate': 'Bearer' } };
    await expect(authenticate(header)).rejects.toMatchObject({ code: 'UNAUTHORIZED', message, details });
  });
});

test('a record without a SHA-256 is refused at start', () => {
  const tokens = [{ id: 'x', sha256: 'root-token', abilities: ['root' as const] }];
  expect(() => fixedTokens(tokens)).toThrow('token x: sha256 is not 64 hexadecimal digits');
});

describe('a source of tokens', () => {
  /** One whose tokens change once it is asked to look again. */
  function watch(before: readonly TokenRecord[], after = before) {
    const calls: string[] = [];
    const tokens = {
      get: async () => {
        calls.push('get');
        return before;
      },
      reread: async () => {
        calls.push('reread');
        return after;
      },
    };
    return { calls, authenticate: createAuthenticator({ tokens, now: () => NOW }) };
  }
  const record = (id: string): TokenRecord => ({ id, sha256: sha256(id), abilities: ['root'] });

  test.each([undefined, '', 'Basic cm9vdA=='])('is not asked for the header %j', async (header) => {
    const { calls, authenticate } = watch([record('a')]);
    await expect(authenticate(header)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(calls).toEqual([]);
  });

  test.each([
    ['once for a token that is known', 'Bearer a', 'a', ['get']],
    ['again for one that is not, for it may be new', 'Bearer b', 'b', ['get', 'reread']],
  ])('is asked %s', async (_name, header, tokenId, expected) => {
    const { calls, authenticate } = watch([record('a')], [record('b')]);
    expect((await authenticate(header)).tokenId).toBe(tokenId);
    expect(calls).toEqual(expected);
  });

  test('is asked twice and no more for one that nobody knows', async () => {
    const { calls, authenticate } = watch([record('a')]);
    await expect(authenticate('Bearer x')).rejects.toMatchObject({ message: 'the token is not known' });
    expect(calls).toEqual(['get', 'reread']);
  });
});

test('an ability implies no other, and root implies all', () => {
  for (const ability of ABILITIES) {
    expect(() => requireAbility({ abilities: ['root'] }, ability)).not.toThrow();
    expect(() => requireAbility({ abilities: [ability] }, ability)).not.toThrow();
    const others = ABILITIES.filter((other) => other !== ability && other !== 'root');
    expect(() => requireAbility({ abilities: others }, ability)).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN', message: `the token does not have the ability ${ability}` }),
    );
  }
});
