import type { Expression, Node } from './ast.ts';

/** The steps of running a list of nodes once, without the lists inside it; an empty body of a range costs one too. */
export function listCost(nodes: readonly Node[]): number {
  const cost = nodes.reduce((sum, node) => sum + nodeCost(node), 0);
  return Math.max(1, cost);
}

function nodeCost(node: Node): number {
  switch (node.type) {
    case 'action':
    case 'range':
      return expressionCost(node.pipeline.value);
    case 'template':
      return 1 + (node.pipeline ? expressionCost(node.pipeline.value) : 0);
    case 'branch':
      return node.arms.reduce((sum, { pipeline }) => sum + expressionCost(pipeline.value), 0);
    default:
      return 1;
  }
}

function expressionCost(expression: Expression): number {
  switch (expression.type) {
    case 'chain':
      return expressionCost(expression.base) + expression.names.length;
    case 'assign':
      return 1 + expressionCost(expression.value);
    case 'call':
      return expression.args.reduce((sum, arg) => sum + expressionCost(arg), 1);
    case 'pipe':
      return expression.calls.reduce((sum, call) => sum + expressionCost(call), expressionCost(expression.first));
    default:
      return 1;
  }
}
