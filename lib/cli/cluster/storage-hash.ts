import { setTimeout } from 'node:timers/promises';
import { isArray } from '../../engine/json.ts';
import { AppError } from '../../errors.ts';
import type { Cluster } from './client.ts';
import { at, type Crd } from './definitions.ts';

const TRIES = 150;
const LOOK_MS = 200;
/** Behind one address there may be several apiservers, of which each connection meets one. */
const LOOKS = 5;

/**
 * Waits until the apiserver says in its discovery that it stores what the CRD wants, at so many looks in a row: a
 * change of a CRD reaches its handlers a moment later, and until then a rewrite would write nothing and look as if it
 * were done. One that publishes no hash is believed: then only the rounds tell.
 */
export async function waitForStorage(cluster: Cluster, crd: Crd): Promise<void> {
  const { group, plural, kind } = crd.target;
  const { createHash } = await import('node:crypto');
  const expected = createHash('sha256').update(`${group}/${crd.storage}/${kind}`).digest().subarray(0, 8);
  for (let [tries, agreed] = [0, 0]; tries < TRIES; ) {
    const path = `/apis/${group}/${crd.storage}`;
    const { body } = await cluster.call({ verb: 'get', resource: group }, path, { fresh: true });
    const resources = at(body, 'resources');
    const own = (isArray(resources) ? resources : []).find((resource) => at(resource, 'name') === plural);
    const hash = at(own, 'storageVersionHash');
    if (own !== undefined && (hash === undefined || hash === expected.toString('base64'))) {
      if (++agreed === LOOKS) return;
      continue;
    }
    [tries, agreed] = [tries + 1, 0];
    await setTimeout(LOOK_MS);
  }
  const seconds = (TRIES * LOOK_MS) / 1000;
  throw new AppError(
    'UNAVAILABLE',
    `some apiserver did not take ${crd.storage} as the storage version of ${crd.name} within ${seconds} s: run the command again`,
  );
}
