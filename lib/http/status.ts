import { AppError } from '../errors.ts';
import { describeError, type Log, redactPath } from '../telemetry/log.ts';
import type { HttpRequest, HttpResponse } from './function-url.ts';
import { SELF_TEST_PATH } from './self-test-definition.ts';

/** `reason` of a Kubernetes `Status`, by HTTP code (metav1.StatusReason). */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  413: 'RequestEntityTooLarge',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/**
 * A Kubernetes `Status` as the body of a 4xx or 5xx. client-go decodes it and kubectl shows its message; any other
 * body reaches the user as "rejected for an unknown reason" (R11).
 */
export function renderStatus(error: AppError): HttpResponse {
  return {
    status: error.status,
    headers: { 'content-type': 'application/json', ...error.details.headers },
    body: JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: error.message,
      reason: REASONS[error.status] ?? 'InternalError',
      code: error.status,
    }),
  };
}

/**
 * Renders what the conversion handler throws. `UNAVAILABLE`, which means that no plan could be loaded at all, asks to
 * be called again: client-go does so when the header is there (R11). Other throws are logged with a reference.
 */
export function createStatusRenderer({ log, newId }: { readonly log: Log; readonly newId: () => string }) {
  return (error: unknown, request: HttpRequest | undefined): HttpResponse => {
    if (error instanceof AppError && error.status < 500) return renderStatus(error);
    const reference = newId();
    const path = redactPath(request?.path ?? '', SELF_TEST_PATH);
    log.error('review not answered', { reference, path, ...describeError(error) });
    if (error instanceof AppError && error.code === 'UNAVAILABLE') {
      const headers = { 'retry-after': '1' };
      return renderStatus(
        new AppError('UNAVAILABLE', `no plan could be loaded yet, reference ${reference}`, { headers }),
      );
    }
    return renderStatus(new AppError('INTERNAL', `internal error, reference id ${reference}`));
  };
}
