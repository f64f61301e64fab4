import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { request as secureRequest } from 'node:https';

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** For https: the CA that the server's certificate must be of, PEM. */
  readonly ca?: string;
  /** Keeps connections; without one each request has its own. */
  readonly agent?: Agent;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON; undefined when it is empty. */
  readonly json: any;
}

/** One request, sent as it is given: unlike `fetch`, it adds no header and undoes no compression. */
export function send(url: string, { method = 'POST', headers = {}, body, ca, agent }: Call = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const start = url.startsWith('https:') ? secureRequest : request;
    const outgoing = start(url, { method, headers, agent: agent ?? false, ...(ca && { ca }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString();
        const isJson = /json/.test(response.headers['content-type'] ?? '') && !response.headers['content-encoding'];
        const json = isJson && text !== '' ? JSON.parse(text) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text, json });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
