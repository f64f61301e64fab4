import type { AppRecord, Attempt } from '../model.ts';
import { appTags } from '../runtime/names.ts';
import type { FunctionInput } from '../runtime/runtime.ts';
import { SECRETS_WRAPPER } from '../spec/env.ts';
import type { WorkerDeps } from './types.ts';

/**
 * What Roundhouse adds to an app's own variables. The attempt's id makes the settings of every attempt others than those
 * before: Lambda publishes no version when nothing changed, and a restart changes nothing else.
 */
export function addedVariables(
  app: Pick<AppRecord, 'name' | 'secrets'>,
  { id, settings, code }: Pick<Attempt, 'id' | 'settings' | 'code'>,
  { secretValues, settings: { secretsLayerArn } }: Pick<WorkerDeps, 'secretValues' | 'settings'>,
): Record<string, string> {
  // Without a secret there is nothing to read: a call of SSM at each cold start less, and one thing less to fail.
  const hasSecrets = Object.keys(app.secrets).length > 0;
  const wrapped =
    hasSecrets && secretsLayerArn !== undefined && code?.kind === 'zip' && settings.runtime.startsWith('nodejs');
  return {
    PORT: String(settings.port),
    ROUNDHOUSE_APP: app.name,
    ROUNDHOUSE_DEPLOY: id,
    ROUNDHOUSE_SECRETS_PATH: secretValues.pathOf(app.name),
    ...(wrapped && { AWS_LAMBDA_EXEC_WRAPPER: SECRETS_WRAPPER }),
  };
}

/** The function as an attempt wants it, its code left out. */
export function functionSettings(
  app: AppRecord,
  attempt: Attempt,
  deps: Pick<WorkerDeps, 'secretValues' | 'logGroups' | 'settings'>,
  roleArn: string,
): Omit<FunctionInput, 'code'> {
  const { stage, secretsLayerArn } = deps.settings;
  const variables = addedVariables(app, attempt, deps);
  return {
    settings: attempt.settings,
    variables,
    roleArn,
    logGroup: deps.logGroups.nameOf(app.name),
    layers:
      variables['AWS_LAMBDA_EXEC_WRAPPER'] !== undefined && secretsLayerArn !== undefined ? [secretsLayerArn] : [],
    tags: appTags(stage, app.name),
  };
}
