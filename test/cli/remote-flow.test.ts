import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '../../lib/cli/remote/client.ts';
import { sendRequest } from '../../lib/cli/remote/http.ts';
import { parseYaml } from '../../lib/k8s/yaml.ts';
import { CONFIG, SCHEMA, TARGET } from '../support/kettles.ts';
import { webhookServer } from '../support/widgets.ts';
import { type CliSandbox, openCliSandbox } from './support/convctl.ts';
import { startRoundhouse, type TestRoundhouse, TOKENS } from './support/roundhouse.ts';

let server: TestRoundhouse;
let sandbox: CliSandbox;
beforeEach(async () => {
  server = await startRoundhouse();
  sandbox = openCliSandbox({ 'config.yaml': JSON.stringify(CONFIG), 'crd.yaml': JSON.stringify(SCHEMA) });
});
afterEach(async () => {
  sandbox.remove();
  await server.close();
});

const run = async (line: string) => {
  const env = { ROUNDHOUSE_URL: server.url, ROUNDHOUSE_TOKEN: TOKENS.root };
  const result = await sandbox.run(line.split(' '), { env });
  expect(result.out + result.err).not.toContain('canary');
  return result;
};
const PUSH = 'push -c config.yaml --crd crd.yaml';
const relabelled = (team: string) => JSON.stringify({ ...CONFIG, metadata: { name: 'kettles', labels: { team } } });

describe('two people', () => {
  test('who began from the same revision: the second one overwrites nothing', async () => {
    await run(PUSH);
    sandbox.write({ 'config.yaml': relabelled('tea') });
    expect(await run(`${PUSH} --expect-revision 1`)).toMatchObject({ code: 0 });
    sandbox.write({ 'config.yaml': relabelled('coffee') });
    expect(await run(`${PUSH} --expect-revision 1`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('but revision 2 is the active one'),
    });
    expect(await server.configs.get(TARGET)).toMatchObject({ revision: 2, labels: { team: 'tea' } });
  });

  test.each([
    ['push', PUSH],
    ['push of what one began from', `${PUSH} --expect-revision 1`],
    ['rollback', `rollback ${TARGET} --to 2`],
    ['rollback of what one began from', `rollback ${TARGET} --to 2 --expect-revision 1`],
  ])('of whom one changes it while the other does: %s overwrites nothing', async (_name, line) => {
    await run(PUSH);
    sandbox.write({ 'config.yaml': relabelled('tea') });
    await run(PUSH);
    await run(`rollback ${TARGET} --to 1`);
    // Between the look and the change.
    server.intercept(async ({ method }) => {
      if (method === 'GET') return;
      server.intercept(() => undefined);
      await server.configs.put(TARGET, { config: relabelled('coffee'), schema: JSON.stringify(SCHEMA) });
    });
    const { code, err } = await run(line);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/has changed: its ETag is "4"\..* nothing was changed now: run the command again\n$/),
    });
    expect(await server.configs.get(TARGET)).toMatchObject({ revision: 3, labels: { team: 'coffee' } });
  });

  test('are not in the way of each other one after the other', async () => {
    await run(PUSH);
    sandbox.write({ 'config.yaml': relabelled('tea') });
    expect(await run(PUSH)).toMatchObject({ code: 0 });
    expect(await run(`rollback ${TARGET} --to 1`)).toMatchObject({ code: 0 });
    const changes = server.seen.filter(({ method }) => method !== 'GET');
    expect(changes.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"1"', '"2"']);
  });
});

describe('findings of a server that knows more', () => {
  const finding = (code: string) => ({ code, severity: 'error', message: `new: ${code}`, path: '', hint: 'learn' });

  test.each([
    [422, { code: 'CONFIG_INVALID', detail: 'It has 2 errors.', error: 'x' }, 1],
    [200, { target: TARGET, revision: 1, created: true, lossless: true, planHash: 'x', spokes: [] }, 0],
  ])('are shown, in the file that their code tells (%i)', async (statusCode, facts, code) => {
    const diagnostics = [finding('SCHEMA_NEW'), finding('RULE_NEW')];
    const headers = { 'content-type': 'application/json' };
    server.intercept(({ method }) =>
      method === 'PUT'
        ? { statusCode, headers, body: JSON.stringify({ ...facts, diagnostics, moreFindings: 7 }) }
        : undefined,
    );
    const { out, ...rest } = await run(PUSH);
    expect(rest).toEqual({ code, err: '' });
    expect(out).toContain('crd.yaml: error SCHEMA_NEW: new: SCHEMA_NEW\n    learn\n');
    expect(out).toContain('config.yaml: error RULE_NEW: new: RULE_NEW\n    learn\n');
    expect(out.includes('and 7 more findings')).toBe(code === 0);
  });
});

