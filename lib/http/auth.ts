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

/** Where the tokens that are valid come from. */
export interface TokenSource {
  /** Rejects with `UNAVAILABLE` while they are not known. */
  get(): Promise<readonly TokenRecord[]>;
  /** Looks again, as far as the source allows it: asked when a token was not among them, for it may be new. */
  reread(): Promise<readonly TokenRecord[]>;
}

interface AuthenticatorOptions {
  readonly tokens: TokenSource;
  readonly now: () => number;
}

export type Authenticate = (authorization: string | undefined) => Promise<Principal>;

const SCHEME = 'bearer ';

/**
 * Checks an `Authorization` header. Every known hash is compared in constant time, whether or not one matched before,
 * so the time says nothing about the tokens. Rejects with `UNAUTHORIZED` and a reason of its own for a missing, an
 * unknown, an expired and a revoked token; without one, no token is looked up.
 */
export function createAuthenticator({ tokens, now }: AuthenticatorOptions): Authenticate {
  return async (authorization) => {
    const presented = createHash('sha256').update(readBearerToken(authorization)).digest();
    const found = find(await tokens.get(), presented) ?? find(await tokens.reread(), presented);
    if (found === undefined) throw unauthorized('the token is not known');
    if (found.revokedAt !== undefined && found.revokedAt <= now()) throw unauthorized('the token was revoked');
    if (found.expiresAt !== undefined && found.expiresAt <= now()) throw unauthorized('the token has expired');
    return { tokenId: found.id, abilities: found.abilities };
  };
}

/** Tokens that never change. */
export function fixedTokens(tokens: readonly TokenRecord[]): TokenSource {
  for (const { id, sha256 } of tokens) {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`token ${id}: sha256 is not 64 hexadecimal digits`);
  }
  const get = async () => tokens;
  return { get, reread: get };
}

function find(tokens: readonly TokenRecord[], presented: Buffer): TokenRecord | undefined {
  return tokens.filter(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'hex'), presented)).at(0);
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
