import type * as z from 'zod/mini';
import type { Ability } from '../access/abilities.ts';
import type { Principal } from './auth.ts';

type ParameterName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterName<Rest>
  : never;

/** What a handler gets: everything checked and decoded, nothing of HTTP left but the precondition. */
export interface RouteInput<Params = Readonly<Record<string, string>>, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The `If-Match` header as it came, where there is one. */
  readonly precondition: { readonly ifMatch?: string };
  /** Nobody, without any ability, on a public route. */
  readonly caller: Principal;
  /** The host that the request came to, as its sender named it. */
  readonly host: string | undefined;
}

export interface RouteOutput {
  /** 200 unless set. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Rendered as JSON, exact integers included; no body at all when missing. */
  readonly body?: unknown;
}

/** One entry of a route table: everything that is known about a route, as data. */
export interface Route<Deps> {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';
  /** Segments in braces are parameters: `/api/v1/configs/{target}`. */
  readonly path: string;
  readonly ability: Ability | 'public';
  readonly summary: string;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
  /** A mutation that has no use for `If-Match`; with one it is refused, rather than done without the check. */
  readonly unconditional?: true;
  readonly response: z.ZodMiniType;
  readonly handle: (input: RouteInput, deps: Deps) => RouteOutput | Promise<RouteOutput>;
}

interface TypedRoute<Deps, Path extends string, Query, Body>
  extends Omit<Route<Deps>, 'path' | 'query' | 'body' | 'handle'> {
  readonly path: Path;
  readonly query?: z.ZodMiniType<Query>;
  readonly body?: z.ZodMiniType<Body>;
  readonly handle: (
    input: RouteInput<Readonly<Record<ParameterName<Path>, string>>, Query, Body>,
    deps: Deps,
  ) => RouteOutput | Promise<RouteOutput>;
}

/** Binds the types of a route's path, query and body to its handler; `validate` makes them true before it is called. */
export function route<Deps, const Path extends string, Query = undefined, Body = undefined>(
  definition: TypedRoute<Deps, Path, Query, Body>,
): Route<Deps> {
  return definition as Route<Deps>;
}

/** Whether a route is a mutation. To try a conversion is a POST too, but it changes nothing. */
export function changesSomething({ method, ability }: Pick<Route<never>, 'method' | 'ability'>): boolean {
  return method !== 'GET' && ability !== 'read';
}

/** Whether `If-Match` decides if the route does its work. */
export function heedsIfMatch(route: Pick<Route<never>, 'method' | 'ability' | 'unconditional'>): boolean {
  return changesSomething(route) && route.unconditional !== true;
}