test('a list of several pages is shown whole', async () => {
  const names = Array.from({ length: 401 }, (_, index) => `endpoint-${String(index).padStart(3, '0')}`);
  for (const name of names) await server.endpoints.put(name, webhookServer(name));
  expect((await run('endpoints list -o name')).out.trim().split('\n')).toEqual(names);
  expect(server.seen.filter(({ path }) => path === '/api/v1/endpoints')).toHaveLength(3);
});

test('what was pushed as JSON is pulled as YAML, and its rollback is shown line by line', async () => {
  await run(PUSH);
  sandbox.write({ 'config.yaml': relabelled('tea') });
  await run(PUSH);
  const { out } = await run(`pull ${TARGET} --revision 1`);
  expect(out).toMatch(/^apiVersion: terasky.com.v1alpha1\nkind: CRDConversionConfig\nmetadata:\n {2}name: kettles\n/);
  expect(parseYaml(out).map(({ value }) => value)).toEqual([CONFIG, SCHEMA]);
  const { out: diff } = await run(`rollback ${TARGET} --to 1 --dry-run`);
  expect(diff.split('\n').filter((line) => /^[+-]/.test(line))).toEqual([
    '--- config (revision 2)',
    '+++ config (revision 1)',
    '-    team: tea',
    '+    team: kitchen',
  ]);
  expect((await server.configs.get(TARGET)).revision).toBe(2);
});

test.each([
  ['yaml', 'crd.yaml'],
  ['json', 'crd.json'],
])('what was pulled as %s is pushed again as no change', async (format, crd) => {
  await run(PUSH);
  expect((await run(`pull ${TARGET} -o ${format} --dir a/b`)).out).toBe(`a/b/config.${format}\na/b/${crd}\n`);
  const { out } = await run(`pull ${TARGET} -o ${format}`);
  sandbox.write({ both: out });
  expect((await run('push -c both --crd both --dry-run')).out).toContain('would become revision 2, after 1');
  expect((await run(`validate -c a/b/config.${format} --crd a/b/${crd}`)).code).toBe(0);
});

test('a rollback to what is active sends nothing', async () => {
  await run(PUSH);
  expect((await run(`rollback ${TARGET} --to 1`)).out).toContain('unchanged');
  expect(server.seen.filter(({ path }) => path.endsWith('/rollback'))).toEqual([]);
});

test('a file that is there already as it should be is no obstacle to a pull', async () => {
  await run(PUSH);
  for (const _time of [1, 2]) expect((await run(`pull ${TARGET} --dir out`)).code).toBe(0);
  sandbox.write({ 'out/crd.yaml': 'mine' });
  expect((await run(`pull ${TARGET} --dir out`)).err).toContain('out/crd.yaml is there and differs');
});

test('of a file with other documents the config alone is sent, and findings keep their lines', async () => {
  const wrong = `kind: Secret\n---\n${JSON.stringify(CONFIG, null, 2).replace('spec.title', 'spec.titel')}`;
  sandbox.write({ 'config.yaml': wrong });
  const { code, out } = await run(PUSH);
  expect(code).toBe(1);
  const line = wrong.split('\n').findIndex((text) => text.includes('spec.titel')) + 1;
  expect(out).toMatch(new RegExp(`^config.yaml:${line}:\\d+: error PATH_UNRESOLVED \\[v1\\]: hub path spec.titel`));
});

test('an XRD is pulled under its own name', async () => {
  const folder = join(import.meta.dirname, '..', '..', 'examples', 'xrd-buckets');
  const [config, schema] = ['config.yaml', 'xrd.yaml'].map((name) => readFileSync(join(folder, name), 'utf8'));
  sandbox.write({ 'config.yaml': config as string, 'xrd.yaml': schema as string });
  expect((await run('push -c config.yaml -x xrd.yaml')).code).toBe(0);
  expect((await run('pull xbuckets.platform.example.org --dir out')).out).toBe('out/config.yaml\nout/xrd.yaml\n');
});

