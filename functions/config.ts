import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { DEPLOYED } from '../lib/deployment/deployed.ts';

/** The only reader of the environment. Every function parses its own part once, at cold start. */
type Environment = Readonly<Record<string, string | undefined>>;

const milliseconds = z.coerce.number().check(z.int(), z.minimum(1));
/** Where apiservers reach `convert`: its function URL, or the domain in front of it. */
const httpsOrigin = z
  .string()
  .check(z.regex(/^https:\/\/[^/?#@]+\/?$/, 'expected an https URL without path, query and user'));

const stage = { STAGE: z._default(z.string().check(z.minLength(1)), 'dev') };

const logging = {
  ...stage,
  LOG_LEVEL: z._default(z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT']), 'INFO'),
};

const shared = {
  ...logging,
  /** Name of the DynamoDB table. */
  TABLE_NAME: z.string().check(z.minLength(1)),
};

const convertSchema = z.object({
  ...shared,
  /** How long a review may take. Above 25 s the apiserver, which waits 30 s, would give up first (R30). */
  CONVERT_DEADLINE_MS: z._default(milliseconds.check(z.maximum(25_000)), 10_000),
  /** Set by Lambda. */
  AWS_LAMBDA_FUNCTION_VERSION: z._default(z.string(), '$LATEST'),
});

const whole = z.coerce.number().check(z.int());
/** In development an emulator's, over HTTP. */
const queueUrl = z.string().check(z.regex(/^https?:\/\/[^/?#@]+\/.+\.fifo$/, 'expected the URL of a FIFO queue'));

/** What the functions for apps have in common. */
const apps = {
  ...shared,
  /** The queue of work. */
  QUEUE_URL: queueUrl,
  /** The bucket that holds uploaded packages. */
  ARTIFACT_BUCKET: z.string().check(z.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'expected the name of a bucket')),
  ACCOUNT_ID: z.string().check(z.regex(/^\d{12}$/, 'expected an account id, 12 digits')),
  /** Set by Lambda. */
  AWS_REGION: z.string().check(z.minLength(1)),
};

const workerSchema = z.object({
  ...apps,
  /** What the role of an app may do at most; roles without it are refused. */
  BOUNDARY_ARN: z
    .string()
    .check(z.regex(/^arn:[^:]+:iam::\d{12}:policy\/[\w+=,.@/-]+$/, 'expected the ARN of a managed policy')),
  /** Turns secrets into variables when a zip app starts. */
  SECRETS_LAYER_ARN: z
    .string()
    .check(z.regex(/^arn:[^:]+:lambda:[^:]+:\d{12}:layer:[\w-]+:\d+$/, 'expected the ARN of a layer version')),
  /** Of the log groups of apps. */
  LOG_RETENTION_DAYS: z._default(whole.check(z.minimum(1)), 30),
});

const reconcileSchema = z.object(apps);

/** Requests a minute of one caller; 0 and less is no limit. */
const requestsPerMinute = whole;

const apiSchema = z.object({
  ...apps,
  /** The secret that holds the first token. */
  ROOT_TOKEN_SECRET_ARN: z
    .string()
    .check(z.regex(/^arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:[^:]+$/, 'expected the ARN of a secret')),
  CONVERT_URL: httpsOrigin,
  /** Relative to the working directory, which on Lambda is the folder of the bundle. */
  APP_BRAND_FILE: z._default(z.string().check(z.minLength(1)), 'brand.yaml'),
  APP_API_RATE_LIMIT_READ_RPM: z._default(requestsPerMinute, 600),
  APP_API_RATE_LIMIT_WRITE_RPM: z._default(requestsPerMinute, 120),
  /** Instances that apps may reserve together. */
  APP_MAX_RESERVED_CONCURRENCY: z._default(whole.check(z.minimum(0)), 500),
  /** How long before its end a certificate counts as expiring soon, as Go writes durations. */
  APP_CERT_EXPIRY_WARNING_WINDOW: z._default(
    z.string().check(z.regex(/^(\d+(\.\d+)?(h|m|s|ms))+$/, 'expected a duration such as 336h')),
    '336h',
  ),
  /** Whether somebody gets a mail when an alarm rings. */
  ALERTS_CONFIGURED: z._default(z.stringbool(), false),
  /** Host that domains of apps should point at; without it the host that the request names. */
  APP_PUBLIC_HOST: z.optional(z.string().check(z.minLength(1))),
});

const preTrafficSchema = z.object({
  ...logging,
  /** The function whose new version is checked. */
  CHECK: z.enum(DEPLOYED),
  /** That version. */
  TARGET_VERSION_ARN: z
    .string()
    .check(z.regex(/^arn:[^:]+:lambda:[^:]+:\d{12}:function:[^:]+:\d+$/, 'expected the ARN of a function version')),
});

const syntheticSchema = z.object({ ...stage, CONVERT_URL: httpsOrigin });

export const loadConvertConfig = (environment: Environment = process.env) => load(convertSchema, environment);
export const loadApiConfig = (environment: Environment = process.env) => load(apiSchema, environment);
export const loadWorkerConfig = (environment: Environment = process.env) => load(workerSchema, environment);
export const loadReconcileConfig = (environment: Environment = process.env) => load(reconcileSchema, environment);
/** The variables that go before single keys of the brand file. The stack of `infra/` sets none: it has `brandFile`. */
export const loadBrandOverrides = (environment: Environment = process.env) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => /^APP_BRAND_(?!FILE$)/.test(name)));
export const loadPreTrafficConfig = (environment: Environment = process.env) => load(preTrafficSchema, environment);
export const loadSyntheticConfig = (environment: Environment = process.env) => load(syntheticSchema, environment);

/** Throws one error that names every variable that is missing or wrong, so that one deploy shows them all. */
function load<T>(schema: z.ZodMiniType<T>, environment: Environment): T {
  const result = schema.safeParse(environment, { error: en().localeError });
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`the configuration of this function is not valid:\n${problems.join('\n')}`);
}
