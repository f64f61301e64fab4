import type { Json } from '../engine/json.ts';
import { AppError, ERRORS } from '../errors.ts';
import { stringifyJson } from '../k8s/json.ts';
import { describeError, type Log, redactPath } from '../telemetry/log.ts';
import { cutText, limitFindings } from './findings.ts';
import type { HttpRequest, HttpResponse } from './function-url.ts';

interface ProblemOptions {
  readonly log: Log;
  /** Makes the reference that ties an `INTERNAL` answer to its log line. */
  readonly newId: () => string;
}

/**
 * Renders a throw as RFC 9457 problem+json, with the key `error` (a string) that clients of the peer read. Anything but
 * an `AppError` is `INTERNAL`: logged once, and answered with a reference instead of its text. Long texts are cut, and
 * of long lists the first 1,000 entries are shown, so that a problem always fits into an answer.
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
  const { headers, errors, diagnostics, failure } = error.details;
  const { status, title } = ERRORS[error.code];
  const shownErrors = errors && limitFindings(errors);
  const shownDiagnostics = diagnostics && limitFindings(diagnostics);
  const moreFindings = (shownErrors?.more ?? 0) + (shownDiagnostics?.more ?? 0);
  const detail = cutText(error.message);
  const problem = {
    type: `urn:roundhouse:problem:${error.code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail,
    ...(request && { instance: request.path }),
    code: error.code,
    error: detail,
    ...(failure && { failure }),
    ...(shownErrors && { errors: shownErrors.shown }),
    ...(shownDiagnostics && { diagnostics: shownDiagnostics.shown }),
    ...(moreFindings > 0 && { moreFindings }),
  };
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: stringifyJson(problem as unknown as Json),
  };
}
