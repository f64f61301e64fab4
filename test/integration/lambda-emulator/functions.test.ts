import {
  AddPermissionCommand,
  CreateAliasCommand,
  CreateFunctionCommand,
  CreateFunctionUrlConfigCommand,
  DeleteAliasCommand,
  DeleteFunctionCommand,
  DeleteFunctionConcurrencyCommand,
  DeleteFunctionUrlConfigCommand,
  GetAccountSettingsCommand,
  GetAliasCommand,
  GetFunctionCommand,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  GetFunctionUrlConfigCommand,
  GetPolicyCommand,
  InvokeCommand,
  ListAliasesCommand,
  ListFunctionsCommand,
  ListTagsCommand,
  ListVersionsByFunctionCommand,
  PublishVersionCommand,
  PutFunctionConcurrencyCommand,
  RemovePermissionCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateAliasCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorForTest, functionInput, startEmulatorForTest, zipOf } from '../../support/lambda-emulator.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { call, create, OK_HANDLER, refusal } from './support.ts';

const ARN = 'arn:aws:lambda:us-east-1:000000000000:function:web';
const ECR = '000000000000.dkr.ecr.us-east-1.amazonaws.com/web';
const LAYER = 'arn:aws:lambda:us-east-1:000000000000:layer:secrets:1';
const web = { FunctionName: 'web' };

let emulator: EmulatorForTest;
const send: EmulatorForTest['client']['send'] = ((command: any) => emulator.client.send(command)) as never;

beforeEach(async () => {
  emulator = await startEmulatorForTest({
    images: (uri) => uri === `${ECR}:1`,
    layers: { [LAYER]: import.meta.dirname },
    readObject: async ({ bucket, key, versionId }) =>
      bucket === 'code' && key === 'apps/web/a.zip' && (versionId ?? 'v1') === 'v1'
        ? zipOf({ 'index.mjs': 'export const handler = async () => "from s3";' })
        : undefined,
  });
});
afterEach(() => emulator.close());

const state = async () => (await send(new GetFunctionConfigurationCommand(web))) as any;
const revision = async () => (await state()).RevisionId as string;

