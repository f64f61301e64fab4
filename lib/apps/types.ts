import type { AppRecord, AppSpec, Attempt, Condition, SecretRecord } from './model.ts';
import type { LogQuery, MetricQuery, Upload } from './ports.ts';

/** Who asks, for the records of who did what. */
export interface Caller {
  readonly tokenId: string;
}

/** The raw `If-Match` header, where the request had one. */
interface Guard {
  readonly ifMatch?: string | undefined;
}

/** Defaults are filled in; what the caller should know of keys that mean little here. */
export interface CheckedSpec {
  readonly spec: AppSpec;
  /** Settings that were given and do nothing, each with why. */
  readonly warnings: readonly string[];
  /** What the body said of keys that other routes write: a warning tells when it is not what is stored. */
  readonly given?: { readonly suspended?: boolean; readonly secretEnv?: readonly string[] };
}

export interface AppListQuery {
  /** Part of the name. */
  readonly q?: string | undefined;
  /** 1 to 500; larger values count as 500. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface AttemptQuery {
  /** 1 to 500. */
  readonly limit?: number | undefined;
  /** Id of an attempt: those older than it. */
  readonly before?: string | undefined;
}

/** An app with what a change of it wants to say. */
export interface AppResult {
  readonly app: AppRecord;
  readonly warnings: readonly string[];
}

/**
 * Apps, as the API has them. Every method rejects with an `AppError` whose text says what, where, why and what to do next.
 * Writes answer the stored record. What takes time is done by `worker`; `stop`, `cancel` and `remove` write their mark at once.
 */
export interface AppService {
  list(query: AppListQuery): Promise<{ readonly apps: readonly AppRecord[]; readonly total: number }>;
  get(name: string): Promise<AppRecord>;
  /** @param body checked by `parseApp` */
  create(name: string, input: CheckedSpec, caller: Caller): Promise<AppResult>;
  /** Replaces what the API shows of the spec. A new `image` starts an attempt; other settings wait for one (`env_dirty`). */
  replace(name: string, input: CheckedSpec, caller: Caller, guard?: Guard): Promise<AppResult>;
  /**
   * Marks it; the finalizer does the rest. Twice is as once. Without a `deletion` in the answer there was nothing to take
   * away, and the app is gone already.
   */
  remove(name: string, caller: Caller, guard?: Guard): Promise<AppRecord>;
  stop(name: string, caller: Caller, guard?: Guard): Promise<AppRecord>;
  start(name: string, caller: Caller, guard?: Guard): Promise<AppRecord>;
  /** A new attempt with the code that is live and today's settings. */
  restart(name: string, caller: Caller, guard?: Guard): Promise<AppRecord>;
  deploy(name: string, image: string, caller: Caller, guard?: Guard): Promise<AppRecord>;
  attempts(name: string, query: AttemptQuery): Promise<readonly Attempt[]>;
  /** @param id or `latest` */
  attempt(name: string, id: string): Promise<{ readonly attempt: Attempt; readonly app: AppRecord }>;
  cancel(name: string, id: string, caller: Caller): Promise<Attempt>;
  rollback(name: string, id: string, caller: Caller): Promise<AppRecord>;
  /** Apps whose latest attempt failed and began at `since` (ms) or later, newest first. One query. */
  failed(since: number): Promise<readonly AppRecord[]>;
  conditions(name: string): Promise<readonly Condition[]>;
  /** Sets and removes single variables; null removes. */
  changeEnv(name: string, changes: Readonly<Record<string, string | null>>, guard?: Guard): Promise<AppRecord>;
  secrets(name: string): Promise<Readonly<Record<string, SecretRecord>>>;
  putSecret(name: string, key: string, input: { value: string; overwriteLocked?: boolean }): Promise<SecretRecord>;
  lockSecret(name: string, key: string, locked: boolean): Promise<void>;
  removeSecret(name: string, key: string, input?: { overwriteLocked?: boolean }): Promise<void>;
  createArtifact(name: string): Promise<{ readonly id: string; readonly upload: Upload }>;
  domains(): Promise<readonly { readonly domain: string; readonly app: string }[]>;
  logs(name: string, query: LogQuery): ReturnType<import('./ports.ts').AppLogs['read']>;
  metrics(name: string, query: MetricQuery): ReturnType<import('./ports.ts').AppMetrics['read']>;
}
