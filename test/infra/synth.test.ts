import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFunctionUrlEvent } from '../../lib/aws/function-url-event.ts';
import { createEndpointService } from '../../lib/configs/endpoints.ts';
import { createConfigService } from '../../lib/configs/service.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../lib/dev/embedded-database.ts';
import { createDynamoStore } from '../../lib/store/dynamo.ts';
import { type AwsServer, startAwsServer, startSecretServer } from '../integration/bundle/aws-server.ts';
import { runBundle } from '../integration/bundle/run-bundle.ts';
import { CONFIG, KETTLES, kettleReview, SCHEMA, TARGET } from '../support/kettles.ts';
import { startTcpServer, type TcpServer } from '../support/tcp-server.ts';
import { webhookServer } from '../support/widgets.ts';
import { type CdkResult, cdkSynth, copyTree, listFiles } from './support/cdk-tree.ts';
import { type DeployedFunction, deployedFunctions, digests, readTemplate, VERSION } from './support/cloud-assembly.ts';

/** For what runs the command line: seconds of a processor each time, and other tests run beside it. */
const PATIENCE_MS = 300_000;

let folder: string;
/** Two copies of the repository, at different depths: nothing of where they are may be in what is deployed. */
let trees: readonly [string, string];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-cdk-'));
  trees = [join(folder, 'tree'), join(folder, 'a/deeper/tree')];
  for (const tree of trees) await copyTree(tree);
}, PATIENCE_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

interface WrongSettings {
  readonly name: string;
  /** What follows each `-c`. */
  readonly context?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What the person who deploys reads; one problem a text. */
  readonly problems: readonly string[];
}

const CERTIFICATE = 'arn:aws:acm:eu-west-1:111122223333:certificate/0b1c2d3e';

const WRONG: readonly WrongSettings[] = [
  {
    name: 'a name that is not a setting',
    context: ['convertMemroy=512'],
    problems: ['"convertMemroy" is not a setting of Roundhouse. Did you mean convertMemory?'],
  },
  {
    name: '49 instances for convert',
    context: ['convertReservedConcurrency=49'],
    problems: ["convertReservedConcurrency: '49' is refused. It takes a whole number, at least 50: "],
  },
  {
    name: 'a stage in capitals',
    context: ['stage=Prod'],
    problems: ["stage: 'Prod' is refused. It takes a lower-case letter, then "],
  },
  {
    name: 'an unknown removal policy',
    context: ['removalPolicy=keep'],
    problems: ["removalPolicy: 'keep' is refused. It takes retain or destroy."],
  },
  {
    name: 'a retention of 31 days',
    context: ['logRetentionDays=31'],
    problems: ["logRetentionDays: '31' is refused. It takes one of 1, 3, 5, 7, 14, 30, 60, "],
  },
  {
    name: 'an address that is none',
    context: ['alarmEmail=nobody'],
    problems: ["alarmEmail: 'nobody' is refused. It takes an e-mail address."],
  },
  {
    name: 'a domain without a certificate',
    context: ['convertDomain=convert.example.org'],
    problems: [
      'convertCertificateArn: it is missing. convertDomain and convertCertificateArn belong together: give both or none.',
    ],
  },
  {
    name: 'two wrong values in a Region without function URLs',
    context: ['customerKey=yes', 'brandFile=another.yaml'],
    environment: { AWS_REGION: 'eu-south-2' },
    problems: [
      "customerKey: 'yes' is refused. It takes true or false.",
      'another.yaml does not exist; ',
      'AWS Lambda has no function URLs in eu-south-2, ',
    ],
  },
  {
    name: 'a certificate of another Region',
    context: ['convertDomain=convert.example.org', `convertCertificateArn=${CERTIFICATE}`],
    environment: { AWS_DEFAULT_REGION: 'eu-central-1' },
    problems: ['convertCertificateArn: the certificate is in eu-west-1, the stack in eu-central-1. '],
  },
];

