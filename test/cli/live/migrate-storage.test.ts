import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliRun, type CliSandbox, openCliSandbox } from '../support/convctl.ts';
import { CRDS, type FakeApiserver, startFakeApiserver, XRDS } from './support/fake-apiserver.ts';
import { status } from './support/fake-http.ts';
import { crd, gadget, NAME, xrd } from './support/gadgets.ts';

let fake: FakeApiserver;
let sandbox: CliSandbox;

beforeEach(async () => {
  fake = await startFakeApiserver();
  sandbox = openCliSandbox({ kubeconfig: fake.kubeconfig() });
  fake.put(CRDS, crd);
});
afterEach(async () => {
  sandbox.remove();
  await fake.close();
});

const PRUNE = '--prune-stored-versions';

async function migrate(...more: string[]): Promise<CliRun> {
  return await sandbox.run(['migrate-storage', '--kubeconfig', 'kubeconfig', '--crd', NAME, ...more]);
}

/** The JSON, and the exit code. */
async function report(...more: string[]): Promise<any> {
  const { out, code } = await migrate('-o', 'json', ...more);
  return { ...JSON.parse(out), code };
}

function addMany(count: number): string[] {
  const names = Array.from({ length: count }, (_, index) => `g-${String(index).padStart(4, '0')}`);
  for (const [index, name] of names.entries()) fake.add(gadget(name), index % 2 === 0 ? 'v1' : 'v2');
  return names;
}

const storedVersions = () => fake.get(CRDS, NAME).status.storedVersions;
const versions = () => new Set(Object.values(fake.storedAt()));
const isDiscovery = ({ path }: { path: string }) => path === '/apis/example.org/v2';
const isPut = ({ method }: { method: string }) => method === 'PUT';

test('every object is rewritten, seen again, and only then storedVersions is pruned', async () => {
  addMany(5);
  expect(await report(PRUNE)).toMatchObject({
    ...{ code: 0, resourceKind: 'CRD', resource: NAME, crd: NAME, group: 'example.org', kind: 'Gadget' },
    ...{ plural: 'gadgets', storageVersion: 'v2', storedVersions: ['v1', 'v2'], namespaced: true, dryRun: false },
    ...{ fieldManager: 'convctl', succeeded: 5, failed: 0, rewritten: 3, proved: true, pruned: true },
    objects: expect.arrayContaining([{ namespace: 'default', name: 'g-0000' }]),
  });
  expect(versions()).toEqual(new Set(['v2']));
  expect(storedVersions()).toEqual(['v2']);
  // Every one again in the round that proves.
  expect(fake.calls.filter(isPut)).toHaveLength(5 + 5);
  const prune = fake.calls.at(-1);
  expect(prune).toMatchObject({
    method: 'PATCH',
    path: `${CRDS}/${NAME}/status`,
    type: 'application/merge-patch+json',
  });
  expect(prune?.body.metadata.resourceVersion).toMatch(/^\d+$/);
});

test('the objects of many pages are all rewritten, also when a continue token expires', async () => {
  addMany(450);
  fake.expire(1);
  expect(await report(PRUNE)).toMatchObject({ code: 0, succeeded: 450, rewritten: 225, pruned: true });
  expect(versions()).toEqual(new Set(['v2']));
});

test('integers beyond 2^53 are put back with all their digits', async () => {
  fake.add(gadget('exact', { title: 'exact', serial: 9007199254740993n }), 'v1');
  await report();
  expect(fake.calls.find(isPut)?.body.spec.serial).toBe(9007199254740993n);
});

test('without --prune-stored-versions the CRD stays as it is, and a warning says so', async () => {
  addMany(3);
  const { code, out, err } = await migrate();
  expect(code).toBe(0);
  expect(out).toBe(
    `${NAME}: stores v2, storedVersions v1, v2\n  3 objects: 2 rewritten, 1 stored at v2 already, 0 failed\n`,
  );
  expect(err).toBe('warning: status.storedVersions keeps v1: add --prune-stored-versions to remove it\n');
  expect(storedVersions()).toEqual(['v1', 'v2']);
});

test('a CRD that stores one version only has nothing to do', async () => {
  fake.put(CRDS, { ...crd, status: { storedVersions: ['v2'] } });
  addMany(2);
  const { code, out } = await migrate(PRUNE);
  expect({ code, out }).toEqual({ code: 0, out: `${NAME}: stores v2, storedVersions v2\n  nothing to do\n` });
  expect(fake.calls.filter(isPut)).toEqual([]);
});

