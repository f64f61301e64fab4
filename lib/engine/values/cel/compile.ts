import { compileCall, compileMethodCall } from './call.ts';
import { absorbed, bool } from './comprehension.ts';
import { EntryMap, ItemList } from './container.ts';
import { excerptOf, Failure } from './error.ts';
import type { Evaluation, Run } from './evaluation.ts';
import { accepts, negate, OPERATORS } from './operators.ts';
import { type Compiled, located, type Node, type NodeOf, refuse, Scope } from './scope.ts';
import {
  type CelType,
  isDictionary,
  isInt,
  isList,
  type Key,
  keyOf,
  TypeName,
  typeOf,
  Uint,
  type Value,
} from './value.ts';

/**
 * Compiles a syntax tree to closures, once for each plan. What is known about types before evaluation is checked here.
 * @throws CelError `compile`, with the source line
 */
export function compileTree(root: Node): Run {
  return new Scope(compileNode, new Map(), 0).compile(root).run;
}

function compileNode(node: Node, scope: Scope): Compiled {
  switch (node.op) {
    case 'value':
      return literal(node, node.args);
    case 'id':
      return name(node, scope);
    case '.':
      return select(node, scope);
    case '[]':
      return index(node, scope);
    case 'call':
      return compileCall(node, scope);
    case 'rcall':
      return compileMethodCall(node, scope);
    case 'list':
      return list(node, scope);
    case 'map':
      return map(node, scope);
    case '?:':
      return conditional(node, scope);
    case '&&':
      return logical(node, scope, false);
    case '||':
      return logical(node, scope, true);
    case '!_':
      return not(node, scope);
    case '-_':
      return minus(node, scope);
    case '.?':
    case '[?]':
      throw refuse(node, 'optional field access is no part of the CEL standard library');
    default:
      return binary(node, scope);
  }
}

function constant(value: Value): Compiled {
  return { type: typeOf(value), run: () => value };
}

function literal(node: Node, value: NodeOf<'value'>['args']): Compiled {
  if (typeof value === 'bigint' && !isInt(value)) throw refuse(node, `the int ${value} is beyond 64 bits`);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return constant(value);
  return constant(new Uint(value.valueOf()));
}

const TYPE_NAMES: ReadonlyMap<string, CelType> = new Map([
  ...(['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint'] as const).map(
    (type) => [type, type] as const,
  ),
  ['google.protobuf.Timestamp', 'timestamp'],
  ['google.protobuf.Duration', 'duration'],
]);

function name(node: NodeOf<'id'>, scope: Scope): Compiled {
  const slot = scope.slotOf(node.args);
  if (slot !== undefined) return { type: 'dyn', run: ({ locals }) => locals[slot] as Value };
  if (node.args === 'object') return { type: 'map', run: ({ object }) => object };
  const type = TYPE_NAMES.get(node.args);
  if (type !== undefined) return constant(new TypeName(type));
  throw refuse(node, `undeclared reference to "${node.args}": the only variable is "object"`);
}

function select(node: NodeOf<'.'>, scope: Scope): Compiled {
  const [operand, field] = node.args;
  const typeName = TYPE_NAMES.get(node.input.slice(node.start, node.end));
  if (typeName !== undefined) return constant(new TypeName(typeName));
  const { type, run } = scope.compile(operand);
  if (type !== 'map' && type !== 'dyn') throw refuse(node, `type ${type} has no fields`);
  const excerpt = excerptOf(node);
  return {
    type: 'dyn',
    run(evaluation) {
      evaluation.spend(1);
      const container = run(evaluation);
      const value = isDictionary(container) ? container.get(field) : undefined;
      if (value !== undefined) return value;
      if (isList(container)) throw new Failure('evaluation', `a list has no field ${field}`, excerpt);
      throw new Failure('absent', `no such key: ${field}`, excerpt);
    },
  };
}

function index(node: NodeOf<'[]'>, scope: Scope): Compiled {
  const [operand, position] = node.args.map((part) => scope.compile(part)) as [Compiled, Compiled];
  if (operand.type !== 'map' && operand.type !== 'list' && operand.type !== 'dyn') {
    throw refuse(node, `type ${operand.type} cannot be indexed`);
  }
  const run: Run = (evaluation) => {
    evaluation.spend(1);
    const container = operand.run(evaluation);
    const key = keyOf(position.run(evaluation));
    if (isList(container)) {
      if (typeof key !== 'bigint') throw new Failure('evaluation', 'the index of a list must be an int');
      if (key < 0n || key >= container.size) throw new Failure('absent', `index out of bounds: ${key}`);
      return container.at(Number(key));
    }
    const value = isDictionary(container) && key !== undefined ? container.get(key) : undefined;
    if (value === undefined) throw new Failure('absent', `no such key: ${String(key)}`);
    return value;
  };
  return { type: 'dyn', run: located(node, run) };
}

