import type { Failure } from './failures.ts';

/** Milliseconds since the epoch, everywhere below. */
type Time = number;

/** A probe of an app's readiness; times in milliseconds. */
export interface Readiness {
  readonly path: string;
  /** From the end of one try to the start of the next. */
  readonly intervalMs: number;
  /** How long one try may take. */
  readonly timeoutMs: number;
  /** How long all tries may take together. */
  readonly budgetMs: number;
}

/** What a function version is made of besides its code. Part of every release. */
export interface ReleaseSettings {
  /** Reaches the app as `PORT`. */
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  /** MB, 128 to 10240; Lambda gives processor time in proportion. */
  readonly memoryMb: number;
  /** Seconds that one request may take, 1 to 900. */
  readonly timeoutSeconds: number;
  /** Of a zip package; an image has its own. */
  readonly runtime: string;
  readonly handler: string;
  readonly architecture: 'arm64' | 'x86_64';
  /** Absent: the new version must answer `GET /` with less than 500. */
  readonly readiness?: Readiness;
}

/** What an app should be: what POST and PUT of the app write. */
export interface AppSpec extends ReleaseSettings {
  /**
   * The code: an image of ECR (`<account>.dkr.ecr.<region>.amazonaws.com/<repository>:<tag>` or `@sha256:…`), an uploaded
   * package (`artifact:<id>`), or any text that ends in `:pending`: code comes later.
   */
  readonly image: string;
  readonly domains: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly strategy: 'blue-green' | 'rolling' | 'recreate';
  readonly replicas: number;
  /** Reserved instances while it is started; absent: none are. */
  readonly reservedConcurrency?: number;
}

/** Exactly which code, so that it is the same one at every step and at a rollback. */
export type Code =
  | { readonly kind: 'image'; readonly uri: string; readonly digest: string }
  | { readonly kind: 'zip'; readonly artifact: string; readonly versionId: string; readonly bytes: number };

export const ATTEMPT_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'canceled', 'superseded'] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

/** In their order. Up to and with `gate` an attempt can be canceled; `shift` begins with the move of the alias. */
export const STEPS = ['prepare', 'code', 'settings', 'publish', 'gate', 'shift', 'verify', 'retain'] as const;
export type Step = (typeof STEPS)[number];

export interface StepRecord {
  readonly step: Step;
  readonly startedAt: Time;
  readonly finishedAt?: Time;
  /** What it waited for or found, for people: `waited for LastUpdateStatus`. */
  readonly detail?: string;
}

/** One try to make a release live. Its settings never change after it was made. */
export interface Attempt {
  /** `dep_` and 12 characters of base64url: the number (4 bytes, big endian) and 5 random bytes. */
  readonly id: string;
  /** 1, 2, 3, … of its app: the order of attempts. */
  readonly number: number;
  readonly source: 'image' | 'manual' | 'restart' | 'rollback';
  readonly status: AttemptStatus;
  /** The step that runs, or the one at which it ended. */
  readonly step?: Step;
  readonly steps: readonly StepRecord[];
  readonly image: string;
  readonly settings: ReleaseSettings;
  /** Fixed by `prepare`; by the API for a package. */
  readonly code?: Code;
  /** Of the app's desired state when it was made. */
  readonly generation: number;
  /** Token that asked for it. */
  readonly createdBy?: string;
  readonly queuedAt: Time;
  readonly startedAt?: Time;
  readonly finishedAt?: Time;
  /** Why it waits: the app is stopped. */
  readonly waitReason?: 'suspended';
  /** Version that the alias had before the shift. */
  readonly previousVersion?: string;
  /** Version of the function that this attempt published, or goes back to. */
  readonly version?: string;
  /** Number of the release that it made; set when it succeeds. */
  readonly release?: number;
  /** What a rollback goes back to. */
  readonly rollbackOf?: { readonly deployId: string; readonly release: number; readonly fromRelease?: number };
  /** Secrets that have changed since the release a rollback goes back to was live. */
  readonly rotatedSecrets?: readonly string[];
  readonly cancelRequestedBy?: string;
  readonly canceledBy?: string;
  readonly supersededBy?: string;
  readonly failure?: Failure;
  /** Retention removed its version and its package: nothing to roll back to. */
  readonly pruned?: true;
}

/** What the alias `live` serves. */
export interface Release {
  readonly number: number;
  readonly deployId: string;
  readonly version: string;
  readonly image: string;
  readonly code: Code;
  readonly settings: ReleaseSettings;
  readonly since: Time;
}

/** A secret of an app; its value is kept elsewhere and never read back by Roundhouse. */
export interface SecretRecord {
  readonly locked: boolean;
  readonly updatedAt: Time;
  /**
   * First 12 hex digits of HMAC-SHA-256 over the value, keyed with the app's `fingerprintKey`: tells that two are not the
   * same, and nothing to somebody who guesses.
   */
  readonly fingerprint: string;
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Changes only when `status` does. */
  readonly lastTransitionAt: Time;
  readonly lastObservedAt: Time;
}

/** What was last seen of the function in the account. */
export interface Observed {
  readonly at: Time;
  /** Desired generation that this fulfils. */
  readonly generation: number;
  readonly functionArn?: string;
  readonly url?: string;
  /** Reserved concurrency is 0. */
  readonly stopped: boolean;
  readonly reservedConcurrency?: number;
  /** Of the function's code as we left it; another one was put there by somebody else. */
  readonly codeSha256?: string;
}

export interface Lease {
  readonly owner: string;
  readonly expiresAt: Time;
}

export interface Retry {
  readonly at: Time;
  /** How often in a row the work failed; reset by a new generation. */
  readonly count: number;
  readonly reason: string;
}

/** Kept until everything is gone; the name is taken as long as it is there. */
export interface Deletion {
  readonly requestedAt: Time;
  readonly requestedBy?: string;
  /** What could not be removed at the last try: an ARN or name, and why. */
  readonly leftovers: readonly { readonly resource: string; readonly reason: string }[];
}

/**
 * An app: the single item that tells the truth about it (decision 0006). Every write is conditional on `version` and adds 1.
 * `attempt` is the newest attempt, whole; it leaves this item only after its final record is in the history.
 */
export interface AppRecord {
  readonly name: string;
  /** `app_` and 12 characters: a new one when a name is used again. */
  readonly appId: string;
  readonly version: number;
  /** Unique for each write: tells whose it was. */
  readonly writeId: string;
  /** Of the desired state: `spec`, `suspended`, `restartedAt`, `deletion`, secrets. */
  readonly generation: number;
  readonly createdAt: Time;
  readonly updatedAt: Time;
  readonly spec: AppSpec;
  readonly suspended: boolean;
  /** When stop or start last changed `suspended`. */
  readonly switchedAt?: Time;
  /** Packages or secrets are, were, or were about to be kept elsewhere for it: a deletion has something to look for. */
  readonly hasBelongings?: true;
  readonly secrets: Readonly<Record<string, SecretRecord>>;
  /** Random, and never shown: with a key that is known, a short value could be found from its fingerprint. */
  readonly fingerprintKey?: string;
  readonly nextAttempt: number;
  readonly lastRelease: number;
  readonly attempt?: Attempt;
  readonly live?: Release;
  readonly observed?: Observed;
  readonly conditions: readonly Condition[];
  readonly lease?: Lease;
  readonly retry?: Retry;
  readonly deletion?: Deletion;
}

export function isFinal({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}
