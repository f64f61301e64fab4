import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { flag, groupFields, path } from './shared/params.ts';
import { analyseSplitJoin, compileSplitJoin, type SplitJoin } from './shared/split-join.ts';

const params = z.strictObject({
  hubFields: groupFields,
  pattern: z.string(),
  spokePath: path,
  joinTemplate: z.string(),
  losslessOverride: flag,
});

/** Joins hub fields into a spoke string by a template; a pattern's named groups split it again. */
export const fieldsToScalar = defineStrategy({
  name: 'FieldsToScalar',
  summary:
    'joins hub fields into a spoke string by a template, and splits it by a pattern (searched for, so anchor it)',
  domain: 'strings that the template makes again from the groups of the pattern',
  params,
  analyse: (rule, scope) => analyseSplitJoin(scope, splitJoin(rule)),
  compile: (rule, compiler) => compileSplitJoin(compiler, splitJoin(rule)),
});

function splitJoin(rule: z.infer<typeof params>): SplitJoin {
  const { spokePath, hubFields } = rule;
  return { ...rule, scalar: { side: 'spoke', path: spokePath }, fields: { side: 'hub', paths: hubFields } };
}
