import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRoundhouse } from '../../lib/cli/remote/roundhouse.ts';
import { makeAuthority, makeServerCertificate } from '../../lib/dev/certificates.ts';
import { startDevelopmentForTest } from '../support/development.ts';
import { type CliSandbox, openCliSandbox } from './support/convctl.ts';
import { startRoundhouse } from './support/roundhouse.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples');
const DATABASES = join(EXAMPLES, 'crd-databases');
const TARGET = 'databases.data.example.org';
const closers: (() => Promise<void>)[] = [];
let sandbox: CliSandbox;
let url: string;
let caFile: string;

beforeAll(async () => {
  const development = await startDevelopmentForTest({ examplesDir: EXAMPLES, tls: { hosts: [] } }, closers);
  url = development.url;
  caFile = /^CA certificate: (\S+) \(/m.exec(development.printed)?.[1] as string;
  sandbox = openCliSandbox({ token: 'dev-root-token\n' });
  const { code } = await run(`login --server ${url} --token-file token --ca-file ${caFile} --context dev`);
  expect(code).toBe(0);
});
afterAll(async () => {
  sandbox.remove();
  for (const close of closers.splice(0)) await close();
});

const run = (line: string, more = {}) => sandbox.run(line.split(' '), { env: { HOME: sandbox.folder }, ...more });

describe('what `npm start -- --tls` runs', () => {
  test('is not trusted without its CA', async () => {
    const env = { HOME: join(sandbox.folder, 'nobody') };
    expect(await run(`registry --server ${url} --token-file token`, { env })).toEqual({
      code: 2,
      out: '',
      err: `error: cannot reach ${url}: its certificate is of a CA that is not trusted. If that is right, name the CA with --ca-file (\`npm start -- --tls\` prints its file)\n`,
    });
  });

  test.each(['--ca-file', 'ROUNDHOUSE_CA_FILE'])('is trusted by %s', async (way) => {
    const flags = way === '--ca-file' ? ` --ca-file ${caFile}` : '';
    const env = way === '--ca-file' ? {} : { ROUNDHOUSE_CA_FILE: caFile };
    const { code, out, err } = await run(`registry --server ${url} --token-file token -o name${flags}`, { env });
    expect({ code, out, err }).toEqual({ code: 0, out: `${TARGET}\nxbuckets.platform.example.org\n`, err: '' });
  });

  test('is trusted by a context, which keeps the CA itself', async () => {
    const { contexts } = JSON.parse(await readFile(join(sandbox.folder, '.config/roundhouse/contexts.json'), 'utf8'));
    expect(contexts.dev.ca).toBe(await readFile(caFile, 'utf8'));
    expect((await run('endpoints list -o name')).out).toBe('default\n');
  });

  test('has the example, and takes what was pulled from it as no change', async () => {
    expect((await run(`pull ${TARGET} --dir databases`)).out).toBe('databases/config.yaml\ndatabases/crd.yaml\n');
    for (const name of ['config.yaml', 'crd.yaml']) {
      const pulled = await readFile(join(sandbox.folder, 'databases', name), 'utf8');
      expect(pulled).toBe(await readFile(join(DATABASES, name), 'utf8'));
    }
    const { code, out } = await run('push -c databases/config.yaml --crd databases/crd.yaml');
    expect(code).toBe(0);
    expect(out).toMatch(/^databases\/config.yaml:\d+:\d+: warning SPELLING_CHANGES/);
    expect(out).toMatch(/databases.data.example.org: unchanged, revision 1 is active already\n$/);
  });

  test('gives the patch of a CRD, with a path token that it knows', async () => {
    const made = await run('endpoints put prod');
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^[\w-]{32}\n$/) });
    const token = made.out.trim();
    const io = { env: { HOME: sandbox.folder }, cwd: sandbox.folder } as never;
    const { patch } = await openRoundhouse({ timeout: '60s' }, io);
    const webhook = (path: string) => ({
      spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: `${url}/convert/${path}` } } } },
    });
    await expect(patch(TARGET)).resolves.toMatchObject(webhook(`default/REPLACE_WITH_TOKEN/${TARGET}`));
    await expect(patch(TARGET, { endpoint: 'prod', token })).resolves.toMatchObject(webhook(`prod/${token}/${TARGET}`));
    const wrong = 'canary_123456789-123456789-12345';
    const error = await patch(TARGET, { endpoint: 'prod', token: wrong }).catch((reason) => reason);
    expect(error.message).toBe('The token is none of the endpoint prod. Rotate it for a new one.');
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain(wrong);
  });
});

describe('a certificate', () => {
  const now = Date.now();
  test.each([
    ['for another name', ['api.example.org'], now, 'its certificate is for another name'],
    ['that has expired', ['127.0.0.1'], now - 3 * 365 * 86_400_000, 'its certificate has expired'],
  ])('%s is refused, whatever the CA', async (_name, names, made, reason) => {
    const authority = await makeAuthority('test CA', made);
    const server = await startRoundhouse({ tls: await makeServerCertificate(authority, names, made) });
    sandbox.write({ 'ca.pem': authority.cert });
    const { code, err } = await run(`registry --server ${server.url} --token-file token --ca-file ca.pem`);
    await server.close();
    expect({ code, err }).toEqual({ code: 2, err: `error: cannot reach ${server.url}: ${reason}\n` });
    expect(server.seen).toEqual([]);
  });

  test('of another CA than the one that was named is refused', async () => {
    const other = await makeAuthority('test CA', now);
    sandbox.write({ 'ca.pem': other.cert });
    const { err } = await run(`registry --server ${url} --token-file token --ca-file ca.pem`);
    expect(err).toContain('of a CA that is not trusted');
  });

  test('is looked for in vain where http is spoken to it', async () => {
    const { err } = await run(`registry --server ${url.replace('https', 'http')} --token-file token`);
    expect(err).toMatch(/is it https/);
  });
});
