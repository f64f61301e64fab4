import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createFunctionUrlEvent } from '../aws/function-url-event.ts';
import { type FunctionUrlEvent, type Invocation, MAX_REQUEST_BYTES } from '../http/function-url.ts';

/** Any Lambda handler; what it returns is checked as AWS does, so a handler with a fault shows it here too. */
type Handler = (event: FunctionUrlEvent, invocation: Invocation) => Promise<unknown>;

interface FunctionUrlServerOptions {
  /** The function that answers a path. */
  readonly route: (path: string) => Handler;
  /** 0 picks a free one. */
  readonly port: number;
  /** HTTPS with this certificate and its key, both PEM; HTTP when absent. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Listen on all interfaces of the machine; on 127.0.0.1 only when absent. */
  readonly open?: boolean;
  /** How long `close` lets running requests finish, in milliseconds; 2,000 when absent. */
  readonly closeGraceMs?: number;
  /** Gets what a handler threw, or why its result was refused. */
  readonly onFault?: (fault: unknown) => void;
  /** Makes an answer of a result, or throws; strict when absent, as our own handlers always give the whole form. */
  readonly readResult?: (result: unknown) => FunctionUrlAnswer;
}

export interface FunctionUrlServer {
  /** `http://127.0.0.1:8787`, or the same with https. */
  readonly url: string;
  /** Ends the server, running requests included, within the grace time. */
  readonly close: () => Promise<void>;
}

/** Lambda's limit for one synchronous answer, counted on the serialised result. */
const MAX_RESULT_BYTES = 6_291_556;
/** What a handler sees as its time. */
const TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 60_000;
/** Longer than a request takes that is on its way; one that was sent by half never ends. */
const CLOSE_GRACE_MS = 2_000;
/** Types that reach a function as text; everything else comes as base64. */
const TEXT_TYPE = /^(text\/|application\/(json|javascript|xml)\b|application\/[\w.-]+\+(json|xml)\b)/i;

/**
 * Lambda function URLs on a laptop: an HTTP or HTTPS server that makes payload 2.0 events of real requests and turns
 * results into answers as AWS does. 413 for a request over 6 MiB, before any code runs; 502 for a
 * throw, a malformed result, or one that is too large.
 */
export async function startFunctionUrlServer(options: FunctionUrlServerOptions): Promise<FunctionUrlServer> {
  const answer: RequestListener = (request, response) => {
    serve(options, request, response, () => !server.listening).catch((fault: unknown) => {
      if (request.destroyed && !request.complete) return;
      options.onFault?.(fault);
      if (response.headersSent) response.destroy();
      else sendFault(response, 502);
    });
  };
  const server = options.tls ? createSecureServer(options.tls, answer) : createServer(answer);
  const sockets = trackSockets(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, ...(!options.open && { host: '127.0.0.1' }) }, resolve);
  });
  // An apiserver keeps its connection between calls; Node would end it after five seconds.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    close: () => stop(server, sockets, options.closeGraceMs ?? CLOSE_GRACE_MS),
  };
}

/** The connections as TCP has them: the server's own list lacks those that are still in their TLS handshake. */
function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** Takes no more requests, lets running ones finish for so long, and then cuts their connections. */
function stop(server: Server, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, graceMs);
    // For an answer that is on its way just now: its connection would be kept for the full time.
    server.keepAliveTimeout = 1;
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function serve(
  options: FunctionUrlServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  stopping: () => boolean,
): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) return sendFault(response, 413);
  const event = createEvent(request, body);
  const deadline = Date.now() + TIMEOUT_MS;
  const handler = options.route(event.rawPath);
  const { readResult = checkResult } = options;
  const result = readResult(await handler(event, { getRemainingTimeInMillis: () => deadline - Date.now() }));
  // A body that is a string goes out in one write with its headers.
  const payload = result.isBase64Encoded ? Buffer.from(result.body, 'base64') : result.body;
  response.writeHead(result.statusCode, {
    ...result.headers,
    ...(result.cookies && { 'set-cookie': result.cookies }),
    // A server that stops lets running requests finish, and keeps no connection for another one.
    ...(stopping() && { connection: 'close' }),
    ...(result.statusCode !== 204 && { 'content-length': Buffer.byteLength(payload) }),
  });
  response.end(request.method === 'HEAD' ? undefined : payload);
}

/** The whole body, or undefined when it is too large; then the rest is read and dropped so that the caller sees why. */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_REQUEST_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () => resolve(size > MAX_REQUEST_BYTES ? undefined : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

function createEvent(request: IncomingMessage, body: Buffer) {
  const [path = '/', rawQuery = ''] = splitOnce(request.url ?? '/', '?');
  const { cookie, ...fields } = request.headers;
  const headers = Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]);
  const isText = TEXT_TYPE.test(request.headers['content-type'] ?? '');
  return createFunctionUrlEvent({
    method: request.method ?? 'GET',
    path,
    rawQuery,
    ...(cookie !== undefined && { cookies: cookie.split('; ') }),
    headers: Object.fromEntries(headers),
    ...(body.length > 0 && { body: { text: body.toString(isText ? 'utf8' : 'base64'), base64: !isText } }),
    protocol: `HTTP/${request.httpVersion}`,
    sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
    requestId: randomUUID(),
    now: Date.now(),
  });
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** What a request is answered with. */
export interface FunctionUrlAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** One `set-cookie` each. */
  readonly cookies?: string[];
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Stricter than AWS, which infers what is missing: our handlers always give the whole form. */
function checkResult(value: unknown): FunctionUrlAnswer {
  if (typeof value !== 'object' || value === null) throw new Error('the result is not an object');
  const {
    statusCode,
    headers,
    body,
    isBase64Encoded = false,
  } = value as Partial<Record<keyof FunctionUrlAnswer, unknown>>;
  if (!Number.isInteger(statusCode)) throw new Error('statusCode is not an integer');
  if (typeof body !== 'string') throw new Error('body is not a string');
  if (typeof isBase64Encoded !== 'boolean') throw new Error('isBase64Encoded is not a boolean');
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    throw new Error('headers is not an object');
  }
  if (Object.values(headers).some((header) => typeof header !== 'string')) throw new Error('a header is not a string');
  // An escape is at most six bytes, so most bodies need no measuring.
  if (body.length * 6 > MAX_RESULT_BYTES && Buffer.byteLength(JSON.stringify(value)) > MAX_RESULT_BYTES) {
    throw new Error(`the result is over ${MAX_RESULT_BYTES} bytes`);
  }
  return { statusCode: statusCode as number, headers, body, isBase64Encoded } as FunctionUrlAnswer;
}

function sendFault(response: ServerResponse, status: 413 | 502): void {
  const message = status === 413 ? 'Request Entity Too Large' : 'Internal Server Error';
  const body = JSON.stringify({ Message: message });
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
