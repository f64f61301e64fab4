import { getOwn, type Json, type JsonObject, jsonEqual, setOwn } from '../../../engine/json.ts';
import { type Path, renderPath } from '../../../engine/path.ts';
import { lookup, shapeOf } from '../../../engine/schema.ts';
import { type Composed, joinEnvelopes, type Lists, placeOf, rename, samePath, showPaths } from './lists.ts';
import { divide } from './quotient.ts';
import { placesOf, type RuleView } from './rule-view.ts';

type Merge = (promoted: RuleView, other: RuleView, lists: Lists) => Composed | undefined;

const SAME_STRATEGY: Readonly<Record<string, Merge>> = {
  EnumRemap: mergeEnums,
  NumericScale: mergeFactors,
  MapKeyRename: mergeKeys,
  TypeCoerce: mergeKinds,
};

/** Whether two rules convert exactly the same fields of the old hub, always. */
export function isPair(promoted: RuleView, other: RuleView): boolean {
  if (promoted.when !== undefined || other.when !== undefined) return false;
  const [here, there] = [placesOf(promoted, 'hub'), placesOf(other, 'hub')];
  return here.length === there.length && here.every((path) => there.some((twin) => samePath(path, twin)));
}

/**
 * One rule, or none, for such a pair: from the promoted version's value straight to
 * the other's. Undefined where no rule does what the two did one after the other.
 */
export function merge(promoted: RuleView, other: RuleView, lists: Lists): Composed | undefined {
  if (isHubOnly(promoted) && isHubOnly(other)) return { rules: [], same: [] };
  if (promoted.strategy === 'Delete') return dropAll(promoted, other, 'Spoke');
  if (other.strategy === 'Delete') return dropAll(other, promoted, 'Hub');
  const own = promoted.strategy === other.strategy ? SAME_STRATEGY[promoted.strategy] : undefined;
  return own ? own(promoted, other, lists) : mergeAlike(promoted, other, lists);
}

function isHubOnly({ params }: RuleView): boolean {
  return getOwn(params, 'existsOn') === 'Hub';
}

/** What the old hub had, and the other of the two has no field for, was dropped on the way through it. */
function dropAll(drop: RuleView, kept: RuleView, existsOn: 'Hub' | 'Spoke'): Composed {
  const fields = placesOf(kept, 'spoke').filter(([first]) => first !== 'metadata');
  const rules = fields.map((path): RuleView => {
    const { reason = kept.reason } = drop;
    const params = { path: renderPath(path), existsOn };
    return {
      spoke: kept.spoke,
      index: kept.index ?? 0,
      strategy: 'Delete',
      params,
      acknowledgeLossy: true,
      ...(reason && { reason }),
    };
  });
  return { rules, same: [] };
}

/** Both ends have the value in the same form: it is copied. */
function mergeAlike(promoted: RuleView, other: RuleView, { report, names }: Lists): Composed | undefined {
  if (promoted.strategy !== other.strategy || ['CEL', 'JSONPatch'].includes(promoted.strategy)) return undefined;
  const single = ['spokePath', 'spokeMapPath'];
  const form = ({ params }: RuleView): JsonObject =>
    Object.fromEntries(Object.entries(params).filter(([name]) => !single.includes(name)));
  if (!jsonEqual(form(promoted), form(other))) return undefined;
  const [from, to] = [placesOf(promoted, 'spoke'), placesOf(other, 'spoke')];
  const message = `${names.promoted} and ${names.other} have ${showPaths(from)} in the same form: the draft copies it as it is`;
  report.remark(other, message, `it no longer passes the form of the old hub (${promoted.strategy})`);
  return copy(promoted, from, to);
}

function copy(at: RuleView, from: readonly Path[], to: readonly Path[]): Composed {
  const pairs = from.map((path, index) => [path, to[index] ?? path] as const);
  return {
    rules: pairs.filter(([a, b]) => !samePath(a, b)).map(([a, b]) => rename(at, a, b)),
    same: pairs.filter(([a, b]) => samePath(a, b)).map(([a]) => a),
  };
}

