import { Buffer } from 'node:buffer';
import { AppError } from '../errors.ts';

/** The parts of a Lambda function-URL event (payload format 2.0) that we read; any of them may be missing in a foreign event. */
export interface FunctionUrlEvent {
  readonly rawPath?: string;
  readonly rawQueryString?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext?: {
    readonly requestId?: string;
    readonly http?: { readonly method?: string; readonly sourceIp?: string };
  };
}

/** What Lambda turns into the HTTP answer. A `body` that is not a string would become a 502 (R27). */
export interface FunctionUrlResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded?: true;
}

/** The parts of the Lambda context that we read. */
export interface Invocation {
  readonly getRemainingTimeInMillis?: () => number;
}

export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** As it came, percent-encoded. */
  readonly path: string;
  /** The path's segments, percent-decoded; a segment with a broken escape stays as it came and so matches nothing. */
  readonly segments: readonly string[];
  readonly rawQuery: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Size of the body on the wire, known without decoding it. */
  readonly bodyBytes: number;
  /** The body as text: base64 undone, BOM removed. Throws `BAD_REQUEST` when it is not UTF-8. */
  readonly text: () => string;
  readonly sourceIp: string;
  readonly requestId: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or base64 when `base64` is set. */
  readonly body: string;
  readonly base64?: true;
}

/** Lambda's limit for one synchronous request, and the largest body we read: 6 MiB. */
export const MAX_REQUEST_BYTES = 6_291_456;

const BOM = 0xfeff;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Any content type is taken (R27): function URLs send text types as text and everything else as base64. */
export function decodeRequest(event: FunctionUrlEvent): HttpRequest {
  const body = event.body ?? '';
  const base64 = event.isBase64Encoded === true;
  const path = event.rawPath ?? '/';
  return {
    method: (event.requestContext?.http?.method ?? 'GET').toUpperCase(),
    path,
    segments: decodeSegments(path),
    rawQuery: event.rawQueryString ?? '',
    headers: decodeHeaders(event.headers),
    bodyBytes: Buffer.byteLength(body, base64 ? 'base64' : 'utf8'),
    text: () => decodeBody(body, base64),
    sourceIp: event.requestContext?.http?.sourceIp ?? '',
    requestId: event.requestContext?.requestId ?? '',
  };
}

export function encodeResponse(response: HttpResponse): FunctionUrlResult {
  return {
    statusCode: response.status,
    headers: response.headers,
    body: response.body,
    ...(response.base64 && { isBase64Encoded: true }),
  };
}

function decodeSegments(path: string): readonly string[] {
  const segments = path.slice(1).split('/');
  return path.includes('%') ? segments.map(decodeSegment) : segments;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function decodeHeaders(headers: FunctionUrlEvent['headers']): ReadonlyMap<string, string> {
  const decoded = new Map<string, string>();
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== undefined) decoded.set(name.toLowerCase(), value);
  }
  return decoded;
}

function decodeBody(body: string, base64: boolean): string {
  if (!base64) return body.charCodeAt(0) === BOM ? body.slice(1) : body;
  try {
    return utf8.decode(Buffer.from(body, 'base64'));
  } catch {
    throw new AppError('BAD_REQUEST', 'the body is not UTF-8 text');
  }
}
