import type { Diagnostic } from './engine/diagnostic.ts';

/** Every error a caller can see: its HTTP status (RFC 9110), its title, and whether the same request may succeed later. */
export const ERRORS = Object.freeze({
  BAD_REQUEST: { status: 400, title: 'Bad request', retryable: false },
  UNAUTHORIZED: { status: 401, title: 'Unauthorized', retryable: false },
  FORBIDDEN: { status: 403, title: 'Forbidden', retryable: false },
  NOT_FOUND: { status: 404, title: 'Not found', retryable: false },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed', retryable: false },
  CONFLICT: { status: 409, title: 'Conflict', retryable: false },
  PRECONDITION_FAILED: { status: 412, title: 'Precondition failed', retryable: true },
  TOO_LARGE: { status: 413, title: 'Too large', retryable: false },
  UNPROCESSABLE: { status: 422, title: 'Unprocessable', retryable: false },
  CONFIG_INVALID: { status: 422, title: 'The config is invalid', retryable: false },
  CONVERSION_FAILED: { status: 422, title: 'The object cannot be converted', retryable: false },
  RATE_LIMITED: { status: 429, title: 'Too many requests', retryable: true },
  INTERNAL: { status: 500, title: 'Internal error', retryable: true },
  NOT_CONFIGURED: { status: 501, title: 'Not configured', retryable: false },
  BAD_GATEWAY: { status: 502, title: 'Bad gateway', retryable: true },
  UNAVAILABLE: { status: 503, title: 'Unavailable', retryable: true },
} satisfies Record<string, { status: number; title: string; retryable: boolean }>);

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorDetails {
  /** All findings at once, for `CONFIG_INVALID`. */
  readonly diagnostics?: readonly Diagnostic[];
  /** One entry a field, for a malformed body; `pointer` is an RFC 6901 JSON pointer. */
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  /** Why an attempt could not even begin, as an attempt that failed would tell it. */
  readonly failure?: {
    readonly code: string;
    readonly cause: string;
    readonly suggested_fix: string;
    readonly retryable: boolean;
  };
  /** Extra response headers, such as `allow` or `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The one error class that crosses module borders. Its message is shown to callers, so it never holds secrets. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = details;
  }
}
