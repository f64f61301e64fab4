import type { Diagnostic } from '../engine/diagnostic.ts';
import type { Json, JsonObject } from '../engine/json.ts';
import type { Router, TraceStep } from '../engine/route.ts';
import type { Page, PageQuery } from '../store/paging.ts';

/** The raw `If-Match` header value, when the request had one: `"<etag>"`, a comma list of them, or `*` (must exist). */
export interface Precondition {
  readonly ifMatch?: string;
}

export interface VersionView {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
}

export interface SpokeView {
  readonly version: string;
  readonly lossless: { readonly hubToSpoke: boolean; readonly spokeToHub: boolean };
  readonly uncoveredHub: readonly string[];
  readonly uncoveredSpoke: readonly string[];
}

/** A config and its active revision. */
export interface ConfigView {
  /** `metadata.name` of the CRD or XRD. */
  readonly target: string;
  readonly source: 'CRD' | 'XRD';
  /** `metadata.name` of the config resource. */
  readonly name: string;
  /** API group and kind of the objects. */
  readonly group: string;
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `spec.webhookServerRef.name`. */
  readonly endpoint?: string;
  readonly hubVersion: string;
  readonly versions: readonly VersionView[];
  /** Number of the active revision. */
  readonly revision: number;
  /** ISO 8601; when the active revision became active. */
  readonly updatedAt: string;
  /** A strong ETag, quotes included: the `ETag` header as it is. Changes with every activation. */
  readonly etag: string;
  /** SHA-256 over the canonical plan source, `sha256:<base64url>`. */
  readonly planHash: string;
  readonly lossless: boolean;
  readonly spokes: readonly SpokeView[];
  readonly warnings: readonly Diagnostic[];
}

/** One immutable revision, in a list. */
export interface RevisionView {
  readonly target: string;
  readonly revision: number;
  readonly active: boolean;
  readonly createdAt: string;
  readonly name: string;
  readonly hubVersion: string;
  readonly versions: readonly VersionView[];
  readonly labels: Readonly<Record<string, string>>;
  readonly planHash: string;
  readonly lossless: boolean;
  readonly spokes: readonly SpokeView[];
  readonly warnings: readonly Diagnostic[];
}

/** One revision with its source, exactly as it was sent. */
export interface RevisionDetail extends RevisionView {
  readonly config: string;
  readonly schema: string;
}

/** Both as YAML or JSON text, or as an object already parsed. */
export interface PutInput {
  readonly config: Json;
  readonly schema: Json;
}

export interface PutOptions extends Precondition {
  /** Analyse and store nothing. */
  readonly dryRun?: boolean;
}

export interface PutResult {
  readonly target: string;
  /** The active revision; under `dryRun` the number that it would get. The texts of the active one make no new one. */
  readonly revision: number;
  /** The target had no config before (HTTP 201). */
  readonly created: boolean;
  /** ETag after the write; absent under `dryRun`. */
  readonly etag?: string;
  /** Warnings only: errors are thrown as `CONFIG_INVALID`. */
  readonly diagnostics: readonly Diagnostic[];
  readonly lossless: boolean;
  readonly planHash: string;
  readonly spokes: readonly SpokeView[];
}

export interface ListQuery extends PageQuery {
  /** Kubernetes selector text: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. */
  readonly labelSelector?: string;
}

export interface TryInput {
  readonly object: JsonObject;
  /** Version name to convert to (`v2`). */
  readonly to: string;
  /** Another revision than the active one. */
  readonly revision?: number;
}

export interface TryResult {
  readonly revision: number;
  readonly from: string;
  readonly to: string;
  readonly object: JsonObject;
  /** What each rule did, in order. */
  readonly trace: readonly TraceStep[];
  readonly loss: {
    /** The analysis' verdict for this direction. */
    readonly lossless: boolean;
    /** Paths of this object that do not come back the same from the way there and back. */
    readonly paths?: readonly string[];
    /** Why there is no way back, where there is none. */
    readonly wayBack?: string;
  };
  readonly counters: {
    readonly absentSkipped: number;
    readonly stashIgnored: number;
    readonly shapeMismatches: number;
  };
}