describe('a creation', () => {
  test('is Pending in its answer, and shows what was asked for', async () => {
    const settings = {
      Timeout: 9,
      MemorySize: 512,
      Architectures: ['arm64'],
      Environment: { Variables: { A_B: '1' } },
      Tags: { 'roundhouse:app': 'web' },
      LoggingConfig: { LogGroup: '/roundhouse/dev/web' },
      Layers: [LAYER],
    };
    const made = await send(new CreateFunctionCommand(functionInput('web', { 'index.mjs': '' }, settings)));
    expect(made).toMatchObject({ State: 'Pending', StateReasonCode: 'Creating', FunctionArn: ARN, Version: '$LATEST' });
    const found = await send(new GetFunctionCommand(web));
    expect(found).toMatchObject({
      Configuration: {
        State: 'Active',
        LastUpdateStatus: 'Successful',
        Timeout: 9,
        MemorySize: 512,
        Architectures: ['arm64'],
        Environment: { Variables: { A_B: '1' } },
        LoggingConfig: { LogGroup: '/roundhouse/dev/web' },
        Layers: [{ Arn: LAYER }],
        PackageType: 'Zip',
      },
      Tags: { 'roundhouse:app': 'web' },
      Code: { RepositoryType: 'S3', Location: expect.stringContaining('https://') },
    });
    expect(found.Concurrency).toBeUndefined();
  });

  test.each([
    ['an object', { S3Bucket: 'code', S3Key: 'apps/web/a.zip' }],
    ['a version of an object', { S3Bucket: 'code', S3Key: 'apps/web/a.zip', S3ObjectVersion: 'v1' }],
  ])('takes its code from %s of S3', async (_what, Code) => {
    await create(emulator, 'web', {}, { Code });
    expect((await call(emulator, 'web')).result).toBe('from s3');
  });

  const vars = (Variables: Record<string, string>) => ({ Environment: { Variables } });
  const tooMuch = { 'a.js': new Uint8Array(263_000_000) };
  test.each<[string, object, string]>([
    ['a name with a dot', { FunctionName: 'we.b' }, 'ValidationException 400'],
    ['no role', { Role: undefined }, 'ValidationException 400'],
    ['a role that is no ARN', { Role: 'admin' }, 'ValidationException 400'],
    [
      '127 MB',
      { MemorySize: 127 },
      "ValidationException 400: 1 validation error detected: Value '127' at 'memorySize'",
    ],
    ['10,241 MB', { MemorySize: 10_241 }, 'ValidationException 400'],
    ['0 seconds', { Timeout: 0 }, 'ValidationException 400'],
    ['901 seconds', { Timeout: 901 }, 'ValidationException 400'],
    ['a handler with a space', { Handler: 'index handler' }, 'ValidationException 400'],
    ['no handler', { Handler: undefined }, 'InvalidParameterValueException 400: Runtime and Handler are mandatory'],
    ['an unknown runtime', { Runtime: 'nodejs8.10' }, 'InvalidParameterValueException 400: Value nodejs8.10'],
    ['an unknown architecture', { Architectures: ['riscv'] }, 'ValidationException 400'],
    ['a variable of Lambda', vars({ AWS_REGION: 'x' }), 'Reserved keys used in this request: AWS_REGION'],
    ['a variable of one letter', vars({ A: 'x' }), 'ValidationException 400'],
    ['4,097 bytes of variables', vars({ KEY: 'x'.repeat(4_097 - '{"KEY":""}'.length) }), 'exceeded the 4KB limit'],
    ['a layer that is not there', { Layers: [`${LAYER}0`] }, `Layer version ${LAYER}0 does not exist.`],
    ['no code', { Code: {} }, 'Please provide a source for function code.'],
    ['an object that is not there', { Code: { S3Bucket: 'code', S3Key: 'b.zip' } }, 'S3 Error Code: NoSuchKey'],
    [
      'a version of an object that is not there',
      { Code: { S3Bucket: 'code', S3Key: 'apps/web/a.zip', S3ObjectVersion: 'v2' } },
      'S3 Error Code: NoSuchVersion',
    ],
    ['a package that is no zip', { Code: { ZipFile: new Uint8Array(100) } }, 'Could not unzip uploaded file'],
    ['an empty package', { Code: { ZipFile: zipOf({}) } }, 'Uploaded file must be a non-empty zip'],
    ['a package that is too large unpacked', { Code: { ZipFile: zipOf(tooMuch) } }, 'smaller than 262144000 bytes'],
    ['an image as a zip function', { Code: { ImageUri: `${ECR}:1` } }, 'Please do not provide ImageUri'],
    [
      'an image that is not there',
      { PackageType: 'Image', Runtime: undefined, Handler: undefined, Code: { ImageUri: `${ECR}:2` } },
      `Source image ${ECR}:2 does not exist. Provide a valid source image.`,
    ],
    [
      'an image of another registry',
      { PackageType: 'Image', Runtime: undefined, Handler: undefined, Code: { ImageUri: 'docker.io/web:1' } },
      'Source image docker.io/web:1 is not valid.',
    ],
  ])('with %s is refused, and nothing is left', async (_what, change, message) => {
    const input = functionInput('web', { 'index.mjs': OK_HANDLER }, change);
    expect(await refusal(send(new CreateFunctionCommand(input as never)))).toContain(message);
    expect((await send(new ListFunctionsCommand({}))).Functions).toEqual([]);
  });

  test('with 4,096 bytes of variables is accepted', async () => {
    await create(emulator, 'web', undefined, vars({ KEY: 'x'.repeat(4_096 - '{"KEY":""}'.length) }));
  });

  test('of a name that is there conflicts', async () => {
    await create(emulator, 'web');
    const again = send(new CreateFunctionCommand(functionInput('web', { 'index.mjs': OK_HANDLER })));
    expect(await refusal(again)).toBe('ResourceConflictException 409: Function already exist: web');
  });

  test('is refused when the code storage is full', async () => {
    const small = await startEmulatorForTest({ limits: { codeBytes: 300 } });
    await create(small, 'web');
    const other = small.client.send(new CreateFunctionCommand(functionInput('other', { 'index.mjs': OK_HANDLER })));
    expect(await refusal(other)).toBe('CodeStorageExceededException 400: Code storage limit exceeded.');
    await small.close();
  });
});

