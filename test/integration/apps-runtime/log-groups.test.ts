import { expect, test } from 'vitest';
import { createLogGroups } from '../../../lib/apps/runtime/log-groups.ts';
import { type Answer, refuse, startAwsStub } from './aws-stub.ts';

async function open(...answers: readonly Answer[]) {
  const { client, received } = await startAwsStub(...answers);
  const groups = createLogGroups({ stage: 'dev', client, retentionDays: 30 });
  return { groups, sent: () => received.map(({ headers, body }) => [headers['x-amz-target']?.split('.')[1], body]) };
}

const CREATE = [
  'CreateLogGroup',
  { logGroupName: '/roundhouse/dev/shop', tags: { 'roundhouse:stage': 'dev', 'roundhouse:app': 'shop' } },
];
const RETAIN = ['PutRetentionPolicy', { logGroupName: '/roundhouse/dev/shop', retentionInDays: 30 }];

test.each([
  ['that is not there', {}],
  ['that is there, whose retention was perhaps never set', refuse(400, 'ResourceAlreadyExistsException', 'exists')],
])('ensure makes a log group %s, and sets its retention', async (_title, answer) => {
  const { groups, sent } = await open(answer, {});
  await groups.ensure('shop');
  expect(sent()).toEqual([CREATE, RETAIN]);
});

test.each([
  ['a change at the same time', refuse(400, 'OperationAbortedException', 'try again'), 'conflict'],
  ['a missing permission', refuse(400, 'AccessDeniedException', 'no'), 'permission_denied'],
  ['an answer that is lost', 'drop', 'unavailable'],
] as const)('ensure tells of %s', async (_title, answer, code) => {
  const { groups } = await open(answer);
  await expect(groups.ensure('shop')).rejects.toMatchObject({ name: 'RuntimeError', code });
});

test.each([
  ['that is there', {}],
  ['that is gone', refuse(400, 'ResourceNotFoundException', 'gone')],
])('remove removes a log group %s', async (_title, answer) => {
  const { groups, sent } = await open(answer);
  await groups.remove('shop');
  expect(sent()).toEqual([['DeleteLogGroup', { logGroupName: '/roundhouse/dev/shop' }]]);
});

test('the name of the group is that of the app', async () => {
  expect((await open({})).groups.nameOf('shop')).toBe('/roundhouse/dev/shop');
});