const LIST_COST = 10;
const MAP_COST = 30;

function list(node: NodeOf<'list'>, scope: Scope): Compiled {
  const items = node.args.map((item) => scope.compile(item).run);
  return {
    type: 'list',
    run(evaluation) {
      evaluation.spend(LIST_COST + items.length);
      return new ItemList(items.map((run) => run(evaluation)));
    },
  };
}

function map(node: NodeOf<'map'>, scope: Scope): Compiled {
  const entries = node.args.map((entry) => entry.map((part) => scope.compile(part).run) as [Run, Run]);
  const run: Run = (evaluation) => {
    evaluation.spend(MAP_COST + entries.length);
    const values = new Map<Key, Value>();
    for (let index = 0; index < entries.length; index++) {
      const [key, value] = entries[index] as [Run, Run];
      const name = mapKey(key(evaluation));
      values.set(name, value(evaluation));
      if (values.size === index) throw new Failure('evaluation', `repeated key: ${String(name)}`);
    }
    return new EntryMap(values);
  };
  return { type: 'map', run: located(node, run) };
}

function mapKey(value: Value): Key {
  const key = typeof value === 'number' ? undefined : keyOf(value);
  if (key === undefined) throw new Failure('evaluation', `a map key cannot be ${typeOf(value)}`);
  return key;
}

function conditional(node: NodeOf<'?:'>, scope: Scope): Compiled {
  const test = condition(node.args[0], scope);
  const yes = scope.compile(node.args[1]);
  const no = scope.compile(node.args[2]);
  return {
    type: yes.type === no.type ? yes.type : 'dyn',
    run: (evaluation) => (test(evaluation) ? yes.run(evaluation) : no.run(evaluation)),
  };
}

function condition(node: Node, scope: Scope): (evaluation: Evaluation) => boolean {
  const { type, run } = scope.compile(node);
  if (type !== 'bool' && type !== 'dyn') throw refuse(node, `a condition must be bool, not ${type}`);
  return located(node, (evaluation) => bool(run(evaluation)));
}

/** `||` (`end` true) and `&&` (`end` false): either operand alone can decide, even when the other fails. */
function logical(node: NodeOf<'&&' | '||'>, scope: Scope, end: boolean): Compiled {
  const left = condition(node.args[0], scope);
  const right = condition(node.args[1], scope);
  const run: Run = (evaluation) => {
    let failure: unknown;
    try {
      if (left(evaluation) === end) return end;
    } catch (error) {
      failure = absorbed(error, evaluation);
    }
    if (failure === undefined) return right(evaluation);
    if (succeeds(right, evaluation, end)) return end;
    throw failure;
  };
  return { type: 'bool', run };
}

function succeeds(run: Run, evaluation: Evaluation, wanted: boolean): boolean {
  try {
    return run(evaluation) === wanted;
  } catch (error) {
    absorbed(error, evaluation);
    return false;
  }
}

function not(node: NodeOf<'!_'>, scope: Scope): Compiled {
  const operand = condition(node.args, scope);
  return { type: 'bool', run: (evaluation) => !operand(evaluation) };
}

function minus(node: NodeOf<'-_'>, scope: Scope): Compiled {
  // The smallest int is written as the negative of a literal that is itself too large.
  if (node.args.op === 'value' && typeof node.args.args === 'bigint') return literal(node, -node.args.args);
  const { type, run } = scope.compile(node.args);
  if (type !== 'int' && type !== 'double' && type !== 'dyn') throw refuse(node, `no such overload: -${type}`);
  return { type, run: located(node, (evaluation) => negate(run(evaluation))) };
}

type BinaryNode = Extract<Node, { args: [Node, Node] }>;

function binary(node: BinaryNode, scope: Scope): Compiled {
  const operator = OPERATORS[node.op];
  if (operator === undefined) throw refuse(node, `unknown operator ${node.op}`);
  const [left, right] = node.args.map((part) => scope.compile(part)) as [Compiled, Compiled];
  const results = operator.signatures.flatMap(([first, second, result]) =>
    accepts(first, left.type) && accepts(second, right.type) ? [result] : [],
  );
  const [type] = results;
  if (type === undefined) throw refuse(node, `no such overload: ${left.type} ${node.op} ${right.type}`);
  const run: Run = (evaluation) => {
    evaluation.spend(1);
    return operator.run(left.run(evaluation), right.run(evaluation), evaluation);
  };
  return { type: results.every((result) => result === type) ? type : 'dyn', run: located(node, run) };
}
