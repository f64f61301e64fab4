import { RuntimeError } from '../runtime/runtime.ts';
import { toAppError } from '../services/app-error.ts';

/** Waits for an answer of AWS; what goes wrong there is no fault of the request. @throws AppError with a 5xx */
export async function ask<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof RuntimeError ? toAppError(error) : error;
  }
}
