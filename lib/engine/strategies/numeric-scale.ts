import * as z from 'zod/mini';
import { RuleError } from '../conversion-error.ts';
import { jsonType } from '../json.ts';
import { parsePath } from '../path.ts';
import { shapeOf } from '../schema.ts';
import { defineStrategy } from '../strategy.ts';
import { scale } from '../values/decimal.ts';
import { type Convert, mapBoth, nullable } from './shared/mapping.ts';
import { paths } from './shared/params.ts';

const params = z.strictObject({ ...paths, factor: z.union([z.number(), z.bigint()]) });

/** hub value = spoke value × factor. */
export const numericScale = defineStrategy({
  name: 'NumericScale',
  summary: 'multiplies a number by a factor: hub = spoke × factor',
  domain: 'numbers that the factor scales exactly',
  params,
  analyse({ hubPath, spokePath, factor }, scope) {
    const kinds = { hub: 'unknown', spoke: 'unknown' };
    for (const [side, text] of [
      ['hub', hubPath],
      ['spoke', spokePath],
    ] as const) {
      const field = scope.field(side, text);
      scope.claim(side, field);
      if (field === undefined) continue;
      kinds[side] = field.kind;
      if (field.kind === 'integer' || field.kind === 'number') continue;
      const hint = 'both sides must be integer or number; TypeCoerce converts strings';
      scope.error('KIND_NOT_NUMBER', `${text} is ${field.kind} on the ${side}`, { path: text, side, hint });
    }
    if (Number(factor) === 0)
      scope.error('FACTOR_ZERO', 'factor is 0', { param: 'factor', hint: 'write what one spoke unit is on the hub' });
    return { hubToSpoke: kinds.spoke === 'number', spokeToHub: kinds.hub === 'number' };
  },
  compile(rule, compiler) {
    const kindOf = (side: 'hub' | 'spoke', text: string) => shapeOf(compiler.node(side, parsePath(text)) ?? {}).kind;
    mapBoth(compiler, rule, {
      hubToSpoke: by(rule.factor, 'divide', kindOf('spoke', rule.spokePath) === 'integer'),
      spokeToHub: by(rule.factor, 'multiply', kindOf('hub', rule.hubPath) === 'integer'),
    });
  },
});

function by(factor: number | bigint, op: 'multiply' | 'divide', toInteger: boolean): Convert {
  return nullable((value) => {
    if (typeof value === 'number' || typeof value === 'bigint') return scale(value, factor, op, toInteger);
    throw new RuleError(`expected a number, found ${jsonType(value)}`);
  });
}
