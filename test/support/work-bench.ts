import type { AppRecord, AppSpec, Attempt, ReleaseSettings } from '../../lib/apps/model.ts';
import type {
  Artifacts,
  Images,
  LogGroups,
  Roles,
  SecretValues,
  WorkMessage,
  WorkQueue,
} from '../../lib/apps/ports.ts';
import type { ReconcileDeps } from '../../lib/apps/reconcile/types.ts';
import { type AppChange, attemptId, changeApp, createApp, loadApp, saveApp } from '../../lib/apps/records.ts';
import { type Runtime, RuntimeError } from '../../lib/apps/runtime/runtime.ts';
import type { WorkerDeps } from '../../lib/apps/work/types.ts';
import { createWorker } from '../../lib/apps/work/worker.ts';
import type { Store } from '../../lib/store/ports.ts';
import { createFakeRuntime, type FakeRuntime } from './fake-runtime.ts';
import { createMemoryLog } from './memory-log.ts';
import { createMemoryStore } from './memory-store.ts';

export const STAGE = 'test';
const START = Date.parse('2026-01-01T00:00:00Z');

/** A clock whose delays pass at once. */
export interface JumpClock {
  now(): number;
  jump(ms: number): void;
  delay(ms: number): Promise<void>;
}

export function createJumpClock(): JumpClock {
  let now = START;
  return {
    now: () => now,
    jump: (ms) => {
      now += ms;
    },
    delay: async (ms) => {
      now += ms;
    },
  };
}

/** What the fakes of the ports hold. */
export interface Belongings {
  readonly roles: Set<string>;
  readonly logGroups: Set<string>;
  readonly secrets: Set<string>;
  /** `shop/a1` */
  readonly artifacts: Map<string, { versionId: string; bytes: number }>;
  /** Pinned images by what was asked for. */
  readonly images: Map<string, string>;
}

export interface FakePorts {
  readonly artifacts: Artifacts;
  readonly images: Images;
  readonly roles: Roles;
  readonly logGroups: LogGroups;
  readonly secretValues: SecretValues;
  readonly queue: WorkQueue;
}

export interface SentMessage extends WorkMessage {
  readonly dedupeId: string;
}

export function createFakePorts(belongings: Belongings, sent: SentMessage[]): FakePorts {
  const { roles, logGroups, secrets, artifacts, images } = belongings;
  return {
    artifacts: {
      createUpload: async () => ({ method: 'PUT', url: 'https://upload.test', headers: {}, expiresAt: 0 }),
      find: async (app, artifact) => artifacts.get(`${app}/${artifact}`),
      exists: async (app, artifact, versionId) => artifacts.get(`${app}/${artifact}`)?.versionId === versionId,
      remove: async (app, artifact) => void artifacts.delete(`${app}/${artifact}`),
      removeAll: async (app) => {
        for (const key of artifacts.keys()) if (key.startsWith(`${app}/`)) artifacts.delete(key);
      },
    },
    images: {
      resolve: async (image) => {
        const digest = images.get(image);
        if (digest === undefined) throw new RuntimeError('image_unreadable', `The image ${image} does not exist.`);
        return { kind: 'image', uri: image.replace(/[:@][^:@/]*$/, ''), digest };
      },
      exists: async ({ digest }) => [...images.values()].includes(digest),
    },
    roles: {
      ensure: async (app) => {
        roles.add(app);
        return `arn:aws:iam::000000000000:role/roundhouse/${STAGE}/roundhouse_${STAGE}_${app}`;
      },
      remove: async (app) => void roles.delete(app),
    },
    logGroups: {
      nameOf: (app) => `/roundhouse/${STAGE}/${app}`,
      ensure: async (app) => void logGroups.add(app),
      remove: async (app) => void logGroups.delete(app),
    },
    secretValues: {
      put: async (app, key) => void secrets.add(`${app}/${key}`),
      remove: async (app, key) => void secrets.delete(`${app}/${key}`),
      removeAll: async (app) => {
        for (const key of secrets) if (key.startsWith(`${app}/`)) secrets.delete(key);
      },
      pathOf: (app) => `/roundhouse/${STAGE}/${app}`,
    },
    queue: {
      send: async (message, dedupeId) => void sent.push({ ...message, dedupeId }),
    },
  };
}

export function createBelongings(): Belongings {
  return { roles: new Set(), logGroups: new Set(), secrets: new Set(), artifacts: new Map(), images: new Map() };
}

export const SETTINGS: ReleaseSettings = {
  port: 8080,
  env: {},
  memoryMb: 512,
  timeoutSeconds: 30,
  runtime: 'nodejs24.x',
  handler: 'index.handler',
  architecture: 'arm64',
};

const SPEC: AppSpec = {
  ...SETTINGS,
  image: 'any:pending',
  domains: [],
  labels: {},
  strategy: 'blue-green',
  replicas: 1,
};

export interface BenchOptions {
  readonly clock?: JumpClock;
  readonly store?: Store;
  readonly runtime?: Runtime;
  readonly probe?: WorkerDeps['probe'];
  readonly settings?: Partial<WorkerDeps['settings']>;
}

