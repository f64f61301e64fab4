/**
 * Node's side of the Lambda Runtime API in the emulator: loads an app's handler, and gives it one event after the other.
 * It runs in the app's process with nothing of Roundhouse in it, so it is plain JavaScript, which any Node starts at once.
 */
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';

const { env } = process;
const [host, port] = env.AWS_LAMBDA_RUNTIME_API.split(':');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
/** As they were before the app could change them. */
const writers = [process.stdout, process.stderr].map((stream) => stream.write.bind(stream));
/** Of the call that runs. */
let requestId;

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const url = `/2018-06-01/runtime${path}`;
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body ?? '') };
    const outgoing = request({ host, port, agent, method, path: url, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ headers: response.headers, text: Buffer.concat(chunks).toString() }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Lambda's form of a line: time, request, level, text. Its line breaks become CR, so that it stays one entry. */
function writeLine(level, text) {
  const write = level === 'INFO' || level === 'DEBUG' ? writers[0] : writers[1];
  write(`${new Date().toISOString()}\t${requestId}\t${level}\t${text.replaceAll('\n', '\r')}\n`);
}

function patchConsole() {
  const levels = { log: 'INFO', info: 'INFO', debug: 'DEBUG', trace: 'TRACE', warn: 'WARN', error: 'ERROR' };
  for (const [name, level] of Object.entries(levels)) {
    globalThis.console[name] = (...values) => writeLine(level, format(...values));
  }
}

function describe(error, type) {
  const isError = error instanceof Error || (typeof error === 'object' && error !== null && 'message' in error);
  return JSON.stringify({
    errorType: type ?? (isError ? error.name : typeof error),
    errorMessage: isError ? `${error.message}` : String(error),
    trace: isError ? `${error.stack}`.split('\n') : [],
  });
}

class RuntimeFault extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

/** `src/app.handlers.main` is the export `handlers.main` of `src/app.js`, `.mjs` or `.cjs`. */
async function loadHandler(root, name) {
  const [, folder, base, property] = /^(.*\/)?([^/.]+)\.(.+)$/.exec(name) ?? [];
  if (property === undefined) throw new RuntimeFault('Runtime.MalformedHandlerName', `Bad handler ${name}`);
  const path = join(root, folder ?? '', base);
  const file = ['.js', '.mjs', '.cjs'].map((ending) => path + ending).find((candidate) => existsSync(candidate));
  if (file === undefined) {
    throw new RuntimeFault('Runtime.ImportModuleError', `Error: Cannot find module '${folder ?? ''}${base}'`);
  }
  const handler = pick(await load(file), property.split('.'));
  if (typeof handler !== 'function') {
    throw new RuntimeFault('Runtime.HandlerNotFound', `${name} is undefined or not exported`);
  }
  if (handler.length >= 3) {
    const why = 'AWS Lambda has removed support for callback-based function handlers starting with Node.js 24';
    throw new RuntimeFault('Runtime.CallbackHandlerDeprecated', `ERROR: ${why}. Use an async function.`);
  }
  return handler;
}

async function load(file) {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new RuntimeFault('Runtime.UserCodeSyntaxError', `SyntaxError: ${error.message}`);
    if (error?.code === 'ERR_MODULE_NOT_FOUND' || error?.code === 'MODULE_NOT_FOUND') {
      throw new RuntimeFault('Runtime.ImportModuleError', `Error: ${error.message}`);
    }
    throw error;
  }
}

/** A CommonJS module's exports that Node cannot name are below `default`. */
function pick(module, path) {
  const find = (from) => path.reduce((value, key) => value?.[key], from);
  return find(module) ?? find(module.default);
}

function createContext(headers) {
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME,
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    awsRequestId: requestId,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

async function answer(handler, { headers, text }) {
  try {
    const result = await handler(JSON.parse(text), createContext(headers));
    return ['response', JSON.stringify(result) ?? 'null'];
  } catch (error) {
    const body = describe(error);
    writeLine('ERROR', `Invoke Error\t${body}`);
    return ['error', body];
  }
}

/** Tells the reader of both streams that all lines of this call are there. */
function endLines() {
  for (const write of writers) write(`\0end ${requestId}\n`);
}

async function fail(path, body, code) {
  if (requestId !== undefined) endLines();
  await call('POST', path, body).catch(() => {});
  process.exit(code);
}

/** Ends with the emulator, even if that was killed; an app that waits for ever would stay. */
function watchParent() {
  const parent = new Socket({ fd: 3 });
  parent.on('error', () => {});
  parent.on('close', () => process.exit(1));
  parent.resume();
  parent.unref();
}

watchParent();
patchConsole();
process.on('uncaughtException', (error, origin) => {
  const type = origin === 'unhandledRejection' ? 'Runtime.UnhandledPromiseRejection' : undefined;
  const body = describe(error, type);
  writeLine('ERROR', `Uncaught Exception\t${body}`);
  const path = requestId === undefined ? '/init/error' : `/invocation/${requestId}/error`;
  void fail(path, body, origin === 'unhandledRejection' ? 128 : 129);
});
try {
  const handler = await loadHandler(env.LAMBDA_TASK_ROOT, env._HANDLER);
  for (;;) {
    const event = await call('GET', '/invocation/next');
    requestId = event.headers['lambda-runtime-aws-request-id'];
    const [kind, body] = await answer(handler, event);
    endLines();
    await call('POST', `/invocation/${requestId}/${kind}`, body);
  }
} catch (error) {
  // Nobody is there any more to be told that a call of the API failed.
  if (requestId !== undefined) process.exit(1);
  const body = describe(error);
  writeLine('ERROR', `Uncaught Exception\t${body}`);
  await fail('/init/error', body, 1);
}
