import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AddPermissionCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionUrlConfigCommand,
} from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFunctionUrlEvent } from '../../lib/aws/function-url-event.ts';
import { send } from '../support/http-client.ts';
import { type EmulatorForTest, startEmulatorForTest } from '../support/lambda-emulator.ts';
import type { Programs } from './support/lambda.ts';
import { type App, type BothSides, type Outcome, startOnBoth } from './support/two-lambdas.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun, install } from './tools/install.ts';
import { EMULATOR, RUNTIME_CLIENT } from './tools/tools.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples/apps');

/** With its quotes as long as an answer may be. */
const MOST = 'x'.repeat(6_291_554);

/** A module whose handler is this. */
const handler = (body: string) => ({
  'index.mjs': `export const handler = async (event, context) => { ${body} };`,
});
const fails = (errorType: string, errorMessage: unknown = expect.any(String)) => ({
  payload: expect.objectContaining({ errorType, errorMessage }),
  answer: { statusCode: 502 },
});
const ends = (how: string) => fails('Runtime.ExitError', `Error: Runtime exited ${how}`);
const gives = (payload: unknown, body: string) => ({
  payload,
  answer: { statusCode: 200, headers: { 'content-type': 'application/json' }, body, isBase64Encoded: false },
});

type Case = readonly [what: string, files: App['files'], expected: object, handler?: string];

const complete = ([what, files, expected, name = 'index.handler']: Case) => [what, files, expected, name] as const;

