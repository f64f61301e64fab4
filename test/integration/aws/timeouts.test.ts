import { afterEach, describe, expect, test, vi } from 'vitest';
import { createReport } from '../../../lib/aws/code-deploy.ts';
import { createInvoke } from '../../../lib/aws/lambda.ts';
import { createSecretReader } from '../../../lib/aws/secrets-manager.ts';
import { startTcpServer, type TcpServer } from '../../support/tcp-server.ts';

const CREDENTIALS = { accessKeyId: 'embedded', secretAccessKey: 'embedded' };
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.1\r\ncontent-length: 100\r\n\r\n';
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  vi.restoreAllMocks();
});

/** An AWS API that sends so much of an answer, and then nothing; and how a client reaches it. */
async function startHanging(answer: string): Promise<{ server: TcpServer; client: object }> {
  const server = await startTcpServer((socket) => socket.on('data', () => socket.write(answer)));
  closers.push(server.close);
  const endpoint = `http://127.0.0.1:${server.port}`;
  return { server, client: { endpoint, region: 'us-east-1', credentials: CREDENTIALS } };
}

/** Every call of an AWS API but those of the table, and how often it is tried. */
const CALLS: readonly [string, number, (settings: { client: object; attemptMs: number }) => Promise<unknown>][] = [
  ['the read of a secret', 2, (settings) => createSecretReader({ arn: 'arn:any', ...settings })()],
  [
    'the invocation of a version',
    3,
    (settings) => createInvoke({ versionArn: 'any:7', ...settings })({}, new AbortController().signal),
  ],
  [
    'the report to CodeDeploy',
    5,
    (settings) => createReport(settings)({ deploymentId: 'd', executionId: 'e', status: 'Failed' }),
  ],
];

describe.each(CALLS)('%s', (_call, attempts, call) => {
  test.each([
    ['before its answer', ''],
    ['in the middle of the head of its answer', HEAD.slice(0, 40)],
    ['in the middle of the body of its answer', `${HEAD}{"SecretString":`],
  ])('that hangs %s is given up, and prints nothing', async (_name, answer) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { server, client } = await startHanging(answer);
    await expect(call({ client, attemptMs: 50 })).rejects.toMatchObject({
      message: expect.stringMatching(/time|aborted|TIMEDOUT/i),
    });
    expect(server.connections).toBeLessThanOrEqual(attempts);
    expect(warn).not.toHaveBeenCalled();
  });
});

test.each([
  ['before its answer', ''],
  ['in the middle of the body of its answer', `${HEAD}{"SecretString":`],
])('a read of the secret with a limit ends with it, when it hangs %s', async (_name, answer) => {
  const { server, client } = await startHanging(answer);
  // Attempts of a minute: it is the limit that ends the read.
  const read = createSecretReader({ arn: 'arn:any', client, attemptMs: 60_000 });
  await expect(read(50)).rejects.toThrow();
  expect(server.connections).toBe(1);
});
