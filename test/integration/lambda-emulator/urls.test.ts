import {
  AddPermissionCommand,
  CreateAliasCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionUrlConfigCommand,
  GetFunctionUrlConfigCommand,
  PublishVersionCommand,
  PutFunctionConcurrencyCommand,
  RemovePermissionCommand,
} from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { send } from '../../support/http-client.ts';
import { type EmulatorForTest, startEmulatorForTest } from '../../support/lambda-emulator.ts';
import { create, refusal } from './support.ts';

const live = { FunctionName: 'web', Qualifier: 'live' };
const PERMISSIONS = {
  url: { StatementId: 'url', Action: 'lambda:InvokeFunctionUrl', Principal: '*', FunctionUrlAuthType: 'NONE' },
  fn: { StatementId: 'fn', Action: 'lambda:InvokeFunction', Principal: '*', InvokedViaFunctionUrl: true },
} as const;

const OPEN = 'export const handler = async () => ({ tea: "green" });';

let emulator: EmulatorForTest;
beforeEach(async () => {
  emulator = await startEmulatorForTest();
});
afterEach(() => emulator.close());

const allow = (which: keyof typeof PERMISSIONS) =>
  emulator.client.send(new AddPermissionCommand({ ...live, ...PERMISSIONS[which] }));

/** A function with an alias and its URL, open to all. */
async function serve(module: string, more: object = {}): Promise<string> {
  await create(emulator, 'web', { 'index.mjs': module }, more);
  const { client } = emulator;
  await client.send(new PublishVersionCommand({ FunctionName: 'web' }));
  await client.send(new CreateAliasCommand({ FunctionName: 'web', Name: 'live', FunctionVersion: '1' }));
  const { FunctionUrl } = await client.send(new CreateFunctionUrlConfigCommand({ ...live, AuthType: 'NONE' }));
  await allow('url');
  await allow('fn');
  return FunctionUrl ?? '';
}

test('a request becomes an event of payload 2.0, and the result its answer', async () => {
  const url = await serve(`export const handler = async (event) => ({
    statusCode: 201,
    headers: { 'X-Own': 'yes', 'content-type': 'text/plain; charset=utf-8' },
    cookies: ['a=1; HttpOnly', 'b=2'],
    body: JSON.stringify(event),
  });`);
  const answer = await send(`${url}tea/pot?cups=2&cups=3&milk=`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', cookie: 'c=3; d=4' },
    body: '{"ä":1}',
  });
  expect(answer.status).toBe(201);
  expect(answer.headers).toMatchObject({ 'x-own': 'yes', 'set-cookie': ['a=1; HttpOnly', 'b=2'] });
  expect(JSON.parse(answer.text)).toMatchObject({
    version: '2.0',
    rawPath: '/tea/pot',
    rawQueryString: 'cups=2&cups=3&milk=',
    queryStringParameters: { cups: '2,3', milk: '' },
    cookies: ['c=3', 'd=4'],
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method: 'PUT', path: '/tea/pot' } },
    body: '{"ä":1}',
    isBase64Encoded: false,
  });
});

describe('a result', () => {
  test.each<[string, string, { status: number; type: string; text: string }]>([
    [
      'without statusCode is the body of a 200',
      '{ tea: "green" }',
      { status: 200, type: 'application/json', text: '{"tea":"green"}' },
    ],
    ['that is a text is the body as it is', '"plain"', { status: 200, type: 'application/json', text: 'plain' }],
    ['that is nothing is null', 'undefined', { status: 200, type: 'application/json', text: 'null' }],
    [
      'with a status alone has an empty body',
      '{ statusCode: 404 }',
      { status: 404, type: 'application/json', text: '' },
    ],
    [
      'in base64 is bytes',
      '{ statusCode: 200, isBase64Encoded: true, body: "w6Q=", headers: { "content-type": "text/x" } }',
      { status: 200, type: 'text/x', text: 'ä' },
    ],
    [
      'with numbers in its headers has them as text',
      '{ statusCode: 200, body: "", headers: { "content-type": 7 } }',
      { status: 200, type: '7', text: '' },
    ],
    [
      'with a status that is none is 502',
      '{ statusCode: "tea" }',
      { status: 502, type: 'application/json', text: '{"Message":"Internal Server Error"}' },
    ],
    [
      'with a header that cannot be sent is 502',
      '{ statusCode: 200, headers: { a: "\\n" }, body: "" }',
      { status: 502, type: 'application/json', text: '{"Message":"Internal Server Error"}' },
    ],
  ])('%s', async (_what, result, { status, type, text }) => {
    const url = await serve(`export const handler = async () => (${result});`);
    const answer = await fetch(url);
    expect({ status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }).toEqual({
      status,
      type,
      text,
    });
  });
});

