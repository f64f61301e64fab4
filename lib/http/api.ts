import * as z from 'zod/mini';
import type { ConfigService, EndpointService, IdempotencyStore, Registries } from '../configs/types.ts';
import type { Json } from '../engine/json.ts';
import { AppError } from '../errors.ts';
import { JsonError, parseJson, stringifyJson } from '../k8s/json.ts';
import type { Brand } from '../system/brand.ts';
import { type Log, redactPath } from '../telemetry/log.ts';
import { type Authenticate, requireAbility } from './auth.ts';
import { fitAnswer } from './fit-answer.ts';
import { type HttpRequest, type HttpResponse, MAX_REQUEST_BYTES } from './function-url.ts';
import { createHttpHandler, type FunctionUrlHandler } from './handler.ts';
import { createRunOnce } from './idempotency.ts';
import { createProblemRenderer } from './problem.ts';
import type { Route, RouteInput, RouteOutput } from './route.ts';
import { createRouter } from './router.ts';
import { brandRoutes } from './routes/brand.ts';
import { configRoutes } from './routes/configs.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { registryRoutes } from './routes/registry.ts';
import { systemRoutes } from './routes/system.ts';
import { validate } from './validate.ts';

export interface ApiOptions {
  readonly configs: ConfigService;
  readonly endpoints: EndpointService;
  readonly registries: Registries;
  readonly idempotency: IdempotencyStore;
  readonly authenticate: Authenticate;
  /** Rejects when the store cannot be read. */
  readonly checkReady: () => Promise<void>;
  /** Where `convert` is reached from outside, `https://host[:port]`. */
  readonly convertUrl: string;
  /** What an apiserver needs to trust `convertUrl`: PEM in base64. Absent on AWS, where the CA is a public one. */
  readonly caBundle?: string;
  readonly brand: Brand;
  readonly version: string;
  readonly log: Log;
  readonly newId: () => string;
}

interface RouteDeps extends ApiOptions {
  readonly describeApi: () => Promise<object>;
}

const ROUTES: readonly Route<RouteDeps>[] = [
  ...configRoutes,
  ...endpointRoutes,
  ...registryRoutes,
  ...brandRoutes,
  ...systemRoutes,
];
const PUBLIC_PATHS = new Set(ROUTES.filter(({ ability }) => ability === 'public').map(({ path }) => path));

/** What a route that takes none is checked against: a key that it does not know is refused, not ignored. */
const NO_QUERY = z.strictObject({});
const NO_BODY = z.optional(z.strictObject({}));

/** The handler of the `api` function: authenticate, route, check the input, handle, render. */
export function createApiHandler(options: ApiOptions): FunctionUrlHandler {
  const router = createRouter(ROUTES);
  const runOnce = createRunOnce({ store: options.idempotency, log: options.log });
  const deps: RouteDeps = { ...options, describeApi: () => describeApi(options.version) };

  const handle = async (request: HttpRequest): Promise<HttpResponse> => {
    // Before the path is looked up: without a token nobody learns which other paths exist.
    const isOpen = request.segments[0] !== 'api' || PUBLIC_PATHS.has(request.path);
    const principal = isOpen ? undefined : await authenticate(request);
    const { route, params } = router.match(request.method, request.segments);
    const answer = () => run(route, params, request);
    if (route.ability === 'public') return await fitAnswer(await answer(), route, request);
    const caller = principal ?? (await authenticate(request));
    requireAbility(caller, route.ability);
    return await fitAnswer(await runOnce(request, caller.tokenId, answer), route, request);
  };
  const authenticate = (request: HttpRequest) => options.authenticate(request.headers.get('authorization'));
  const run = async (route: Route<RouteDeps>, params: Readonly<Record<string, string>>, request: HttpRequest) =>
    renderOutput(await route.handle(readInput(route, params, request), deps));

  const observe = ({ method, path, requestId }: HttpRequest, { status }: HttpResponse) =>
    options.log.info('request', { method, path: redactPath(path), status, request_id: requestId });
  return createHttpHandler({ handle, observe, renderError: createProblemRenderer(options) });
}

/** Loaded on use: few requests want the document, and it brings zod's JSON Schema part along. */
async function describeApi(version: string): Promise<object> {
  const { renderOpenApi } = await import('./openapi.ts');
  return renderOpenApi(ROUTES, version);
}

function readInput(
  route: Route<RouteDeps>,
  params: Readonly<Record<string, string>>,
  request: HttpRequest,
): RouteInput {
  const ifMatch = request.headers.get('if-match');
  const { query, body } = route.ability === 'public' ? route : { query: NO_QUERY, body: NO_BODY, ...route };
  return {
    params,
    query: query && validate(query, readQuery(request.rawQuery), 'query'),
    body: body && validate(body, readBody(request), 'body'),
    precondition: ifMatch === undefined ? {} : { ifMatch },
  };
}

function readQuery(rawQuery: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    if (Object.hasOwn(query, name)) throw new AppError('BAD_REQUEST', `the query has ${name} twice`);
    query[name] = value;
  }
  return query;
}

function readBody(request: HttpRequest): Json | undefined {
  if (request.bodyBytes > MAX_REQUEST_BYTES) {
    throw new AppError('TOO_LARGE', `the body is ${request.bodyBytes} bytes; the limit is ${MAX_REQUEST_BYTES}`);
  }
  const text = request.text();
  if (text.trim() === '') return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new AppError('BAD_REQUEST', `the body is not JSON: ${error.message}`, {}, { cause: error });
  }
}

function renderOutput({ status = 200, headers, body }: RouteOutput): HttpResponse {
  if (body === undefined) return { status, headers: { ...headers }, body: '' };
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: `${stringifyJson(body as Json)}\n`,
  };
}
