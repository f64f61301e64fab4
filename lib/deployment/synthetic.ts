import { SELF_TEST_PATH } from '../self-test/definition.ts';
import { checkAnswer, renderReview } from '../self-test/review.ts';
import type { Log } from '../telemetry/log.ts';
import type { SyntheticTelemetry } from '../telemetry/metrics.ts';

interface SyntheticOptions {
  /** Where apiservers reach `convert`, `https://host`. */
  readonly convertUrl: string;
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly telemetry: SyntheticTelemetry;
  readonly log: Log;
  /** How long the answer may take, in milliseconds; 10,000 when absent: an apiserver waits 30 s for its own. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

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
  const { now, telemetry, log } = options;
  return async () => {
    const started = now();
    const reason = await review(options);
    const durationMs = now() - started;
    if (reason !== undefined) log.error('synthetic review failed', { reason });
    telemetry.record({ failed: reason !== undefined, durationMs, ...(reason !== undefined && { reason }) });
  };
}

async function review(options: SyntheticOptions): Promise<string | undefined> {
  const { convertUrl, fetch, newId, timeoutMs = TIMEOUT_MS } = options;
  const url = new URL(SELF_TEST_PATH, convertUrl);
  const uid = newId();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'roundhouse-synthetic' },
      body: renderReview(uid),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const reason = checkAnswer(uid, { status: response.status, body: await response.text() });
    const hint = STATUS_HINTS[response.status];
    return reason && (hint === undefined ? reason : `${reason} (${hint})`);
  } catch (error) {
    return describeFailure(error, url.host, timeoutMs);
  }
}

/** `fetch` rejects with a TypeError whose cause has the code, and for the timeout with a DOMException of that name. */
function describeFailure(error: unknown, host: string, timeoutMs: number): string {
  if (!(error instanceof Error)) return `no answer from ${host}`;
  if (error.name === 'TimeoutError') return `no answer from ${host} within ${timeoutMs / 1000} s`;
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  return `no answer from ${host}: ${CODE_HINTS[code] ?? cause.message} (${code})`;
}
