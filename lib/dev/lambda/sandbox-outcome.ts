import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import type { InvokeOutcome } from './context.ts';
import type { RuntimeAnswer } from './runtime-api.ts';
import type { ProcessEnd } from './sandbox-process.ts';

/** How a call ended. */
export type CallEnd =
  | { readonly kind: 'answer'; readonly answer: RuntimeAnswer }
  | { readonly kind: 'ended'; readonly end: ProcessEnd }
  | { readonly kind: 'late'; readonly timeoutMs: number };

/** What Lambda tells the caller. */
export function renderOutcome(end: CallEnd, requestId: string): Omit<InvokeOutcome, 'log'> {
  if (end.kind === 'answer') {
    const { kind, payload } = end.answer;
    return { payload, ...(kind === 'error' && { functionError: 'Unhandled' }) };
  }
  const [errorType, message] =
    end.kind === 'late'
      ? ['Sandbox.Timedout', `Task timed out after ${renderSeconds(end.timeoutMs)} seconds`]
      : renderExit(end.end);
  const payload = JSON.stringify({ errorType, errorMessage: `RequestId: ${requestId} Error: ${message}` });
  return { payload, functionError: 'Unhandled' };
}

function renderExit({ status, signal, cause }: ProcessEnd): [string, string] {
  if (cause !== undefined) return ['Runtime.InvalidEntrypoint', cause];
  if (signal) return ['Runtime.ExitError', `Runtime exited with error: signal: ${SIGNALS[signal] ?? signal}`];
  if (status === 0) return ['Runtime.ExitError', 'Runtime exited without providing a reason'];
  return ['Runtime.ExitError', `Runtime exited with error: exit status ${status}`];
}

/** As Lambda spells them. V8 aborts when the heap is full. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGKILL: 'killed',
  SIGABRT: 'aborted',
  SIGTERM: 'terminated',
  SIGSEGV: 'segmentation fault',
};

export function renderSeconds(ms: number): string {
  return (ms / 1_000).toFixed(2);
}

interface Report {
  readonly requestId: string;
  readonly config: FunctionConfiguration;
  readonly durationMs: number;
  /** Of the first call only. */
  readonly initMs: number | undefined;
}

export function renderReport({ requestId, config, durationMs, initMs }: Report): string {
  return [
    `REPORT RequestId: ${requestId}`,
    `Duration: ${durationMs.toFixed(2)} ms`,
    `Billed Duration: ${Math.ceil(durationMs + (initMs ?? 0))} ms`,
    `Memory Size: ${config.MemorySize} MB`,
    ...(initMs === undefined ? [] : [`Init Duration: ${initMs.toFixed(2)} ms`]),
  ].join('\t');
}
