import type { Probe } from '../ports.ts';
import { RuntimeError } from '../runtime/runtime.ts';

/** What is kept of an answer: enough to tell why it is not a good one. */
const MAX_BYTES = 4_096;

/** Codes of Node's sockets, TLS and `fetch`, in words. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, 'its host name is not known'],
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection ended before an answer'],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'its host cannot be reached'],
  [/CERT|^ERR_(TLS|SSL)|^UNABLE_TO_|SELF_SIGNED/, 'TLS failed'],
  [/^HTTPParserError$|^HPE_|^UND_ERR_/, 'what it answered is not HTTP'],
];

/**
 * Asks the URL of an app once and takes what comes: a redirect is not followed, and the body is cut at 4 KB. Rejects with
 * `RuntimeError` `unavailable` and a short reason when there is no whole answer in time.
 */
export function createProbe({ fetch }: { readonly fetch: typeof globalThis.fetch }): Probe {
  return async (url, timeoutMs) => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const headers = { 'user-agent': 'roundhouse-probe' };
      const response = await fetch(url, { redirect: 'manual', signal, headers });
      return { status: response.status, body: await readStart(response.body) };
    } catch (error) {
      throw new RuntimeError('unavailable', `GET ${url} had no answer: ${reasonOf(error, timeoutMs)}.`);
    }
  };
}

/** Valid text, even when the cut is within a character. */
async function readStart(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = MAX_BYTES;
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    // Leaving the loop cancels the rest.
    if (left <= 0) return text;
  }
  return text + decoder.decode();
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string; name?: string } };
  if (name === 'TimeoutError') return `none came in ${timeoutMs} ms`;
  const code = cause?.code ?? cause?.name ?? name ?? 'unknown';
  const words = REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'the request failed';
  return `${words} (${code})`;
}