export interface PatchOptions {
  /** Where `convert` is reached, `https://host[:port][/prefix]`; anything else is refused (R45). */
  readonly baseUrl: string;
  /** Token text to put into the URL; checked against the endpoint. Without it the URL holds `REPLACE_WITH_TOKEN`. */
  readonly token?: string;
  /** `clientConfig.caBundle`: PEM in base64. Left out where the certificate of `convert` is of a public CA (R22). */
  readonly caBundle?: string;
}

/**
 * The config service. Every method throws `AppError` only; codes that a caller can expect are named.
 */
export interface ConfigService {
  /** `CONFIG_INVALID` (422) with all diagnostics, `PRECONDITION_FAILED` (412) on a stale `ifMatch` or a lost race. */
  put(target: string, input: PutInput, options?: PutOptions): Promise<PutResult>;
  /** `NOT_FOUND`. */
  get(target: string): Promise<ConfigView>;
  /** `BAD_REQUEST` on a malformed selector, limit or token. A page may be shorter than `limit` and still have `next`. */
  list(query?: ListQuery): Promise<Page<ConfigView>>;
  /** Newest first. `NOT_FOUND`. */
  revisions(target: string, query?: PageQuery): Promise<Page<RevisionView>>;
  /** `NOT_FOUND`. */
  revision(target: string, revision: number): Promise<RevisionDetail>;
  /** Makes an older revision active again. `NOT_FOUND`, `PRECONDITION_FAILED`, `CONFIG_INVALID` when it no longer compiles. */
  rollback(target: string, revision: number, precondition?: Precondition): Promise<ConfigView>;
  /** `NOT_FOUND`, `CONFLICT` (409) while the stored schema serves more than one version, `PRECONDITION_FAILED`. */
  remove(target: string, options?: Precondition & { readonly force?: boolean }): Promise<void>;
  /** `NOT_FOUND`, `UNPROCESSABLE` (object of another kind or group, unknown version), `CONVERSION_FAILED`. */
  tryConvert(target: string, input: TryInput): Promise<TryResult>;
  /**
   * The server-side-apply patch that points the CRD or XRD at an endpoint (R22). Without `endpoint`: the config's own,
   * else the default one. `NOT_FOUND`, `UNPROCESSABLE`.
   */
  patch(target: string, endpoint: string | undefined, options: PatchOptions): Promise<JsonObject>;
}

/** `metav1.LabelSelector`. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelExpression[];
}

export interface LabelExpression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

export interface TokenView {
  readonly createdAt: string;
  /** Absent for the current token; the one before it stays valid until then. `RotateOptions` says how exactly. */
  readonly expiresAt?: string;
}

