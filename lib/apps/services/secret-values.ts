import { onUse } from '../../aws/on-use.ts';
import type { SecretValues } from '../ports.ts';
import { parameterPath } from '../runtime/names.ts';
import type { SecretOptions } from './secret-values-on-ssm.ts';

/** Secrets as parameters of Systems Manager, whose client is loaded on use. */
export function createSecretValues(options: SecretOptions): SecretValues {
  const ssm = onUse(async () => (await import('./secret-values-on-ssm.ts')).createSsmSecretValues(options));
  return {
    pathOf: (app) => parameterPath(options.stage, app),
    put: async (app, key, value) => (await ssm()).put(app, key, value),
    remove: async (app, key) => (await ssm()).remove(app, key),
    removeAll: async (app) => (await ssm()).removeAll(app),
  };
}
