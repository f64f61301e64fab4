import type { RateLimiter, Tier } from '../access/rate-limit.ts';
import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import type { ApiTelemetry } from '../telemetry/app-metrics.ts';
import { describeError, type Log } from '../telemetry/log.ts';
import type { Route } from './route.ts';

interface LimitOptions {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every request that is refused. */
  readonly telemetry: ApiTelemetry;
}

/** Rejects with `RATE_LIMITED` when there is no room for a request of this tier and key. */
type Limit = (tier: Tier, key: string) => Promise<void>;

const QUIET_MS = 60_000;

/** A limiter that cannot be asked must not be an outage: the request goes on, and one line a minute tells of it. */
export function createLimit({ limiter, clock, log, telemetry }: LimitOptions): Limit {
  let toldAt = Number.NEGATIVE_INFINITY;

  const ask = async (tier: Tier, key: string): Promise<number | undefined> => {
    try {
      return await limiter.take(tier, key);
    } catch (error) {
      if (clock.now() - toldAt >= QUIET_MS) {
        toldAt = clock.now();
        log.warn('rate limit not checked', { tier, ...describeError(error) });
      }
      return undefined;
    }
  };

  return async (tier, key) => {
    const seconds = await ask(tier, key);
    if (seconds === undefined) return;
    telemetry.rateLimited(tier);
    const text = `There were too many ${tier} requests by this caller. Try again in ${seconds} s.`;
    throw new AppError('RATE_LIMITED', text, { headers: { 'retry-after': String(seconds) } });
  };
}

/** Which bucket a route is charged to; a path or method that there is not costs what a read does. */
export function tierOf(route: Pick<Route<never>, 'ability'> | undefined): Tier {
  return route === undefined || route.ability === 'read' ? 'read' : 'write';
}
