import { FAILURES, type Failure, type FailureCode } from '../failures.ts';
import type { Attempt } from '../model.ts';
import { RuntimeError, type RuntimeErrorCode } from '../runtime/runtime.ts';
import { redact } from './excerpt.ts';
import { AttemptFailed } from './signals.ts';

const CODES: Readonly<Record<RuntimeErrorCode, FailureCode>> = {
  conflict: 'build_timeout',
  precondition: 'build_timeout',
  throttled: 'throttled',
  not_found: 'unknown',
  role_not_ready: 'permission_denied',
  image_unreadable: 'image_pull_failed',
  code_missing: 'artifact_missing',
  code_storage_full: 'code_storage_full',
  concurrency_exhausted: 'concurrency_exhausted',
  permission_denied: 'permission_denied',
  env_too_large: 'env_too_large',
  invalid: 'build_config_error',
  unavailable: 'unknown',
};

const CAUSE_LENGTH = 1_000;

/** What ended an attempt, as it is kept. Values of the attempt's variables are blotted out of every text. */
export function failureOf(error: unknown, attempt: Attempt, now: number): Failure {
  const { step, settings } = attempt;
  const [code, cause] = verdictOf(error, attempt);
  const { fix, retryable } = FAILURES[code];
  const excerpt = error instanceof AttemptFailed ? error.excerpt : undefined;
  return {
    code,
    cause: redact(cause, settings.env).slice(0, CAUSE_LENGTH),
    ...(step !== undefined && { step }),
    ...(excerpt !== undefined && { excerpt }),
    suggestedFix: fix,
    retryable,
    at: now,
  };
}

/** The end of an attempt whose worker never came back. */
export function workerLost(attempt: Attempt, now: number): Failure {
  const { fix, retryable } = FAILURES.worker_lost;
  const step = attempt.step ?? 'prepare';
  return { code: 'worker_lost', cause: `worker lost at ${step}`, step, suggestedFix: fix, retryable, at: now };
}

function verdictOf(error: unknown, { step, source }: Attempt): [FailureCode, string] {
  if (error instanceof AttemptFailed) return [error.code, error.message];
  // What is no answer of AWS is our own fault, and its text may hold anything: it is in the log.
  if (!(error instanceof RuntimeError)) return ['unknown', `Something unexpected happened at ${step}.`];
  const mapped = CODES[error.code];
  const code = mapped === 'artifact_missing' && source === 'rollback' ? 'rollback_target_gone' : mapped;
  return [code, `At ${step ?? 'the start'}: ${FAILURES[code].cause}. ${error.message}`];
}
