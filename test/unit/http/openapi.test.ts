import { expect, test } from 'vitest';
import { ABILITIES } from '../../../lib/access/abilities.ts';
import { AppError } from '../../../lib/errors.ts';
import { renderOpenApi } from '../../../lib/http/openapi.ts';
import { changesSomething } from '../../../lib/http/route.ts';
import { ROUTES as routes } from '../../../lib/http/route-table.ts';
import { createApiClient } from '../../support/api-client.ts';

/** A good body for each route that needs one. */
const BODIES: Readonly<Record<string, object>> = {
  'PUT /api/v1/configs/{target}': { config: {}, schema: {} },
  'POST /api/v1/configs/{target}/rollback': { revision: 1 },
  'POST /api/v1/configs/{target}/convert': { object: {}, to: 'v2' },
  'PUT /api/v1/endpoints/{name}': {},
  'POST /api/v1/endpoints/{name}/rotate': {},
  'POST /api/v1/apps': { name: 'a', image: 'a:pending' },
  'PUT /api/v1/apps/{name}': { image: 'a:pending' },
  'POST /api/v1/apps/{name}/deploys': { image: 'a' },
  'PATCH /api/v1/apps/{name}/env': {},
  'PUT /api/v1/apps/{name}/env/{key}': { value: 'v' },
  'PUT /api/v1/apps/{name}/secrets/{key}': { value: 'v' },
  'POST /api/v1/apps/{name}/secrets/{key}/lock': { locked: true },
  'POST /api/v1/auth/tokens': { name: 'a', abilities: ['read'] },
};

const document: any = renderOpenApi(routes as never, '1.2.3');
const operations = routes.map((route) => ({
  route,
  operation: document.paths[route.path][route.method.toLowerCase()],
}));

test('every route is an operation with a name of its own, and nothing else is', () => {
  const count = Object.values<object>(document.paths).flatMap((methods) => Object.keys(methods)).length;
  expect(count).toBe(routes.length);
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(routes.length);
});

test.each(operations)('$route.method $route.path says what it takes and gives', ({ route, operation }) => {
  expect(operation.summary).toBe(route.summary);
  expect(operation.security).toEqual(route.ability === 'public' ? [] : [{ bearer: [] }]);
  if (route.ability !== 'public') expect(ABILITIES).toContain(operation['x-ability']);
  const inPath = operation.parameters.filter((parameter: any) => parameter.in === 'path').map(({ name }: any) => name);
  expect(route.path.match(/(?<=\{)[^}]+/g) ?? []).toEqual(inPath);
  expect(operation.requestBody !== undefined).toBe(route.body !== undefined);
  expect(Object.keys(operation.responses)).toEqual(['2XX', 'default']);
});

test('the document is plain JSON of OpenAPI 3.1', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Roundhouse', version: '1.2.3' } });
  expect(JSON.parse(JSON.stringify(document))).toEqual(document);
});

test('a body, a query and an answer are spelled out', () => {
  const { parameters, requestBody, responses } = document.paths['/api/v1/configs/{target}'].put;
  expect(parameters).toContainEqual(
    expect.objectContaining({ name: 'dryRun', in: 'query', schema: expect.anything() }),
  );
  expect(parameters.map(({ name }: any) => name)).toEqual(['target', 'dryRun', 'If-Match', 'Idempotency-Key']);
  expect(requestBody.required).toBe(true);
  expect(requestBody.content['application/json'].schema).toMatchObject({ required: ['config', 'schema'] });
  expect(responses['2XX'].content['application/json'].schema.properties.revision).toMatchObject({ type: 'integer' });
  expect(document.paths['/api/v1/configs/{target}'].delete.responses['2XX']).toEqual({
    description: 'Done; no content',
  });
  expect(document.paths['/api/v1/endpoints/{name}/rotate'].post.requestBody.required).toBe(false);
});

test.each(operations)(
  '$route.method $route.path documents If-Match exactly where it heeds it',
  async ({ route, operation }) => {
    const given: unknown[] = [];
    const service = new Proxy(
      {},
      {
        get:
          () =>
          (...args: unknown[]) => {
            given.push(...args);
            return Promise.reject(new AppError('CONFLICT', 'stop here'));
          },
      },
    );
    const services = { configs: service, endpoints: service, registries: service, apps: service, tokens: service };
    const { call } = createApiClient(services);
    const body = BODIES[`${route.method} ${route.path}`];
    const path = route.path.replace('{revision}', '1').replaceAll(/\{\w+\}/g, 'a');
    const answer = await call(route.method, path, { body, headers: { 'if-match': '"e9"' } });
    const documented = operation.parameters.some(({ name }: any) => name === 'If-Match');
    expect(JSON.stringify(given).includes('e9')).toBe(documented);
    // A mutation that would not look at it does not go on without the check.
    const refused = answer.statusCode === 400 && answer.json.error.startsWith('If-Match is not heeded here');
    expect(refused).toBe(changesSomething(route) && !documented);
  },
);

test('the time that a token can outlive its end is spelled out', () => {
  const { summary, requestBody } = document.paths['/api/v1/endpoints/{name}/rotate'].post;
  expect(summary).toContain('which works at once');
  const { graceSeconds } = requestBody.content['application/json'].schema.properties;
  expect(graceSeconds).toMatchObject({ type: 'integer', minimum: 0, maximum: 2_592_000, default: 86_400 });
  expect(graceSeconds.description).toContain('for up to 5 seconds');
});
