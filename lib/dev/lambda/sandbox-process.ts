import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FunctionConfiguration } from '@aws-sdk/client-lambda';

export interface ProcessOptions {
  readonly config: FunctionConfiguration;
  /** Folder of the unpacked package. */
  readonly taskRoot: string;
  /** Folders of its layers, in their order. */
  readonly layers: readonly string[];
  readonly childEnv: Readonly<Record<string, string>>;
  readonly region: string;
}

interface Places {
  /** Of the Runtime API, host and port. */
  readonly address: string;
  readonly logGroup: string;
  readonly logStream: string;
}

/** How a process ended: its status or the signal that killed it, or why it could not start. */
export interface ProcessEnd {
  readonly status?: number | null;
  readonly signal?: string | null;
  readonly cause?: string;
}

export interface SandboxProcess {
  readonly pid: number | undefined;
  readonly output: readonly Readable[];
  /** Resolves when the process is gone and its streams are read. */
  readonly end: Promise<ProcessEnd>;
  /** Ends it with all that it started. */
  readonly kill: () => void;
}

const BOOTSTRAP = join(import.meta.dirname, 'bootstrap.mjs');
/** Of the function's memory, for the JavaScript heap; the rest is Node's own. */
const HEAP_SHARE = 0.9;

/** Starts Node with the bootstrap, in a process group of its own, with Lambda's variables and nothing of this process. */
export function startProcess(options: ProcessOptions, places: Places): SandboxProcess {
  const [file = '', ...args] = renderCommand(options);
  const child = spawn(file, args, {
    cwd: options.taskRoot,
    env: renderEnv(options, places),
    // The last one ends with this process, however that ends, and the bootstrap watches it.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // What it started and left would keep its streams open.
  child.once('exit', () => killGroup(child));
  return {
    pid: child.pid,
    output: child.stdio.slice(1, 3) as Readable[],
    end: new Promise((resolve) => {
      child.once('error', ({ message }) => resolve({ cause: message }));
      child.once('close', (status, signal) => resolve({ status, signal }));
    }),
    kill: () => killGroup(child),
  };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

function renderCommand({ config, layers }: ProcessOptions): string[] {
  const heapMb = Math.round((config.MemorySize ?? 128) * HEAP_SHARE);
  const runtime = [process.execPath, `--max-old-space-size=${heapMb}`, BOOTSTRAP];
  const wrapper = config.Environment?.Variables?.['AWS_LAMBDA_EXEC_WRAPPER'];
  return wrapper === undefined ? runtime : [findInLayers(wrapper, layers), ...runtime];
}

/** Layers lie over each other in `/opt`, the last one on top; here each is a folder of its own. */
function findInLayers(path: string, layers: readonly string[]): string {
  if (!path.startsWith('/opt/')) return path;
  const places = layers.map((layer) => join(layer, path.slice('/opt/'.length)));
  return places.findLast((place) => existsSync(place)) ?? path;
}

function renderEnv({ config, taskRoot, layers, childEnv, region }: ProcessOptions, places: Places) {
  return {
    // No path of the parent: what its user has installed is not there on Lambda.
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: 'development',
    AWS_SECRET_ACCESS_KEY: 'development',
    AWS_SESSION_TOKEN: 'development',
    AWS_EXECUTION_ENV: `AWS_Lambda_${config.Runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: config.FunctionName,
    AWS_LAMBDA_FUNCTION_VERSION: config.Version,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: `${config.MemorySize}`,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: places.logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: places.logStream,
    AWS_LAMBDA_RUNTIME_API: places.address,
    LAMBDA_TASK_ROOT: taskRoot,
    LAMBDA_RUNTIME_DIR: import.meta.dirname,
    NODE_PATH: layers.map((layer) => join(layer, 'nodejs', 'node_modules')).join(':'),
    _HANDLER: config.Handler,
    ...childEnv,
    ...config.Environment?.Variables,
  };
}
