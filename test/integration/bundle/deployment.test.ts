import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleFunction } from '../../../infra/bundle.ts';
import { createFunctionUrlEvent } from '../../../lib/aws/function-url-event.ts';
import { createEndpointService } from '../../../lib/configs/endpoints.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import { createDynamoStore } from '../../../lib/store/dynamo.ts';
import { webhookServer } from '../../support/widgets.ts';
import {
  type AwsCall,
  type AwsReply,
  type AwsServer,
  awsError,
  startAwsServer,
  startSecretServer,
} from './aws-server.ts';
import { makeCertificate } from './certificate.ts';
import { runBundle } from './run-bundle.ts';

const NAMES = ['convert', 'api', 'pre-traffic', 'synthetic'] as const;
const VERSION_ARN = 'arn:aws:lambda:us-east-1:123456789012:function:Roundhouse-prod-Convert:7';
const HOOK_EVENT = { DeploymentId: 'd-ABCDEF', LifecycleEventHookExecutionId: 'execution-1' };

let folder: string;
let database: EmbeddedDatabase;
let secrets: AwsServer;
/** What the secret holds; undefined when it may not be read. */
let secret: string | undefined;
const entries: Record<string, string> = {};
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-deployment-'));
  for (const name of NAMES) entries[name] = (await bundleFunction(name, folder)).entry;
  database = await startEmbeddedDatabase();
  secrets = await startSecretServer(() => secret);
  const clock = { now: () => Date.now() };
  const store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
  await createEndpointService({ store, clock, ids: randomUUID }).put('eu', webhookServer('eu'));
  store.close();
});

beforeEach(() => {
  secret = 'a-token-of-the-test';
});

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

