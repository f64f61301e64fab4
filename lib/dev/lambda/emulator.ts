import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi } from './api.ts';
import { type CallRecorder, createCallRecorder } from './calls.ts';
import { openCodeStore } from './code-store.ts';
import { type Context, newRevision, resolve, type S3Object } from './context.ts';
import { createFaults, type Faults } from './faults.ts';
import { codesOf } from './model.ts';
import { createSandboxes } from './sandboxes.ts';
import { openSnapshot } from './snapshot.ts';
import { createInvocationStore, createLogStore, type InvocationStore, type LogStore } from './stores.ts';
import { createUrlListeners } from './url-listeners.ts';

export interface LambdaEmulatorOptions {
  /** Folder that keeps functions and code over a restart; made when it is not there. Absent: nothing is kept. */
  readonly dir?: string;
  /** The real one when absent. */
  readonly clock?: { now(): number };
  /** How long Lambda works on a creation, an update or a publication, in milliseconds; 300 when absent. */
  readonly updateMs?: number;
  /** `us-east-1` when absent. */
  readonly region?: string;
  /** 12 digits; `000000000000` when absent. */
  readonly accountId?: string;
  /** An object of S3 that a function's code is read from; undefined when it does not exist. */
  readonly readObject?: (object: S3Object) => Promise<Uint8Array | undefined>;
  /** Whether an image of ECR exists: its digest, or true. None does when absent. None can run here. */
  readonly images?: (uri: string) => boolean | string;
  /** Folders of layers, by ARN of the layer version; no other layer exists. */
  readonly layers?: Readonly<Record<string, string>>;
  /** Variables that every function gets, such as endpoints of other emulators; its own come after them. */
  readonly childEnv?: Readonly<Record<string, string>>;
  readonly limits?: {
    /** Concurrent executions of the account; 1,000 when absent. */
    readonly concurrency?: number;
    /** Bytes of all packages of all versions; 75 GB when absent. */
    readonly codeBytes?: number;
    /** Processes of one function; 10 when absent. Calls beyond it wait, unless a reservation refuses them. */
    readonly processes?: number;
  };
  /** When a process that has nothing to do ends, in milliseconds; 5 minutes when absent. */
  readonly idleMs?: number;
  readonly logs?: LogStore;
  readonly invocations?: InvocationStore;
  /** Gets what goes wrong in the emulator itself. */
  readonly onFault?: (fault: unknown) => void;
}

export interface LambdaEmulator {
  /** Of the API, for a client's `endpoint`. */
  readonly url: string;
  readonly region: string;
  readonly accountId: string;
  readonly faults: Faults;
  readonly calls: CallRecorder;
  readonly logs: LogStore;
  readonly invocations: InvocationStore;
  /** As Lambda does after weeks without a call: the next one is refused, and wakes it. `$LATEST` without a version. */
  deactivate(functionName: string, version?: string): void;
  /** Process ids of all sandboxes. */
  processes(): readonly number[];
  /** Ends all processes and listeners. */
  close(): Promise<void>;
}

const UPDATE_MS = 300;
const CONCURRENCY = 1_000;
/** Lambda's default quota, 75 GB. */
const CODE_BYTES = 80_530_636_800;
const PROCESSES = 10;
const IDLE_MS = 300_000;

/** AWS Lambda on a laptop: its REST API, function URLs, and zip apps that really run in processes of their own. */
export async function startLambdaEmulator(options: LambdaEmulatorOptions = {}): Promise<LambdaEmulator> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'roundhouse-lambda-')));
  await mkdir(dir, { recursive: true });
  const closers: (() => unknown)[] = [];
  if (options.dir === undefined) closers.push(() => rm(dir, { recursive: true, force: true }));
  const close = async () => {
    for (const end of closers.splice(0).reverse()) await end();
  };
  try {
    const parts = await createParts(options, dir);
    const { context, save, sandboxes, urls } = parts;
    closers.push(sandboxes.close, urls.closeAll);
    await restoreUrls(context);
    const { faults, calls, onFault } = parts;
    const api = await startApi({ context, faults, calls, save, onFault });
    closers.push(api.close);
    return {
      url: api.url,
      region: context.region,
      accountId: context.accountId,
      faults,
      calls,
      logs: parts.logs,
      invocations: parts.invocations,
      processes: sandboxes.processes,
      deactivate: (name, version) => deactivate(context, name, version),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function createParts(options: LambdaEmulatorOptions, dir: string) {
  const { clock = { now: () => Date.now() }, region = 'us-east-1', accountId = '000000000000', images } = options;
  const { onFault = () => {}, logs = createLogStore(), invocations = createInvocationStore(), limits } = options;
  const codes = await openCodeStore(dir);
  const snapshot = await openSnapshot(dir);
  const functions = new Map((await snapshot.load()).map((fn) => [fn.name, fn]));
  await codes.keepOnly(codesOf(functions.values()));
  const [faults, calls] = [createFaults(), createCallRecorder()];
  const sandboxes = createSandboxes({
    clock,
    codes,
    region,
    logs,
    invocations,
    layers: options.layers ?? {},
    childEnv: options.childEnv ?? {},
    processes: limits?.processes ?? PROCESSES,
    idleMs: options.idleMs ?? IDLE_MS,
  });
  const context: Context = {
    functions,
    clock,
    updateMs: options.updateMs ?? UPDATE_MS,
    codes,
    region,
    accountId,
    limits: { concurrency: limits?.concurrency ?? CONCURRENCY, codeBytes: limits?.codeBytes ?? CODE_BYTES },
    layers: options.layers ?? {},
    findImage: (uri) => digestOf(uri, images?.(uri) ?? false),
    readObject: options.readObject ?? (async () => undefined),
    dirty: new Set(),
    sandboxes,
    get urls() {
      return urls;
    },
  };
  const urls = createUrlListeners({ context: () => context, faults, calls, onFault });
  const save = (name: string) => snapshot.save(name, functions.get(name));
  return { context, save, sandboxes, urls, faults, calls, logs, invocations, onFault };
}

/** One that only says that it exists gets a digest of its own. */
function digestOf(uri: string, image: boolean | string): string | undefined {
  if (typeof image === 'string') return image;
  if (!image) return undefined;
  return uri.split('@')[1] ?? `sha256:${createHash('sha256').update(uri).digest('hex')}`;
}

/** Each at the port that it had, if that is free. */
async function restoreUrls({ functions, urls, dirty }: Context): Promise<void> {
  for (const fn of functions.values()) {
    for (const [qualifier, url] of Object.entries(fn.urls)) {
      const port = await urls.open(fn.name, qualifier, url.port);
      if (port === url.port) continue;
      url.port = port;
      dirty.add(fn.name);
    }
  }
}

function deactivate(context: Context, name: string, number: string | undefined): void {
  const { fn, version } = resolve(context, name, number);
  version.config = {
    ...version.config,
    State: 'Inactive',
    StateReason: 'The function is inactive because it was not called for weeks.',
    StateReasonCode: 'Idle',
    RevisionId: newRevision(),
  };
  context.sandboxes.retire(fn.name, new Set());
}
