import { parsePath, renderPath } from '../../../engine/path.ts';
import { lookup } from '../../../engine/schema.ts';
import { isMove, type Lists, movedBy, samePath, showPaths, takes } from './lists.ts';
import { placesOf, type RuleView } from './rule-view.ts';

/**
 * A condition names one path for both sides. Where the promoted version has that field elsewhere, only a rule that
 * acts on the way from the hub alone can follow it.
 */
export function withCondition(rule: RuleView, lists: Lists): RuleView {
  if (rule.when === undefined) return rule;
  const path = parsePath(rule.when.path);
  const touching = lists.promoted.filter((mine) => takes(mine, path));
  const moved = touching.every(isMove) ? movedBy(touching, path) : undefined;
  if (touching.length === 0 || (moved !== undefined && samePath(moved, path))) return rule;
  const target = moved ?? path;
  const oneWay = rule.params['existsOn'] === 'Spoke' && 'node' in lookup(lists.schemas.other, target);
  if (moved === undefined || !oneWay) {
    const where = moved ? `as ${renderPath(moved)}` : `converted by ${touching.map(({ strategy }) => strategy)}`;
    const message = `when.path ${rule.when.path} cannot be kept: ${lists.names.promoted} has it ${where}`;
    lists.report.refuse(rule, message, 'a condition is read at one path on both sides: write the rule by hand');
  }
  return { ...rule, when: { ...rule.when, path: renderPath(target) } };
}

/** The same for a rule of the promoted version that comes to another one, whose field must be where the condition reads. */
export function checkCondition({ when, ...rule }: RuleView, { other, names, report }: Lists): void {
  if (when === undefined || !other.some((theirs) => takes(theirs, parsePath(when.path)))) return;
  const message = `when.path ${when.path} cannot be kept: ${names.other} has that field in another place or form`;
  report.refuse(rule, message, 'a condition is read at one path on both sides: write the rule by hand');
}

/** An expression can read any field, so one that may mean a field that the promoted version changed is not kept. */
export function checkExpression({ strategy, params, ...at }: RuleView, { promoted, names, report }: Lists): void {
  if (strategy !== 'CEL') return;
  const words = new Set(String(params['hubToSpoke']).match(/[\p{L}\p{N}_]+/gu));
  const meant = promoted.flatMap((rule) => placesOf(rule, 'hub')).filter((path) => words.has(path.at(-1) ?? ''));
  if (meant.length === 0) return;
  const message = `the expression may read ${showPaths(meant)}, which ${names.promoted} has in another place or form`;
  report.refuse(at, message, 'write it for the new hub by hand');
}
