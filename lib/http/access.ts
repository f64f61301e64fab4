import { createAuditLog } from '../access/audit.ts';
import { createRateLimiter, type Tier } from '../access/rate-limit.ts';
import { createTokenService } from '../access/tokens.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../store/ports.ts';
import type { Log } from '../telemetry/log.ts';
import type { ApiOptions } from './api.ts';
import { createAuthenticator, type TokenSource } from './auth.ts';

interface AccessOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly ids: () => string;
  readonly random: (bytes: number) => Uint8Array;
  /** The tokens that are known beside those in the store. */
  readonly knownTokens: TokenSource;
  /** Requests a minute and burst; zero and less: no limit. */
  readonly rpm: Readonly<Record<Tier, number>>;
}

/** Who may come in, how often, and what is kept of it: the parts of the `api` handler that go together, on one store. */
export function createAccess(
  options: AccessOptions,
): Pick<ApiOptions, 'tokens' | 'audit' | 'limiter' | 'authenticate' | 'clock'> {
  const { clock, log, knownTokens } = options;
  const tokens = createTokenService(options);
  return {
    tokens,
    audit: createAuditLog(options),
    limiter: createRateLimiter(options),
    authenticate: createAuthenticator({ tokens: knownTokens, stored: { tokens, log }, now: () => clock.now() }),
    clock,
  };
}
