import { AppError } from '../../errors.ts';

/** One segment of a path; `..` would lead to another one. @throws AppError BAD_REQUEST for what no name can be */
export function segment(name: string, what: string): string {
  if (/^[a-z0-9_]/i.test(name)) return encodeURIComponent(name);
  throw new AppError('BAD_REQUEST', `"${name}" cannot be the name of ${what}`);
}
