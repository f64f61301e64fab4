import type { AppRecord, Attempt, Deletion, Readiness, ReleaseSettings, SecretRecord } from './model.ts';
import { isDirty } from './settings.ts';
import { type AppState, type StatusSummary, stateOf, summarise } from './status.ts';

/**
 * The JSON of the API: snake_case keys of the reference, and our own. Times are RFC 3339 in UTC, durations in `health`
 * whole nanoseconds. Optional keys are left out when there is nothing to say.
 */
export interface AppView extends SettingsView {
  readonly name: string;
  readonly app_id: string;
  readonly image: string;
  readonly strategy: string;
  readonly replicas: number;
  readonly suspended: boolean;
  readonly domains?: readonly string[];
  /** Names of its secrets. */
  readonly secret_env?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly reserved_concurrency?: number;
  readonly generation: number;
  readonly observed_generation?: number;
  /** Settings or secrets are not those that the live release was made with. */
  readonly env_dirty: boolean;
  readonly url?: string;
  readonly live?: LiveView;
  readonly latest_deploy?: DeploySummary;
  readonly state: StateView;
  readonly deletion?: DeletionView;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface SettingsView {
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly resources: { readonly memory_bytes: number };
  readonly health?: HealthView;
  readonly runtime: string;
  readonly handler: string;
  readonly architecture: string;
  readonly timeout_seconds: number;
}

export interface HealthView {
  readonly readiness: { readonly path: string; readonly interval: number; readonly timeout: number };
  readonly ready_timeout: number;
}

export interface AppListItem extends AppView {
  readonly status: StatusSummary;
}

export interface StateView {
  readonly name: AppState['name'];
  readonly reason: string;
  readonly since: string;
}

export interface LiveView {
  readonly release: number;
  readonly deploy_id: string;
  readonly image: string;
  /** Of the Lambda function. */
  readonly version: string;
  readonly since: string;
}

export interface DeploySummary {
  readonly id: string;
  readonly status: Attempt['status'];
  readonly source: Attempt['source'];
  readonly image: string;
  readonly step?: string;
  readonly release?: number;
  readonly wait_reason?: string;
  readonly error?: string;
  readonly queued_at: string;
  readonly started_at?: string;
  readonly finished_at?: string;
}

export interface DeletionView {
  readonly requested_at: string;
  readonly leftovers: Deletion['leftovers'];
}

export interface FailureView {
  readonly code: string;
  readonly cause: string;
  readonly failing_step?: string;
  readonly log_excerpt?: string;
  readonly suggested_fix: string;
  readonly retryable: boolean;
  readonly deploy_id: string;
  readonly app: string;
  readonly at: string;
}

export interface AttemptView extends DeploySummary {
  readonly service_name: string;
  /** 1, 2, 3, … of its app. */
  readonly number: number;
  readonly generation: number;
  readonly digest?: string;
  readonly created_by?: string;
  readonly steps: readonly {
    readonly step: string;
    readonly started_at: string;
    readonly finished_at?: string;
    readonly detail?: string;
  }[];
  readonly version?: string;
  readonly previous_version?: string;
  readonly rollback_of?: { readonly deploy_id: string; readonly release: number; readonly from_release?: number };
  /** For people: `rollback of 3 to 1`. */
  readonly description?: string;
  /** Secrets that are newer than the release a rollback goes back to: their values stay as they are now. */
  readonly rotated_secrets?: readonly string[];
  readonly cancel_requested_by?: string;
  readonly canceled_by?: string;
  readonly superseded_by?: string;
  readonly failure?: FailureView;
}

/** One attempt by itself: also what its release is made of besides the code. */
export interface AttemptDetailView extends AttemptView {
  readonly settings: SettingsView;
}

/** Of `GET /deploys/failed`. */
export interface FailedView extends AttemptView {
  /** What serves on. */
  readonly last_good_image?: string;
}

export interface SecretView {
  readonly key: string;
  readonly locked: boolean;
  readonly updated_at: string;
  readonly fingerprint: string;
}

/** Strong ETag of an app: a name that is used again never has an old one. */
export function appEtag({ appId, version }: Pick<AppRecord, 'appId' | 'version'>): string {
  return `"${appId}.${version}"`;
}

export function renderApp(app: AppRecord): AppView {
  const { spec, live, attempt, deletion } = app;
  const secrets = Object.keys(app.secrets).sort();
  const state = stateOf(app);
  return {
    name: app.name,
    app_id: app.appId,
    image: spec.image,
    ...renderSettings(spec),
    strategy: spec.strategy,
    replicas: spec.replicas,
    suspended: app.suspended,
    ...(spec.domains.length > 0 && { domains: spec.domains }),
    ...(secrets.length > 0 && { secret_env: secrets }),
    ...(Object.keys(spec.labels).length > 0 && { labels: spec.labels }),
    ...(spec.reservedConcurrency !== undefined && { reserved_concurrency: spec.reservedConcurrency }),
    generation: app.generation,
    ...(app.observed && { observed_generation: app.observed.generation }),
    env_dirty: isDirty(app),
    ...(app.observed?.url !== undefined && { url: app.observed.url }),
    ...(live && {
      live: {
        release: live.number,
        deploy_id: live.deployId,
        image: live.image,
        version: live.version,
        since: iso(live.since),
      },
    }),
    ...(attempt && { latest_deploy: renderSummary(attempt) }),
    state: { ...state, since: iso(state.since) },
    ...(deletion && { deletion: { requested_at: iso(deletion.requestedAt), leftovers: deletion.leftovers } }),
    created_at: iso(app.createdAt),
    updated_at: iso(app.updatedAt),
  };
}

export function renderListItem(app: AppRecord): AppListItem {
  const view = renderApp(app);
  return { ...view, status: summarise(view.state) };
}

/** The answer of a write: the stored app, and what its caller should know. */
export function renderResult({ app, warnings }: { readonly app: AppRecord; readonly warnings: readonly string[] }) {
  const view: AppView & { readonly warnings?: readonly string[] } = renderApp(app);
  return warnings.length === 0 ? view : { ...view, warnings };
}

function renderSettings(settings: ReleaseSettings): SettingsView {
  return {
    port: settings.port,
    ...(Object.keys(settings.env).length > 0 && { env: settings.env }),
    resources: { memory_bytes: settings.memoryMb * 1024 * 1024 },
    ...(settings.readiness && { health: renderHealth(settings.readiness) }),
    runtime: settings.runtime,
    handler: settings.handler,
    architecture: settings.architecture,
    timeout_seconds: settings.timeoutSeconds,
  };
}

function renderHealth({ path, intervalMs, timeoutMs, budgetMs }: Readiness): HealthView {
  return {
    readiness: { path, interval: intervalMs * NANOS, timeout: timeoutMs * NANOS },
    ready_timeout: budgetMs * NANOS,
  };
}

function renderSummary(attempt: Attempt): DeploySummary {
  return {
    id: attempt.id,
    status: attempt.status,
    source: attempt.source,
    image: attempt.image,
    ...(attempt.step && { step: attempt.step }),
    ...(attempt.release !== undefined && { release: attempt.release }),
    ...(attempt.waitReason && { wait_reason: attempt.waitReason }),
    ...(attempt.failure && { error: attempt.failure.cause }),
    queued_at: iso(attempt.queuedAt),
    ...(attempt.startedAt !== undefined && { started_at: iso(attempt.startedAt) }),
    ...(attempt.finishedAt !== undefined && { finished_at: iso(attempt.finishedAt) }),
  };
}

/** @param app the name of the app */
export function renderAttempt(app: string, attempt: Attempt): AttemptView {
  const { code, rollbackOf: back } = attempt;
  return {
    ...renderSummary(attempt),
    service_name: app,
    number: attempt.number,
    generation: attempt.generation,
    ...(code?.kind === 'image' && { digest: code.digest }),
    ...(attempt.createdBy && { created_by: attempt.createdBy }),
    steps: attempt.steps.map(({ step, startedAt, finishedAt, detail }) => ({
      step,
      started_at: iso(startedAt),
      ...(finishedAt !== undefined && { finished_at: iso(finishedAt) }),
      ...(detail !== undefined && { detail }),
    })),
    ...(attempt.version && { version: attempt.version }),
    ...(attempt.previousVersion && { previous_version: attempt.previousVersion }),
    ...(back && {
      rollback_of: {
        deploy_id: back.deployId,
        release: back.release,
        ...(back.fromRelease !== undefined && { from_release: back.fromRelease }),
      },
      description: `rollback${back.fromRelease === undefined ? '' : ` of ${back.fromRelease}`} to ${back.release}`,
    }),
    ...(attempt.rotatedSecrets && { rotated_secrets: attempt.rotatedSecrets }),
    ...(attempt.cancelRequestedBy && { cancel_requested_by: attempt.cancelRequestedBy }),
    ...(attempt.canceledBy && { canceled_by: attempt.canceledBy }),
    ...(attempt.supersededBy && { superseded_by: attempt.supersededBy }),
    ...(attempt.failure && { failure: renderFailure(app, attempt.id, attempt.failure) }),
  };
}

export function renderAttemptDetail(app: string, attempt: Attempt): AttemptDetailView {
  return { ...renderAttempt(app, attempt), settings: renderSettings(attempt.settings) };
}

/** @param app one whose latest attempt failed */
export function renderFailed({ name, attempt, live }: AppRecord & { readonly attempt: Attempt }): FailedView {
  return { ...renderAttempt(name, attempt), ...(live && { last_good_image: live.image }) };
}

function renderFailure(app: string, id: string, failure: NonNullable<Attempt['failure']>): FailureView {
  return {
    code: failure.code,
    cause: failure.cause,
    ...(failure.step && { failing_step: failure.step }),
    ...(failure.excerpt !== undefined && { log_excerpt: failure.excerpt }),
    suggested_fix: failure.suggestedFix,
    retryable: failure.retryable,
    deploy_id: id,
    app,
    at: iso(failure.at),
  };
}

export function renderSecrets(secrets: Readonly<Record<string, SecretRecord>>): SecretView[] {
  return Object.entries(secrets)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, secret]) => renderSecret(key, secret));
}

function renderSecret(key: string, { locked, updatedAt, fingerprint }: SecretRecord): SecretView {
  return { key, locked, updated_at: iso(updatedAt), fingerprint };
}

const NANOS = 1_000_000;

function iso(time: number): string {
  return new Date(time).toISOString();
}
