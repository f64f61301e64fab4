import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BundleReport, bundleAll } from '../../../infra/bundle.ts';
import { createFunctionUrlEvent } from '../../../lib/aws/function-url-event.ts';
import { createEndpointService } from '../../../lib/configs/endpoints.ts';
import { createConfigService } from '../../../lib/configs/service.ts';
import { checkAnswer, renderReview } from '../../../lib/deployment/review.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import { createDynamoStore } from '../../../lib/store/dynamo.ts';
import { CONFIG, KETTLES, kettleReview, SCHEMA, TARGET } from '../../support/kettles.ts';
import { type AwsServer, awsError, startAwsServer, startSecretServer } from './aws-server.ts';
import { runBundle } from './run-bundle.ts';

/**
 * What a cold start may load, in KiB, and of which clients of AWS: reading and compiling code is most of the time that one
 * takes. The budget of `convert` is its own; the others are what was reached (docs/performance.md) and 6 % more.
 */
const COLD_STARTS = [
  ['convert', 600, ['client-dynamodb']],
  ['api', 690, ['client-dynamodb', 'client-secrets-manager']],
  ['worker', 465, ['client-dynamodb', 'client-lambda']],
  ['reconcile', 420, ['client-dynamodb', 'client-lambda']],
] as const;

/** The clients that are loaded on use; each is most of a chunk. */
const ON_USE = {
  api: ['s3', 'ssm', 'lambda', 'ecr', 'sqs', 'cloudwatch-logs', 'cloudwatch', 'acm'],
  worker: ['s3', 'ssm', 'iam', 'ecr', 'sqs', 'cloudwatch-logs'],
  reconcile: ['sqs'],
};

const TOKEN = 'a-token-of-the-test';
const SECRET_ARN = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:RootToken-AbCdEf';

let folder: string;
let database: EmbeddedDatabase;
let secrets: AwsServer;
/** What the secret holds; undefined when it may not be read. */
let secret: string | undefined;
let token: string;
const reports: Record<string, BundleReport> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-bundle-'));
  for (const report of await bundleAll(folder)) reports[report.name] = report;
  database = await startEmbeddedDatabase();
  secrets = await startSecretServer(() => secret);
  const clock = { now: () => Date.now() };
  const store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
  const deps = { store, clock, ids: randomUUID };
  const endpoint = { apiVersion: 'terasky.com/v1alpha1', kind: 'ConversionWebhookServer', metadata: { name: 'eu' } };
  token = (await createEndpointService(deps).put('eu', { ...endpoint, spec: { default: true } })).token ?? '';
  await createConfigService(deps).put(TARGET, { config: CONFIG, schema: SCHEMA } as never);
  store.close();
});

beforeEach(() => {
  secret = TOKEN;
});

