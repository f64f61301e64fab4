/** One call of a service that speaks JSON over HTTP: the members of its input, unchecked, and of its output. */
export type Operation = (input: Readonly<Record<string, unknown>>) => object | Promise<object>;

/** The operations of one service, by their names in the API. */
export type JsonService = Readonly<Record<string, Operation>>;

/** What AWS refuses a call with. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = 'AwsError';
    this.code = code;
    this.status = status;
  }
}

/** @throws AwsError ValidationException when the member is absent or no text */
export function readText(input: Readonly<Record<string, unknown>>, member: string): string {
  const value = input[member];
  if (typeof value === 'string' && value !== '') return value;
  throw new AwsError('ValidationException', `1 validation error detected: '${member}' must be a text`);
}

/** A page of a list; the token is the place where the next one begins. */
export function cutPage<T>(list: readonly T[], size: number, token: unknown) {
  const start = token === undefined ? 0 : Number(token);
  if (!Number.isInteger(start) || start < 0) throw new AwsError('ValidationException', 'The token is not one of ours.');
  const end = start + size;
  return { page: list.slice(start, end), ...(end < list.length && { next: String(end) }) };
}
