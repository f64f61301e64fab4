import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AddPermissionCommand,
  CreateAliasCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionCommand,
  GetAliasCommand,
  GetFunctionCommand,
  GetFunctionUrlConfigCommand,
  GetPolicyCommand,
  ListFunctionsCommand,
  PublishVersionCommand,
  PutFunctionConcurrencyCommand,
  UpdateFunctionCodeCommand,
} from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmulatorForTest, startEmulatorForTest, zipOf } from '../../support/lambda-emulator.ts';
import { call, create } from './support.ts';

const web = { FunctionName: 'web' };
const live = { ...web, Qualifier: 'live' };
let dir: string;
let emulator: EmulatorForTest;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roundhouse-test-'));
  emulator = await startEmulatorForTest({ dir });
});
afterEach(async () => {
  await emulator.close();
  await rm(dir, { recursive: true });
});

async function restart(): Promise<void> {
  await emulator.close();
  emulator = await startEmulatorForTest({ dir });
}

async function describeAll() {
  const { client } = emulator;
  const answers = await Promise.all([
    client.send(new GetFunctionCommand(web)),
    client.send(new GetFunctionCommand({ ...web, Qualifier: '1' })),
    client.send(new GetAliasCommand({ ...web, Name: 'live' })),
    client.send(new GetPolicyCommand(live)),
    client.send(new GetFunctionUrlConfigCommand(live)),
  ]);
  return answers.map(({ $metadata, ...answer }) => answer);
}

async function deploy(): Promise<void> {
  await create(emulator, 'web', { 'index.mjs': 'export const handler = async () => "one";' }, { Tags: { a: 'b' } });
  const { client } = emulator;
  await client.send(new PublishVersionCommand(web));
  await client.send(new CreateAliasCommand({ ...web, Name: 'live', FunctionVersion: '1' }));
  await client.send(new CreateFunctionUrlConfigCommand({ ...live, AuthType: 'NONE' }));
  const permission = { StatementId: 'a', Action: 'lambda:InvokeFunction', Principal: '*' };
  await client.send(new AddPermissionCommand({ ...live, ...permission }));
  await client.send(new PutFunctionConcurrencyCommand({ ...web, ReservedConcurrentExecutions: 3 }));
  await client.send(
    new UpdateFunctionCodeCommand({
      ...web,
      ZipFile: zipOf({ 'index.mjs': 'export const handler = async () => "two";' }),
    }),
  );
}

test('everything about a function survives a restart, with its code and the port of its URL', async () => {
  await deploy();
  const before = await describeAll();
  await restart();
  expect(await describeAll()).toEqual(before);
  expect((await call(emulator, 'web', {}, 'live')).result).toBe('one');
  expect((await call(emulator, 'web')).result).toBe('two');
  expect((await emulator.client.send(new PublishVersionCommand(web))).Version).toBe('2');
});

test('a URL whose port was taken meanwhile gets another', async () => {
  await deploy();
  const read = async () => (await emulator.client.send(new GetFunctionUrlConfigCommand(live))).FunctionUrl ?? '';
  const before = await read();
  await emulator.close();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(Number(new URL(before).port), '127.0.0.1', resolve));
  emulator = await startEmulatorForTest({ dir });
  expect(await read()).not.toBe(before);
  await new Promise((resolve) => other.close(resolve));
});

test('what was deleted stays deleted, and its code goes unless another needs it', async () => {
  await create(emulator, 'web');
  await create(emulator, 'same');
  await create(emulator, 'own', { 'index.mjs': 'export const handler = async () => "own";' });
  const codes = () => readdir(join(dir, 'task'));
  expect(await codes()).toHaveLength(2);
  for (const FunctionName of ['web', 'own']) await emulator.client.send(new DeleteFunctionCommand({ FunctionName }));
  expect(await codes()).toHaveLength(1);
  await restart();
  const { Functions } = await emulator.client.send(new ListFunctionsCommand({}));
  expect(Functions?.map(({ FunctionName }) => FunctionName)).toEqual(['same']);
  expect((await call(emulator, 'same')).result).toBe('ok');
});

test('an update that ran when the emulator ended is done after it', async () => {
  await create(emulator, 'web');
  emulator.faults.inject({ kind: 'slow', operation: 'UpdateFunctionCode' });
  await emulator.client.send(
    new UpdateFunctionCodeCommand({
      ...web,
      ZipFile: zipOf({ 'index.mjs': 'export const handler = async () => "two";' }),
    }),
  );
  await restart();
  const { Configuration } = await emulator.client.send(new GetFunctionCommand(web));
  expect(Configuration?.LastUpdateStatus).toBe('Successful');
  expect((await call(emulator, 'web')).result).toBe('two');
});

test('a file that is none of ours stops the start, and is named', async () => {
  await create(emulator, 'web');
  await emulator.close();
  const file = join(dir, 'functions', 'web.json');
  await writeFile(file, '{');
  await expect(startEmulatorForTest({ dir })).rejects.toThrow(file);
  await rm(file);
  emulator = await startEmulatorForTest({ dir });
});
