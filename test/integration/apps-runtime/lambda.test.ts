import { inspect } from 'node:util';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createLambdaRuntime, type LambdaRuntime } from '../../../lib/apps/runtime/lambda.ts';
import type { FunctionInput, Runtime } from '../../../lib/apps/runtime/runtime.ts';
import { startTcpServer } from '../../support/tcp-server.ts';
import { type Answer, CREDENTIALS, refuse, startAwsStub } from './aws-stub.ts';

const ZIP = { kind: 'zip', artifact: 'art_1', versionId: 'v1', bytes: 100 } as const;
const DIGEST = `sha256:${'a'.repeat(64)}`;
const IMAGE = { kind: 'image', uri: '123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop:1', digest: DIGEST } as const;
const INPUT: FunctionInput = {
  code: ZIP,
  settings: {
    port: 8080,
    env: { GREETING: 'hello', PASSWORD: 'canary-7d1f' },
    memoryMb: 512,
    timeoutSeconds: 30,
    runtime: 'nodejs24.x',
    handler: 'index.handler',
    architecture: 'arm64',
  },
  variables: { PORT: '8080', ROUNDHOUSE_APP: 'shop' },
  roleArn: 'arn:aws:iam::123456789012:role/roundhouse/dev/roundhouse_dev_shop',
  logGroup: '/roundhouse/dev/shop',
  layers: ['arn:aws:lambda:eu-west-1:123456789012:layer:secrets:3'],
  tags: { 'roundhouse:stage': 'dev', 'roundhouse:app': 'shop' },
};
const FUNCTION = '/2015-03-31/functions/roundhouse_dev_shop';
const CONFIGURATION = {
  FunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:roundhouse_dev_shop',
  FunctionName: 'roundhouse_dev_shop',
  State: 'Active',
  LastUpdateStatus: 'Successful',
  RevisionId: 'rev-1',
  PackageType: 'Zip',
  CodeSha256: 'c2hh',
  Version: '$LATEST',
  Environment: { Variables: { PASSWORD: 'canary-7d1f' } },
};

beforeEach(() => {
  // The SDK waits a random part of its back-off before it tries again.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  return () => random.mockRestore();
});

async function open(...answers: readonly Answer[]) {
  const stub = await startAwsStub(...answers);
  return { ...stub, runtime: openAt(stub.client) };
}

function openAt(client: object, attemptMs?: number): LambdaRuntime {
  return createLambdaRuntime({ stage: 'dev', client, artifactBucket: 'artifacts', ...(attemptMs && { attemptMs }) });
}

type Call = (runtime: Runtime) => Promise<unknown>;

const READS: readonly [string, Call][] = [
  ['find', (runtime) => runtime.find('shop')],
  ['findVersion', (runtime) => runtime.findVersion('shop', '1')],
  ['versions', (runtime) => runtime.versions('shop')],
  ['findAlias', (runtime) => runtime.findAlias('shop')],
  ['findUrl', (runtime) => runtime.findUrl('shop')],
  ['list', (runtime) => runtime.list()],
  ['account', (runtime) => runtime.account()],
];
const CHANGES: readonly [string, Call][] = [
  ['create', (runtime) => runtime.create('shop', INPUT)],
  ['updateCode', (runtime) => runtime.updateCode('shop', ZIP, { architecture: 'arm64' })],
  ['publish', (runtime) => runtime.publish('shop', { description: 'dep_1' })],
  ['removeVersion', (runtime) => runtime.removeVersion('shop', '1')],
  ['setAlias of a new alias', (runtime) => runtime.setAlias('shop', '1')],
  ['setAlias of an old one', (runtime) => runtime.setAlias('shop', '1', 'rev-1')],
  ['setConcurrency to a number', (runtime) => runtime.setConcurrency('shop', 0)],
  ['setConcurrency to nothing', (runtime) => runtime.setConcurrency('shop', undefined)],
  ['remove', (runtime) => runtime.remove('shop')],
  ['invoke', (runtime) => runtime.invoke('shop', '1', {}, 60_000)],
];

