import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed where it is JSON. */
  readonly body: any;
}

/** One answer; `drop` ends the connection when the request has come, which is an answer that is lost. */
export type Answer =
  | 'drop'
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown };

export interface AwsStub {
  readonly received: readonly Received[];
  readonly client: { readonly endpoint: string; readonly region: string; readonly credentials: any };
}

/** An AWS API that gives the answers of a list, one for each request, and the last one from then on. */
export async function startAwsStub(...answers: readonly Answer[]): Promise<AwsStub> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    received.push(await read(request));
    answer(request, response, answers[Math.min(received.length, answers.length) - 1] ?? 'drop');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, client: { endpoint, region: 'eu-west-1', credentials: CREDENTIALS } };
}

export const CREDENTIALS = { accessKeyId: 'stub', secretAccessKey: 'stub' };

/** A refusal as the JSON APIs give it. */
export function refuse(status: number, name: string, message: string, more: object = {}): Answer {
  return {
    status,
    headers: { 'x-amzn-errortype': `${name}:http://internal.example/` },
    body: { Type: 'User', message, ...more },
  };
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { method = '', url: path = '' } = request;
  return { method, path, headers: request.headers as Record<string, string>, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function answer(request: IncomingMessage, response: ServerResponse, what: Answer): void {
  if (what === 'drop') {
    request.socket.destroy();
    return;
  }
  const { status = 200, headers = {}, body = {} } = what;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
