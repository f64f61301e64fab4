import { type LambdaOptions, openLambda } from './clients.ts';
import { createAccountCalls, createFunctionCalls } from './functions.ts';
import { createInvoke } from './invoke.ts';
import type { Runtime } from './runtime.ts';
import { createUrlCalls } from './urls.ts';
import { createVersionCalls } from './versions.ts';

export interface LambdaRuntime extends Runtime {
  /** Ends idle connections. */
  close(): void;
}

/**
 * Apps on AWS Lambda; in development on what speaks like it. Every method rejects with a `RuntimeError`, whose text is AWS's
 * own without account numbers, request ids and the values of variables. Reads are tried three times, everything else once.
 */
export function createLambdaRuntime(options: LambdaOptions): LambdaRuntime {
  const api = openLambda(options);
  return {
    ...createFunctionCalls(api, options),
    ...createVersionCalls(api),
    ...createUrlCalls(api),
    ...createAccountCalls(api, options),
    invoke: createInvoke(api),
    close: api.close,
  };
}