describe('what goes wrong on the way', () => {
  const TROUBLE: readonly [string, Answer, string][] = [
    ['an answer that is lost', 'drop', 'unavailable'],
    ['a 500', refuse(500, 'ServiceException', 'An error occurred'), 'unavailable'],
    ['a 503 without a text', { status: 503, body: '' }, 'unavailable'],
    ['too many calls', refuse(429, 'TooManyRequestsException', 'Rate exceeded'), 'throttled'],
  ];

  describe.each(TROUBLE)('%s', (_trouble, answer, code) => {
    test.each(READS)('is met three times by %s', async (_name, call) => {
      const { runtime, received } = await open(answer);
      await expect(call(runtime)).rejects.toMatchObject({ name: 'RuntimeError', code });
      expect(received).toHaveLength(3);
    });

    test.each(CHANGES)('is met once by %s: its repetition could meet what the first try did', async (_name, call) => {
      const { runtime, received } = await open(answer);
      await expect(call(runtime)).rejects.toMatchObject({ name: 'RuntimeError', code });
      expect(received).toHaveLength(1);
    });

    test('is got over by a read that succeeds in the end', async () => {
      const { runtime } = await open(answer, answer, { body: { Configuration: CONFIGURATION } });
      expect(await runtime.find('shop')).toMatchObject({ revisionId: 'rev-1' });
    });
  });

  test.each([...READS, ...CHANGES])('nobody listens: %s is unavailable', async (_name, call) => {
    const server = await startTcpServer(() => {});
    await server.close();
    const runtime = openAt({
      endpoint: `http://127.0.0.1:${server.port}`,
      region: 'eu-west-1',
      credentials: CREDENTIALS,
    });
    await expect(call(runtime)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n';
  describe.each([
    ['before its answer', ''],
    ['in the middle of the head of its answer', HEAD.slice(0, 40)],
    ['in the middle of the body of its answer', `${HEAD}{"Configuration":`],
  ])('an API that hangs %s', (_title, part) => {
    async function startHanging() {
      const server = await startTcpServer((socket) => socket.on('data', () => socket.write(part)));
      const client = { endpoint: `http://127.0.0.1:${server.port}`, region: 'eu-west-1', credentials: CREDENTIALS };
      return { server, client, [Symbol.asyncDispose]: server.close };
    }

    test.each([
      ['a read', READS[0], 3],
      ['a change', CHANGES[0], 1],
    ] as const)('is given up by %s', async (_kind, calls, attempts) => {
      await using hanging = await startHanging();
      await expect(calls?.[1](openAt(hanging.client, 50))).rejects.toMatchObject({ code: 'unavailable' });
      expect(hanging.server.connections).toBeLessThanOrEqual(attempts);
    });

    test('is given up by invoke at the limit of the caller', async () => {
      await using hanging = await startHanging();
      await expect(openAt(hanging.client).invoke('shop', '3', {}, 50)).rejects.toMatchObject({
        code: 'unavailable',
        message: 'Version 3 of shop gave no answer within 50 ms.',
      });
      expect(hanging.server.connections).toBe(1);
    });
  });

  test.each<[string, Answer]>([
    [
      'a page of somebody between',
      { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>canary</html>' },
    ],
    ['a 200 that is no JSON', { body: '<html>canary</html>' }],
    ['a 200 that is cut', { body: '{"Configuration": {"CodeSha256": "canary' }],
  ])('%s is unavailable, and is not quoted', async (_title, answer) => {
    const { runtime } = await open(answer);
    const error = await runtime.find('shop').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'RuntimeError', code: 'unavailable' });
    expect(inspect(error, { depth: 10 })).not.toContain('canary');
  });
});

describe('what Lambda refuses', () => {
  test.each<[string, Answer, string]>([
    [
      'another update',
      refuse(409, 'ResourceConflictException', 'The operation cannot be performed at this time.'),
      'conflict',
    ],
    [
      'an old revision',
      refuse(412, 'PreconditionFailedException', 'The Revision Id provided does not match'),
      'precondition',
    ],
    ['a function that is gone', refuse(404, 'ResourceNotFoundException', 'Function not found'), 'not_found'],
    [
      'a full storage',
      refuse(400, 'CodeStorageExceededException', 'Code storage limit exceeded.'),
      'code_storage_full',
    ],
    [
      'a missing permission',
      refuse(403, 'AccessDeniedException', 'not authorized to perform: lambda:CreateFunction'),
      'permission_denied',
    ],
    [
      'a young role',
      refuse(400, 'InvalidParameterValueException', 'The role defined for the function cannot be assumed by Lambda.'),
      'role_not_ready',
    ],
    [
      'an unreadable image',
      refuse(403, 'AccessDeniedException', 'Lambda does not have permission to access the ECR image.'),
      'image_unreadable',
    ],
    [
      'a missing package',
      refuse(400, 'InvalidParameterValueException', 'Error occurred while GetObject. S3 Error Code: NoSuchVersion.'),
      'code_missing',
    ],
    [
      'a spent pool',
      refuse(
        400,
        'InvalidParameterValueException',
        "decreases account's UnreservedConcurrentExecution below its minimum value of [100].",
      ),
      'concurrency_exhausted',
    ],
    ['anything else', refuse(400, 'InvalidParameterValueException', 'Unzipped size must be smaller'), 'invalid'],
  ])('%s has its code', async (_title, answer, code) => {
    const { runtime, received } = await open(answer);
    await expect(runtime.create('shop', INPUT)).rejects.toMatchObject({ name: 'RuntimeError', code });
    expect(received).toHaveLength(1);
  });

  test.each([
    [undefined, 'throttled'],
    ['CallerRateLimitExceeded', 'throttled'],
    ['ConcurrentInvocationLimitExceeded', 'concurrency_exhausted'],
    ['ReservedFunctionConcurrentInvocationLimitExceeded', 'concurrency_exhausted'],
  ])('an invocation for the reason %s is %s, and is not repeated', async (Reason, code) => {
    const { runtime, received } = await open(refuse(429, 'TooManyRequestsException', 'Rate Exceeded.', { Reason }));
    await expect(runtime.invoke('shop', '1', {}, 60_000)).rejects.toMatchObject({ code });
    expect(received).toHaveLength(1);
  });

  test.each<[string, Answer[], Call]>([
    ['create', [], (runtime) => runtime.create('shop', INPUT)],
    [
      'updateSettings',
      [{ body: { Configuration: CONFIGURATION } }],
      (runtime) => runtime.updateSettings('shop', INPUT),
    ],
  ])('%s does not pass on the variables that it quotes (R19)', async (_name, before, call) => {
    const text = 'Value \'{"PASSWORD":"canary-7d1f"}\' failed: canary-7d1f';
    const { runtime } = await open(...before, refuse(400, 'InvalidParameterValueException', text));
    const error = await call(runtime).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'invalid', message: 'Value \'{"PASSWORD":"***"}\' failed: ***' });
    expect(inspect(error, { depth: 10 })).not.toContain('canary');
  });

  const GONE = refuse(404, 'ResourceNotFoundException', 'Function not found');
  test.each([
    ['find', READS[0]?.[1]],
    ['findVersion', READS[1]?.[1]],
    ['findAlias', READS[3]?.[1]],
    ['findUrl', READS[4]?.[1]],
    ['removeVersion', CHANGES[3]?.[1]],
    ['remove', CHANGES[8]?.[1]],
  ])('%s of what is gone is no error', async (_name, call) => {
    const { runtime, received } = await open(GONE);
    expect(await call?.(runtime)).toBeUndefined();
    expect(received).toHaveLength(1);
  });
});

