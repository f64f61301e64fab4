import type { CodeStore } from './code-store.ts';
import type { InvokeInput, InvokeOutcome, Sandboxes } from './context.ts';
import { throttled } from './errors.ts';
import type { Build } from './model.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { SandboxPool } from './sandbox-pool.ts';
import type { InvocationStore, LogStore } from './stores.ts';

interface SandboxesOptions {
  readonly clock: { now(): number };
  readonly codes: CodeStore;
  readonly region: string;
  readonly logs: LogStore;
  readonly invocations: InvocationStore;
  readonly layers: Readonly<Record<string, string>>;
  readonly childEnv: Readonly<Record<string, string>>;
  /** Of one function. */
  readonly processes: number;
  readonly idleMs: number;
}

interface Running {
  readonly pool: SandboxPool;
  /** Calls that run or wait. */
  calls: number;
}

interface OpenSandboxes extends Sandboxes {
  readonly close: () => Promise<void>;
  readonly processes: () => readonly number[];
}

/** The processes of all functions. */
export function createSandboxes(options: SandboxesOptions): OpenSandboxes {
  const running = new Map<string, Running>();
  const pools = () => [...running.values()].map(({ pool }) => pool);
  const find = (name: string): Running => {
    const found = running.get(name);
    if (found !== undefined) return found;
    const { processes: size, idleMs } = options;
    const made = { pool: new SandboxPool({ start: (build) => open(options, build), size, idleMs }), calls: 0 };
    running.set(name, made);
    return made;
  };
  // When this process ends without a close, theirs end too.
  const killAll = () => {
    for (const pool of pools()) pool.killAll();
  };
  process.once('exit', killAll);
  return {
    invoke: (input) => invoke(options, find(input.fn.name), input),
    retire: (name, keep) => running.get(name)?.pool.retire(keep),
    processes: () => pools().flatMap(({ processes }) => processes),
    async close() {
      process.removeListener('exit', killAll);
      await Promise.all(pools().map((pool) => pool.close()));
    },
  };
}

async function invoke(
  { clock, invocations }: SandboxesOptions,
  running: Running,
  { fn, version, ...call }: InvokeInput,
): Promise<InvokeOutcome> {
  const record = {
    functionName: fn.name,
    version: version.config.Version ?? '',
    at: clock.now(),
    concurrency: running.calls + 1,
  };
  if (fn.reserved !== undefined && running.calls >= fn.reserved) {
    invocations.record({ ...record, durationMs: 0, error: false, throttled: true });
    throw throttled('ReservedFunctionConcurrentInvocationLimitExceeded');
  }
  // Till an update is done, what was there before runs.
  const build = version.pending?.previous ?? version;
  if (build.code.kind === 'image') return refuseImage(build.code.uri);
  running.calls += 1;
  try {
    const outcome = await running.pool.use(build, (sandbox) => sandbox.invoke(call));
    const { durationMs, functionError } = outcome;
    invocations.record({ ...record, durationMs, error: functionError !== undefined, throttled: false });
    return outcome;
  } finally {
    running.calls -= 1;
  }
}

function open(options: SandboxesOptions, { config, code }: Build): Promise<Sandbox> {
  const { codes, layers, childEnv, region, logs, clock } = options;
  return startSandbox({
    config,
    taskRoot: code.kind === 'zip' ? codes.folder(code.code) : '',
    layers: (config.Layers ?? []).flatMap(({ Arn }) => layers[Arn ?? ''] ?? []),
    childEnv,
    region,
    logs,
    clock,
  });
}

function refuseImage(uri: string): InvokeOutcome {
  const hint = 'Deploy a zip package here, or the image to AWS.';
  const errorMessage = `The development emulator cannot run the container image ${uri}. ${hint}`;
  const payload = JSON.stringify({ errorType: 'Runtime.ImageNotSupported', errorMessage });
  return { payload, functionError: 'Unhandled', log: `${errorMessage}\n` };
}
