import { AppError } from '../../errors.ts';
import type { Cluster } from './client.ts';
import { type Crd, identityOf, objectPath, objectsAsked } from './definitions.ts';
import { listAll } from './list.ts';
import { mapParallel } from './parallel.ts';
import { pruneStoredVersions } from './prune.ts';
import { type Outcome, type RewriteOptions, rewrite } from './rewrite.ts';
import { waitForStorage } from './storage-hash.ts';

/** The first rewrites, the second proves. More are only needed while something is still written. */
const MAX_ROUNDS = 5;

export interface MigrateOptions extends RewriteOptions {
  readonly concurrency: number;
  /** Leaves the others alone, so that nothing is proved. */
  readonly namespace?: string | undefined;
  readonly prune: boolean;
  readonly progress: (done: number, total: number) => void;
}

export interface MigratedObject {
  readonly namespace?: string;
  readonly name: string;
  readonly error?: string;
}

/** What was done for one CRD. */
export interface Migration {
  readonly objects: readonly MigratedObject[];
  /** Of the objects: written anew because they were stored at another version; unknown under `dryRun`. */
  readonly rewritten: number;
  /** Every object was seen at the storage version. */
  readonly proved: boolean;
  readonly pruned: boolean;
  readonly pruneError?: string;
  readonly warnings: readonly string[];
}

/**
 * Rewrites every object of a CRD at its storage version, proves it, and only then prunes `status.storedVersions`.
 * @throws AppError when the objects cannot be listed
 */
export async function migrate(cluster: Cluster, crd: Crd, options: MigrateOptions): Promise<Migration> {
  const { storage, storedVersions } = crd;
  const nothing = { objects: [], rewritten: 0, pruned: false };
  if (!crd.target.versions.some(({ name, served }) => name === storage && served)) {
    throw new AppError('UNPROCESSABLE', `${crd.name} stores ${storage}, which is not served: serve it until the end`);
  }
  if (storedVersions.every((version) => version === storage)) {
    return { ...nothing, proved: true, warnings: [] };
  }
  const done = await rewriteAll(cluster, crd, options);
  const objects = [...done.outcomes.values()].map(reportOf);
  const failed = objects.filter(({ error }) => error !== undefined).length;
  const result = { objects, rewritten: done.rewritten, proved: done.proved };
  const others = storedVersions.filter((version) => version !== storage).join(', ');
  const keep = (why: string): Migration => ({
    ...result,
    pruned: false,
    warnings: [`status.storedVersions keeps ${others}: ${why}`],
  });
  if (options.dryRun) return keep('this is a dry run');
  if (failed > 0) return keep(`${failed} of ${objects.length} objects could not be rewritten`);
  if (!done.proved) {
    const reasons =
      'is an apiserver of the cluster behind, or does an admission webhook change objects at every write?';
    const pruneError = `objects were still changed in round ${MAX_ROUNDS}, so that nothing proves how they are stored: ${reasons}`;
    return { ...result, pruned: false, pruneError, warnings: [] };
  }
  if (options.namespace !== undefined) return keep('only one namespace was looked at');
  if (!options.prune) return keep('add --prune-stored-versions to remove it');
  const pruneError = await pruneStoredVersions(cluster, crd).catch((error: unknown) => {
    // What was written must be told all the same.
    if (error instanceof AppError) return error.message;
    throw error;
  });
  return { ...result, pruned: pruneError === undefined, ...(pruneError !== undefined && { pruneError }), warnings: [] };
}

interface Seen {
  readonly identity: ReturnType<typeof identityOf>;
  readonly outcome: Outcome;
}

/**
 * Rounds of putting every object that there is, until one changes none of them: that proves. The first proves nothing,
 * since an apiserver that does not know the new storage version leaves everything unchanged; nor does a new resource
 * version, which such a server also gives, when it takes an object back to the old version.
 */
async function rewriteAll(cluster: Cluster, crd: Crd, options: MigrateOptions) {
  const outcomes = new Map<string, Seen>();
  const rewritten = new Set<string>();
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    await waitForStorage(cluster, crd);
    const { items, isWhole } = await listForRewriting(cluster, crd, options.namespace);
    let done = 0;
    const results = await mapParallel(items, options.concurrency, async (object) => {
      const outcome = await rewrite(cluster, crd, object, { ...options, isWhole });
      options.progress(++done, items.length);
      return { identity: identityOf(object), outcome };
    });
    for (const seen of results) {
      const { uid } = seen.identity;
      outcomes.set(uid, seen);
      if (seen.outcome.state === 'rewritten') rewritten.add(uid);
    }
    const count = (state: Outcome['state']) => results.filter(({ outcome }) => outcome.state === state).length;
    const proved = round > 1 && count('rewritten') === 0;
    if (options.dryRun || proved || count('failed') > 0) {
      return { outcomes, rewritten: rewritten.size, proved: proved && count('failed') === 0 };
    }
  }
  return { outcomes, rewritten: rewritten.size, proved: false };
}

/**
 * One object that cannot be converted to the storage version fails the list there. It may still be listed at another
 * version, by which the others are found; what it is comes out when it is read alone.
 */
async function listForRewriting(cluster: Cluster, crd: Crd, namespace: string | undefined) {
  const served = crd.target.versions.filter((version) => version.served).map(({ name }) => name);
  let failure: unknown;
  for (const version of [crd.storage, ...served.filter((name) => name !== crd.storage)]) {
    try {
      const asked = objectsAsked(crd, 'list', { namespace });
      const items = await listAll(cluster, asked, objectPath(crd, version, { namespace }));
      return { items, isWhole: version === crd.storage };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'UNAVAILABLE') throw error;
      failure ??= error;
    }
  }
  throw failure;
}

function reportOf({ identity: { name, namespace }, outcome }: Seen): MigratedObject {
  return {
    ...(namespace !== undefined && { namespace }),
    name,
    ...(outcome.state === 'failed' && { error: outcome.error }),
  };
}