describe('an update', () => {
  test('is InProgress till its time has come, and refuses others meanwhile', async () => {
    const clock = createTestClock();
    const slow = await startEmulatorForTest({ clock, updateMs: 300 });
    const { client } = slow;
    const look = () => client.send(new GetFunctionConfigurationCommand(web));
    await client.send(new CreateFunctionCommand(functionInput('web', { 'index.mjs': OK_HANDLER })));
    const early = client.send(new UpdateFunctionConfigurationCommand({ ...web, Timeout: 5 }));
    expect(await refusal(early)).toContain(
      '409: The operation cannot be performed at this time. The function is currently',
    );
    expect(await refusal(client.send(new InvokeCommand(web)))).toContain('in the following state: Pending');
    await clock.advance(300);
    const before = await look();
    const started = await client.send(new UpdateFunctionConfigurationCommand({ ...web, Timeout: 5 }));
    expect(started).toMatchObject({ LastUpdateStatus: 'InProgress', State: 'Active', Timeout: 5 });
    await clock.advance(299);
    for (const command of [
      new UpdateFunctionConfigurationCommand({ ...web, Timeout: 6 }),
      new UpdateFunctionCodeCommand({ ...web, ZipFile: zipOf({ a: '' }) }),
      new PublishVersionCommand(web),
    ]) {
      const text = `The operation cannot be performed at this time. An update is in progress for resource: ${ARN}`;
      expect(await refusal(client.send(command as never))).toBe(`ResourceConflictException 409: ${text}`);
    }
    expect(await look()).toMatchObject({ LastUpdateStatus: 'InProgress' });
    await clock.advance(1);
    const after = await look();
    expect(after).toMatchObject({ LastUpdateStatus: 'Successful', Timeout: 5 });
    expect(new Set([before.RevisionId, started.RevisionId, after.RevisionId]).size).toBe(3);
    await slow.close();
  });

  test('is carried out by the old code till it is done', async () => {
    const clock = createTestClock();
    const slow = await startEmulatorForTest({ clock, updateMs: 300 });
    await slow.client.send(new CreateFunctionCommand(functionInput('web', { 'index.mjs': OK_HANDLER })));
    await clock.advance(300);
    const code = zipOf({ 'index.mjs': 'export const handler = async () => "new";' });
    await slow.client.send(new UpdateFunctionCodeCommand({ ...web, ZipFile: code }));
    expect((await call(slow, 'web')).result).toBe('ok');
    await clock.advance(300);
    expect((await call(slow, 'web')).result).toBe('new');
    await slow.close();
  });

  test('changes what it names and nothing else', async () => {
    await create(emulator, 'web', undefined, { MemorySize: 256, Environment: { Variables: { KEY: '1' } } });
    await send(new UpdateFunctionConfigurationCommand({ ...web, Timeout: 7 }));
    expect(await state()).toMatchObject({ Timeout: 7, MemorySize: 256, Environment: { Variables: { KEY: '1' } } });
    await send(new UpdateFunctionConfigurationCommand({ ...web, Environment: { Variables: {} } }));
    expect((await state()).Environment).toBeUndefined();
  });

  test.each([
    ['code', () => new UpdateFunctionCodeCommand({ ...web, ZipFile: zipOf({ a: '' }), RevisionId: 'old' })],
    ['settings', () => new UpdateFunctionConfigurationCommand({ ...web, Timeout: 4, RevisionId: 'old' })],
    ['publication', () => new PublishVersionCommand({ ...web, RevisionId: 'old' })],
  ])('of the %s with another revision is refused', async (_what, command) => {
    await create(emulator, 'web');
    const before = await state();
    const text = 'PreconditionFailedException 412: The Revision Id provided does not match the latest Revision Id.';
    expect(await refusal(send(command() as never))).toContain(text);
    expect(await state()).toMatchObject({ RevisionId: before.RevisionId, CodeSha256: before.CodeSha256 });
  });

  test('with the present revision is carried out', async () => {
    await create(emulator, 'web');
    await send(new UpdateFunctionConfigurationCommand({ ...web, Timeout: 4, RevisionId: await revision() }));
    expect((await state()).Timeout).toBe(4);
  });

  test.each([
    ['an image for a zip function', {}, { ImageUri: `${ECR}:1` }, 'packageType Zip'],
    [
      'a zip for an image function',
      { PackageType: 'Image', Runtime: undefined, Handler: undefined, Code: { ImageUri: `${ECR}:1` } },
      { ZipFile: zipOf({ a: '' }) },
      'packageType Image',
    ],
  ])('with %s is refused', async (_what, first, change, message) => {
    await create(emulator, 'web', undefined, first);
    const text = await refusal(send(new UpdateFunctionCodeCommand({ ...web, ...change })));
    expect(text).toContain('InvalidParameterValueException 400');
    expect(text).toContain(message);
  });
});

