import type { FailureCode } from '../failures.ts';
import type { Invocation } from '../runtime/runtime.ts';

/** What a version said to a synthetic request. */
export interface Answer {
  /** 0 when there was no HTTP answer. */
  readonly status: number;
  /** Why there was none. */
  readonly problem?: string;
  readonly code?: FailureCode;
  /** Another try would not help. */
  readonly fatal: boolean;
  /** Log or body, not yet fit to be kept. */
  readonly excerpt: string;
}

const OUT_OF_MEMORY = /OutOfMemory|heap out of memory|signal: killed/;
const TIMED_OUT = /Task timed out after/;

/** Reads an answer as a function URL does: without `statusCode`, any JSON is a 200. */
export function readInvocation({ functionError, payload, logTail }: Invocation): Answer {
  const value = parse(payload);
  const excerpt = logTail || payload;
  if (functionError !== undefined) {
    const message = field(value, 'errorMessage') ?? payload.slice(0, 200);
    const type = field(value, 'errorType');
    const problem = type === undefined || message.includes(type) ? message : `${type}: ${message}`;
    const all = `${payload}\n${logTail}`;
    // A start can take longer than a request may: the next try meets an instance that runs.
    if (TIMED_OUT.test(all)) return { status: 0, problem, code: 'health_check_failed', fatal: false, excerpt };
    const code = OUT_OF_MEMORY.test(all) ? 'oom_killed' : 'container_crashed';
    return { status: 0, problem, code, fatal: true, excerpt };
  }
  const status = statusOf(value);
  if (status === undefined) {
    const problem = 'what it returned is no HTTP answer (a function URL would make it 502)';
    return { status: 502, problem, code: 'health_check_failed', fatal: false, excerpt: payload };
  }
  return { status, fatal: false, excerpt: bodyOf(value) ?? payload };
}

function parse(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}

function statusOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || !('statusCode' in value)) return 200;
  const status = Number(value.statusCode);
  return Number.isInteger(status) && status >= 100 && status <= 599 ? status : undefined;
}

function bodyOf(value: unknown): string | undefined {
  const body = field(value, 'body');
  const base64 = typeof value === 'object' && value !== null && 'isBase64Encoded' in value && value.isBase64Encoded;
  return body !== undefined && base64 ? Buffer.from(body, 'base64').toString() : body;
}

function field(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' ? found : undefined;
}
