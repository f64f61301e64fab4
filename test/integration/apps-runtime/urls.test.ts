import { describe, expect, test } from 'vitest';
import { createLambdaRuntime } from '../../../lib/apps/runtime/lambda.ts';
import { type Answer, refuse, startAwsStub } from './aws-stub.ts';

const PATH = '/2021-10-31/functions/roundhouse_dev_shop/url?Qualifier=live';
const POLICY = '/2015-03-31/functions/roundhouse_dev_shop/policy';
const URL = 'https://abc.lambda-url.eu-west-1.on.aws/';

const MISSING = refuse(404, 'ResourceNotFoundException', 'The resource you requested does not exist.');
const CONFLICT = refuse(409, 'ResourceConflictException', 'The statement id provided already exists.');
const CONFIG = { body: { FunctionUrl: URL, AuthType: 'NONE', InvokeMode: 'BUFFERED' } };
const DONE = { status: 201, body: {} };

const VIA_URL = {
  Sid: 'roundhouse-url',
  Effect: 'Allow',
  Principal: '*',
  Action: 'lambda:InvokeFunctionUrl',
  Condition: { StringEquals: { 'lambda:FunctionUrlAuthType': 'NONE' } },
};
const INVOKE = {
  Sid: 'roundhouse-url-invoke',
  Effect: 'Allow',
  Principal: '*',
  Action: 'lambda:InvokeFunction',
  Condition: { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } },
};
const policy = (...Statement: object[]): Answer => ({ body: { Policy: JSON.stringify({ Statement }) } });

const ADD_URL = [
  'POST',
  `${POLICY}?Qualifier=live`,
  { StatementId: 'roundhouse-url', Action: 'lambda:InvokeFunctionUrl', Principal: '*', FunctionUrlAuthType: 'NONE' },
] as const;
const ADD_INVOKE = [
  'POST',
  `${POLICY}?Qualifier=live`,
  {
    StatementId: 'roundhouse-url-invoke',
    Action: 'lambda:InvokeFunction',
    Principal: '*',
    InvokedViaFunctionUrl: true,
  },
] as const;
const GET_POLICY = ['GET', `${POLICY}?Qualifier=live`, ''] as const;
const PUBLIC = { AuthType: 'NONE', InvokeMode: 'BUFFERED' };

async function open(...answers: readonly Answer[]) {
  const { client, received } = await startAwsStub(...answers);
  const runtime = createLambdaRuntime({ stage: 'dev', client, artifactBucket: 'artifacts' });
  return { runtime, sent: () => received.map(({ method, path, body }) => [method, path, body]) };
}

describe('ensureUrl makes what is missing and nothing else (R12)', () => {
  test.each<{ title: string; answers: Answer[]; sent: readonly (readonly [string, string, unknown])[] }>([
    {
      title: 'nothing, where all is there',
      answers: [CONFIG, policy(VIA_URL, INVOKE)],
      sent: [['GET', PATH, ''], GET_POLICY],
    },
    {
      title: 'everything, on a new alias',
      answers: [MISSING, CONFIG, MISSING, DONE, DONE],
      sent: [['GET', PATH, ''], ['POST', PATH, PUBLIC], GET_POLICY, ADD_URL, ADD_INVOKE],
    },
    {
      title: 'the second permission, which URLs from before October 2025 lack',
      answers: [CONFIG, policy(VIA_URL), DONE],
      sent: [['GET', PATH, ''], GET_POLICY, ADD_INVOKE],
    },
    {
      title: 'nothing, where others gave the permissions under other ids',
      answers: [CONFIG, policy({ ...VIA_URL, Sid: 'x' }, { ...INVOKE, Sid: 'y' })],
      sent: [['GET', PATH, ''], GET_POLICY],
    },
    {
      title: 'a public URL of one that wants signed requests',
      answers: [{ body: { FunctionUrl: URL, AuthType: 'AWS_IAM' } }, CONFIG, policy(VIA_URL, INVOKE)],
      sent: [['GET', PATH, ''], ['PUT', PATH, PUBLIC], GET_POLICY],
    },
    {
      title: 'a buffered URL of one that streams',
      answers: [
        { body: { FunctionUrl: URL, AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' } },
        CONFIG,
        policy(VIA_URL, INVOKE),
      ],
      sent: [['GET', PATH, ''], ['PUT', PATH, PUBLIC], GET_POLICY],
    },
    {
      title: 'a statement anew that has our id and says something else',
      answers: [CONFIG, policy({ ...VIA_URL, Principal: { AWS: 'arn:aws:iam::1:root' } }, INVOKE), DONE, DONE],
      sent: [['GET', PATH, ''], GET_POLICY, ['DELETE', `${POLICY}/roundhouse-url?Qualifier=live`, ''], ADD_URL],
    },
    {
      title: 'nothing more, where another one was faster with a permission',
      answers: [CONFIG, policy(INVOKE), CONFLICT, policy(VIA_URL, INVOKE)],
      sent: [['GET', PATH, ''], GET_POLICY, ADD_URL, GET_POLICY],
    },
  ])('$title', async ({ answers, sent }) => {
    const opened = await open(...answers);
    expect(await opened.runtime.ensureUrl('shop')).toBe(URL);
    expect(opened.sent()).toEqual(sent);
  });

  test.each([
    ['a permission', [CONFIG, policy(INVOKE), CONFLICT, policy(INVOKE)]],
    ['the URL', [MISSING, CONFLICT]],
  ])('a conflict over %s that is not there afterwards is one', async (_what, answers) => {
    const { runtime } = await open(...answers);
    await expect(runtime.ensureUrl('shop')).rejects.toMatchObject({ code: 'conflict' });
  });

  test('an alias that is not there is not_found', async () => {
    const { runtime } = await open(MISSING);
    await expect(runtime.ensureUrl('shop')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('findUrl tells the truth about both permissions', () => {
  test.each([
    ['both', policy(VIA_URL, INVOKE), { invokeFunctionUrl: true, invokeFunction: true }],
    ['one', policy(VIA_URL), { invokeFunctionUrl: true, invokeFunction: false }],
    ['none, where there is no policy', MISSING, { invokeFunctionUrl: false, invokeFunction: false }],
  ])('%s', async (_title, answer, permissions) => {
    const { runtime } = await open(CONFIG, answer);
    expect(await runtime.findUrl('shop')).toEqual({ url: URL, permissions });
  });

  test('where the policy cannot be read, that is an error and not a missing permission', async () => {
    const { runtime } = await open(CONFIG, refuse(403, 'AccessDeniedException', 'no'));
    await expect(runtime.findUrl('shop')).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
