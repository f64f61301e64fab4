import { objectsOf } from './custom-objects.ts';
import { loadExample } from './examples.ts';
import { MERGE_PATCH } from './kube-client.ts';
import type { Round } from './writers.ts';

const APPLY = 'application/apply-patch+yaml';

export const DATABASES = loadExample('crd-databases');
const { path, object } = objectsOf(DATABASES.crd);

/** An endpoint as each version has it, and how to read it there. */
const VIEWS: Readonly<Record<string, { spec: (host: string, port: number) => object; read: (spec: any) => string }>> = {
  v1: {
    spec: (host, port) => ({ endpoint: { host, port } }),
    read: ({ endpoint }) => `${endpoint.host}:${endpoint.port}`,
  },
  v1beta1: { spec: (host, port) => ({ address: `${host}:${port}` }), read: ({ address }) => address },
  v1alpha1: { spec: (host, port) => ({ host, port }), read: ({ host, port }) => `${host}:${port}` },
};
const specAt = (version: string, host: string, port: number) => VIEWS[version]?.spec(host, port);
const readAt = (version: string, { spec }: any) => VIEWS[version]?.read(spec);

/** Is there before the loops begin, and no loop changes it. */
export const STEADY = object('v1', 'steady', { spec: specAt('v1', 'steady', 1) });

/** What writers do with databases, each with objects of its own. */
export const LOOPS: Readonly<Record<string, Round>> = {
  'v1 and v1beta1': liveAt('v1', 'v1beta1'),
  'v1beta1 and v1alpha1': liveAt('v1beta1', 'v1alpha1'),
  'v1alpha1 and v1': liveAt('v1alpha1', 'v1'),
  apply: applyAtTwo,
  list,
};

/** Creates an object at one version, changes it there and at another, and deletes it there. */
function liveAt(own: string, other: string): Round {
  return async (ask, number) => {
    const name = `of-${own}-${number}`;
    const [here, there] = [path(own, name), path(other, name)];
    const body = object(own, name, { spec: specAt(own, 'created', number) });
    check('the created', readAt(own, await ask('POST', path(own), { body })), `created:${number}`);
    const read = await ask('GET', there);
    check('the other version', readAt(other, read), `created:${number}`);
    const update = { body: { ...read, spec: { ...read.spec, ...specAt(other, 'updated', number) } } };
    check('the updated', readAt(other, await ask('PUT', there, update)), `updated:${number}`);
    const patch = { type: MERGE_PATCH, body: { spec: specAt(own, 'patched', number) } };
    check('the patched', readAt(own, await ask('PATCH', here, patch)), `patched:${number}`);
    check('the read', readAt(other, await ask('GET', there)), `patched:${number}`);
    await ask('DELETE', there);
  };
}

/** Two managers apply fields of one object, each at its own version. */
async function applyAtTwo(...[ask, number]: Parameters<Round>): Promise<void> {
  const apply = (version: string, spec: unknown) => {
    const body = object(version, 'applied', { spec });
    return ask('PATCH', `${path(version, 'applied')}?fieldManager=${version}`, { type: APPLY, body });
  };
  await apply('v1alpha1', specAt('v1alpha1', 'applied', number));
  const applied = await apply('v1', { networks: [`n-${number}`] });
  check('the applied', readAt('v1', applied), `applied:${number}`);
  check('the network', applied.spec.networks[0], `n-${number}`);
}

/** As kubectl, with a limit: while an apiserver fills its cache again it refuses lists without one, and clients wait. */
async function list(ask: Parameters<Round>[0]): Promise<void> {
  const { items } = await ask('GET', `${path('v1alpha1')}?limit=500`);
  const found = items.find(({ metadata }: any) => metadata.name === STEADY.metadata.name);
  check('the listed', found && readAt('v1alpha1', found), 'steady:1');
}

function check(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}
