import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteFunctionCommand, InvokeCommand, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorForTest, startEmulatorForTest } from '../../support/lambda-emulator.ts';
import { call, create, isAlive, OK_HANDLER, refusal, waitUntil } from './support.ts';

const LAYERS = ['a', 'b'].map((name) => `arn:aws:lambda:us-east-1:000000000000:layer:${name}:1`);

let emulator: EmulatorForTest;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-test-'));
  const [first = '', second = ''] = LAYERS;
  emulator = await startEmulatorForTest({
    childEnv: { AWS_ENDPOINT_URL_SSM: 'http://127.0.0.1:9' },
    layers: { [first]: join(folder, 'a'), [second]: join(folder, 'b') },
  });
});
afterEach(async () => {
  await emulator.close();
  await rm(folder, { recursive: true });
});

/** A function with this body as its module. */
async function run(module: string, more: object = {}, event: unknown = {}) {
  await create(emulator, 'web', { 'index.mjs': module }, more);
  return call(emulator, 'web', event);
}

describe('a handler', () => {
  const SAYS = 'async (event) => ({ got: event.name })';
  test.each<[string, string, Record<string, string>]>([
    ['of an ES module', 'index.handler', { 'index.mjs': `export const handler = ${SAYS};` }],
    [
      'of a module whose package says so',
      'index.handler',
      { 'package.json': '{"type":"module"}', 'index.js': `export const handler = ${SAYS};` },
    ],
    ['of CommonJS', 'index.handler', { 'index.js': `exports.handler = ${SAYS};` }],
    [
      'of CommonJS whose exports Node cannot name',
      'index.handler',
      { 'index.cjs': `module.exports = Object.fromEntries([['handler', ${SAYS}]]);` },
    ],
    ['in a folder and an object', 'src/app.api.main', { 'src/app.mjs': `export const api = { main: ${SAYS} };` }],
    [
      'that needs another file',
      'index.handler',
      { 'index.mjs': "export { handler } from './lib/a.mjs';", 'lib/a.mjs': `export const handler = ${SAYS};` },
    ],
    ['of a package that is a folder', 'app.handler', { 'node_modules/app/index.js': `exports.handler = ${SAYS};` }],
    ['in a file without an ending', 'index.handler', { index: `exports.handler = ${SAYS};` }],
    ['that is not async', 'index.handler', { 'index.mjs': 'export const handler = (event) => ({ got: event.name });' }],
  ])('%s runs', async (_what, Handler, files) => {
    await create(emulator, 'web', files, { Handler });
    expect(await call(emulator, 'web', { name: 'Ada' })).toMatchObject({ error: undefined, result: { got: 'Ada' } });
  });

  test('without a result answers null', async () => {
    expect((await run('export const handler = async () => {};')).result).toBeNull();
  });

  test('sees the context of Lambda', async () => {
    const module = `export const handler = async (event, context) => {
      const { getRemainingTimeInMillis, ...rest } = context;
      return { ...rest, left: context.getRemainingTimeInMillis() };
    };`;
    const { result, log } = await run(module, { Timeout: 10, MemorySize: 256, LoggingConfig: { LogGroup: '/rh/web' } });
    expect(result).toMatchObject({
      functionName: 'web',
      functionVersion: '$LATEST',
      memoryLimitInMB: '256',
      logGroupName: '/rh/web',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:web',
    });
    expect(result.left).toBeGreaterThan(5_000);
    expect(result.left).toBeLessThanOrEqual(10_000);
    expect(log).toContain(`START RequestId: ${result.awsRequestId} Version: $LATEST`);
  });

  test('has the variables of Lambda and its own, and none of this process', async () => {
    process.env['ROUNDHOUSE_TEST_CANARY'] = 'canary';
    const { result } = await run('export const handler = async () => process.env;', {
      MemorySize: 256,
      Environment: { Variables: { KEY: 'own', AWS_ENDPOINT_URL_S3: 'http://own' } },
    });
    delete process.env['ROUNDHOUSE_TEST_CANARY'];
    expect(Object.keys(result).sort()).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_DEFAULT_REGION',
      'AWS_ENDPOINT_URL_S3',
      'AWS_ENDPOINT_URL_SSM',
      'AWS_EXECUTION_ENV',
      'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
      'AWS_LAMBDA_FUNCTION_NAME',
      'AWS_LAMBDA_FUNCTION_VERSION',
      'AWS_LAMBDA_INITIALIZATION_TYPE',
      'AWS_LAMBDA_LOG_GROUP_NAME',
      'AWS_LAMBDA_LOG_STREAM_NAME',
      'AWS_LAMBDA_RUNTIME_API',
      'AWS_REGION',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_SESSION_TOKEN',
      'KEY',
      'LAMBDA_RUNTIME_DIR',
      'LAMBDA_TASK_ROOT',
      'LANG',
      'NODE_PATH',
      'PATH',
      'TZ',
      '_HANDLER',
    ]);
    expect(result).toMatchObject({ KEY: 'own', AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x', AWS_REGION: 'us-east-1' });
  });
});

