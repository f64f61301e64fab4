import { describe, expect, test } from 'vitest';
import { parseApp } from '../../../../lib/apps/spec/parse-app.ts';
import { AppError } from '../../../../lib/errors.ts';
import { ACCOUNT, IMAGE } from '../../../support/apps.ts';

const context = { account: ACCOUNT, secretsPath: (app: string) => `/roundhouse/test/${app}/`, maxConcurrency: 100 };
const MB = 1024 * 1024;

function parse(change: object) {
  return parseApp({ name: 'shop', image: IMAGE, ...change }, context);
}

function faultsOf(body: unknown, name?: string): string[] {
  try {
    parseApp(body, context, name);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).toBe('BAD_REQUEST');
    expect(error.details.errors?.length).toBeGreaterThan(0);
    return (error.details.errors ?? []).map(({ pointer }) => pointer);
  }
  return [];
}

describe('a body with the least that is needed', () => {
  test('gets every default', () => {
    expect(parse({})).toEqual({
      name: 'shop',
      warnings: [],
      given: {},
      spec: {
        image: IMAGE,
        port: 8080,
        strategy: 'blue-green',
        replicas: 1,
        labels: {},
        domains: [],
        env: {},
        memoryMb: 512,
        runtime: 'nodejs24.x',
        handler: 'index.handler',
        architecture: 'arm64',
        timeoutSeconds: 30,
      },
    });
  });

  test('is the same with zeros, empty texts and nulls in all other keys, as clients of the peer send them', () => {
    const zeros = {
      ...{ strategy: '', replicas: 0, host_port: 0, volumes: [], labels: null, domains: null, env: null, node_id: '' },
      ...{ resources: { memory_bytes: 0, nano_cpus: 0 }, health: null, bind_address: '', handler: '', runtime: '' },
    };
    expect(parse(zeros)).toEqual(parse({}));
  });

  test('takes the name of the path before that of the body', () => {
    expect(parseApp({ name: 'other', image: IMAGE }, context, 'shop').name).toBe('shop');
  });
});

