import * as z from 'zod/mini';
import { parsePath } from '../path.ts';
import { isScalarKind, type ScalarKind, shapeOf } from '../schema.ts';
import { defineStrategy, type RuleCompiler, type Side } from '../strategy.ts';
import { coerceScalar } from '../values/number-text.ts';
import { mapBoth, nullable } from './shared/mapping.ts';
import { path } from './shared/params.ts';

const params = z.strictObject({
  path,
  onFractionalInteger: z._default(z.enum(['Error', 'Truncate', 'Round']), 'Error'),
});

/** Changes the JSON type of a scalar that both sides have. */
export const typeCoerce = defineStrategy({
  name: 'TypeCoerce',
  summary: 'changes the JSON type of a field that both sides have',
  domain: 'canonical text of numbers and booleans; whole numbers where one side is integer',
  params,
  analyse(rule, scope) {
    const kinds = { hub: 'unknown', spoke: 'unknown' };
    for (const side of ['hub', 'spoke'] as const) {
      const field = scope.field(side, rule.path);
      scope.claim(side, field);
      if (field === undefined) continue;
      kinds[side] = field.kind;
      if (isScalarKind(field.kind)) continue;
      const hint = 'TypeCoerce converts between string, integer, number and boolean';
      scope.error('KIND_NOT_SCALAR', `${rule.path} is ${field.kind} on the ${side}`, { path: rule.path, side, hint });
    }
    const exact = rule.onFractionalInteger === 'Error';
    return { hubToSpoke: exact || kinds.spoke !== 'integer', spokeToHub: exact || kinds.hub !== 'integer' };
  },
  compile(rule, compiler) {
    const to = (side: Side) => {
      const kind = kindAt(compiler, side, rule.path);
      return nullable((value) => coerceScalar(value, kind, rule.onFractionalInteger));
    };
    const same = { hubPath: rule.path, spokePath: rule.path };
    mapBoth(compiler, same, { hubToSpoke: to('spoke'), spokeToHub: to('hub') });
  },
});

function kindAt(compiler: RuleCompiler, side: Side, text: string): ScalarKind {
  return shapeOf(compiler.node(side, parsePath(text)) ?? {}).kind as ScalarKind;
}
