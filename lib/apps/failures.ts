import type { Step } from './model.ts';

/** Why an attempt failed, by the codes of the Go peer where they fit, and what to do. */
export const FAILURES = Object.freeze({
  image_pull_failed: {
    cause: 'Lambda cannot read the image',
    fix: 'Push it to an ECR repository of this account and Region that is tagged roundhouse:stage, for the architecture of the app.',
    retryable: false,
  },
  artifact_missing: {
    cause: 'the package is not there',
    fix: 'Upload it again and deploy the new artifact.',
    retryable: false,
  },
  build_config_error: {
    cause: 'Lambda refuses the code or the settings',
    fix: 'Read the reason of Lambda, mend the package or the settings, and deploy again.',
    retryable: false,
  },
  missing_env: {
    cause: 'a variable or secret that the app needs is not there',
    fix: 'Set it, and deploy again.',
    retryable: false,
  },
  env_too_large: {
    cause: 'variables are over 4 KB together',
    fix: 'Move some of them into secrets or a file of the package.',
    retryable: false,
  },
  health_check_failed: {
    cause: 'the new version did not answer its health path well',
    fix: 'Read the excerpt and the logs, mend the app, and deploy again. A release that was live before serves on.',
    retryable: true,
  },
  container_crashed: {
    cause: 'the new version ended or threw before it answered',
    fix: 'Read the excerpt and the logs, mend the app, and deploy again. A release that was live before serves on.',
    retryable: false,
  },
  oom_killed: {
    cause: 'the new version ran out of memory',
    fix: 'Give it more resources.memory_bytes, and deploy again.',
    retryable: false,
  },
  build_timeout: {
    cause: 'Lambda did not finish an update in time',
    fix: 'Deploy again; if it goes on, look at the AWS Health dashboard of the Region.',
    retryable: true,
  },
  rollback_target_gone: {
    cause: 'the code of that release is gone',
    fix: 'Deploy the code anew.',
    retryable: false,
  },
  throttled: {
    cause: 'AWS refused calls because there were too many',
    fix: 'Deploy again in some minutes; GET /system/doctor has the quotas.',
    retryable: true,
  },
  code_storage_full: {
    cause: 'the code storage of Lambda in this Region is full',
    fix: 'Remove functions or versions, or ask AWS for more (quota L-2ACBD22F).',
    retryable: false,
  },
  permission_denied: {
    cause: 'AWS refused a call for want of a permission',
    fix: 'Deploy the stack again; the excerpt names the action.',
    retryable: false,
  },
  concurrency_exhausted: {
    cause: 'no instance was free for the new version',
    fix: 'Stop other load or ask AWS for more concurrency; GET /system/doctor has the numbers.',
    retryable: true,
  },
  worker_lost: {
    cause: 'the worker ended before the attempt did',
    fix: 'Deploy again. The release that was live before serves on.',
    retryable: true,
  },
  unknown: {
    cause: 'something unexpected',
    fix: 'Deploy again; if it goes on, the log of worker has the reason under the attempt.',
    retryable: true,
  },
} satisfies Record<string, { cause: string; fix: string; retryable: boolean }>);

export type FailureCode = keyof typeof FAILURES;

/** Why an attempt failed, as it is kept. Texts hold no secrets and are cut. */
export interface Failure {
  readonly code: FailureCode;
  /** One sentence for people: what, where, why. */
  readonly cause: string;
  readonly step?: Step;
  /** Last lines of the app's log, or the answer of the health path: at most 20 lines and 4,000 bytes. */
  readonly excerpt?: string;
  readonly suggestedFix: string;
  readonly retryable: boolean;
  readonly at: number;
}