describe('versions', () => {
  test('are published with a description, and the last one again when nothing was updated since', async () => {
    await create(emulator, 'web');
    const first = await send(new PublishVersionCommand({ ...web, Description: 'dep_1' }));
    expect(first).toMatchObject({ Version: '1', Description: 'dep_1', State: 'Pending', FunctionArn: `${ARN}:1` });
    const again = await send(new PublishVersionCommand({ ...web, Description: 'dep_2' }));
    expect(again).toMatchObject({ Version: '1', Description: 'dep_1', State: 'Active' });
  });

  test('give $LATEST another revision when they are new, and the same when not', async () => {
    await create(emulator, 'web');
    const revisions = [await revision()];
    for (let time = 0; time < 2; time++) {
      await send(new PublishVersionCommand(web));
      revisions.push(await revision());
    }
    expect(revisions[1]).not.toBe(revisions[0]);
    expect(revisions[2]).toBe(revisions[1]);
  });

  test('are new after an update that changes no byte', async () => {
    const zip = zipOf({ 'index.mjs': OK_HANDLER });
    await create(emulator, 'web');
    await send(new PublishVersionCommand(web));
    await send(new UpdateFunctionCodeCommand({ ...web, ZipFile: zip }));
    expect((await send(new PublishVersionCommand(web))).Version).toBe('2');
  });

  test('are guarded by the hash of the code', async () => {
    await create(emulator, 'web');
    const { CodeSha256 } = await state();
    const other = send(new PublishVersionCommand({ ...web, CodeSha256: 'AAAA' }));
    expect(await refusal(other)).toContain(
      `CodeSHA256 (AAAA) is different from current CodeSHA256 in $LATEST (${CodeSha256})`,
    );
    expect((await send(new PublishVersionCommand({ ...web, CodeSha256 }))).Version).toBe('1');
  });

  test('keep code and settings when the function goes on', async () => {
    await create(emulator, 'web', { 'index.mjs': 'export const handler = async () => process.env.KEY;' });
    for (const KEY of ['one', 'two']) {
      await send(new UpdateFunctionConfigurationCommand({ ...web, Environment: { Variables: { KEY } } }));
      await state();
      await send(new PublishVersionCommand(web));
    }
    expect((await call(emulator, 'web', {}, '1')).result).toBe('one');
    expect((await call(emulator, 'web', {}, '2')).result).toBe('two');
  });

  test('are listed with $LATEST first, and get no number twice', async () => {
    await create(emulator, 'web');
    for (const Timeout of [4, 5, 6]) {
      await send(new PublishVersionCommand(web));
      await send(new UpdateFunctionConfigurationCommand({ ...web, Timeout }));
    }
    await send(new DeleteFunctionCommand({ ...web, Qualifier: '3' }));
    await send(new PublishVersionCommand(web));
    const { Versions } = await send(new ListVersionsByFunctionCommand(web));
    expect(Versions?.map(({ Version }) => Version)).toEqual(['$LATEST', '1', '2', '4']);
    const first = await send(new ListVersionsByFunctionCommand({ ...web, MaxItems: 3 }));
    const next = await send(new ListVersionsByFunctionCommand({ ...web, Marker: first.NextMarker }));
    expect(next.Versions?.map(({ Version }) => Version)).toEqual(['4']);
    expect(next.NextMarker).toBeUndefined();
  });

  test('that an alias points at are not deleted', async () => {
    await create(emulator, 'web');
    await send(new PublishVersionCommand(web));
    await send(new CreateAliasCommand({ ...web, Name: 'live', FunctionVersion: '1' }));
    const remove = () => send(new DeleteFunctionCommand({ ...web, Qualifier: '1' }));
    const text = 'Unable to delete version because the following aliases reference it: [live]';
    expect(await refusal(remove())).toBe(`ResourceConflictException 409: ${text}`);
    await send(new DeleteAliasCommand({ ...web, Name: 'live' }));
    await remove();
    expect(await refusal(send(new GetFunctionCommand({ ...web, Qualifier: '1' })))).toContain(
      `Function not found: ${ARN}:1`,
    );
  });
});

