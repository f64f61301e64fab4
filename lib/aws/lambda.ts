import { InvokeCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { requestTimeouts } from './request-timeouts.ts';

/** What the Lambda API answers to a synchronous invocation. */
export interface Invoked {
  /** Set when the function threw, timed out or ended; `payload` then tells of the error. */
  readonly functionError?: string;
  readonly payload: string;
}

interface InvokeOptions {
  /** One version of a function: it ends with its number. */
  readonly versionArn: string;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<LambdaClientConfig, 'region' | 'endpoint' | 'credentials'>;
  readonly attemptMs?: number;
}

/** The answer begins when the function has ended, so this is the timeout of our functions, 29 s, and a little more. */
const ATTEMPT_MS = 30_000;

/** Invokes a version and waits for its result; the signal ends the wait, not the function. */
export function createInvoke({ versionArn, client: settings, attemptMs = ATTEMPT_MS }: InvokeOptions) {
  const client = new LambdaClient({ ...settings, maxAttempts: 3, requestHandler: requestTimeouts(attemptMs) });
  return async (event: object, abortSignal: AbortSignal): Promise<Invoked> => {
    const command = new InvokeCommand({
      FunctionName: versionArn,
      InvocationType: 'RequestResponse',
      Payload: JSON.stringify(event),
    });
    const { FunctionError: functionError, Payload } = await client.send(command, { abortSignal });
    return { payload: Payload?.transformToString() ?? '', ...(functionError !== undefined && { functionError }) };
  };
}