type Pair = { readonly hub: Json; readonly spoke: Json };

/** Values that only one of the two mappings has did not pass: with one policy for both, they still do not. */
function mergeEnums(promoted: RuleView, other: RuleView): Composed | undefined {
  const pairsOf = ({ params }: RuleView) => params['mapping'] as unknown as readonly Pair[];
  const policy = ({ params }: RuleView, name: string): Json => getOwn(params, name) ?? 'Error';
  const [mine, theirs] = [pairsOf(promoted), pairsOf(other)];
  const mapping = theirs.flatMap(({ hub, spoke }) =>
    mine.filter((pair) => jsonEqual(pair.hub, hub)).map((pair): Pair => ({ hub: pair.spoke, spoke })),
  );
  const toOther = [policy(promoted, 'onUnmappedSpokeValue'), policy(other, 'onUnmappedHubValue')];
  const toPromoted = [policy(other, 'onUnmappedSpokeValue'), policy(promoted, 'onUnmappedHubValue')];
  const clear = ([first, second]: Json[], pairs: readonly Pair[]) =>
    first === second || pairs.length === mapping.length;
  if (!clear(toOther, mine) || !clear(toPromoted, theirs)) return undefined;
  const params = {
    path: promoted.params['path'] as Json,
    mapping: mapping as unknown as Json,
    ...(toOther[0] !== 'Error' && { onUnmappedHubValue: toOther[0] as Json }),
    ...(toPromoted[0] !== 'Error' && { onUnmappedSpokeValue: toPromoted[0] as Json }),
  };
  return { rules: [{ ...other, ...joinEnvelopes(promoted, other), params }], same: [] };
}

/** promoted × a = hub = other × b, so promoted = other × b/a. */
function mergeFactors(promoted: RuleView, other: RuleView, lists: Lists): Composed | undefined {
  const factorOf = ({ params }: RuleView) => params['factor'] as number | bigint;
  const { value, exact } = divide(factorOf(other), factorOf(promoted));
  if (!exact) return undefined;
  if (value === 1 && kindAt(lists, 'promoted', promoted) === kindAt(lists, 'other', other)) {
    return mergeAlike(promoted, other, lists);
  }
  const params = {
    hubPath: renderPath(placeOf(promoted, 'spoke')),
    spokePath: renderPath(placeOf(other, 'spoke')),
    factor: value,
  };
  lists.report.remark(
    other,
    `${params.hubPath} and ${params.spokePath} are scaled by ${value}: they are no longer rounded at the old hub`,
    'compare results on samples',
  );
  return { rules: [{ ...other, ...joinEnvelopes(promoted, other), params }], same: [] };
}

function mergeKeys(promoted: RuleView, other: RuleView): Composed | undefined {
  const [mine, theirs] = [promoted, other].map(({ params }) => params['renames'] as JsonObject) as [
    JsonObject,
    JsonObject,
  ];
  const renames: Record<string, Json> = {};
  for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const [from, to] = [getOwn(mine, key) ?? key, getOwn(theirs, key) ?? key];
    if (from !== to) setOwn(renames, String(from), to);
  }
  if (Object.keys(renames).length === 0) return copy(other, placesOf(promoted, 'spoke'), placesOf(other, 'spoke'));
  const params = {
    hubPath: promoted.params['spokePath'] as Json,
    spokePath: other.params['spokePath'] as Json,
    renames,
  };
  return { rules: [{ ...other, ...joinEnvelopes(promoted, other), params }], same: [] };
}

function mergeKinds(promoted: RuleView, other: RuleView, lists: Lists): Composed | undefined {
  if (kindAt(lists, 'promoted', promoted) === kindAt(lists, 'other', other)) return mergeAlike(promoted, other, lists);
  return jsonEqual(promoted.params, other.params) ? { rules: [other], same: [] } : undefined;
}

function kindAt({ schemas }: Lists, version: 'promoted' | 'other', view: RuleView): string {
  const found = lookup(schemas[version], placeOf(view, 'spoke'));
  return 'node' in found ? shapeOf(found.node).kind : 'unknown';
}
