import { onUse } from '../../aws/on-use.ts';
import type { LambdaOptions } from './clients.ts';
import type { Runtime } from './runtime.ts';

/** What `api` asks of Lambda: for a rollback, the status and doctor. */
export type LambdaReads = Pick<Runtime, 'account' | 'findUrl' | 'findVersion'>;

/** The driver for Lambda is loaded on use, with its client. */
export function createLambdaReads(options: LambdaOptions): LambdaReads {
  const lambda = onUse(async () => (await import('./lambda.ts')).createLambdaRuntime(options));
  return {
    account: async () => (await lambda()).account(),
    findUrl: async (app) => (await lambda()).findUrl(app),
    findVersion: async (app, version) => (await lambda()).findVersion(app, version),
  };
}