describe('aliases', () => {
  beforeEach(async () => {
    await create(emulator, 'web');
    await send(new PublishVersionCommand(web));
    await send(new UpdateFunctionConfigurationCommand({ ...web, Timeout: 4 }));
    await state();
    await send(new PublishVersionCommand(web));
  });

  test('are made, moved with their revision, listed and removed', async () => {
    const live = { ...web, Name: 'live' };
    const made = await send(new CreateAliasCommand({ ...live, FunctionVersion: '1', Description: 'd' }));
    expect(made).toMatchObject({ AliasArn: `${ARN}:live`, FunctionVersion: '1', Description: 'd' });
    const moved = await send(new UpdateAliasCommand({ ...live, FunctionVersion: '2', RevisionId: made.RevisionId }));
    expect(moved.RevisionId).not.toBe(made.RevisionId);
    const late = send(new UpdateAliasCommand({ ...live, FunctionVersion: '1', RevisionId: made.RevisionId }));
    expect(await refusal(late)).toContain('PreconditionFailedException 412');
    expect(await send(new GetAliasCommand(live))).toMatchObject({ FunctionVersion: '2', RevisionId: moved.RevisionId });
    const { Aliases } = await send(new ListAliasesCommand({ ...web, FunctionVersion: '2' }));
    expect(Aliases?.map(({ Name }) => Name)).toEqual(['live']);
    expect(await send(new GetFunctionConfigurationCommand({ ...web, Qualifier: 'live' }))).toMatchObject({
      Version: '2',
      FunctionArn: `${ARN}:live`,
    });
    expect((await call(emulator, 'web', {}, 'live')).version).toBe('2');
    await send(new DeleteAliasCommand(live));
    expect(await refusal(send(new GetAliasCommand(live)))).toBe(
      `ResourceNotFoundException 404: Cannot find alias arn: ${ARN}:live`,
    );
  });

  test.each([
    ['of $LATEST', 'live', '$LATEST', 'InvalidParameterValueException 400'],
    ['of a version that is not there', 'live', '9', `ResourceNotFoundException 404: Function not found: ${ARN}:9`],
    ['with a number as name', '12', '1', 'ValidationException 400'],
  ])('%s are refused', async (_what, Name, FunctionVersion, message) => {
    expect(await refusal(send(new CreateAliasCommand({ ...web, Name, FunctionVersion })))).toContain(message);
  });

  test('are not made twice', async () => {
    const live = new CreateAliasCommand({ ...web, Name: 'live', FunctionVersion: '1' });
    await send(live);
    expect(await refusal(send(live))).toBe(`ResourceConflictException 409: Alias already exists: ${ARN}:live`);
  });
});

