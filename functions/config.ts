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

const apiSchema = z.object({
  ...shared,
  /** The secret that holds the first token. */
  ROOT_TOKEN_SECRET_ARN: z
    .string()
    .check(z.regex(/^arn:[^:]+:secretsmanager:[^:]+:\d{12}:secret:[^:]+$/, 'expected the ARN of a secret')),
  CONVERT_URL: httpsOrigin,
  /** Relative to the working directory, which on Lambda is the folder of the bundle. */
  APP_BRAND_FILE: z._default(z.string().check(z.minLength(1)), 'brand.yaml'),
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
