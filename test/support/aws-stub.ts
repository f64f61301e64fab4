import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface StubAnswer {
  readonly status?: number;
  readonly body?: unknown;
}

export interface AwsStub {
  readonly client: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  /** Bodies of the calls so far; JSON where it is. */
  readonly calls: any[];
  close(): Promise<void>;
}

/** A stand-in for any service of AWS: every call is answered as the test says, an object as JSON, a text as it is. */
export async function startAwsStub(answer: (call: number, request: IncomingMessage) => StubAnswer): Promise<AwsStub> {
  const calls: any[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    calls.push(text.startsWith('{') ? JSON.parse(text) : text);
    const { status = 200, body = {} } = answer(calls.length, request);
    response.writeHead(status, { 'content-type': typeof body === 'string' ? 'application/xml' : 'application/json' });
    response.end(request.method === 'HEAD' ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    client: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'stub', secretAccessKey: 'stub' },
    },
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
