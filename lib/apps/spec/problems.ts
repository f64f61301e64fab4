import { AppError, type ErrorDetails } from '../../errors.ts';

type Problem = NonNullable<ErrorDetails['errors']>[number];

/** Collects what is wrong with a body and what its sender should know, so that one answer names all of it. */
export interface Findings {
  /** `path`: keys from the root of the body. */
  wrong(path: readonly (string | number)[], detail: string): void;
  warn(text: string): void;
  readonly warnings: readonly string[];
  /** @throws AppError BAD_REQUEST with one entry for each fault, when there is any */
  check(): void;
}

/** @param what stands before the text: `the app is not valid` */
export function createFindings(what: string): Findings {
  const problems: Problem[] = [];
  const warnings: string[] = [];
  return {
    wrong: (path, detail) => void problems.push({ pointer: pointerOf(path), detail }),
    warn: (text) => void warnings.push(text),
    warnings,
    check() {
      if (problems.length > 0) throw invalid(what, problems);
    },
  };
}

/** One fault. */
export function badRequest(what: string, path: readonly (string | number)[], detail: string): AppError {
  return invalid(what, [{ pointer: pointerOf(path), detail }]);
}

function invalid(what: string, errors: readonly Problem[]): AppError {
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const text = `${what}: ${errors[0]?.pointer || '(root)'}: ${errors[0]?.detail}${more}`;
  return new AppError('BAD_REQUEST', text, { errors });
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.map((key) => `/${cut(String(key)).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Foreign text, quoted and short enough for a message. */
export function show(text: string): string {
  return JSON.stringify(cut(text));
}

/** The longest legal key, of a label, has 255 characters. */
function cut(text: string): string {
  return text.length <= 255 ? text : `${text.slice(0, 255)}…`;
}
