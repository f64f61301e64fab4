import {
  GetFunctionCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  ListFunctionsCommand,
  PublishVersionCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FaultRule } from '../../../lib/dev/lambda/faults.ts';
import { type EmulatorForTest, startEmulatorForTest, zipOf } from '../../support/lambda-emulator.ts';
import { call, create, refusal } from './support.ts';

const web = { FunctionName: 'web' };
let emulator: EmulatorForTest;
beforeEach(async () => {
  emulator = await startEmulatorForTest();
  await create(emulator, 'web', { 'index.mjs': 'export const handler = async () => "old";' });
  emulator.calls.clear();
});
afterEach(() => emulator.close());

const update = () => emulator.client.send(new UpdateFunctionConfigurationCommand({ ...web, Timeout: 9 }));
const look = () => emulator.client.send(new GetFunctionConfigurationCommand(web));

describe('a fault', () => {
  test.each<[FaultRule['kind'], RegExp]>([
    ['throttle', /^TooManyRequestsException 429: Rate Exceeded/],
    ['conflict', /^ResourceConflictException 409: The operation cannot be performed at this time/],
    ['error', /^ServiceException 500/],
    ['cut', /ECONNRESET|socket hang up/],
  ])('%s meets the next call of its operation and function, and nothing is done', async (kind, message) => {
    await create(emulator, 'other');
    emulator.faults.inject({ kind, operation: 'UpdateFunctionConfiguration', functionName: 'web' });
    const { client } = emulator;
    await client.send(new UpdateFunctionConfigurationCommand({ FunctionName: 'other', Timeout: 9 }));
    expect(await refusal(update())).toMatch(message);
    expect((await look()).Timeout).toBe(3);
    await update();
    expect((await look()).Timeout).toBe(9);
  });

  test('lost cuts the connection when the call is carried out', async () => {
    emulator.faults.inject({ kind: 'lost', operation: 'UpdateFunctionConfiguration' });
    expect(await refusal(update())).toMatch(/ECONNRESET|socket hang up/);
    expect((await look()).Timeout).toBe(9);
  });

  test('meets as many calls as it says, after as many as it says', async () => {
    emulator.faults.inject({ kind: 'error', operation: 'ListFunctions', after: 1, times: 2 });
    const list = async () => (await refusal(emulator.client.send(new ListFunctionsCommand({})))).split(' ')[0];
    expect([await list(), await list(), await list(), await list()]).toEqual([
      'it',
      'ServiceException',
      'ServiceException',
      'it',
    ]);
  });

  test('slow keeps an update InProgress for so many looks', async () => {
    emulator.faults.inject({ kind: 'slow', operation: 'UpdateFunctionConfiguration', looks: 2 });
    await update();
    const states = [];
    for (let time = 0; time < 3; time++) states.push((await look()).LastUpdateStatus);
    expect(states).toEqual(['InProgress', 'InProgress', 'Successful']);
  });

  test('slow keeps an update InProgress till it is released', async () => {
    const fault = emulator.faults.inject({ kind: 'slow', operation: 'UpdateFunctionConfiguration' });
    await update();
    expect([(await look()).LastUpdateStatus, (await look()).LastUpdateStatus]).toEqual(['InProgress', 'InProgress']);
    expect(await refusal(update())).toMatch(/^ResourceConflictException/);
    fault.release();
    expect((await look()).LastUpdateStatus).toBe('Successful');
  });

  test('slow with a failure ends an update as Failed, and the function is as it was', async () => {
    const failure = { code: 'InternalError', reason: 'no capacity' };
    emulator.faults.inject({ kind: 'slow', operation: 'UpdateFunctionCode', failure });
    const code = zipOf({ 'index.mjs': 'export const handler = async () => "new";' });
    const before = await look();
    await emulator.client.send(new UpdateFunctionCodeCommand({ ...web, ZipFile: code }));
    expect(await look()).toMatchObject({
      LastUpdateStatus: 'Failed',
      LastUpdateStatusReasonCode: 'InternalError',
      LastUpdateStatusReason: 'no capacity',
      State: 'Active',
      CodeSha256: before.CodeSha256,
    });
    expect((await call(emulator, 'web')).result).toBe('old');
  });

  test('slow keeps a version Pending, and its call is refused', async () => {
    const fault = emulator.faults.inject({ kind: 'slow', operation: 'PublishVersion' });
    await emulator.client.send(new PublishVersionCommand(web));
    const find = () => emulator.client.send(new GetFunctionCommand({ ...web, Qualifier: '1' }));
    expect((await find()).Configuration?.State).toBe('Pending');
    expect(await refusal(call(emulator, 'web', {}, '1'))).toContain('in the following state: Pending');
    fault.release();
    expect((await find()).Configuration?.State).toBe('Active');
  });

  test('slow with a failure ends a version as Failed', async () => {
    const failure = { code: 'InternalError', reason: 'no capacity' };
    emulator.faults.inject({ kind: 'slow', operation: 'PublishVersion', failure });
    await emulator.client.send(new PublishVersionCommand(web));
    const { Configuration } = await emulator.client.send(new GetFunctionCommand({ ...web, Qualifier: '1' }));
    expect(Configuration).toMatchObject({
      State: 'Failed',
      StateReason: 'no capacity',
      StateReasonCode: 'InternalError',
    });
  });

  test('crash ends the process in the middle of the call, and the next call has another', async () => {
    await call(emulator, 'web');
    emulator.faults.inject({ kind: 'crash', operation: 'Invoke' });
    const { error, result } = await call(emulator, 'web');
    expect(error).toBe('Unhandled');
    expect(result).toMatchObject({ errorType: 'Runtime.ExitError' });
    expect(result.errorMessage).toContain('signal: killed');
    expect((await call(emulator, 'web')).result).toBe('old');
  });
});

test('an inactive function refuses the call that wakes it', async () => {
  await emulator.client.send(new PublishVersionCommand(web));
  emulator.deactivate('web', '1');
  const find = () => emulator.client.send(new GetFunctionConfigurationCommand({ ...web, Qualifier: '1' }));
  expect(await find()).toMatchObject({ State: 'Inactive', StateReasonCode: 'Idle' });
  expect(await refusal(call(emulator, 'web', {}, '1'))).toContain('in the following state: Inactive');
  expect((await find()).State).toBe('Active');
  expect((await call(emulator, 'web', {}, '1')).result).toBe('old');
});

test('calls are recorded with operation, function and status, refused ones too', async () => {
  await look();
  await refusal(emulator.client.send(new InvokeCommand({ FunctionName: 'none' })));
  emulator.faults.inject({ kind: 'cut', operation: 'ListFunctions' });
  await refusal(emulator.client.send(new ListFunctionsCommand({})));
  expect(emulator.calls.all).toEqual([
    { operation: 'GetFunctionConfiguration', functionName: 'web', at: expect.any(Number), status: 200 },
    { operation: 'Invoke', functionName: 'none', at: expect.any(Number), status: 404 },
    { operation: 'ListFunctions', at: expect.any(Number) },
  ]);
  expect([emulator.calls.count(), emulator.calls.count('Invoke'), emulator.calls.count(undefined, 'web')]).toEqual([
    3, 1, 1,
  ]);
});