/** What an app does, its package, and what both make of it. */
const SAME: readonly Case[] = [
  ['throws', handler('throw new TypeError("bad tea")'), fails('TypeError', 'bad tea')],
  [
    'throws an error of its own',
    handler('throw Object.assign(new Error("a\\x7Fb"), { name: "Odd" })'),
    fails('Odd', 'a%7Fb'),
  ],
  ['rejects with text', handler('return Promise.reject("bad tea")'), fails('string', 'bad tea')],
  ['rejects with an object', handler('throw { name: "N", message: "m" }'), fails('object', '[object Object]')],
  ['rejects with null', handler('throw null'), fails('object', 'null')],
  ['rejects with nothing', handler('throw undefined'), fails('undefined', 'undefined')],
  ['exits with a status', handler('process.exit(3)'), ends('with error: exit status 3')],
  ['exits with 0', handler('process.exit(0)'), ends('without providing a reason')],
  [
    'is killed',
    handler('process.kill(process.pid, "SIGKILL"); await new Promise(() => {})'),
    ends('with error: signal: killed'),
  ],
  ['waits for nothing', handler('await new Promise(() => {})'), ends('without providing a reason')],
  [
    'leaves a rejection unhandled',
    handler('Promise.reject(new Error("lost")); await new Promise((r) => setTimeout(r, 900))'),
    ends('with error: exit status 1'),
  ],
  [
    'leaves a rejection unhandled and answers',
    handler('Promise.reject(new Error("lost")); return 1'),
    ends('with error: exit status 1'),
  ],
  [
    'leaves a throw uncaught',
    handler('setTimeout(() => { throw new Error("late") }, 5); await new Promise((r) => setTimeout(r, 900))'),
    ends('with error: exit status 1'),
  ],
  [
    'returns an object without statusCode',
    handler('return { tea: "green" }'),
    gives({ tea: 'green' }, '{"tea":"green"}'),
  ],
  ['returns a string', handler('return "grün 🍵"'), gives('grün 🍵', 'grün 🍵')],
  ['returns a number', handler('return 42'), gives(42, '42')],
  ['returns nothing', handler(''), gives(null, 'null')],
  ['returns a list', handler('return [1, "two"]'), gives([1, 'two'], '[1,"two"]')],
  [
    'returns a status that is none',
    handler('return { statusCode: "teapot" }'),
    { payload: { statusCode: 'teapot' }, answer: { statusCode: 502 } },
  ],
  ['returns a function', handler('return () => 1'), fails('TypeError', 'Wrong arguments')],
  [
    'returns what is no JSON',
    handler('return 1n'),
    fails('Runtime.JSONStringifyError', 'Unable to stringify response body'),
  ],
  ['returns a circle', handler('const a = {}; a.a = a; return a'), fails('Runtime.JSONStringifyError')],
  ['returns as much as may be', handler(`return "x".repeat(${MOST.length})`), gives(MOST, MOST)],
  [
    'returns more than may be',
    handler(`return "x".repeat(${MOST.length + 1})`),
    fails('Function.ResponseSizeTooLarge'),
  ],
  ['is CommonJS', { 'index.js': 'exports.handler = async ({ n }) => n' }, gives(7, '7')],
  [
    'is CommonJS with computed exports',
    { 'index.cjs': 'module.exports = Object.fromEntries([["handler", async () => 1]])' },
    gives(1, '1'),
  ],
  ['is not async', { 'index.mjs': 'export const handler = ({ n }) => n' }, gives(7, '7')],
  [
    'is in a folder and an object',
    { 'src/app.mjs': 'export const api = { main: async () => 1 }' },
    gives(1, '1'),
    'src/app.api.main',
  ],
  ['is in a file without an ending', { index: 'exports.handler = async () => 1' }, gives(1, '1')],
  ['is a package', { 'node_modules/tea/index.js': 'exports.handler = async () => 1' }, gives(1, '1'), 'tea.handler'],
  [
    'is there with two endings',
    { 'index.js': 'exports.handler = async () => "js"', 'index.mjs': 'export const handler = async () => "mjs"' },
    gives('js', 'js'),
  ],
  [
    'fails at its start, later',
    {
      'index.mjs':
        'await new Promise((r) => setTimeout(r, 20)); throw new RangeError("no database"); export const handler = 1',
    },
    fails('RangeError', 'no database'),
  ],
  ['fails at its start with text', { 'index.mjs': 'throw "no tea"' }, fails('string', 'no tea')],
  [
    'exports nothing of that name',
    { 'index.mjs': 'export const other = 1' },
    fails('Runtime.HandlerNotFound', 'index.handler is undefined or not exported'),
  ],
  [
    'exports no function',
    { 'index.mjs': 'export const handler = 5' },
    fails('Runtime.HandlerNotFound', 'index.handler is not a function'),
  ],
  [
    'takes a callback',
    { 'index.mjs': 'export const handler = (event, context, done) => done(null, 1)' },
    fails('Runtime.CallbackHandlerDeprecated'),
  ],
  [
    'is broken',
    { 'index.mjs': 'export const handler = ;' },
    fails('Runtime.UserCodeSyntaxError', "SyntaxError: Unexpected token ';'"),
  ],
  ['is broken CommonJS', { 'index.js': 'exports.handler = ;' }, fails('Runtime.UserCodeSyntaxError')],
  [
    'imports a package that is not there',
    { 'index.mjs': 'import "nowhere"' },
    fails('Error', expect.stringContaining("Cannot find package 'nowhere'")),
  ],
  [
    'imports a file that is not there',
    { 'index.mjs': 'import "./nowhere.mjs"' },
    fails('Error', expect.stringContaining('Cannot find module')),
  ],
  [
    'requires what is not there',
    { 'index.js': 'require("nowhere")' },
    fails('Runtime.ImportModuleError', expect.stringContaining("Cannot find module 'nowhere'")),
  ],
  [
    'has no such module',
    { 'other.mjs': '' },
    fails('Runtime.ImportModuleError', expect.stringContaining("Cannot find module 'index'")),
  ],
  [
    'has a folder in the place of the module',
    { 'app.mjs': 'export const handler = async () => 1', 'app/x.mjs': '' },
    fails('Error', expect.stringContaining('Directory import')),
    'app.handler',
  ],
  [
    'has a handler name without an export',
    handler('return 1'),
    fails('Runtime.MalformedHandlerName', 'Bad handler'),
    'index',
  ],
  [
    'has a handler name that leads out of the package',
    handler('return 1'),
    fails('Runtime.MalformedHandlerName'),
    '../index.handler',
  ],
];

interface Difference {
  readonly what: string;
  readonly app: App;
  readonly why: string;
  readonly aws: unknown;
  readonly ours: unknown;
}

