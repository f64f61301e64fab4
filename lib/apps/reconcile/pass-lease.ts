import { passKey } from '../../store/keys.ts';
import { ConditionFailed } from '../../store/ports.ts';
import type { ReconcileDeps } from './types.ts';

/**
 * Takes the lease of a pass by one conditional write. It is never given back: it ends before the next pass is due, and
 * the scheduler may call twice for one minute.
 *
 * @returns false when a pass of that name began less than `ms` ago
 */
export async function takePass({ store, clock, ids }: ReconcileDeps, name: string, ms: number): Promise<boolean> {
  const now = clock.now();
  try {
    const item = { ...passKey(name), until: now + ms, startedAt: now, owner: ids() };
    await store.put(item, { attribute: 'until', absentOrBelow: now });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
