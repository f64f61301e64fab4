import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Route } from '../../../lib/http/route.ts';
import { createRouter } from '../../../lib/http/router.ts';

function entry(method: Route<unknown>['method'], path: string): Route<unknown> {
  return { method, path, ability: 'public', summary: path, response: z.unknown(), handle: () => ({}) };
}

const router = createRouter([
  entry('GET', '/api/v1/things'),
  entry('GET', '/api/v1/things/{thing}'),
  entry('PUT', '/api/v1/things/{thing}'),
  entry('GET', '/api/v1/things/special'),
  entry('POST', '/api/v1/things/{thing}/parts/{part}'),
  entry('POST', '/api/v1/things/special/polish'),
]);
const segments = (path: string) => path.slice(1).split('/').map(decodeURIComponent);

test.each([
  ['GET', '/api/v1/things', '/api/v1/things', {}],
  ['GET', '/api/v1/things/a', '/api/v1/things/{thing}', { thing: 'a' }],
  ['PUT', '/api/v1/things/a%2Fb', '/api/v1/things/{thing}', { thing: 'a/b' }],
  ['GET', '/api/v1/things/special', '/api/v1/things/special', {}],
  ['HEAD', '/api/v1/things/a', '/api/v1/things/{thing}', { thing: 'a' }],
  ['POST', '/api/v1/things/a/parts/%C3%BC', '/api/v1/things/{thing}/parts/{part}', { thing: 'a', part: 'ü' }],
  ['POST', '/api/v1/things/special/parts/p', '/api/v1/things/{thing}/parts/{part}', { thing: 'special', part: 'p' }],
])('%s %s is the route %s', (method, path, route, params) => {
  const match = router.match(method, segments(path));
  expect(match.route.path).toBe(route);
  expect(match.params).toEqual(params);
});

test.each([
  '/',
  '/api',
  '/api/v1/things/',
  '/api/v1/things/a/parts',
  '/api/v1/things/a/parts/',
  '/api/v1/things/a/parts/b/c',
  '/constructor',
  '/__proto__',
])('%s is not found', (path) => {
  expect(() => router.match('GET', segments(path))).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
});

test.each([
  ['DELETE', '/api/v1/things/a', 'GET, HEAD, PUT'],
  ['GET', '/api/v1/things/a/parts/b', 'POST'],
  ['HEAD', '/api/v1/things/a/parts/b', 'POST'],
  ['constructor', '/api/v1/things', 'GET, HEAD'],
])('%s %s is answered with what is allowed: %s', (method, path, allow) => {
  const error = expect.objectContaining({ code: 'METHOD_NOT_ALLOWED', details: { headers: { allow } } });
  expect(() => router.match(method, segments(path))).toThrow(error);
});

test.each([
  ['the same path twice', ['/a/b', '/a/b']],
  ['one shape with two parameter names', ['/a/{x}', '/a/{y}']],
])('%s is refused at start', (_name, paths) => {
  expect(() => createRouter(paths.map((path) => entry('GET', path)))).toThrow(/two routes for GET/);
});

test('a literal and a parameter may share a place', () => {
  expect(() => createRouter([entry('GET', '/a/{x}'), entry('GET', '/a/b')])).not.toThrow();
});
