import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';

/** The six flat abilities: none implies another, except `root`, which satisfies all. */
export const ABILITIES = ['read', 'read:sensitive', 'write', 'write:sensitive', 'deploy', 'root'] as const;
export type Ability = (typeof ABILITIES)[number];

/** A bearer token as it is kept: only its SHA-256, in lower-case hex. */
export interface TokenRecord {
  readonly id: string;
  readonly sha256: string;
  readonly abilities: readonly Ability[];
  /** Milliseconds since the epoch; a token without it does not expire. */
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

/** Who is asking. */
export interface Principal {
  readonly tokenId: string;
  readonly abilities: readonly Ability[];
}

interface AuthenticatorOptions {
  readonly tokens: readonly TokenRecord[];
  readonly now: () => number;
}

export type Authenticate = (authorization: string | undefined) => Principal;

const SCHEME = 'bearer ';

/**
 * Checks an `Authorization` header. Every known hash is compared in constant time, whether or not one matched before,
 * so the time says nothing about the tokens. Throws `UNAUTHORIZED` with a reason of its own for a missing, an unknown,
 * an expired and a revoked token.
 */
export function createAuthenticator({ tokens, now }: AuthenticatorOptions): Authenticate {
  const known = tokens.map((record) => ({ record, hash: Buffer.from(record.sha256, 'hex') }));
  for (const { record, hash } of known) {
    if (hash.length !== 32) throw new Error(`token ${record.id}: sha256 is not 64 hexadecimal digits`);
  }
  return (authorization) => {
    const presented = createHash('sha256').update(readBearerToken(authorization)).digest();
    const found = known.filter(({ hash }) => timingSafeEqual(hash, presented)).at(0)?.record;
    if (found === undefined) throw unauthorized('the token is not known');
    if (found.revokedAt !== undefined && found.revokedAt <= now()) throw unauthorized('the token was revoked');
    if (found.expiresAt !== undefined && found.expiresAt <= now()) throw unauthorized('the token has expired');
    return { tokenId: found.id, abilities: found.abilities };
  };
}

/** The token's text. Throws `UNAUTHORIZED` for a header that is missing or of another scheme. */
export function readBearerToken(authorization: string | undefined): string {
  if (authorization === undefined) throw unauthorized('a bearer token is needed');
  if (authorization.slice(0, SCHEME.length).toLowerCase() === SCHEME) return authorization.slice(SCHEME.length).trim();
  throw unauthorized('the authorization header is not "Bearer <token>"');
}

/** Throws `FORBIDDEN` unless the caller's token has the ability, or `root`. */
export function requireAbility(principal: Principal, ability: Ability): void {
  if (principal.abilities.includes(ability) || principal.abilities.includes('root')) return;
  throw new AppError('FORBIDDEN', `the token does not have the ability ${ability}`);
}

function unauthorized(reason: string): AppError {
  return new AppError('UNAUTHORIZED', reason, { headers: { 'www-authenticate': 'Bearer' } });
}
