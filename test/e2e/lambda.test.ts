import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFunctionUrlEvent } from '../../lib/aws/function-url-event.ts';
import { createEndpointService } from '../../lib/configs/endpoints.ts';
import { createConfigService } from '../../lib/configs/service.ts';
import { checkAnswer, renderReview } from '../../lib/deployment/review.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../lib/dev/embedded-database.ts';
import { createDynamoStore } from '../../lib/store/dynamo.ts';
import { deployedFunctions, VERSION } from '../infra/support/cloud-assembly.ts';
import { type AwsServer, startSecretServer } from '../integration/bundle/aws-server.ts';
import { CONFIG, KETTLES, kettleReview, SCHEMA, TARGET } from '../support/kettles.ts';
import { webhookServer, widgets } from '../support/widgets.ts';
import { openCdk } from './support/cdk.ts';
import { DEPLOYED, type LambdaFunction, startLambda } from './support/lambda.ts';
import { keepMeasurement } from './support/measurements.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun, install } from './tools/install.ts';
import { EMULATOR, RUNTIME_CLIENT } from './tools/tools.ts';

const ROOT_TOKEN = 'a-root-token-of-the-test';
const LARGE_BYTES = 5_900_000;

const runs = canRun('lambda', [EMULATOR, RUNTIME_CLIENT]);

