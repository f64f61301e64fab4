import type { ClientRequest, IncomingMessage } from 'node:http';
import { promisify } from 'node:util';

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Hears how much of a body of bytes has been taken. */
  readonly onSent?: (bytes: number) => void;
  /** The only CA that is trusted, PEM; without it those that Node trusts. */
  readonly ca?: string;
  /** For the whole of it, the answer included. */
  readonly timeoutMs: number;
  /** Of it `HTTPS_PROXY` and `NO_PROXY` count. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

export type Send = (request: HttpRequest) => Promise<HttpAnswer>;

/** Nothing that Roundhouse answers is longer: 6 MB, as gzip far more, but no answer holds more than a config and its CRD. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Timers take no longer ones (24 days), and only whole milliseconds. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * One HTTP request, without redirects: a token must not follow one to another host. Rejects with Node's error (`code`),
 * or with the code `TIMEOUT` or `TOO_LARGE`.
 */
export const sendRequest: Send = async ({ method, url, headers, body, onSent, ca, timeoutMs, env }) => {
  // Loaded on use: it would be part of the start of every command.
  const { Agent, request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  // Plain HTTP is for this machine, and a proxy would see the token.
  const agent = new Agent(url.protocol === 'https:' ? { proxyEnv: env } : {});
  const signal = AbortSignal.timeout(Math.min(Math.ceil(timeoutMs), LONGEST_TIMEOUT_MS));
  try {
    const options = { method, headers: { ...headers, 'accept-encoding': 'gzip' }, agent, signal, ...(ca && { ca }) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(url, options, resolve).on('error', reject);
      if (typeof body === 'object') sendBytes(sent, body, onSent);
      else sent.end(body);
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response) {
      length += chunk.length;
      if (length > MAX_ANSWER_BYTES) throw fault('TOO_LARGE');
      chunks.push(chunk);
    }
    const text = await decode(Buffer.concat(chunks), response.headers['content-encoding']);
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  } catch (error) {
    throw signal.aborted ? fault('TIMEOUT') : error;
  } finally {
    agent.destroy();
  }
};

const SLICE_BYTES = 64 * 1024;

/** As fast as the other side takes it. What goes wrong, the request says. */
function sendBytes(sent: ClientRequest, body: Uint8Array, onSent?: (bytes: number) => void): void {
  let at = 0;
  const send = () => {
    while (at < body.length) {
      const taken = sent.write(body.subarray(at, at + SLICE_BYTES));
      at = Math.min(at + SLICE_BYTES, body.length);
      onSent?.(at);
      if (!taken) return void sent.once('drain', send);
    }
    sent.end();
  };
  send();
}

async function decode(bytes: Buffer, encoding: string | undefined): Promise<string> {
  if (encoding !== 'gzip') return bytes.toString();
  const { gunzip } = await import('node:zlib');
  return (await promisify(gunzip)(bytes, { maxOutputLength: MAX_ANSWER_BYTES })).toString();
}

function fault(code: 'TIMEOUT' | 'TOO_LARGE'): Error {
  return Object.assign(new Error(code), { code });
}
