import type { Code } from './model.ts';

/** Packages that people upload: objects of the artifact bucket, `apps/<app>/<artifact>.zip`. */
export interface Artifacts {
  /** Where the caller puts the zip, with which headers, until when. */
  createUpload(app: string, artifact: string): Promise<Upload>;
  /** The newest upload; undefined when nothing was uploaded. */
  find(app: string, artifact: string): Promise<{ readonly versionId: string; readonly bytes: number } | undefined>;
  /** Whether exactly that version is still there. */
  exists(app: string, artifact: string, versionId: string): Promise<boolean>;
  /** Every version of one artifact; no error when it is gone. */
  remove(app: string, artifact: string): Promise<void>;
  removeAll(app: string): Promise<void>;
}

export interface Upload {
  readonly method: 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Images of ECR. */
export interface Images {
  /** Pins a tag to its digest. Rejects with `RuntimeError` `image_unreadable`. */
  resolve(image: string): Promise<Extract<Code, { kind: 'image' }>>;
  exists(code: Extract<Code, { kind: 'image' }>): Promise<boolean>;
}

/** Values of secrets, one encrypted parameter each. They go in and never come out here. */
export interface SecretValues {
  put(app: string, key: string, value: string): Promise<void>;
  remove(app: string, key: string): Promise<void>;
  removeAll(app: string): Promise<void>;
  /** Under which path the app itself reads them. */
  pathOf(app: string): string;
}

/** The role of an app, with the permissions boundary. */
export interface Roles {
  /** Makes what is missing; gives the ARN. */
  ensure(app: string): Promise<string>;
  remove(app: string): Promise<void>;
}

export interface LogGroups {
  nameOf(app: string): string;
  ensure(app: string): Promise<void>;
  remove(app: string): Promise<void>;
}

export interface AppLogs {
  /** Oldest first, at most `limit`; `next` is given when there may be more. */
  read(app: string, query: LogQuery): Promise<{ readonly entries: readonly LogEntry[]; readonly next?: string }>;
}

export interface LogQuery {
  readonly from: number;
  readonly to: number;
  /** Text that a line must contain, as it is written. */
  readonly contains?: string;
  readonly limit: number;
  readonly next?: string;
}

export interface LogEntry {
  readonly at: number;
  readonly stream: string;
  readonly message: string;
}

export const APP_METRICS = {
  invocations: { name: 'Invocations', statistic: 'Sum' },
  errors: { name: 'Errors', statistic: 'Sum' },
  throttles: { name: 'Throttles', statistic: 'Sum' },
  duration_p50: { name: 'Duration', statistic: 'p50' },
  duration_p95: { name: 'Duration', statistic: 'p95' },
  concurrent_executions: { name: 'ConcurrentExecutions', statistic: 'Maximum' },
} as const;
export type AppMetric = keyof typeof APP_METRICS;

export interface AppMetrics {
  read(app: string, query: MetricQuery): Promise<readonly MetricPoint[]>;
}

export interface MetricQuery {
  readonly metric: AppMetric;
  readonly from: number;
  readonly to: number;
  /** Whole minutes, in milliseconds. */
  readonly stepMs: number;
}

export interface MetricPoint {
  readonly at: number;
  readonly value: number;
}

/** Certificates of ACM in this Region. */
export interface Certificates {
  list(): Promise<readonly CertificateFacts[]>;
}

export interface CertificateFacts {
  readonly arn: string;
  readonly domain: string;
  readonly sans: readonly string[];
  readonly issuer?: string;
  readonly notBefore?: number;
  readonly notAfter?: number;
}

/** The queue of work, FIFO for each app. */
export interface WorkQueue {
  /** `dedupeId`: two messages with the same one within five minutes are one. */
  send(message: WorkMessage, dedupeId: string): Promise<void>;
}

/** Says only where to look: everything else is in the app's item. */
export interface WorkMessage {
  readonly app: string;
  /** Why it was sent; for logs. */
  readonly reason: string;
  /** The attempt that was to be worked on then; one that nobody could work on is ended by its id. */
  readonly attempt?: string;
  /** Set by the dead-letter queue's consumer: the attempt is to be ended. */
  readonly lost?: boolean;
}

/** One GET of an app's public URL. Rejects when there was no answer in time. */
export type Probe = (url: string, timeoutMs: number) => Promise<{ readonly status: number; readonly body: string }>;
