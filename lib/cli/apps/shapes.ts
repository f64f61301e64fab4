import * as z from 'zod/mini';

/**
 * What the commands read of the API's answers. Any JSON can come from a wrong address, so each is checked; keys that
 * nobody here knows stay in it, for `-o json`.
 */
const text = z.string();
const optionalText = z.optional(text);
const optionalNumber = z.optional(z.number());
const optionalFlag = z.optional(z.boolean());

const failureShape = z.looseObject({
  code: text,
  cause: text,
  failing_step: optionalText,
  log_excerpt: optionalText,
  suggested_fix: optionalText,
  retryable: optionalFlag,
});

const stepShape = z.looseObject({ step: text, started_at: text, finished_at: optionalText, detail: optionalText });

export const attemptShape = z.looseObject({
  id: text,
  status: text,
  service_name: optionalText,
  number: optionalNumber,
  source: optionalText,
  image: optionalText,
  step: optionalText,
  steps: z.optional(z.array(stepShape)),
  release: optionalNumber,
  queued_at: optionalText,
  started_at: optionalText,
  finished_at: optionalText,
  wait_reason: optionalText,
  superseded_by: optionalText,
  canceled_by: optionalText,
  rollback_of: z.optional(z.looseObject({ release: optionalNumber, from_release: optionalNumber })),
  rotated_secrets: z.optional(z.array(text)),
  failure: z.optional(failureShape),
  error: optionalText,
  last_good_image: optionalText,
});
export type Attempt = z.infer<typeof attemptShape>;

export const appShape = z.looseObject({
  name: text,
  image: text,
  suspended: z.boolean(),
  url: optionalText,
  resources: z.optional(z.looseObject({ memory_bytes: optionalNumber })),
  timeout_seconds: optionalNumber,
  runtime: optionalText,
  handler: optionalText,
  architecture: optionalText,
  secret_env: z.optional(z.array(text)),
  domains: z.optional(z.array(text)),
  env: z.optional(z.record(z.string(), z.string())),
  env_dirty: optionalFlag,
  live: z.optional(z.looseObject({ release: z.number(), deploy_id: text, since: optionalText })),
  latest_deploy: z.optional(attemptShape),
  state: z.looseObject({ name: text, reason: text, since: optionalText }),
  created_at: optionalText,
  updated_at: optionalText,
  deletion: z.optional(
    z.looseObject({
      requested_at: optionalText,
      leftovers: z.optional(z.array(z.looseObject({ resource: text, reason: optionalText }))),
    }),
  ),
  warnings: z.optional(z.array(text)),
});
export type App = z.infer<typeof appShape>;

export const artifactShape = z.looseObject({
  id: text,
  image: optionalText,
  upload: z.looseObject({
    url: text,
    headers: z.optional(z.record(z.string(), z.string())),
  }),
});
export type Artifact = z.infer<typeof artifactShape>;

export const secretShape = z.looseObject({
  key: text,
  locked: z.boolean(),
  updated_at: optionalText,
});
export type Secret = z.infer<typeof secretShape>;

export const logsShape = z.looseObject({
  entries: z.array(z.looseObject({ timestamp: text, stream: optionalText, message: text })),
  next: optionalText,
});
export type Logs = z.infer<typeof logsShape>;
export type LogEntry = Logs['entries'][number];

export const statusShape = z.record(z.string(), z.unknown());

export const doctorShape = z.looseObject({
  ok: z.boolean(),
  checks: z.array(
    z.looseObject({
      code: text,
      name: optionalText,
      status: text,
      message: optionalText,
      fix: optionalText,
    }),
  ),
});
export type Doctor = z.infer<typeof doctorShape>;
export type Check = Doctor['checks'][number];

export const certificateShape = z.looseObject({
  domain: text,
  status: text,
  issuer: optionalText,
  not_before: optionalText,
  not_after: optionalText,
  sans: z.optional(z.array(text)),
});
export type Certificate = z.infer<typeof certificateShape>;

export const tokenShape = z.looseObject({
  id: text,
  name: text,
  abilities: z.array(text),
  created_at: optionalText,
  last_used_at: optionalText,
  expires_at: optionalText,
  revoked_at: optionalText,
});
export type Token = z.infer<typeof tokenShape>;

export const newTokenShape = z.extend(tokenShape, { token: text });
export type NewToken = z.infer<typeof newTokenShape>;
