import * as z from 'zod/mini';
import { AppError } from '../errors.ts';
import { acceptsGzip, compressLarge, MAX_RESULT_BYTES, oversize } from './answer-size.ts';
import type { HttpRequest, HttpResponse } from './function-url.ts';
import { changesSomething, type Route } from './route.ts';

/**
 * An answer in a form that Lambda can send: compressed where it is large and the caller takes that, and without its body
 * for HEAD. Throws `TOO_LARGE` with what to do for one that is too large even so: Lambda would make it a bare 502 (R31).
 */
export async function fitAnswer(
  response: HttpResponse,
  route: Route<never>,
  { method, headers }: HttpRequest,
): Promise<HttpResponse> {
  const acceptEncoding = headers.get('accept-encoding');
  const fitting = await compressLarge(response, acceptEncoding);
  const bytes = oversize(fitting);
  if (bytes !== undefined) throw tooLarge(bytes, route, acceptsGzip(acceptEncoding));
  return method === 'HEAD' ? { status: fitting.status, headers: fitting.headers, body: '' } : fitting;
}

function tooLarge(bytes: number, route: Route<never>, compressed: boolean): AppError {
  const size = `its answer is ${bytes} bytes; the limit is ${MAX_RESULT_BYTES}`;
  const ways = [
    ...(compressed ? [] : ['send accept-encoding: gzip']),
    ...(takesLimit(route) ? ['ask with a smaller limit'] : []),
  ];
  const advice = ways.length === 0 ? 'there is no smaller form of it' : ways.join(', or ');
  const done = changesSomething(route) ? 'the request was carried out, but ' : '';
  return new AppError('TOO_LARGE', `${done}${size}: ${advice}`);
}

function takesLimit({ query }: Route<never>): boolean {
  return query !== undefined && z.safeParse(query, { limit: '1' }).success;
}
