import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { parseJson } from '../../../lib/k8s/json.ts';
import { listAll } from './custom-objects.ts';
import type { KubeClient } from './kube-client.ts';

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'ERROR';
  readonly object: any;
}

export interface Watch {
  /** In the order of their coming. */
  readonly events: () => readonly WatchEvent[];
  readonly close: () => void;
}

/** Follows what happens to one object that is not there yet; resolves when the server has begun to tell. */
export async function watchObject(client: KubeClient, path: string, name: string): Promise<Watch> {
  const { url, token, ca } = client;
  const { metadata } = await listAll(client, path);
  const query = `watch=true&fieldSelector=metadata.name%3D${name}&resourceVersion=${metadata.resourceVersion}`;
  const events: WatchEvent[] = [];
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}?${query}`, { ca, headers: { authorization: `Bearer ${token}` } });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const lines = createInterface({ input: response });
      lines.on('line', (line) => events.push(parseJson(line) as any));
      // Closing breaks the answer off.
      lines.on('error', () => {});
      if (response.statusCode === 200) resolve({ events: () => events, close: () => outgoing.destroy() });
      else reject(new Error(`watch of ${path}: ${response.statusCode}`));
    });
    outgoing.end();
  });
}
