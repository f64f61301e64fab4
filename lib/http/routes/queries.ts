import * as z from 'zod/mini';
import { parseDurationSeconds } from '../../engine/values/duration.ts';
import { ValueError } from '../../engine/values/value-error.ts';
import { AppError } from '../../errors.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** A time of RFC 3339, as milliseconds since the epoch. */
export const time = reading({ format: 'date-time' }, (text) => {
  const milliseconds = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw new ValueError('expected a time like 2026-01-31T12:00:00Z');
  return milliseconds;
});

/** A duration as Go writes it (`24h`, `1h30m`), in milliseconds. */
export const duration = reading({ examples: ['24h'] }, (text) => parseDurationSeconds(text) * 1_000);

/**
 * A count as clients of the peer give it: more than `most` counts as `most`, and what is no whole number of at least
 * `least` as if it were not there.
 */
export function lenientCount(least: number, most = Number.MAX_SAFE_INTEGER) {
  return z.exactOptional(
    reading({ type: 'integer', minimum: least }, (text): number | undefined => {
      const count = /^\d{1,15}$/.test(text) ? Number(text) : -1;
      return count < least ? undefined : Math.min(count, most);
    }),
  );
}

/** Text of a query as what it means; `meta` says in OpenAPI what it looks like. A ValueError is the caller's fault. */
function reading<T>(meta: Readonly<Record<string, unknown>>, read: (text: string) => T): z.ZodMiniType<T, string> {
  const meaning = z.transform((text: string, context) => {
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      context.issues.push({ code: 'custom', message: error.message, input: text });
      return z.NEVER;
    }
  });
  return z.pipe(z.string(), meaning).check(z.meta({ type: 'string', ...meta }));
}

export function refuseQuery(name: string, detail: string): AppError {
  const pointer = `/${name}`;
  return new AppError('BAD_REQUEST', `the query is not valid: ${pointer}: ${detail}`, {
    errors: [{ pointer, detail }],
  });
}

const HOUR_MS = 3_600_000;

/** From when to when, in milliseconds; the last hour unless given. @throws AppError BAD_REQUEST for one that ends first */
export function readPeriod(query: { readonly from?: number; readonly to?: number }, now: number) {
  const to = query.to ?? now;
  const from = query.from ?? to - HOUR_MS;
  if (from <= to) return { from, to };
  throw refuseQuery('from', 'it is after to, so no time is between them');
}
