import { describe, expect, test } from 'vitest';
import { renderRolePolicy, TRUST } from '../../../lib/apps/runtime/role-policy.ts';
import { createRoles } from '../../../lib/apps/runtime/roles.ts';
import { type Answer, startAwsStub } from './aws-stub.ts';

const BOUNDARY = 'arn:aws:iam::123456789012:policy/roundhouse-dev-app';
const ARN = 'arn:aws:iam::123456789012:role/roundhouse/dev/roundhouse_dev_shop';
const PLACE = { stage: 'dev', partition: 'aws', region: 'eu-west-1', account: '123456789012' };
const POLICY = encodeURIComponent(JSON.stringify(renderRolePolicy(PLACE, 'shop')));
const XML = { 'content-type': 'text/xml' };

/** What differs from a role as it must be. */
interface Found {
  readonly path?: string;
  readonly boundary?: string;
  readonly trust?: unknown;
  readonly stage?: string;
}

function role({ path = '/roundhouse/dev/', boundary = BOUNDARY, trust = TRUST, stage = 'dev' }: Found = {}): Answer {
  return answer(
    'GetRole',
    `<Role><Path>${path}</Path><RoleName>roundhouse_dev_shop</RoleName><Arn>${ARN}</Arn>
    <AssumeRolePolicyDocument>${encodeURIComponent(JSON.stringify(trust))}</AssumeRolePolicyDocument>
    <PermissionsBoundary><PermissionsBoundaryArn>${boundary}</PermissionsBoundaryArn></PermissionsBoundary>
    <Tags><member><Key>roundhouse:app</Key><Value>shop</Value></member>
    <member><Key>roundhouse:stage</Key><Value>${stage}</Value></member></Tags></Role>`,
  );
}

function answer(action: string, result = ''): Answer {
  return {
    headers: XML,
    body: `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`,
  };
}

