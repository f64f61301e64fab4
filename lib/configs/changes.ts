import type { Clock } from '../clock.ts';
import { CHANGES, changeKey, changesFrom } from '../store/keys.ts';
import { type Item, type Store, ttlAt } from '../store/ports.ts';
import type { Labels } from './selector.ts';

/** How long a change can be read. An instance that slept for longer reads its index again instead. */
export const CHANGE_RETENTION_MS = 24 * 60 * 60 * 1000;

/**
 * Says that an item is about to change: a hint to read it again. It is written before the item, with the version that
 * the item will have, so that a crash in between can hide no change; until the item has that version, every look within
 * the overlap reads it again.
 */
export interface Change {
  readonly kind: 'config' | 'endpoint';
  /** Target of the config, or name of the endpoint. */
  readonly name: string;
  readonly version: number;
  /** Of a config: lets an instance with a selector skip what it neither holds nor matches. Absent for a removal. */
  readonly labels?: Labels;
  readonly endpoint?: string;
}

export async function announce(store: Store, clock: Clock, id: string, change: Change): Promise<void> {
  const now = clock.now();
  await store.put({ ...changeKey(now, id), ...change, expiresAt: ttlAt(now + CHANGE_RETENTION_MS) });
}

/** The changes stamped `since` (milliseconds) or later: one Query. */
export async function readChanges(store: Store, since: number): Promise<Change[]> {
  const items = await store.query({ pk: CHANGES, sk: { after: changesFrom(since) } });
  return items.filter(isChange);
}

function isChange(item: Item): item is Item & Change {
  const { kind, name, version } = item;
  return typeof kind === 'string' && typeof name === 'string' && typeof version === 'number';
}
