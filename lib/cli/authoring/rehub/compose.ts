import { getOwn, type Json, type JsonObject } from '../../../engine/json.ts';
import { parsePath } from '../../../engine/path.ts';
import { lookup } from '../../../engine/schema.ts';
import { bring, keep } from './carry.ts';
import {
  type Composed,
  type Group,
  isMove,
  isPart,
  joinEnvelopes,
  type Lists,
  overlaps,
  placeOf,
  showPaths,
  takes,
} from './lists.ts';
import { isPair, merge } from './merge.ts';
import { placesOf, type RuleView, renderRule, viewsOf } from './rule-view.ts';
import { separate } from './strangers.ts';

/** The rules between the promoted version and another one, made from those that both had with the old hub. */
export function compose(lists: Lists): RuleView[] {
  const groups = connect(lists).map((group) => composeGroup(group, lists));
  const rules = groups.flatMap((group) => group.rules);
  return [
    ...rules,
    ...separate(
      lists,
      rules,
      groups.flatMap((group) => group.same),
    ),
  ];
}

/** In the order of the other version's rules; what only the promoted one has comes last. */
function connect({ promoted, other }: Lists): Group[] {
  const left = new Set([...other, ...promoted]);
  const mine = new Set(promoted);
  const groups: Group[] = [];
  for (const first of left) {
    const members = [first];
    left.delete(first);
    for (const member of members) {
      for (const candidate of left) {
        if (mine.has(candidate) === mine.has(member) || !meet(member, candidate)) continue;
        members.push(candidate);
        left.delete(candidate);
      }
    }
    groups.push({
      promoted: members.filter((rule) => mine.has(rule)),
      other: members.filter((rule) => !mine.has(rule)),
    });
  }
  return groups;
}

function meet(a: RuleView, b: RuleView): boolean {
  return placesOf(a, 'hub').some((path) => placesOf(b, 'hub').some((other) => overlaps(path, other)));
}

function composeGroup(group: Group, lists: Lists): Composed {
  const { promoted, other } = group;
  if (promoted.every(isMove) && !(other.every(isMove) && isWide(other, promoted))) return keep(group, lists);
  if (other.every(isMove)) return bring(group, lists);
  const [mine, theirs] = [promoted[0] as RuleView, other[0] as RuleView];
  const pair = promoted.length === 1 && other.length === 1 && isPair(mine, theirs);
  const merged = pair ? mergePair(mine, theirs, lists) : undefined;
  if (merged !== undefined) return merged;
  const { names, report } = lists;
  for (const rule of other) {
    const partners = promoted.filter((candidate) => meet(candidate, rule));
    const fields = placesOf(rule, 'hub').filter((path) => partners.some((mine) => takes(mine, path)));
    const how = [...new Set(partners.map(({ strategy }) => strategy))].join(', ');
    const message = `no rule does both: ${names.promoted} converts ${showPaths(fields)} by ${how}, ${names.other} by ${rule.strategy}`;
    report.refuse(
      rule,
      message,
      `write the rule between ${names.promoted} and ${names.other} by hand, such as with CEL`,
    );
  }
  return { rules: [], same: [] };
}

/** Whether a rename of the first takes a container of which the second takes a part. */
function isWide(outer: readonly RuleView[], inner: readonly RuleView[]): boolean {
  return outer.some((wide) => inner.some((narrow) => isPart(placeOf(narrow, 'hub'), placeOf(wide, 'hub'))));
}

function mergePair(promoted: RuleView, other: RuleView, lists: Lists): Composed | undefined {
  const nested = promoted.strategy === 'ForEach' && other.strategy === 'ForEach';
  return nested ? mergeEach(promoted, other, lists) : merge(promoted, other, lists);
}

/** Two lists of rules for the elements of one list meet at its element. */
function mergeEach(promoted: RuleView, other: RuleView, lists: Lists): Composed {
  const itemsOf = (schema: JsonObject, path: Json | undefined): JsonObject => {
    const found = lookup(schema, parsePath(String(path)));
    return (('node' in found ? getOwn(found.node, 'items') : undefined) ?? {}) as JsonObject;
  };
  const { hub, promoted: mine, other: theirs } = lists.schemas;
  const nested = compose({
    ...lists,
    schemas: {
      hub: itemsOf(hub, promoted.params['hubItemsPath']),
      promoted: itemsOf(mine, promoted.params['spokeItemsPath']),
      other: itemsOf(theirs, other.params['spokeItemsPath']),
    },
    promoted: viewsOf(promoted.params['rules'] as readonly Json[], promoted),
    other: viewsOf(other.params['rules'] as readonly Json[], other),
    depth: lists.depth + 1,
  });
  const params = {
    hubItemsPath: promoted.params['spokeItemsPath'] as Json,
    spokeItemsPath: other.params['spokeItemsPath'] as Json,
    rules: nested.map(renderRule),
  };
  return { rules: [{ ...other, ...joinEnvelopes(promoted, other), params }], same: [] };
}