describe.runIf(runs)("the deployed assets under AWS's runtime client and emulator", () => {
  let workbench: Workbench;
  let database: EmbeddedDatabase;
  let secrets: AwsServer;
  /** Path token of the endpoint `eu`. */
  let token: string;
  const functions: Record<string, LambdaFunction> = {};
  /** What was asked of each function, in order. */
  const asked: Record<string, string[]> = { convert: [], api: [] };

  beforeAll(async () => {
    workbench = openWorkbench();
    const emulator = await install(workbench, EMULATOR);
    const client = await install(workbench, RUNTIME_CLIENT);
    const outdir = workbench.folder('roundhouse-e2e-assembly-');
    const cdk = await openCdk(workbench);
    await cdk('synth', '--quiet', '--output', outdir);
    database = await startEmbeddedDatabase();
    secrets = await startSecretServer(() => ROOT_TOKEN);
    token = await seed();
    const deployed = await deployedFunctions(outdir, { ...DEPLOYED, 'AWS::DynamoDB::Table': database.tableName });
    const aws = {
      AWS_ENDPOINT_URL_DYNAMODB: database.client.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    };
    for (const fn of deployed.filter(({ service }) => service in asked)) {
      functions[fn.service] = await startLambda(workbench, { emulator, client }, fn, aws);
    }
  });

  afterAll(async () => {
    reportTimes();
    await workbench.close();
    await secrets?.close();
    await database?.close();
  });

  async function seed(): Promise<string> {
    const clock = { now: () => Date.now() };
    const store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
    const deps = { store, clock, ids: randomUUID };
    const made = await createEndpointService(deps).put('eu', webhookServer('eu', { default: true }));
    await createConfigService(deps).put(TARGET, { config: CONFIG, schema: SCHEMA } as never);
    store.close();
    return made.token ?? '';
  }

  async function ask(service: string, title: string, event: object): Promise<any> {
    asked[service]?.push(title);
    return await functions[service]?.invoke(event);
  }

  function reportTimes(): void {
    const report = Object.entries(functions).map(([service, fn]) => {
      const { init, invoke } = fn.times();
      const events = invoke.map((ms, index) => ({ event: asked[service]?.[index], ms }));
      return { service, initMs: init, invocations: events };
    });
    for (const { service, initMs, invocations } of report) {
      const lines = invocations.map(({ event, ms }) => `  ${ms.toFixed(1).padStart(8)} ms  ${event}\n`);
      process.stderr.write(`${service}: INIT ${initMs.join(', ')} ms, then INVOKE\n${lines.join('')}`);
    }
    keepMeasurement('lambda', report);
  }

  const url = (path: string, more: Partial<Parameters<typeof createFunctionUrlEvent>[0]> = {}) =>
    createFunctionUrlEvent({ method: 'POST', path, requestId: 'r-1', now: Date.now(), ...more });
  const convertPath = (target = TARGET, key = token) => `/convert/eu/${key}/${target}`;
  const text = (body: unknown) => ({ body: { text: typeof body === 'string' ? body : JSON.stringify(body) } });
  const gzip = { headers: { 'accept-encoding': 'gzip' } };

  describe('convert', () => {
    const convert = (title: string, event: object) => ask('convert', title, event);
    const large = () =>
      kettleReview([{ ...KETTLES.v1, spec: { ...KETTLES.v1.spec, name: 'x'.repeat(LARGE_BYTES) } }], 'v2');
    const failing = { ...KETTLES.v2, spec: { ...KETTLES.v2.spec, cups: 'three' } };

    test.each([
      ['with plain rules', KETTLES.v1, 'v2', KETTLES.v2],
      ['with RE2 and CEL', KETTLES.v2, 'v3', KETTLES.v3],
      ['back with RE2 and CEL', KETTLES.v3, 'v1', KETTLES.v1],
    ])('converts %s', async (title, object, to, expected) => {
      const answer = await convert(title, url(convertPath(), text(kettleReview([object], to))));
      expect(answer).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
      expect(JSON.parse(answer.body).response).toEqual({
        uid: 'u-1',
        convertedObjects: [expected],
        result: { status: 'Success' },
      });
    });

    test('answers the self-test as a deployment expects it', async () => {
      const { statusCode: status, body } = await convert(
        'self-test',
        url('/convert/self-test', text(renderReview('u-2'))),
      );
      expect(checkAnswer('u-2', { status, body })).toBeUndefined();
    });

    test('takes a body in base64', async () => {
      const body = {
        text: Buffer.from(JSON.stringify(kettleReview([KETTLES.v1], 'v2'))).toString('base64'),
        base64: true,
      };
      const answer = await convert('base64', url(convertPath(), { body }));
      expect(JSON.parse(answer.body).response.convertedObjects).toEqual([KETTLES.v2]);
    });

    test('takes a body of 5.9 MB, and answers in kind', async () => {
      const answer = await convert('5.9 MB', url(convertPath(), text(large())));
      expect(answer).toMatchObject({ statusCode: 200 });
      expect(JSON.parse(answer.body).response.convertedObjects[0].spec.title).toHaveLength(LARGE_BYTES);
    });

    test('compresses a large answer for a caller that takes it', async () => {
      const answer = await convert('5.9 MB, gzip', url(convertPath(), { ...text(large()), ...gzip }));
      expect(answer).toMatchObject({ statusCode: 200, headers: { 'content-encoding': 'gzip' }, isBase64Encoded: true });
      const { response } = JSON.parse(gunzipSync(Buffer.from(answer.body, 'base64')).toString());
      expect(response.convertedObjects[0].spec.title).toHaveLength(LARGE_BYTES);
    });

    test('answers a rule that throws with a Failure, as HTTP 200', async () => {
      const answer = await convert('throwing rule', url(convertPath(), text(kettleReview([failing], 'v3'))));
      expect(answer.statusCode).toBe(200);
      const { result, convertedObjects } = JSON.parse(answer.body).response;
      expect(result).toMatchObject({ status: 'Failure', message: expect.stringContaining('whistler') });
      expect(convertedObjects ?? []).toEqual([]);
    });

    test.each([
      ['an unknown target', () => url(convertPath('boats.example.org'), text(kettleReview([KETTLES.v1], 'v2'))), 404],
      ['a wrong token', () => url(convertPath(TARGET, 'A'.repeat(32)), text(kettleReview([KETTLES.v1], 'v2'))), 404],
      // Held back for a moment, while nothing else keeps the process alive.
      ['a wrong token at once after that', () => url(convertPath(TARGET, 'B'.repeat(32)), text('{}')), 404],
      ['broken JSON', () => url(convertPath(), text('{"kind":')), 400],
      ['no body', () => url(convertPath()), 400],
      ['GET', () => url(convertPath(), { method: 'GET' }), 405],
      ['an event that is none', () => ({}), 404],
    ])('answers %s with a Status', async (title, event, code) => {
      const answer = await convert(title, event());
      expect(answer.statusCode).toBe(code);
      expect(JSON.parse(answer.body)).toMatchObject({ kind: 'Status', status: 'Failure', code });
    });

    test('has survived all of it: one start, and it still converts', async () => {
      const answer = await convert('after all', url(convertPath(), text(kettleReview([KETTLES.v1], 'v2'))));
      expect(JSON.parse(answer.body).response.convertedObjects).toEqual([KETTLES.v2]);
      const { convert: fn } = functions;
      expect(fn?.times().init).toHaveLength(1);
      expect(fn?.times().invoke).toHaveLength(asked['convert']?.length ?? 0);
      expect(fn?.lines().filter((line) => 'ColdStart' in line)).toHaveLength(1);
    });

    test('has written its metrics and its log, line by line, and no token', () => {
      const { convert: fn } = functions;
      const lines = fn?.lines() ?? [];
      const metrics = lines.filter((line) => 'ConversionReviewRequests' in line);
      const own = { service: 'convert', stage: 'prod', version: VERSION };
      expect(metrics.map(({ result }) => result)).toEqual(expect.arrayContaining(['success', 'bad_request']));
      for (const line of metrics)
        expect(line).toMatchObject({ ...own, _aws: { CloudWatchMetrics: expect.any(Array) } });
      expect(lines).toContainEqual(expect.objectContaining({ level: 'INFO', message: 'conversion URL not known' }));
      expect(fn?.output()).not.toContain(token);
    });
  });

  describe('api', () => {
    const { config, schema } = widgets({ target: 'widgets.example.org' });
    const path = '/api/v1/configs/widgets.example.org';
    const bearer = { authorization: `Bearer ${ROOT_TOKEN}` };
    const api = (title: string, event: object) => ask('api', title, event);

    test('is healthy', async () => {
      expect(await api('healthz', url('/healthz', { method: 'GET' }))).toMatchObject({ statusCode: 200 });
    });

    test('refuses a caller without the token of the secret', async () => {
      const answer = await api('without token', url(path, { method: 'PUT', ...text({ config, schema }) }));
      expect(answer.statusCode).toBe(401);
    });

    test('takes a config, and gives the patch for its CRD', async () => {
      const put = await api('PUT config', url(path, { method: 'PUT', headers: bearer, ...text({ config, schema }) }));
      expect(put.statusCode).toBe(201);
      const patch = await api('GET patch', url(`${path}/patch`, { method: 'GET', headers: bearer }));
      expect(patch.statusCode).toBe(200);
      const { clientConfig } = JSON.parse(patch.body).spec.conversion.webhook;
      expect(clientConfig.url).toMatch(/^https:\/\/convert\.example\.com\/convert\/eu\/[^/]+\/widgets\.example\.org$/);
    });

    test('answers an event that is none', async () => {
      expect(await api('an event that is none', {})).toMatchObject({ statusCode: 404 });
    });

    test('has survived all of it, and has written no token', async () => {
      expect(await api('after all', url('/readyz', { method: 'GET' }))).toMatchObject({ statusCode: 200 });
      expect(functions['api']?.times().init).toHaveLength(1);
      expect(functions['api']?.output()).not.toContain(ROOT_TOKEN);
    });
  });
});
