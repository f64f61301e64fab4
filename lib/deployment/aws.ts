import { type CodeDeployClient, PutLifecycleEventHookExecutionStatusCommand } from '@aws-sdk/client-codedeploy';
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { PreTrafficOptions } from './pre-traffic.ts';

/** Invokes one version of a function; `versionArn` ends with its number. */
export function createInvoke(client: LambdaClient, versionArn: string): PreTrafficOptions['invoke'] {
  return async (event, abortSignal) => {
    const command = new InvokeCommand({
      FunctionName: versionArn,
      InvocationType: 'RequestResponse',
      Payload: JSON.stringify(event),
    });
    const { FunctionError: functionError, Payload } = await client.send(command, { abortSignal });
    return { payload: Payload?.transformToString() ?? '', ...(functionError !== undefined && { functionError }) };
  };
}

/** Tells CodeDeploy how a hook ended. */
export function createReport(client: CodeDeployClient): PreTrafficOptions['report'] {
  return async ({ deploymentId, executionId: lifecycleEventHookExecutionId, status }) => {
    const result = { deploymentId, lifecycleEventHookExecutionId, status };
    await client.send(new PutLifecycleEventHookExecutionStatusCommand(result));
  };
}
