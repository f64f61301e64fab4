import { AppError } from '../errors.ts';
import { checkIfMatch, lostRace } from '../store/etag.ts';
import { blobsOf, configPartition, revisionSort } from '../store/keys.ts';
import type { Store } from '../store/ports.ts';
import { type ConfigDeps, loadHead, nextVersion, writeHead } from './activation.ts';
import { announce } from './changes.ts';
import { cleanIndex } from './index-entries.ts';
import { type Head, isActive } from './records.ts';
import { requireHead } from './revisions.ts';
import type { Precondition } from './types.ts';

/**
 * Removes a config. The head becomes a tombstone by one conditional write; everything else is cleaned up after that, and
 * again by a repeated removal.
 */
export async function removeConfig(
  deps: ConfigDeps,
  target: string,
  { ifMatch, force = false }: Precondition & { readonly force?: boolean } = {},
): Promise<void> {
  const { store, clock, ids } = deps;
  const before = await loadHead(store, target);
  if (before !== undefined && !isActive(before)) await purge(store, before);
  const head = await requireHead(store, target);
  checkIfMatch(ifMatch, head.version, `The config of ${target}`);
  const served = head.record.versions.filter((version) => version.served).map(({ name }) => name);
  if (served.length > 1 && !force) {
    const what = `${target} still serves ${served.join(', ')}: without the config, objects could not be read at all of them.`;
    throw new AppError('CONFLICT', `${what} Put a schema that serves one version, or use force=true.`);
  }
  const { record: _removed, ...rest } = head;
  const version = nextVersion(head);
  const tombstone: Head = { ...rest, version, activation: ids(), updatedAt: new Date(clock.now()).toISOString() };
  await announce(store, clock, ids(), { kind: 'config', name: target, version });
  if (!(await writeHead(store, tombstone, head))) throw lostRace(`The config of ${target}`);
  await purge(store, tombstone);
}

/** Removes what belongs to revisions up to a tombstone. What a later creation writes has a higher version. */
async function purge(store: Store, { target, version, lastRevision }: Head): Promise<void> {
  const pk = configPartition(target);
  const [revisions, chunks] = await Promise.all([
    store.query({ pk, sk: { from: revisionSort(0), to: revisionSort(lastRevision) } }),
    store.query({ pk, sk: { from: blobsOf(0), to: blobsOf(version + 1) } }),
    cleanIndex(store, target, version),
  ]);
  await store.writeMany([...revisions, ...chunks].map((item) => ({ remove: { pk: item.pk, sk: item.sk } })));
}
