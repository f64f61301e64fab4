import { type Path, renderPath } from '../../../engine/path.ts';
import { leavesOf, lookup } from '../../../engine/schema.ts';
import { checkCondition, checkExpression, withCondition } from './conditions.ts';
import { invertRule } from './invert.ts';
import {
  type Composed,
  carries,
  type Group,
  isPart,
  type Lists,
  movedBy,
  placeOf,
  rename,
  showPaths,
  takes,
} from './lists.ts';
import { movePlaces, placesOf, type RuleView } from './rule-view.ts';

/** The other version's rules, with the fields of the old hub where the promoted version has them. */
export function keep({ promoted: moves, other }: Group, lists: Lists): Composed {
  const kept = other.flatMap((rule) => {
    const located = locate(rule, placesOf(rule, 'hub'), moves, 'promoted', lists);
    if (located === 'absent') return leaveOut(rule, lists);
    const moved = located && movePlaces(rule, 'hub', (path) => movedBy(moves, path) ?? path);
    if (located && !moved) refuseMove(rule, moves, lists);
    if (moved) checkExpression(moved, lists);
    return moved ? [withCondition(moved, lists)] : [];
  });
  const rest = moves.flatMap((move) =>
    restOf(move, other, 'other', lists).map((leaf) => rename(move, movedBy([move], leaf) ?? leaf, leaf)),
  );
  return { rules: [...kept, ...rest], same: [] };
}

/** The promoted version's rules turned around, with the fields of the old hub where the other version has them. */
export function bring({ promoted, other: moves }: Group, lists: Lists): Composed {
  const brought = promoted.flatMap((rule) => {
    const located = locate(rule, placesOf(rule, 'hub'), moves, 'other', lists);
    if (located !== 'found') return [];
    if (rule.strategy === 'CEL' || rule.strategy === 'JSONPatch') {
      const message = `${lists.names.other} has ${showPaths(placesOf(rule, 'hub'))} too, and a ${rule.strategy} rule cannot be put together with another`;
      lists.report.refuse(rule, message, `write the rules of ${lists.names.other} for these fields by hand`);
      return [];
    }
    checkCondition(rule, lists);
    const inverse = invertRule(rule, { hub: lists.schemas.hub, report: lists.report });
    const moved = inverse && movePlaces(inverse, 'spoke', (path) => movedBy(moves, path) ?? path);
    if (inverse && !moved) refuseMove(rule, moves, lists);
    return moved ? [moved] : [];
  });
  const rest = moves.flatMap((move) =>
    restOf(move, promoted, 'promoted', lists).map((leaf) => rename(move, leaf, movedBy([move], leaf) ?? leaf)),
  );
  return { rules: [...brought, ...rest], same: [] };
}

/** Whether a version has all fields of a rule of the old hub, or none; undefined after reporting that it has some. */
function locate(
  rule: RuleView,
  places: readonly Path[],
  moves: readonly RuleView[],
  version: 'promoted' | 'other',
  lists: Lists,
): 'found' | 'absent' | undefined {
  const name = lists.names[version];
  const split = places.filter((path) => moves.some((move) => isPart(placeOf(move, 'hub'), path)));
  if (split.length > 0) {
    const message = `${name} has parts of ${showPaths(split)} elsewhere, and ${rule.strategy} converts it whole`;
    lists.report.refuse(rule, message, 'write rules for the parts by hand');
    return undefined;
  }
  const absent = places.filter((path) => movedBy(moves, path) === undefined && !carries(lists, version, path));
  if (absent.length === 0) return 'found';
  if (absent.length === places.length) return 'absent';
  lists.report.refuse(rule, `${name} has no ${showPaths(absent)}`, `write the rule without it by hand`);
  return undefined;
}

/** What a version has in the same place as the old hub of a field that the other one renames, unless a rule takes it. */
function restOf(
  move: RuleView,
  rules: readonly RuleView[],
  version: 'promoted' | 'other',
  lists: Lists,
): readonly Path[] {
  const path = placeOf(move, 'hub');
  const found = lookup(lists.schemas.hub, path);
  const leaves = 'node' in found ? leavesOf(found.node).map((leaf) => [...path, ...leaf.path]) : [];
  const same = leaves.filter((leaf) => carries(lists, version, leaf));
  for (const rule of rules) {
    const inside = same.filter((leaf) => placesOf(rule, 'hub').some((place) => isPart(place, leaf)));
    if (inside.length === 0) continue;
    const message = `the rest of ${showPaths(inside)} cannot be renamed beside a rule for a part of it`;
    lists.report.refuse(rule, message, 'declare the parts of the field, or write its rules by hand');
  }
  return same.filter((leaf) => !rules.some((rule) => takes(rule, leaf)));
}

/** Nothing of the promoted version reaches such a rule; only a patch writes something all the same. */
function leaveOut(rule: RuleView, { names, report }: Lists): RuleView[] {
  const fields = showPaths(placesOf(rule, 'hub'));
  if (rule.strategy === 'JSONPatch') return [{ ...rule, params: { ...rule.params, spokeToHub: [] } }];
  report.remark(
    rule,
    `left out, since ${names.promoted} has no ${fields}`,
    'nothing to do: it was dropped before, too',
  );
  return [];
}

function refuseMove(rule: RuleView, moves: readonly RuleView[], { names, report }: Lists): void {
  const from = moves.map((move) => `${renderPath(placeOf(move, 'hub'))} = ${renderPath(placeOf(move, 'spoke'))}`);
  const message = `${rule.strategy} cannot have its field at two paths (${from.join(', ')})`;
  report.refuse(rule, message, `write the rule between ${names.promoted} and ${names.other} by hand`);
}
