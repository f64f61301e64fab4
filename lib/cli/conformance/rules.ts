import type { RuleReport, SpokeAnalysis } from '../../engine/analyse.ts';
import { getOwn, isObject, type Json, type JsonObject } from '../../engine/json.ts';
import { parsePath, renderPath } from '../../engine/path.ts';
import type { TraceStep } from '../../engine/route.ts';
import { createRun, type Run } from '../../engine/run.ts';
import type { DocumentPath } from '../../engine/values/path-text.ts';
import type { Conversion, VersionPair } from './conversion.ts';
import { type Difference, leafDiff } from './leaf-diff.ts';

/** How reports call a rule of a spoke. */
export function ruleId(spoke: string, { index, strategy }: Pick<RuleReport, 'index' | 'strategy'>): string {
  return `${spoke}:rule[${index}]:${strategy}`;
}

/** The spokes whose rules convert between two versions. */
export function touchedSpokes({ analysis }: Conversion, { from, to }: VersionPair): SpokeAnalysis[] {
  return analysis.spokes.filter(({ version }) => version === from || version === to);
}

/**
 * The paths, without indices, at or below which a loss is acknowledged: those of the rules of the touched spokes whose
 * verdict is lossy. With `declared` also those of rules that say `acknowledgeLossy` whatever their verdict.
 */
export function acknowledgedPaths(conversion: Conversion, pair: VersionPair, declared = false): ReadonlySet<string> {
  const paths = touchedSpokes(conversion, pair).flatMap(({ rules, list }) => {
    const said = new Set(list?.rules.filter(({ rule }) => rule.acknowledgeLossy).map(({ rule }) => rule.index));
    return rules
      .filter(({ index, lossless }) => !(lossless.hubToSpoke && lossless.spokeToHub) || (declared && said.has(index)))
      .flatMap(({ hubPaths, spokePaths }) => [...hubPaths, ...spokePaths]);
  });
  return new Set(paths);
}

export function isAcknowledged(path: DocumentPath, acknowledged: ReadonlySet<string>): boolean {
  const keys = path.filter((segment): segment is string => typeof segment === 'string');
  return keys.some((_, index) => acknowledged.has(renderPath(keys.slice(0, index + 1))));
}

/**
 * Whether a difference is acknowledged: its place, one above it, or, for an object that is on one side alone, every
 * scalar in it: an object goes with its last field.
 */
export function isAcknowledgedDifference(
  { path, before, after }: Difference,
  acknowledged: ReadonlySet<string>,
): boolean {
  if (isAcknowledged(path, acknowledged)) return true;
  const whole = after ?? before;
  if ((before ?? null) !== null && (after ?? null) !== null) return false;
  if (!isObject(whole)) return false;
  const inside = leafDiff(whole, {}, { emptyIsAbsent: true }).map((found) => [...path, ...found.path]);
  return inside.length > 0 && inside.every((leaf) => isAcknowledged(leaf, acknowledged));
}

/** The rules that did something to an object on its way from one version to another. */
export function activeRules(
  conversion: Conversion,
  object: JsonObject,
  pair: VersionPair,
  mode: Run['mode'],
): string[] {
  const { router } = conversion;
  const { from, to } = pair;
  if (from !== router.hub && to !== router.hub) {
    const atHub = router.convert(object, from, router.hub, createRun(mode));
    const up = activeRules(conversion, object, { from, to: router.hub }, mode);
    return [...up, ...activeRules(conversion, atHub, { from: router.hub, to }, mode)];
  }
  const side = from === router.hub ? 'hubPaths' : 'spokePaths';
  const steps = router.trace(object, from, to, createRun(mode));
  return touchedSpokes(conversion, pair).flatMap(({ version, rules }) =>
    rules.filter((rule) => acted(rule, steps, rule[side], object)).map((rule) => ruleId(version, rule)),
  );
}

/** A Delete has no step to trace: what it claims is left out. It acts on an object that has its field. */
function acted(
  { index, strategy }: RuleReport,
  steps: readonly TraceStep[],
  paths: readonly string[],
  source: JsonObject,
): boolean {
  if (strategy === 'Delete') return paths.some((path) => valueAt(source, path) !== undefined);
  return steps.some(({ rule, wrote, removed }) => rule === index && wrote.length + removed.length > 0);
}

function valueAt(source: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = source;
  for (const key of parsePath(path)) value = isObject(value) ? getOwn(value, key) : undefined;
  return value;
}
