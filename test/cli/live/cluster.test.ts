import { chmodSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliRun, type CliSandbox, openCliSandbox } from '../support/convctl.ts';
import { CRDS, type FakeApiserver, kubeconfigOf, startFakeApiserver } from './support/fake-apiserver.ts';
import { type FakeReply, status } from './support/fake-http.ts';
import { crd, gadget, NAME } from './support/gadgets.ts';

let fake: FakeApiserver;
let sandbox: CliSandbox;

beforeEach(async () => {
  fake = await startFakeApiserver();
  sandbox = openCliSandbox({ kubeconfig: fake.kubeconfig() });
  fake.put(CRDS, crd);
  fake.add(gadget('g'), 'v1');
});
afterEach(async () => {
  sandbox.remove();
  await fake.close();
});

async function ask(argv: readonly string[], env: Record<string, string> = {}): Promise<CliRun> {
  return await sandbox.run(['migrate-storage', '--crd', NAME, '--dry-run', ...argv], { env });
}

const UNREACHABLE = kubeconfigOf('http://127.0.0.1:1', 'x');
/** The kubeconfig of the fake with other parts. */
function edited(edit: (config: any) => void): string {
  const config = JSON.parse(fake.kubeconfig());
  edit(config);
  return JSON.stringify(config);
}

