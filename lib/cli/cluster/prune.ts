import type { Cluster } from './client.ts';
import { at, type Crd, isSameSpec, readCrd } from './definitions.ts';
import { statusText } from './errors.ts';

const RETRIES = 5;

/**
 * Sets `status.storedVersions` to the storage version alone, unless the CRD has changed since it was read: another
 * storage version in between would have made objects of its own.
 * @returns why it was not done; undefined when it was
 */
export async function pruneStoredVersions(cluster: Cluster, crd: Crd): Promise<string | undefined> {
  const resource = 'customresourcedefinitions.apiextensions.k8s.io/status';
  let { body } = crd;
  for (let tries = 0; tries <= RETRIES; tries++) {
    const metadata = { resourceVersion: at(body, 'metadata', 'resourceVersion') ?? '' };
    const reply = await cluster.call({ verb: 'patch', resource, name: crd.name }, `${crd.path}/status`, {
      type: 'application/merge-patch+json',
      body: { metadata, status: { storedVersions: [crd.storage] } },
    });
    if (reply.status === 200) return undefined;
    if (reply.status !== 409) return statusText(reply.status, reply.body);
    // Conditions of its status change too; only its generation tells of the rest.
    body = (await readCrd(cluster, crd.name)).body;
    if (!isSameSpec(body, crd.body)) return 'the CRD changed in the meantime: run the command again';
  }
  return `others changed the CRD at each of ${RETRIES + 1} tries: run the command again`;
}
