import type { JsonObject } from '../../../engine/json.ts';
import { isScalarKind, type Kind, type Leaf } from '../../../engine/schema.ts';
import { similarity } from './similarity.ts';

/** A rule that could cover one field of each side. */
export interface Proposal {
  readonly hub: Leaf;
  readonly spoke: Leaf;
  /** Up to 1; the better of two that want the same field is taken. */
  readonly score: number;
  readonly rule: JsonObject;
}

/** Finds rules for fields that nothing covers; each gets what those before it left over. */
export type Proposer = (hub: readonly Leaf[], spoke: readonly Leaf[]) => Proposal[];

export const PROPOSERS: readonly Proposer[] = [proposeTypes, proposeRenames];

/** What names must have in common to be taken for one. */
const ALIKE = 0.6;

/** A scalar of another type at the same path. */
function proposeTypes(hub: readonly Leaf[], spoke: readonly Leaf[]): Proposal[] {
  return pairs(hub, spoke)
    .filter(([a, b]) => a.text === b.text && canCoerce(a, b))
    .map(([a, b]) => ({
      hub: a,
      spoke: b,
      score: 1,
      rule: { strategy: 'TypeCoerce', typeCoerce: { path: a.text } },
    }));
}

/** Peer: proposes it for numbers and booleans too, though no boolean can be made from a number. */
function canCoerce(a: Leaf, b: Leaf): boolean {
  if (a.opaque || b.opaque || !isScalarKind(a.kind) || !isScalarKind(b.kind) || a.kind === b.kind) return false;
  const kinds: readonly Kind[] = [a.kind, b.kind];
  return !kinds.includes('boolean') || kinds.includes('string');
}

/** A field of the same kind beside it, whose name is like it. */
function proposeRenames(hub: readonly Leaf[], spoke: readonly Leaf[]): Proposal[] {
  return pairs(hub, spoke).flatMap(([a, b]) => {
    if (a.text === b.text || a.kind !== b.kind || a.opaque !== b.opaque || parentOf(a) !== parentOf(b)) return [];
    const score = similarity(a.path.at(-1) ?? '', b.path.at(-1) ?? '');
    const rule = { strategy: 'FieldRename', fieldRename: { hubPath: a.text, spokePath: b.text } };
    return score < ALIKE ? [] : [{ hub: a, spoke: b, score, rule }];
  });
}

function pairs(hub: readonly Leaf[], spoke: readonly Leaf[]): (readonly [Leaf, Leaf])[] {
  return hub.flatMap((a) => spoke.map((b) => [a, b] as const));
}

function parentOf({ path }: Leaf): string {
  return JSON.stringify(path.slice(0, -1));
}
