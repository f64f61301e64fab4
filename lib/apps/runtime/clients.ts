import { LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { requestTimeouts } from '../../aws/request-timeouts.ts';
import { callAws } from './aws-error.ts';
import { functionName } from './names.ts';

/** One attempt of a call that changes something: Lambda copies and unpacks 50 MB of code before it answers. */
const CHANGE_MS = 12_000;
/** As long as a function can run. What ends a call sooner is the limit of the caller. */
const INVOKE_MS = 900_000;

export interface LambdaOptions {
  readonly stage: string;
  /** What is absent is the SDK's to find. */
  readonly client: Pick<LambdaClientConfig, 'region' | 'endpoint' | 'credentials'>;
  /** Versioned; a package is `apps/<app>/<artifact>.zip`. */
  readonly artifactBucket: string;
  /** How long one attempt of any call may take, in milliseconds; for tests. */
  readonly attemptMs?: number;
}

/** How the parts of the driver speak to Lambda. */
export interface LambdaApi {
  /** Three attempts: a read can always be repeated. */
  readonly reader: LambdaClient;
  /**
   * One attempt. When the answer of a change is lost, the SDK would repeat it and report what its own first try made: a
   * name that is taken, a revision id that is not the present one, a second version. Instead that is `unavailable`, "nobody
   * knows", and who called reads the state before it goes on. What Lambda refuses for the number of calls was not done;
   * the worker has its own, longer patience for that.
   */
  readonly writer: LambdaClient;
  /** One attempt: an app's request is not to be made twice. */
  readonly invoker: LambdaClient;
  nameOf(app: string): string;
  /** Makes a `RuntimeError` of what goes wrong, without the values that are given. */
  call<T>(send: () => Promise<T>, hidden?: readonly string[]): Promise<T>;
  close(): void;
}

export function openLambda({ stage, client, attemptMs }: LambdaOptions): LambdaApi {
  const open = (maxAttempts: number, requestHandler: object) =>
    new LambdaClient({ ...client, maxAttempts, requestHandler, cacheMiddleware: true });
  const reader = open(3, requestTimeouts(attemptMs));
  const writer = open(1, requestTimeouts(attemptMs ?? CHANGE_MS));
  const invoker = open(1, requestTimeouts(attemptMs ?? INVOKE_MS));
  return {
    reader,
    writer,
    invoker,
    nameOf: (app) => functionName(stage, app),
    call: (send, hidden = []) => callAws({ service: 'Lambda', hidden }, send),
    close() {
      for (const each of [reader, writer, invoker]) each.destroy();
    },
  };
}
