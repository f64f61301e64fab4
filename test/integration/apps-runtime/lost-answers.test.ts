import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Code } from '../../../lib/apps/model.ts';
import { createLambdaRuntime, type LambdaRuntime } from '../../../lib/apps/runtime/lambda.ts';
import { artifactKey } from '../../../lib/apps/runtime/names.ts';
import type { FunctionInput } from '../../../lib/apps/runtime/runtime.ts';
import { type EmulatorForTest, startEmulatorForTest, zipOf } from '../../support/lambda-emulator.ts';

const objects = new Map<string, Uint8Array>();
let emulator: EmulatorForTest;
let runtime: LambdaRuntime;
let apps = 0;

beforeAll(async () => {
  emulator = await startEmulatorForTest({ readObject: async ({ key }) => objects.get(key) });
  runtime = createLambdaRuntime({ stage: 'test', client: emulator.connection, artifactBucket: 'artifacts' });
});

afterAll(async () => {
  runtime.close();
  await emulator.close();
});

function packageOf(text: string): Uint8Array {
  return zipOf({ 'index.mjs': `export const handler = async () => '${text}';` });
}

function shaOf(text: string): string {
  return createHash('sha256').update(packageOf(text)).digest('base64');
}

function upload(app: string, text: string): Extract<Code, { kind: 'zip' }> {
  const artifact = randomUUID();
  const zip = packageOf(text);
  objects.set(artifactKey(app, artifact), zip);
  return { kind: 'zip', artifact, versionId: 'v1', bytes: zip.length };
}

function inputFor(app: string): FunctionInput {
  return {
    code: upload(app, 'one'),
    settings: {
      port: 8080,
      env: {},
      memoryMb: 128,
      timeoutSeconds: 5,
      runtime: 'nodejs24.x',
      handler: 'index.handler',
      architecture: 'arm64',
    },
    variables: {},
    roleArn: 'arn:aws:iam::000000000000:role/roundhouse/test/role',
    logGroup: `/roundhouse/test/${app}`,
    layers: [],
    tags: {},
  };
}

interface Case {
  readonly operation: string;
  /** What there is before. */
  readonly prepare: (app: string) => Promise<unknown>;
  readonly act: (app: string) => Promise<unknown>;
  /** What a look shows afterwards: whether it was done. */
  readonly isDone: (app: string) => Promise<boolean>;
  /** What comes of calling again, after it was done. */
  readonly again: 'done' | 'conflict' | 'precondition';
}

const nothing = async () => {};
const create = (app: string) => runtime.create(app, inputFor(app));
const settle = async (app: string) => (await runtime.find(app))?.lastUpdateStatus;
const publish = async (app: string) => {
  await create(app);
  await settle(app);
  return await runtime.publish(app, { description: 'dep_1' });
};
const release = async (app: string) => {
  const { version } = await publish(app);
  return await runtime.setAlias(app, version);
};
const permissions = async (app: string) => (await runtime.findUrl(app))?.permissions;

const CASES: readonly Case[] = [
  {
    operation: 'CreateFunction',
    prepare: nothing,
    act: create,
    isDone: async (app) => (await runtime.find(app)) !== undefined,
    again: 'conflict',
  },
  {
    operation: 'UpdateFunctionCode',
    prepare: async (app) => {
      await create(app);
      await settle(app);
    },
    act: (app) => runtime.updateCode(app, upload(app, 'two'), { architecture: 'arm64' }),
    isDone: async (app) => (await runtime.find(app))?.codeSha256 === shaOf('two'),
    again: 'done',
  },
  {
    operation: 'PublishVersion',
    prepare: async (app) => {
      await create(app);
      await settle(app);
    },
    act: (app) => runtime.publish(app, { description: 'dep_1' }),
    isDone: async (app) => (await runtime.versions(app)).some(({ description }) => description === 'dep_1'),
    again: 'done',
  },
  {
    operation: 'CreateAlias',
    prepare: publish,
    act: (app) => runtime.setAlias(app, '1'),
    isDone: async (app) => (await runtime.findAlias(app))?.version === '1',
    again: 'conflict',
  },
  {
    operation: 'PutFunctionConcurrency',
    prepare: create,
    act: (app) => runtime.setConcurrency(app, 0),
    isDone: async (app) => (await runtime.find(app))?.reservedConcurrency === 0,
    again: 'done',
  },
  {
    operation: 'CreateFunctionUrlConfig',
    prepare: release,
    act: (app) => runtime.ensureUrl(app),
    isDone: async (app) => (await runtime.findUrl(app)) !== undefined,
    again: 'done',
  },
  {
    operation: 'AddPermission',
    prepare: release,
    act: (app) => runtime.ensureUrl(app),
    isDone: async (app) => (await permissions(app))?.invokeFunctionUrl === true,
    again: 'done',
  },
  {
    operation: 'DeleteFunction',
    prepare: release,
    act: (app) => runtime.remove(app),
    isDone: async (app) => (await runtime.find(app)) === undefined,
    again: 'done',
  },
];

