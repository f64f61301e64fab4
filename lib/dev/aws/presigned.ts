import { AwsError } from './json-service.ts';

/** Seven days. */
const LONGEST = 604_800;

/**
 * Refuses a request of which S3 would not know who sent it, or whose URL was signed for another operation or is too old. The
 * signature itself is not looked at.
 * @param operation that the request asks for, as the SDK names it in what it signs
 * @throws AwsError with status 403 or 400
 */
export function checkAccess(
  query: URLSearchParams,
  { authorization, operation, now }: { authorization: string | undefined; operation: string; now: number },
): void {
  if (authorization !== undefined) return;
  if (!query.has('X-Amz-Signature')) throw denied('Access Denied');
  const { seconds, signedAt } = readTimes(query);
  if (now > signedAt + seconds * 1_000) throw denied('Request has expired');
  const signedFor = query.get('x-id');
  if (signedFor !== null && signedFor !== operation) {
    throw new AwsError('SignatureDoesNotMatch', `The URL was signed for ${signedFor}, not for ${operation}.`, 403);
  }
}

function readTimes(query: URLSearchParams) {
  const seconds = Number(query.get('X-Amz-Expires'));
  const [, date, time] = /^(\d{4}\d\d\d\d)T(\d{6})Z$/.exec(query.get('X-Amz-Date') ?? '') ?? [];
  if (date === undefined || time === undefined || !(seconds >= 1 && seconds <= LONGEST)) {
    throw new AwsError('AuthorizationQueryParametersError', 'X-Amz-Date or X-Amz-Expires is not valid');
  }
  const day = date.replace(/(....)(..)(..)/, '$1-$2-$3');
  return { seconds, signedAt: Date.parse(`${day}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`) };
}

function denied(message: string): AwsError {
  return new AwsError('AccessDenied', message, 403);
}
