import { expect } from 'vitest';
import { listAll, type Objects, type View, viewOf } from './custom-objects.ts';
import type { Story } from './example-stories.ts';
import { type KubeClient, MERGE_PATCH } from './kube-client.ts';
import { type Watch, watchObject } from './watch.ts';

type Views = Readonly<Record<string, View>>;

/** An object that is created, changed twice and deleted. */
export interface Life {
  /** After each of the first three steps, at every version. */
  readonly read: readonly Views[];
  /** At every version: what a watch told. */
  readonly told: Readonly<Record<string, readonly (readonly [event: string, object: View])[]>>;
  /** At every version: the status of a GET at the end. */
  readonly end: Readonly<Record<string, number>>;
}

/** Creates the object, puts, patches and deletes it, all at its own version. */
export async function live(
  client: KubeClient,
  objects: Objects,
  { views, put, patch }: Story,
  created: any,
): Promise<Life> {
  const { name } = created.metadata;
  const own = created.apiVersion.split('/')[1];
  const path = objects.path(own, name);
  const atEach = <T>(get: (version: string) => Promise<T>) => collect(Object.keys(views), get);
  const read = () => atEach((version) => readView(client, objects, version, name));

  const watches = await atEach((version) => watchObject(client, objects.path(version), name));
  await client.ask('POST', objects.path(own), { body: created });
  const first = await read();
  const current = await client.ask('GET', path);
  await client.ask('PUT', path, { body: { ...current, spec: { ...current.spec, ...put[own] } } });
  const second = await read();
  await client.ask('PATCH', path, { type: MERGE_PATCH, body: { spec: patch[own] } });
  const third = await read();
  await client.ask('DELETE', path);
  const end = await atEach(async (version) => (await client.call('GET', objects.path(version, name))).status);
  return { read: [first, second, third], told: await atEach((version) => listen(watches[version])), end };
}

/** What a story says of the life of its object. */
export function tell({ views, put, patch }: Story): Life {
  const second = change(views, put);
  const third = change(second, patch);
  const versions = Object.keys(views);
  const told = (version: string) => {
    const [last, before, created] = [third, second, views].map((state) => state[version] ?? {}) as [View, View, View];
    return [
      ['ADDED', created] as const,
      ['MODIFIED', before] as const,
      ['MODIFIED', last] as const,
      ['DELETED', last] as const,
    ];
  };
  return {
    read: [views, second, third],
    told: Object.fromEntries(versions.map((version) => [version, told(version)])),
    end: Object.fromEntries(versions.map((version) => [version, 404])),
  };
}

function change(views: Views, changes: Story['put']): Views {
  const changed = Object.entries(views).map(([version, view]) => {
    const fields = Object.entries({ ...view.spec, ...changes[version] }).filter(([, value]) => value !== null);
    return [version, { ...view, spec: Object.fromEntries(fields) }];
  });
  return Object.fromEntries(changed);
}

async function collect<T>(
  versions: readonly string[],
  get: (version: string) => Promise<T>,
): Promise<Record<string, T>> {
  return Object.fromEntries(await Promise.all(versions.map(async (version) => [version, await get(version)] as const)));
}

/** A GET, which a list must agree with. */
async function readView(client: KubeClient, objects: Objects, version: string, name: string): Promise<View> {
  const object = await client.ask('GET', objects.path(version, name));
  const { items } = await listAll(client, objects.path(version));
  expect(items.filter(({ metadata }: any) => metadata.name === name)).toEqual([object]);
  return viewOf(object);
}

/** What a watch has told when the object is gone. */
async function listen(watch: Watch | undefined) {
  await expect.poll(() => watch?.events().at(-1)?.type, { timeout: 30_000 }).toBe('DELETED');
  watch?.close();
  return (watch?.events() ?? []).map(({ type, object }) => [type, viewOf(object)] as const);
}
