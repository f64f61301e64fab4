import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call of an AWS API, as the SDK sends it. */
export interface AwsCall {
  /** `secretsmanager.GetSecretValue`, `CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus`, `lambda.Invoke`. */
  readonly operation: string;
  /** The body, parsed. */
  readonly input: any;
  /** The function that `lambda.Invoke` names. */
  readonly functionName?: string;
}

export interface AwsReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface AwsServer {
  readonly url: string;
  readonly calls: readonly AwsCall[];
  readonly close: () => Promise<void>;
}

/** Speaks as much of the wire formats of Secrets Manager, CodeDeploy and Lambda as our three calls need. */
export async function startAwsServer(reply: (call: AwsCall) => AwsReply | Promise<AwsReply>): Promise<AwsServer> {
  const calls: AwsCall[] = [];
  const server = createServer(async (request, response) => {
    const call = readCall(request, await readText(request));
    calls.push(call);
    const { status = 200, headers, body = '' } = await reply(call);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1', ...headers });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Secrets Manager with one secret, which nobody may read while it is undefined. */
export function startSecretServer(read: () => string | undefined): Promise<AwsServer> {
  return startAwsServer(({ operation, input }) => {
    if (operation !== 'secretsmanager.GetSecretValue') return awsError(400, 'UnknownOperationException');
    const SecretString = read();
    if (SecretString === undefined) return awsError(400, 'AccessDeniedException');
    return { body: JSON.stringify({ ARN: input.SecretId, Name: 'RootToken', SecretString }) };
  });
}

/** The error of an AWS API that speaks JSON. */
export function awsError(status: number, type: string, message = 'canary'): AwsReply {
  return { status, headers: { 'x-amzn-errortype': type }, body: JSON.stringify({ __type: type, message }) };
}

function readCall({ method, url = '', headers }: IncomingMessage, text: string): AwsCall {
  const input = text === '' ? undefined : JSON.parse(text);
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return { operation: target, input };
  const invoked = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(url)?.[1];
  if (method !== 'POST' || invoked === undefined) return { operation: `${method} ${url}`, input };
  return { operation: 'lambda.Invoke', input, functionName: decodeURIComponent(invoked) };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
