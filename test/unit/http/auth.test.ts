import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ABILITIES, createAuthenticator, requireAbility } from '../../../lib/http/auth.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const NOW = 1_700_000_000_000;
const authenticate = createAuthenticator({
  now: () => NOW,
  tokens: [
    { id: 'root', sha256: sha256('root-token'), abilities: ['root'] },
    { id: 'ci', sha256: sha256('ci-token'), abilities: ['read', 'write'], expiresAt: NOW + 1 },
    { id: 'old', sha256: sha256('old-token'), abilities: ['read'], expiresAt: NOW },
    { id: 'gone', sha256: sha256('gone-token'), abilities: ['read'], revokedAt: NOW },
    { id: 'leaving', sha256: sha256('leaving-token'), abilities: ['read'], revokedAt: NOW + 1 },
  ],
});

describe('a bearer token', () => {
  test.each([
    ['Bearer root-token', 'root'],
    ['bearer root-token', 'root'],
    ['BEARER  ci-token ', 'ci'],
    ['Bearer leaving-token', 'leaving'],
  ])('%j is the token %s', (header, tokenId) => {
    expect(authenticate(header).tokenId).toBe(tokenId);
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
  ])('%j is refused: %s', (header, message) => {
    const details = { headers: { 'www-authenticate': 'Bearer' } };
    expect(() => authenticate(header)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED', message, details }));
  });
});

test('a record without a SHA-256 is refused at start', () => {
  const tokens = [{ id: 'x', sha256: 'root-token', abilities: ['root' as const] }];
  expect(() => createAuthenticator({ tokens, now: () => NOW })).toThrow('token x: sha256 is not 64 hexadecimal digits');
});

test('an ability implies no other, and root implies all', () => {
  for (const ability of ABILITIES) {
    expect(() => requireAbility({ tokenId: 't', abilities: ['root'] }, ability)).not.toThrow();
    expect(() => requireAbility({ tokenId: 't', abilities: [ability] }, ability)).not.toThrow();
    const others = ABILITIES.filter((other) => other !== ability && other !== 'root');
    expect(() => requireAbility({ tokenId: 't', abilities: others }, ability)).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN', message: `the token does not have the ability ${ability}` }),
    );
  }
});
