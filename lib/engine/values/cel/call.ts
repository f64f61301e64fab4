import { MACROS } from './comprehension.ts';
import { Failure } from './error.ts';
import type { Run } from './evaluation.ts';
import { FUNCTIONS, type Overload, type Style } from './functions.ts';
import { compilePattern, test } from './matches.ts';
import { accepts, type StaticType } from './operators.ts';
import { type Compiled, located, type Node, type NodeOf, refuse, type Scope } from './scope.ts';
import { type CelType, isDictionary, typeOf, type Value } from './value.ts';

/** `name(args)`: the macro `has`, or a function. */
export function compileCall(node: NodeOf<'call'>, scope: Scope): Compiled {
  const [name, args] = node.args;
  if (name === 'has') return has(node, args, scope);
  return callFunction(node, 'global', name, args, scope);
}

/** `receiver.name(args)`: a macro over a list or a map, or a method. */
export function compileMethodCall(node: NodeOf<'rcall'>, scope: Scope): Compiled {
  const [name, receiver, args] = node.args;
  if (MACROS.has(name)) return comprehension(node, scope);
  return callFunction(node, 'method', name, [receiver, ...args], scope);
}

/** `has(e.f)`: whether e is a map with the field f. Reading e itself may fail, as in cel-go. */
function has(node: Node, args: readonly Node[], scope: Scope): Compiled {
  const [select] = args;
  if (args.length !== 1 || select?.op !== '.') {
    throw refuse(node, 'has() takes one field selection, such as has(object.spec.name)');
  }
  const [operand, field] = select.args;
  const { run } = scope.compile(operand);
  return {
    type: 'bool',
    run(evaluation) {
      evaluation.spend(1);
      const container = run(evaluation);
      const present = isDictionary(container) && container.get(field) !== undefined;
      if (!present) evaluation.noteAbsence();
      return present;
    },
  };
}

function comprehension(node: NodeOf<'rcall'>, scope: Scope): Compiled {
  const [name, receiver, [variable, ...steps]] = node.args;
  const build = MACROS.get(name);
  const [first, second, ...rest] = steps;
  if (build === undefined || first === undefined || rest.length > 0 || (second !== undefined && name !== 'map')) {
    throw refuse(node, `${name}() takes a variable and ${name === 'map' ? 'one or two expressions' : 'a condition'}`);
  }
  if (variable?.op !== 'id') throw refuse(variable ?? node, `the first argument of ${name}() must be a variable name`);
  const range = scope.compile(receiver);
  if (!accepts('list', range.type) && !accepts('map', range.type)) {
    throw refuse(receiver, `cannot iterate over ${range.type}, only over a list or a map`);
  }
  const inner = scope.withVariable(variable.args);
  const [condition, step] = second === undefined ? [undefined, first] : [first, second];
  const parts = { range: range.run, slot: inner.slot, step: inner.scope.compile(step).run };
  const run = build(condition === undefined ? parts : { ...parts, filter: inner.scope.compile(condition).run });
  return { type: name === 'map' || name === 'filter' ? 'list' : 'bool', run: located(node, run) };
}

function callFunction(node: Node, style: Style, name: string, args: readonly Node[], scope: Scope): Compiled {
  const compiled = args.map((arg) => scope.compile(arg));
  const overloads = overloadsOf(node, style, name, compiled);
  const [first, second] = compiled as [Compiled, Compiled | undefined];
  const pattern = args[1];
  if (name === 'matches' && pattern?.op === 'value' && typeof pattern.args === 'string') {
    return constantMatch(node, first.run, pattern, pattern.args);
  }
  const results = new Set(overloads.map(({ result }) => result));
  const [result = 'dyn'] = results;
  return {
    type: results.size === 1 ? result : 'dyn',
    run: located(node, callOf(overloads, name, first, second)),
  };
}

/** The overloads that can take the arguments, as far as their types are known. */
function overloadsOf(node: Node, style: Style, name: string, args: readonly Compiled[]): readonly Overload[] {
  const named = FUNCTIONS.filter((overload) => overload.name === name && overload.style === style);
  if (named.length === 0) {
    const hint = 'only the functions of the CEL standard library exist here';
    throw refuse(node, `unknown ${style === 'global' ? 'function' : 'method'} "${name}": ${hint}`);
  }
  const fitting = named.filter(
    ({ params }) =>
      params.length === args.length && params.every((param, index) => accepts(param, args[index]?.type ?? 'dyn')),
  );
  if (fitting.length > 0) return fitting;
  const types = args.map(({ type }) => type);
  throw refuse(node, `no such overload: ${signatureOf(name, types)}`);
}

function callOf(overloads: readonly Overload[], name: string, first: Compiled, second: Compiled | undefined): Run {
  const choose = chooserOf(overloads);
  if (second === undefined) {
    return (evaluation) => {
      evaluation.spend(1);
      const value = first.run(evaluation);
      const overload = choose(typeOf(value));
      if (overload === undefined) throw noOverload(name, [value]);
      return overload.run(value, null, evaluation);
    };
  }
  return (evaluation) => {
    evaluation.spend(1);
    const left = first.run(evaluation);
    const right = second.run(evaluation);
    const overload = choose(typeOf(left));
    if (overload?.params[1] !== typeOf(right)) throw noOverload(name, [left, right]);
    return overload.run(left, right, evaluation);
  };
}

/** Overloads of one function with as many parameters differ in the first one. */
function chooserOf(overloads: readonly Overload[]): (first: CelType) => Overload | undefined {
  const byType = new Map(overloads.map((overload) => [overload.params[0] as StaticType, overload]));
  const any = byType.get('dyn');
  return (first) => any ?? byType.get(first);
}

/** A pattern in the text of the expression is compiled once, and refused at once. */
function constantMatch(node: Node, text: Run, patternNode: Node, pattern: string): Compiled {
  const regex = compilePattern(pattern, (reason) => refuse(patternNode, reason));
  const run: Run = (evaluation) => {
    evaluation.spend(1);
    const value = text(evaluation);
    if (typeof value === 'string') return test(regex, value, evaluation);
    throw noOverload('matches', [value, pattern]);
  };
  return { type: 'bool', run: located(node, run) };
}

function signatureOf(name: string, types: readonly StaticType[]): string {
  return `${name}(${types.join(', ')})`;
}

function noOverload(name: string, args: readonly Value[]): Failure {
  return new Failure('evaluation', `no such overload: ${signatureOf(name, args.map(typeOf))}`);
}