describe('a failure', () => {
  const module = (body: string) => `export const handler = async () => { ${body} };`;
  test.each<[string, string, object, RegExp]>([
    [
      'a throw',
      module('throw new TypeError("bad tea")'),
      { errorType: 'TypeError', errorMessage: 'bad tea', trace: expect.any(Array) },
      /bad tea/,
    ],
    ['a throw of text', module('throw "bad tea"'), { errorType: 'string', errorMessage: 'bad tea' }, /bad tea/],
    [
      'a throw of what is no error',
      module('throw { name: "Tea", message: "bad" }'),
      { errorType: 'object', errorMessage: '[object Object]', trace: [] },
      /object Object/,
    ],
    [
      'an error with more than a message',
      module('throw Object.assign(new Error("a\\x7Fb"), { code: 5, cause: new RangeError("tea") })'),
      { errorType: 'Error', errorMessage: 'a%7Fb' },
      /"code":5,"cause":\{"errorType":"RangeError"/,
    ],
    [
      'a result that is no JSON',
      module('return 1n'),
      { errorType: 'Runtime.JSONStringifyError', errorMessage: 'Unable to stringify response body' },
      /Unable to stringify/,
    ],
    [
      'a result that is a function',
      module('return () => {}'),
      { errorType: 'TypeError', errorMessage: 'Wrong arguments' },
      /Wrong arguments/,
    ],
    [
      'waiting for nothing',
      module('await new Promise(() => {})'),
      { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('without providing a reason') },
      /END/,
    ],
    [
      'an exit',
      module('process.exit(3)'),
      { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('exit status 3') },
      /END/,
    ],
    [
      'an exit with 0',
      module('process.exit(0)'),
      { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('without providing a reason') },
      /END/,
    ],
    [
      'a signal',
      module('process.kill(process.pid, "SIGKILL"); await new Promise(() => {})'),
      { errorMessage: expect.stringContaining('signal: killed') },
      /END/,
    ],
    [
      'a rejection that nobody handles',
      module('Promise.reject(new Error("lost")); await new Promise((r) => setTimeout(r, 5e3))'),
      { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('exit status 1') },
      /lost/,
    ],
    [
      'a rejection that nobody handles beside an answer',
      module('Promise.reject(new Error("lost")); return 1'),
      { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('exit status 1') },
      /lost/,
    ],
    [
      'a throw that nobody catches',
      module('setTimeout(() => { throw new Error("late") }, 1); await new Promise((r) => setTimeout(r, 5e3))'),
      { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('exit status 1') },
      /late/,
    ],
    [
      'a throw at the start',
      'throw new RangeError("no tea");',
      { errorType: 'RangeError', errorMessage: 'no tea' },
      /no tea/,
    ],
    [
      'an exit at the start',
      'process.exit(4);',
      { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('exit status 4') },
      /END/,
    ],
    ['broken code', 'export const handler = ;', { errorType: 'Runtime.UserCodeSyntaxError' }, /SyntaxError/],
    [
      'an import that finds nothing',
      "import 'nowhere';",
      { errorType: 'Error', errorMessage: expect.stringContaining("Cannot find package 'nowhere'") },
      /nowhere/,
    ],
    [
      'a require that finds nothing',
      "import { createRequire } from 'node:module'; createRequire(import.meta.url)('nowhere');",
      { errorType: 'Runtime.ImportModuleError', errorMessage: expect.stringMatching(/^Error: Cannot find module/) },
      /nowhere/,
    ],
    [
      'no such export',
      'export const other = 1;',
      { errorType: 'Runtime.HandlerNotFound', errorMessage: 'index.handler is undefined or not exported' },
      /handler/,
    ],
    [
      'an export that is no function',
      'export const handler = 5;',
      { errorType: 'Runtime.HandlerNotFound', errorMessage: 'index.handler is not a function' },
      /handler/,
    ],
    [
      'a handler with a callback',
      'export const handler = (event, context, done) => done(null, 1);',
      { errorType: 'Runtime.CallbackHandlerDeprecated' },
      /callback/,
    ],
    [
      'an answer over 6 MB',
      module('return "x".repeat(6_291_556)'),
      { errorType: 'Function.ResponseSizeTooLarge' },
      /END/,
    ],
  ])('by %s is told to the caller and in the log, and the next call is served', async (_what, code, result, log) => {
    const called = await run(code, { Timeout: 5 });
    expect(called).toMatchObject({ error: 'Unhandled', result });
    expect(called.log).toMatch(log);
    expect(await call(emulator, 'web')).toMatchObject({ error: 'Unhandled', result });
    expect(emulator.invocations.read().map(({ error }) => error)).toEqual([true, true]);
  });

  test.each([
    ['of no module', 'nowhere.handler', 'Runtime.ImportModuleError', /^Error: Cannot find module 'nowhere'/],
    ['of no form', 'index', 'Runtime.MalformedHandlerName', /^Bad handler$/],
    ['outside of the package', '../index.handler', 'Runtime.MalformedHandlerName', /not a valid handler name/],
    ['of a folder beside the module', 'src/app.handler', 'Error', /^Directory import .* is not supported/],
  ])('by a handler name %s is told to the caller', async (_what, Handler, errorType, message) => {
    await create(
      emulator,
      'web',
      { 'index.mjs': OK_HANDLER, 'src/app.mjs': OK_HANDLER, 'src/app/x.mjs': '' },
      { Handler },
    );
    const { result } = await call(emulator, 'web');
    expect(result.errorType).toBe(errorType);
    expect(result.errorMessage).toMatch(message);
  });

  test('by time kills the process', async () => {
    const { error, result, log } = await run(module('console.log(process.pid); while (true);'), { Timeout: 1 });
    expect(error).toBe('Unhandled');
    expect(result.errorType).toBe('Sandbox.Timedout');
    expect(result.errorMessage).toMatch(/^RequestId: [\w-]{36} Error: Task timed out after 1\.00 seconds$/);
    expect(log).toContain('Task timed out after 1.00 seconds');
    expect(isAlive(Number(/INFO\t(\d+)/.exec(log)?.[1]))).toBe(false);
    expect(emulator.processes()).toEqual([]);
  });

  test('by memory ends the process and says so', async () => {
    const body = 'const all = []; for (;;) all.push(new Array(1e5).fill(Math.random()));';
    const { result, log } = await run(module(body), { MemorySize: 128, Timeout: 30 });
    expect(result.errorMessage).toContain('signal: aborted');
    expect(log).toContain('heap out of memory');
  });

  test('ends processes that the app started', async () => {
    const body = `const { spawn } = await import('node:child_process');
      const { pid } = spawn('sleep', ['1000'], { stdio: 'inherit' });
      console.log(pid);
      process.exit(1);`;
    const { result, log } = await run(module(body));
    expect(result.errorMessage).toContain('exit status 1');
    const pid = Number(/INFO\t(\d+)/.exec(log)?.[1]);
    await waitUntil(() => !isAlive(pid));
  });
});

describe('sizes', () => {
  test('an answer of 6 MB comes whole', async () => {
    const { result } = await run('export const handler = async () => "x".repeat(6_291_500);');
    expect(result).toHaveLength(6_291_500);
  });

  test('an event of 6 MB reaches the app, and one byte more does not', async () => {
    await create(emulator, 'web', { 'index.mjs': 'export const handler = async (event) => event.length;' });
    const most = 6_291_456 - 2;
    expect((await call(emulator, 'web', 'x'.repeat(most))).result).toBe(most);
    expect(await refusal(call(emulator, 'web', 'x'.repeat(most + 1)))).toMatch(/^RequestTooLargeException 413/);
  });

  test('an event that is no JSON is refused', async () => {
    await create(emulator, 'web');
    const broken = emulator.client.send(new InvokeCommand({ FunctionName: 'web', Payload: '{' }));
    expect(await refusal(broken)).toMatch(/^InvalidRequestContentException 400/);
  });
});

describe('the log', () => {
  test('has all lines of both streams in the group of the function, with those of the platform around them', async () => {
    const module = `console.log('at the start');
      export const handler = async () => {
        console.log('one', { a: 1 });
        console.error('two\\nlines');
        process.stdout.write('raw ä\\npart');
      };`;
    const { log } = await run(module, { LoggingConfig: { LogGroup: '/roundhouse/dev/web' } });
    const lines = (emulator.logs.read('/roundhouse/dev/web') ?? []).map(({ message }) => message);
    const texts = lines.map((line) => line.split('\t').at(-1)).sort();
    expect(texts).toHaveLength(8);
    for (const text of ['at the start', 'one { a: 1 }', 'two\nlines', 'raw ä', 'part']) expect(texts).toContain(text);
    expect(lines.at(-2)).toMatch(/^END RequestId: [\w-]{36}$/);
    expect(lines.at(-1)).toMatch(
      /^REPORT RequestId: .*\tDuration: [\d.]+ ms\tBilled Duration: \d+ ms\tMemory Size: 128 MB\tInit/,
    );
    expect(log).toMatch(/\npart\n(.*\n)*END /);
  });

  test('has the lines of the console in their order, whatever their level, and before the first call without a request', async () => {
    const levels = ['error', 'log', 'warn', 'info', 'debug', 'trace', 'fatal'];
    const module = `console.log('at the start');
      export const handler = async () => {
        for (let i = 0; i < 20; i++) for (const level of ${JSON.stringify(levels)}) console[level](level);
      };`;
    await run(module);
    const messages = (emulator.logs.read('/aws/lambda/web') ?? []).map(({ message }) => message.split('\t'));
    expect(messages[0]?.slice(1)).toEqual(['-', 'INFO', 'at the start']);
    const lines = messages.filter(([, , , text]) => levels.includes(text ?? ''));
    expect(lines.map(([, , , text]) => text)).toEqual(Array.from({ length: 20 }, () => levels).flat());
    expect(lines[6]?.[2]).toBe('FATAL');
  });

  test('of a call that writes much is there with the answer, and its end comes along', async () => {
    const module = `export const handler = async () => {
      for (let line = 0; line < 5_000; line++) console.log('line', line, 'x'.repeat(50));
    };`;
    const { log } = await run(module, { Timeout: 30 });
    expect(emulator.logs.read('/aws/lambda/web')).toHaveLength(5_003);
    expect(Buffer.byteLength(log)).toBe(4_096);
    expect(log).toContain('line 4999');
  });

  test('is in one stream a process', async () => {
    await run(OK_HANDLER);
    await call(emulator, 'web');
    const streams = new Set(emulator.logs.read('/aws/lambda/web')?.map(({ stream }) => stream));
    expect([...streams]).toEqual([expect.stringMatching(/^\d{4}\/\d\d\/\d\d\/\[\$LATEST\][\da-f]{32}$/)]);
  });
});

describe('processes', () => {
  /** Handlers report to this server when they begin, and end when it answers. */
  async function startGate() {
    const open: (() => void)[] = [];
    let arrived = 0;
    const server = createServer((socket) => {
      arrived += 1;
      open.push(() => socket.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const module = `import { connect } from 'node:net';
      export const handler = () => new Promise((resolve) => {
        const socket = connect(${port}, '127.0.0.1');
        socket.resume().on('end', () => resolve(process.pid));
      });`;
    return {
      module,
      arrivals: (count: number) => waitUntil(() => arrived >= count),
      openAll: () => open.splice(0).map((end) => end()),
      close: () => new Promise((resolve) => server.close(resolve)),
    };
  }

  test('run one call at a time, and are used again', async () => {
    const gate = await startGate();
    await create(emulator, 'web', { 'index.mjs': gate.module }, { Timeout: 60 });
    const both = [call(emulator, 'web'), call(emulator, 'web')];
    await gate.arrivals(2);
    gate.openAll();
    const [one, two] = await Promise.all(both);
    expect(one?.result).not.toBe(two?.result);
    const third = call(emulator, 'web');
    await gate.arrivals(3);
    gate.openAll();
    expect([one?.result, two?.result]).toContain((await third).result);
    expect(
      emulator.invocations
        .read()
        .map(({ concurrency }) => concurrency)
        .sort(),
    ).toEqual([1, 1, 2]);
    await gate.close();
  });

  test('beyond a reservation are refused, and the running calls end well', async () => {
    const gate = await startGate();
    await create(emulator, 'web', { 'index.mjs': gate.module }, { Timeout: 60 });
    const reserve = (ReservedConcurrentExecutions: number) =>
      emulator.client.send(new PutFunctionConcurrencyCommand({ FunctionName: 'web', ReservedConcurrentExecutions }));
    await reserve(1);
    const running = call(emulator, 'web');
    await gate.arrivals(1);
    const beyond = await emulator.client.send(new InvokeCommand({ FunctionName: 'web' })).catch((error) => error);
    expect(beyond).toMatchObject({
      name: 'TooManyRequestsException',
      Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded',
      $metadata: { httpStatusCode: 429 },
    });
    await reserve(0);
    gate.openAll();
    expect((await running).error).toBeUndefined();
    expect(await refusal(call(emulator, 'web'))).toMatch(/^TooManyRequestsException 429: Rate Exceeded/);
    expect(emulator.invocations.read().filter(({ throttled }) => throttled)).toHaveLength(2);
    await waitUntil(() => emulator.processes().length === 0);
    await gate.close();
  });

  test('are at most so many a function; further calls wait for them', async () => {
    const small = await startEmulatorForTest({ limits: { processes: 1 } });
    await create(small, 'web', { 'index.mjs': 'export const handler = async () => process.pid;' });
    const called = await Promise.all([1, 2, 3].map(() => call(small, 'web')));
    expect(new Set(called.map(({ result }) => result)).size).toBe(1);
    await small.close();
  });

  test('end when they have nothing to do', async () => {
    const eager = await startEmulatorForTest({ idleMs: 1 });
    await create(eager, 'web', { 'index.mjs': 'export const handler = async () => process.pid;' });
    const { result } = await call(eager, 'web');
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (isAlive(result)) return;
        clearInterval(timer);
        resolve();
      }, 1);
    });
    expect(eager.processes()).toEqual([]);
    await eager.close();
  });

  test('end with the function and with the emulator, the busy ones too', async () => {
    const gate = await startGate();
    await create(emulator, 'web', { 'index.mjs': gate.module }, { Timeout: 60 });
    await create(emulator, 'other', { 'index.mjs': 'export const handler = async () => process.pid;' });
    const { result: idle } = await call(emulator, 'other');
    await emulator.client.send(new DeleteFunctionCommand({ FunctionName: 'other' }));
    await waitUntil(() => !isAlive(idle));
    const running = refusal(call(emulator, 'web'));
    await gate.arrivals(1);
    const pids = emulator.processes();
    expect(pids).toHaveLength(1);
    await emulator.close();
    expect(pids.map(isAlive)).toEqual([false]);
    expect(await running).not.toBe('it was not refused');
    await gate.close();
  });

  test('end when the emulator is killed', async () => {
    const module = `export const handler = () => {
      console.log('waits', process.pid);
      return new Promise((resolve) => setTimeout(resolve, 600_000));
    };`;
    const program = `
      import { startEmulatorForTest } from '${join(import.meta.dirname, '../../support/lambda-emulator.ts')}';
      import { call, create, waitUntil } from '${join(import.meta.dirname, 'support.ts')}';
      const emulator = await startEmulatorForTest({ dir: ${JSON.stringify(folder)} });
      await create(emulator, 'web', { 'index.mjs': ${JSON.stringify(module)} }, { Timeout: 600 });
      call(emulator, 'web');
      const find = () => emulator.logs.read('/aws/lambda/web')?.find(({ message }) => message.includes('waits'));
      await waitUntil(() => find() !== undefined);
      console.log(find().message.split(' ').at(-1));`;
    const file = join(folder, 'program.mjs');
    await writeFile(file, program);
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((resolve) => child.stdout.once('data', (text) => resolve(Number(text))));
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGKILL');
    await waitUntil(() => !isAlive(pid));
  });
});

