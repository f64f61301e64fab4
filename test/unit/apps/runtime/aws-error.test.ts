import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { callAws, toRuntimeError, unlessGone } from '../../../../lib/apps/runtime/aws-error.ts';
import { RuntimeError } from '../../../../lib/apps/runtime/runtime.ts';

/** An error as the SDK makes it of an answer. */
function refusal(name: string, message: string, { status = 400, ...more }: { status?: number; Reason?: string } = {}) {
  const fault = status < 500 ? 'client' : 'server';
  return Object.assign(new Error(message), { name, $fault: fault, $metadata: { httpStatusCode: status }, ...more });
}

const LAMBDA = { service: 'Lambda' } as const;
const INVALID = 'InvalidParameterValueException';

describe('what AWS refuses is told apart for the worker', () => {
  test.each<[code: string, name: string, message: string, more?: { status?: number; Reason?: string }]>([
    [
      'conflict',
      'ResourceConflictException',
      'The operation cannot be performed at this time. An update is in progress',
    ],
    ['conflict', 'ResourceNotReadyException', 'The function is inactive', { status: 502 }],
    ['conflict', 'CodeArtifactUserPendingException', 'still being provisioned'],
    ['conflict', 'EntityAlreadyExistsException', 'Role with name x already exists.', { status: 409 }],
    ['conflict', 'DeleteConflictException', 'Cannot delete entity, must detach all policies first.', { status: 409 }],
    ['throttled', 'TooManyRequestsException', 'Rate exceeded', { status: 429 }],
    ['throttled', 'TooManyRequestsException', 'Rate Exceeded.', { status: 429, Reason: 'CallerRateLimitExceeded' }],
    ['throttled', 'ThrottlingException', 'Rate exceeded'],
    ['throttled', 'Throttling', 'Rate exceeded'],
    ['throttled', 'SomethingNew', 'Slow down', { status: 429 }],
    [
      'concurrency_exhausted',
      'TooManyRequestsException',
      'Rate Exceeded.',
      { status: 429, Reason: 'ConcurrentInvocationLimitExceeded' },
    ],
    [
      'concurrency_exhausted',
      'TooManyRequestsException',
      'Rate Exceeded.',
      { status: 429, Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded' },
    ],
    [
      'concurrency_exhausted',
      'TooManyRequestsException',
      'Rate Exceeded.',
      { status: 429, Reason: 'FunctionInvocationRateLimitExceeded' },
    ],
    [
      'concurrency_exhausted',
      INVALID,
      "Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [100].",
    ],
    ['not_found', 'ResourceNotFoundException', 'Function not found: x', { status: 404 }],
    ['not_found', 'NoSuchEntityException', 'The role with name x cannot be found.', { status: 404 }],
    [
      'precondition',
      'PreconditionFailedException',
      'The Revision Id provided does not match the latest Revision Id.',
      { status: 412 },
    ],
    ['role_not_ready', INVALID, 'The role defined for the function cannot be assumed by Lambda.'],
    [
      'role_not_ready',
      INVALID,
      'Lambda was unable to configure access to your environment variables because the KMS key is invalid for CreateGrant. KMS Exception: InvalidArnException KMS Message: ARN does not refer to a valid principal',
    ],
    [
      'image_unreadable',
      INVALID,
      'Source image 1.dkr.ecr.r.amazonaws.com/a:b does not exist. Provide a valid source image.',
    ],
    [
      'image_unreadable',
      INVALID,
      'The image manifest, config or layer media type for the source image x is not supported.',
    ],
    ['image_unreadable', INVALID, 'Image repository must be in the same account as the caller'],
    [
      'image_unreadable',
      'AccessDeniedException',
      'Lambda does not have permission to access the ECR image. Check the ECR permissions.',
      { status: 403 },
    ],
    [
      'code_missing',
      INVALID,
      'Error occurred while GetObject. S3 Error Code: NoSuchKey. S3 Error Message: The specified key does not exist.',
    ],
    [
      'code_missing',
      INVALID,
      'Error occurred while GetObject. S3 Error Code: NoSuchVersion. S3 Error Message: The specified version does not exist.',
    ],
    [
      'permission_denied',
      'AccessDeniedException',
      'Your access has been denied by S3. S3 Error Code: AccessDenied.',
      { status: 403 },
    ],
    ['permission_denied', 'AccessDenied', 'User is not authorized to perform: iam:CreateRole', { status: 403 }],
    [
      'permission_denied',
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
      { status: 403 },
    ],
    ['code_storage_full', 'CodeStorageExceededException', 'Code storage limit exceeded.'],
    [
      'env_too_large',
      INVALID,
      'Lambda was unable to configure your environment variables because the environment variables you have provided exceeded the 4KB limit. String measured: {"A":"b"}',
    ],
    ['invalid', INVALID, 'Unzipped size must be smaller than 262144000 bytes'],
    ['invalid', 'InvalidZipFileException', 'Could not unzip', { status: 502 }],
    ['invalid', 'RequestTooLargeException', 'too large', { status: 413 }],
    ['unavailable', 'ServiceException', 'An error occurred and the request cannot be processed.', { status: 500 }],
    ['unavailable', 'EFSIOException', 'new to us', { status: 502 }],
    ['unavailable', 'UnknownError', '', { status: 400 }],
  ])('%s: %s "%s"', (code, name, message, more = {}) => {
    expect(toRuntimeError(refusal(name, message, more), LAMBDA)).toMatchObject({ name: 'RuntimeError', code });
  });

  test('a text decides only where Lambda uses one name for many things', () => {
    const conflict = refusal(
      'ResourceConflictException',
      'The function "source image" cannot be assumed by Lambda now',
    );
    expect(toRuntimeError(conflict, LAMBDA).code).toBe('conflict');
  });
});

describe('what came without an answer', () => {
  test.each([
    [
      'a connection that was reset',
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      'unavailable',
      /ECONNRESET/,
    ],
    ['a time-out', Object.assign(new Error('timed out'), { name: 'TimeoutError' }), 'unavailable', /TimeoutError/],
    ['an answer that is no JSON', new SyntaxError('Unexpected token < in "<html>canary'), 'unavailable', /SyntaxError/],
    [
      'no credentials',
      Object.assign(new Error('Could not load'), { name: 'CredentialsProviderError' }),
      'permission_denied',
      /no credentials/,
    ],
  ])('%s', (_title, error, code, text) => {
    const made = toRuntimeError(error, LAMBDA);
    expect(made).toMatchObject({ code, message: expect.stringMatching(text) });
    expect(inspect(made)).not.toContain('canary');
  });
});

describe('the text of AWS goes on', () => {
  const message = (text: string, hidden: string[] = []) =>
    toRuntimeError(refusal(INVALID, text), { ...LAMBDA, hidden }).message;

  test.each([
    ['as it is', 'Unzipped size must be smaller', 'Unzipped size must be smaller'],
    ['on one line', 'one\n  two', 'one two'],
    [
      'without request ids',
      'No. (Service: Lambda, Status Code: 400, Request ID: 72b88508-7f01) (SDK Attempt Count: 1)',
      'No.',
    ],
    ['without a bare request id', 'No, RequestID: 72b88508-7f01', 'No'],
    [
      'without account numbers in ARNs',
      'User: arn:aws:sts::123456789012:assumed-role/w/x may not iam:PassRole on arn:aws-cn:iam::210987654321:role/r',
      'User: arn:aws:sts::***:assumed-role/w/x may not iam:PassRole on arn:aws-cn:iam::***:role/r',
    ],
  ])('%s', (_title, text, expected) => {
    expect(message(text)).toBe(expected);
  });

  test('cut at 500 characters', () => {
    expect(message('x'.repeat(500))).toHaveLength(500);
    expect(message('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`);
  });

  test('or the name of the error, where there is none', () => {
    expect(message('')).toBe('Lambda answered InvalidParameterValueException');
  });

  test.each([
    ['raw', "Value 'canary-1' is wrong", ['canary-1'], "Value '***' is wrong"],
    ['as JSON', String.raw`Value {"A":"can\"ary\n1"}`, ['can"ary\n1'], 'Value {"A":"***"}'],
    ['of which one is part of the other', 'is canary-long', ['canary', 'canary-long'], 'is ***'],
    ['more than once, and at the cut', `canary ${'x'.repeat(489)} canary`, ['canary'], `*** ${'x'.repeat(489)} ***`],
    ['but short ones, which are no secrets', 'needs 1 of 10 in a-b', ['1', 'a-b'], 'needs 1 of 10 in a-b'],
  ])('without values of variables, %s (R19)', (_title, text, hidden, expected) => {
    expect(message(text, hidden)).toBe(expected);
  });

  test('without what Lambda measured, even where it cut a value in two (R19)', () => {
    const text = 'variables you have provided exceeded the 4KB limit. String measured: {"A":"canary-canary-can';
    expect(message(text, ['canary-canary-canary'])).toBe('variables you have provided exceeded the 4KB limit.');
  });

  test('and nothing else of the answer: no cause (R19)', () => {
    const error = Object.assign(refusal(INVALID, 'no'), { $response: { body: 'canary' } });
    const made = toRuntimeError(error, LAMBDA);
    expect(made.cause).toBeUndefined();
    expect(inspect(made)).not.toContain('canary');
  });
});

test('what is gone is undefined where the caller says so, and any other error stays', async () => {
  const failing = (name: string) =>
    callAws(LAMBDA, async () => {
      throw refusal(name, 'no');
    });
  expect(await unlessGone(failing('ResourceNotFoundException'))).toBeUndefined();
  await expect(unlessGone(failing('ResourceConflictException'))).rejects.toThrow(RuntimeError);
  expect(await unlessGone(callAws(LAMBDA, async () => 'there'))).toBe('there');
});
