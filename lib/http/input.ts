import * as z from 'zod/mini';
import type { Json } from '../engine/json.ts';
import { AppError } from '../errors.ts';
import { JsonError, parseJson } from '../k8s/json.ts';
import type { Principal } from './auth.ts';
import { type HttpRequest, MAX_REQUEST_BYTES } from './function-url.ts';
import type { Route, RouteInput } from './route.ts';
import { validate } from './validate.ts';

/** What a route that takes none is checked against: a key that it does not know is refused, not ignored. */
const NO_QUERY = z.strictObject({});
const NO_BODY = z.optional(z.strictObject({}));

/** Checks and decodes what a route takes. @throws AppError BAD_REQUEST, TOO_LARGE */
export function readInput(
  route: Route<never>,
  params: Readonly<Record<string, string>>,
  request: HttpRequest,
  caller: Principal,
): RouteInput {
  const ifMatch = request.headers.get('if-match');
  if (ifMatch !== undefined && route.unconditional === true) {
    throw new AppError('BAD_REQUEST', 'If-Match is not heeded here, so nothing was done: leave it out');
  }
  const { query, body } = route.ability === 'public' ? route : { query: NO_QUERY, body: NO_BODY, ...route };
  return {
    params,
    query: query && validate(query, readQuery(request.rawQuery), 'query'),
    body: body && validate(body, readBody(request), 'body'),
    precondition: ifMatch === undefined ? {} : { ifMatch },
    caller,
    host: request.headers.get('host'),
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