// Before anything is synthesised: what is written here was not there before.
describe('cdk synth refuses', () => {
  const results: Record<string, CdkResult> = {};

  beforeAll(async () => {
    const queue = WRONG.entries();
    const work = async (tree: string) => {
      for (const [index, { name, context = [], environment = {} }] of queue) {
        const args = context.flatMap((setting) => ['-c', setting]);
        results[name] = await cdkSynth(tree, join(folder, `wrong-${index}`), { arguments: args, environment });
      }
    };
    await Promise.all(trees.map(work));
  }, PATIENCE_MS);

  test.each(WRONG)('$name, and says what to do', ({ name, problems }) => {
    const { code, stdout, stderr } = results[name] as CdkResult;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    for (const problem of problems) expect(stderr).toContain(problem);
    expect(
      stderr.match(/is refused|is not a setting|is missing|does not exist|the stack in|no function URLs/g),
    ).toHaveLength(problems.length);
    expect(stderr).not.toMatch(/^\s+at |\bError:|node_modules/m);
  });

  test.each(WRONG)('$name before it bundles or synthesises', async ({ name }) => {
    const { outdir, traces } = results[name] as CdkResult;
    expect(await listFiles(outdir)).toEqual([]);
    expect(traces).toEqual([]);
  });

  test('a name that is not a setting with the list of all settings', () => {
    const { stderr = '' } = results['a name that is not a setting'] ?? {};
    for (const line of ['stage (default prod): a lower-case letter', 'alarmEmail (unset): an e-mail address']) {
      expect(stderr).toContain(`\n  ${line}`);
    }
  });
});

