import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A token as it is stored: its text is never kept. */
interface StoredToken {
  /** Hex SHA-256 of the text. */
  readonly digest: string;
  readonly createdAt: string;
  /** ISO 8601; absent for the current token. */
  readonly expiresAt?: string | undefined;
}

/** 192 random bits, as 32 characters of base64url: a URL path segment that needs no escaping (R20: at least 128). */
const TOKEN_BYTES = 24;
/** The current token and the one before it. */
const SLOTS = 2;
/** Compared with where there is no token, so that each verification does the same work. */
const NO_DIGEST = randomBytes(32);

export function makeToken(now: number): { readonly text: string; readonly stored: StoredToken } {
  const text = randomBytes(TOKEN_BYTES).toString('base64url');
  return { text, stored: { digest: sha256(text).toString('hex'), createdAt: new Date(now).toISOString() } };
}

/** Tokens that are valid at `now` (milliseconds). */
export function validTokens(tokens: readonly StoredToken[], now: number): StoredToken[] {
  return tokens.filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > now);
}

/**
 * Whether `text` is one of an endpoint's valid tokens. It takes as long for a wrong token as for a right one, and as long
 * for an endpoint that does not exist (undefined): two comparisons of SHA-256 digests, always.
 */
export function verifyToken(
  endpoint: { readonly tokens: readonly StoredToken[] } | undefined,
  text: string,
  now: number,
): boolean {
  const given = sha256(text);
  const valid = validTokens(endpoint?.tokens ?? [], now);
  let found = 0;
  for (let slot = 0; slot < SLOTS; slot++) {
    const digest = valid[slot]?.digest;
    const stored = Buffer.from(digest ?? '', 'hex');
    const usable = stored.length === NO_DIGEST.length;
    found |= Number(timingSafeEqual(given, usable ? stored : NO_DIGEST)) & Number(usable);
  }
  return found === 1;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
