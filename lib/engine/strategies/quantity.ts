import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { formatMilli, parseMilli } from '../values/quantity.ts';
import { paths } from './shared/params.ts';
import { analyseUnit, compileUnit, type Unit } from './shared/units.ts';

const params = z.strictObject(paths);
const unit: Unit = { parse: parseMilli, format: formatMilli, example: ['0.5', '500m'] };

/** A Kubernetes quantity on one side, its thousandths as an integer on the other. */
export const quantity = defineStrategy({
  name: 'Quantity',
  summary: 'converts between a Kubernetes quantity ("500m") and its thousandths (500)',
  domain: 'quantities in canonical decimal form, to the thousandth',
  params,
  analyse: (rule, scope) => analyseUnit(scope, rule, unit),
  compile: (rule, compiler) => compileUnit(compiler, rule, unit),
});
