import type { Clock } from '../clock.ts';
import { limitKey } from '../store/keys.ts';
import { ConditionFailed, type Key, type Store, ttlAt } from '../store/ports.ts';

export type Tier = 'read' | 'write';

export interface RateLimiter {
  /**
   * Charges one request. Undefined when there was room; else whole seconds, at least 1, after which there is some.
   * Rejects when the store does.
   */
  take(tier: Tier, key: string): Promise<number | undefined>;
}

interface LimiterOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Requests a minute and burst of each tier; zero and less: it has no limit. */
  readonly rpm: Readonly<Record<Tier, number>>;
}

/** Times are kept in whole microseconds: sums of them are exact, where a rate like 7 a minute has no exact step in ms. */
const MICROS = 1_000;
const MINUTE = 60_000_000;
const SECOND = 1_000_000;
/** Longer than a full bucket needs to fill again, so an item that is gone had nothing left to say. */
const KEPT_MS = 2 * 60_000;
/** Refusals that are remembered; each is one caller over its limit. */
const MAX_REMEMBERED = 1_000;
/** A first round is lost to another request that came in between; then `tat` is in the range, or beyond it. */
const ROUNDS = 2;

/**
 * A token bucket that starts full and refills continuously, for the whole fleet, as GCRA: one number a key, `tat`, the
 * time at which the bucket would be full again. One conditional write decides, without a read before it.
 *
 * `tat` in [now, now + slack]: room, add a step. `tat` earlier, or none: the bucket is full, begin at now + step. Later:
 * no room until `tat` - slack; that is remembered, for `tat` only grows, so further requests are refused without a call.
 */
export function createRateLimiter({ store, clock, rpm }: LimiterOptions): RateLimiter {
  const refused = new Map<string, number>();

  return {
    async take(tier, key) {
      const burst = rpm[tier];
      if (!(burst > 0)) return undefined;
      const step = Math.max(1, Math.round(MINUTE / burst));
      const slack = (burst - 1) * step;
      const now = clock.now() * MICROS;
      const item = limitKey(tier, key);
      const roomAt = refused.get(item.pk) ?? 0;
      if (roomAt > now) return secondsUntil(roomAt, now);
      refused.delete(item.pk);
      const freeAt = await charge(item, { now, step, slack, expiresAt: ttlAt(clock.now() + KEPT_MS) });
      if (freeAt === undefined) return undefined;
      remember(item.pk, freeAt);
      return secondsUntil(freeAt, now);
    },
  };

  /** When there is room, for a request that is refused. */
  async function charge(item: Key, { now, step, slack, expiresAt }: Charge): Promise<number | undefined> {
    const range = { from: now, to: now + slack };
    for (let round = 0; round < ROUNDS; round += 1) {
      if (await succeeds(store.add(item, { attribute: 'tat', by: step, ...range, expiresAt }))) return undefined;
      const full = { attribute: 'tat', absentOrBelow: now };
      if (await succeeds(store.put({ ...item, tat: now + step, expiresAt }, full))) return undefined;
      const tat = Number((await store.get(item))?.['tat'] ?? 0);
      if (tat > range.to) return tat - slack;
    }
    return undefined;
  }

  function remember(key: string, roomAt: number): void {
    const [oldest] = refused.keys();
    if (refused.size >= MAX_REMEMBERED && oldest !== undefined) refused.delete(oldest);
    refused.set(key, roomAt);
  }
}

interface Charge {
  readonly now: number;
  readonly step: number;
  readonly slack: number;
  readonly expiresAt: number;
}

async function succeeds(write: Promise<void>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
}

function secondsUntil(time: number, now: number): number {
  return Math.max(1, Math.ceil((time - now) / SECOND));
}
