/** Errors of Lambda's API that we answer with, and their HTTP status (AWS Lambda API reference). */
const STATUS = {
  AccessDeniedException: 403,
  CodeStorageExceededException: 400,
  InvalidParameterValueException: 400,
  InvalidRequestContentException: 400,
  MissingAuthenticationTokenException: 403,
  PreconditionFailedException: 412,
  RequestEntityTooLargeException: 413,
  RequestTooLargeException: 413,
  ResourceConflictException: 409,
  ResourceNotFoundException: 404,
  ServiceException: 500,
  TooManyRequestsException: 429,
  UnknownOperationException: 404,
  ValidationException: 400,
} as const;

export type LambdaErrorType = keyof typeof STATUS;

/** What Lambda refuses a call with. */
export class LambdaError extends Error {
  readonly type: LambdaErrorType;
  readonly status: number;
  /** More keys of the body, as `Reason` of a throttled call. */
  readonly details: Readonly<Record<string, string>>;

  constructor(type: LambdaErrorType, message: string, details: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'LambdaError';
    this.type = type;
    this.status = STATUS[type];
    this.details = details;
  }
}

export function invalid(message: string): LambdaError {
  return new LambdaError('InvalidParameterValueException', message);
}

export function notFound(message: string): LambdaError {
  return new LambdaError('ResourceNotFoundException', message);
}

export function conflict(message: string): LambdaError {
  return new LambdaError('ResourceConflictException', message);
}

/** A value that breaks the API's own model, before the service looks at it. */
export function violates(value: string, member: string, constraint: string): LambdaError {
  return new LambdaError(
    'ValidationException',
    `1 validation error detected: Value '${value}' at '${member}' failed to satisfy constraint: ${constraint}`,
  );
}

export function preconditionFailed(): LambdaError {
  const hint = 'Call the GetFunction/GetAlias API to retrieve the latest Revision Id';
  return new LambdaError(
    'PreconditionFailedException',
    `The Revision Id provided does not match the latest Revision Id. ${hint}`,
  );
}

type ThrottleReason =
  | 'CallerRateLimitExceeded'
  | 'ConcurrentInvocationLimitExceeded'
  | 'ReservedFunctionConcurrentInvocationLimitExceeded';

export function throttled(reason: ThrottleReason): LambdaError {
  return new LambdaError('TooManyRequestsException', 'Rate Exceeded.', { Reason: reason });
}

/** Body of an error answer. Most of Lambda's errors spell `message` small; two of these do not. */
export function renderError({ type, message, details }: LambdaError): string {
  const capital = type === 'ResourceNotFoundException' || type === 'ServiceException';
  const side = type === 'ServiceException' ? 'Service' : 'User';
  return JSON.stringify({ Type: side, [capital ? 'Message' : 'message']: message, ...details });
}
