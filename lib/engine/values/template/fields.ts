import type { Expression, Node, Pipeline, Program } from './ast.ts';

/** What is known about a position: whether the dot, and each visible variable, is the template's data as a whole. */
interface Position {
  readonly program: Program;
  readonly found: Set<string>;
  /** Called templates that get the data as a whole and are still to be read. */
  readonly called: Set<string>;
  readonly dot: boolean;
  readonly variables: Map<string, boolean>;
}

/** The keys of the data that a template names, as `.key`, `$.key` or `index . "key"`, sorted. */
export function fieldNames(program: Program): readonly string[] {
  const found = new Set<string>();
  const called = new Set<string>();
  const start = () => ({ program, found, called, dot: true, variables: new Map([['$', true]]) });
  readNodes(program.main, start());
  // A set is iterated with what is added on the way: each template is read once.
  for (const name of called) readNodes(program.templates.get(name) ?? [], start());
  return [...found].sort();
}

function readNodes(nodes: readonly Node[], position: Position): void {
  for (const node of nodes) readNode(node, position);
}

function readNode(node: Node, position: Position): void {
  switch (node.type) {
    case 'action':
      readPipeline(node.pipeline, position);
      break;
    case 'template':
      if (node.pipeline && readPipeline(node.pipeline, position)) position.called.add(node.name);
      break;
    case 'branch': {
      const inner = nested(position);
      for (const { pipeline, body } of node.arms) {
        const whole = readPipeline(pipeline, inner);
        readNodes(body, nested(inner, node.setsDot ? whole : inner.dot));
      }
      readNodes(node.otherwise, nested(inner));
      break;
    }
    case 'range': {
      const inner = nested(position);
      readPipeline(node.pipeline, inner);
      for (const { name } of node.pipeline.variables) inner.variables.set(name, false);
      readNodes(node.body, nested(inner, false));
      readNodes(node.otherwise, nested(inner));
      break;
    }
  }
}

function nested(position: Position, dot = position.dot): Position {
  return { ...position, dot, variables: new Map(position.variables) };
}

/** True when the value is the data as a whole; its variables are then too. */
function readPipeline({ variables, value }: Pipeline, position: Position): boolean {
  readExpression(value, position);
  const whole = isWhole(value, position);
  for (const { name } of variables) position.variables.set(name, whole);
  return whole;
}

function isWhole(expression: Expression, position: Position): boolean {
  if (expression.type === 'dot') return position.dot;
  if (expression.type === 'variable') return position.variables.get(expression.name) ?? false;
  return expression.type === 'assign' && isWhole(expression.value, position);
}

function readExpression(expression: Expression, position: Position): void {
  switch (expression.type) {
    case 'chain':
      if (isWhole(expression.base, position)) position.found.add(expression.names[0] as string);
      else readExpression(expression.base, position);
      break;
    case 'assign':
      readExpression(expression.value, position);
      break;
    case 'pipe':
      readExpression(expression.first, position);
      for (const call of expression.calls) readExpression(call, position);
      break;
    case 'call': {
      const [container, key] = expression.args;
      if (expression.name === 'index' && container && isWhole(container, position) && key?.type === 'literal') {
        if (typeof key.value === 'string') position.found.add(key.value);
      }
      for (const arg of expression.args) readExpression(arg, position);
      break;
    }
  }
}
