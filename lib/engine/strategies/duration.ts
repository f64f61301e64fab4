import * as z from 'zod/mini';
import { defineStrategy } from '../strategy.ts';
import { formatDurationSeconds, parseDurationSeconds } from '../values/duration.ts';
import { paths } from './shared/params.ts';
import { analyseUnit, compileUnit, type Unit } from './shared/units.ts';

const params = z.strictObject(paths);
const unit: Unit = { parse: parseDurationSeconds, format: formatDurationSeconds, example: ['5m', '5m0s'] };

/** A Go duration on one side, its seconds as an integer on the other. */
export const duration = defineStrategy({
  name: 'Duration',
  summary: 'converts between a Go duration ("5m0s") and its seconds (300)',
  domain: 'durations of whole seconds in canonical form',
  params,
  analyse: (rule, scope) => analyseUnit(scope, rule, unit),
  compile: (rule, compiler) => compileUnit(compiler, rule, unit),
});