describe('the kubeconfig', () => {
  test.each<[string, string[], Record<string, string>]>([
    ['is the file of --kubeconfig', ['--kubeconfig', 'kubeconfig'], { KUBECONFIG: 'unreachable' }],
    ['is what KUBECONFIG names', [], { KUBECONFIG: 'kubeconfig' }],
    ['is ~/.kube/config', [], { HOME: 'home' }],
    ['is of the first file of KUBECONFIG that is there', [], { KUBECONFIG: 'missing:kubeconfig:unreachable' }],
    ['may have its context in one file and its user in another', [], { KUBECONFIG: 'context:user' }],
    ['may name a context', ['--kubeconfig', 'both', '--context', 'fake'], {}],
  ])('%s', async (_what, argv, env) => {
    const { clusters, contexts, users } = JSON.parse(fake.kubeconfig());
    sandbox.write({
      unreachable: UNREACHABLE,
      'home/.kube/config': fake.kubeconfig(),
      context: JSON.stringify({ clusters, contexts, 'current-context': 'fake' }),
      user: JSON.stringify({ users: [...users, { name: 'other' }] }),
      both: edited((config) => {
        config.contexts.push({ name: 'other', context: { cluster: 'none', user: 'none' } });
        config['current-context'] = 'other';
      }),
    });
    const home = env['HOME'] && { HOME: join(sandbox.folder, env['HOME']) };
    expect(await ask(argv, { ...env, ...home })).toMatchObject({ code: 0, out: expect.stringContaining('1 objects') });
  });

  test.each<[string, (user: any) => void]>([
    ['a token file', (user) => Object.assign(user, { token: undefined, tokenFile: 'token' })],
    [
      'a credential plugin',
      (user) => {
        const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: join(sandbox.folder, 'plugin') };
        Object.assign(user, { token: undefined, exec });
      },
    ],
  ])('takes the token from %s', async (_what, edit) => {
    const { token } = JSON.parse(fake.kubeconfig()).users[0].user;
    const credential = JSON.stringify({ kind: 'ExecCredential', status: { token } });
    sandbox.write({
      'sub/kubeconfig': edited(({ users }) => edit(users[0].user)),
      'sub/token': token,
      plugin: `#!/bin/sh\necho '${credential}'\n`,
    });
    chmodSync(join(sandbox.folder, 'plugin'), 0o755);
    expect(await ask(['--kubeconfig', 'sub/kubeconfig'])).toMatchObject({ code: 0 });
  });

  test('finds a credential plugin with a relative path beside itself, and tells it what it must print', async () => {
    const { token } = JSON.parse(fake.kubeconfig()).users[0].user;
    const credential = JSON.stringify({ kind: 'ExecCredential', status: { token } });
    const exec = { apiVersion: 'client.authentication.k8s.io/v1beta1', command: './bin/plugin' };
    sandbox.write({
      'sub/kubeconfig': edited(({ users }) => Object.assign(users[0], { user: { exec } })),
      'sub/bin/plugin': `#!/bin/sh\ncase "$KUBERNETES_EXEC_INFO" in *v1beta1*ExecCredential*) echo '${credential}';; esac\n`,
      'bin/plugin': '#!/bin/sh\ntouch "$0.ran"\n',
    });
    for (const name of ['sub/bin/plugin', 'bin/plugin']) chmodSync(join(sandbox.folder, name), 0o755);
    expect(await ask(['--kubeconfig', 'sub/kubeconfig'])).toMatchObject({ code: 0 });
    expect(existsSync(join(sandbox.folder, 'bin/plugin.ran'))).toBe(false);
  });

  test.each([
    ['no JSON', 'echo SECRET-canary', 'printed no ExecCredential'],
    ['another JSON', 'echo \'{"token":"SECRET-canary"}\'', 'printed no ExecCredential'],
    ['an error', 'echo SECRET-canary >&2; exit 1', 'its credential plugin failed: run it by hand'],
  ])('does not tell what a credential plugin printed: %s', async (_what, script, text) => {
    sandbox.write({
      kubeconfig: edited(({ users }) => Object.assign(users[0], { user: { exec: { command: './plugin' } } })),
      plugin: `#!/bin/sh\n${script}\n`,
    });
    chmodSync(join(sandbox.folder, 'plugin'), 0o755);
    const { code, out, err } = await ask(['--kubeconfig', 'kubeconfig']);
    expect(code).toBe(2);
    expect(err).toContain(text);
    expect(out + err).not.toContain('canary');
  });

  test('of a user who acts as another sends the groups too, which would else be more rights than were asked for', async () => {
    const as = { as: 'ann', 'as-groups': ['dev', 'ops'], 'as-uid': '7' };
    const headers: any[] = [];
    const server = createServer((request, response) => {
      headers.push(request.headersDistinct);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    sandbox.write({
      kubeconfig: edited(({ users, clusters }) => {
        Object.assign(users[0].user, as);
        clusters[0].cluster.server = `http://127.0.0.1:${port}`;
      }),
    });
    await ask(['--kubeconfig', 'kubeconfig']);
    server.close();
    server.closeAllConnections();
    expect(headers[0]).toMatchObject({
      'impersonate-user': ['ann'],
      'impersonate-group': ['dev', 'ops'],
      'impersonate-uid': ['7'],
    });
  });

  test.each<[string, string[], Record<string, string>, string]>([
    ['that is not there', ['--kubeconfig', 'missing'], {}, 'cannot read the kubeconfig missing: there is no such file'],
    ['of which no file is there', [], { KUBECONFIG: 'a:b' }, 'KUBECONFIG names no file that is there: a:b'],
    ['that nothing names', [], {}, 'there is no kubeconfig'],
    ['that is no YAML', ['--kubeconfig', 'bad'], {}, 'cannot read the kubeconfig bad, line 2'],
    ['that is something else', ['--kubeconfig', 'list'], {}, 'is no kubeconfig'],
    ['without a server', ['--kubeconfig', 'serverless'], {}, 'clusters[0].cluster.server is missing'],
    ['without the context', ['--kubeconfig', 'kubeconfig', '--context', 'prod'], {}, 'there is no context prod in'],
    ['whose contexts are others', ['--kubeconfig', 'kubeconfig', '--context', 'prod'], {}, 'it has: fake'],
    [
      'without a current context',
      ['--kubeconfig', 'contextless'],
      {},
      'has no current context; name one with --context; it has: fake',
    ],
    ['whose context has no cluster', ['--kubeconfig', 'clusterless'], {}, 'is of a cluster c that'],
    ['whose plugin fails', ['--kubeconfig', 'pluginless'], {}, 'the credentials of the kubeconfig cannot be had'],
  ])('%s is an error that says so', async (_what, argv, env, text) => {
    sandbox.write({
      bad: 'a: b\n  c: d\n',
      list: '- a\n',
      serverless: edited(({ clusters }) => {
        clusters[0].cluster = { server: '' };
      }),
      contextless: edited((config) => {
        config['current-context'] = '';
      }),
      clusterless: edited((config) => {
        config.clusters = [];
      }),
      pluginless: edited(({ users }) => {
        users[0].user = { exec: { command: './no-such-plugin' } };
      }),
    });
    const { code, out, err } = await ask(argv, env);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(text);
  });
});

describe('what a cluster answers', () => {
  const file = ['--kubeconfig', 'kubeconfig'];
  const isList = ({ path }: { path: string }) => path.endsWith('/gadgets');

  test('unreachable: says where, and why', async () => {
    sandbox.write({ kubeconfig: UNREACHABLE });
    const { code, err } = await ask(file);
    expect(code).toBe(2);
    expect(err).toBe(
      'error: cannot get customresourcedefinitions.apiextensions.k8s.io gadgets.example.org: the cluster cannot be ' +
        'reached: nothing listens there\n  context fake, server http://127.0.0.1:1\n' +
        '  check the server and the proxy of the context, and that the network reaches it\n',
    );
  });

  test.each<[string, string, FakeReply, string[]]>([
    ['an expired token', 'error', status(401, 'Unauthorized', 'Unauthorized'), ['401 Unauthorized', 'log in again']],
    [
      'no permission',
      'error',
      status(403, 'Forbidden', 'gadgets is forbidden'),
      [
        'cannot list gadgets.example.org: 403 Forbidden: gadgets is forbidden',
        'a ClusterRole with apiGroups: ["example.org"], resources: ["gadgets"], verbs: ["list"]',
      ],
    ],
    [
      'a page to log in',
      'error',
      { status: 200, body: '<html>' },
      ['HTTP 200, is no JSON', 'something else than an apiserver'],
    ],
    ['a list without items', 'error', { status: 200, body: {} }, ['has no items']],
  ])('%s is an error that says what to do', async (_what, _kind, reply, texts) => {
    fake.intercept((call) => (isList(call) ? reply : undefined));
    const { code, out, err } = await ask(file);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    for (const text of texts) expect(err).toContain(text);
  });

  test('a token never comes into a message', async () => {
    sandbox.write({ kubeconfig: fake.kubeconfig('a-wrong-secret') });
    const { code, out, err } = await ask(file);
    expect(code).toBe(2);
    expect(err).toContain('401 Unauthorized');
    expect(out + err).not.toContain('a-wrong-secret');
  });

  test('nothing in time: says how to wait longer', async () => {
    fake.intercept(() => 'hang');
    const { code, err } = await ask([...file, '--request-timeout', '50ms']);
    expect(code).toBe(2);
    expect(err).toContain('no answer within 50 ms');
    expect(err).toContain('--request-timeout');
  });

  test('to wait: asks again when it may', async () => {
    let busy = 2;
    fake.intercept((call) =>
      isList(call) && busy-- > 0
        ? { ...status(429, 'TooManyRequests', 'storage is (re)initializing'), headers: { 'retry-after': '0' } }
        : undefined,
    );
    expect(await ask(file)).toMatchObject({ code: 0 });
    expect(fake.calls.filter(isList)).toHaveLength(3);
  });

  test('a name that it does not have', async () => {
    const { code, err } = await sandbox.run(['migrate-storage', ...file, '--crd', 'x.example.org']);
    expect(code).toBe(2);
    expect(err).toContain('the cluster has no CRD x.example.org\n  context fake, server http://127.0.0.1');
  });

  test.each([true, false])(
    'an expired continue token: the list goes on (resumable: %s), nothing twice',
    async (resumable) => {
      for (let index = 0; index < 450; index++) fake.add(gadget(`n-${String(index).padStart(3, '0')}`), 'v1');
      fake.expire(1, { resumable });
      const { out } = await ask([...file, '-o', 'json']);
      expect(JSON.parse(out)).toMatchObject({ succeeded: 451, failed: 0 });
      const lists = fake.calls.filter(isList);
      expect(lists.map(({ query }) => query.get('limit'))).toEqual(lists.map(() => '200'));
      expect(lists).toHaveLength(resumable ? 4 : 5);
    },
  );

  test('a token that expires at each page of a long list: the list goes on', async () => {
    for (let index = 0; index < 1_401; index++) fake.add(gadget(`n-${index}`), 'v1');
    fake.intercept((call) => {
      const token = call.query.get('continue');
      if (!isList(call) || token === null || token.endsWith('+')) return undefined;
      return status(410, 'Expired', 'too old', { continue: `${token}+` });
    });
    const { out } = await ask([...file, '-o', 'json', '--concurrency', '8']);
    expect(JSON.parse(out)).toMatchObject({ succeeded: 1_402 });
  });

  test('continue tokens that always expire end the list', async () => {
    for (let index = 0; index < 201; index++) fake.add(gadget(`n-${index}`), 'v1');
    fake.expire(1_000, { resumable: true });
    const { code, err } = await ask(file);
    expect(code).toBe(2);
    expect(err).toContain('410 Expired');
  });
});

test('a list that begins again each time after a good first page ends', async () => {
  for (let index = 0; index < 201; index++) fake.add(gadget(`n-${index}`), 'v1');
  fake.expire(1_000, { resumable: false });
  const { code, err } = await ask(['--kubeconfig', 'kubeconfig']);
  expect(code).toBe(2);
  expect(err).toContain('410 Expired');
});

test('an answer over 64 MB is not read to its end', async () => {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  let sent = 0;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed && sent < 200) {
        sent += 1;
        if (!response.write(chunk)) return;
      }
      response.end();
    };
    response.on('drain', more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  sandbox.write({ kubeconfig: kubeconfigOf(`http://127.0.0.1:${port}`, 'x') });
  const { code, err } = await ask(['--kubeconfig', 'kubeconfig']);
  server.close();
  server.closeAllConnections();
  expect(code).toBe(2);
  expect(err).toContain('the answer is over 64 MB');
  expect(sent).toBeLessThan(200);
});

test.each([
  [['--request-timeout', 'soon'], '--request-timeout is "soon"'],
  [['--concurrency', '0'], '--concurrency is "0"'],
])('%j is a wrong use', async (argv, text) => {
  const { code, err } = await ask(['--kubeconfig', 'kubeconfig', ...argv]);
  expect(code).toBe(2);
  expect(err).toContain(text);
});
