import type { TTL_ATTRIBUTE } from './table.ts';

/** What an attribute can hold; undefined members of a map are left out when it is written. */
export type Attribute =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly Attribute[]
  | { readonly [name: string]: Attribute | undefined };

/** Primary key of the single table; `keys.ts` lists every shape. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export interface Item extends Key {
  /** TTL, in epoch seconds. An item past it is absent for every read, removed or not (R38). */
  readonly [TTL_ATTRIBUTE]?: number | undefined;
  readonly [attribute: string]: Attribute | undefined;
}

/** What must hold for the stored item when a write arrives. Data, so that every store judges it the same way. */
export type Condition =
  /** No such item, or one past its TTL. */
  | { readonly absent: true }
  | { readonly attribute: string; readonly equals: string | number }
  /** No such item, one past its TTL, or one whose number is smaller. */
  | { readonly attribute: string; readonly absentOrBelow: number };

/** Adds to one number of an item that is there. */
export interface Addition {
  readonly attribute: string;
  readonly by: number;
  /** Only if the number lies in this range now, bounds included. */
  readonly from: number;
  readonly to: number;
  /** New TTL, in epoch seconds. */
  readonly expiresAt: number;
}

export interface Query {
  readonly pk: string;
  /** Look in the sparse index: `pk` and `sk` are then its keys, and the answer may lag by milliseconds. */
  readonly index?: 'attention';
  /** Restricts the sort key; bounds are inclusive, `after` is not. */
  readonly sk?:
    | { readonly prefix: string }
    | { readonly from: string; readonly to: string }
    | { readonly after: string };
  /** Stop after so many items. All of them when absent. */
  readonly limit?: number;
  /** Highest sort key first. */
  readonly reverse?: boolean;
}

export interface Write {
  readonly put?: Item;
  readonly remove?: Key;
}

/**
 * The database, as the services see it: one table, strongly consistent reads, writes of single items. There are no
 * transactions on purpose: what spans items is ordered and resumable.
 *
 * Every method rejects with `AppError` `UNAVAILABLE` when the database cannot be reached.
 */
export interface Store {
  get(key: Key): Promise<Item | undefined>;
  /** Those of the items that exist, in no particular order. */
  getMany(keys: readonly Key[]): Promise<Item[]>;
  /** In order of the sort key. */
  query(query: Query): Promise<Item[]>;
  /** Rejects with {@link ConditionFailed}, or with `AppError` `TOO_LARGE` above 350 KB. */
  put(item: Item, condition?: Condition): Promise<void>;
  /** One write without a read before it. Rejects with {@link ConditionFailed} outside the range, or without the item. */
  add(key: Key, addition: Addition): Promise<void>;
  /** Rejects with {@link ConditionFailed}. Removing what is absent is no error. */
  remove(key: Key, condition?: Condition): Promise<void>;
  /** Unconditional writes of different keys, in any order, not atomic. */
  writeMany(writes: readonly Write[]): Promise<void>;
}

/** Another writer was first. A plain outcome of optimistic locking, never shown to callers as it is. */
export class ConditionFailed extends Error {
  constructor(key: Key, options?: ErrorOptions) {
    super(`the condition on ${key.pk} / ${key.sk} does not hold`, options);
    this.name = 'ConditionFailed';
  }
}

export const ABSENT: Condition = Object.freeze({ absent: true });

/** Whether a TTL item is past its time at `now` (milliseconds). */
export function isExpired(item: Item, now: number): boolean {
  return item.expiresAt !== undefined && item.expiresAt * 1000 <= now;
}

/** The TTL stamp for something that ends at `time` (milliseconds): whole seconds, rounded up. */
export function ttlAt(time: number): number {
  return Math.ceil(time / 1000);
}