test.each<[string, object, string]>([
  ['no name', { name: undefined }, '/name'],
  ['a name that is null', { name: null }, '/name'],
  ['an empty name', { name: '' }, '/name'],
  ['a name in capitals', { name: 'Shop' }, '/name'],
  ['a name with a slash', { name: 'a/b' }, '/name'],
  ['a name that begins with a digit', { name: '1shop' }, '/name'],
  ['a name that ends with a hyphen', { name: 'shop-' }, '/name'],
  ['a name of 33 characters', { name: 'a'.repeat(33) }, '/name'],
  ['a name with a newline', { name: 'shop\n' }, '/name'],
  ['a name that is a number', { name: 5 }, '/name'],
  ['no image', { image: undefined }, '/image'],
  ['an empty image', { image: '' }, '/image'],
  ['an image with a space', { image: 'a b' }, '/image'],
  ['an image of 513 characters', { image: 'a'.repeat(513) }, '/image'],
  ['an artifact without an id', { image: 'artifact:' }, '/image'],
  ['an artifact with a slash', { image: 'artifact:../x' }, '/image'],
  ['an ECR image without a tag', { image: IMAGE.replace(':1', '') }, '/image'],
  ['an ECR image with a short digest', { image: IMAGE.replace(':1', '@sha256:12') }, '/image'],
  ['port 0', { port: 0 }, '/port'],
  ['port -1', { port: -1 }, '/port'],
  ['port 65536', { port: 65_536 }, '/port'],
  ['a port with a fraction', { port: 80.5 }, '/port'],
  ['a port as text', { port: '80' }, '/port'],
  ['a port beyond doubles', { port: 2n ** 60n }, '/port'],
  ['host_port -1', { host_port: -1 }, '/host_port'],
  ['host_port 65536', { host_port: 65_536 }, '/host_port'],
  ['a bind_address that is none', { bind_address: 'everywhere' }, '/bind_address'],
  ['an unknown strategy', { strategy: 'canary' }, '/strategy'],
  ['a strategy that every object has', { strategy: 'constructor' }, '/strategy'],
  ['negative replicas', { replicas: -1 }, '/replicas'],
  ['too many labels', { labels: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`k${i}`, ''])) }, '/labels'],
  [
    'labels of over 64 KB together',
    { labels: Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`k${i}`, 'ä'.repeat(1_100)])) },
    '/labels',
  ],
  ['an empty label key', { labels: { '': 'x' } }, '/labels/'],
  ['a label key of 256 characters', { labels: { ['k'.repeat(256)]: 'x' } }, `/labels/${'k'.repeat(255)}…`],
  ['a reserved label key', { labels: { 'platform-reserved.x': 'x' } }, '/labels/platform-reserved.x'],
  ['a label value of 4097 characters', { labels: { a: 'x'.repeat(4097) } }, '/labels/a'],
  ['a label that is a number', { labels: { a: 1 } }, '/labels/a'],
  ['a label key with a slash', { labels: { 'a/b~c': 1 } }, '/labels/a~1b~0c'],
  ['labels as a list', { labels: [] }, '/labels'],
  ['a domain of one part', { domains: ['localhost'] }, '/domains/0'],
  ['a domain that is an address', { domains: ['10.0.0.1'] }, '/domains/0'],
  ['a domain with a path', { domains: ['a.example.org/x'] }, '/domains/0'],
  ['a domain with a port', { domains: ['a.example.org:80'] }, '/domains/0'],
  ['a domain with a final dot', { domains: ['a.example.org.'] }, '/domains/0'],
  ['a wildcard over one part', { domains: ['*.org'] }, '/domains/0'],
  ['a wildcard in the middle', { domains: ['a.*.example.org'] }, '/domains/0'],
  ['two wildcards', { domains: ['*.*.example.org'] }, '/domains/0'],
  ['a part of a wildcard', { domains: ['a*.example.org'] }, '/domains/0'],
  ['a domain twice, in other letters', { domains: ['a.example.org', 'A.example.org'] }, '/domains/1'],
  ['a domain that is no text', { domains: [5] }, '/domains/0'],
  ['51 domains', { domains: Array.from({ length: 51 }, (_, i) => `d${i}.example.org`) }, '/domains'],
  ['a domain of 254 characters', { domains: [`${'a'.repeat(50)}.`.repeat(5)] }, '/domains/0'],
  ['an env name that begins with a digit', { env: { '1A': '' } }, '/env/1A'],
  ['an env name of one letter', { env: { A: '' } }, '/env/A'],
  ['an env name with a hyphen', { env: { 'A-B': '' } }, '/env/A-B'],
  ['an env name that begins with _', { env: { _HANDLER: '' } }, '/env/_HANDLER'],
  ['the env name __proto__', JSON.parse('{"env":{"__proto__":"x"}}'), '/env/__proto__'],
  ['the label key __proto__', JSON.parse('{"labels":{"__proto__":"x"}}'), '/labels/__proto__'],
  ['the key __proto__', JSON.parse('{"__proto__":{"image":"x"}}'), '/__proto__'],
  ['PORT in env', { env: { PORT: '1' } }, '/env/PORT'],
  ['AWS_ in env', { env: { AWS_REGION: 'x' } }, '/env/AWS_REGION'],
  ['LAMBDA_ in env', { env: { LAMBDA_TASK_ROOT: 'x' } }, '/env/LAMBDA_TASK_ROOT'],
  ['ROUNDHOUSE_ in env', { env: { ROUNDHOUSE_APP: 'x' } }, '/env/ROUNDHOUSE_APP'],
  ['an env value that is a number', { env: { AA: 1 } }, '/env/AA'],
  ['an env value that is null', { env: { AA: null } }, '/env/AA'],
  ['an env value with NUL', { env: { AA: 'a\0b' } }, '/env/AA'],
  ['env over 4 KB', { env: { AA: 'x'.repeat(4096) } }, '/env'],
  ['127 MB', { resources: { memory_bytes: 127 * MB } }, '/resources/memory_bytes'],
  ['a byte more than 10,240 MB', { resources: { memory_bytes: 10_240 * MB + 1 } }, '/resources/memory_bytes'],
  ['negative memory', { resources: { memory_bytes: -1 } }, '/resources/memory_bytes'],
  ['memory as text', { resources: { memory_bytes: '512Mi' } }, '/resources/memory_bytes'],
  ['an unknown resource', { resources: { gpu: 1 } }, '/resources/gpu'],
  ['a readiness probe without a path', { health: { readiness: {} } }, '/health/readiness/path'],
  ['a relative readiness path', { health: { readiness: { path: 'health' } } }, '/health/readiness/path'],
  [
    'a readiness path that is another host',
    { health: { readiness: { path: '//evil.example/x' } } },
    '/health/readiness/path',
  ],
  [
    'a readiness path with backslashes',
    { health: { readiness: { path: '/\\evil.example' } } },
    '/health/readiness/path',
  ],
  ['a readiness path with a space', { health: { readiness: { path: '/a b' } } }, '/health/readiness/path'],
  ['a readiness path as a number', { health: { readiness: { path: 5 } } }, '/health/readiness/path'],
  ['an interval of 99 ms', { health: { readiness: { path: '/', interval: '99ms' } } }, '/health/readiness/interval'],
  [
    'an interval over 1 minute',
    { health: { readiness: { path: '/', interval: '61s' } } },
    '/health/readiness/interval',
  ],
  ['a negative interval', { health: { readiness: { path: '/', interval: -5 } } }, '/health/readiness/interval'],
  ['an interval without a unit', { health: { readiness: { path: '/', interval: '5' } } }, '/health/readiness/interval'],
  ['a timeout over 30 s', { health: { readiness: { path: '/', timeout: 30e9 + 1 } } }, '/health/readiness/timeout'],
  ['negative failures', { health: { readiness: { path: '/', failures: -1 } } }, '/health/readiness/failures'],
  ['an unknown key of a probe', { health: { readiness: { path: '/', port: 1 } } }, '/health/readiness/port'],
  ['a ready_timeout over 10 minutes', { health: { ready_timeout: '601s' } }, '/health/ready_timeout'],
  [
    'a liveness probe out of range',
    { health: { liveness: { path: '/', interval: '2h' } } },
    '/health/liveness/interval',
  ],
  ['an unknown key of health', { health: { startup: {} } }, '/health/startup'],
  ['health as a list', { health: [] }, '/health'],
  ['an unknown runtime', { runtime: 'nodejs18.x' }, '/runtime'],
  ['a handler with a space', { handler: 'a b' }, '/handler'],
  ['a handler of 129 characters', { handler: 'h'.repeat(129) }, '/handler'],
  ['an unknown architecture', { architecture: 'arm' }, '/architecture'],
  ['a timeout of 0 seconds', { timeout_seconds: 0 }, '/timeout_seconds'],
  ['a timeout of 901 seconds', { timeout_seconds: 901 }, '/timeout_seconds'],
  ['a reservation of 0', { reserved_concurrency: 0 }, '/reserved_concurrency'],
  ['a reservation over the budget', { reserved_concurrency: 101 }, '/reserved_concurrency'],
  ['a suspended that is no truth value', { suspended: 'yes' }, '/suspended'],
  ['a secret_env of objects', { secret_env: [{}] }, '/secret_env'],
  ['an unknown key', { colour: 'red' }, '/colour'],
  ['values of secrets', { secrets: { TOKEN: 'canary' } }, '/secrets'],
])('refuses %s', (_what, change, pointer) => {
  const body = Object.assign(Object.create(null), { name: 'shop', image: IMAGE });
  for (const key of Object.keys(change)) {
    Object.defineProperty(body, key, { value: (change as any)[key], enumerable: true });
  }
  expect(faultsOf({ ...body })).toEqual([pointer]);
});

