import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { flag, groupFields, path } from './shared/params.ts';
import { analyseSplitJoin, compileSplitJoin, type SplitJoin } from './shared/split-join.ts';

const params = z.strictObject({
  hubPath: path,
  pattern: z.string(),
  spokeFields: groupFields,
  joinTemplate: z.string(),
  losslessOverride: flag,
});

/** Splits a hub string by a pattern's named groups; a template joins them again. The pattern is searched, not anchored. */
export const scalarToFields = defineStrategy({
  name: 'ScalarToFields',
  summary:
    'splits a hub string into spoke fields by a pattern (searched for, so anchor it), and joins them by a template',
  domain: 'strings that the template makes again from the groups of the pattern',
  params,
  analyse: (rule, scope) => analyseSplitJoin(scope, splitJoin(rule)),
  compile: (rule, compiler) => compileSplitJoin(compiler, splitJoin(rule)),
});

function splitJoin(rule: z.infer<typeof params>): SplitJoin {
  const { hubPath, spokeFields } = rule;
  return { ...rule, scalar: { side: 'hub', path: hubPath }, fields: { side: 'spoke', paths: spokeFields } };
}
