import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { foreignCaller } from '../loopback-only.ts';
import type { CallRecorder } from './calls.ts';
import type { Context } from './context.ts';
import { conflict, LambdaError, renderError, throttled } from './errors.ts';
import type { Fault, Faults } from './faults.ts';
import { functionArn, parseFunctionName } from './names.ts';
import { aliasOperations } from './operations/aliases.ts';
import { concurrencyOperations } from './operations/concurrency.ts';
import { functionOperations } from './operations/functions.ts';
import { invokeOperations } from './operations/invoke.ts';
import { type Call, type Operation, Reply } from './operations/operation.ts';
import { policyOperations } from './operations/policies.ts';
import { tagOperations } from './operations/tags.ts';
import { urlOperations } from './operations/urls.ts';
import { versionOperations } from './operations/versions.ts';
import { tooLargeRequest } from './validation.ts';

const OPERATIONS: readonly Operation[] = [
  ...functionOperations,
  ...versionOperations,
  ...aliasOperations,
  ...policyOperations,
  ...concurrencyOperations,
  ...urlOperations,
  ...tagOperations,
  ...invokeOperations,
];

/** A package of 50 MB in base64, and its settings: what Lambda takes for one request. */
const MAX_REQUEST_BYTES = 70_167_211;

interface ApiOptions {
  readonly context: Context;
  readonly faults: Faults;
  readonly calls: CallRecorder;
  /** Keeps the functions that a call changed. */
  readonly save: (name: string) => Promise<void>;
  readonly onFault: (fault: unknown) => void;
}

interface Api {
  /** `http://127.0.0.1:40123` */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Lambda's REST API on a loopback port. Calls must be signed; the signatures themselves are not looked at. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const turns = new Map<string, Promise<unknown>>();
  const server = createServer((request, response) => {
    serve(options, turns, request, response).catch((fault: unknown) => {
      options.onFault(fault);
      request.socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  options: ApiOptions,
  turns: Map<string, Promise<unknown>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { faults, calls, context } = options;
  const refusal = refuseCaller(request);
  if (refusal !== undefined) return send(response.setHeader('connection', 'close'), renderRefusal(refusal));
  const body = await readBody(request);
  const { operation, params, query } = findOperation(request);
  const functionName = nameOf(params, body, operation);
  const record = calls.add({
    operation: operation?.name ?? 'Unknown',
    at: context.clock.now(),
    ...(functionName !== undefined && { functionName }),
  });
  const fault = operation && faults.take(operation.name, functionName);
  if (fault?.rule.kind === 'cut') return void request.socket.destroy();
  const call = { params, query, headers: request.headers, body: body ?? Buffer.alloc(0), ...(fault && { fault }) };
  const work = () => answer(options, operation, call, body === undefined, functionName);
  // Changes of one function go one after the other, each with all that it waits for; calls of its code do not wait.
  const reply = await (operation?.name === 'Invoke' ? work() : inTurn(turns, functionName ?? '', work));
  if (fault?.rule.kind === 'lost') return void request.socket.destroy();
  record.status = reply.status;
  send(response, reply);
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'x-amzn-requestid': randomUUID() });
  response.end(body);
}

/**
 * Before anything is read: whoever may call this runs code on this machine. A web page cannot send `Authorization` without
 * asking first, and nobody here says yes.
 */
function refuseCaller({ headers }: IncomingMessage): LambdaError | undefined {
  const foreign = foreignCaller(headers);
  if (foreign !== undefined) return new LambdaError('AccessDeniedException', foreign);
  if (headers.authorization !== undefined) return undefined;
  return new LambdaError('MissingAuthenticationTokenException', 'The request is not signed.');
}

async function answer(
  options: ApiOptions,
  operation: Operation | undefined,
  call: Call,
  tooLarge: boolean,
  functionName: string | undefined,
): Promise<Reply> {
  try {
    if (operation === undefined)
      throw new LambdaError('UnknownOperationException', 'The emulator has no such operation.');
    if (tooLarge) throw tooLargeRequest(MAX_REQUEST_BYTES, operation.name);
    refuse(call.fault, functionArn(options.context, functionName ?? ''));
    const result = await operation.handle(call, options.context);
    const changes = operation.route.startsWith('GET ') || operation.name === 'Invoke' ? [] : [functionName];
    await saveChanges(options, changes);
    if (result instanceof Reply) return result;
    const text = result === undefined ? '' : JSON.stringify(result);
    return new Reply(operation.status, text === '' ? {} : { 'content-type': 'application/json' }, text);
  } catch (error) {
    if (!(error instanceof LambdaError)) options.onFault(error);
    return renderRefusal(
      error instanceof LambdaError ? error : new LambdaError('ServiceException', 'The emulator failed.'),
    );
  }
}

function renderRefusal(error: LambdaError): Reply {
  return new Reply(
    error.status,
    { 'content-type': 'application/json', 'x-amzn-errortype': error.type },
    renderError(error),
  );
}

async function saveChanges({ context, save }: ApiOptions, names: readonly (string | undefined)[]): Promise<void> {
  const changed = [...context.dirty, ...names];
  context.dirty.clear();
  for (const name of new Set(changed)) if (name !== undefined) await save(name);
}

/** @throws LambdaError the answer of a fault that lets nothing be done */
function refuse(fault: Fault | undefined, arn: string): void {
  const kind = fault?.rule.kind;
  if (kind === 'throttle') throw throttled('CallerRateLimitExceeded');
  if (kind === 'error')
    throw new LambdaError('ServiceException', 'An error occurred and the request cannot be processed.');
  if (kind === 'conflict') {
    throw conflict(`The operation cannot be performed at this time. An update is in progress for resource: ${arn}`);
  }
}

function findOperation({ method, url = '/' }: IncomingMessage) {
  const { pathname, searchParams: query } = new URL(url, 'http://lambda');
  const parts = pathname.replace(/\/$/, '').split('/');
  for (const operation of OPERATIONS) {
    const [verb, route = ''] = operation.route.split(' ');
    const params = verb === method ? match(route.split('/'), parts) : undefined;
    if (params !== undefined) return { operation, params, query };
  }
  return { operation: undefined, params: {}, query };
}

function match(route: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (route.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of route.entries()) {
    const text = parts[index] ?? '';
    if (part.startsWith('{')) params[part.slice(1, -1)] = decode(text);
    else if (part !== text) return undefined;
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The function that a call is about, as far as it can be read. */
function nameOf(
  params: Readonly<Record<string, string>>,
  body: Buffer | undefined,
  operation: Operation | undefined,
): string | undefined {
  try {
    const inBody = operation?.name === 'CreateFunction' ? JSON.parse(`${body}`).FunctionName : undefined;
    return parseFunctionName(params['FunctionName'] ?? params['Resource'] ?? inBody ?? '').name;
  } catch {
    return undefined;
  }
}

async function inTurn<T>(turns: Map<string, Promise<unknown>>, name: string, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(name) ?? Promise.resolve()).then(work, work);
  turns.set(name, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(name) === turn) turns.delete(name);
  }
}

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
