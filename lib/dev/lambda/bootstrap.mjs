/**
 * Node's side of the Lambda Runtime API in the emulator: loads an app's handler, and gives it one event after the other, as
 * AWS's own runtime client for Node.js does (aws-lambda-ric 4.0.2, which `npm run test:e2e -- lambda` compares it with).
 * It runs in the app's process with nothing of Roundhouse in it, so it is plain JavaScript, which any Node starts at once.
 */
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { basename, resolve as resolvePath } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';

const { env } = process;
const [host, port] = env.AWS_LAMBDA_RUNTIME_API.split(':');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
/** As they were before the app could change them. */
const writers = [process.stdout, process.stderr].map((stream) => stream.write.bind(stream));
/** Of the call that runs or ran last. */
let requestId = '-';

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

/**
 * Lambda's form of a line: time, request, level, text. All levels go one way, so that they keep their order. Line breaks
 * become CR, so that it stays one entry.
 */
function writeLine(level, text) {
  writers[0](`${new Date().toISOString()}\t${requestId}\t${level}\t${text.replaceAll('\n', '\r')}\n`);
}

function patchConsole() {
  const levels = {
    log: 'INFO',
    info: 'INFO',
    debug: 'DEBUG',
    trace: 'TRACE',
    warn: 'WARN',
    error: 'ERROR',
    fatal: 'FATAL',
  };
  for (const [name, level] of Object.entries(levels)) {
    globalThis.console[name] = (message, ...values) => writeLine(level, format(message, ...values));
  }
}

/** What the caller is told of a throw. */
function describe(error) {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  // The error goes through a header on Lambda too, which cannot have this character.
  const clean = (text) => text?.replaceAll('\x7F', '%7F');
  const { name, message, stack } = error;
  return { errorType: clean(name), errorMessage: clean(message), trace: clean(stack)?.split('\n') ?? [] };
}

/** What the log shows of it: an error with all that it carries. */
function writeError(what, thrown) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const expand = (_key, value) => {
    if (!(value instanceof Error)) return value;
    const { name, message, code, stack } = value;
    return { errorType: name, errorMessage: message, code, ...value, stack: `${stack}`.split('\n') };
  };
  let text;
  try {
    text = JSON.stringify(error, expand);
  } catch {
    text = JSON.stringify(describe(error));
  }
  writeLine('ERROR', `${what} \t${text}`);
}

class RuntimeFault extends Error {
  constructor(name, message, { stack } = {}) {
    super(message);
    this.name = `Runtime.${name}`;
    if (stack !== undefined) this.stack = stack;
  }
}

/** `src/app.handlers.main` is the export `handlers.main` of the module `src/app`. */
async function loadHandler(root, name) {
  if (name.includes('..')) {
    const hint = 'Use absolute paths when specifying root directories in handler names.';
    throw new RuntimeFault('MalformedHandlerName', `'${name}' is not a valid handler name. ${hint}`);
  }
  const file = basename(name);
  const [, base, property] = /^([^.]*)\.(.*)$/.exec(file) ?? [];
  if (property === undefined) throw new RuntimeFault('MalformedHandlerName', 'Bad handler');
  const handler = pick(await load(resolvePath(root, name.slice(0, name.indexOf(file))), base), property.split('.'));
  if (!handler) throw new RuntimeFault('HandlerNotFound', `${name} is undefined or not exported`);
  if (typeof handler !== 'function') throw new RuntimeFault('HandlerNotFound', `${name} is not a function`);
  if (handler.length >= 3) throw new RuntimeFault('CallbackHandlerDeprecated', NO_CALLBACKS);
  return handler;
}

const NO_CALLBACKS =
  'ERROR: AWS Lambda has removed support for callback-based function handlers starting with Node.js 24. You need to modify ' +
  'this function to use a supported handler signature to use Node.js 24 or later. For more information see ' +
  'https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html.';

/** A file of that name, with one of the endings if need be; else what `require` finds: a folder, or a package. */
async function load(folder, base) {
  try {
    const path = resolvePath(folder, base);
    const file = ['', '.js', '.mjs', '.cjs'].map((ending) => path + ending).find((candidate) => existsSync(candidate));
    if (file !== undefined) return await import(pathToFileURL(file).href);
    const require = createRequire(import.meta.url);
    return require(require.resolve(base, { paths: [env.LAMBDA_TASK_ROOT, folder] }));
  } catch (error) {
    if (error instanceof SyntaxError) throw new RuntimeFault('UserCodeSyntaxError', String(error), error);
    // Only CommonJS says so; an import that finds nothing is passed on as it is.
    if (error?.code === 'MODULE_NOT_FOUND') throw new RuntimeFault('ImportModuleError', String(error));
    throw error;
  }
}

/** A CommonJS module's exports that Node cannot name are below `default`. */
function pick(module, path) {
  const find = (from) => path.reduce((value, key) => (typeof value === 'object' ? value?.[key] : undefined), from);
  return find(module) || find(module?.default);
}

function createContext(headers) {
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  return {
    clientContext: undefined,
    identity: undefined,
    tenantId: undefined,
    xRayTraceId: undefined,
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
    const result = render(await handler(JSON.parse(text), createContext(headers)));
    await settle();
    return ['response', result];
  } catch (error) {
    await settle();
    writeError('Invoke Error', error);
    return ['error', JSON.stringify(describe(error))];
  }
}

/** A rejection that nobody handles ends the process before there is an answer. */
function settle() {
  return new Promise((resolve) => setImmediate(resolve));
}

function render(result) {
  let text;
  try {
    text = JSON.stringify(result === undefined ? null : result);
  } catch {
    throw new RuntimeFault('JSONStringifyError', 'Unable to stringify response body');
  }
  // A function, or what has no form in JSON by its own `toJSON`.
  if (text === undefined) throw new TypeError('Wrong arguments');
  return text;
}

/** Tells the reader of both streams that all lines of this call are there. */
function endLines() {
  for (const write of writers) write(`\0end ${requestId}\n`);
}

/** Ends with the emulator, even if that was killed; an app that waits for ever would stay. */
function watchParent() {
  const parent = new Socket({ fd: 3 });
  parent.on('error', () => {});
  parent.on('close', () => process.exit(1));
  parent.resume();
  parent.unref();
}

async function start() {
  try {
    return await loadHandler(env.LAMBDA_TASK_ROOT, env._HANDLER);
  } catch (error) {
    writeError('Init Error', error);
    await call('POST', '/init/error', JSON.stringify(describe(error)));
    throw error;
  }
}

async function serve() {
  const handler = await start();
  for (;;) {
    const event = await call('GET', '/invocation/next');
    requestId = event.headers['lambda-runtime-aws-request-id'];
    const [kind, body] = await answer(handler, event);
    endLines();
    await call('POST', `/invocation/${requestId}/${kind}`, body);
  }
}

watchParent();
patchConsole();
// Not awaited: what nobody catches ends Node with status 1, and an app that waits for nothing with status 0, as on Lambda.
void serve();
