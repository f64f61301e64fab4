import * as z from 'zod/mini';
import { ERRORS } from '../errors.ts';
import { heedsIfMatch, type Route } from './route.ts';
import { parameterName } from './router.ts';

type Schema = Readonly<Record<string, unknown>>;

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'error'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string', enum: Object.keys(ERRORS) },
    error: { type: 'string', description: 'the same text as detail' },
    errors: {
      type: 'array',
      description: 'one entry a fault of the body or query',
      items: { type: 'object', properties: { pointer: { type: 'string' }, detail: { type: 'string' } } },
    },
    failure: {
      type: 'object',
      description: 'why an attempt could not begin',
      properties: {
        code: { type: 'string' },
        cause: { type: 'string' },
        suggested_fix: { type: 'string' },
        retryable: { type: 'boolean' },
      },
    },
    diagnostics: { type: 'array', description: 'the findings about a config', items: { type: 'object' } },
    moreFindings: { type: 'integer', description: 'how many errors and diagnostics there are beyond those shown' },
  },
};

/** Renders a route table as an OpenAPI 3.1 document. Everything in it comes from the table. */
export function renderOpenApi(routes: readonly Route<never>[], version: string): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    operations[route.method.toLowerCase()] = renderOperation(route);
    paths[route.path] = operations;
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Roundhouse', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Problem: PROBLEM },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function renderOperation(route: Route<never>): object {
  const content = route.body && { 'application/json': { schema: renderSchema(route.body) } };
  const isPublic = route.ability === 'public';
  return {
    operationId: operationId(route),
    summary: route.summary,
    security: isPublic ? [] : [{ bearer: [] }],
    ...(!isPublic && { 'x-ability': route.ability }),
    parameters: [...pathParameters(route.path), ...queryParameters(route.query), ...headerParameters(route)],
    ...(content && {
      requestBody: { required: !z.safeParse(route.body as z.ZodMiniType, undefined).success, content },
    }),
    responses: {
      '2XX': renderAnswer(route.response),
      default: {
        description: 'A problem (RFC 9457)',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function renderAnswer(response: z.ZodMiniType): object {
  if (z.safeParse(response, undefined).success) return { description: 'Done; no content' };
  return { description: 'Done', content: { 'application/json': { schema: renderSchema(response) } } };
}

/** `GET /api/v1/configs/{target}/patch` is `getConfigsTargetPatch`. */
function operationId({ method, path }: Route<never>): string {
  const words = path.replace('/api/v1', '').split(/[^A-Za-z]+/);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function pathParameters(path: string): object[] {
  const names = path.split('/').flatMap((segment) => parameterName(segment) ?? []);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters(query: z.ZodMiniType | undefined): object[] {
  if (query === undefined) return [];
  const { properties = {} } = renderSchema(query) as { properties?: Record<string, Schema> };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function headerParameters(route: Route<never>): object[] {
  if (route.method === 'GET' || route.ability === 'public') return [];
  const headers = {
    ...(heedsIfMatch(route) && { 'If-Match': 'the ETag that must still be current' }),
    'Idempotency-Key': 'kept for 24 hours',
  };
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

function renderSchema(schema: z.ZodMiniType): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
