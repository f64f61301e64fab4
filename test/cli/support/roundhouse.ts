import { createHash } from 'node:crypto';
import type { Ability } from '../../../lib/access/abilities.ts';
import type { Attempt, Step } from '../../../lib/apps/model.ts';
import { createIdempotencyStore } from '../../../lib/configs/idempotency.ts';
import { startFunctionUrlServer } from '../../../lib/dev/function-url-server.ts';
import { createAccess } from '../../../lib/http/access.ts';
import { type ApiOptions, createApiHandler } from '../../../lib/http/api.ts';
import { fixedTokens } from '../../../lib/http/auth.ts';
import { createAppBench } from '../../support/apps.ts';
import { createBench } from '../../support/config-bench.ts';
import { createMemoryLog } from '../../support/memory-log.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { createTestClock } from '../../support/test-clock.ts';

/** A token for each thing that one may do. No text of a command may ever hold one of them. */
export const TOKENS = {
  root: 'canary-root-7f3a9c51',
  reader: 'canary-reader-2b8e4d60',
  writer: 'canary-writer-9d1c7e35',
  deployer: 'canary-deployer-5e0b91aa',
} as const;
const ABILITIES: Readonly<Record<keyof typeof TOKENS, readonly Ability[]>> = {
  root: ['root'],
  reader: ['read'],
  writer: ['write'],
  deployer: ['deploy'],
};

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const PACKAGES = '/packages/';

/**
 * The real handler of the API behind a real HTTP server, on a store in memory and a clock that stands still. Packages go
 * to a path of it; a worker is played by `work`.
 */
export async function startRoundhouse({ tls }: { tls?: { cert: string; key: string } } = {}) {
  const clock = createTestClock();
  const store = createMemoryStore(clock);
  const log = createMemoryLog();
  const bench = createBench(store, clock);
  const apps = createAppBench({ store, clock });
  const seen: Seen[] = [];
  const uploads: Buffer[] = [];
  /** Runs before the handler; what it gives or resolves to is the answer in its place. */
  let intercept: (request: Seen) => unknown = () => undefined;
  const ids = counter();
  const access = createAccess({
    store,
    clock,
    log,
    ids: () => String(ids()),
    random: (bytes) => new Uint8Array(bytes).fill(ids()),
    knownTokens: fixedTokens(
      Object.entries(TOKENS).map(([id, text]) => ({
        id,
        sha256: createHash('sha256').update(text).digest('hex'),
        abilities: ABILITIES[id as keyof typeof TOKENS],
      })),
    ),
    rpm: { read: 0, write: 0 },
  });
  const options: Partial<ApiOptions> = {
    ...access,
    configs: bench.configs,
    endpoints: bench.endpoints,
    registries: bench.instance(),
    apps: apps.apps,
    appContext: apps.context,
    idempotency: createIdempotencyStore({ store, clock }),
    checkReady: async () => {},
    convertUrl: 'https://convert.example.com',
    version: '1.2.3',
    telemetry: { rateLimited: () => {} } as never,
    log,
    newId: () => 'reference-1',
  };
  const handler = createApiHandler(options as ApiOptions);
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
      const answer = await intercept(request);
      if (answer !== undefined) return answer as never;
      if (!request.path.startsWith(PACKAGES)) return await handler(event, invocation);
      const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
      uploads.push(body);
      apps.packages.set(request.path.slice(PACKAGES.length), { versionId: '1', bytes: body.length });
      return { statusCode: 200, headers: {}, body: '', cookies: [] } as never;
    },
  });
  Object.assign(apps.deps.artifacts, {
    createUpload: async (app: string, artifact: string) => ({
      method: 'PUT',
      url: `${PACKAGES}${app}/${artifact}`,
      headers: { 'content-type': 'application/zip' },
      expiresAt: clock.now() + 900_000,
    }),
  });
  return {
    url: server.url,
    close: server.close,
    ...bench,
    appBench: apps,
    seen,
    /** Packages, in the order in which they came. */
    uploads,
    worker: createWorker(apps),
    intercept: (next: typeof intercept) => {
      intercept = next;
    },
  };
}

export type TestRoundhouse = Awaited<ReturnType<typeof startRoundhouse>>;

/**
 * What a worker does, one thing at a time: a step, or an end. `next` does the next of a plan that was made for an app;
 * without one, whatever waits is done.
 */
function createWorker(bench: ReturnType<typeof createAppBench>) {
  const plans = new Map<string, string[]>();
  const act = async (name: string, action: string): Promise<void> => {
    const now = bench.clock.now();
    if (action === 'succeed') await bench.succeed(name);
    else if (action === 'fail') await bench.fail(name);
    else if (action === 'hold') await bench.work(name, ({ attempt }) => ({ attempt: held(attempt as Attempt) }));
    else if (action === 'lease')
      await bench.work(name, () => ({ lease: { owner: 'worker-1', expiresAt: now + 60_000 } }));
    else if (action === 'cancel')
      await bench.work(name, ({ attempt }) => ({ attempt: canceled(attempt as Attempt, now), lease: undefined }));
    else if (action === 'rest') return;
    else if (action === 'settle') {
      await bench.work(name, ({ observed, suspended }) => ({ observed: { ...observed, stopped: suspended } as never }));
    } else if (action === 'remove') await bench.store.remove((await bench.apps.get(name)) as never);
    else await bench.work(name, ({ attempt }) => ({ attempt: step(attempt as Attempt, action as Step, now) }));
  };
  return {
    plan: (name: string, actions: readonly string[]) => void plans.set(name, [...actions]),
    act,
    next: async (ms: number) => {
      await bench.clock.advance(ms);
      for (const { name, attempt, suspended, observed } of (await bench.apps.list({})).apps) {
        const planned = plans.get(name)?.shift();
        const open = attempt?.status === 'queued' || attempt?.status === 'running';
        if (planned !== undefined) await act(name, planned);
        else if (observed !== undefined && observed.stopped !== suspended) await act(name, 'settle');
        else if (open && suspended) await act(name, 'hold');
        else if (open) await act(name, 'succeed');
      }
    },
  };
}

function step(attempt: Attempt, name: Step, now: number): Attempt {
  const done = attempt.steps.map((one) => (one.finishedAt === undefined ? { ...one, finishedAt: now } : one));
  const steps = [...done, { step: name, startedAt: now }];
  return { ...attempt, status: 'running', step: name, steps, startedAt: attempt.startedAt ?? now };
}

function held(attempt: Attempt): Attempt {
  return { ...attempt, status: 'queued', waitReason: 'suspended' };
}

function canceled(attempt: Attempt, now: number): Attempt {
  return { ...attempt, status: 'canceled', canceledBy: 'root', finishedAt: now };
}

function counter(): () => number {
  let count = 0;
  return () => ++count;
}
