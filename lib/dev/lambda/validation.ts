import { Buffer } from 'node:buffer';
import type { CreateFunctionRequest, UpdateFunctionConfigurationRequest } from '@aws-sdk/client-lambda';
import { invalid, LambdaError, violates } from './errors.ts';

/** Lambda's quota for all variables of a function. It measures them as JSON, quotes and commas included. */
const MAX_ENVIRONMENT_BYTES = 4_096;
const MAX_LAYERS = 5;
const RUNTIMES = ['nodejs22.x', 'nodejs24.x'];
const ROLE = /^arn:aws[\w-]*:iam::\d{12}:role\/?[\w+=,.@\-/]+$/;
const VARIABLE = /^[a-zA-Z]\w+$/;
/** Lambda sets these itself (Developer Guide, "Defined runtime environment variables"). */
const RESERVED = new Set([
  '_HANDLER',
  '_X_AMZN_TRACE_ID',
  'AWS_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_DEFAULT_REGION',
  'AWS_EXECUTION_ENV',
  'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_FUNCTION_VERSION',
  'AWS_LAMBDA_INITIALIZATION_TYPE',
  'AWS_LAMBDA_LOG_GROUP_NAME',
  'AWS_LAMBDA_LOG_STREAM_NAME',
  'AWS_LAMBDA_RUNTIME_API',
  'AWS_REGION',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'LAMBDA_RUNTIME_DIR',
  'LAMBDA_TASK_ROOT',
]);

type Settings = Partial<CreateFunctionRequest> & Partial<UpdateFunctionConfigurationRequest>;

/**
 * Checks the settings of a creation or an update, whichever are there.
 * @throws LambdaError ValidationException or InvalidParameterValueException
 */
export function checkSettings(settings: Settings, layers: Readonly<Record<string, string>>): void {
  checkRange(settings.MemorySize, 'memorySize', 128, 10_240);
  checkRange(settings.Timeout, 'timeout', 1, 900);
  checkRange(settings.EphemeralStorage?.Size, 'ephemeralStorage.size', 512, 10_240);
  checkText(settings.Handler, 'handler', /^\S{1,128}$/, '[^\\s]+');
  checkText(settings.Role, 'role', ROLE, 'arn:(aws[a-zA-Z-]*)?:iam::\\d{12}:role/?[a-zA-Z_0-9+=,.@\\-_/]+');
  checkText(settings.Description, 'description', /^.{0,256}$/s, 'Member must have length less than or equal to 256');
  checkText(
    settings.LoggingConfig?.LogGroup,
    'loggingConfig.logGroup',
    /^[.\-_/#A-Za-z0-9]{1,512}$/,
    '[\\.\\-_/#A-Za-z0-9]+',
  );
  const { Runtime: runtime } = settings;
  if (runtime !== undefined && !RUNTIMES.includes(runtime)) {
    const allowed = `[${RUNTIMES.join(', ')}]`;
    throw invalid(
      `Value ${runtime} at 'runtime' failed to satisfy constraint: Member must satisfy enum value set: ${allowed} or be a valid ARN`,
    );
  }
  const architectures = settings.Architectures;
  if (architectures && (architectures.length !== 1 || !/^(arm64|x86_64)$/.test(architectures[0] ?? ''))) {
    throw violates(
      `[${architectures.join(', ')}]`,
      'architectures',
      'Member must satisfy enum value set: [x86_64, arm64]',
    );
  }
  checkEnvironment(settings.Environment?.Variables ?? {});
  checkLayers(settings.Layers ?? [], layers);
}

function checkRange(value: number | undefined, member: string, least: number, most: number): void {
  if (value === undefined) return;
  if (!(value >= least)) throw violates(`${value}`, member, `Member must have value greater than or equal to ${least}`);
  if (value > most) throw violates(`${value}`, member, `Member must have value less than or equal to ${most}`);
}

function checkText(value: string | undefined, member: string, pattern: RegExp, rule: string): void {
  if (value === undefined || pattern.test(value)) return;
  throw violates(
    value,
    member,
    rule.startsWith('Member') ? rule : `Member must satisfy regular expression pattern: ${rule}`,
  );
}

function checkEnvironment(variables: Readonly<Record<string, string>>): void {
  const prefix =
    'Lambda was unable to configure your environment variables because the environment variables you have provided';
  const names = Object.keys(variables);
  const wrong = names.find((name) => !VARIABLE.test(name));
  if (wrong !== undefined && !RESERVED.has(wrong)) {
    throw violates(
      `{${wrong}}`,
      'environment.variables',
      'Map keys must satisfy constraint: [Member must satisfy regular expression pattern: [a-zA-Z]([a-zA-Z0-9_])+]',
    );
  }
  const reserved = names.filter((name) => RESERVED.has(name));
  if (reserved.length > 0) {
    const what =
      'contains reserved keys that are currently not supported for modification. Reserved keys used in this request';
    throw invalid(`${prefix} ${what}: ${reserved.join(', ')}`);
  }
  const measured = JSON.stringify(variables);
  if (Buffer.byteLength(measured) > MAX_ENVIRONMENT_BYTES) {
    // Lambda's text repeats the variables; a caller that shows it shows their values, so ours must too.
    throw invalid(`${prefix} exceeded the 4KB limit. String measured: ${measured}`);
  }
}

function checkLayers(arns: readonly string[], layers: Readonly<Record<string, string>>): void {
  if (arns.length > MAX_LAYERS) throw invalid(`Cannot reference more than ${MAX_LAYERS} layers.`);
  const unknown = arns.find((arn) => !Object.hasOwn(layers, arn));
  if (unknown !== undefined) throw invalid(`Layer version ${unknown} does not exist.`);
}

/** Lambda's limit for a package that comes in the request: 50 MB zipped, in base64. */
export function tooLargeRequest(bytes: number, operation: string): LambdaError {
  return new LambdaError(
    'RequestEntityTooLargeException',
    `Request must be smaller than ${bytes} bytes for the ${operation} operation`,
  );
}