/** Everything that is not the same, and why. `aws` and `ours` are what a second call gives there. */
const DIFFERENCES: readonly Difference[] = [
  {
    what: 'the answer when time is over',
    why: "AWS's emulator gives a line of text; Lambda itself, and so ours, gives an error",
    app: { files: handler('for (;;);'), timeoutSeconds: 1 },
    aws: 'Task timed out after 1.00 seconds',
    ours: { errorType: 'Sandbox.Timedout', errorMessage: 'Error: Task timed out after 1.00 seconds' },
  },
  {
    what: 'the answer when the process ends at its start',
    why: "AWS's emulator gives nothing; Lambda itself, and so ours, says how it ended",
    app: { files: { 'index.mjs': 'process.exit(4)' } },
    aws: '',
    ours: { errorType: 'Runtime.ExitError', errorMessage: 'Error: Runtime exited with error: exit status 4' },
  },
  {
    what: 'the end of memory',
    why: "AWS's emulator has no limit; ours bounds the heap of Node.js to 90 % of the memory, as nothing here can bound a process",
    app: {
      files: handler(
        'let all = ""; for (let i = 0; i < 4; i++) all += JSON.stringify(new Array(1e7).fill(i)); return all.length',
      ),
      timeoutSeconds: 20,
    },
    aws: 80_000_004,
    ours: { errorType: 'Runtime.ExitError', errorMessage: 'Error: Runtime exited with error: signal: aborted' },
  },
  {
    what: 'a handler that streams its answer',
    why: 'the URLs that Roundhouse makes do not stream, so ours has no `awslambda`',
    app: {
      files: {
        'index.mjs': 'export const handler = awslambda.streamifyResponse(async (e, out) => { out.end("tea"); })',
      },
    },
    aws: 'tea',
    ours: { errorType: 'ReferenceError', errorMessage: 'awslambda is not defined', trace: true },
  },
  {
    what: 'the ARN and the log of the context',
    why: "AWS's emulator has an account, a group and a stream of its own; ours has those of the function",
    app: {
      files: handler(`const { invokedFunctionArn, logGroupName, logStreamName } = context;
        const stream = logStreamName.replace(/[0-9a-f]{32}$/, '…').replaceAll(/[0-9]{2,4}[/]/g, '');
        return [invokedFunctionArn.split(':')[4], logGroupName.replace(/[0-9]+$/, ''), stream]`),
    },
    aws: ['012345678912', '/aws/lambda/Functions', '$LATEST'],
    ours: ['000000000000', '/aws/lambda/app-', '[$LATEST]…'],
  },
  {
    what: 'names of variables',
    why: "AWS's emulator adds its own (METADATA, TIMEOUT) and leaves out what Lambda sets beside them (LANG, AWS_DEFAULT_REGION …)",
    app: {
      files: handler(`const usual = ${JSON.stringify([
        'AWS_ACCESS_KEY_ID',
        'AWS_EXECUTION_ENV',
        'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
        'AWS_LAMBDA_FUNCTION_NAME',
        'AWS_LAMBDA_FUNCTION_VERSION',
        'AWS_LAMBDA_LOG_GROUP_NAME',
        'AWS_LAMBDA_LOG_STREAM_NAME',
        'AWS_LAMBDA_RUNTIME_API',
        'AWS_REGION',
        'AWS_SECRET_ACCESS_KEY',
        'AWS_SESSION_TOKEN',
        'LAMBDA_TASK_ROOT',
        'PATH',
        'TZ',
        '_HANDLER',
      ])};
      const names = Object.keys(process.env);
      return { missing: usual.filter((name) => !names.includes(name)), more: names.filter((name) => !usual.includes(name)).sort() };`),
    },
    aws: {
      missing: [],
      more: ['AWS_LAMBDA_FUNCTION_TIMEOUT', 'AWS_LAMBDA_METADATA_API', 'AWS_LAMBDA_METADATA_TOKEN'],
    },
    ours: {
      missing: [],
      more: ['AWS_DEFAULT_REGION', 'AWS_LAMBDA_INITIALIZATION_TYPE', 'LAMBDA_RUNTIME_DIR', 'LANG', 'NODE_PATH'],
    },
  },
];

const now = Date.UTC(2026, 0, 31);
const event = (method: string, path: string, more: object = {}) =>
  createFunctionUrlEvent({ method, path, requestId: 'r-1', now, ...more });
const gate = { 'user-agent': 'roundhouse-gate/1', accept: '*/*' };
const json = { 'content-type': 'application/json' };