describe.each(CASES)('$operation', ({ operation, prepare, act, isDone, again }) => {
  const begin = async (kind: 'lost' | 'cut') => {
    apps += 1;
    const app = `app-${apps}`;
    await prepare(app);
    const fault = emulator.faults.inject({ kind, operation, functionName: `roundhouse_test_${app}` });
    await expect(act(app)).rejects.toMatchObject({ name: 'RuntimeError', code: 'unavailable' });
    expect(fault.hits).toBe(1);
    return app;
  };

  test('whose answer is lost is unavailable, a look shows that it was done, and again it does no harm', async () => {
    const app = await begin('lost');
    expect(await isDone(app)).toBe(true);
    if (again === 'done') await act(app);
    else await expect(act(app)).rejects.toMatchObject({ code: again });
    expect(await isDone(app)).toBe(true);
  });

  test('that never came is unavailable too, a look shows that it was not done, and again it is done', async () => {
    const app = await begin('cut');
    expect(await isDone(app)).toBe(false);
    await act(app);
    expect(await isDone(app)).toBe(true);
  });
});

test('a move of the alias whose answer is lost was made, and is not taken for the move of another', async () => {
  const alias = await release('moved');
  await runtime.updateCode('moved', upload('moved', 'two'), { architecture: 'arm64' });
  await settle('moved');
  const { version } = await runtime.publish('moved', { description: 'dep_2' });
  emulator.faults.inject({ kind: 'lost', operation: 'UpdateAlias', functionName: 'roundhouse_test_moved' });
  // With a second attempt by the SDK this would be `precondition`: the worker would believe that it lost a race.
  await expect(runtime.setAlias('moved', version, alias.revisionId)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await runtime.findAlias('moved')).toMatchObject({ version });
});

test('after a lost publication the same version is given again, and there is no second one', async () => {
  await create('once');
  await settle('once');
  emulator.faults.inject({ kind: 'lost', operation: 'PublishVersion', functionName: 'roundhouse_test_once' });
  await expect(runtime.publish('once', { description: 'dep_1' })).rejects.toMatchObject({ code: 'unavailable' });
  expect(await runtime.publish('once', { description: 'dep_1' })).toMatchObject({ version: '1' });
  expect(await runtime.versions('once')).toHaveLength(1);
});

test('a URL that was begun gets what it lacks at the next try, and each permission once (R12)', async () => {
  await release('halves');
  for (const operation of ['CreateFunctionUrlConfig', 'AddPermission', 'AddPermission']) {
    emulator.faults.inject({ kind: 'lost', operation, functionName: 'roundhouse_test_halves' });
    await expect(runtime.ensureUrl('halves')).rejects.toMatchObject({ code: 'unavailable' });
  }
  await runtime.ensureUrl('halves');
  expect(await permissions('halves')).toEqual({ invokeFunctionUrl: true, invokeFunction: true });
});

test.each(['throttle', 'error', 'cut', 'lost'] as const)(
  'a look gets over two answers of the kind "%s"',
  async (kind) => {
    const app = `looked-at-${kind}`;
    await create(app);
    const fault = emulator.faults.inject({
      kind,
      operation: 'GetFunction',
      times: 2,
      functionName: `roundhouse_test_${app}`,
    });
    expect(await runtime.find(app)).toMatchObject({ packageType: 'Zip' });
    expect(fault.hits).toBe(2);
  },
);
