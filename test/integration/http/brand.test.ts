import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleFunction } from '../../../infra/bundle.ts';
import { startDevelopment } from '../../../lib/dev/development.ts';
import { loadBrand, parseBrand } from '../../../lib/system/brand.ts';
import { createApiClient } from '../../support/api-client.ts';
import { send } from '../../support/http-client.ts';
import { createMemoryLog } from '../../support/memory-log.ts';

const PATH = '/api/v1/brand';
const REPOSITORY = join(import.meta.dirname, '../../..');
const OWN = loadBrand(join(REPOSITORY, 'brand.yaml'));
const DEPOT = 'name: Depot\nbinary_name: depot\nsupport_url: https://example.com/help\nprimary_color: "#123456"\n';
const brand = parseBrand(DEPOT, 'brand.yaml');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roundhouse-brand-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('GET /api/v1/brand', () => {
  const { call } = createApiClient({ brand });

  test.each(['', 'root', 'no-such-token'])('answers everybody, also with the token "%s"', async (token) => {
    const answer = await call('GET', PATH, { token });
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
    expect(answer.json).toEqual({
      ...{ Name: 'Depot', ShortName: '', BinaryName: 'depot', Domain: '', LogoSVG: '' },
      ...{ SupportURL: 'https://example.com/help', SupportEmail: '', DocsURL: '', DiscussionsURL: '', RepoURL: '' },
      ...{ PrimaryColor: '#123456', PrimaryColorDark: '#123456' },
    });
  });

  test('is what the document of the API says', async () => {
    const { json } = await call('GET', '/openapi.json');
    const { security, responses } = json.paths[PATH].get;
    const { properties, required } = responses['2XX'].content['application/json'].schema;
    expect(security).toEqual([]);
    expect(Object.keys(properties).toSorted()).toEqual(Object.keys(brand).toSorted());
    expect(required).toEqual(Object.keys(properties));
  });

  test.each([
    ['HEAD', PATH, 200, undefined],
    ['GET', `${PATH}?a=b`, 200, undefined],
    ['PUT', PATH, 405, 'GET, HEAD'],
    ['GET', `${PATH}/`, 401, undefined],
    ['GET', `${PATH}/name`, 401, undefined],
    ['GET', '/api/v1/brands', 401, undefined],
    ['GET', '/api/v1%2Fbrand', 401, undefined],
  ])('without a token %s %s is %i', async (method, path, status, allow) => {
    const answer = await call(method, path, { token: '' });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['allow']).toBe(allow);
  });
});

test('in development the brand of the repository is served, whatever the working directory', async () => {
  const options = { port: 0, examplesDir: folder, out: () => {}, log: createMemoryLog() };
  const { url, close } = await startDevelopment(options);
  try {
    expect(await send(url + PATH, { method: 'GET' })).toMatchObject({ status: 200, json: OWN });
  } finally {
    await close();
  }
});

/** Loads the bundle of `api` as Lambda does and asks it for its brand. */
async function run(environment: Record<string, string> = {}) {
  const script = `
    const { handler } = await import(process.argv[1]);
    const event = { rawPath: '${PATH}', headers: {}, requestContext: { http: { method: 'GET' } } };
    const { body } = await handler(event, { getRemainingTimeInMillis: () => 30_000 });
    process.stdout.write('RESULT ' + body);
  `;
  const entry = pathToFileURL(join(folder, 'api', 'index.mjs')).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, entry], {
    cwd: join(folder, 'api'),
    env: {
      AWS_REGION: 'eu-west-1',
      TABLE_NAME: 'roundhouse',
      CONVERT_URL: 'https://convert.example.com',
      ROOT_TOKEN_SECRET_ARN: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:root-a1b2c3',
      QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/work.fifo',
      ARTIFACT_BUCKET: 'artifacts',
      ACCOUNT_ID: '123456789012',
      ...environment,
    },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const result = /^RESULT (.*)$/m.exec(output.stdout)?.[1];
  return { code, stderr: output.stderr, brand: result && JSON.parse(result) };
}

describe('the bundle of api', () => {
  beforeAll(async () => {
    const brandFile = join(folder, 'depot.yaml');
    await writeFile(brandFile, DEPOT);
    await chmod(brandFile, 0o600);
    await bundleFunction('api', folder, brandFile);
  });

  test('has the brand file that was asked for, and everybody may read it', async () => {
    const file = join(folder, 'api', 'brand.yaml');
    expect(await readFile(file, 'utf8')).toBe(DEPOT);
    expect((await stat(file)).mode).toBe((await stat(join(folder, 'api', 'index.mjs'))).mode);
  });

  test('has the one of the repository unless another is asked for', async () => {
    await bundleFunction('api', join(folder, 'own'));
    expect(loadBrand(join(folder, 'own', 'api', 'brand.yaml'))).toEqual(OWN);
  });

  test('serves it, with the variables of the environment before it', async () => {
    expect(await run()).toEqual({ code: 0, stderr: '', brand });
    const variables = { APP_BRAND_NAME: 'Night depot', APP_BRAND_SUPPORT_URL: '' };
    expect((await run(variables)).brand).toEqual({ ...brand, Name: 'Night depot' });
  });

  test('takes another file where APP_BRAND_FILE names one', async () => {
    await copyFile(join(REPOSITORY, 'brand.yaml'), join(folder, 'other.yaml'));
    expect((await run({ APP_BRAND_FILE: '../other.yaml' })).brand).toEqual(OWN);
  });

  test.each([
    ['is missing', { APP_BRAND_FILE: 'none.yaml' }, /the brand file \S+none\.yaml does not exist; .*APP_BRAND_FILE/],
    ['is broken', { APP_BRAND_FILE: 'index.mjs' }, /the brand file \S+index\.mjs has \d+ bytes; the limit is 65536/],
    ['is overridden wrongly', { APP_BRAND_DOMAIN: 'x' }, /is not valid:\s+APP_BRAND_DOMAIN must be a DNS name/],
    ['is given by an empty path', { APP_BRAND_FILE: '' }, /APP_BRAND_FILE: /],
  ])('ends at start with one clear error when the brand %s', async (_what, environment, reason) => {
    const { code, stderr, brand: served } = await run(environment as never);
    expect({ failed: code !== 0, served }).toEqual({ failed: true, served: undefined });
    expect(stderr).toMatch(reason);
    expect(stderr.match(/^(?:\S+ \[AppError\]|Error): /gm)).toHaveLength(1);
  });
});