test('a target that is not served by its active revision is a finding', async () => {
  await run(PUSH);
  expect((await run('registry')).code).toBe(0);
  const row = { target: TARGET, ready: true, revision: 1, versions: ['v1'] };
  for (const odd of [{ ready: false }, { lastError: 'it does not compile' }]) {
    const body = JSON.stringify({ items: [{ ...row, ...odd }] });
    server.intercept(() => ({ statusCode: 200, headers: { 'content-type': 'application/json' }, body }));
    expect((await run('registry')).code).toBe(1);
  }
});

describe('a path token', () => {
  test.each(['text', 'json'])('is on stdout once, and nowhere else (-o %s)', async (format) => {
    const made = await run(`endpoints put prod -o ${format}`);
    const rotated = await run(`endpoints rotate prod -o ${format}`);
    const tokens = [made, rotated].map(({ out }) => (format === 'json' ? JSON.parse(out).token : out.trim()));
    expect(new Set(tokens).size).toBe(2);
    for (const [index, { out, err }] of [made, rotated].entries()) {
      expect(tokens[index]).toMatch(/^[\w-]{32}$/);
      expect(out.split(tokens[index]).length).toBe(2);
      expect(err).toContain('warning: this path token is shown only now');
      expect(err).not.toContain(tokens[index]);
    }
    const later = [
      await run('endpoints put prod'),
      await run('endpoints list -o json'),
      await run('endpoints get prod -o yaml'),
      await run('endpoints list -o wide'),
    ];
    for (const token of tokens) expect(JSON.stringify(later)).not.toContain(token);
  });

  test('whose answer was lost is had from the second attempt', async () => {
    await server.endpoints.put('prod', webhookServer('prod'));
    let sends = 0;
    const client = createClient({
      access: { server: server.url, token: TOKENS.root, tokenFrom: '' },
      timeoutMs: 10_000,
      env: {},
      wait: async () => {},
      send: async (request) => {
        const answer = await sendRequest(request);
        if (++sends === 1) throw Object.assign(new Error('cut'), { code: 'ECONNRESET' });
        return answer;
      },
    });
    const result: any = await client.call('POST', '/api/v1/endpoints/prod/rotate', { body: {} });
    expect(sends).toBe(2);
    expect(result.endpoint.etag).toBe('"2"');
    const { items } = await server.endpoints.list();
    expect(items[0]?.tokens).toHaveLength(2);
    await expect(server.instance().open('prod', result.token)).resolves.toBeDefined();
  });
});

describe('--token-out', () => {
  const file = () => join(sandbox.folder, 'path-token');

  test('has the token, for its owner only, whatever the file was', async () => {
    sandbox.write({ 'path-token': 'the one before, which was longer than the new one' });
    chmodSync(file(), 0o644);
    const { code, out, err } = await run('endpoints put prod --token-out path-token');
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toMatch(/^endpoint prod: made\nwarning: this path token is in path-token, and is not shown again\. /);
    expect(readFileSync(file(), 'utf8')).toMatch(/^[\w-]{32}\n$/);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const before = readFileSync(file(), 'utf8');
    const rotated = await run('endpoints rotate prod --token-out path-token -o json');
    const after = readFileSync(file(), 'utf8');
    expect(after).not.toBe(before);
    expect(JSON.parse(rotated.out)).not.toHaveProperty('token');
    expect(rotated.out + rotated.err).not.toContain(after.trim());
  });

  test('keeps what it had when no token is made', async () => {
    await run('endpoints put prod --token-out path-token');
    const before = readFileSync(file(), 'utf8');
    expect(await run('endpoints put prod --default --token-out path-token')).toMatchObject({ code: 0 });
    expect((await run('endpoints rotate missing --token-out path-token')).code).toBe(2);
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  test('that cannot be written is told before a token is made', async () => {
    const { code, err } = await run('endpoints put prod --token-out no/such/folder');
    expect({ code, err }).toEqual({ code: 2, err: 'error: cannot write the token file no/such/folder: ENOENT\n' });
    expect(server.seen).toEqual([]);
  });
});
