import type * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../lib/engine/json.ts';
import type { Path } from '../../../lib/engine/path.ts';
import type { Direction, Side } from '../../../lib/engine/strategy.ts';
import { same, valueAt } from './inspect.ts';
import type { Entry } from './json-arbitraries.ts';

/** Where a rule's fields go. */
export interface Spot {
  /** The declared parent of the rule's fields; empty at the root of an object or of a list element. */
  readonly base: Path;
  /** Makes the rule's field names its own. */
  readonly id: string;
}

/**
 * Where the leaves below one path of the output may come from. `suffix` is a leaf's path below `to`, `value` its value;
 * list items are named by their index.
 */
export interface Flow {
  readonly to: Path;
  /** `whole`: the object is no fragment, so rules inside list elements may write values of their own. */
  traced(suffix: Path, value: Json, input: JsonObject, whole: boolean): boolean;
}

export interface PieceSide {
  /** The fields that the rule needs, with their schemas. */
  readonly declares: readonly Declaration[];
  /** Values in the strategy's domain; any of them may be absent. */
  readonly values: fc.Arbitrary<readonly Entry[]>;
}

export type Declaration = readonly [Path, JsonObject];

/** One generated rule: its schema fields, its objects, and what the specification says of its images. */
export interface Piece extends Record<Side, PieceSide> {
  readonly strategy: string;
  readonly rule: JsonObject;
  /** Analysis must call it lossless in both directions. */
  readonly lossless: boolean;
  /** A generated object of this side comes back from the other as it was. */
  readonly returns: Readonly<Record<Side, boolean>>;
  readonly flows: Readonly<Record<Direction, readonly Flow[]>>;
  /** What a whole object may gain there without a source; a fragment never does (D1). */
  readonly injects: Readonly<Record<Direction, readonly Path[]>>;
}

export type Kit = (spot: Spot) => fc.Arbitrary<Piece>;

export const NO_INJECTION: Piece['injects'] = { hubToSpoke: [], spokeToHub: [] };
export const RETURNS = { hub: true, spoke: true };
export const NEVER_RETURNS = { hub: false, spoke: false };

export function field({ base, id }: Spot, name: string): Path {
  return [...base, `${name}${id}`];
}

export function text(path: Path): string {
  return path.join('.');
}

/** The leaf has its value from the same place below `from`. */
export function moved(from: Path, to: Path): Flow {
  return { to, traced: (suffix, value, input) => same(valueAt(input, [...from, ...suffix]), value) };
}

/** The leaf is computed from something at `from`. */
export function derived(from: Path, to: Path): Flow {
  return { to, traced: (_suffix, _value, input) => valueAt(input, from) !== undefined };
}

export function bothWays(make: (from: Path, to: Path) => Flow, hub: Path, spoke: Path): Piece['flows'] {
  return { hubToSpoke: [make(hub, spoke)], spokeToHub: [make(spoke, hub)] };
}

/** The keys every lossy rule needs. */
export const LOSSY_RULE = { acknowledgeLossy: true, reason: 'generated' };
