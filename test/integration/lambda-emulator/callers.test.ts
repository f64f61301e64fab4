import { ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../../support/http-client.ts';
import { type EmulatorForTest, functionInput, startEmulatorForTest } from '../../support/lambda-emulator.ts';

let emulator: EmulatorForTest;
beforeAll(async () => {
  emulator = await startEmulatorForTest();
});
afterAll(() => emulator.close());

const create = (headers: Readonly<Record<string, string>>) => {
  const { Code, ...input } = functionInput('evil', { 'index.mjs': 'export const handler = async () => 1' });
  const body = JSON.stringify({ ...input, Code: { ZipFile: Buffer.from(Code.ZipFile).toString('base64') } });
  return send(`${emulator.url}/2015-03-31/functions`, { headers: { 'content-type': 'text/plain', ...headers }, body });
};
const SIGNED = { authorization: 'AWS4-HMAC-SHA256 Credential=a/b' };

describe('a call that no program of this machine made is refused before it is read', () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['not signed, as a web page can send it without asking', {}, 'MissingAuthenticationTokenException'],
    ['from a web page', { ...SIGNED, origin: 'https://evil.example' }, 'AccessDeniedException'],
    ['from a page without an origin', { ...SIGNED, origin: 'null' }, 'AccessDeniedException'],
    ['by a name that was made to mean this machine', { ...SIGNED, host: 'evil.example' }, 'AccessDeniedException'],
    ['by a name that begins like ours', { ...SIGNED, host: '127.0.0.1.evil.example' }, 'AccessDeniedException'],
  ])('%s', async (_what, headers, type) => {
    expect(await create(headers)).toMatchObject({ status: 403, headers: { 'x-amzn-errortype': type } });
    expect((await emulator.client.send(new ListFunctionsCommand())).Functions).toEqual([]);
  });

  test('and one of the machine itself is not', async () => {
    expect((await create(SIGNED)).status).toBe(201);
  });
});