export interface EndpointView {
  readonly name: string;
  readonly default: boolean;
  readonly selector?: LabelSelector;
  readonly tokens: readonly TokenView[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly etag: string;
}

export interface EndpointResult {
  readonly endpoint: EndpointView;
  readonly created: boolean;
  /** Token text: shown this once, only where a token was made (created or rotated). Never log or store it. */
  readonly token?: string;
  /** Warnings: one for each knob that means nothing without pods. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface RotateOptions extends Precondition {
  /**
   * How long the old token stays valid, in seconds. 24 hours when absent, 30 days at most. Each instance of `convert`
   * looks for changes every 5 s, so below that, 0 included, an instance may take the old token for up to 5 s; and for
   * longer only while the database does not answer.
   */
  readonly graceSeconds?: number;
}

export interface EndpointService {
  /**
   * Creates or changes an endpoint from a ConversionWebhookServer (text or object). `CONFIG_INVALID`,
   * `CONFLICT` when another endpoint is the default, `PRECONDITION_FAILED`.
   */
  put(name: string, resource: Json, precondition?: Precondition): Promise<EndpointResult>;
  get(name: string): Promise<EndpointView>;
  list(query?: PageQuery): Promise<Page<EndpointView>>;
  /** A new token, which works at once; the current one stays valid for the grace time, the one before it ends. */
  rotate(name: string, options?: RotateOptions): Promise<EndpointResult>;
  remove(name: string, precondition?: Precondition): Promise<void>;
}

/** The plan that an instance serves for one target. */
export interface RegistryEntry {
  readonly target: string;
  readonly group: string;
  readonly kind: string;
  readonly revision: number;
  readonly planHash: string;
  readonly router: Router;
  /** Milliseconds since the epoch. */
  readonly compiledAt: number;
}

/** What a registry has for one target. */
export interface Lookup {
  /** There is a config for it. */
  readonly known: boolean;
  readonly entry?: RegistryEntry;
  /** Why the active revision does not serve. A known target with neither plan nor error could not be read yet. */
  readonly error?: string;
  /**
   * Await it after converting and before the answer goes out: a look for changes that runs beside the conversion gets at
   * most 250 ms to finish. Never rejects; resolved at once when no look was due.
   */
  settle(): Promise<void>;
}

/** One row of `GET /registry`. */
export interface RegistryRow {
  readonly target: string;
  /** A plan is loaded and serves. */
  readonly ready: boolean;
  /** Revision of the plan that serves; of the active revision when none does. */
  readonly revision: number;
  readonly planHash?: string;
  readonly versions: readonly string[];
  readonly compiledAt?: string;
  /** Why the active revision is not the one that serves. */
  readonly lastError?: string;
  readonly lastErrorAt?: string;
}

export interface LoadFailure {
  readonly target: string;
  readonly revision: number;
  readonly reason: string;
}

export interface RegistryCounters {
  readonly compiles: number;
  /** Active revisions that do not serve: damaged, or they do not compile. One entry for each time that one was tried. */
  readonly loadFailures: readonly LoadFailure[];
  /** Milliseconds, one for each compile since the last drain. */
  readonly compileDurations: readonly number[];
  readonly looks: number;
  readonly lookFailures: number;
}

/** The plans that an instance holds for one endpoint (or for all configs), in memory. */
export interface Registry {
  /** One Map look-up; no I/O. */
  get(target: string): RegistryEntry | undefined;
  /**
   * What a review calls: applies the freshness policy of `ChangeFeed` and answers with the plan to use. `versions`
   * are the version names that the review needs. Never rejects: an unreachable store leaves the last good plans.
   */
  lookup(target: string, versions: readonly string[]): Promise<Lookup>;
  /** Looks for changes now, whatever the age of the last look. Rejects when the store cannot be read. */
  refresh(): Promise<void>;
  /** Compiles what the load left for first use, for at most this many milliseconds. */
  compilePending(budgetMs: number): Promise<void>;
  /** Sorted by target. */
  snapshot(): readonly RegistryRow[];
  readonly size: number;
  /** Counts since the last call, for telemetry. */
  drain(): RegistryCounters;
}

/** The registries of one process, one for each endpoint in use; made on first use. */
export interface Registries {
  /**
   * The registry of an endpoint, when the token is one of its valid ones. An unknown endpoint and a wrong token are one
   * answer after the same work. Warm calls do no I/O. A token that is not known is looked for before it is refused.
   * Rejects with `UNAVAILABLE` when the endpoint has never been read and the store cannot be reached.
   */
  open(endpoint: string, token: string): Promise<Registry | undefined>;
  /**
   * Whether the token is valid by what is known now; no I/O. To be asked again after `Lookup.settle`: the look that ran
   * beside the conversion may have found that the token ended.
   */
  admits(endpoint: string, token: string): boolean;
  /** Every config, whatever its endpoint: development mode and `GET /registry`. */
  all(): Promise<Registry>;
  /**
   * Loads the default endpoint's registry, so that a cold start does it during init. Returns when its time budget is
   * used up, whatever hangs. Never rejects.
   */
  warm(): Promise<void>;
  /**
   * Resolves once the endpoints are in memory, without which no review can be answered; no read when they are. Rejects
   * with `UNAVAILABLE` when they have never been read and the store cannot be reached.
   */
  ready(): Promise<void>;
}

export interface IdempotentResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type IdempotencyState =
  | { readonly state: 'new' }
  | { readonly state: 'replay'; readonly response: IdempotentResponse }
  /** The key was used with another request (422). */
  | { readonly state: 'mismatch' }
  /** The first request with this key has not finished (409). */
  | { readonly state: 'in-progress' };

/** Answers by `Idempotency-Key`, kept for 24 hours (R66). */
export interface IdempotencyStore {
  /** `requestHash`: over method, path and body. A first request that died is taken over after 60 s. */
  begin(key: string, requestHash: string): Promise<IdempotencyState>;
  /** Keeps the answer. It is stored as given: leave token text out of the body. */
  complete(key: string, response: IdempotentResponse): Promise<void>;
  /** Forgets a request that failed and may be repeated. */
  abandon(key: string): Promise<void>;
}