/** A worker on fakes, and what a test does to an app instead of the API. */
export function createWorkBench({ clock = createJumpClock(), settings, ...options }: BenchOptions = {}) {
  const store = options.store ?? createMemoryStore(clock);
  const fake = createFakeRuntime();
  const belongings = createBelongings();
  const sent: SentMessage[] = [];
  const log = createMemoryLog();
  const deploys: unknown[] = [];
  let id = 0;
  const probed: string[] = [];
  const bench = {
    probe: (async (url) => {
      const [, app = ''] = /^https:\/\/([a-z0-9-]+)\./.exec(url) ?? [];
      return answerOf(fake, app);
    }) as WorkerDeps['probe'],
  };
  const deps: WorkerDeps = {
    store,
    clock,
    ids: () => {
      id += 1;
      return `id-${id}`;
    },
    runtime: options.runtime ?? fake,
    ...createFakePorts(belongings, sent),
    probe: async (url, timeoutMs) => {
      probed.push(url);
      return await (options.probe ?? bench.probe)(url, timeoutMs);
    },
    delay: clock.delay,
    random: () => 0.5,
    log,
    telemetry: { deploy: (record) => void deploys.push(record) },
    settings: { stage: STAGE, ...settings },
  };
  return {
    ...createApi(deps),
    reconcileDeps: withoutTelemetry(deps),
    bench,
    deps,
    store,
    clock,
    runtime: fake,
    belongings,
    sent,
    log,
    deploys,
    probed,
    worker: createWorker(deps),
  };
}

function withoutTelemetry({ telemetry: _telemetry, ...deps }: WorkerDeps): ReconcileDeps {
  return deps;
}

/** What the public URL says: 429 while nothing is reserved for it, else what the version behind the alias says. */
function answerOf(fake: FakeRuntime, app: string): { status: number; body: string } {
  const fn = fake.functions.get(app);
  const version = fn?.versions.find((entry) => entry.version === fn.alias?.version);
  if (fn === undefined || version === undefined) return { status: 404, body: '' };
  if (fn.reserved === 0) return { status: 429, body: '' };
  const answer = fake.answer({ app, version: version.version, content: version.content, event: {} });
  if (answer instanceof RuntimeError || answer.functionError !== undefined)
    return { status: 502, body: 'Internal Server Error' };
  const { statusCode, body } = JSON.parse(answer.payload);
  return { status: statusCode, body };
}

/** The writes of the API that the worker answers to. */
function createApi(deps: WorkerDeps) {
  const change = (name: string, judge: (app: AppRecord) => AppChange) => changeApp(deps, name, judge);
  const app = async (name = 'shop'): Promise<AppRecord> => {
    const found = await loadApp(deps, name);
    if (found === undefined) throw new Error(`no app ${name}`);
    return found;
  };
  return {
    app,
    change,
    async create(name = 'shop', spec: Partial<AppSpec> = {}): Promise<AppRecord> {
      return await createApp(deps, {
        name,
        appId: `app_${name}`,
        generation: 1,
        createdAt: deps.clock.now(),
        spec: { ...SPEC, ...spec },
        suspended: false,
        secrets: {},
        nextAttempt: 1,
        lastRelease: 0,
        conditions: [],
      });
    },
    /** Puts a new attempt in the place of the one before, as the API does. */
    async request(input: Partial<Attempt> = {}, name = 'shop'): Promise<Attempt> {
      const before = await app(name);
      const attempt = newAttempt(deps, before, input);
      await saveApp(deps, before, {
        attempt,
        nextAttempt: before.nextAttempt + 1,
        generation: before.generation + 1,
        retry: undefined,
        ...(attempt.source === 'rollback' ? {} : { spec: { ...before.spec, image: attempt.image } }),
      });
      return attempt;
    },
    stop: (name = 'shop') =>
      change(name, ({ generation }) => ({ suspended: true, generation: generation + 1, retry: undefined })),
    start: (name = 'shop') =>
      change(name, ({ attempt, generation }) => {
        const { waitReason: _waitReason, ...rest } = attempt ?? ({} as Attempt);
        return { suspended: false, generation: generation + 1, retry: undefined, ...(attempt && { attempt: rest }) };
      }),
    cancel: (name = 'shop') =>
      change(name, ({ attempt }) => (attempt ? { attempt: { ...attempt, cancelRequestedBy: 'ada' } } : {})),
    remove: (name = 'shop') =>
      change(name, ({ generation }) => ({
        generation: generation + 1,
        retry: undefined,
        deletion: { requestedAt: deps.clock.now(), requestedBy: 'ada', leftovers: [] },
      })),
  };
}

function newAttempt(deps: WorkerDeps, app: AppRecord, input: Partial<Attempt>): Attempt {
  const { name: _name, image: _image, ...spec } = { name: '', ...app.spec };
  const { domains: _d, labels: _l, strategy: _s, replicas: _r, reservedConcurrency: _c, ...settings } = spec;
  return {
    id: attemptId(app.nextAttempt, Buffer.from(`${app.nextAttempt}`.padStart(5, '0'))),
    number: app.nextAttempt,
    source: 'manual',
    status: 'queued',
    steps: [],
    image: 'artifact:a1',
    settings,
    generation: app.generation + 1,
    createdBy: 'ada',
    queuedAt: deps.clock.now(),
    ...input,
  };
}
