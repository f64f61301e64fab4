import { afterEach, expect, test } from 'vitest';
import { createSecretValues } from '../../../../lib/apps/services/secret-values.ts';
import { type AwsStub, startAwsStub } from '../../../support/aws-stub.ts';

const CANARY = 'canary-9f2';
let stub: AwsStub | undefined;

afterEach(() => stub?.close());

test.each([
  ['nothing', '', /it is empty/],
  ['4,097 bytes', 'x'.repeat(4_097), /has 4097 bytes, and a parameter of Systems Manager holds 4096/],
  ['4,096 characters of more bytes', 'ü'.repeat(4_096), /has 8192 bytes/],
  ['a reference', `${CANARY} {{ssm:x}}`, /\{\{ and \}\}/],
  ['a NUL', `${CANARY}\0`, /NUL/],
  ['half a character', `${CANARY}\ud800`, /half a character/],
])('a value of %s is refused before a call, without being quoted', async (_what, value, reason) => {
  stub = await startAwsStub(() => ({}));
  const error = await createSecretValues({ stage: 'test', client: stub.client })
    .put('shop', 'KEY', value)
    .catch((e) => e);
  expect(error).toMatchObject({ name: 'AppError', code: 'BAD_REQUEST', message: expect.stringMatching(reason) });
  expect(error.details.errors).toEqual([{ pointer: '/value', detail: expect.stringMatching(reason) }]);
  expect(error.message).toContain('secret KEY');
  expect(JSON.stringify(error) + error.message).not.toContain(CANARY);
  expect(stub.calls).toEqual([]);
});

test.each([
  ['ValidationException', 400, 'invalid'],
  ['AccessDeniedException', 400, 'permission_denied'],
  ['InvalidKeyId', 400, 'invalid'],
  ['TooManyUpdates', 400, 'throttled'],
  ['ThrottlingException', 400, 'throttled'],
  ['InternalServerError', 500, 'unavailable'],
])('%s of Systems Manager says nothing of the value, in no part of the error', async (type, status, code) => {
  const message = `Value '${CANARY}' at 'value' failed to satisfy constraint`;
  stub = await startAwsStub(() => ({ status, body: { __type: type, message } }));
  const secrets = createSecretValues({ stage: 'test', client: stub.client });
  const error = await secrets.put('shop', 'KEY', CANARY).catch((e) => e);
  expect(error).toMatchObject({ name: 'RuntimeError', code, message: expect.stringContaining('ssm:PutParameter') });
  expect([error.message, error.stack, JSON.stringify(error), String(error.cause)].join()).not.toContain(CANARY);
});

test('a value is written over, encrypted, as a standard parameter', async () => {
  stub = await startAwsStub(() => ({ body: { Version: 2 } }));
  await createSecretValues({ stage: 'test', client: stub.client }).put('shop', 'KEY', 'v');
  const Name = '/roundhouse/test/shop/KEY';
  expect(stub.calls).toEqual([{ Name, Value: 'v', Type: 'SecureString', Tier: 'Standard', Overwrite: true }]);
});

test('the values are not asked for when they are removed, and go in tens', async () => {
  const names = Array.from({ length: 12 }, (_, index) => ({ Name: `/roundhouse/test/shop/K${index}` }));
  stub = await startAwsStub((call) => ({
    body: [{}, { Parameters: names.slice(0, 10), NextToken: 'n' }, { Parameters: names.slice(10) }][call] ?? {},
  }));
  await createSecretValues({ stage: 'test', client: stub.client }).removeAll('shop');
  expect(stub.calls.slice(0, 2).map(({ WithDecryption, Path }) => [WithDecryption, Path])).toEqual([
    [false, '/roundhouse/test/shop'],
    [false, '/roundhouse/test/shop'],
  ]);
  expect(stub.calls.slice(2).map(({ Names }) => Names.length)).toEqual([10, 2]);
});
