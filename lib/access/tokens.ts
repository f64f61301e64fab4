import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import { TOKENS, tokenKey } from '../store/keys.ts';
import { ConditionFailed, type Item, type Store } from '../store/ports.ts';
import { ABILITIES, type Ability, holds, isAbility } from './abilities.ts';

/** A bearer token as it is kept; its text is shown once, when it is made, and only its SHA-256 stays. Times in ms. */
export interface StoredToken {
  /** `tok_` and 12 characters. */
  readonly id: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly name: string;
  readonly abilities: readonly Ability[];
  readonly createdAt: number;
  /** Id of the token that made it. */
  readonly createdBy: string;
  readonly lastUsedAt?: number;
  /** A token without it does not expire. */
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  /** Counts writes, so that a note of its use never undoes its revocation. */
  readonly version: number;
}

interface NewToken {
  readonly name: string;
  readonly abilities: readonly string[];
  /** 0, or absent: it does not expire. */
  readonly expiresInDays?: number | undefined;
}

export interface TokenService {
  /**
   * Makes a token that can do no more than its maker, and for no longer.
   * @throws AppError BAD_REQUEST for abilities that are none, or do not go together, and for an end after the maker's; FORBIDDEN for more than the maker has
   */
  create(
    input: NewToken,
    maker: { readonly tokenId: string; readonly abilities: readonly Ability[] },
  ): Promise<{ readonly token: StoredToken; readonly text: string }>;
  /** Oldest first, those that have ended included. */
  list(): Promise<readonly StoredToken[]>;
  /** Twice is as once. @throws AppError NOT_FOUND for an id that was never given */
  revoke(id: string): Promise<void>;
  /** @param sha256 lower-case hex */
  find(sha256: string): Promise<StoredToken | undefined>;
  /** Notes that a token was used, once in five minutes. */
  noteUse(token: StoredToken): Promise<void>;
}

interface TokenDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** So many random bytes that nobody can guess. */
  readonly random: (bytes: number) => Uint8Array;
}

const PREFIX = 'rht_';
const TOKEN_BYTES = 32;
const ID_BYTES = 9;
const DAY_MS = 86_400_000;
const USE_MS = 5 * 60_000;
const TRIES = 8;

export function createTokenService(deps: TokenDeps): TokenService {
  const { store, clock, random } = deps;
  return {
    async create({ name, abilities, expiresInDays = 0 }, maker) {
      const granted = checkAbilities(abilities);
      checkSubset(granted, maker.abilities);
      const text = `${PREFIX}${encode(random(TOKEN_BYTES))}`;
      const now = clock.now();
      const expiresAt = expiresInDays > 0 ? now + expiresInDays * DAY_MS : undefined;
      await checkEnd(store, maker.tokenId, expiresAt);
      const token: StoredToken = {
        id: `tok_${encode(random(ID_BYTES))}`,
        sha256: createHash('sha256').update(text).digest('hex'),
        name,
        abilities: granted,
        createdAt: now,
        createdBy: maker.tokenId,
        ...(expiresAt !== undefined && { expiresAt }),
        version: 1,
      };
      // Without a condition: the key is random, and a write that the SDK repeats must not fail on its own success.
      await store.put(toItem(token));
      return { token, text };
    },
    list: () => loadAll(store),
    revoke: (id) => revoke(deps, id),
    async find(sha256) {
      const item = await store.get(tokenKey(sha256));
      return item && readToken(item);
    },
    async noteUse(token) {
      const now = clock.now();
      if (token.lastUsedAt !== undefined && now - token.lastUsedAt < USE_MS) return;
      await replace(store, token, { lastUsedAt: now });
    },
  };
}

async function loadAll(store: Store): Promise<StoredToken[]> {
  const tokens = (await store.query({ pk: TOKENS })).map(readToken);
  return tokens.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

async function revoke({ store, clock }: TokenDeps, id: string): Promise<void> {
  let token = (await loadAll(store)).find((candidate) => candidate.id === id);
  for (let tries = 0; tries < TRIES && token !== undefined; tries += 1) {
    if (token.revokedAt !== undefined) return;
    if (await replace(store, token, { revokedAt: clock.now() })) return;
    const item = await store.get(tokenKey(token.sha256));
    token = item && readToken(item);
  }
  if (token !== undefined) throw new AppError('UNAVAILABLE', 'The token could not be revoked. Try again.');
  throw new AppError('NOT_FOUND', `There is no token ${JSON.stringify(id.slice(0, 64))}. GET /auth/tokens lists them.`);
}

/** Whether the write went through; false when another was first. */
async function replace(store: Store, token: StoredToken, change: Partial<StoredToken>): Promise<boolean> {
  const after = { ...token, ...change, version: token.version + 1 };
  try {
    await store.put(toItem(after), { attribute: 'version', equals: token.version });
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
}

function checkAbilities(given: readonly string[]): readonly Ability[] {
  const known = given.filter(isAbility);
  const unknown = given.findIndex((ability) => !isAbility(ability));
  if (unknown !== -1) {
    const shown = JSON.stringify(given[unknown]?.slice(0, 64));
    throw refuse(`/abilities/${unknown}`, `${shown} is not an ability; there are ${ABILITIES.join(', ')}`);
  }
  if (known.length === 0) throw refuse('/abilities', `at least one of ${ABILITIES.join(', ')} is needed`);
  const abilities = [...new Set(known)];
  if (abilities.includes('root') && abilities.length > 1) {
    throw refuse('/abilities', 'root has every ability: give it alone, or leave it out');
  }
  return abilities;
}

function checkSubset(granted: readonly Ability[], own: readonly Ability[]): void {
  const beyond = granted.filter((ability) => !holds(own, ability));
  if (beyond.length === 0) return;
  const lacking = `your token does not have ${beyond.join(', ')}`;
  throw new AppError(
    'FORBIDDEN',
    `A token cannot make one that can do more: ${lacking}. Ask for less, or use another.`,
  );
}

/** A token that ends makes none that outlives it. */
async function checkEnd(store: Store, maker: string, expiresAt = Number.POSITIVE_INFINITY): Promise<void> {
  const own = (await loadAll(store)).find(({ id }) => id === maker)?.expiresAt;
  if (own === undefined || expiresAt <= own) return;
  const end = new Date(own).toISOString();
  throw refuse(
    '/expires_in_days',
    `your own token ends at ${end}, so this one must end before; or use another to make it`,
  );
}

function refuse(pointer: string, detail: string): AppError {
  return new AppError('BAD_REQUEST', `the body is not valid: ${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}

/** `validUntil`, because an item's `expiresAt` is its TTL: a token that has expired is still known as such. */
function toItem({ sha256, expiresAt, ...rest }: StoredToken): Item {
  return { ...tokenKey(sha256), ...rest, ...(expiresAt !== undefined && { validUntil: expiresAt }) };
}

function readToken({ pk, sk, expiresAt: _ttl, validUntil, ...rest }: Item): StoredToken {
  const token = { ...rest, sha256: sk, ...(validUntil !== undefined && { expiresAt: validUntil }) };
  return token as unknown as StoredToken;
}

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
