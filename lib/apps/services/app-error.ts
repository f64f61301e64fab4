import { AppError } from '../../errors.ts';
import { callAws } from '../runtime/aws-error.ts';
import { RuntimeError } from '../runtime/runtime.ts';

/**
 * What a failed call of AWS is to a caller of the API: 503 when the same request may succeed soon, else 502. The text goes to
 * the log; callers see the title and a reference to it.
 */
export function toAppError(error: RuntimeError): AppError {
  const isPassing = error.code === 'throttled' || error.code === 'unavailable' || error.code === 'conflict';
  const details = isPassing ? { headers: { 'retry-after': '1' } } : {};
  return new AppError(isPassing ? 'UNAVAILABLE' : 'BAD_GATEWAY', error.message, details, { cause: error });
}

/** A call of AWS for an answer of the API. Rejects with `AppError`. */
export async function askAws<T>(service: Parameters<typeof callAws>[0]['service'], send: () => Promise<T>): Promise<T> {
  try {
    return await callAws({ service }, send);
  } catch (error) {
    throw error instanceof RuntimeError ? toAppError(error) : error;
  }
}
