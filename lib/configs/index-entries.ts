import { CONFIGS, indexPrefix, indexSort, labelPartition } from '../store/keys.ts';
import type { Item, Key, Store } from '../store/ports.ts';
import type { ActiveHead } from './records.ts';
import type { IndexPlan, Labels } from './selector.ts';

/**
 * What the index says about a config: a hint. Entries are written before the head they announce, never changed, and
 * removed after a later activation; a crash can leave one that announces nothing. So whoever finds one reads the head.
 */
export interface IndexEntry {
  readonly target: string;
  readonly activation: string;
  /** The head version that the activation would make. */
  readonly version: number;
  readonly revision: number;
  readonly labels: Labels;
  readonly endpoint?: string;
}

/**
 * One entry in the index of all configs and one for each label; each has all labels, so that the rest of a selector can
 * be judged without reading the head. The entry in the index of all configs is written first and removed last: by it,
 * `cleanIndex` finds the others.
 */
export async function writeIndex(store: Store, head: ActiveHead): Promise<void> {
  const { target, activation, version, record } = head;
  const { revision, labels, endpoint } = record;
  const content = { target, activation, version, revision, labels, endpoint };
  await store.put({ ...configsKey(head), ...content });
  await store.writeMany(labelKeys(content).map((key) => ({ put: { ...key, ...content } })));
}

export async function readIndex(store: Store, plan: IndexPlan): Promise<IndexEntry[]> {
  const partitions = 'everything' in plan ? [CONFIGS] : plan.values.map((value) => labelPartition(plan.key, value));
  const found = await Promise.all(partitions.map((pk) => store.query({ pk })));
  return found.flat().filter(isEntry);
}

/** The highest head version that was announced for a target; 0 when none was. */
export async function announcedVersion(store: Store, target: string): Promise<number> {
  const items = await store.query({ pk: CONFIGS, sk: { prefix: indexPrefix(target) } });
  return Math.max(0, ...items.filter(isEntry).map(({ version }) => version));
}

/**
 * Removes the entries of activations up to `version` but for the one to keep: those of the revision that was replaced,
 * and what crashed or lost writers left. Entries of a later version belong to a writer that is still at work.
 */
export async function cleanIndex(store: Store, target: string, version: number, keep?: string): Promise<void> {
  const items = await store.query({ pk: CONFIGS, sk: { prefix: indexPrefix(target) } });
  const stale = items.filter(isEntry).filter((entry) => entry.version <= version && entry.activation !== keep);
  await removeEntries(store, stale);
}

/** Takes back what `writeIndex` wrote. */
export async function removeIndex(store: Store, { target, activation, record }: ActiveHead): Promise<void> {
  await removeEntries(store, [{ target, activation, labels: record.labels }]);
}

type EntryId = Pick<IndexEntry, 'target' | 'activation' | 'labels'>;

async function removeEntries(store: Store, entries: readonly EntryId[]): Promise<void> {
  await store.writeMany(entries.flatMap(labelKeys).map((key) => ({ remove: key })));
  await store.writeMany(entries.map((entry) => ({ remove: configsKey(entry) })));
}

function configsKey({ target, activation }: Omit<EntryId, 'labels'>): Key {
  return { pk: CONFIGS, sk: indexSort(target, activation) };
}

function labelKeys({ target, activation, labels }: EntryId): Key[] {
  const sk = indexSort(target, activation);
  return Object.entries(labels).map(([key, value]) => ({ pk: labelPartition(key, value), sk }));
}

/** Leaves out what this code did not write: one foreign item must not stop everybody who reads the index. */
function isEntry(item: Item): item is Item & IndexEntry {
  const { target, version, labels } = item;
  return typeof target === 'string' && typeof version === 'number' && typeof labels === 'object' && labels !== null;
}