describe('a layer', () => {
  const wrapper = (text: string) => `#!/bin/sh\nexport WRAPPED="${text}" LAYER="$(dirname "$0")"\nexec "$@"\n`;
  async function write(name: string, file: string, text: string) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, file), text);
    await chmod(join(folder, name, file), 0o755);
  }
  const more = { Layers: LAYERS, Environment: { Variables: { AWS_LAMBDA_EXEC_WRAPPER: '/opt/wrap' } } };
  const module = 'export const handler = async () => [process.env.WRAPPED, process.env.LAYER];';

  test('wraps the runtime, and the last of two lies on top', async () => {
    await write('a', 'wrap', wrapper('by a'));
    await write('b', 'wrap', wrapper('by b'));
    expect((await run(module, more)).result).toEqual(['by b', join(folder, 'b')]);
  });

  test('whose wrapper is not there, or fails, fails the call', async () => {
    const { error, result } = await run(module, more);
    expect([error, result.errorType]).toEqual(['Unhandled', 'Runtime.InvalidEntrypoint']);
    await write('a', 'wrap', '#!/bin/sh\necho no secret >&2\nexit 7\n');
    const second = await call(emulator, 'web');
    expect(second.result.errorMessage).toContain('exit status 7');
    expect(second.log).toContain('no secret');
  });
});

test('an image cannot run here, and its call says so', async () => {
  const uri = '000000000000.dkr.ecr.us-east-1.amazonaws.com/web:1';
  const other = await startEmulatorForTest({ images: () => true });
  await create(
    other,
    'web',
    {},
    { PackageType: 'Image', Runtime: undefined, Handler: undefined, Code: { ImageUri: uri } },
  );
  const { error, result } = await call(other, 'web');
  expect(error).toBe('Unhandled');
  expect(result.errorMessage).toContain(`cannot run the container image ${uri}`);
  await other.close();
});
