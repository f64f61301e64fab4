import { createHash } from 'node:crypto';
import type { Ability } from '../../lib/access/abilities.ts';
import { createIdempotencyStore } from '../../lib/configs/idempotency.ts';
import { createAccess } from '../../lib/http/access.ts';
import { fixedTokens } from '../../lib/http/auth.ts';
import { createApiClient } from './api-client.ts';
import { createMemoryLog } from './memory-log.ts';
import { createMemoryStore } from './memory-store.ts';
import { createTestClock } from './test-clock.ts';

/**
 * The `api` handler with its real tokens, limiter, audit log and idempotency records, on a memory store; services are the
 * test's; `servicesOn` makes some on the same store. The token `root` is known beforehand, others are made by `grant`.
 */
export function createAccessBench({ rpm = {}, servicesOn, ...services }: any = {}) {
  const clock = createTestClock();
  const store = createMemoryStore(clock);
  const log = createMemoryLog();
  const limited: string[] = [];
  let ids = 0;
  let bytes = 0;
  const sha256 = createHash('sha256').update('root').digest('hex');
  const access = createAccess({
    store,
    clock,
    log,
    ids: () => String(++ids),
    random: (count) => new Uint8Array(count).fill(++bytes),
    knownTokens: fixedTokens([{ id: 'root', sha256, abilities: ['root'] }]),
    rpm: { read: 0, write: 0, ...rpm },
  });
  const { call } = createApiClient({
    ...access,
    log,
    idempotency: createIdempotencyStore({ store, clock }),
    ...servicesOn?.(store, clock),
    telemetry: { rateLimited: (tier: string) => limited.push(tier) },
    ...services,
  });
  return {
    call,
    clock,
    store,
    log,
    access,
    /** Tiers of the requests that were refused because there were too many. */
    limited,
    /** Makes a token without the API, so that nothing is charged or recorded. */
    grant: (abilities: readonly Ability[], expiresInDays?: number) =>
      access.tokens.create(
        { name: abilities.join('+'), abilities, expiresInDays },
        { tokenId: 'root', abilities: ['root'] },
      ),
    /** Ability, method, path and status of what was recorded, oldest first. */
    audited: async () => {
      const { items } = await access.audit.list({ limit: 200 });
      return items.map(({ ability, method, path, statusCode }) => [ability, method, path, statusCode]).reverse();
    },
  };
}
