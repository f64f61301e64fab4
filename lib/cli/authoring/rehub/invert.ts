import { getOwn, isArray, type Json, type JsonObject } from '../../../engine/json.ts';
import { parsePath } from '../../../engine/path.ts';
import { lookup, shapeOf } from '../../../engine/schema.ts';
import { divide } from './quotient.ts';
import type { Report } from './report.ts';
import { type RuleView, renderRule, viewsOf } from './rule-view.ts';

const PAIRS: readonly (readonly [string, string])[] = [
  ['ScalarToObject', 'ObjectToScalar'],
  ['SingletonArrayToObject', 'ObjectToSingletonArray'],
  ['FieldsToMap', 'MapToFields'],
  ['ToAnnotation', 'FromAnnotation'],
  ['ToLabel', 'FromLabel'],
  ['ScalarToFields', 'FieldsToScalar'],
  ['ArrayToMapByKey', 'MapToArrayByKey'],
  ['ListJoin', 'ListSplit'],
];
/** Parameters that change places when hub and spoke do. */
const SWAPS: readonly (readonly [string, string])[] = [
  ['hubPath', 'spokePath'],
  ['hubPaths', 'spokePaths'],
  ['hubMapPath', 'spokeMapPath'],
  ['hubFields', 'spokeFields'],
  ['hubItemsPath', 'spokeItemsPath'],
  ['hubToSpoke', 'spokeToHub'],
  ['onUnknownHubKey', 'onUnknownSpokeKey'],
  ['onUnmappedHubValue', 'onUnmappedSpokeValue'],
  ['restoreOnReverse', 'stashOnReverse'],
];
const partners = (pairs: typeof PAIRS) => new Map(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));
const STRATEGY = partners(PAIRS);
const PARAMETER = partners(SWAPS);

/** The hub that the rule was written for, as far as it is needed. */
export interface InvertContext {
  readonly hub: JsonObject;
  readonly report: Report;
}

/** The same conversion with hub and spoke exchanged; undefined, and reported, where no rule does it. */
export function invertRule(view: RuleView, context: InvertContext): RuleView | undefined {
  const entries = Object.entries(view.params).map(([name, value]): [string, Json] => [
    PARAMETER.get(name) ?? name,
    invertValue(name, value, view, context),
  ]);
  const inverse = {
    ...view,
    strategy: STRATEGY.get(view.strategy) ?? view.strategy,
    params: Object.fromEntries(entries),
  };
  return /^(To|From)(Annotation|Label)$/.test(view.strategy) ? invertStash(view, inverse, context) : inverse;
}

function invertValue(name: string, value: Json, view: RuleView, context: InvertContext): Json {
  if (name === 'existsOn') return value === 'Hub' ? 'Spoke' : 'Hub';
  if (name === 'mapping') return (value as JsonObject[]).map(({ hub, spoke }) => ({ hub: spoke, spoke: hub }) as Json);
  if (name === 'renames') return Object.fromEntries(Object.entries(value as JsonObject).map(([a, b]) => [b, a]));
  if (name === 'factor') return invertFactor(value as number | bigint, view, context);
  return name === 'rules' && isArray(value) ? invertNested(value, view, context) : value;
}

function invertNested(rules: readonly Json[], view: RuleView, { hub, report }: InvertContext): Json {
  const list = lookup(hub, parsePath(String(view.params['hubItemsPath'])));
  const items = ('node' in list ? getOwn(list.node, 'items') : undefined) ?? {};
  return viewsOf(rules, view).flatMap((nested) => {
    const inverse = invertRule(nested, { hub: items as JsonObject, report });
    return inverse === undefined ? [] : [renderRule(inverse)];
  });
}

/** hub = spoke × factor, so spoke = hub × 1/factor (D15; the peer keeps the factor). */
function invertFactor(factor: number | bigint, view: RuleView, { report }: InvertContext): Json {
  const { value, exact } = divide(1, factor);
  if (!exact) {
    const hint = 'compare results on samples, or write CEL that divides';
    report.remark(view, `1/${factor} is no decimal: the draft has ${value}, and the last digits may differ`, hint);
  }
  return value;
}

/**
 * A stash that is also taken back is its partner's mirror. One that is not has none: what it dropped on one way, its
 * partner keeps.
 */
function invertStash(view: RuleView, inverse: RuleView, { hub, report }: InvertContext): RuleView | undefined {
  const { strategy, params } = view;
  const wasTo = strategy.startsWith('To');
  const [flag, inverted] = wasTo ? ['restoreOnReverse', 'stashOnReverse'] : ['stashOnReverse', 'restoreOnReverse'];
  if (getOwn(params, flag) !== true) {
    const message = `${strategy} without ${flag} drops the value on one way; the draft keeps it`;
    report.remark(view, message, 'replace it by an acknowledged Delete if the value has to be dropped');
  }
  const flipped = { ...inverse.params, [inverted]: true };
  if (strategy === 'FromLabel') return { ...inverse, params: { ...flipped, serialization: 'String' } };
  if (strategy !== 'ToLabel') return { ...inverse, params: flipped };
  if (getOwn(params, 'serialization') !== 'String' && !isText(hub, String(params['hubPath']))) {
    const message = `ToLabel keeps ${params['hubPath']} as JSON, and FromLabel reads only strings`;
    report.refuse(view, message, 'keep it in an annotation (ToAnnotation) before turning the config around');
    return undefined;
  }
  return { ...inverse, params: { ...flipped, serialization: 'String' } };
}

/** In JSON a string has quotes, which no label takes: such a rule never worked, so `String` is what was meant. */
function isText(hub: JsonObject, text: string): boolean {
  const found = lookup(hub, parsePath(text));
  return 'node' in found && shapeOf(found.node).kind === 'string';
}