test('a dry run lets the server check every write, and changes nothing', async () => {
  addMany(3);
  expect(await report('--dry-run', PRUNE)).toMatchObject({ code: 0, dryRun: true, succeeded: 3, pruned: false });
  expect(fake.calls.filter(isPut).map(({ query }) => query.get('dryRun'))).toEqual(['All', 'All', 'All']);
  expect(versions()).toEqual(new Set(['v1', 'v2']));
  expect(storedVersions()).toEqual(['v1', 'v2']);
});

describe('an object that cannot be rewritten is named, the others are done, and nothing is pruned', () => {
  test('because the server refuses it', async () => {
    addMany(3);
    fake.intercept(({ method, path }) => {
      return method === 'PUT' && path.endsWith('/g-0001')
        ? status(422, 'Invalid', 'Gadget "g-0001" is invalid: spec.size: too small')
        : undefined;
    });
    const { code, out, err } = await migrate(PRUNE);
    expect(code).toBe(1);
    expect(out).toContain('3 objects: 2 rewritten, 0 stored at v2 already, 1 failed\n');
    expect(out).toMatch(/^default\/g-0001 +it cannot be written: 422 Invalid: .*spec\.size: too small$/m);
    expect(err).toContain('keeps v1: 1 of 3 objects could not be rewritten');
    expect(storedVersions()).toEqual(['v1', 'v2']);
  });

  test('because it cannot be converted, which fails every list at the storage version', async () => {
    addMany(4);
    fake.broken.add('g-0002');
    for (const name of ['g-0001', 'g-0003']) fake.remove(name);
    const { code, failed, rewritten, objects } = await report(PRUNE);
    expect({ code, failed, rewritten }).toEqual({ code: 1, failed: 1, rewritten: 1 });
    expect(objects).toContainEqual({
      namespace: 'default',
      name: 'g-0002',
      error: expect.stringContaining('it cannot be read: 500 InternalError: conversion webhook failed'),
    });
  });

  test('because others change it all the time', async () => {
    addMany(1);
    fake.intercept(({ method }) => void (method === 'PUT' && fake.touch('g-0000')));
    const { code, objects } = await report(PRUNE);
    expect(code).toBe(1);
    expect(objects[0].error).toBe(
      'it cannot be written: 409 Conflict: the object has been modified (6 tries; do others change it all the time?)',
    );
    expect(fake.calls.filter(isPut)).toHaveLength(6);
  });

  test('because an admission webhook refuses it with 404, which is not gone', async () => {
    addMany(3);
    fake.intercept(({ method, path }) => {
      return method === 'PUT' && path.endsWith('/g-0002')
        ? status(404, '', 'admission webhook "p.example.org" denied the request')
        : undefined;
    });
    const { code, failed, proved, pruned, objects } = await report(PRUNE);
    expect({ code, failed, proved, pruned }).toEqual({ code: 1, failed: 1, proved: false, pruned: false });
    expect(objects[2].error).toBe('it cannot be written: 404: admission webhook "p.example.org" denied the request');
    expect(fake.storedAt()).toMatchObject({ 'g-0002': 'v1' });
    expect(storedVersions()).toEqual(['v1', 'v2']);
  });
});

test('an apiserver that learns of the new storage version late is waited for, and is asked twice', async () => {
  addMany(3);
  const discovery = () => fake.calls.filter(isDiscovery).length;
  fake.intercept(({ method, path, body }) => {
    const old = { name: 'gadgets', storageVersionHash: 'of-v1' };
    if (isDiscovery({ path }) && discovery() === 1) return { status: 200, body: { resources: [old] } };
    // Its handlers learn of it later still: nothing is written in the first round.
    if (method === 'PUT' && fake.calls.filter(isPut).length <= 3) return { status: 200, body };
    return undefined;
  });
  expect(await report(PRUNE)).toMatchObject({ code: 0, succeeded: 3, rewritten: 2, proved: true, pruned: true });
  // One look in vain, and five before each of three rounds, the one that wrote nothing included.
  expect(discovery()).toBe(1 + 3 * 5);
  expect(fake.calls.slice(0, fake.calls.findIndex(isPut)).filter(isDiscovery)).toHaveLength(1 + 5);
  expect(versions()).toEqual(new Set(['v2']));
});

