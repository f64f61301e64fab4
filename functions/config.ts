import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';

/** The only reader of the environment. Every function parses its own part once, at cold start. */
type Environment = Readonly<Record<string, string | undefined>>;

const milliseconds = z.coerce.number().check(z.int(), z.minimum(1));
const httpsOrigin = z
  .string()
  .check(z.regex(/^https:\/\/[^/?#@]+\/?$/, 'expected an https URL without path, query and user'));

const shared = {
  /** Name of the DynamoDB table. */
  TABLE_NAME: z.string().check(z.minLength(1)),
  STAGE: z._default(z.string().check(z.minLength(1)), 'dev'),
  LOG_LEVEL: z._default(z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT']), 'INFO'),
};

const convertSchema = z.object({
  ...shared,
  /** How long a review may take. Above 25 s the apiserver, which waits 30 s, would give up first (R30). */
  CONVERT_DEADLINE_MS: z._default(milliseconds.check(z.maximum(25_000)), 10_000),
});

const apiSchema = z.object({
  ...shared,
  /** SHA-256 of the first token, in hex. */
  ROOT_TOKEN_SHA256: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits')),
  /** The function URL of `convert`. */
  CONVERT_URL: httpsOrigin,
});

export const loadConvertConfig = (environment: Environment = process.env) => load(convertSchema, environment);
export const loadApiConfig = (environment: Environment = process.env) => load(apiSchema, environment);

/** Throws one error that names every variable that is missing or wrong, so that one deploy shows them all. */
function load<T>(schema: z.ZodMiniType<T>, environment: Environment): T {
  const result = schema.safeParse(environment, { error: en().localeError });
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`the configuration of this function is not valid:\n${problems.join('\n')}`);
}
