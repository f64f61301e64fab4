import * as z from 'zod/mini';
import { ATTEMPT_STATUSES, type Attempt } from '../../apps/model.ts';
import { ARCHITECTURES, MEMORY_MB, RUNTIMES, STRATEGIES, TIMEOUT_SECONDS } from '../../apps/spec/parse-app.ts';
import { STATE_NAMES, type StatusSummary } from '../../apps/status.ts';
import type {
  AppListItem,
  AppView,
  AttemptDetailView,
  AttemptView,
  DeletionView,
  DeploySummary,
  FailedView,
  FailureView,
  HealthView,
  LiveView,
  SettingsView,
  StateView,
} from '../../apps/views.ts';
import { jsonObject, record } from './schemas.ts';

const string = { type: 'string' };
const MB = 1024 * 1024;
/** Whole nanoseconds, or text as Go writes it. */
const probeTime = { type: ['integer', 'string'], description: 'nanoseconds, or text like 2s' };
const probe = { type: 'object', properties: { path: string, interval: probeTime, timeout: probeTime } };

/** What `parseApp` takes; it judges the body itself, to name every fault and to warn of what does nothing here. */
export const appBody = jsonObject.check(
  z.meta({
    type: 'object',
    required: ['image'],
    properties: {
      name: { ...string, description: 'needed by POST; PUT has it in the path' },
      image: { ...string, description: 'an image of ECR, artifact:<id> of an upload, or a text that ends in :pending' },
      port: { type: 'integer', minimum: 1, maximum: 65_535, default: 8080 },
      env: { type: 'object', additionalProperties: string },
      domains: { type: 'array', items: string },
      labels: { type: 'object', additionalProperties: string },
      resources: {
        type: 'object',
        properties: { memory_bytes: { type: 'integer', minimum: MEMORY_MB.from * MB, maximum: MEMORY_MB.to * MB } },
      },
      health: { type: 'object', properties: { readiness: probe, ready_timeout: probeTime } },
      strategy: { enum: STRATEGIES },
      replicas: { type: 'integer', minimum: 0 },
      runtime: { enum: RUNTIMES },
      handler: string,
      architecture: { enum: ARCHITECTURES },
      timeout_seconds: { type: 'integer', minimum: TIMEOUT_SECONDS.from, maximum: TIMEOUT_SECONDS.to },
      reserved_concurrency: { type: 'integer', minimum: 1 },
    },
  }),
);

const text = z.exactOptional(z.string());
const strings = z.readonly(z.array(z.string()));
const map = z.record(z.string(), z.string());
const SOURCES = ['image', 'manual', 'restart', 'rollback'] as const satisfies readonly Attempt['source'][];

const settingsFields = {
  port: z.int(),
  env: z.exactOptional(map),
  resources: z.strictObject({ memory_bytes: z.int() }),
  health: z.exactOptional(
    record<HealthView>({
      readiness: z.strictObject({ path: z.string(), interval: z.number(), timeout: z.number() }),
      ready_timeout: z.number(),
    }),
  ),
  runtime: z.string(),
  handler: z.string(),
  architecture: z.string(),
  timeout_seconds: z.int(),
};
const settings = record<SettingsView>(settingsFields);

const summaryFields = {
  id: z.string(),
  status: z.enum(ATTEMPT_STATUSES),
  source: z.enum(SOURCES),
  image: z.string(),
  step: text,
  release: z.exactOptional(z.int()),
  wait_reason: text,
  error: text,
  queued_at: z.string(),
  started_at: text,
  finished_at: text,
};

const appFields = {
  ...settingsFields,
  name: z.string(),
  app_id: z.string(),
  image: z.string(),
  strategy: z.string(),
  replicas: z.int(),
  suspended: z.boolean(),
  domains: z.exactOptional(strings),
  secret_env: z.exactOptional(strings),
  labels: z.exactOptional(map),
  reserved_concurrency: z.exactOptional(z.int()),
  generation: z.int(),
  observed_generation: z.exactOptional(z.int()),
  env_dirty: z.boolean(),
  url: text,
  live: z.exactOptional(
    record<LiveView>({
      release: z.int(),
      deploy_id: z.string(),
      image: z.string(),
      version: z.string(),
      since: z.string(),
    }),
  ),
  latest_deploy: z.exactOptional(record<DeploySummary>(summaryFields)),
  state: record<StateView>({ name: z.enum(STATE_NAMES), reason: z.string(), since: z.string() }),
  deletion: z.exactOptional(
    record<DeletionView>({
      requested_at: z.string(),
      leftovers: z.readonly(z.array(z.strictObject({ resource: z.string(), reason: z.string() }))),
    }),
  ),
  created_at: z.string(),
  updated_at: z.string(),
};
export const appView = record<AppView>(appFields);
export const appResult = record<AppView & { readonly warnings?: readonly string[] }>({
  ...appFields,
  warnings: z.exactOptional(strings),
});
export const appListItem = record<AppListItem>({
  ...appFields,
  status: record<StatusSummary>({
    label: z.enum(['No status yet', 'Stopped', 'Attention needed', 'Healthy', 'Reconciling']),
    variant: z.enum(['muted', 'destructive', 'success']),
  }),
});

const step = z.strictObject({ step: z.string(), started_at: z.string(), finished_at: text, detail: text });
const attemptFields = {
  ...summaryFields,
  service_name: z.string(),
  number: z.int(),
  generation: z.int(),
  digest: text,
  created_by: text,
  steps: z.readonly(z.array(step)),
  version: text,
  previous_version: text,
  rollback_of: z.exactOptional(
    z.strictObject({ deploy_id: z.string(), release: z.int(), from_release: z.exactOptional(z.int()) }),
  ),
  description: text,
  rotated_secrets: z.exactOptional(strings),
  cancel_requested_by: text,
  canceled_by: text,
  superseded_by: text,
  failure: z.exactOptional(
    record<FailureView>({
      code: z.string(),
      cause: z.string(),
      failing_step: text,
      log_excerpt: text,
      suggested_fix: z.string(),
      retryable: z.boolean(),
      deploy_id: z.string(),
      app: z.string(),
      at: z.string(),
    }),
  ),
};
export const attemptView = record<AttemptView>(attemptFields);
export const attemptDetailView = record<AttemptDetailView>({ ...attemptFields, settings });
export const failedView = record<FailedView>({ ...attemptFields, last_good_image: text });

/** Peer: PascalCase; `LastObservedTime` is ours, for `LastTransitionTime` moves only when `Status` does. */
export const conditionView = z.strictObject({
  Type: z.string(),
  Status: z.enum(['True', 'False', 'Unknown']),
  Reason: z.string(),
  Message: z.string(),
  LastTransitionTime: z.string(),
  LastObservedTime: z.string(),
});
