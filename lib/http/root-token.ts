import { createHash } from 'node:crypto';
import { AppError } from '../errors.ts';
import { describeError, type Log } from '../telemetry/log.ts';
import type { TokenRecord, TokenSource } from './auth.ts';

/** Reads the text of a secret, in so many milliseconds at most; undefined when it holds bytes. */
type ReadSecret = (limitMs?: number) => Promise<string | undefined>;

interface RootTokenOptions {
  readonly readSecret: ReadSecret;
  readonly clock: { now(): number };
  readonly log: Log;
}

/** The last read that went through. `tokens` is empty while the secret holds no usable token. */
interface Known {
  readonly tokens: readonly TokenRecord[];
  readonly readAt: number;
}

/** How long what was read counts as new. */
const FRESH_MS = 60_000;
/** From the end of a read, however it ended, to the start of the next: one that hangs takes longer than this. */
const PAUSE_MS = 5_000;
/** How long a read may hold requests up while a token is known that counts without it. */
const READ_ALONGSIDE_MS = 1_000;
/** Long enough to ride out an outage; short enough that a token which was rotated out ends. */
const STALE_MS = 15 * 60_000;
/** A token that can be guessed is none. */
const MIN_LENGTH = 16;

/**
 * The root token from a secret, which is read when a request first needs it. Only its SHA-256 is kept. A token that is
 * not known may be a new one, so it is looked for, but the secret is read every 5 s at most. While reads fail, the last
 * token that was read stays valid for 15 minutes; while they hang, requests wait for 1 s of each.
 */
export function createRootTokenSource(options: RootTokenOptions): TokenSource {
  return new RootTokenSource(options);
}

class RootTokenSource implements TokenSource {
  readonly #options: RootTokenOptions;
  #known: Known | undefined;
  /** When the last read ended, however it did. */
  #endedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: RootTokenOptions) {
    this.#options = options;
  }

  async get(): Promise<readonly TokenRecord[]> {
    if (this.#within(FRESH_MS) === undefined) await this.#readUnlessJustDone();
    return this.#usable();
  }

  async reread(): Promise<readonly TokenRecord[]> {
    await this.#readUnlessJustDone();
    return this.#usable();
  }

  #usable(): readonly TokenRecord[] {
    const tokens = this.#within(STALE_MS);
    if (tokens !== undefined) return tokens;
    const headers = { 'retry-after': String(PAUSE_MS / 1000) };
    throw new AppError('UNAVAILABLE', 'the root token could not be read', { headers });
  }

  /** The tokens, if they were read in the last so many milliseconds and there are any. */
  #within(ms: number): readonly TokenRecord[] | undefined {
    const known = this.#known;
    if (known === undefined || known.tokens.length === 0) return undefined;
    return this.#options.clock.now() - known.readAt < ms ? known.tokens : undefined;
  }

  /** One read for all who ask together. */
  async #readUnlessJustDone(): Promise<void> {
    if (this.#reading === undefined) {
      const { clock } = this.#options;
      if (clock.now() - this.#endedAt < PAUSE_MS) return;
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
        this.#endedAt = clock.now();
      });
    }
    await this.#reading;
  }

  async #read(): Promise<void> {
    const { readSecret, clock, log } = this.#options;
    try {
      const limitMs = this.#within(STALE_MS) && READ_ALONGSIDE_MS;
      const tokens = tokensOf(await readSecret(limitMs));
      this.#known = { tokens, readAt: clock.now() };
      const hint = `put a token of at least ${MIN_LENGTH} characters into the secret`;
      if (tokens.length === 0) log.error('root token not configured', { hint });
    } catch (error) {
      log.warn('root token not read', describeError(error));
    }
  }
}

function tokensOf(secret: string | undefined): readonly TokenRecord[] {
  // A secret that was written from a file ends with a newline, which no header can hold.
  const token = secret?.trim() ?? '';
  if (token.length < MIN_LENGTH) return [];
  return [{ id: 'root', sha256: createHash('sha256').update(token).digest('hex'), abilities: ['root'] }];
}
