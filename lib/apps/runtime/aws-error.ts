import { RuntimeError, type RuntimeErrorCode } from './runtime.ts';

/** What AWS says is cut at so many characters. */
const LONGEST = 500;
/** A shorter value is no secret, and cutting every `1` out of a text would leave nothing to read. */
const SHORTEST_HIDDEN = 4;

/** What a refusal is called, whatever its text. Names as they are in the SDK; any other `4xx` is `invalid`. */
const BY_NAME: Readonly<Record<string, RuntimeErrorCode>> = {
  ResourceConflictException: 'conflict',
  ResourceInUseException: 'conflict',
  // An invocation found the function inactive, or not ready yet: Lambda wakes it.
  ResourceNotReadyException: 'conflict',
  CodeArtifactUserPendingException: 'conflict',
  CodeArtifactUserDeletedException: 'conflict',
  EntityAlreadyExistsException: 'conflict',
  ConcurrentModificationException: 'conflict',
  DeleteConflictException: 'conflict',
  OperationAbortedException: 'conflict',
  ResourceAlreadyExistsException: 'conflict',
  TooManyRequestsException: 'throttled',
  Throttling: 'throttled',
  ThrottlingException: 'throttled',
  RequestLimitExceeded: 'throttled',
  EC2ThrottledException: 'throttled',
  ResourceNotFoundException: 'not_found',
  NoSuchEntityException: 'not_found',
  RepositoryNotFoundException: 'not_found',
  ImageNotFoundException: 'not_found',
  PreconditionFailedException: 'precondition',
  CodeStorageExceededException: 'code_storage_full',
  AccessDenied: 'permission_denied',
  AccessDeniedException: 'permission_denied',
  KMSAccessDeniedException: 'permission_denied',
  CredentialsProviderError: 'permission_denied',
  // These two come with status 502 when a function is invoked.
  InvalidRuntimeException: 'invalid',
  InvalidZipFileException: 'invalid',
};

/** Names under which Lambda says many things, which only the text tells apart. */
const TELLS_BY_TEXT = new Set(['InvalidParameterValueException', 'AccessDeniedException', 'ValidationException']);

const BY_TEXT: readonly (readonly [RegExp, RuntimeErrorCode])[] = [
  [/cannot be assumed by Lambda/, 'role_not_ready'],
  // The same race, met by the encryption of the variables.
  [/ARN does not refer to a valid principal/, 'role_not_ready'],
  [/source image|ECR image|image repository/i, 'image_unreadable'],
  [/S3 Error Code: NoSuch/, 'code_missing'],
  [/exceeded the 4KB limit/, 'env_too_large'],
  [/UnreservedConcurrentExecution below/, 'concurrency_exhausted'],
];

/** Reasons of a throttled invocation that are about too many calls of the API; all others are about instances. */
const CALL_RATE = new Set<unknown>([undefined, 'CallerRateLimitExceeded', 'ConcurrentSnapshotCreateLimitExceeded']);

/** An error of the SDK that AWS answered, as far as it is read here. */
interface Refusal {
  readonly name: string;
  readonly message: string;
  readonly $fault: 'client' | 'server';
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly Reason?: unknown;
}

interface CallOptions {
  /** Who is called, for texts. */
  readonly service:
    | 'Lambda'
    | 'IAM'
    | 'CloudWatch Logs'
    | 'ECR'
    | 'S3'
    | 'Systems Manager'
    | 'SQS'
    | 'CloudWatch'
    | 'ACM';
  /** Values that AWS may quote and nobody may read. */
  readonly hidden?: readonly string[];
}

/** Makes a call of AWS, and a `RuntimeError` of every way in which it can go wrong. */
export async function callAws<T>(options: CallOptions, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw toRuntimeError(error, options);
  }
}

/** Undefined instead of `not_found`. */
export async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RuntimeError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/**
 * The error of the SDK does not go along as `cause`: it has the whole answer of AWS in it, and with that may have the
 * variables of an app.
 */
export function toRuntimeError(error: unknown, { service, hidden = [] }: CallOptions): RuntimeError {
  if (!isRefusal(error)) return withoutAnswer(error, service);
  const code = codeOf(error);
  const text = code === 'env_too_large' ? error.message.replace(/\s*String measured:.*$/s, '') : error.message;
  return new RuntimeError(code, clean(text || `${service} answered ${error.name}`, hidden));
}

function codeOf({ name, message, $fault, $metadata, Reason }: Refusal): RuntimeErrorCode {
  const status = $metadata?.httpStatusCode ?? 500;
  if (TELLS_BY_TEXT.has(name)) {
    const found = BY_TEXT.find(([pattern]) => pattern.test(message));
    if (found !== undefined) return found[1];
  }
  if (name === 'TooManyRequestsException' && !CALL_RATE.has(Reason)) return 'concurrency_exhausted';
  const known = BY_NAME[name];
  if (known !== undefined) return known;
  if (status === 429) return 'throttled';
  if (status === 401 || status === 403) return 'permission_denied';
  // A page of somebody between us and AWS has a status too, and no name.
  return $fault === 'client' && status < 500 && /^[A-Z]\w+$/.test(name) && name !== 'UnknownError'
    ? 'invalid'
    : 'unavailable';
}

function withoutAnswer(error: unknown, service: string): RuntimeError {
  const { name = 'unknown', code = name } = error as { name?: string; code?: string };
  if (name === 'CredentialsProviderError')
    return new RuntimeError('permission_denied', `There are no credentials for a call of ${service}.`);
  return new RuntimeError('unavailable', `${service} gave no answer that can be used (${code}).`);
}

function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && '$fault' in error;
}

/** Without the values of `hidden`, request ids and account numbers, on one line, and cut. */
function clean(text: string, hidden: readonly string[]): string {
  // The longest first: one value may be part of another. AWS quotes variables as JSON, with its escapes.
  const values = hidden
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .filter((value) => value.length >= SHORTEST_HIDDEN)
    .sort((one, other) => other.length - one.length);
  const line = values
    .reduce((left, value) => left.replaceAll(value, '***'), text)
    .replaceAll(/\s*\((?:Service|Status Code|SDK Attempt Count):[^)]*\)/g, '')
    .replaceAll(/,?\s*Request ?ID: [\w-]+/gi, '')
    .replaceAll(/(arn:[\w-]*:[\w-]*:[\w-]*:)\d{12}:/g, '$1***:')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
