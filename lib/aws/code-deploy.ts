import {
  CodeDeployClient,
  type CodeDeployClientConfig,
  PutLifecycleEventHookExecutionStatusCommand,
} from '@aws-sdk/client-codedeploy';
import { requestTimeouts } from './request-timeouts.ts';

/** How a hook of a deployment ended. */
export interface HookReport {
  readonly deploymentId: string;
  readonly executionId: string;
  readonly status: 'Succeeded' | 'Failed';
}

interface ReportOptions {
  /** What is absent is the SDK's to find. */
  readonly client: Pick<CodeDeployClientConfig, 'region' | 'endpoint' | 'credentials'>;
  readonly attemptMs?: number;
}

/** Tells CodeDeploy how a hook ended, in five attempts: it would wait an hour for a report that was lost. */
export function createReport({ client: settings, attemptMs }: ReportOptions) {
  const client = new CodeDeployClient({ ...settings, maxAttempts: 5, requestHandler: requestTimeouts(attemptMs) });
  return async ({ deploymentId, executionId: lifecycleEventHookExecutionId, status }: HookReport): Promise<void> => {
    const result = { deploymentId, lifecycleEventHookExecutionId, status };
    await client.send(new PutLifecycleEventHookExecutionStatusCommand(result));
  };
}
