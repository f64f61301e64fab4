import { InvokeCommand } from '@aws-sdk/client-lambda';
import type { LambdaApi } from './clients.ts';
import { type Runtime, RuntimeError } from './runtime.ts';

/** The limit ends the wait, not the function: that one has its own. */
export function createInvoke({ invoker, nameOf, call }: LambdaApi): Runtime['invoke'] {
  return async (app, version, event, timeoutMs) => {
    const command = new InvokeCommand({
      FunctionName: nameOf(app),
      Qualifier: version,
      InvocationType: 'RequestResponse',
      LogType: 'Tail',
      Payload: JSON.stringify(event),
    });
    const abortSignal = AbortSignal.timeout(timeoutMs);
    const answer = await call(() => invoker.send(command, { abortSignal })).catch((error: unknown) => {
      if (!abortSignal.aborted) throw error;
      throw new RuntimeError('unavailable', `Version ${version} of ${app} gave no answer within ${timeoutMs} ms.`);
    });
    return {
      ...(answer.FunctionError !== undefined && { functionError: answer.FunctionError }),
      payload: answer.Payload?.transformToString() ?? '',
      logTail: Buffer.from(answer.LogResult ?? '', 'base64').toString(),
    };
  };
}
