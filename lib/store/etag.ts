import { AppError } from '../errors.ts';

/** A strong ETag (RFC 9110, 8.8.3) made from the version number of an item. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * Judges `If-Match` (RFC 9110, 13.1.1) against the version that exists, undefined when nothing does.
 * @throws AppError PRECONDITION_FAILED
 */
export function checkIfMatch(ifMatch: string | undefined, version: number | undefined, what: string): void {
  if (ifMatch === undefined) return;
  const wanted = ifMatch.split(',').map((tag) => tag.trim());
  if (version === undefined) throw new AppError('PRECONDITION_FAILED', `If-Match: ${what} does not exist.`);
  if (wanted.includes('*') || wanted.includes(etagOf(version))) return;
  const now = `its ETag is ${etagOf(version)}`;
  throw new AppError('PRECONDITION_FAILED', `${what} has changed: ${now}. Read it again, then repeat the request.`);
}

/** What the loser of a race is told. */
export function lostRace(what: string, options?: ErrorOptions): AppError {
  const message = `${what} was changed by another request at the same time. Read it again, then repeat the request.`;
  return new AppError('PRECONDITION_FAILED', message, {}, options);
}
