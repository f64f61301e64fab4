import type { AppRecord, Attempt, Code } from '../../lib/apps/model.ts';
import type { WorkMessage } from '../../lib/apps/ports.ts';
import { type AppChange, saveApp } from '../../lib/apps/records.ts';
import type { AppServiceDeps } from '../../lib/apps/service/deps.ts';
import { createAppService } from '../../lib/apps/service.ts';
import { parseApp } from '../../lib/apps/spec/parse-app.ts';
import type { Store } from '../../lib/store/ports.ts';
import { createMemoryStore, type MemoryStore } from './memory-store.ts';
import { createTestClock } from './test-clock.ts';

export const ACCOUNT = { id: '123456789012', region: 'eu-central-1' };
/** Images that Lambda could run, and one that it could not: the peer's benchmark creates its apps with it. */
export const IMAGE = `${ACCOUNT.id}.dkr.ecr.${ACCOUNT.region}.amazonaws.com/shop:1`;
export const OTHER_IMAGE = `${ACCOUNT.id}.dkr.ecr.${ACCOUNT.region}.amazonaws.com/shop:2`;
export const FOREIGN_IMAGE = 'bench.invalid/none:0';
export const CALLER = { tokenId: 'tok_1' };
const DIGEST = `sha256:${'0'.repeat(64)}`;

/** The app service on a store, with ports that remember what they were asked, and a clock that the test moves. */
export function createAppBench({
  store: given,
  clock = createTestClock(),
}: {
  store?: Store;
  clock?: ReturnType<typeof createTestClock>;
} = {}) {
  const store = (given ?? createMemoryStore(clock)) as MemoryStore;
  let ids = 0;
  const sent: { message: WorkMessage; dedupeId: string }[] = [];
  const parameters = new Map<string, string>();
  const packages = new Map<string, { versionId: string; bytes: number }>();
  const versions = new Set<string>();
  const images = new Set<string>();
  const deps: AppServiceDeps = {
    store,
    clock,
    ids: () => `id${String(++ids).padStart(4, '0')}`,
    random: (bytes) => Uint8Array.from({ length: bytes }, (_, index) => (++ids * 31 + index) % 256),
    queue: { send: async (message, dedupeId) => void sent.push({ message, dedupeId }) },
    artifacts: {
      createUpload: async (app, artifact) => {
        const url = `https://packages.invalid/${app}/${artifact}`;
        return { method: 'PUT', url, headers: {}, expiresAt: clock.now() + 900_000 };
      },
      find: async (app, artifact) => packages.get(`${app}/${artifact}`),
      exists: async (app, artifact, versionId) => packages.get(`${app}/${artifact}`)?.versionId === versionId,
      remove: async (app, artifact) => void packages.delete(`${app}/${artifact}`),
      removeAll: async () => {},
    },
    images: {
      resolve: async (uri) => ({ kind: 'image', uri, digest: DIGEST }),
      exists: async ({ uri }) => images.has(uri),
    },
    secretValues: {
      put: async (app, key, value) => void parameters.set(`${app}/${key}`, value),
      remove: async (app, key) => void parameters.delete(`${app}/${key}`),
      removeAll: async () => {},
      pathOf: (app) => `/roundhouse/test/${app}/`,
    },
    logs: { read: async () => ({ entries: [] }) },
    metrics: { read: async () => [] },
    runtime: {
      findVersion: async (app, version) =>
        versions.has(`${app}/${version}`)
          ? { arn: '', state: 'Active', codeSha256: '', version, description: '' }
          : undefined,
    },
    account: ACCOUNT,
    maxConcurrency: 100,
  };
  const apps = createAppService(deps);
  const context = { account: ACCOUNT, secretsPath: deps.secretValues.pathOf, maxConcurrency: deps.maxConcurrency };
  const bench = {
    store,
    clock,
    deps,
    apps,
    context,
    sent,
    parameters,
    packages,
    versions,
    images,
    parse: (body: object, name?: string) => parseApp(body, context, name),
    /** Creates an app as POST /apps does. */
    create: async (name: string, body: object = {}): Promise<AppRecord> => {
      const input = parseApp({ name, image: `${name}:pending`, ...body }, context);
      return (await apps.create(name, input, CALLER)).app;
    },
    /** Replaces an app as PUT /apps/{name} does. */
    replace: async (name: string, body: object) =>
      await apps.replace(name, parseApp({ image: `${name}:pending`, ...body }, context, name), CALLER),
    /** Writes what a worker would. */
    work: async (name: string, change: AppChange | ((app: AppRecord) => AppChange)): Promise<AppRecord> => {
      const app = await apps.get(name);
      return await saveApp(deps, app, typeof change === 'function' ? change(app) : change);
    },
    /** Brings the newest attempt to its end, as a worker does that has no trouble: a new release is live. */
    succeed: async (name: string): Promise<AppRecord> => await bench.work(name, (app) => released(app, clock.now())),
    /** Ends the newest attempt as failed. */
    fail: async (name: string): Promise<AppRecord> =>
      await bench.work(name, ({ attempt }) => ({ attempt: failedAttempt(attempt as Attempt, clock.now()) })),
  };
  return bench;
}

export type AppBench = ReturnType<typeof createAppBench>;

function released(app: AppRecord, now: number): AppChange {
  const open = app.attempt as Attempt;
  const number = app.lastRelease + 1;
  const code: Code = open.code ?? { kind: 'image', uri: open.image, digest: DIGEST };
  const version = open.version ?? String(number);
  const steps = [{ step: 'publish' as const, startedAt: now, finishedAt: now }];
  const attempt: Attempt = {
    ...open,
    status: 'succeeded',
    step: 'retain',
    steps,
    code,
    version,
    release: number,
    startedAt: now,
    finishedAt: now,
  };
  const { image, settings, id: deployId } = open;
  const functionArn = `arn:aws:lambda:${ACCOUNT.region}:${ACCOUNT.id}:function:roundhouse_test_${app.name}`;
  return {
    attempt,
    lastRelease: number,
    live: { number, deployId, version, image, code, settings, since: now },
    spec: open.source === 'rollback' ? { ...withoutReadiness(app.spec), ...settings, image } : app.spec,
    observed: { at: now, generation: open.generation, functionArn, url: 'https://app.invalid/', stopped: false },
    lease: undefined,
  };
}

function failedAttempt(attempt: Attempt, now: number): Attempt {
  const failure = {
    code: 'health_check_failed' as const,
    cause: 'GET /health was answered with 500',
    step: 'gate' as const,
    suggestedFix: 'mend it',
    retryable: true,
    at: now,
  };
  return { ...attempt, status: 'failed', step: 'gate', startedAt: now, finishedAt: now, failure };
}

/** A release without a probe takes the spec's away. */
function withoutReadiness({ readiness, ...spec }: AppRecord['spec']): AppRecord['spec'] {
  return spec;
}