function refusal(status: number, code: string): Answer {
  const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error></ErrorResponse>`;
  return { status, headers: XML, body };
}

const policy = (document = POLICY) => answer('GetRolePolicy', `<PolicyDocument>${document}</PolicyDocument>`);
const MISSING = refusal(404, 'NoSuchEntity');
const DONE = answer('Any');

async function open(...answers: readonly Answer[]) {
  const { client, received } = await startAwsStub(...answers);
  const roles = createRoles({ stage: 'dev', region: 'eu-west-1', client, boundaryArn: BOUNDARY });
  return { roles, sent: () => received.map(({ body }) => Object.fromEntries(new URLSearchParams(body))) };
}

describe('ensure', () => {
  test('makes the role under the path of the stage, with the boundary, for Lambda only, with one policy', async () => {
    const { roles, sent } = await open(MISSING, answer('CreateRole', `<Role><Arn>${ARN}</Arn></Role>`), MISSING, DONE);
    expect(await roles.ensure('shop')).toBe(ARN);
    expect(sent()).toMatchObject([
      { Action: 'GetRole', RoleName: 'roundhouse_dev_shop' },
      {
        Action: 'CreateRole',
        RoleName: 'roundhouse_dev_shop',
        Path: '/roundhouse/dev/',
        PermissionsBoundary: BOUNDARY,
        AssumeRolePolicyDocument: JSON.stringify(TRUST),
        'Tags.member.1.Key': 'roundhouse:stage',
        'Tags.member.1.Value': 'dev',
        'Tags.member.2.Key': 'roundhouse:app',
        'Tags.member.2.Value': 'shop',
      },
      { Action: 'GetRolePolicy' },
      { Action: 'PutRolePolicy', PolicyName: 'app', PolicyDocument: decodeURIComponent(POLICY) },
    ]);
  });

  test('writes nothing where all is as it must be', async () => {
    const { roles, sent } = await open(role(), policy());
    expect(await roles.ensure('shop')).toBe(ARN);
    expect(sent().map(({ Action }) => Action)).toEqual(['GetRole', 'GetRolePolicy']);
  });

  test.each<{ what: string; found: Found; repair: object }>([
    {
      what: 'another boundary',
      found: { boundary: 'arn:aws:iam::123456789012:policy/wide' },
      repair: { Action: 'PutRolePermissionsBoundary', PermissionsBoundary: BOUNDARY },
    },
    { what: 'no boundary', found: { boundary: '' }, repair: { Action: 'PutRolePermissionsBoundary' } },
    {
      what: 'the trust of somebody else',
      found: { trust: { ...TRUST, Statement: [...TRUST.Statement, { Effect: 'Allow', Principal: { AWS: '*' } }] } },
      repair: { Action: 'UpdateAssumeRolePolicy', PolicyDocument: JSON.stringify(TRUST) },
    },
    {
      what: 'another tag',
      found: { stage: 'prod' },
      repair: { Action: 'TagRole', 'Tags.member.1.Key': 'roundhouse:stage', 'Tags.member.1.Value': 'dev' },
    },
  ])('repairs a role with $what', async ({ found, repair }) => {
    const { roles, sent } = await open(role(found), DONE, policy());
    expect(await roles.ensure('shop')).toBe(ARN);
    expect(sent()).toMatchObject([{ Action: 'GetRole' }, repair, { Action: 'GetRolePolicy' }]);
  });

  test.each([
    ['missing', MISSING],
    [
      'wider',
      policy(
        encodeURIComponent('{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}'),
      ),
    ],
    ['no JSON', policy('%7B')],
    ['not even encoded well', policy('%')],
  ])('writes the policy anew where it is %s', async (_title, found) => {
    const { roles, sent } = await open(role(), found, DONE);
    await roles.ensure('shop');
    expect(sent()[2]).toMatchObject({ Action: 'PutRolePolicy', PolicyDocument: decodeURIComponent(POLICY) });
  });

  test('leaves a role alone that is not ours, and says whose it is', async () => {
    const { roles, sent } = await open(role({ path: '/' }));
    await expect(roles.ensure('shop')).rejects.toMatchObject({
      name: 'RuntimeError',
      code: 'invalid',
      message: expect.stringMatching(/role roundhouse_dev_shop under the path \/, which is not one of Roundhouse/),
    });
    expect(sent()).toHaveLength(1);
  });

  test.each([
    ['the role', [MISSING, refusal(409, 'EntityAlreadyExists')], 'conflict'],
    ['the role, for want of a permission', [MISSING, refusal(403, 'AccessDenied')], 'permission_denied'],
    ['the policy', [role(), MISSING, refusal(409, 'ConcurrentModification')], 'conflict'],
  ])('says what IAM refused of %s', async (_what, answers, code) => {
    const { roles } = await open(...answers);
    await expect(roles.ensure('shop')).rejects.toMatchObject({ name: 'RuntimeError', code });
  });
});

describe('remove', () => {
  test('takes every inline policy, then the role', async () => {
    const names = answer('ListRolePolicies', '<PolicyNames><member>app</member><member>more</member></PolicyNames>');
    const { roles, sent } = await open(names, DONE);
    await roles.remove('shop');
    expect(sent()).toMatchObject([
      { Action: 'ListRolePolicies', RoleName: 'roundhouse_dev_shop' },
      { Action: 'DeleteRolePolicy', PolicyName: 'app' },
      { Action: 'DeleteRolePolicy', PolicyName: 'more' },
      { Action: 'DeleteRole', RoleName: 'roundhouse_dev_shop' },
    ]);
  });

  test('is content with what is gone, at every step', async () => {
    await expect((await open(MISSING)).roles.remove('shop')).resolves.toBeUndefined();
    const names = answer('ListRolePolicies', '<PolicyNames><member>app</member></PolicyNames>');
    await expect((await open(names, MISSING, MISSING)).roles.remove('shop')).resolves.toBeUndefined();
  });

  test('says when something that somebody attached holds the role', async () => {
    const names = answer('ListRolePolicies', '<PolicyNames/>');
    const { roles } = await open(names, refusal(409, 'DeleteConflict'));
    await expect(roles.remove('shop')).rejects.toMatchObject({ code: 'conflict' });
  });
});