/** What people and the gate send to every example. */
const EVENTS: readonly (readonly [string, object])[] = [
  ['the gate at /healthz', event('GET', '/healthz', { headers: gate })],
  ['the gate at /', event('GET', '/', { headers: gate })],
  ['GET /', event('GET', '/', { headers: { host: 'abc.lambda-url.eu-west-1.on.aws' } })],
  ['GET /hello', event('GET', '/hello')],
  ['a query', event('GET', '/hello', { rawQuery: 'name=Ada&x=1&name=Bo' })],
  ['a query that is empty', event('GET', '/hello', { rawQuery: 'name=' })],
  ['unicode in a query', event('GET', '/hello', { rawQuery: 'name=Zo%C3%AB%20%F0%9F%8D%B5+%22' })],
  ['a query that is broken', event('GET', '/hello', { rawQuery: 'name=%E0%A4%A&%' })],
  ['cookies', event('GET', '/hello', { cookies: ['a=1', 'b=zwei'], rawQuery: 'name=c' })],
  ['/style.css', event('GET', '/style.css')],
  ['an unknown path', event('GET', '/nowhere/at/all')],
  ['unicode in a path', event('GET', '/t%C3%A9/茶')],
  ['a path of an object', event('GET', '/__proto__')],
  ['POST with a body', event('POST', '/', { headers: json, body: { text: '{"name":"Ada"}' } })],
  ['POST with unicode', event('POST', '/hello', { headers: json, body: { text: '"naïve 🎠 \\u0000"' } })],
  ['POST in base64', event('POST', '/hello', { body: { text: 'AAECAw==', base64: true } })],
  ['HEAD /', event('HEAD', '/')],
  ['OPTIONS /hello', event('OPTIONS', '/hello', { headers: { origin: 'https://example.com' } })],
  ['DELETE /', event('DELETE', '/')],
  ['an event that is none', {}],
];

