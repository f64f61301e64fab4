import { objectsOf } from './custom-objects.ts';
import type { KubeClient } from './kube-client.ts';
import { waitFor } from './wait.ts';
import type { Running } from './workbench.ts';

/** What an apiserver keeps of the objects of a kind, converted to a version that is not the stored one. */
export interface WatchCache {
  /** Calls of the webhook for that version, as the apiserver counts them itself from its start on. */
  readonly calls: () => Promise<number>;
  /** Resolves when there were so many: a write is answered before the cache has what was written. */
  readonly waitForCalls: (count: number) => Promise<void>;
  /** The objects as they are in it, by name. Fails while it is not full. */
  readonly read: () => Promise<any[]>;
  /** The same once it is full, and as new as `isNew` wants its first object. */
  readonly readNew: (isNew: (object: any) => boolean) => Promise<any[]>;
}

const FULL_MS = 300_000;

export function watchCacheOf(client: KubeClient, process: Running, crd: any, version: string): WatchCache {
  const path = objectsOf(crd).path(version);
  const metric = 'apiserver_crd_conversion_webhook_duration_seconds_count';
  const series = new RegExp(`^${metric}{crd_name="${crd.metadata.name}",.*,to_version="${version}"} (\\d+)$`, 'gm');
  const calls = async () => {
    const text: string = await client.ask('GET', '/metrics');
    return [...text.matchAll(series)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  // "0" asks for what the cache has; without a limit it is not read from the database while the cache is not full.
  const fromCache = `${path}?resourceVersion=0`;
  const read = async () => (await client.ask('GET', fromCache)).items;
  return {
    calls,
    async waitForCalls(count) {
      await waitFor(`${count} calls`, process, async () => (await calls()) >= count || undefined, FULL_MS);
    },
    read,
    async readNew(isNew) {
      const look = async () => {
        const { status, body } = await client.call(
          'GET',
          `${fromCache}&fieldSelector=metadata.namespace=default&limit=1`,
        );
        return (status === 200 && isNew(body.items[0])) || undefined;
      };
      await waitFor('the cache', process, look, FULL_MS);
      return await read();
    },
  };
}
