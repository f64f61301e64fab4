import { SELF_TEST_PATH } from '../http/self-test-definition.ts';
import type { SyntheticTelemetry } from '../telemetry/metrics.ts';
import { checkAnswer, renderReview } from './review.ts';

interface SyntheticOptions {
  /** Where apiservers reach `convert`, `https://host`. */
  readonly convertUrl: string;
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly telemetry: SyntheticTelemetry;
  /** How long the answer may take, in milliseconds; 15,000 when absent. */
  readonly timeoutMs?: number;
}

/**
 * More than a cold start of `convert` (2 s) and its read of a table that hangs (9 s), so that its answer, which says so,
 * is heard; less than the 30 s that this function has, and an apiserver waits.
 */
const TIMEOUT_MS = 15_000;
/** The recorded answer has 1 KiB. What is at the wrong end of a URL may send anything. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** What is wrong when this status comes from the platform, or from `convert`. */
const STATUS_HINTS: Readonly<Record<number, string>> = {
  403: 'the function URL lacks one of its two invoke permissions: lambda:InvokeFunctionUrl and lambda:InvokeFunction',
  404: 'something answers at this URL that is not convert, or a version of it without a self-test',
  429: 'no concurrency is left for convert: raise its reservation or the limit of the account',
  500: 'a fault in convert, whose log has the reference, or a gateway that may not invoke it',
  502: 'convert crashed, or its result is no HTTP answer: see its log',
  503: 'convert cannot read its table, or the platform in front of it is overloaded',
  504: 'convert did not end in time: see its log',
};

const CODE_HINTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not exist in DNS: the URL or its DNS record is gone',
  EAI_AGAIN: 'DNS does not answer',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
};

/**
 * Sends the recorded review through the URL that apiservers use, and records how it went. A failed review is what the
 * metric tells, so it does not reject: Lambda would only repeat it.
 */
export function createSyntheticReview(options: SyntheticOptions): () => Promise<void> {
  const { now, telemetry } = options;
  return async () => {
    const started = now();
    const reason = await probeConvert(options);
    const durationMs = now() - started;
    telemetry.record({ failed: reason !== undefined, durationMs, ...(reason !== undefined && { reason }) });
  };
}

/** What is wrong with the answer to the recorded review through that URL, with what to do; undefined when it is good. */
export async function probeConvert(options: Omit<SyntheticOptions, 'now' | 'telemetry'>): Promise<string | undefined> {
  const { convertUrl, fetch, newId, timeoutMs = TIMEOUT_MS } = options;
  const url = new URL(SELF_TEST_PATH, convertUrl);
  const uid = newId();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'roundhouse-synthetic',
        // Lambda freezes the process until the next review: a connection that is kept is dead by then. So each review
        // makes one, which is also what finds a fault of DNS or of the certificate.
        connection: 'close',
      },
      body: renderReview(uid),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { status } = response;
    const body = await readBody(response);
    const reason =
      body === undefined ? `the answer is HTTP ${status} and longer than 64 KiB` : checkAnswer(uid, { status, body });
    const hint = STATUS_HINTS[status];
    return reason && (hint === undefined ? reason : `${reason} (${hint})`);
  } catch (error) {
    return describeFailure(error, url.host, timeoutMs);
  }
}

/** Undefined when it is too long; the rest is not read then. */
async function readBody({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** `fetch` rejects with a TypeError whose cause has the code, and for the timeout with a DOMException of that name. */
function describeFailure(error: unknown, host: string, timeoutMs: number): string {
  if (!(error instanceof Error)) return `no answer from ${host}`;
  if (error.name === 'TimeoutError') return `no answer from ${host} within ${timeoutMs / 1000} s`;
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  return `no answer from ${host}: ${CODE_HINTS[code] ?? cause.message} (${code})`;
}
