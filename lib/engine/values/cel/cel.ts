import { Environment, ParseError } from '@marcbachmann/cel-js';
import type { JsonObject } from '../../json.ts';
import { compileTree } from './compile.ts';
import { JsonMap } from './container.ts';
import { CelError, compileError, Failure } from './error.ts';
import { Evaluation } from './evaluation.ts';
import { resultOf } from './result.ts';
import type { Node } from './scope.ts';
import { Typing } from './typing.ts';

export { CelError };

/**
 * CEL as in cel-go: its standard library without extensions, over one variable `object`.
 *
 * The library parses; its evaluator is not used. It has no cost limit, runs `matches` on backtracking regexes, drops
 * the keys `__proto__` and `constructor` from map literals, and fails on data that has a key `constructor`.
 *
 * Peer (D7): numbers have the types that the schema declares, an int and a double mix, and nested maps, null and empty
 * lists are results like any other. Besides: the branches of `?:` may differ in type; timestamps come out in UTC;
 * `double()` refuses hexadecimal text; a double is written `0.5`, never `.5`; there are no messages (`Type{…}`).
 */
export interface CelProgram {
  /**
   * The map that the expression makes of an object, with its keys as written (`{"spec.a": 1}` has one key).
   * The input is not changed; the result may share its subtrees.
   * @throws CelError `absent`, `division`, `evaluation` or `limit`
   */
  evaluate(object: JsonObject): JsonObject;
}

const MAX_LENGTH = 16 * 1024;

const environment = new Environment({
  limits: { maxAstNodes: 10_000, maxDepth: 250, maxListElements: 1000, maxMapEntries: 1000, maxCallArguments: 8 },
});

/**
 * Compiles an expression.
 * @param schema the `openAPIV3Schema` of `object`: it says which numbers are integers (D7)
 * @throws CelError `compile`: the reason, the source line and a caret
 */
export function compileCel(expression: string, schema: JsonObject | undefined): CelProgram {
  const run = compileTree(parse(expression));
  const typing = new Typing(schema ?? {});
  return {
    evaluate(object) {
      const evaluation = new Evaluation(new JsonMap(object, typing));
      try {
        return resultOf(run(evaluation), evaluation);
      } catch (error) {
        if (error instanceof Failure) throw error.toError(evaluation.metAbsence);
        throw error instanceof RangeError ? new CelError('limit', 'the object nests too deeply') : error;
      }
    },
  };
}

function parse(expression: string): Node {
  if (expression.length > MAX_LENGTH) {
    throw new CelError('compile', `the expression has ${expression.length} characters, the limit is ${MAX_LENGTH}`);
  }
  try {
    return environment.parse(expression).ast;
  } catch (error) {
    if (error instanceof ParseError) throw compileError(error.summary, expression, error.range?.start ?? 0);
    if (error instanceof RangeError) throw new CelError('compile', 'the expression nests too deeply');
    throw error;
  }
}