describe('what is sent', () => {
  const SETTINGS = {
    Role: INPUT.roleArn,
    MemorySize: 512,
    Timeout: 30,
    Environment: {
      Variables: { GREETING: 'hello', PASSWORD: 'canary-7d1f', PORT: '8080', ROUNDHOUSE_APP: 'shop' },
    },
    LoggingConfig: { LogGroup: '/roundhouse/dev/shop', LogFormat: 'Text' },
  };
  const OF_A_PACKAGE = { Runtime: 'nodejs24.x', Handler: 'index.handler', Layers: INPUT.layers };

  test('a function of a package is made of exactly one version of an object', async () => {
    const { runtime, received } = await open({ status: 201, body: CONFIGURATION });
    await runtime.create('shop', INPUT);
    expect(received).toMatchObject([{ method: 'POST', path: '/2015-03-31/functions' }]);
    expect(received[0]?.body).toEqual({
      FunctionName: 'roundhouse_dev_shop',
      Description: 'The app shop of Roundhouse, stage dev',
      PackageType: 'Zip',
      Architectures: ['arm64'],
      Code: { S3Bucket: 'artifacts', S3Key: 'apps/shop/art_1.zip', S3ObjectVersion: 'v1' },
      Tags: INPUT.tags,
      ...SETTINGS,
      ...OF_A_PACKAGE,
    });
  });

  test.each([
    ['a tag', IMAGE.uri],
    ['a digest', `${IMAGE.uri.replace(':1', '')}@${DIGEST}`],
    ['both', `${IMAGE.uri}@${DIGEST}`],
    ['nothing behind it', IMAGE.uri.replace(':1', '')],
  ])(
    'a function of an image is made of its digest, and of no runtime, handler or layer; its URI has %s',
    async (_title, uri) => {
      const { runtime, received } = await open({ status: 201, body: CONFIGURATION });
      await runtime.create('shop', { ...INPUT, code: { ...IMAGE, uri } });
      expect(received[0]?.body).toEqual({
        FunctionName: 'roundhouse_dev_shop',
        Description: 'The app shop of Roundhouse, stage dev',
        PackageType: 'Image',
        Architectures: ['arm64'],
        Code: { ImageUri: `123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop@${DIGEST}` },
        Tags: INPUT.tags,
        ...SETTINGS,
      });
    },
  );

  test.each([
    [ZIP, { S3Bucket: 'artifacts', S3Key: 'apps/shop/art_1.zip', S3ObjectVersion: 'v1' }],
    [IMAGE, { ImageUri: `123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop@${DIGEST}` }],
  ])('an update of the code has its architecture and revision id: $kind', async (code, expected) => {
    const { runtime, received } = await open({ body: CONFIGURATION });
    await runtime.updateCode('shop', code, { architecture: 'x86_64', revisionId: 'rev-0' });
    expect(received).toMatchObject([{ method: 'PUT', path: `${FUNCTION}/code` }]);
    expect(received[0]?.body).toEqual({ ...expected, Architectures: ['x86_64'], RevisionId: 'rev-0' });
  });

  test.each([
    ['Zip', { ...SETTINGS, ...OF_A_PACKAGE }],
    ['Image', SETTINGS],
  ])('an update of the settings is for what the function is: %s', async (PackageType, expected) => {
    const body = { Configuration: { ...CONFIGURATION, PackageType } };
    const { runtime, received } = await open({ body }, { body: CONFIGURATION });
    await runtime.updateSettings('shop', INPUT, 'rev-0');
    expect(received).toMatchObject([{ method: 'GET' }, { method: 'PUT', path: `${FUNCTION}/configuration` }]);
    expect(received[1]?.body).toEqual({ ...expected, RevisionId: 'rev-0' });
  });

  test('our own variables win over those of the app', async () => {
    const { runtime, received } = await open({ status: 201, body: CONFIGURATION });
    const settings = { ...INPUT.settings, env: { PORT: '1' } };
    await runtime.create('shop', { ...INPUT, settings });
    expect(received[0]?.body.Environment.Variables.PORT).toBe('8080');
  });

  test.each<[string, Call, string, string, unknown]>([
    [
      'publish',
      (runtime) => runtime.publish('shop', { description: 'dep_1', revisionId: 'rev-1' }),
      'POST',
      `${FUNCTION}/versions`,
      { Description: 'dep_1', RevisionId: 'rev-1' },
    ],
    [
      'setAlias of a new alias',
      (runtime) => runtime.setAlias('shop', '4'),
      'POST',
      `${FUNCTION}/aliases`,
      { Name: 'live', FunctionVersion: '4' },
    ],
    [
      'setAlias of an old one, with all of the traffic',
      (runtime) => runtime.setAlias('shop', '4', 'rev-1'),
      'PUT',
      `${FUNCTION}/aliases/live`,
      { FunctionVersion: '4', RevisionId: 'rev-1', RoutingConfig: { AdditionalVersionWeights: {} } },
    ],
    [
      'setConcurrency to 0',
      (runtime) => runtime.setConcurrency('shop', 0),
      'PUT',
      '/2017-10-31/functions/roundhouse_dev_shop/concurrency',
      { ReservedConcurrentExecutions: 0 },
    ],
    [
      'setConcurrency to nothing',
      (runtime) => runtime.setConcurrency('shop', undefined),
      'DELETE',
      '/2017-10-31/functions/roundhouse_dev_shop/concurrency',
      '',
    ],
    ['removeVersion', (runtime) => runtime.removeVersion('shop', '4'), 'DELETE', `${FUNCTION}?Qualifier=4`, ''],
    ['remove', (runtime) => runtime.remove('shop'), 'DELETE', FUNCTION, ''],
    ['findVersion', (runtime) => runtime.findVersion('shop', '4'), 'GET', `${FUNCTION}?Qualifier=4`, ''],
    [
      'invoke',
      (runtime) => runtime.invoke('shop', '4', { rawPath: '/' }, 60_000),
      'POST',
      `${FUNCTION}/invocations?Qualifier=4`,
      { rawPath: '/' },
    ],
  ])('%s is one call', async (_name, call, method, path, body) => {
    const { runtime, received } = await open({ body: CONFIGURATION });
    await call(runtime);
    expect(received).toMatchObject([{ method, path, body }]);
    expect(received[0]?.body).toEqual(body);
  });
});