describe('the resource policy', () => {
  const live = { ...web, Qualifier: 'live' };
  const publicUrl = {
    StatementId: 'url',
    Action: 'lambda:InvokeFunctionUrl',
    Principal: '*',
    FunctionUrlAuthType: 'NONE',
  } as const;
  const publicFunction = {
    StatementId: 'fn',
    Action: 'lambda:InvokeFunction',
    Principal: '*',
    InvokedViaFunctionUrl: true,
  };
  beforeEach(async () => {
    await create(emulator, 'web');
    await send(new PublishVersionCommand(web));
    await send(new CreateAliasCommand({ ...web, Name: 'live', FunctionVersion: '1' }));
  });

  test('of an alias holds both permissions of a URL, and each change gives the alias another revision', async () => {
    const revisions = new Set<string | undefined>();
    const note = async () => revisions.add((await send(new GetAliasCommand({ ...web, Name: 'live' }))).RevisionId);
    await note();
    await send(new AddPermissionCommand({ ...live, ...publicUrl }));
    await note();
    await send(new AddPermissionCommand({ ...live, ...publicFunction }));
    await note();
    const { Policy, RevisionId } = await send(new GetPolicyCommand(live));
    expect(JSON.parse(Policy ?? '').Statement).toEqual([
      {
        Sid: 'url',
        Effect: 'Allow',
        Principal: '*',
        Action: 'lambda:InvokeFunctionUrl',
        Resource: `${ARN}:live`,
        Condition: { StringEquals: { 'lambda:FunctionUrlAuthType': 'NONE' } },
      },
      {
        Sid: 'fn',
        Effect: 'Allow',
        Principal: '*',
        Action: 'lambda:InvokeFunction',
        Resource: `${ARN}:live`,
        Condition: { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } },
      },
    ]);
    expect(revisions.has(RevisionId)).toBe(true);
    await send(new RemovePermissionCommand({ ...live, StatementId: 'url' }));
    await note();
    expect(revisions.size).toBe(4);
    expect(await refusal(send(new GetPolicyCommand(web)))).toContain('ResourceNotFoundException 404');
  });

  test.each<[string, () => object, string]>([
    [
      'a statement twice',
      () => new AddPermissionCommand({ ...live, ...publicUrl }),
      'The statement id (url) provided already exists',
    ],
    [
      '$LATEST',
      () => new AddPermissionCommand({ ...web, Qualifier: '$LATEST', ...publicUrl }),
      'InvalidParameterValueException 400',
    ],
    [
      'a condition of another action',
      () => new AddPermissionCommand({ ...live, ...publicFunction, FunctionUrlAuthType: 'NONE' }),
      'FunctionUrlAuthType is only supported for lambda:InvokeFunctionUrl action',
    ],
    [
      'another revision',
      () => new AddPermissionCommand({ ...live, ...publicFunction, RevisionId: 'old' }),
      'PreconditionFailedException 412',
    ],
    [
      'the removal of nothing',
      () => new RemovePermissionCommand({ ...live, StatementId: 'x' }),
      'Statement x is not found',
    ],
  ])('refuses %s', async (_what, command, message) => {
    await send(new AddPermissionCommand({ ...live, ...publicUrl }));
    expect(await refusal(send(command() as never))).toContain(message);
  });
});

describe('concurrency', () => {
  const reserve = (FunctionName: string, ReservedConcurrentExecutions: number) =>
    send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));

  test('is reserved, shown with the function and its versions, and released', async () => {
    await create(emulator, 'web');
    await send(new PublishVersionCommand(web));
    expect(await send(new GetFunctionConcurrencyCommand(web))).not.toHaveProperty('ReservedConcurrentExecutions');
    expect(await reserve('web', 0)).toMatchObject({ ReservedConcurrentExecutions: 0 });
    expect((await send(new GetFunctionConcurrencyCommand(web))).ReservedConcurrentExecutions).toBe(0);
    const shown = await send(new GetFunctionCommand({ ...web, Qualifier: '1' }));
    expect(shown.Concurrency).toEqual({ ReservedConcurrentExecutions: 0 });
    await send(new DeleteFunctionConcurrencyCommand(web));
    expect((await send(new GetFunctionCommand(web))).Concurrency).toBeUndefined();
  });

  test('of the account keeps 100 for functions without a reservation', async () => {
    await create(emulator, 'web');
    await create(emulator, 'other');
    await reserve('web', 600);
    const floor = 'UnreservedConcurrentExecution below its minimum value of [100]';
    expect(await refusal(reserve('other', 301))).toContain(floor);
    await reserve('other', 300);
    await reserve('web', 599);
    expect(await send(new GetAccountSettingsCommand({}))).toMatchObject({
      AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 101 },
      AccountUsage: { FunctionCount: 2 },
    });
  });

  test('of 0 is accepted in an account that cannot reserve anything', async () => {
    const small = await startEmulatorForTest({ limits: { concurrency: 10 } });
    await create(small, 'web');
    const put = (ReservedConcurrentExecutions: number) =>
      small.client.send(new PutFunctionConcurrencyCommand({ ...web, ReservedConcurrentExecutions }));
    expect(await refusal(put(1))).toContain('minimum value of [10]');
    await put(0);
    await small.close();
  });
});

describe('a list of functions', () => {
  test('has 50 a page, and no state', async () => {
    const zip = functionInput('x', { 'index.mjs': OK_HANDLER });
    const names = Array.from({ length: 51 }, (_, index) => `app-${`${index}`.padStart(2, '0')}`);
    for (const FunctionName of names) await send(new CreateFunctionCommand({ ...zip, FunctionName }));
    const first = await send(new ListFunctionsCommand({}));
    const second = await send(new ListFunctionsCommand({ Marker: first.NextMarker }));
    const all = [...(first.Functions ?? []), ...(second.Functions ?? [])];
    expect([first.Functions?.length, second.NextMarker]).toEqual([50, undefined]);
    expect(all.map(({ FunctionName }) => FunctionName)).toEqual(names);
    expect(all[0]).toHaveProperty('CodeSha256');
    expect(all[0]).not.toHaveProperty('State');
  });
});

