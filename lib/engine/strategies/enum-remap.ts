import * as z from 'zod/mini';
import { RuleError, show } from '../conversion-error.ts';
import { cloneJson, getOwn, isArray, isObject, isPartOf, type Json } from '../json.ts';
import { defineStrategy, type RuleScope, type Side } from '../strategy.ts';
import { JsonMap } from './shared/json-map.ts';
import { type Convert, mapBoth } from './shared/mapping.ts';
import { json, onUnknown, path } from './shared/params.ts';

const params = z.strictObject({
  path,
  mapping: z.array(z.strictObject({ hub: json, spoke: json })),
  onUnmappedHubValue: onUnknown,
  onUnmappedSpokeValue: onUnknown,
});
type Params = z.infer<typeof params>;

/** Translates the values of one field; strings, numbers and booleans are distinct (`"1"` is not `1`). */
export const enumRemap = defineStrategy({
  name: 'EnumRemap',
  summary: 'translates the values of a field that both sides have',
  domain: 'values that the mapping lists',
  params,
  analyse(rule, scope) {
    for (const side of ['hub', 'spoke'] as const) {
      const field = scope.field(side, rule.path);
      scope.claim(side, field);
      if (field !== undefined) checkEnum(scope, side, getOwn(field.node, 'enum'), rule);
    }
    const repeatedHub = repeated(rule.mapping.map(({ hub }) => hub));
    if (repeatedHub !== undefined) {
      const message = `two entries have the hub value ${show(repeatedHub)}`;
      scope.error('ENUM_HUB_DUPLICATE', message, { path: rule.path, hint: 'keep one of them' });
    }
    const repeatedSpoke = repeated(rule.mapping.map(({ spoke }) => spoke));
    if (repeatedSpoke !== undefined) {
      const message = `two entries share the spoke value ${show(repeatedSpoke)}: the way back takes the last`;
      const hint = 'give each hub value a spoke value of its own, or acknowledge the loss';
      scope.warn('ENUM_SPOKE_DUPLICATE', message, { path: rule.path, hint });
    }
    return {
      hubToSpoke: rule.onUnmappedHubValue === 'Error',
      spokeToHub: rule.onUnmappedSpokeValue === 'Error' && repeatedSpoke === undefined,
    };
  },
  compile(rule, compiler) {
    const pairs = rule.mapping;
    mapBoth(
      compiler,
      { hubPath: rule.path, spokePath: rule.path },
      {
        hubToSpoke: remap(
          pairs.map(({ hub, spoke }) => [hub, spoke]),
          rule.onUnmappedHubValue,
        ),
        spokeToHub: remap(
          pairs.map(({ hub, spoke }) => [spoke, hub]),
          rule.onUnmappedSpokeValue,
        ),
      },
    );
  },
});

function remap(pairs: readonly [Json, Json][], onUnmapped: 'Error' | 'Drop'): Convert {
  const table = new JsonMap<Json>();
  for (const [from, to] of pairs) table.set(from, to);
  return (value, run) => {
    const mapped = table.get(value);
    if (mapped !== undefined) return typeof mapped === 'object' ? cloneJson(mapped) : mapped;
    if (onUnmapped === 'Drop') return undefined;
    if (value === null) return null;
    if (run.mode === 'review' && isObject(value) && pairs.some(([from]) => isPartOf(value, from))) {
      run.absentSkipped++;
      return undefined;
    }
    throw new RuleError(`value ${show(value)} is not mapped`);
  };
}

function repeated(values: readonly Json[]): Json | undefined {
  const seen = new JsonMap<true>();
  return values.find((value) => seen.get(value) ?? seen.set(value, true));
}

/** Values that the schema allows and the mapping lacks would fail or be dropped (D12). */
function checkEnum(scope: RuleScope, side: Side, allowed: Json | undefined, rule: Params): void {
  if (!isArray(allowed)) return;
  const mapped = new JsonMap<true>();
  for (const entry of rule.mapping) mapped.set(entry[side], true);
  const missing = allowed.filter((value) => mapped.get(value) === undefined);
  if (missing.length === 0) return;
  const message = `the ${side} schema allows ${missing.map(show).join(', ')}, which the mapping lacks`;
  scope.warn('ENUM_VALUE_UNMAPPED', message, { path: rule.path, side, hint: 'map every value of the enum' });
}
