import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSecretValues } from '../../lib/apps/services/secret-values.ts';
import { createFunctionUrlEvent } from '../../lib/aws/function-url-event.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../lib/dev/embedded-database.ts';
import { deployedFunctions, readTemplate } from '../infra/support/cloud-assembly.ts';
import { type AwsServer, startSecretServer } from '../integration/bundle/aws-server.ts';
import { type AwsEmulatorForTest, startAwsEmulatorForTest } from '../support/aws-emulator.ts';
import { send } from '../support/http-client.ts';
import { type EmulatorForTest, startEmulatorForTest, zipOf } from '../support/lambda-emulator.ts';
import { openCdk } from './support/cdk.ts';
import { DEPLOYED, type LambdaFunction, type Programs, startLambda } from './support/lambda.ts';
import { type QueueAndRoles, startQueueAndRoles } from './support/queue-and-roles.ts';
import { startOnBoth } from './support/two-lambdas.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';
import { canRun, install } from './tools/install.ts';
import { EMULATOR, RUNTIME_CLIENT } from './tools/tools.ts';

const ROOT_TOKEN = 'a-root-token-of-the-test';
const CANARY = 'canary-7d1e-do-not-show';
const ACCOUNT = DEPLOYED['AWS::AccountId'];
const LAYER_ARN = DEPLOYED['AWS::Lambda::LayerVersion'];
const QUEUE = 'roundhouse-prod-work.fifo';
const QUEUE_ARN = `arn:aws:sqs:us-east-1:${ACCOUNT}:${QUEUE}`;
const EXAMPLE = join(import.meta.dirname, '../../examples/apps/json-api');
/** More than a deploy takes. */
const MOST_MESSAGES = 10;