afterAll(async () => {
  await secrets.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a version of a function answers to an event: its bundle in a process of its own. */
async function runVersion(name: 'convert' | 'api', event: object, tableName = database.tableName): Promise<string> {
  const { results } = await runBundle(entries[name] ?? '', [event], {
    AWS_ENDPOINT_URL_DYNAMODB: database.client.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    TABLE_NAME: tableName,
    QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/roundhouse-prod-work.fifo',
    ARTIFACT_BUCKET: 'packages',
    ACCOUNT_ID: '123456789012',
    ROOT_TOKEN_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:RootToken-AbCdEf',
    CONVERT_URL: 'https://convert.example.com',
  });
  return JSON.stringify(results[0]);
}

describe('the hook, over the real wire of Lambda and CodeDeploy', () => {
  async function runHook(check: 'convert' | 'api', invoked: (call: AwsCall) => AwsReply | Promise<AwsReply>, put = {}) {
    const aws: AwsServer = await startAwsServer((call) =>
      call.operation === 'lambda.Invoke'
        ? invoked(call)
        : { body: JSON.stringify({ lifecycleEventHookExecutionId: 'execution-1' }), ...put },
    );
    closers.push(aws.close);
    const environment = { CHECK: check, TARGET_VERSION_ARN: VERSION_ARN };
    const endpoints = { AWS_ENDPOINT_URL_LAMBDA: aws.url, AWS_ENDPOINT_URL_CODEDEPLOY: aws.url };
    const result = await runBundle(entries['pre-traffic'] ?? '', [HOOK_EVENT], { ...environment, ...endpoints });
    const reports = aws.calls.filter(({ operation }) => operation !== 'lambda.Invoke');
    return { ...result, reports, invocations: aws.calls.filter(({ operation }) => operation === 'lambda.Invoke') };
  }

  function report(status: 'Succeeded' | 'Failed') {
    const input = { deploymentId: 'd-ABCDEF', lifecycleEventHookExecutionId: 'execution-1', status };
    return [{ operation: 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus', input }];
  }

  test('lets a version of convert through that converts', async () => {
    const { code, reports, invocations, stderr } = await runHook('convert', async ({ input }) => ({
      body: await runVersion('convert', input),
    }));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(invocations).toMatchObject([{ functionName: VERSION_ARN, input: { rawPath: '/convert/self-test' } }]);
    expect(reports).toEqual(report('Succeeded'));
  });

  test('lets a version of api through that is healthy and ready', async () => {
    const { reports, invocations } = await runHook('api', async ({ input }) => ({
      body: await runVersion('api', input),
    }));
    expect(invocations.map(({ input }) => input.rawPath)).toEqual(['/healthz', '/readyz', '/api/v1/configs']);
    expect(reports).toEqual(report('Succeeded'));
  });

  test.each<['convert' | 'api', string]>([
    ['convert', 'the answer is HTTP 503, expected 200: no plan could be loaded yet'],
    ['api', 'the answer is HTTP 503, expected 200'],
  ])('stops a version of %s that cannot read its table', async (check, reason) => {
    const { code, logs, reports } = await runHook(check, async ({ input }) => ({
      body: await runVersion(check, input, 'another-table'),
    }));
    expect(code).toBe(0);
    expect(reports).toEqual(report('Failed'));
    expect(logs).toContainEqual(expect.objectContaining({ level: 'ERROR', reason: expect.stringContaining(reason) }));
  });

  test('stops a version of api that may not read the secret', async () => {
    secret = undefined;
    const { logs, reports } = await runHook('api', async ({ input }) => ({ body: await runVersion('api', input) }));
    expect(reports).toEqual(report('Failed'));
    const failed = logs.filter(({ level }) => level === 'ERROR');
    expect(failed).toMatchObject([{ request: 'GET /api/v1/configs', reason: expect.stringContaining('HTTP 503') }]);
  });

  const crash = JSON.stringify({ errorType: 'Error', errorMessage: 'the configuration is not valid' });
  test.each<[string, AwsReply, string]>([
    [
      'that crashes',
      { headers: { 'x-amz-function-error': 'Unhandled' }, body: crash },
      'it crashed (Unhandled: Error): the configuration is not valid',
    ],
    ['that answers nothing', { body: '' }, 'its result is no HTTP answer (0 characters)'],
    ['for which there is no concurrency', awsError(429, 'TooManyRequestsException'), 'no concurrency is left for it'],
    ['that may not be invoked', awsError(403, 'AccessDeniedException'), 'the role of the hook may not invoke it'],
    ['of which Lambda answers nonsense', { status: 500, body: '<html>' }, 'the Lambda API refused'],
  ])('stops a version %s', async (_name, reply, reason) => {
    const { code, logs, reports } = await runHook('convert', () => reply);
    expect(code).toBe(0);
    expect(reports).toEqual(report('Failed'));
    expect(logs.map((line) => line['reason'])).toEqual([expect.stringContaining(reason)]);
  });

  test('fails when CodeDeploy does not take its report', async () => {
    const put = awsError(400, 'LifecycleEventAlreadyCompletedException');
    const { code, stderr } = await runHook('convert', () => ({ body: '{}' }), put);
    expect(code).not.toBe(0);
    expect(stderr).toContain('LifecycleEventAlreadyCompletedException');
  });
});

describe('the synthetic review, over TLS', () => {
  async function runSynthetic(trusted: boolean, tableName = database.tableName) {
    const certificate = makeCertificate(Date.now());
    const server: Server = createServer(certificate, async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      const { method = '', url: path = '' } = request;
      const event = createFunctionUrlEvent({ method, path, body: { text: body }, requestId: 'r-1', now: Date.now() });
      const result = JSON.parse(await runVersion('convert', event, tableName));
      response.writeHead(result.statusCode, result.headers).end(result.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const authority = join(folder, 'authority.pem');
    await writeFile(authority, certificate.cert);
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const environment = { STAGE: 'test', CONVERT_URL: `https://${host}` };
    const trust: Record<string, string> = trusted ? { NODE_EXTRA_CA_CERTS: authority } : {};
    const result = await runBundle(entries['synthetic'] ?? '', [{}], { ...environment, ...trust });
    const metrics = result.logs.filter((line) => 'SyntheticReviewFailures' in line);
    return { ...result, host, metrics, lines: result.logs.filter((line) => !metrics.includes(line)) };
  }

  test('records no failure for a version that converts', async () => {
    const { code, metrics, lines, stderr } = await runSynthetic(true);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(metrics).toMatchObject([{ service: 'synthetic', stage: 'test', SyntheticReviewFailures: 0 }]);
    expect(metrics[0]?.['SyntheticReviewDuration']).toBeGreaterThan(0);
    expect(lines).toEqual([]);
  });

  test('records a failure for a version that cannot read its table', async () => {
    const { code, metrics, lines } = await runSynthetic(true, 'another-table');
    const reason = expect.stringContaining('no plan could be loaded yet');
    expect(code).toBe(0);
    expect(metrics).toMatchObject([{ SyntheticReviewFailures: 1, reason }]);
    expect(lines).toEqual([]);
  });

  test('records a failure for a certificate that nobody trusts', async () => {
    const { code, metrics, host } = await runSynthetic(false);
    expect(code).toBe(0);
    expect(metrics).toMatchObject([{ SyntheticReviewFailures: 1 }]);
    expect(metrics[0]?.['reason']).toMatch(
      /^no answer from \S+: self-signed certificate.* \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
    );
    expect(metrics[0]?.['reason']).toContain(host);
  });
});
