import type { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../context.ts';
import { LambdaError } from '../errors.ts';
import type { Fault } from '../faults.ts';
import { parseFunctionName } from '../names.ts';

/** One operation of the API. Paths and statuses are those of the AWS Lambda API reference. */
export interface Operation {
  readonly name: string;
  /** `POST /2015-03-31/functions/{FunctionName}/aliases` */
  readonly route: string;
  readonly status: number;
  readonly handle: (call: Call, context: Context) => unknown;
}

export interface Call {
  /** The path's parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The fault that this call meets, if it is one of those that let it be carried out. */
  readonly fault?: Fault;
}

/** An answer that is more than a JSON body. */
export class Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;

  constructor(status: number, headers: Readonly<Record<string, string>>, body: string) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** The function that a call is about, and the qualifier of its name or its query. */
export function target({ params, query }: Call): { readonly name: string; readonly qualifier: string | undefined } {
  const { name, qualifier } = parseFunctionName(params['FunctionName'] ?? '');
  return { name, qualifier: query.get('Qualifier') ?? qualifier };
}

/**
 * The body as JSON. The emulator's callers are SDK clients, so the form of the rest is taken as it is typed.
 * @throws LambdaError InvalidRequestContentException
 */
export function parseBody<T extends object>({ body }: Call): Partial<T> {
  try {
    const value: unknown = body.length === 0 ? {} : JSON.parse(body.toString());
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  throw new LambdaError('InvalidRequestContentException', 'Could not parse request body into json');
}

/** One page of a list: Lambda's markers are opaque, ours say where the next page begins. */
export function page<T>(
  { query }: Call,
  items: readonly T[],
  most: number,
): { items: T[]; marker: string | undefined } {
  const start = Number(query.get('Marker') ?? 0);
  if (!Number.isInteger(start) || start < 0) {
    throw new LambdaError('InvalidParameterValueException', 'Invalid Marker');
  }
  const size = Math.min(Number(query.get('MaxItems') ?? most), most);
  const end = start + size;
  return { items: items.slice(start, end), marker: end < items.length ? `${end}` : undefined };
}