test.each<[string, object]>([
  ['the longest name', { name: 'a'.repeat(32) }],
  ['a name of one letter', { name: 'a' }],
  ['port 65535', { port: 65_535 }],
  ['an image by digest', { image: IMAGE.replace(':1', `@sha256:${'a'.repeat(64)}`) }],
  ['an image by tag and digest', { image: `${IMAGE}@sha256:${'a'.repeat(64)}` }],
  ['an image that comes later', { image: 'shop:pending' }],
  ['an image of another registry', { image: 'bench.invalid/none:0' }],
  ['128 MB', { resources: { memory_bytes: 128 * MB } }],
  ['10,240 MB', { resources: { memory_bytes: 10_240 * MB } }],
  ['900 seconds', { timeout_seconds: 900 }],
  ['the whole budget', { reserved_concurrency: 100 }],
  ['a wildcard over two parts', { domains: ['*.example.org'] }],
  ['names that every object has, in env and labels', { env: { constructor: 'x' }, labels: { toString: 'x' } }],
])('accepts %s', (_what, change) => {
  expect(parse(change).warnings).toEqual([]);
});

test.each<[object, string]>([
  [{ strategy: 'rolling' }, 'strategy rolling'],
  [{ strategy: 'recreate' }, 'strategy recreate'],
  [{ replicas: 2 }, 'replicas does nothing'],
  [{ host_port: 80 }, 'host_port does nothing'],
  [{ bind_address: 'private' }, 'bind_address does nothing'],
  [{ node_id: 'n1' }, 'node_id does nothing'],
  [{ volumes: [{ name: 'v', path: '/v' }] }, 'volumes does nothing'],
  [{ hooks: { pre_deploy: 'x' } }, 'hooks does nothing'],
  [{ resources: { nano_cpus: 5 } }, 'resources.nano_cpus does nothing'],
  [{ health: { liveness: { path: '/' } } }, 'health.liveness does nothing'],
  [{ health: { readiness: { path: '/', failures: 5 } } }, 'health.readiness.failures does nothing'],
  [{ health: { readiness: { path: '/', scheme: 'https' } } }, 'health.readiness.scheme does nothing'],
  [{ health: { ready_timeout: '30s' } }, 'health.ready_timeout does nothing'],
])('says of %j that it does nothing, and takes it', (change, text) => {
  expect(parse(change).warnings).toEqual([expect.stringContaining(text)]);
});

