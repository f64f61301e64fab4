import * as z from 'zod/mini';
import { compileGet } from '../access.ts';
import { RuleError } from '../conversion-error.ts';
import { getOwn, isObject, type Json, type JsonObject } from '../json.ts';
import { library } from '../libraries.ts';
import { parsePath, renderPath } from '../path.ts';
import { type Direction, defineStrategy, LOSSY, type RuleCompiler, type RuleScope, type Side } from '../strategy.ts';
import type { CelError } from '../values/cel/cel.ts';
import { path } from './shared/params.ts';
import { warnIncomplete } from './shared/split-join.ts';

const params = z.strictObject({
  hubPaths: z.array(path).check(z.minLength(1)),
  spokePaths: z.array(path).check(z.minLength(1)),
  hubToSpoke: z.string(),
  spokeToHub: z.string(),
});

/** Computes fields by an expression; its result is a map from path to value. Always lossy: nothing proves an inverse. */
export const cel = defineStrategy({
  name: 'CEL',
  summary: 'computes fields by CEL expressions over `object`',
  domain: 'objects for which the two expressions are inverse to each other',
  params,
  analyse(rule, scope) {
    for (const text of rule.hubPaths) scope.claim('hub', scope.field('hub', text));
    for (const text of rule.spokePaths) scope.claim('spoke', scope.field('spoke', text));
    checkExpression(scope, 'hub', 'hubToSpoke', rule.hubToSpoke);
    checkExpression(scope, 'spoke', 'spokeToHub', rule.spokeToHub);
    const text = rule.hubPaths.join(', ');
    const hint = 'return a path only where its source is there: has(object.spec.x) ? {…} : {}';
    scope.warn('WRITES_WITHOUT_SOURCE', `can write ${text} without a source`, { hint });
    warnIncomplete(scope, 'hub', rule.hubPaths);
    warnIncomplete(scope, 'spoke', rule.spokePaths);
    return LOSSY;
  },
  compile(rule, compiler) {
    compileExpression(compiler, 'hubToSpoke', 'hub', rule.hubToSpoke, rule.hubPaths, rule.spokePaths);
    compileExpression(compiler, 'spokeToHub', 'spoke', rule.spokeToHub, rule.spokePaths, rule.hubPaths);
  },
});

function checkExpression(scope: RuleScope, side: Side, key: Direction, expression: string): void {
  const { CelError, compileCel } = library('cel');
  if (expression.trim() === '') {
    scope.error('CEL_INVALID', `${key} is empty`, { param: key, hint: 'return {} to write nothing' });
    return;
  }
  try {
    compileCel(expression, scope.schema(side));
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    const hint = 'the environment is the CEL standard library with one variable, `object`';
    scope.error('CEL_INVALID', `${key} does not compile: ${error.message}`, { param: key, hint });
  }
}

function compileExpression(
  compiler: RuleCompiler,
  direction: Direction,
  side: Side,
  expression: string,
  sources: readonly string[],
  targets: readonly string[],
): void {
  const { CelError, compileCel } = library('cel');
  const program = compileCel(expression, compiler.schema(side));
  const claimed = sources.map((text) => compileGet(parsePath(text)));
  const outputs = targets.map((text) => {
    const target = parsePath(text);
    return { dotted: renderPath(target), read: compileGet(target), slot: compiler.slot(direction, target) };
  });
  compiler.op(direction, (source, slots, run) => {
    if (run.fragment && claimed.every((read) => read(source) === undefined)) return;
    let result: JsonObject;
    try {
      result = program.evaluate(source);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      const absent = isAbsence(error, () => claimed.map((read) => read(source)));
      if (run.mode !== 'review' || !absent) {
        throw new RuleError(error.message, '', { cause: error });
      }
      run.absentSkipped++;
      return;
    }
    for (const { dotted, read, slot } of outputs) {
      const nested = read(result);
      const value = nested === undefined ? getOwn(result, dotted) : nested;
      if (value !== undefined) slots[slot] = value;
    }
  });
}

/**
 * Whether a failure can come from fields that the object does not have: one that the expression asked for, a source
 * that is absent, or a map without its entries. What an expression makes of whole sources stays an error.
 */
function isAbsence(error: CelError, readSources: () => readonly (Json | undefined)[]): boolean {
  if (error.kind === 'limit') return false;
  if (error.afterAbsence) return true;
  const sources = readSources();
  return sources.includes(undefined) || (error.kind === 'division' && sources.some(isObject));
}