describe.runIf(canRun('lambda', [EMULATOR, RUNTIME_CLIENT]))(
  "an app under AWS's runtime client and under our emulator",
  () => {
    let workbench: Workbench;
    let programs: Programs;
    let ours: EmulatorForTest;

    beforeAll(async () => {
      workbench = openWorkbench();
      programs = {
        emulator: await install(workbench, EMULATOR),
        client: await install(workbench, RUNTIME_CLIENT),
      };
      ours = await startEmulatorForTest();
    });

    afterAll(async () => {
      await ours?.close();
      await workbench.close();
    });

    const start = (app: App) => startOnBoth(workbench, programs, ours, app);
    const once = async (app: App, calls = 1) => {
      const sides = await start(app);
      let outcome: { readonly aws: Outcome; readonly ours: Outcome } | undefined;
      for (let call = 0; call < calls; call += 1) outcome = await sides.call({ n: 7 });
      sides.stop();
      if (outcome === undefined) throw new Error('no call');
      return { ...outcome, name: sides.name, output: sides.aws.running.output() };
    };

    describe.each(readdirSync(EXAMPLES))('the example %s', (name) => {
      let sides: BothSides;
      const dir = join(EXAMPLES, name);
      const files = Object.fromEntries(readdirSync(dir).map((file) => [file, readFileSync(join(dir, file), 'utf8')]));
      const variables = JSON.parse(files['app.json'] ?? '{}').env ?? {};

      beforeAll(async () => {
        sides = await start({ files, variables });
      });
      afterAll(() => sides.stop());

      test.each(EVENTS)('answers the same to %s', async (_what, sent) => {
        const { aws, ours: own } = await sides.call(sent);
        expect(own).toEqual(aws);
        expect(own.answer).toMatchObject({ statusCode: expect.any(Number) });
      });

      test('answers at its URL here as it would at that of AWS', async () => {
        const target = { FunctionName: sides.name };
        const { FunctionUrl: url = '' } = await ours.client.send(
          new CreateFunctionUrlConfigCommand({ ...target, AuthType: 'NONE' }),
        );
        const grant = { ...target, Principal: '*' };
        const invokeUrl = {
          StatementId: 'url',
          Action: 'lambda:InvokeFunctionUrl',
          FunctionUrlAuthType: 'NONE',
        } as const;
        await ours.client.send(new AddPermissionCommand({ ...grant, ...invokeUrl }));
        const invoke = { StatementId: 'fn', Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true } as const;
        await ours.client.send(new AddPermissionCommand({ ...grant, ...invoke }));
        for (const [method, path] of [
          ['GET', '/'],
          ['GET', '/healthz'],
          ['GET', '/hello?name=Zo%C3%AB'],
          ['POST', '/nowhere'],
        ] as const) {
          const reply = await send(`${url}${path.slice(1)}`, { method });
          const [rawPath = '', rawQuery = ''] = path.split('?');
          const { answer } = (await sides.call(event(method, rawPath, { rawQuery }))).aws as { answer: any };
          expect({ statusCode: reply.status, body: reply.text }).toEqual({
            statusCode: answer.statusCode,
            body: answer.body,
          });
          expect(reply.headers).toMatchObject(answer.headers);
        }
        await ours.client.send(new DeleteFunctionUrlConfigCommand(target));
      });
    });

    test('examples answer with what their files say, so that not both sides fail alike', async () => {
      const files = { 'index.mjs': readFileSync(join(EXAMPLES, 'json-api/index.mjs'), 'utf8') };
      const sides = await start({ files, variables: { GREETING: 'Grüß Gott' } });
      const { aws, ours: own } = await sides.call(event('GET', '/hello', { rawQuery: 'name=Ada' }));
      for (const { answer } of [aws, own])
        expect(answer).toMatchObject({ statusCode: 200, body: '{"greeting":"Grüß Gott, Ada!"}\n' });
      sides.stop();
    });

    test.each(SAME.map(complete))('%s', async (_what, files, expected, handlerName) => {
      const outcome = await once({ files, handler: handlerName }, 2);
      expect(outcome.aws).toMatchObject(expected);
      expect(outcome.ours).toEqual(outcome.aws);
    });

    test('sees the same variables and the same context', async () => {
      const files = handler(`const { env } = process;
      const { awsRequestId, getRemainingTimeInMillis, invokedFunctionArn, logGroupName, logStreamName, ...rest } = context;
      const left = context.getRemainingTimeInMillis();
      return {
        name: env.AWS_LAMBDA_FUNCTION_NAME.replace(/\\d+/, ''), version: env.AWS_LAMBDA_FUNCTION_VERSION,
        memory: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE, runtime: env.AWS_EXECUTION_ENV, tz: env.TZ, handler: env._HANDLER,
        region: env.AWS_REGION, own: env.OWN, root: env.LAMBDA_TASK_ROOT === process.cwd(), offset: new Date().getTimezoneOffset(),
        zone: Intl.DateTimeFormat().resolvedOptions().timeZone, node: process.version,
        id: /^[\\w-]{36}$/.test(awsRequestId), left: left > 1_000 && left <= 3_000, keys: Object.keys(context).sort(),
        rest: { ...rest, functionName: rest.functionName.replace(/\\d+/, ''), xRayTraceId: undefined },
      }`);
      const { aws, ours: own } = await once({ files, variables: { OWN: 'ä = "1"' } });
      expect(own.payload).toEqual(aws.payload);
      expect(own.payload).toMatchObject({
        ...{ name: 'app-', version: '$LATEST', memory: '128', runtime: 'AWS_Lambda_nodejs24.x', tz: ':UTC' },
        ...{ handler: 'index.handler', region: 'us-east-1', own: 'ä = "1"', root: true, offset: 0, zone: 'UTC' },
        ...{ id: true, left: true },
      });
    });

    test('writes the same lines in the same order, each with its time, its request and its level', async () => {
      const files = {
        'index.mjs': `console.warn('at the start', [1]);
        export const handler = async () => {
          console.log('one', { a: 1 }); console.error('two\\nlines'); console.info('%s and %d', 'text', 4); console.debug(); console.trace('t');
          console.fatal('f'); process.stdout.write('raw ä\\n'); console.error(Object.assign(new Error('shown'), { stack: 'Error: shown' }));
          throw Object.assign(new RangeError('last'), { code: 5, stack: 'none' });
        };`,
      };
      const { name, output } = await once({ files });
      const id = (text: string) =>
        text.replace(/^\d{4}-[\d:.T-]+Z\t/, '<time>\t').replace(/\t[\w-]{36}\t/, '\t<request>\t');
      const isOwn = (line: string) => /^<time>|^raw/.test(line);
      // CloudWatch shows the CR within a line as the line break that it was.
      const aws = output.split('\n').map((line) => id(line.replaceAll('\r', '\n')));
      const own = (ours.logs.read(`/aws/lambda/${name}`) ?? []).map(({ message }) => id(message));
      expect(own.filter(isOwn)).toEqual(aws.filter(isOwn));
      expect(own.filter(isOwn)).toHaveLength(10);
      expect(own[0]).toBe('<time>\t-\tWARN\tat the start [ 1 ]');
    });

    test.each(DIFFERENCES)('differs in $what, for $why', async ({ app, aws, ours: own }) => {
      const sides = await start(app);
      await sides.call({});
      const outcome = await sides.call({});
      sides.stop();
      expect(outcome.aws.payload).toEqual(aws);
      expect(outcome.ours.payload).toEqual(own);
      expect(own).not.toEqual(aws);
    });

    test("differs in how a failure is marked, for AWS's emulator has a status of its own and no header", async () => {
      const statuses = await Promise.all(
        ['throw new Error("x")', 'process.exit(1)'].map(async (body) => {
          const sides = await start({ files: handler(body) });
          const { status } = await sides.aws.invoke({});
          sides.stop();
          return status;
        }),
      );
      // Lambda, and so ours, answers both with 200 and the header X-Amz-Function-Error, which `ours` above was read by.
      expect(statuses).toEqual([200, 502]);
    });
  },
);
