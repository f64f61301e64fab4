import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BundleReport, bundleFunction } from '../../../infra/bundle.ts';
import { createEndpointService } from '../../../lib/configs/endpoints.ts';
import { createConfigService } from '../../../lib/configs/service.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../../lib/dev/embedded-database.ts';
import { createDynamoStore } from '../../../lib/store/dynamo.ts';
import { CONFIG, KETTLES, kettleReview, SCHEMA, TARGET } from '../../support/kettles.ts';

/** What a cold start of `convert` may load: reading and compiling code is most of the time that one takes. */
const BUDGET_BYTES = 600 * 1024;

/** Loads a bundle as Lambda does, calls its handler once for each event of the input, prints each result. */
const RUNNER = `
  const { handler } = await import(process.argv[1]);
  for (const event of JSON.parse(process.argv[2])) {
    const result = await handler(event, { getRemainingTimeInMillis: () => 30_000 });
    process.stdout.write('RESULT ' + JSON.stringify(result) + '\\n');
  }
`;

let folder: string;
let database: EmbeddedDatabase;
let token: string;
const reports: Record<string, BundleReport> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-bundle-'));
  for (const name of ['convert', 'api']) reports[name] = await bundleFunction(name, folder);
  database = await startEmbeddedDatabase();
  const clock = { now: () => Date.now() };
  const store = createDynamoStore({ tableName: database.tableName, client: database.client, clock });
  const deps = { store, clock, ids: randomUUID };
  const endpoint = { apiVersion: 'terasky.com/v1alpha1', kind: 'ConversionWebhookServer', metadata: { name: 'eu' } };
  token = (await createEndpointService(deps).put('eu', { ...endpoint, spec: { default: true } })).token ?? '';
  await createConfigService(deps).put(TARGET, { config: CONFIG, schema: SCHEMA } as never);
  store.close();
});

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a bundle in a fresh process with nothing but what Lambda would give it. */
async function run(name: string, events: readonly object[], environment: Record<string, string>) {
  const url = pathToFileURL(reports[name]?.entry ?? '').href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUNNER, url, JSON.stringify(events)], {
    cwd: folder,
    env: {
      AWS_REGION: database.client.region,
      AWS_ACCESS_KEY_ID: database.client.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: database.client.credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: database.client.endpoint,
      ...environment,
    },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const lines = stdout.split('\n').filter((line) => line !== '');
  const results = lines.filter((line) => line.startsWith('RESULT ')).map((line) => JSON.parse(line.slice(7)));
  const logs = lines.filter((line) => !line.startsWith('RESULT ')).map((line) => JSON.parse(line));
  return { code, results, logs, stdout, stderr };
}

function event(path: string, body?: object, headers: Record<string, string> = {}) {
  const http = { method: body ? 'POST' : 'GET' };
  return {
    version: '2.0',
    rawPath: path,
    headers,
    requestContext: { http },
    ...(body && { body: JSON.stringify(body) }),
  };
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

describe('what a cold start of convert loads', () => {
  test('is within its budget', () => {
    expect(reports['convert']?.eagerBytes).toBeLessThan(BUDGET_BYTES);
    expect(reports['convert']?.eagerBytes).toBeGreaterThan(50 * 1024);
  });

  test.each(['@marcbachmann/cel-js', 're2js', 'js-yaml', 'fast-json-patch'])('has nothing of %s', async (name) => {
    const { eagerInputs } = await readModules('convert');
    expect(eagerInputs.filter((file) => file.startsWith(`node_modules/${name}/`))).toEqual([]);
  });

  test.each(['@marcbachmann/cel-js', 're2js'])('leaves %s in a chunk of its own', (name) => {
    expect(reports['convert']?.lazy.map(({ origin }) => origin)).toContain(name);
  });

  test('comes with a source map', async () => {
    expect(await readdir(join(folder, 'convert'))).toEqual(expect.arrayContaining(['index.mjs', 'index.mjs.map']));
  });
});

describe('the bundle in a fresh process', () => {
  test('of convert answers reviews, also those that need CEL and RE2', async () => {
    const path = `/convert/eu/${token}/${TARGET}`;
    const events = (['v2', 'v3'] as const).map((to) => event(path, kettleReview([KETTLES.v1], to)));
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

  test('of api answers requests', async () => {
    const headers = { authorization: 'Bearer t0ken' };
    const environment = {
      TABLE_NAME: database.tableName,
      ROOT_TOKEN_SHA256: createHash('sha256').update('t0ken').digest('hex'),
      CONVERT_URL: 'https://convert.example.com',
    };
    const paths = ['/healthz', '/readyz', '/openapi.json', `/api/v1/configs/${TARGET}/patch`, '/api/v1/registry'];
    const { results, stderr } = await run(
      'api',
      paths.map((path) => event(path, undefined, headers)),
      environment,
    );
    expect(stderr).toBe('');
    expect(results.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    const [, , openapi, patch, registry] = results.map(({ body }) => JSON.parse(body));
    expect(openapi.paths).toHaveProperty(['/api/v1/configs/{target}']);
    expect(patch.spec.conversion.webhook.clientConfig.url).toMatch(/^https:\/\/convert\.example\.com\/convert\/eu\//);
    expect(registry.items).toMatchObject([{ target: TARGET, ready: true }]);
  });

  test('with a wrong configuration ends at start and names every variable', async () => {
    const { code, stderr } = await run('api', [], { CONVERT_URL: 'https://user@host/path?query' });
    expect(code).not.toBe(0);
    for (const name of ['TABLE_NAME', 'ROOT_TOKEN_SHA256', 'CONVERT_URL']) expect(stderr).toContain(name);
  });
});
