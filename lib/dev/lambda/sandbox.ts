import { randomBytes, randomUUID } from 'node:crypto';
import type { InvokeOutcome } from './context.ts';
import { type Lines, readLines } from './process-lines.ts';
import { type RuntimeAnswer, type RuntimeApi, startRuntimeApi } from './runtime-api.ts';
import { type CallEnd, renderOutcome, renderReport, renderSeconds } from './sandbox-outcome.ts';
import { type ProcessEnd, type ProcessOptions, type SandboxProcess, startProcess } from './sandbox-process.ts';
import type { LogStore } from './stores.ts';

interface SandboxOptions extends ProcessOptions {
  readonly logs: LogStore;
  readonly clock: { now(): number };
}

interface SandboxCall {
  readonly payload: string;
  readonly arn: string;
  /** The process is killed when it has the event. */
  readonly crash: boolean;
}

/** Lambda's limit for the start of a runtime. */
const INIT_MS = 10_000;

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  return new Sandbox(options, await startRuntimeApi());
}

/** One process that runs one version of a function, one call at a time. */
export class Sandbox {
  readonly #config: ProcessOptions['config'];
  readonly #api: RuntimeApi;
  readonly #child: SandboxProcess;
  readonly #streams: readonly Lines[];
  readonly #log: (message: string) => void;
  /** Resolves when the process is gone. */
  readonly #gone: Promise<void>;
  /** Lines since the last call ended. */
  #lines: string[] = [];
  #ended = false;
  /** How long the start took; told once. */
  #initMs: number | undefined;

  constructor(options: SandboxOptions, api: RuntimeApi) {
    const { config, logs, clock } = options;
    const logGroup = config.LoggingConfig?.LogGroup ?? `/aws/lambda/${config.FunctionName}`;
    const logStream = nameStream(clock.now(), config.Version);
    this.#log = (message) => {
      this.#lines.push(message);
      logs.append(logGroup, logStream, [{ at: clock.now(), message }]);
    };
    this.#config = config;
    this.#api = api;
    const began = performance.now();
    this.#child = startProcess(options, { address: api.address, logGroup, logStream });
    this.#streams = this.#child.output.map((stream) => readLines(stream, this.#log));
    void api.started.then(() => {
      this.#initMs = performance.now() - began;
    });
    this.#gone = this.#child.end.then(() => {
      this.#ended = true;
      api.close();
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The process is gone, or will be at once. */
  get ended(): boolean {
    return this.#ended;
  }

  async invoke(call: SandboxCall): Promise<InvokeOutcome & { readonly durationMs: number }> {
    const requestId = randomUUID();
    const start = await within(INIT_MS, this.#child.end, this.#api.started);
    // A runtime that asks for an event has started; one that cannot start says why instead.
    const failure = start.kind === 'answer' && start.answer === undefined ? undefined : start;
    this.#log(`START RequestId: ${requestId} Version: ${this.#config.Version}`);
    const began = performance.now();
    const end = (failure ?? (await this.#run(requestId, call))) as CallEnd;
    const durationMs = performance.now() - began;
    if (end.kind === 'late') this.#log(`${requestId} Task timed out after ${renderSeconds(end.timeoutMs)} seconds`);
    const isHealthy = failure === undefined && end.kind === 'answer';
    if (isHealthy) await Promise.all(this.#streams.map((stream) => stream.ended(requestId)));
    else await this.kill();
    this.#log(`END RequestId: ${requestId}`);
    this.#log(renderReport({ requestId, config: this.#config, durationMs, initMs: this.#initMs }));
    this.#initMs = undefined;
    const log = this.#lines.map((line) => `${line}\n`).join('');
    this.#lines = [];
    return { ...renderOutcome(end, requestId), log, durationMs };
  }

  /** Resolves when the process is gone, with all that it started. */
  kill(): Promise<void> {
    this.#ended = true;
    this.#child.kill();
    return this.#gone;
  }

  #run(requestId: string, { payload, arn, crash }: SandboxCall): Promise<Waited> {
    const timeoutMs = (this.#config.Timeout ?? 3) * 1_000;
    const answer = this.#api.run({ requestId, payload, arn, deadline: Date.now() + timeoutMs });
    if (crash) this.#child.kill();
    return within(timeoutMs, this.#child.end, answer);
  }
}

type Waited =
  | { readonly kind: 'answer'; readonly answer: RuntimeAnswer | undefined }
  | { readonly kind: 'ended'; readonly end: ProcessEnd }
  | { readonly kind: 'late'; readonly timeoutMs: number };

/** What comes first: the answer, the end of the process, or the end of the time. */
async function within(
  timeoutMs: number,
  end: Promise<ProcessEnd>,
  answer: Promise<RuntimeAnswer | undefined>,
): Promise<Waited> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Waited>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'late', timeoutMs }), timeoutMs);
  });
  const waited = await Promise.race([
    answer.then((value): Waited => ({ kind: 'answer', answer: value })),
    end.then((value): Waited => ({ kind: 'ended', end: value })),
    late,
  ]);
  clearTimeout(timer);
  return waited;
}

/** `2026/01/31/[7]0123…`: a stream of its own for each sandbox, as on Lambda. */
function nameStream(at: number, version: string | undefined): string {
  const day = new Date(at).toISOString().slice(0, 10).replaceAll('-', '/');
  return `${day}/[${version}]${randomBytes(16).toString('hex')}`;
}
