import * as z from 'zod/mini';
import { getOwn, isArray } from '../json.ts';
import { parsePath } from '../path.ts';
import { lookup } from '../schema.ts';
import { defineStrategy, type RuleScope, type Side } from '../strategy.ts';
import { sideOf } from './shared/injected.ts';
import { existsOn, path } from './shared/params.ts';

const params = z.strictObject({ path, existsOn });

/** Drops a field that only one side has. */
export const deleteField = defineStrategy({
  name: 'Delete',
  summary: 'drops a field that only one side has',
  domain: 'objects of the other side',
  params,
  analyse(rule, scope) {
    const side = sideOf(rule.existsOn);
    const field = scope.field(side, rule.path);
    scope.claim(side, field);
    if (field !== undefined) warnRequired(scope, side, rule.path);
    return { hubToSpoke: rule.existsOn === 'Spoke', spokeToHub: rule.existsOn === 'Hub' };
  },
  compile() {
    // The claim is the whole rule: a claimed field that nothing writes is left out.
  },
});

function warnRequired(scope: RuleScope, side: Side, text: string): void {
  const path = parsePath(text);
  const parent = lookup(scope.schema(side), path.slice(0, -1));
  const required = 'node' in parent ? getOwn(parent.node, 'required') : undefined;
  if (!isArray(required) || !required.includes(path.at(-1) ?? '')) return;
  const hint = 'use DefaultValue or Constant to fill it';
  scope.warn('REQUIRED_FIELD_DROPPED', `${text} is required on the ${side}, and nothing fills it`, {
    path: text,
    hint,
  });
}
