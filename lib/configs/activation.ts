import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import { lostRace } from '../store/etag.ts';
import { blobPrefix, configPartition, headKey, revisionSort } from '../store/keys.ts';
import { ABSENT, type Condition, ConditionFailed, type Store, type Write } from '../store/ports.ts';
import { announce } from './changes.ts';
import { announcedVersion, cleanIndex, removeIndex, writeIndex } from './index-entries.ts';
import { isDnsName } from './metadata.ts';
import {
  type ActiveHead,
  type Head,
  type HeadBefore,
  headItem,
  isActive,
  type RevisionRecord,
  readHead,
  revisionItem,
} from './records.ts';

/** What every part of the config service works with. */
export interface ConfigDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** A new unguessable id without `#`, such as a UUID. */
  readonly ids: () => string;
}

/** Activations that the head remembers, for a cold instance that finds the active revision broken. */
const HISTORY = 10;

export async function loadHead(store: Store, target: string): Promise<Head | undefined> {
  // Only a name that a config can have is a sort key that the database takes.
  const item = isDnsName(target) ? await store.get(headKey(target)) : undefined;
  return item && readHead(item);
}

/**
 * The head that a write replaces. One that is damaged counts as a tombstone, so that putting the config again repairs it;
 * its numbers are taken from the archive and the index, for instances ignore a head with a lower version than they have.
 */
export async function loadHeadToReplace(store: Store, target: string): Promise<HeadBefore | undefined> {
  const item = await store.get(headKey(target));
  if (item === undefined) return undefined;
  try {
    return readHead(item);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [version, lastRevision] = await Promise.all([
      announcedVersion(store, target),
      archivedRevision(store, target),
    ]);
    const numbers = { version, firstRevision: lastRevision + 1, lastRevision };
    return { target, activation: '', updatedAt: '', history: [], ...numbers, damaged: true };
  }
}

async function archivedRevision(store: Store, target: string): Promise<number> {
  const range = { from: revisionSort(0), to: revisionSort(Number.MAX_SAFE_INTEGER) };
  const [newest] = await store.query({ pk: configPartition(target), sk: range, reverse: true, limit: 1 });
  return newest === undefined ? 0 : Number(newest.sk.slice(newest.sk.indexOf('#') + 1));
}

/** The version number that the next write of the head makes. */
export function nextVersion(head: Head | undefined): number {
  return (head?.version ?? 0) + 1;
}

/** Where the chunks of a revision go that is written now. */
export function newBlobPrefix(deps: ConfigDeps, head: Head | undefined): string {
  return blobPrefix(nextVersion(head), deps.ids());
}

/**
 * Makes a revision the active one. The order of the writes is what makes this safe without a transaction
 * (`docs/decisions/0001-single-table-and-activation.md`): chunks, archive of the revision that is active now, index
 * entries, change entry, and then the head by one conditional write. Only the last one makes anything visible.
 *
 * @param before the head as it was read: when it has changed since, nothing becomes visible
 * @throws AppError PRECONDITION_FAILED when another activation or removal was first
 */
export async function activate(
  deps: ConfigDeps,
  target: string,
  before: HeadBefore | undefined,
  record: RevisionRecord,
  chunks: readonly Write[] = [],
): Promise<ActiveHead> {
  const { store, clock, ids } = deps;
  const head = headFor(deps, target, before, record);
  await Promise.all([store.writeMany(chunks), archive(store, target, before), writeIndex(store, head)]);
  const { version, activation } = head;
  const { labels, endpoint } = record;
  await announce(store, clock, ids(), {
    kind: 'config',
    name: target,
    version,
    labels,
    ...(endpoint !== undefined && { endpoint }),
  });
  if (!(await writeHead(store, head, before))) {
    // Best effort: what stays behind is never referenced, and the index entries are hints.
    await Promise.allSettled([removeIndex(store, head), removeChunks(store, chunks)]);
    throw lostRace(`The config of ${target}`);
  }
  // The revision is active. What is left is repeated by the next activation, so a failure here is none of this one.
  await Promise.allSettled([archive(store, target, head), cleanIndex(store, target, version, activation)]);
  return head;
}

function headFor({ clock, ids }: ConfigDeps, target: string, before: Head | undefined, record: RevisionRecord) {
  const at = new Date(clock.now()).toISOString();
  const activation = ids();
  const first = isActive(before) ? before.firstRevision : record.revision;
  const history = isActive(before) ? before.history : [];
  return {
    target,
    version: nextVersion(before),
    activation,
    updatedAt: at,
    firstRevision: first,
    lastRevision: Math.max(before?.lastRevision ?? 0, record.revision),
    history: [{ revision: record.revision, at, activation }, ...history].slice(0, HISTORY),
    record,
  } satisfies ActiveHead;
}

/** Writes the head if it is still as it was read. False when another writer was first. */
export async function writeHead(store: Store, head: Head, before: HeadBefore | undefined): Promise<boolean> {
  const unchanged: Condition = before === undefined ? ABSENT : { attribute: 'version', equals: before.version };
  try {
    await store.put(headItem(head), before?.damaged ? undefined : unchanged);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // A write whose answer was lost is repeated by the SDK, and the repetition finds the first one's version.
    const now = await loadHead(store, head.target);
    return now !== undefined && hasActivation(now, head.activation);
  }
}

/** Whether the head went through an activation, be it the last one or overtaken by now. */
function hasActivation(head: Head, activation: string): boolean {
  return head.activation === activation || head.history.some((past) => past.activation === activation);
}

/** Copies the active revision to an item of its own. The head has it too, so a crash before this loses nothing. */
async function archive(store: Store, target: string, head: Head | undefined): Promise<void> {
  if (!isActive(head)) return;
  try {
    await store.put(revisionItem(target, head.record), ABSENT);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

async function removeChunks(store: Store, chunks: readonly Write[]): Promise<void> {
  await store.writeMany(chunks.flatMap(({ put }) => (put ? [{ remove: { pk: put.pk, sk: put.sk } }] : [])));
}