describe('cdk synth', () => {
  let results: readonly CdkResult[];
  let outdir: string;

  beforeAll(async () => {
    const work = (tree: string, index: number) => cdkSynth(tree, join(folder, `assembly-${index}`));
    results = await Promise.all(trees.map(work));
    outdir = results[0]?.outdir ?? '';
  }, PATIENCE_MS);

  test('prints a template without credentials and network, and has nothing to complain about', async () => {
    const { scripts } = JSON.parse(await readFile(join(trees[0], 'package.json'), 'utf8'));
    expect(scripts.synth).toBe('cdk synth');
    // The runs here switch it off by a variable; without either every command reports to AWS.
    const { context } = JSON.parse(await readFile(join(trees[0], 'cdk.json'), 'utf8'));
    expect(context['cli-telemetry']).toBe(false);
    // The command line does not print the rule that it adds to every template, about the version of the bootstrap stack.
    const { Rules: _, ...template } = await readTemplate(outdir);
    for (const { code, stderr, stdout } of results) {
      expect({ code, stderr: stderr.trim() }).toEqual({ code: 0, stderr: '' });
      expect(load(stdout)).toEqual(template);
    }
  });

  describe('of the same tree in another place', () => {
    test('makes the same template', async () => {
      const [first, second] = results.map(({ stdout }) => stdout);
      expect(second).toBe(first);
    });

    test('makes the same files, to the byte', async () => {
      const [first, second] = await Promise.all(
        results.map((result, index) => digests(result.outdir, trees[index] ?? '')),
      );
      expect(second).toEqual(first);
      const assets = new Set(Object.keys(first ?? {}).map((file) => file.split('/')[0] ?? ''));
      expect([...assets].filter((name) => /^asset\.[0-9a-f]{64}$/.test(name))).toHaveLength(7);
    });
  });

  describe('makes an asset that runs by itself:', () => {
    const ROOT_TOKEN = 'a-root-token-of-the-test';
    const SECRET_ARN = 'arn:aws:secretsmanager:us-east-1:111122223333:secret:RootToken-AbCdEf';
    const VERSION_ARN = `arn:aws:lambda:us-east-1:111122223333:function:Roundhouse-prod-Checked:${VERSION}`;

    let database: EmbeddedDatabase;
    let secrets: AwsServer;
    let convertUrl: TcpServer;
    let functions: readonly DeployedFunction[];
    let token: string;

    beforeAll(async () => {
      database = await startEmbeddedDatabase();
      secrets = await startSecretServer(() => ROOT_TOKEN);
      convertUrl = await startTcpServer((socket) => socket.destroy());
      const clock = { now: () => Date.now() };
      const store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
      const deps = { store, clock, ids: randomUUID };
      token = (await createEndpointService(deps).put('eu', webhookServer('eu', { default: true }))).token ?? '';
      await createConfigService(deps).put(TARGET, { config: CONFIG, schema: SCHEMA } as never);
      store.close();
      functions = await deployedFunctions(outdir, {
        'AWS::DynamoDB::Table': database.tableName,
        'AWS::SecretsManager::Secret': SECRET_ARN,
        'AWS::Lambda::Url': `https://127.0.0.1:${convertUrl.port}/`,
        'AWS::Lambda::Version': VERSION_ARN,
        'AWS::SQS::Queue': 'https://sqs.us-east-1.amazonaws.com/111122223333/roundhouse-prod-work.fifo',
        'AWS::S3::Bucket': 'packages',
        'AWS::IAM::ManagedPolicy': 'arn:aws:iam::111122223333:policy/roundhouse-prod-app-boundary',
        'AWS::Lambda::LayerVersion': 'arn:aws:lambda:us-east-1:111122223333:layer:secrets:1',
        'AWS::AccountId': '111122223333',
      });
    });

    afterAll(async () => {
      await convertUrl.close();
      await secrets.close();
      await database.close();
    });

    /** Runs each function of a service in a fresh process, beside what stands for AWS. */
    function run(service: string, events: readonly object[], aws: Record<string, string> = {}) {
      const found = functions.filter((candidate) => candidate.service === service);
      return Promise.all(
        found.map(({ entry, environment }) =>
          runBundle(entry, events, {
            AWS_ENDPOINT_URL_DYNAMODB: database.client.endpoint,
            AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
            ...environment,
            ...aws,
          }),
        ),
      );
    }

    test('one for each service, and one hook for each deployment', () => {
      const services = functions.map(({ service }) => service).sort();
      expect(services).toEqual([
        ...['api', 'convert', 'pre-traffic', 'pre-traffic', 'reconcile', 'synthetic', 'worker'],
      ]);
    });

    test('convert converts', async () => {
      const path = `/convert/eu/${token}/${TARGET}`;
      const events = (['v2', 'v3'] as const).map((to) =>
        event('POST', path, { body: { text: JSON.stringify(kettleReview([KETTLES.v1], to)) } }),
      );
      const [result, ...others] = await run('convert', events);
      expect(others).toEqual([]);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      const objects = result?.results.map(({ body }) => JSON.parse(body).response.convertedObjects);
      expect(objects).toEqual([[KETTLES.v2], [KETTLES.v3]]);
      const reviews = result?.logs.filter((line) => 'ConversionReviewDuration' in line);
      const line = { service: 'convert', stage: 'prod', version: VERSION, result: 'success' };
      expect(reviews).toMatchObject([line, line]);
    });

    test('convert tells where it fails by the lines of its sources', async () => {
      const [result] = await run('convert', [], { TABLE_NAME: '' });
      expect(result?.code).toBe(1);
      expect(result?.stderr).toContain('TABLE_NAME: ');
      expect(result?.stderr).toMatch(/at load \(.*\/functions\/config\.ts:\d+:\d+\)/);
    });

    test('api answers, with its brand, its root token and the URL of convert', async () => {
      const headers = { authorization: `Bearer ${ROOT_TOKEN}` };
      const paths = ['/healthz', '/api/v1/brand', `/api/v1/configs/${TARGET}/patch`];
      const events = paths.map((path) => event('GET', path, { headers }));
      const [result, ...others] = await run('api', events);
      expect(others).toEqual([]);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(result?.results.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
      const [, brand, patch] = result?.results.map(({ body }) => JSON.parse(body)) ?? [];
      const { name } = load(await readFile(join(trees[0], 'brand.yaml'), 'utf8')) as { name: string };
      expect(brand).toMatchObject({ Name: name });
      const { url } = patch.spec.conversion.webhook.clientConfig;
      expect(url).toBe(`https://127.0.0.1:${convertUrl.port}/convert/eu/REPLACE_WITH_TOKEN/${TARGET}`);
    });

    test('worker takes a message, and reconcile runs a pass', async () => {
      const Records = [{ body: JSON.stringify({ app: 'no-such-app', reason: 'test' }) }];
      const [worker] = await run('worker', [{ Records }]);
      expect(worker).toMatchObject({ code: 0, stderr: '', results: [null] });
      expect(worker?.logs).toMatchObject([{ service: 'worker', message: 'looked at app', outcome: 'done' }]);
      const [reconcile] = await run('reconcile', [{ pass: 'fast' }]);
      expect(reconcile).toMatchObject({ code: 0, stderr: '', results: [null] });
      expect(reconcile?.logs).toContainEqual(expect.objectContaining({ service: 'reconcile', ReconcileCalls: 0 }));
    });

    test('the hooks of both deployments ask the new version, and report to CodeDeploy', async () => {
      const aws = await startAwsServer(() => ({ body: '{}' }));
      const hookEvent = { DeploymentId: 'd-ABCDEF', LifecycleEventHookExecutionId: 'execution-1' };
      const endpoints = { AWS_ENDPOINT_URL_LAMBDA: aws.url, AWS_ENDPOINT_URL_CODEDEPLOY: aws.url };
      const hooks = await run('pre-traffic', [hookEvent], endpoints).finally(aws.close);
      expect(hooks.map(({ code }) => code)).toEqual([0, 0]);
      const invoked = aws.calls.filter(({ operation }) => operation === 'lambda.Invoke');
      expect([...new Set(invoked.map(({ functionName }) => functionName))]).toEqual([VERSION_ARN]);
      const asked = invoked.map(({ input }) => input.rawPath);
      expect(asked).toEqual(expect.arrayContaining(['/convert/self-test', '/healthz']));
      const reports = aws.calls.filter(({ operation }) => operation !== 'lambda.Invoke');
      expect(reports).toMatchObject([{ input: { status: 'Failed' } }, { input: { status: 'Failed' } }]);
    });

    test('synthetic asks the URL of convert', async () => {
      const [result, ...others] = await run('synthetic', [{}]);
      expect(others).toEqual([]);
      expect(result?.code).toBe(0);
      const line = { service: 'synthetic', stage: 'prod', SyntheticReviewFailures: 1 };
      expect(result?.logs).toContainEqual(expect.objectContaining(line));
      expect(convertUrl.connections).toBe(1);
    });
  });
});

describe('cdk synth of an unsafe stack', () => {
  test(
    'fails, and names what cdk-nag and the rules of CDK have found',
    async () => {
      const [tree] = trees;
      const preload = import.meta.resolve('./support/unsafe-stack.ts');
      await cp(new URL(preload), join(tree, basename(preload)));
      const app = `node --import ./${basename(preload)} infra/app.ts`;
      const { code, stdout, stderr } = await cdkSynth(tree, join(folder, 'unsafe'), { arguments: ['--app', app] });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      const findings = stderr.split('\n\n').filter((text) => text.includes('Roundhouse-prod/Unsafe'));
      // Without the flag `@aws-cdk/core:validateAgainstDefaultRules` the second is a warning.
      expect(findings).toEqual([
        expect.stringMatching(/^ERROR [\s\S]*Acknowledge with 'AwsSolutions::AwsSolutions-L1'/m),
        expect.stringMatching(/^ERROR [\s\S]*Acknowledge with 'CloudFormation-Validate::E2533'/m),
      ]);
    },
    PATIENCE_MS,
  );
});

function event(method: string, path: string, more: Partial<Parameters<typeof createFunctionUrlEvent>[0]> = {}) {
  return createFunctionUrlEvent({ method, path, requestId: 'r-1', now: Date.now(), ...more });
}
