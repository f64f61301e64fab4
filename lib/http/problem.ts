import type { Json } from '../engine/json.ts';
import { AppError, ERRORS } from '../errors.ts';
import { stringifyJson } from '../k8s/json.ts';
import { describeError, type Log, redactPath } from '../telemetry/log.ts';
import type { HttpRequest, HttpResponse } from './function-url.ts';

interface ProblemOptions {
  readonly log: Log;
  /** Makes the reference that ties an `INTERNAL` answer to its log line. */
  readonly newId: () => string;
}

/**
 * Renders a throw as RFC 9457 problem+json, with the key `error` (a string) that clients of the peer read. Anything but
 * an `AppError` is `INTERNAL`: logged once, and answered with a reference instead of its text.
 */
export function createProblemRenderer({ log, newId }: ProblemOptions) {
  return (error: unknown, request: HttpRequest | undefined): HttpResponse => {
    if (error instanceof AppError && error.status < 500) return renderProblem(error, request);
    const reference = newId();
    log.error('request failed', {
      reference,
      method: request?.method,
      path: redactPath(request?.path ?? ''),
      ...describeError(error),
    });
    const shown = error instanceof AppError && error.code !== 'INTERNAL' ? error.code : 'INTERNAL';
    const headers = error instanceof AppError ? error.details : {};
    return renderProblem(new AppError(shown, `${ERRORS[shown].title}, reference ${reference}`, headers), request);
  };
}

function renderProblem(error: AppError, request: HttpRequest | undefined): HttpResponse {
  const { headers, errors, diagnostics } = error.details;
  const { status, title } = ERRORS[error.code];
  const problem = {
    type: `urn:roundhouse:problem:${error.code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail: error.message,
    ...(request && { instance: request.path }),
    code: error.code,
    error: error.message,
    ...(errors && { errors }),
    ...(diagnostics && { diagnostics }),
  };
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: stringifyJson(problem as unknown as Json),
  };
}
