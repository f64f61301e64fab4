import { describe, expect, test } from 'vitest';
import { hasStatement, judgePolicy } from '../../../../lib/apps/runtime/url-policy.ts';

const URL_STATEMENT = {
  Sid: 'a',
  Effect: 'Allow',
  Principal: '*',
  Action: 'lambda:InvokeFunctionUrl',
  Resource: 'arn:any',
  Condition: { StringEquals: { 'lambda:FunctionUrlAuthType': 'NONE' } },
};
const INVOKE_STATEMENT = {
  Sid: 'b',
  Effect: 'Allow',
  Principal: '*',
  Action: 'lambda:InvokeFunction',
  Resource: 'arn:any',
  Condition: { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } },
};
const BOTH = { invokeFunctionUrl: true, invokeFunction: true };
const NONE = { invokeFunctionUrl: false, invokeFunction: false };

const policy = (...statements: unknown[]) => JSON.stringify({ Version: '2012-10-17', Statement: statements });

describe('a public URL needs two permissions (R12), which a policy gives', () => {
  test.each([
    ['with both statements', policy(URL_STATEMENT, INVOKE_STATEMENT), BOTH],
    ['with the first only', policy(URL_STATEMENT), { invokeFunctionUrl: true, invokeFunction: false }],
    ['with the second only', policy(INVOKE_STATEMENT), { invokeFunctionUrl: false, invokeFunction: true }],
    ['not where there is none', undefined, NONE],
    ['not where it is empty', policy(), NONE],
    [
      'with one statement that is no list',
      JSON.stringify({ Statement: URL_STATEMENT }),
      { ...NONE, invokeFunctionUrl: true },
    ],
    [
      'with actions in a list',
      policy({ ...URL_STATEMENT, Action: ['x', 'lambda:InvokeFunctionUrl'] }),
      { ...NONE, invokeFunctionUrl: true },
    ],
    [
      'with everybody as AWS principal',
      policy({ ...INVOKE_STATEMENT, Principal: { AWS: '*' } }),
      { ...NONE, invokeFunction: true },
    ],
    [
      'with everybody in a list',
      policy({ ...INVOKE_STATEMENT, Principal: { AWS: ['*'] } }),
      { ...NONE, invokeFunction: true },
    ],
    [
      'with a statement for all actions, without a condition',
      policy({ Effect: 'Allow', Principal: '*', Action: 'lambda:*' }),
      BOTH,
    ],
    [
      'with a boolean instead of its text',
      policy({ ...INVOKE_STATEMENT, Condition: { Bool: { 'lambda:InvokedViaFunctionUrl': true } } }),
      { ...NONE, invokeFunction: true },
    ],
    [
      'not to a principal of an account',
      policy({ ...INVOKE_STATEMENT, Principal: { AWS: 'arn:aws:iam::1:root' } }),
      NONE,
    ],
    ['not to a service', policy({ ...INVOKE_STATEMENT, Principal: { Service: 'events.amazonaws.com' } }), NONE],
    ['not where it denies', policy({ ...URL_STATEMENT, Effect: 'Deny' }), NONE],
    [
      'not for signed requests',
      policy({ ...URL_STATEMENT, Condition: { StringEquals: { 'lambda:FunctionUrlAuthType': 'AWS_IAM' } } }),
      NONE,
    ],
    [
      'not under one condition more',
      policy({ ...URL_STATEMENT, Condition: { ...URL_STATEMENT.Condition, StringLike: { 'aws:SourceIp': '10.*' } } }),
      NONE,
    ],
    [
      'not under one key more',
      policy({
        ...URL_STATEMENT,
        Condition: { StringEquals: { 'lambda:FunctionUrlAuthType': 'NONE', 'aws:SourceAccount': '1' } },
      }),
      NONE,
    ],
    [
      'not under another key that has the same value',
      policy({ ...URL_STATEMENT, Condition: { StringEquals: { 'aws:PrincipalTag/access': 'NONE' } } }),
      NONE,
    ],
    [
      'not under the opposite',
      policy({ ...INVOKE_STATEMENT, Condition: { Bool: { 'lambda:InvokedViaFunctionUrl': 'false' } } }),
      NONE,
    ],
  ])('%s', (_title, text, expected) => {
    expect(judgePolicy(text)).toEqual(expected);
  });
});

test('a statement is found by its id', () => {
  expect(hasStatement(policy(URL_STATEMENT), 'a')).toBe(true);
  expect(hasStatement(policy(URL_STATEMENT), 'b')).toBe(false);
  expect(hasStatement(undefined, 'a')).toBe(false);
});
