import { expect, test } from 'vitest';
import { ABILITIES } from '../../../lib/http/auth.ts';
import { renderOpenApi } from '../../../lib/http/openapi.ts';
import { configRoutes } from '../../../lib/http/routes/configs.ts';
import { endpointRoutes } from '../../../lib/http/routes/endpoints.ts';
import { registryRoutes } from '../../../lib/http/routes/registry.ts';
import { systemRoutes } from '../../../lib/http/routes/system.ts';

const routes = [...configRoutes, ...endpointRoutes, ...registryRoutes, ...systemRoutes];
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