test.each([
  ['throws', 'throw new Error("bad tea")'],
  ['exits', 'process.exit(1)'],
  ['takes too long', 'await new Promise(() => setInterval(() => {}, 1e3))'],
])('an app that %s is a 502', async (_what, body) => {
  const url = await serve(`export const handler = async () => { ${body} };`, { Timeout: 1 });
  const { status, json } = await send(url, { method: 'GET' });
  expect({ status, json }).toEqual({ status: 502, json: { Message: 'Internal Server Error' } });
});

test('a URL is forbidden till both permissions are there, and when one is gone', async () => {
  const url = await serve(OPEN);
  const status = async () => (await send(url, { method: 'GET' })).status;
  expect(await status()).toBe(200);
  for (const which of ['url', 'fn'] as const) {
    await emulator.client.send(new RemovePermissionCommand({ ...live, StatementId: which }));
    const answer = await send(url, { method: 'GET' });
    expect(answer.status).toBe(403);
    expect(answer.json.Message).toMatch(/^Forbidden/);
    await allow(which);
    expect(await status()).toBe(200);
  }
});

test('permissions of the function are none of its alias', async () => {
  const url = await serve(OPEN);
  await emulator.client.send(new RemovePermissionCommand({ ...live, StatementId: 'fn' }));
  await emulator.client.send(new AddPermissionCommand({ FunctionName: 'web', ...PERMISSIONS.fn }));
  expect((await send(url, { method: 'GET' })).status).toBe(403);
});

test('a stopped function answers 429, and again when it was started', async () => {
  const url = await serve(OPEN);
  const reserve = (ReservedConcurrentExecutions: number) =>
    emulator.client.send(new PutFunctionConcurrencyCommand({ FunctionName: 'web', ReservedConcurrentExecutions }));
  await reserve(0);
  const answer = await send(url, { method: 'GET' });
  expect(answer.status).toBe(429);
  expect(answer.headers['x-amzn-errortype']).toBe('TooManyRequestsException');
  expect(answer.json).toMatchObject({ Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded' });
  await reserve(2);
  expect((await send(url, { method: 'GET' })).status).toBe(200);
});

test('a request over 6 MB is a 413 and reaches no app', async () => {
  const url = await serve(OPEN);
  expect((await send(url, { body: Buffer.alloc(6_291_457) })).status).toBe(413);
  expect(emulator.invocations.read()).toEqual([]);
});

test('a URL is made once, read, and gone after its removal', async () => {
  const url = await serve(OPEN);
  const { client } = emulator;
  expect(await client.send(new GetFunctionUrlConfigCommand(live))).toMatchObject({
    FunctionUrl: url,
    AuthType: 'NONE',
  });
  const again = client.send(new CreateFunctionUrlConfigCommand({ ...live, AuthType: 'NONE' }));
  expect(await refusal(again)).toContain('ResourceConflictException 409: Failed to create function url config');
  await client.send(new DeleteFunctionUrlConfigCommand(live));
  await expect(send(url, { method: 'GET' })).rejects.toThrow('ECONNREFUSED');
  expect(await refusal(client.send(new GetFunctionUrlConfigCommand(live)))).toMatch(/^ResourceNotFoundException 404/);
});

test.each([
  ['a version', '1', 'ValidationException 400'],
  ['an alias that is not there', 'dead', 'ResourceNotFoundException 404'],
])('%s gets no URL', async (_what, Qualifier, message) => {
  await create(emulator, 'web');
  await emulator.client.send(new PublishVersionCommand({ FunctionName: 'web' }));
  const command = new CreateFunctionUrlConfigCommand({ FunctionName: 'web', Qualifier, AuthType: 'NONE' });
  expect(await refusal(emulator.client.send(command))).toContain(message);
});

test('a URL that needs a signature is forbidden to all here', async () => {
  await create(emulator, 'web');
  const command = new CreateFunctionUrlConfigCommand({ FunctionName: 'web', AuthType: 'AWS_IAM' });
  const { FunctionUrl } = await emulator.client.send(command);
  expect((await send(FunctionUrl ?? '', { method: 'GET' })).status).toBe(403);
});
