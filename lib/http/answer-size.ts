import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { encodeResponse, type HttpResponse } from './function-url.ts';

/** Our limit for one serialised Lambda result. Lambda's own is 6,291,556 bytes; past it the caller gets a bare 502. */
export const MAX_RESULT_BYTES = 6_000_000;
/** A body from here on is compressed, where the caller takes it. */
const GZIP_FROM_BYTES = 1_000_000;
/** JSON writes one UTF-16 unit of a string as at most six bytes (a control character or a lone surrogate as \uXXXX). */
const MAX_BYTES_PER_UNIT = 6;
/** Room for status and headers beside the body. */
const FRAME_BYTES = 4_096;

const compress = promisify(gzip);

/** A JSON answer with status 200, in the smaller of the forms that the caller takes. */
export async function renderJson(body: string, acceptEncoding: string | undefined): Promise<HttpResponse> {
  return await compressLarge({ status: 200, headers: { 'content-type': 'application/json' }, body }, acceptEncoding);
}

/**
 * The answer as it is, or, over 1 MB and where the caller takes it, with its text as gzip in base64: that costs 4/3 of
 * the compressed size where escaping alone costs text 1.2 to 1.3.
 */
export async function compressLarge(response: HttpResponse, acceptEncoding: string | undefined): Promise<HttpResponse> {
  if (!isOver(response.body, GZIP_FROM_BYTES, 3) || !acceptsGzip(acceptEncoding)) return response;
  // Level 1: 6 MB of objects take a third of the time of the default level, and are a little larger.
  const compressed = await compress(response.body, { level: 1 });
  return {
    status: response.status,
    headers: { ...response.headers, 'content-encoding': 'gzip' },
    body: compressed.toString('base64'),
    base64: true,
  };
}

/** Bytes of the serialised result when they are over the limit. Small answers are not serialised to find out (R31). */
export function oversize(response: HttpResponse): number | undefined {
  if (response.body.length * MAX_BYTES_PER_UNIT + FRAME_BYTES <= MAX_RESULT_BYTES) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify(encodeResponse(response)));
  return bytes > MAX_RESULT_BYTES ? bytes : undefined;
}

function isOver(text: string, bytes: number, maxBytesPerUnit: number): boolean {
  return text.length * maxBytesPerUnit > bytes && Buffer.byteLength(text) > bytes;
}

/** `gzip`, or `*`, unless its quality is zero (RFC 9110, 12.5.3). */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const codings = new Map<string, boolean>();
  for (const part of (acceptEncoding ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
    codings.set(coding, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)));
  }
  return codings.get('gzip') ?? codings.get('*') ?? false;
}
