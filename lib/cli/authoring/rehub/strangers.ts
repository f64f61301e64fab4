import { isWellKnown } from '../../../engine/coverage.ts';
import type { Path } from '../../../engine/path.ts';
import { identical, leavesOf, lookup } from '../../../engine/schema.ts';
import { carries, type Lists, startsWith } from './lists.ts';
import { placesOf, type RuleView } from './rule-view.ts';

/**
 * Fields of one name that had nothing to do with each other, since one of them was renamed or dropped at the old hub,
 * would now be copied as if they were the same: they are dropped both ways, as before.
 */
export function separate(lists: Lists, rules: readonly RuleView[], same: readonly Path[]): RuleView[] {
  const { schemas, depth, names, promoted, other } = lists;
  const twins = new Map(leavesOf(schemas.other).map((leaf) => [leaf.text, leaf]));
  const claimed = (list: readonly RuleView[], path: Path) =>
    list.some((rule) =>
      (['hub', 'spoke'] as const).some((side) => placesOf(rule, side).some((own) => startsWith(path, own))),
    );
  const strangers = leavesOf(schemas.promoted).filter((leaf) => {
    const twin = twins.get(leaf.text);
    if (twin === undefined || !identical(leaf, twin) || (depth === 0 && isWellKnown(leaf.path))) return false;
    if (claimed(rules, leaf.path) || same.some((path) => startsWith(leaf.path, path))) return false;
    const known = 'node' in lookup(schemas.hub, leaf.path) && carries(lists, 'promoted', leaf.path);
    return !(known && carries(lists, 'other', leaf.path) && !claimed([...promoted, ...other], leaf.path));
  });
  return strangers.flatMap(({ text: path }) =>
    ['Hub', 'Spoke'].map((existsOn): RuleView => {
      const reason = `${path} of ${names.promoted} and ${path} of ${names.other} are two fields: neither became the other before`;
      return {
        spoke: names.other,
        index: 0,
        strategy: 'Delete',
        params: { path, existsOn },
        acknowledgeLossy: true,
        reason,
      };
    }),
  );
}
