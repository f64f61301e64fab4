import type { Ability } from '../access/abilities.ts';
import type { RateLimiter, Tier } from '../access/rate-limit.ts';
import type { IdempotencyStore } from '../configs/types.ts';
import type { Json } from '../engine/json.ts';
import { AppError } from '../errors.ts';
import { stringifyJson } from '../k8s/json.ts';
import type { ApiTelemetry } from '../telemetry/app-metrics.ts';
import { redactPath } from '../telemetry/log.ts';
import { createAuditor } from './audit.ts';
import { type Authenticate, type Principal, requireAbility } from './auth.ts';
import { fitAnswer } from './fit-answer.ts';
import type { HttpRequest, HttpResponse } from './function-url.ts';
import { createHttpHandler, type FunctionUrlHandler } from './handler.ts';
import { createRunOnce } from './idempotency.ts';
import { readInput } from './input.ts';
import { createProblemRenderer } from './problem.ts';
import { createLimit, tierOf } from './rate-limit.ts';
import type { RouteOutput } from './route.ts';
import { type ApiServices, ROUTES, type RouteDeps } from './route-table.ts';
import { createRouter, type Match, type Router } from './router.ts';

export interface ApiOptions extends ApiServices {
  readonly limiter: RateLimiter;
  readonly idempotency: IdempotencyStore;
  readonly authenticate: Authenticate;
  readonly version: string;
  readonly telemetry: ApiTelemetry;
  readonly newId: () => string;
}

const PUBLIC_PATHS = new Set(ROUTES.filter(({ ability }) => ability === 'public').map(({ path }) => path));

/** The caller of a public route. */
const NOBODY: Principal = Object.freeze({ tokenId: 'nobody', name: 'nobody', abilities: [] });

/** The handler of the `api` function: authenticate, limit, route, check the ability and the input, handle, render. */
export function createApiHandler(options: ApiOptions): FunctionUrlHandler {
  const router = createRouter(ROUTES);
  const runOnce = createRunOnce({ store: options.idempotency, log: options.log });
  const limit = createLimit(options);
  const audited = createAuditor(options);
  const deps: RouteDeps = { ...options, describeApi: () => describeApi(options.version) };

  const handle = async (request: HttpRequest): Promise<HttpResponse> => {
    const found = lookUp(router, request);
    if (found.match?.route.ability === 'public') {
      return await fitAnswer(await run(found.match, request, NOBODY), found.match.route, request);
    }
    if (found.match === undefined && isOpen(request)) throw found.error;
    // Before anything is said of the path: without a token nobody learns which paths exist.
    const caller = await admit(request, tierOf(found.match?.route));
    if (found.match === undefined) throw found.error;
    return await answer(found.match, request, caller);
  };

  /** A request without a token that is known is charged to its address, whatever it presents. */
  const admit = async (request: HttpRequest, tier: Tier): Promise<Principal> => {
    const caller = await options.authenticate(request.headers.get('authorization')).catch(unlessUnauthorized);
    await limit(tier, caller instanceof AppError ? `ip:${request.sourceIp}` : `token:${caller.tokenId}`);
    if (caller instanceof AppError) throw caller;
    return caller;
  };

  const answer = (match: Match<RouteDeps>, request: HttpRequest, caller: Principal): Promise<HttpResponse> => {
    const ability = match.route.ability as Ability;
    return audited({ request, ability, caller }, async () => {
      requireAbility(caller, ability);
      const response = await runOnce(request, caller.tokenId, () => run(match, request, caller));
      return await fitAnswer(response, match.route, request);
    });
  };

  const run = async ({ route, params }: Match<RouteDeps>, request: HttpRequest, caller: Principal) =>
    renderOutput(await route.handle(readInput(route, params, request, caller), deps));

  const observe = ({ method, path, requestId }: HttpRequest, { status }: HttpResponse) =>
    options.log.info('request', { method, path: redactPath(path), status, request_id: requestId });
  return createHttpHandler({ handle, observe, renderError: createProblemRenderer(options) });
}

type Found =
  | { readonly match: Match<RouteDeps>; readonly error?: never }
  | { readonly match?: never; readonly error: unknown };

function lookUp(router: Router<RouteDeps>, { method, segments }: HttpRequest): Found {
  try {
    return { match: router.match(method, segments) };
  } catch (error) {
    return { error };
  }
}

/** Whether it is no secret what the path is: it is none of the API's, or a public one. */
function isOpen({ segments, path }: HttpRequest): boolean {
  return segments[0] !== 'api' || PUBLIC_PATHS.has(path);
}

function unlessUnauthorized(error: unknown): AppError {
  if (error instanceof AppError && error.code === 'UNAUTHORIZED') return error;
  throw error;
}

/** Loaded on use: few requests want the document, and it brings zod's JSON Schema part along. */
async function describeApi(version: string): Promise<object> {
  const { renderOpenApi } = await import('./openapi.ts');
  return renderOpenApi(ROUTES, version);
}

function renderOutput({ status = 200, headers, body }: RouteOutput): HttpResponse {
  if (body === undefined) return { status, headers: { ...headers }, body: '' };
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: `${stringifyJson(body as Json)}\n`,
  };
}