afterAll(async () => {
  await secrets.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a bundle in a fresh process, beside the database and the API that holds the secret. */
function run(name: string, events: readonly object[], environment: Record<string, string>) {
  return runBundle(reports[name]?.entry ?? '', events, {
    AWS_ENDPOINT_URL_DYNAMODB: database.client.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    ...environment,
  });
}

function event(path: string, body?: string, headers: Record<string, string> = {}) {
  const method = body === undefined ? 'GET' : 'POST';
  const content = body === undefined ? {} : { body: { text: body } };
  return createFunctionUrlEvent({ method, path, headers, requestId: 'r-1', now: Date.now(), ...content });
}

async function readModules(name: string) {
  const { outputs } = JSON.parse(await readFile(join(folder, `${name}.meta.json`), 'utf8'));
  const lazy = new Set(reports[name]?.lazy.map(({ file }) => file));
  const eagerInputs = Object.entries<any>(outputs).flatMap(([file, { inputs }]) =>
    file.endsWith('.mjs') && !lazy.has(file) ? Object.keys(inputs) : [],
  );
  expect(eagerInputs).toContain(`functions/${name}.ts`);
  return { eagerInputs };
}

describe('what a cold start loads', () => {
  test.each(COLD_STARTS)('of %s is at most %i KiB, with no clients of AWS but %j', async (name, budget, clients) => {
    expect((reports[name]?.eagerBytes ?? 0) / 1024).toBeLessThan(budget);
    expect(reports[name]?.eagerBytes).toBeGreaterThan(50 * 1024);
    const { eagerInputs } = await readModules(name);
    const found = eagerInputs.flatMap((file) => /@aws-sdk\/(client-[a-z0-9-]+)\//.exec(file)?.[1] ?? []);
    expect([...new Set(found)].toSorted()).toEqual(clients);
  });

  test('of api has nothing of the presigner', async () => {
    const { eagerInputs } = await readModules('api');
    expect(eagerInputs.filter((file) => /s3-request-presigner|middleware-sdk-s3/.test(file))).toEqual([]);
  });

  test.each(Object.entries(ON_USE))('of %s leaves %j to their first use, each in a chunk', (name, clients) => {
    const origins = reports[name]?.lazy.map(({ origin }) => origin);
    expect(origins).toEqual(expect.arrayContaining(clients.map((client) => `@aws-sdk/client-${client}`)));
  });
});

describe('what a cold start of convert loads', () => {
  test.each(['@marcbachmann/cel-js', 're2js', 'js-yaml', 'fast-json-patch'])('has nothing of %s', async (name) => {
    const { eagerInputs } = await readModules('convert');
    expect(eagerInputs.filter((file) => file.startsWith(`node_modules/${name}/`))).toEqual([]);
  });

  test('has no code of apps', async () => {
    const { eagerInputs } = await readModules('convert');
    expect(eagerInputs.filter((file) => /^lib\/(apps|access|system)\//.test(file))).toEqual([]);
  });

  test.each(['@marcbachmann/cel-js', 're2js'])('leaves %s in a chunk of its own', (name) => {
    expect(reports['convert']?.lazy.map(({ origin }) => origin)).toContain(name);
  });
});

test.each([...['convert', 'api', 'worker', 'reconcile', 'pre-traffic', 'synthetic']])(
  'the bundle of %s comes with a source map',
  async (name) => {
    expect(await readdir(join(folder, name))).toEqual(expect.arrayContaining(['index.mjs', 'index.mjs.map']));
  },
);

describe('the bundle in a fresh process', () => {
  test('of convert answers reviews, also those that need CEL and RE2', async () => {
    const path = `/convert/eu/${token}/${TARGET}`;
    const events = (['v2', 'v3'] as const).map((to) => event(path, JSON.stringify(kettleReview([KETTLES.v1], to))));
    const { results, logs, stdout, stderr } = await run('convert', events, { TABLE_NAME: database.tableName });
    expect(stderr).toBe('');
    expect(results.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const objects = results.map(({ body }) => JSON.parse(body).response.convertedObjects);
    expect(objects).toEqual([[KETTLES.v2], [KETTLES.v3]]);

    const reviews = logs.filter((line) => 'ConversionReviewDuration' in line);
    expect(reviews).toMatchObject([
      { service: 'convert', target: TARGET, endpoint: 'eu', result: 'success', from: 'v1', to: 'v2' },
      { result: 'success', to: 'v3' },
    ]);
    expect(logs.filter((line) => 'ColdStart' in line)).toHaveLength(1);
    expect(logs.filter((line) => 'RegistrySize' in line)).toMatchObject([
      { RegistrySize: 1, RegistryCompileErrors: 0 },
    ]);
    expect(stdout.replaceAll(/^RESULT .*$/gm, '')).not.toContain(token);
    expect(stdout.replaceAll(/^RESULT .*$/gm, '')).not.toContain('whistler');
  });

  test('of convert answers its self-test, and says which version it is', async () => {
    const environment = { TABLE_NAME: database.tableName, AWS_LAMBDA_FUNCTION_VERSION: '7' };
    const events = [event('/convert/self-test', renderReview('u-1')), event(`/convert/eu/${token}/${TARGET}`, '{}')];
    const { results, logs, stderr } = await run('convert', events, environment);
    expect(stderr).toBe('');
    const [{ statusCode, body }] = results;
    expect(checkAnswer('u-1', { status: statusCode, body })).toBeUndefined();
    expect(logs.filter((line) => 'ConversionReviewRequests' in line)).toMatchObject([
      { version: '7', result: 'bad_request' },
    ]);
  });

  test('of convert fails its self-test when it cannot read its table', async () => {
    const environment = { TABLE_NAME: 'another-table' };
    const { results, logs } = await run('convert', [event('/convert/self-test', renderReview('u-1'))], environment);
    expect(results).toMatchObject([{ statusCode: 503, headers: { 'retry-after': '1' } }]);
    expect(logs).toMatchObject([
      { message: 'review not answered', reason: expect.stringContaining('ResourceNotFoundException') },
    ]);
  });

  const APPS = {
    QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/roundhouse-prod-work.fifo',
    ARTIFACT_BUCKET: 'packages',
    ACCOUNT_ID: '123456789012',
  };
  const API = { ...APPS, ROOT_TOKEN_SECRET_ARN: SECRET_ARN, CONVERT_URL: 'https://convert.example.com' };
  const WORKER = {
    ...APPS,
    BOUNDARY_ARN: 'arn:aws:iam::123456789012:policy/roundhouse-prod-app-boundary',
    SECRETS_LAYER_ARN: 'arn:aws:lambda:us-east-1:123456789012:layer:secrets:1',
  };
  const bearer = { authorization: `Bearer ${TOKEN}` };

  // Two looks for changes within 100 ms: the second waits for a timer alone, and an empty event loop ends a Lambda process.
  test('of convert goes on running while a request waits for nothing but time', async () => {
    const wrong = Array.from({ length: 3 }, () => event(`/convert/eu/${'x'.repeat(32)}/${TARGET}`, '{}'));
    const { code, results } = await run('convert', wrong, { TABLE_NAME: database.tableName });
    expect(results.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404]);
    expect(code).toBe(0);
  });

  test('of api answers requests, and reads its token from the secret, once', async () => {
    const paths = ['/healthz', '/readyz', '/openapi.json', `/api/v1/configs/${TARGET}/patch`, '/api/v1/registry'];
    const environment = { ...API, TABLE_NAME: database.tableName };
    const asked = secrets.calls.length;
    const { results, stdout, stderr } = await run(
      'api',
      paths.map((path) => event(path, undefined, bearer)),
      environment,
    );
    expect(stderr).toBe('');
    expect(results.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    const [, , openapi, patch, registry] = results.map(({ body }) => JSON.parse(body));
    expect(openapi.paths).toHaveProperty(['/api/v1/configs/{target}']);
    expect(patch.spec.conversion.webhook.clientConfig.url).toMatch(/^https:\/\/convert\.example\.com\/convert\/eu\//);
    expect(registry.items).toMatchObject([{ target: TARGET, ready: true }]);
    expect(secrets.calls.slice(asked)).toMatchObject([{ input: { SecretId: SECRET_ARN } }]);
    expect(stdout).not.toContain(TOKEN);
  });

  test.each([
    ['holds another token', 'another-token-than-that', 401],
    ['holds a token that is too short', 'short', 503],
    ['may not be read', undefined, 503],
  ])('of api refuses requests when the secret %s, and stays healthy', async (_name, text, status) => {
    secret = text;
    const paths = ['/healthz', '/readyz', '/api/v1/configs'];
    const { results, logs, stdout, stderr } = await run(
      'api',
      paths.map((path) => event(path, undefined, bearer)),
      { ...API, TABLE_NAME: database.tableName },
    );
    expect(results.map(({ statusCode }) => statusCode)).toEqual([200, 200, status]);
    expect(results[2].headers['retry-after']).toBe(status === 503 ? '5' : undefined);
    expect(logs.some(({ message }) => /^root token not/.test(message))).toBe(status === 503);
    expect(stdout + stderr).not.toMatch(/canary|a-token-of-the-test|another-token/);
  });

  test('of api reads no secret for what is public', async () => {
    const asked = secrets.calls.length;
    await run('api', [event('/healthz'), event('/api/v1/brand'), event('/api/v1/configs')], {
      ...API,
      TABLE_NAME: database.tableName,
    });
    expect(secrets.calls.length).toBe(asked);
  });

  test('of api loads a client when a request needs it', async () => {
    const answers: Record<string, object> = {
      'GET /2016-08-19/account-settings': { AccountLimit: { ConcurrentExecutions: 1_000 }, AccountUsage: {} },
      'CertificateManager.ListCertificates': { CertificateSummaryList: [] },
      'Logs_20140328.FilterLogEvents': { events: [{ timestamp: 1, message: 'hello' }] },
    };
    const aws = await startAwsServer(({ operation }) => {
      const answer = answers[operation];
      return answer ? { body: JSON.stringify(answer) } : awsError(400, 'UnknownOperationException');
    });
    const app = JSON.stringify({ name: 'shop', image: 'shop:pending', domains: ['shop.example.com'] });
    const events = [
      event('/api/v1/apps', app, bearer),
      event('/api/v1/apps/shop/artifacts', '', bearer),
      ...['/api/v1/system/status', '/api/v1/certificates', '/api/v1/apps/shop/logs'].map((path) =>
        event(path, undefined, bearer),
      ),
    ];
    const environment = { ...API, TABLE_NAME: database.tableName, AWS_ENDPOINT_URL: aws.url };
    const { results, stderr } = await run('api', events, environment);
    await aws.close();
    expect({ stderr, statuses: results.map(({ statusCode }) => statusCode) }).toEqual({
      stderr: '',
      statuses: [201, 201, 200, 200, 200],
    });
    const [, artifact, status, , logs] = results.map(({ body }) => JSON.parse(body));
    expect(artifact.upload.url).toContain('X-Amz-Signature=');
    expect(status).toMatchObject({ runtime_connected: true, account: { concurrency: 1_000 } });
    expect(logs).toMatchObject({ entries: [{ message: 'hello' }] });
    expect(aws.calls.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(['CertificateManager.ListCertificates', 'GET /2016-08-19/account-settings']),
    );
  });

  const workFor = (app: string, queue = 'roundhouse-prod-work.fifo') => ({
    Records: [
      { body: JSON.stringify({ app, reason: 'test' }), eventSourceARN: `arn:aws:sqs:us-east-1:123456789012:${queue}` },
    ],
  });

  test('of worker takes work and dead letters, and tells them apart by their queue', async () => {
    const events = [workFor('no-such-app'), workFor('no-such-app', 'roundhouse-prod-work-dead.fifo')];
    const environment = { ...WORKER, TABLE_NAME: database.tableName };
    const { code, logs, results, stderr } = await run('worker', events, environment);
    expect({ code, stderr, results }).toEqual({ code: 0, stderr: '', results: [null, null] });
    const line = { message: 'looked at app', app: 'no-such-app', outcome: 'done' };
    expect(logs).toMatchObject([
      { ...line, lost: false },
      { ...line, lost: true },
    ]);
  });

  test('of worker fails when it cannot read its table, so that the message comes again', async () => {
    const { code, stderr } = await run('worker', [workFor('shop')], { ...WORKER, TABLE_NAME: 'another-table' });
    expect(code).not.toBe(0);
    expect(stderr).toContain('ResourceNotFoundException');
  });

  test('of reconcile runs the fast pass without any call of Lambda, and once for two calls in a minute', async () => {
    const events = [{ pass: 'fast' }, { pass: 'fast' }];
    const { code, logs, stderr } = await run('reconcile', events, { ...APPS, TABLE_NAME: database.tableName });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const metrics = logs.filter((line) => 'ReconcileDuration' in line);
    expect(metrics).toMatchObject([{ service: 'reconcile', pass: 'fast', ReconcileCalls: 0 }]);
    expect(logs.filter(({ message }) => message === 'pass left out')).toHaveLength(1);
  });

  test.each([
    ['api', { CONVERT_URL: 'https://user@host/path?query' }, ['TABLE_NAME', 'ROOT_TOKEN_SECRET_ARN', 'CONVERT_URL']],
    ['worker', {}, ['TABLE_NAME', 'QUEUE_URL', 'ARTIFACT_BUCKET', 'BOUNDARY_ARN', 'SECRETS_LAYER_ARN', 'ACCOUNT_ID']],
    ['reconcile', { QUEUE_URL: 'https://host/queue' }, ['TABLE_NAME', 'QUEUE_URL', 'ARTIFACT_BUCKET', 'ACCOUNT_ID']],
    ['convert', {}, ['TABLE_NAME']],
    ['pre-traffic', {}, ['CHECK', 'TARGET_VERSION_ARN']],
    ['synthetic', {}, ['CONVERT_URL']],
  ])(
    'of %s with a wrong configuration ends at start and names every variable',
    async (name, environment, variables) => {
      const { code, stderr } = await run(name, [], environment as Record<string, string>);
      expect(code).not.toBe(0);
      for (const variable of variables) expect(stderr).toContain(`${variable}: `);
    },
  );
});