describe('what is read', () => {
  test.each([
    ['Active', 'Active'],
    ['Pending', 'Pending'],
    ['Failed', 'Failed'],
    ['Inactive', 'Inactive'],
    ['Deactivating', 'Inactive'],
    [undefined, 'Pending'],
  ])('a state of %s is %s', async (State, state) => {
    const { runtime } = await open({ body: { Configuration: { ...CONFIGURATION, State } } });
    expect(await runtime.find('shop')).toMatchObject({ state });
  });

  test('a function has its reserved concurrency, 0 too, and the reasons of Lambda', async () => {
    const Configuration = {
      ...CONFIGURATION,
      State: 'Failed',
      StateReason: 'no image',
      StateReasonCode: 'ImageDeleted',
      LastUpdateStatus: 'Failed',
      LastUpdateStatusReason: 'no permission',
      LastUpdateStatusReasonCode: 'ImageAccessDenied',
    };
    const { runtime } = await open({ body: { Configuration, Concurrency: { ReservedConcurrentExecutions: 0 } } });
    expect(await runtime.find('shop')).toEqual({
      arn: CONFIGURATION.FunctionArn,
      state: 'Failed',
      stateReason: 'no image',
      stateReasonCode: 'ImageDeleted',
      codeSha256: 'c2hh',
      lastUpdateStatus: 'Failed',
      lastUpdateReason: 'no permission',
      lastUpdateReasonCode: 'ImageAccessDenied',
      revisionId: 'rev-1',
      packageType: 'Zip',
      architecture: 'x86_64',
      reservedConcurrency: 0,
    });
  });

  test('variables of a function are left behind (R19)', async () => {
    const { runtime } = await open({ body: { Configuration: CONFIGURATION } });
    expect(JSON.stringify(await runtime.find('shop'))).not.toContain('canary');
  });

  test('versions come from all pages, by number, without $LATEST', async () => {
    const page = (...versions: string[]) =>
      versions.map((Version) => ({ ...CONFIGURATION, State: undefined, Version, Description: `dep_${Version}` }));
    const { runtime, received } = await open(
      { body: { Versions: page('$LATEST', '10', '9'), NextMarker: 'more' } },
      { body: { Versions: page('2') } },
    );
    const found = await runtime.versions('shop');
    expect(found.map(({ version }) => version)).toEqual(['2', '9', '10']);
    // A list has no states: nobody may take one of these for ready.
    expect(found[0]).toMatchObject({ state: 'Pending', description: 'dep_2' });
    expect(received.map(({ path }) => path)).toEqual([
      `${FUNCTION}/versions?MaxItems=50`,
      `${FUNCTION}/versions?Marker=more&MaxItems=50`,
    ]);
  });

  test('the list has the apps of this stage and nothing else, from all pages', async () => {
    const page = (...names: string[]) =>
      names.map((FunctionName) => ({
        FunctionName,
        FunctionArn: `arn:${FunctionName}`,
        CodeSha256: 's',
        LastModified: 't',
      }));
    const { runtime, received } = await open(
      {
        body: {
          Functions: page('roundhouse_dev_shop', 'roundhouse_dev_x_shop', 'roundhouse-dev-api'),
          NextMarker: 'm',
        },
      },
      { body: { Functions: page('other', 'roundhouse_develop_shop', 'roundhouse_dev_till') } },
    );
    expect(await runtime.list()).toEqual([
      { app: 'shop', arn: 'arn:roundhouse_dev_shop', codeSha256: 's', lastModified: 't' },
      { app: 'till', arn: 'arn:roundhouse_dev_till', codeSha256: 's', lastModified: 't' },
    ]);
    expect(received).toHaveLength(2);
    expect(received[0]?.path).toContain('MaxItems=50');
  });

  test('the account has its limits and what is used of them', async () => {
    const { runtime } = await open({
      body: {
        AccountLimit: {
          TotalCodeSize: 80_530_636_800,
          ConcurrentExecutions: 1000,
          UnreservedConcurrentExecutions: 900,
        },
        AccountUsage: { TotalCodeSize: 12_345, FunctionCount: 7 },
      },
    });
    expect(await runtime.account()).toEqual({
      codeBytes: 12_345,
      codeBytesLimit: 80_530_636_800,
      functions: 7,
      concurrency: 1000,
      unreservedConcurrency: 900,
    });
  });

  test.each([
    ['an answer', {}, { payload: '{"ok":true}', logTail: 'END' }],
    [
      'an error',
      { 'x-amz-function-error': 'Unhandled' },
      { functionError: 'Unhandled', payload: '{"ok":true}', logTail: 'END' },
    ],
  ])('an invocation has its payload, and the tail of its log: %s', async (_title, headers, expected) => {
    const tail = { 'x-amz-log-result': Buffer.from('END').toString('base64') };
    const { runtime, received } = await open({ headers: { ...headers, ...tail }, body: { ok: true } });
    expect(await runtime.invoke('shop', '4', {}, 60_000)).toEqual(expected);
    expect(received[0]?.headers).toMatchObject({
      'x-amz-invocation-type': 'RequestResponse',
      'x-amz-log-type': 'Tail',
    });
  });
});