describe('one of two apiservers is behind', () => {
  test('each look is over a new connection, and five in a row must agree', async () => {
    addMany(1);
    const stale = { resources: [{ name: 'gadgets', storageVersionHash: 'of-v1' }] };
    fake.intercept((call) => {
      const looks = fake.calls.filter(isDiscovery).length;
      return isDiscovery(call) && looks === 4 ? { status: 200, body: stale } : undefined;
    });
    expect(await report(PRUNE)).toMatchObject({ code: 0, pruned: true });
    const connections = fake.calls
      .slice(0, fake.calls.findIndex(isPut))
      .filter(isDiscovery)
      .map((call) => call.connection);
    expect(connections).toHaveLength(4 + 5);
    expect(new Set(connections).size).toBe(4 + 5);
  });

  test('an object that it takes back to the old version is not taken for proved', async () => {
    fake.add(gadget('g'), 'v2');
    let puts = 0;
    fake.intercept((call) => {
      if (!isPut(call) || ++puts > 1) return undefined;
      // It stores v1, and what was stored at v2 gets a new resource version by that.
      fake.add(gadget('g'), 'v1');
      return { status: 200, body: { ...call.body, metadata: fake.metadataOf('g') } };
    });
    expect(await report(PRUNE)).toMatchObject({ code: 0, rewritten: 1, pruned: true });
    expect(versions()).toEqual(new Set(['v2']));
    // Back to v1, to v2, and the one that proves.
    expect(puts).toBe(3);
  });
});

test('objects that an admission webhook changes at every write prove nothing, and the report says so', async () => {
  addMany(1);
  fake.intercept((call) => {
    if (!isPut(call)) return undefined;
    fake.touch('g-0000');
    return { status: 200, body: { ...call.body, metadata: fake.metadataOf('g-0000') } };
  });
  const { code, pruned, pruneError } = await report(PRUNE);
  expect({ code, pruned }).toEqual({ code: 1, pruned: false });
  expect(pruneError).toContain('does an admission webhook change objects at every write?');
});

test('an object that is changed at the same moment is read again and rewritten', async () => {
  addMany(1);
  let conflicts = 0;
  fake.intercept(({ method }) => void (method === 'PUT' && conflicts++ < 2 && fake.touch('g-0000')));
  expect(await report(PRUNE)).toMatchObject({ code: 0, rewritten: 1, pruned: true });
});

test('an object that is deleted in the meantime is done', async () => {
  addMany(1);
  fake.intercept(({ method }) => void (method === 'PUT' && fake.remove('g-0000')));
  expect(await report(PRUNE)).toMatchObject({ code: 0, succeeded: 1, pruned: true });
});

test('an object that was written at the old version behind our back is found, and rewritten in another round', async () => {
  addMany(1);
  let lists = 0;
  fake.intercept(({ method, path }) => {
    const isList = method === 'GET' && path.endsWith('/gadgets');
    if (isList && ++lists === 2) fake.add(gadget('late'), 'v1');
    return undefined;
  });
  expect(await report(PRUNE)).toMatchObject({ code: 0, succeeded: 2, rewritten: 2, pruned: true });
  expect(versions()).toEqual(new Set(['v2']));
  expect(lists).toBe(3);
});

test('an object that was rewritten, and then written at the old version again, is rewritten again', async () => {
  addMany(1);
  let lists = 0;
  fake.intercept(({ method, path }) => {
    const isList = method === 'GET' && path.endsWith('/gadgets');
    if (isList && ++lists === 2) fake.add(gadget('g-0000'), 'v1');
    return undefined;
  });
  expect(await report(PRUNE)).toMatchObject({ code: 0, succeeded: 1, rewritten: 1, pruned: true });
  expect(versions()).toEqual(new Set(['v2']));
});

test('while something goes on writing at the old version nothing is pruned', async () => {
  let lists = 0;
  fake.intercept(({ method, path }) => {
    if (method === 'GET' && path.endsWith('/gadgets')) fake.add(gadget(`late-${lists++}`), 'v1');
    return undefined;
  });
  const { code, pruned, pruneError } = await report(PRUNE);
  expect({ code, pruned }).toEqual({ code: 1, pruned: false });
  expect(pruneError).toContain('objects were still changed in round 5');
  expect(storedVersions()).toEqual(['v1', 'v2']);
});

