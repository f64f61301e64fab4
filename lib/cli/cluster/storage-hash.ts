import { setTimeout } from 'node:timers/promises';
import { isArray } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import type { Cluster } from './client.ts';
import { at, type Crd } from './definitions.ts';

const LOOKS = 150;
const LOOK_MS = 200;

/**
 * Waits until the apiserver says in its discovery that it stores what the CRD wants: a change of a CRD reaches its
 * handlers a moment later, and until then a rewrite would write nothing and look as if it were done.
 */
export async function waitForStorage(cluster: Cluster, crd: Crd): Promise<void> {
  const { group, plural, kind } = crd.target;
  const { createHash } = await import('node:crypto');
  const expected = createHash('sha256').update(`${group}/${crd.storage}/${kind}`).digest().subarray(0, 8);
  for (let looks = 0; looks < LOOKS; looks++) {
    const { body } = await cluster.call({ verb: 'get', resource: group }, `/apis/${group}/${crd.storage}`);
    const resources = at(body, 'resources');
    const own = (isArray(resources) ? resources : []).find((resource) => at(resource, 'name') === plural);
    const hash = at(own, 'storageVersionHash');
    if (own !== undefined && (hash === undefined || hash === expected.toString('base64'))) return;
    await setTimeout(LOOK_MS);
  }
  const seconds = (LOOKS * LOOK_MS) / 1000;
  throw new AppError(
    'UNAVAILABLE',
    `the apiserver did not take ${crd.storage} as the storage version of ${crd.name} within ${seconds} s: run the command again`,
  );
}
