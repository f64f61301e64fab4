import { AppError } from '../errors.ts';
import type { Route } from './route.ts';

export interface Match<Deps> {
  readonly route: Route<Deps>;
  readonly params: Readonly<Record<string, string>>;
}

export interface Router<Deps> {
  /** The route of a method and decoded path segments. Throws `NOT_FOUND`, or `METHOD_NOT_ALLOWED` with `allow`. */
  readonly match: (method: string, segments: readonly string[]) => Match<Deps>;
}

interface Node<Deps> {
  readonly literals: Map<string, Node<Deps>>;
  parameter?: Node<Deps>;
  readonly routes: Map<string, Route<Deps>>;
}

/**
 * Builds the tree of a route table: one map look-up a path segment, no regular expression a request. A literal segment
 * wins over a parameter. Two routes for one method and shape are refused here, at start.
 */
export function createRouter<Deps>(routes: readonly Route<Deps>[]): Router<Deps> {
  const root = createNode<Deps>();
  for (const route of routes) addRoute(root, route);
  return {
    match: (method, segments) => {
      const node = findNode(root, segments, 0);
      if (node === undefined) throw new AppError('NOT_FOUND', 'there is no such path');
      const route = node.routes.get(method) ?? (method === 'HEAD' ? node.routes.get('GET') : undefined);
      if (route === undefined) throw methodNotAllowed(method, node.routes);
      return { route, params: readParameters(route.path, segments) };
    },
  };
}

function createNode<Deps>(): Node<Deps> {
  return { literals: new Map(), routes: new Map() };
}

function addRoute<Deps>(root: Node<Deps>, route: Route<Deps>): void {
  let node = root;
  for (const segment of route.path.slice(1).split('/')) {
    if (parameterName(segment) !== undefined) {
      node.parameter ??= createNode();
      node = node.parameter;
    } else {
      const child = node.literals.get(segment) ?? createNode<Deps>();
      node.literals.set(segment, child);
      node = child;
    }
  }
  const other = node.routes.get(route.method);
  if (other) throw new Error(`two routes for ${route.method} ${route.path}: the other is ${other.path}`);
  node.routes.set(route.method, route);
}

/** Depth first, literals before the parameter; a node without routes is only a step on the way. */
function findNode<Deps>(node: Node<Deps>, segments: readonly string[], depth: number): Node<Deps> | undefined {
  const segment = segments[depth];
  if (segment === undefined) return node.routes.size > 0 ? node : undefined;
  const literal = node.literals.get(segment);
  const found = literal && findNode(literal, segments, depth + 1);
  if (found || node.parameter === undefined || segment === '') return found;
  return findNode(node.parameter, segments, depth + 1);
}

function readParameters(path: string, segments: readonly string[]): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = {};
  path
    .slice(1)
    .split('/')
    .forEach((segment, index) => {
      const name = parameterName(segment);
      if (name !== undefined) parameters[name] = segments[index] ?? '';
    });
  return parameters;
}

export function parameterName(segment: string): string | undefined {
  return segment.startsWith('{') && segment.endsWith('}') ? segment.slice(1, -1) : undefined;
}

function methodNotAllowed(method: string, routes: ReadonlyMap<string, unknown>): AppError {
  const methods = [...routes.keys()];
  const allow = (routes.has('GET') ? [...methods, 'HEAD'] : methods).toSorted().join(', ');
  return new AppError('METHOD_NOT_ALLOWED', `${method} is not allowed here; allowed: ${allow}`, {
    headers: { allow },
  });
}