test('names all faults at once, in the order of the peer, and counts them in the text', () => {
  const body = {
    name: 'X',
    port: 0,
    host_port: -1,
    strategy: 'x',
    replicas: -1,
    labels: { a: 1 },
    domains: ['x'],
    b: 1,
  };
  const pointers = [
    '/name',
    '/image',
    '/port',
    '/host_port',
    '/strategy',
    '/replicas',
    '/labels/a',
    '/domains/0',
    '/b',
  ];
  expect(faultsOf(body)).toEqual(pointers);
  expect(() => parseApp(body, context)).toThrow(/^the app is not valid: \/name: .* \(and 8 more\)$/);
});

test.each([null, 5, 'shop', [], undefined, true])('refuses the body %j', (body) => {
  expect(faultsOf(body)).toEqual(['']);
});

test('reads durations as nanoseconds and as text of Go', () => {
  const health = { readiness: { path: '/up', interval: 1_500_000_000, timeout: '500ms' }, ready_timeout: '1m30s' };
  expect(parse({ health }).spec.readiness).toEqual({ path: '/up', intervalMs: 1500, timeoutMs: 500, budgetMs: 90_000 });
});

test('fills in the defaults of a probe, also for zeros', () => {
  const health = { readiness: { path: '/up', interval: 0, timeout: 0, failures: 0 }, ready_timeout: 0 };
  const expected = { path: '/up', intervalMs: 2000, timeoutMs: 2000, budgetMs: 60_000 };
  expect(parse({ health }).spec.readiness).toEqual(expected);
});

test('rounds memory up to whole MB, and writes domains in lower case', () => {
  const { spec } = parse({ resources: { memory_bytes: 200 * MB + 1 }, domains: ['Shop.Example.org'] });
  expect(spec).toMatchObject({ memoryMb: 201, domains: ['shop.example.org'] });
});

test('counts JSON in UTF-8, as Lambda does, and what is set for the app against the 4 KB of env', () => {
  const ours = JSON.stringify({
    PORT: '8080',
    ROUNDHOUSE_APP: 'shop',
    ROUNDHOUSE_SECRETS_PATH: '/roundhouse/test/shop/',
    ROUNDHOUSE_DEPLOY: 'dep_000000000000',
    AWS_LAMBDA_EXEC_WRAPPER: '/opt/roundhouse-secrets',
  });
  const most = 4096 - Buffer.byteLength(ours) - Buffer.byteLength(',"AA":""');
  expect(faultsOf({ name: 'shop', image: IMAGE, env: { AA: 'x'.repeat(most) } })).toEqual([]);
  expect(faultsOf({ name: 'shop', image: IMAGE, env: { AA: `${'x'.repeat(most - 1)}ä` } })).toEqual(['/env']);
  expect(faultsOf({ name: 'shop', image: IMAGE, env: { AA: `${'x'.repeat(most - 1)}"` } })).toEqual(['/env']);
});

test('never shows the value of a variable', () => {
  const body = { name: 'shop', image: IMAGE, env: { AA: `canary\0${'x'.repeat(5000)}`, B: 'canary', PORT: 'canary' } };
  expect.assertions(1);
  try {
    parseApp(body, context);
  } catch (error) {
    expect(JSON.stringify([(error as Error).message, (error as AppError).details])).not.toContain('canary');
  }
});

test('remembers what a body says of keys that other routes write', () => {
  expect(parse({ suspended: true, secret_env: ['TOKEN'] }).given).toEqual({ suspended: true, secretEnv: ['TOKEN'] });
});
