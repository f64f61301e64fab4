import type { JsonObject } from '../../../engine/json.ts';
import { type Path, renderPath } from '../../../engine/path.ts';
import { isStructured, lookup, shapeOf } from '../../../engine/schema.ts';
import type { Report } from './report.ts';
import { placesOf, type RuleView } from './rule-view.ts';

/** Two lists of rules that meet at the old hub: those of the version that becomes the hub, and those of another one. */
export interface Lists {
  readonly schemas: Readonly<Record<'hub' | 'promoted' | 'other', JsonObject>>;
  readonly promoted: readonly RuleView[];
  readonly other: readonly RuleView[];
  /** Names of the two versions. */
  readonly names: { readonly promoted: string; readonly other: string };
  /** 0 for whole objects, more inside ForEach rules. */
  readonly depth: number;
  readonly report: Report;
}

export interface Composed {
  readonly rules: readonly RuleView[];
  /** Fields without a rule that are meant to be copied as they are. */
  readonly same: readonly Path[];
}

/** Rules of both lists that meet in a field of the old hub, directly or by way of others. */
export interface Group {
  readonly promoted: readonly RuleView[];
  readonly other: readonly RuleView[];
}

export function startsWith(path: Path, prefix: Path): boolean {
  return prefix.length <= path.length && prefix.every((segment, index) => path[index] === segment);
}

export function overlaps(a: Path, b: Path): boolean {
  return startsWith(a, b) || startsWith(b, a);
}

export function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && startsWith(a, b);
}

export function showPaths(paths: readonly Path[]): string {
  return [...new Set(paths.map(renderPath))].join(', ');
}

/** A rename without a condition: its value is the same on both sides. */
export function isMove({ strategy, when }: RuleView): boolean {
  return strategy === 'FieldRename' && when === undefined;
}

/** A rule's only field on a side. */
export function placeOf(view: RuleView, side: 'hub' | 'spoke'): Path {
  return placesOf(view, side)[0] ?? [];
}

/** Where a path of the hub is at the other end of such renames; undefined where none of them takes it. */
export function movedBy(moves: readonly RuleView[], path: Path): Path | undefined {
  const move = moves.find((candidate) => startsWith(path, placeOf(candidate, 'hub')));
  return move && [...placeOf(move, 'spoke'), ...path.slice(placeOf(move, 'hub').length)];
}

/** Whether a field that no rule takes is the same at the hub and at a version: metadata always is. */
export function carries({ schemas, depth }: Lists, version: 'promoted' | 'other', path: Path): boolean {
  const found = lookup(schemas.hub, path);
  if ((depth === 0 && path[0] === 'metadata') || !('node' in found)) return true;
  const there = lookup(schemas[version], path);
  if (!('node' in there)) return false;
  if (isStructured(found.node) && isStructured(there.node)) return true;
  const [a, b] = [shapeOf(found.node), shapeOf(there.node)];
  return a.kind === b.kind && a.opaque === b.opaque && a.construct === b.construct;
}

export function takes(rule: RuleView, path: Path): boolean {
  return placesOf(rule, 'hub').some((own) => overlaps(own, path));
}

export function isPart(path: Path, container: Path): boolean {
  return path.length > container.length && startsWith(path, container);
}

/** What two rules that became one say about loss and condition. */
export function joinEnvelopes(a: RuleView, b: RuleView): Pick<RuleView, 'acknowledgeLossy' | 'reason'> {
  const reasons = [...new Set([a.reason, b.reason].filter((reason) => reason !== undefined))];
  return {
    acknowledgeLossy: a.acknowledgeLossy || b.acknowledgeLossy,
    ...(reasons.length > 0 && { reason: reasons.join('; ') }),
  };
}

export function rename(at: RuleView, from: Path, to: Path): RuleView {
  const params = { hubPath: renderPath(from), spokePath: renderPath(to) };
  return { spoke: at.spoke, index: at.index ?? 0, strategy: 'FieldRename', params, acknowledgeLossy: false };
}