describe.runIf(canRun('lambda', [EMULATOR, RUNTIME_CLIENT]))(
  "apps by the deployed functions under AWS's runtime client",
  () => {
    let workbench: Workbench;
    let programs: Programs;
    let database: EmbeddedDatabase;
    let secrets: AwsServer;
    let aws: AwsEmulatorForTest;
    let lambda: EmulatorForTest;
    let queue: QueueAndRoles;
    /** Folder of the layer's asset. */
    let layer: string;
    const functions: Record<string, LambdaFunction> = {};

    beforeAll(async () => {
      workbench = openWorkbench();
      programs = {
        emulator: await install(workbench, EMULATOR),
        client: await install(workbench, RUNTIME_CLIENT),
      };
      const outdir = workbench.folder('roundhouse-e2e-assembly-');
      const cdk = await openCdk(workbench);
      await cdk('synth', '--quiet', '--output', outdir);
      layer = await findLayer(outdir);
      database = await startEmbeddedDatabase();
      secrets = await startSecretServer(() => ROOT_TOKEN);
      queue = await startQueueAndRoles(ACCOUNT);
      const bucket = DEPLOYED['AWS::S3::Bucket'];
      aws = await startAwsEmulatorForTest({ buckets: [bucket], account: ACCOUNT });
      const { logs, invocations, readObject } = aws;
      lambda = await startEmulatorForTest({
        ...{ logs, invocations, readObject, accountId: ACCOUNT, layers: { [LAYER_ARN]: layer } },
        childEnv: { AWS_ENDPOINT_URL_SSM: aws.client.endpoint },
      });
      const deployed = await deployedFunctions(outdir, {
        ...DEPLOYED,
        'AWS::DynamoDB::Table': database.tableName,
        // A client of SQS goes to the host of the queue's URL, whatever AWS_ENDPOINT_URL_SQS says.
        'AWS::SQS::Queue': `${queue.url}/${ACCOUNT}/${QUEUE}`,
      });
      for (const fn of deployed.filter(({ service }) => ['api', 'worker', 'reconcile'].includes(service)))
        functions[fn.service] = await startLambda(workbench, programs, fn, endpoints());
    });

    afterAll(async () => {
      await workbench.close();
      await lambda?.close();
      await aws?.close();
      await queue?.close();
      await secrets?.close();
      await database?.close();
    });

    function endpoints(): Record<string, string> {
      const { endpoint } = aws.client;
      return {
        AWS_ENDPOINT_URL_DYNAMODB: database.client.endpoint,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
        AWS_ENDPOINT_URL_LAMBDA: lambda.url,
        AWS_ENDPOINT_URL_IAM: queue.url,
        AWS_ENDPOINT_URL_S3: endpoint,
        AWS_ENDPOINT_URL_SSM: endpoint,
        AWS_ENDPOINT_URL_CLOUDWATCH: endpoint,
        AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: endpoint,
        AWS_ENDPOINT_URL_ACM: endpoint,
        // Of the worker, which stops in time before it.
        AWS_LAMBDA_FUNCTION_TIMEOUT: '60',
      };
    }

    async function findLayer(outdir: string): Promise<string> {
      const { Resources: resources } = await readTemplate(outdir);
      const found = Object.values<any>(resources).find(({ Type }) => Type === 'AWS::Lambda::LayerVersion');
      return join(outdir, found.Metadata['aws:asset:path']);
    }

    const everything: string[] = [];

    async function api(method: string, path: string, body?: object) {
      const event = createFunctionUrlEvent({
        ...{ method, path: `/api/v1${path}`, requestId: 'r-1', now: Date.now() },
        headers: { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/json' },
        ...(body && { body: { text: JSON.stringify(body) } }),
      });
      const answer = await functions['api']?.invoke(event);
      everything.push(JSON.stringify(answer));
      return { status: answer.statusCode, json: answer.body === '' ? undefined : JSON.parse(answer.body) };
    }

    const sqsEvent = (body: string, eventSourceARN = QUEUE_ARN) => ({
      Records: [
        {
          messageId: '059f36b4-87a3-44ab-83d2-661975830a7d',
          receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a',
          body,
          attributes: { ApproximateReceiveCount: '1', SequenceNumber: '18849496460467696128', MessageGroupId: 'hello' },
          messageAttributes: {},
          md5OfBody: '098f6bcd4621d373cade4e832627b4f6',
          eventSource: 'aws:sqs',
          eventSourceARN,
          awsRegion: 'us-east-1',
        },
      ],
    });

    /** What the event source mapping would do: message after message, till there are none. */
    async function work(): Promise<number> {
      for (let done = 0; done < MOST_MESSAGES; done += 1) {
        const body = queue.messages.shift();
        if (body === undefined) return done;
        expect(await functions['worker']?.invoke(sqsEvent(body))).toBeNull();
      }
      throw new Error(`${MOST_MESSAGES} messages, and there are more: ${queue.messages.join(', ')}`);
    }

    async function upload(app: string): Promise<string> {
      const { status, json } = await api('POST', `/apps/${app}/artifacts`);
      expect(status).toBe(201);
      const files = readdirSync(EXAMPLE).map((name) => [name, readFileSync(join(EXAMPLE, name), 'utf8')]);
      const put = await send(json.upload.url, {
        method: json.upload.method,
        headers: json.upload.headers,
        body: zipOf(Object.fromEntries(files)),
      });
      expect(put.status).toBe(200);
      return json.image;
    }

    describe('the wrapper of the secrets layer', () => {
      const app = {
        files: {
          'index.mjs': 'export const handler = async () => [process.env.SECRET, process.env.OWN, process.argv.length];',
        },
        variables: {
          AWS_LAMBDA_EXEC_WRAPPER: '/opt/roundhouse-secrets',
          OWN: "it's",
          ROUNDHOUSE_SECRETS_PATH: '/roundhouse/wrapped/app',
        },
      };
      const open = (variables: Readonly<Record<string, string>>) =>
        startOnBoth(workbench, programs, lambda, {
          ...app,
          variables: { ...app.variables, ...variables },
          layer: { arn: LAYER_ARN, folder: layer },
        });
      const ssm = () => ({ AWS_ENDPOINT_URL_SSM: aws.client.endpoint });

      test("brings a secret of any characters to the handler, under AWS's client as under ours", async () => {
        const secret = `'; "$(exit 7)" \\ naïve 🎠\n ${CANARY}`;
        await createSecretValues({ stage: 'wrapped', client: aws.client }).put('app', 'SECRET', secret);
        const sides = await open(ssm());
        const { aws: outcome, ours } = await sides.call({});
        expect(outcome.payload).toEqual([secret, "it's", 3]);
        expect(ours.payload).toEqual([secret, "it's", 2]);
        expect(sides.aws.running.output()).not.toContain(CANARY);
        sides.stop();
      });

      test('ends the start of an app whose secrets cannot be read', async () => {
        const sides = await open({ AWS_ENDPOINT_URL_SSM: 'http://127.0.0.1:1' });
        const { ours } = await sides.call({});
        const { status, text } = await sides.aws.invoke({});
        // Empty, for the process ended at its start (the differences in lambda-apps.test.ts).
        expect([status, text]).toEqual([502, '']);
        expect(ours.payload).toMatchObject({ errorMessage: 'Error: Runtime exited with error: exit status 1' });
        expect(sides.aws.running.output()).toContain('the app does not start without them');
        sides.stop();
      });
    });

    describe('a deploy', () => {
      test('is taken by api, which puts one message into the queue', async () => {
        const settings = JSON.parse(readFileSync(join(EXAMPLE, 'app.json'), 'utf8'));
        const created = await api('POST', '/apps', { name: 'hello', image: 'zip:pending', ...settings });
        expect(created.status, JSON.stringify(created.json)).toBe(201);
        const image = await upload('hello');
        expect((await api('POST', '/apps/hello/deploys', { image })).status).toBe(202);
        expect(queue.messages.map((message) => JSON.parse(message).app)).toEqual(['hello']);
      });

      test('is carried out by worker, with a role of its own for the app', async () => {
        expect(await work()).toBeGreaterThan(0);
        const attempt = (await api('GET', '/apps/hello/deploys/latest')).json;
        expect(attempt, functions['worker']?.output()).toMatchObject({ status: 'succeeded', release: 1 });
        const role = queue.roles.get('roundhouse_prod_hello');
        expect(role?.form.get('PermissionsBoundary')).toBe(DEPLOYED['AWS::IAM::ManagedPolicy']);
        expect(role?.policy).toContain('/roundhouse/prod/hello');
      });

      test('serves the app at its URL', async () => {
        const { json: app } = await api('GET', '/apps/hello');
        expect(app).toMatchObject({ state: { name: 'healthy' }, live: { release: 1 } });
        const reply = await send(`${app.url}hello?name=Ada`, { method: 'GET' });
        expect({ status: reply.status, text: reply.text }).toEqual({
          status: 200,
          text: '{"greeting":"Hello, Ada!"}\n',
        });
      });

      test('of a secret brings it to the app, by the layer', async () => {
        expect((await api('DELETE', '/apps/hello/env/GREETING')).status).toBeLessThan(300);
        expect((await api('PUT', '/apps/hello/secrets/GREETING', { value: CANARY })).status).toBe(204);
        expect((await api('POST', '/apps/hello/restart')).status).toBe(200);
        await work();
        const attempt = (await api('GET', '/apps/hello/deploys/latest')).json;
        expect(attempt, functions['worker']?.output()).toMatchObject({ status: 'succeeded', release: 2 });
        const { json: app } = await api('GET', '/apps/hello');
        expect((await send(`${app.url}hello?name=Ada`, { method: 'GET' })).text).toBe(
          `{"greeting":"${CANARY}, Ada!"}\n`,
        );
      });
    });

    describe('reconcile', () => {
      test('runs a pass of its schedule, and leaves a well app alone', async () => {
        const before = lambda.calls.count();
        expect(await functions['reconcile']?.invoke({ pass: 'fast' })).toBeNull();
        expect(functions['reconcile']?.lines()).toContainEqual(
          expect.objectContaining({ message: 'pass ended', pass: 'fast' }),
        );
        expect([lambda.calls.count(), queue.messages]).toEqual([before, []]);
      });

      test('runs the drift pass, which looks at the function', async () => {
        const before = lambda.calls.count();
        expect(await functions['reconcile']?.invoke({ pass: 'drift' })).toBeNull();
        expect(lambda.calls.count()).toBeGreaterThan(before);
        expect(queue.messages).toEqual([]);
      });

      test('fails for an event of another form', async () => {
        expect(await functions['reconcile']?.invoke({ source: 'aws.events' })).toMatchObject({
          errorType: 'Error',
          errorMessage: expect.stringContaining('expected {"pass": "fast"}'),
        });
      });
    });

    test('worker passes over what is no message of ours, and over an app that is not there', async () => {
      for (const body of ['no JSON', '{}', '{"app":"nobody","reason":"test"}'])
        expect(await functions['worker']?.invoke(sqsEvent(body))).toBeNull();
      const lines = functions['worker']?.lines() ?? [];
      expect(lines.filter(({ message }) => message === 'message of another form')).toHaveLength(2);
      expect(lines).toContainEqual(expect.objectContaining({ app: 'nobody', outcome: 'done' }));
    });

    test('a delete removes the app with its function, by the same way', async () => {
      expect((await api('DELETE', '/apps/hello')).status).toBe(202);
      await work();
      expect((await api('GET', '/apps/hello')).status).toBe(404);
      expect(queue.roles.size).toBe(0);
    });

    test('all of it started each function once, and wrote no secret and no token', () => {
      for (const [service, fn] of Object.entries(functions)) {
        expect(fn.times().init, service).toHaveLength(1);
        expect(fn.output()).not.toContain(CANARY);
        expect(fn.output()).not.toContain(ROOT_TOKEN);
      }
      expect(everything.filter((text) => text.includes(CANARY))).toEqual([]);
    });
  },
);
