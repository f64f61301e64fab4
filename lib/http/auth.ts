import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Ability, holds } from '../access/abilities.ts';
import type { StoredToken, TokenService } from '../access/tokens.ts';
import { AppError } from '../errors.ts';
import { describeError, type Log } from '../telemetry/log.ts';

export type { Ability };

/** A bearer token as it is kept: only its SHA-256, in lower-case hex. */
export interface TokenRecord {
  readonly id: string;
  /** For the audit log; the id when absent. */
  readonly name?: string;
  readonly sha256: string;
  readonly abilities: readonly Ability[];
  /** Milliseconds since the epoch; a token without it does not expire. */
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

/** Who is asking. */
export interface Principal {
  readonly tokenId: string;
  readonly name: string;
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
  /** The few that are known beforehand. */
  readonly tokens: TokenSource;
  /** Those that people made. */
  readonly stored?: { readonly tokens: Pick<TokenService, 'find' | 'noteUse'>; readonly log: Log };
  readonly now: () => number;
}

export type Authenticate = (authorization: string | undefined) => Promise<Principal>;

const SCHEME = 'bearer ';

/**
 * Checks an `Authorization` header. Every hash that is known beforehand is compared in constant time, whether or not one
 * matched before, and those in the store are found by the hash, so the time says nothing about the tokens. Rejects with
 * `UNAUTHORIZED` and a reason of its own for a missing, an unknown, an expired and a revoked token; without one, no token
 * is looked up.
 */
export function createAuthenticator({ tokens, stored, now }: AuthenticatorOptions): Authenticate {
  return async (authorization) => {
    const presented = createHash('sha256').update(readBearerToken(authorization)).digest();
    const found = await look(tokens, stored?.tokens, presented);
    if (found === undefined) throw unauthorized('the token is not known');
    if (found.revokedAt !== undefined && found.revokedAt <= now()) throw unauthorized('the token was revoked');
    if (found.expiresAt !== undefined && found.expiresAt <= now()) throw unauthorized('the token has expired');
    if (stored !== undefined && isStored(found)) await noteUse(stored, found);
    return { tokenId: found.id, name: found.name ?? found.id, abilities: found.abilities };
  };
}

/** The store is asked before the source looks again, so that its tokens need no more of the source than its memory. */
async function look(
  tokens: TokenSource,
  stored: Pick<TokenService, 'find'> | undefined,
  presented: Buffer,
): Promise<TokenRecord | StoredToken | undefined> {
  // A source that cannot be read keeps nobody out whose token is in the store; to look again has the same reason to fail.
  const known = await tokens.get().catch(() => []);
  const early = find(known, presented) ?? (await stored?.find(presented.toString('hex')));
  return early ?? find(await tokens.reread(), presented);
}

function isStored(token: TokenRecord | StoredToken): token is StoredToken {
  return 'version' in token;
}

/** A note that cannot be written is no reason to refuse the request. */
async function noteUse(
  { tokens, log }: NonNullable<AuthenticatorOptions['stored']>,
  token: StoredToken,
): Promise<void> {
  try {
    await tokens.noteUse(token);
  } catch (error) {
    log.warn('use of a token not noted', { token: token.id, ...describeError(error) });
  }
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
export function requireAbility(principal: Pick<Principal, 'abilities'>, ability: Ability): void {
  if (holds(principal.abilities, ability)) return;
  throw new AppError('FORBIDDEN', `the token does not have the ability ${ability}`);
}

function unauthorized(reason: string): AppError {
  return new AppError('UNAUTHORIZED', reason, { headers: { 'www-authenticate': 'Bearer' } });
}
