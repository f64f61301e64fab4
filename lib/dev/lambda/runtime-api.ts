import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call, as the runtime in a sandbox gets it. */
export interface Task {
  readonly requestId: string;
  readonly payload: string;
  readonly arn: string;
  /** Milliseconds since the epoch, of the real clock: the app compares it with its own. */
  readonly deadline: number;
}

export interface RuntimeAnswer {
  readonly kind: 'response' | 'error';
  readonly payload: string;
}

/** Lambda's Runtime API (2018-06-01) for one sandbox. */
export interface RuntimeApi {
  /** `127.0.0.1:40123`, for `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /** Settles when the runtime asks for its first event, or with the error because of which it cannot. */
  readonly started: Promise<RuntimeAnswer | undefined>;
  /** Gives the runtime a task, one at a time. */
  readonly run: (task: Task) => Promise<RuntimeAnswer>;
  readonly close: () => void;
}

/** Lambda's limit for a synchronous answer. */
const MAX_ANSWER_BYTES = 6_291_556;

export async function startRuntimeApi(): Promise<RuntimeApi> {
  const started = Promise.withResolvers<RuntimeAnswer | undefined>();
  let waiting: ServerResponse | undefined;
  let current: { readonly task: Task; readonly resolve: (answer: RuntimeAnswer) => void } | undefined;
  const deliver = () => {
    if (waiting === undefined || current === undefined) return;
    sendTask(waiting, current.task);
    waiting = undefined;
  };
  /** False when nobody waits for it. */
  const accept = (path: string, payload: string): boolean => {
    const [, id, kind] = /^\/invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    if (path === '/init/error') started.resolve({ kind: 'error', payload });
    else if (current === undefined || id !== current.task.requestId) return false;
    else {
      current.resolve(checkSize({ kind: kind as RuntimeAnswer['kind'], payload }));
      current = undefined;
    }
    return true;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').replace('/2018-06-01/runtime', '');
    if (request.method === 'GET' && path === '/invocation/next') {
      started.resolve(undefined);
      waiting = response;
      return deliver();
    }
    const body = await readText(request);
    response.writeHead(accept(path, body) ? 202 : 400, { 'content-type': 'application/json' });
    response.end('{"status":"OK"}');
  };
  const server = await listen((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    started: started.promise,
    run: (task) =>
      new Promise((resolve) => {
        current = { task, resolve };
        deliver();
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(serve: RequestListener): Promise<Server> {
  const server = createServer(serve);
  // The next event may be a long time away.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function sendTask(response: ServerResponse, { requestId, payload, arn, deadline }: Task): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'lambda-runtime-aws-request-id': requestId,
    'lambda-runtime-deadline-ms': `${deadline}`,
    'lambda-runtime-invoked-function-arn': arn,
  });
  response.end(payload);
}

function checkSize(answer: RuntimeAnswer): RuntimeAnswer {
  if (Buffer.byteLength(answer.payload) <= MAX_ANSWER_BYTES) return answer;
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${MAX_ANSWER_BYTES} bytes).`;
  const errorType = 'Function.ResponseSizeTooLarge';
  return { kind: 'error', payload: JSON.stringify({ errorType, errorMessage }) };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
