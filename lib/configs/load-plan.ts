import type { Clock } from '../clock.ts';
import { configPartition, revisionKey, revisionSort } from '../store/keys.ts';
import type { Item, Store } from '../store/ports.ts';
import type { CompileRevision } from './compile-revision.ts';
import { parsePlanSource } from './plan-source.ts';
import { type ActiveHead, type RevisionRecord, readRevision, unpackPlan } from './records.ts';
import type { RegistryEntry } from './types.ts';

/** Earlier revisions that are tried when the active one is broken and no plan is in memory. */
const FALLBACKS = 2;

export interface LoadDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Milliseconds of a clock that never jumps. */
  readonly timer: () => number;
  readonly compileRevision: CompileRevision;
  /** Called with the duration of each compile, in milliseconds. */
  readonly onCompile: (duration: number) => void;
}

/** Reads and compiles one revision. */
export async function loadPlan(deps: LoadDeps, target: string, record: RevisionRecord): Promise<RegistryEntry> {
  const text = await unpackPlan(deps.store, target, record);
  const start = deps.timer();
  try {
    const router = await deps.compileRevision(parsePlanSource(text));
    const { group, kind, revision, planHash } = record;
    return { target, group, kind, revision, planHash, router, compiledAt: deps.clock.now() };
  } finally {
    deps.onCompile(deps.timer() - start);
  }
}

/**
 * The plan of a revision that was active before a broken one (R37): a cold instance has no last good plan in memory, and
 * a target without a plan makes its objects unreadable. Without a readable head: the newest revision in the archive.
 */
export async function loadFallback(
  deps: LoadDeps,
  target: string,
  head: ActiveHead | undefined,
): Promise<RegistryEntry | undefined> {
  const items = await (head === undefined ? newestArchived(deps, target) : formerlyActive(deps, head));
  for (const item of items) {
    try {
      return await loadPlan(deps, target, readRevision(item));
    } catch {
      // The finding that counts is the active revision's, which the caller has.
    }
  }
  return undefined;
}

async function formerlyActive({ store }: LoadDeps, { target, record, history }: ActiveHead): Promise<Item[]> {
  const revisions = new Set(history.map(({ revision }) => revision));
  revisions.delete(record.revision);
  const latest = [...revisions].slice(0, FALLBACKS).map((revision) => revisionKey(target, revision));
  const items = await store.getMany(latest);
  return latest.flatMap(({ sk }) => items.filter((item) => item.sk === sk));
}

async function newestArchived({ store }: LoadDeps, target: string): Promise<Item[]> {
  const sk = { from: revisionSort(0), to: revisionSort(Number.MAX_SAFE_INTEGER) };
  return await store.query({ pk: configPartition(target), sk, reverse: true, limit: FALLBACKS });
}
