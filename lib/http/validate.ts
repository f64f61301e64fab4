import type * as z from 'zod/mini';
import type { core } from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { AppError, type ErrorDetails } from '../errors.ts';

type Finding = NonNullable<ErrorDetails['errors']>[number];

/** zod/mini has no texts of its own; the whole `z.locales` would add 277 KiB, so the one language is named here. */
const { localeError } = en();

/**
 * Checks foreign input against a schema. Throws `BAD_REQUEST` with one entry for every fault, unknown keys included;
 * each `pointer` is an RFC 6901 pointer into what was checked. `what` names that for people ("body", "query").
 */
export function validate<T>(schema: z.ZodMiniType<T>, input: unknown, what: string): T {
  const result = schema.safeParse(input, { error: localeError });
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap((issue) => findings(issue));
  const first = errors[0];
  throw new AppError('BAD_REQUEST', `the ${what} is not valid: ${first?.pointer || '(root)'}: ${first?.detail}`, {
    errors,
  });
}

function findings(issue: core.$ZodIssue): Finding[] {
  const pointer = renderPointer(issue.path);
  if (issue.code !== 'unrecognized_keys') return [{ pointer, detail: issue.message }];
  return issue.keys.map((key) => ({ pointer: renderPointer([...issue.path, key]), detail: 'this key is not known' }));
}

function renderPointer(path: readonly PropertyKey[]): string {
  return path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