test('tags are added and removed by ARN', async () => {
  await create(emulator, 'web', undefined, { Tags: { one: '1' } });
  await send(new TagResourceCommand({ Resource: ARN, Tags: { two: '2' } }));
  await send(new UntagResourceCommand({ Resource: ARN, TagKeys: ['one'] }));
  expect((await send(new ListTagsCommand({ Resource: ARN }))).Tags).toEqual({ two: '2' });
});

test('a function is named by its name, its partial and its whole ARN', async () => {
  await create(emulator, 'web');
  for (const FunctionName of ['web', '000000000000:function:web', ARN, `${ARN}:$LATEST`]) {
    expect((await send(new GetFunctionConfigurationCommand({ FunctionName }))).FunctionName).toBe('web');
  }
});

test('a deleted function takes everything with it', async () => {
  await create(emulator, 'web');
  await send(new PublishVersionCommand(web));
  await send(new CreateAliasCommand({ ...web, Name: 'live', FunctionVersion: '1' }));
  await send(new CreateFunctionUrlConfigCommand({ ...web, Qualifier: 'live', AuthType: 'NONE' }));
  await send(new DeleteFunctionCommand(web));
  await create(emulator, 'web');
  expect((await send(new ListVersionsByFunctionCommand(web))).Versions).toHaveLength(1);
  expect((await send(new ListAliasesCommand(web))).Aliases).toEqual([]);
  expect(await refusal(send(new GetFunctionUrlConfigCommand({ ...web, Qualifier: 'live' })))).toContain('404');
});

test.each<[string, object]>([
  ['GetFunction', new GetFunctionCommand(web)],
  ['GetFunctionConfiguration', new GetFunctionConfigurationCommand(web)],
  ['UpdateFunctionCode', new UpdateFunctionCodeCommand({ ...web, ZipFile: zipOf({ a: '' }) })],
  ['UpdateFunctionConfiguration', new UpdateFunctionConfigurationCommand({ ...web, Timeout: 4 })],
  ['PublishVersion', new PublishVersionCommand(web)],
  ['ListVersionsByFunction', new ListVersionsByFunctionCommand(web)],
  ['ListAliases', new ListAliasesCommand(web)],
  ['CreateAlias', new CreateAliasCommand({ ...web, Name: 'live', FunctionVersion: '1' })],
  ['GetAlias', new GetAliasCommand({ ...web, Name: 'live' })],
  ['UpdateAlias', new UpdateAliasCommand({ ...web, Name: 'live' })],
  ['DeleteAlias', new DeleteAliasCommand({ ...web, Name: 'live' })],
  ['PutFunctionConcurrency', new PutFunctionConcurrencyCommand({ ...web, ReservedConcurrentExecutions: 1 })],
  ['DeleteFunctionConcurrency', new DeleteFunctionConcurrencyCommand(web)],
  ['GetFunctionConcurrency', new GetFunctionConcurrencyCommand(web)],
  ['CreateFunctionUrlConfig', new CreateFunctionUrlConfigCommand({ ...web, AuthType: 'NONE' })],
  ['GetFunctionUrlConfig', new GetFunctionUrlConfigCommand(web)],
  ['DeleteFunctionUrlConfig', new DeleteFunctionUrlConfigCommand(web)],
  [
    'AddPermission',
    new AddPermissionCommand({ ...web, StatementId: 'a', Action: 'lambda:InvokeFunction', Principal: '*' }),
  ],
  ['RemovePermission', new RemovePermissionCommand({ ...web, StatementId: 'a' })],
  ['GetPolicy', new GetPolicyCommand(web)],
  ['Invoke', new InvokeCommand(web)],
  ['DeleteFunction', new DeleteFunctionCommand(web)],
])('%s of a function that is not there is a 404 of the SDK', async (_name, command) => {
  expect(await refusal(send(command as never))).toMatch(/^ResourceNotFoundException 404: ./);
});