test.each([
  ['its conditions', { status: { ...crd.status, conditions: [] } }, { code: 0, pruned: true }],
  ['its versions', { metadata: { ...crd.metadata, generation: 2 } }, { code: 1, pruned: false }],
])('a CRD that has changed in the meantime in %s is seen before it is pruned', async (_what, change, expected) => {
  addMany(1);
  let changed = false;
  fake.intercept(({ method, path }) => {
    if (method !== 'PATCH' || !path.endsWith('/status') || changed) return undefined;
    changed = true;
    fake.put(CRDS, { ...crd, ...change });
    return undefined;
  });
  expect(await report(PRUNE)).toMatchObject(expected);
});

test('a status that may not be changed is reported beside what was done', async () => {
  addMany(1);
  fake.intercept(({ method, path }) =>
    method === 'PATCH' && path.endsWith('/status') ? status(403, 'Forbidden', 'user cannot patch') : undefined,
  );
  const { code, out } = await migrate(PRUNE);
  expect(code).toBe(1);
  expect(out).toContain('not pruned: 403 Forbidden: user cannot patch\n');
});

test('a cluster that is gone at the end does not take the report of what was done with it', async () => {
  addMany(1);
  fake.intercept(({ method }) => (method === 'PATCH' ? { status: 502, body: '<html>' } : undefined));
  const { code, rewritten, pruned, pruneError } = await report(PRUNE);
  expect({ code, rewritten, pruned }).toEqual({ code: 1, rewritten: 1, pruned: false });
  expect(pruneError).toContain('HTTP 502, is no JSON');
});

describe('one namespace', () => {
  test('is migrated alone, and nothing is pruned', async () => {
    addMany(2);
    fake.add(gadget('other', {}, { namespace: 'other' }), 'v1');
    expect(await report('-n', 'other')).toMatchObject({ code: 0, rewritten: 1, pruned: false });
    expect(fake.storedAt()).toMatchObject({ 'g-0000': 'v1', other: 'v2' });
  });

  test('cannot be pruned', async () => {
    const { code, err } = await migrate('-n', 'other', PRUNE);
    expect(code).toBe(2);
    expect(err).toContain('--prune-stored-versions cannot be used with --namespace');
  });

  test('means nothing for a cluster-scoped kind', async () => {
    fake.put(CRDS, { ...crd, spec: { ...crd.spec, scope: 'Cluster' } });
    const { code, err } = await migrate('-n', 'other', PRUNE);
    expect(code).toBe(0);
    expect(err).toBe(`warning: ${NAME} is cluster-scoped: --namespace means nothing, all objects are rewritten\n`);
  });
});

describe('an XRD', () => {
  const claims = {
    ...crd,
    metadata: { name: 'claims.example.org' },
    spec: { ...crd.spec, names: { kind: 'Claim', plural: 'claims', singular: 'claim' } },
  };

  test('is migrated with the CRD of its claims', async () => {
    fake.put(XRDS, xrd);
    fake.put(CRDS, claims);
    addMany(2);
    fake.add({ ...gadget('c'), kind: 'Claim' }, 'v1');
    const { code, out } = await sandbox.run([
      ...['migrate-storage', '--kubeconfig', 'kubeconfig', '--xrd', NAME, PRUNE, '-o', 'json'],
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ...{ resourceKind: 'XRD', resource: NAME, crd: NAME, rewritten: 1, pruned: true },
      claims: { resourceKind: 'XRD', resource: NAME, crd: 'claims.example.org', rewritten: 1, pruned: true },
    });
    expect(fake.get(CRDS, 'claims.example.org').status.storedVersions).toEqual(['v2']);
  });

  test('of which only one CRD can be migrated says what was done with the other', async () => {
    fake.put(XRDS, xrd);
    fake.put(CRDS, claims);
    addMany(1);
    fake.intercept(({ path }) => (path.endsWith('/claims') ? status(403, 'Forbidden', 'not yours') : undefined));
    const argv = ['migrate-storage', '--kubeconfig', 'kubeconfig', '--xrd', NAME, PRUNE];
    const { code, out } = await sandbox.run([...argv, '-o', 'json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ...{ crd: NAME, rewritten: 1, pruned: true },
      claims: { crd: 'claims.example.org', pruned: false, error: expect.stringContaining('403 Forbidden: not yours') },
    });
    expect((await sandbox.run(argv)).out).toContain(
      'claims.example.org: stores v2, storedVersions v1, v2\n  not migrated: cannot list claims.example.org: 403',
    );
  });

  test('is not known where Crossplane is not installed', async () => {
    const { code, err } = await sandbox.run(['migrate-storage', '--kubeconfig', 'kubeconfig', '-x', NAME]);
    expect(code).toBe(2);
    expect(err).toContain('Crossplane is not installed there');
  });
});
