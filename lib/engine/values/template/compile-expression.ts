import type { Call, Chain, Expression } from './ast.ts';
import { BUILTINS, type Builtin, printfWith } from './builtins.ts';
import { parseFormat } from './printf.ts';
import type { Frame } from './run.ts';
import type { Scope } from './scope.ts';
import { placed, placeOf, TemplateError } from './template-error.ts';
import { entryOf, isMap, isNil, typeName, type Value } from './value.ts';

export type Evaluate = (frame: Frame, dot: Value) => Value;

/** An expression as a closure. Throws what can be known now: unknown functions and variables, argument counts, verbs. */
export function compileExpression(expression: Expression, scope: Scope): Evaluate {
  switch (expression.type) {
    case 'literal': {
      const { value } = expression;
      return () => value;
    }
    case 'dot':
      return (_frame, dot) => dot;
    case 'variable': {
      const slot = scope.slot(expression.name, expression.offset);
      return (frame) => frame.variables[slot];
    }
    case 'assign': {
      const slot = scope.slot(expression.name, expression.offset);
      const evaluate = compileExpression(expression.value, scope);
      return (frame, dot) => {
        const value = evaluate(frame, dot);
        frame.variables[slot] = value;
        return value;
      };
    }
    case 'chain':
      return compileChain(expression, scope);
    case 'call': {
      const call = compileCall(expression, scope, false);
      return (frame, dot) => call(frame, dot, undefined);
    }
    case 'pipe': {
      const first = compileExpression(expression.first, scope);
      const calls = expression.calls.map((call) => compileCall(call, scope, true));
      return (frame, dot) => {
        let value = first(frame, dot);
        for (const call of calls) value = call(frame, dot, value);
        return value;
      };
    }
  }
}

function compileChain({ base, names, offset }: Chain, scope: Scope): Evaluate {
  const { text } = scope;
  const [first, ...rest] = names as readonly [string, ...string[]];
  const field = (value: Value, name: string): Value => {
    const entry = isMap(value) ? entryOf(value, name) : undefined;
    return entry !== undefined ? entry : noField(value, name, text, offset);
  };
  if (base.type === 'dot') {
    if (rest.length === 0) return (_frame, dot) => field(dot, first);
    return (_frame, dot) => rest.reduce(field, field(dot, first));
  }
  const evaluate = compileExpression(base, scope);
  return (frame, dot) => names.reduce(field, evaluate(frame, dot));
}

function noField(value: Value, name: string, text: string, offset: number): never {
  const place = placeOf(text, offset);
  if (isMap(value)) throw new TemplateError('missing', `there is no ${JSON.stringify(name)} in the data`, place);
  const kind = value === undefined ? 'missing' : 'execution';
  const hint = isNil(value) ? '' : '; only a map has fields';
  throw new TemplateError(kind, `cannot take ${JSON.stringify(name)} of ${typeName(value)}${hint}`, place);
}

type EvaluateCall = (frame: Frame, dot: Value, piped: Value) => Value;

function compileCall(call: Call, scope: Scope, takesPiped: boolean): EvaluateCall {
  const { name, offset } = call;
  const builtin = BUILTINS.get(name);
  const shortens = name === 'and' || name === 'or';
  if (!builtin && !shortens) throw scope.problem(offset, unknownFunction(name));
  const { least, most } = builtin ?? { least: 1, most: Number.POSITIVE_INFINITY };
  const count = call.args.length + (takesPiped ? 1 : 0);
  if (count < least || count > most) {
    throw scope.problem(offset, `${name} takes ${argumentCount(least, most)}, not ${count}`);
  }
  const args = call.args.map((arg) => compileExpression(arg, scope));
  if (!builtin) return shortCircuit(name === 'or', args, takesPiped);
  const run = (name === 'printf' && printfOf(call.args[0], scope)) || builtin.call;
  const { text } = scope;
  return (frame, dot, piped) => {
    const values: Value[] = [];
    for (const evaluate of args) values.push(evaluate(frame, dot));
    if (takesPiped) values.push(piped);
    try {
      return run(values, frame.run);
    } catch (error) {
      throw placed(error, text, offset, name);
    }
  };
}

/** Stops at the first argument that decides the result. */
function shortCircuit(decisive: boolean, args: readonly Evaluate[], takesPiped: boolean): EvaluateCall {
  return (frame, dot, piped) => {
    let value: Value;
    for (const evaluate of args) {
      value = evaluate(frame, dot);
      if (frame.run.truth(value) === decisive) return value;
    }
    return takesPiped ? piped : value;
  };
}

/** `printf` for a literal format, which is parsed once; undefined for one that is not known yet. */
function printfOf(format: Expression | undefined, scope: Scope): Builtin['call'] | undefined {
  if (format?.type !== 'literal') return undefined;
  if (typeof format.value !== 'string') throw scope.problem(format.offset, 'the format of printf must be a string');
  try {
    return printfWith(parseFormat(format.value, 'parse'));
  } catch (error) {
    throw placed(error, scope.text, format.offset, 'printf');
  }
}

function argumentCount(least: number, most: number): string {
  if (least === most) return least === 1 ? '1 argument' : `${least} arguments`;
  return most === Number.POSITIVE_INFINITY
    ? `at least ${least} argument${least === 1 ? '' : 's'}`
    : `${least} to ${most} arguments`;
}

function unknownFunction(name: string): string {
  if (name === 'call') return 'call is not supported: the data holds no functions';
  return `the function ${name} is not defined; the functions are ${[...BUILTINS.keys(), 'and', 'or'].sort().join(', ')}`;
}
