import { AppError } from '../errors.ts';

/** One page of a list. `next` is opaque: pass it back to get the following page; absent on the last one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
  /** How many there are over all pages, for `X-Total-Count`. */
  readonly total: number;
}

export interface PageQuery {
  /** 1 to 500; 100 when absent. */
  readonly limit?: number;
  readonly next?: string;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;

/** @throws AppError BAD_REQUEST outside 1 to 500 */
export function limitOf({ limit = DEFAULT_LIMIT }: PageQuery): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new AppError('BAD_REQUEST', `limit must be a whole number from 1 to ${MAX_LIMIT}`);
}

/** An opaque page token: the key of the last entry of the page. Base64url, so that nobody builds one by hand. */
export function tokenAfter(key: string): string {
  return Buffer.from(key).toString('base64url');
}

/** @throws AppError BAD_REQUEST for what `tokenAfter` did not make */
export function keyOf({ next }: PageQuery): string | undefined {
  if (next === undefined) return undefined;
  const key = Buffer.from(next, 'base64url').toString();
  if (key !== '' && tokenAfter(key) === next) return key;
  throw new AppError('BAD_REQUEST', 'next is not a token of an earlier page');
}

/** The page of sorted `keys` after the token's. */
export function pageOf<T>(sorted: readonly T[], keyFor: (item: T) => string, query: PageQuery) {
  const after = keyOf(query);
  const limit = limitOf(query);
  const start = after === undefined ? 0 : sorted.findIndex((item) => keyFor(item) > after);
  const items = start === -1 ? [] : sorted.slice(start, start + limit);
  const last = items.at(-1);
  const more = last !== undefined && start + limit < sorted.length;
  return { items, total: sorted.length, ...(more && { next: tokenAfter(keyFor(last)) }) };
}
