import { createHash } from 'node:crypto';
import { createIdempotencyStore } from '../../../lib/configs/idempotency.ts';
import { startFunctionUrlServer } from '../../../lib/dev/function-url-server.ts';
import { createApiHandler } from '../../../lib/http/api.ts';
import { type Ability, createAuthenticator, fixedTokens } from '../../../lib/http/auth.ts';
import { createBench } from '../../support/config-bench.ts';
import { createMemoryLog } from '../../support/memory-log.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { createTestClock } from '../../support/test-clock.ts';

/** A token for each thing that one may do. No text of a command may ever hold one of them. */
export const TOKENS = {
  root: 'canary-root-7f3a9c51',
  reader: 'canary-reader-2b8e4d60',
  writer: 'canary-writer-9d1c7e35',
} as const;
const ABILITIES: Readonly<Record<keyof typeof TOKENS, readonly Ability[]>> = {
  root: ['root'],
  reader: ['read'],
  writer: ['write'],
};

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** The real handler of the API behind a real HTTP server, on a store in memory and a clock that stands still. */
export async function startRoundhouse({ tls }: { tls?: { cert: string; key: string } } = {}) {
  const clock = createTestClock();
  const store = createMemoryStore(clock);
  const bench = createBench(store, clock);
  const seen: Seen[] = [];
  /** Runs before the handler; what it gives or resolves to is the answer in its place. */
  let intercept: (request: Seen) => unknown = () => undefined;
  const handler = createApiHandler({
    configs: bench.configs,
    endpoints: bench.endpoints,
    registries: bench.instance(),
    idempotency: createIdempotencyStore({ store, clock }),
    authenticate: createAuthenticator({
      now: clock.now,
      tokens: fixedTokens(
        Object.entries(TOKENS).map(([id, text]) => ({
          id,
          sha256: createHash('sha256').update(text).digest('hex'),
          abilities: ABILITIES[id as keyof typeof TOKENS],
        })),
      ),
    }),
    checkReady: async () => {},
    convertUrl: 'https://convert.example.com',
    brand: {} as never,
    version: '1.2.3',
    log: createMemoryLog(),
    newId: () => 'reference-1',
  });
  const server = await startFunctionUrlServer({
    port: 0,
    ...(tls && { tls }),
    route: () => async (event, invocation) => {
      const request = {
        method: event.requestContext?.http?.method ?? '',
        path: event.rawPath ?? '',
        query: event.rawQueryString ?? '',
        headers: event.headers ?? {},
      };
      seen.push(request);
      return (await intercept(request)) ?? (await handler(event, invocation));
    },
  });
  return {
    url: server.url,
    close: server.close,
    ...bench,
    seen,
    intercept: (next: typeof intercept) => {
      intercept = next;
    },
  };
}

export type TestRoundhouse = Awaited<ReturnType<typeof startRoundhouse>>;
