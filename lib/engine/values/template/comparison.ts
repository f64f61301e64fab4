import type { Run } from './run.ts';
import { TemplateError } from './template-error.ts';
import { compareText, isNil, isNumber, typeName, type Value } from './value.ts';

/**
 * Go's `eq`: scalars of one type; nil only equals nil; lists and maps cannot be compared. Peer: an integer literal cannot
 * be compared with a number of the data, which is a double there; here numbers compare by value.
 */
export function equal(a: Value, b: Value, run: Run): boolean {
  if (isNil(a) || isNil(b)) return isNil(a) && isNil(b);
  if (isNumber(a) && isNumber(b)) return !(a < b) && !(a > b);
  if (typeof a !== typeof b || typeof a === 'object') throw incompatible(a, b);
  if (typeof a === 'string' && a.length === (b as string).length) run.spendOn(a.length);
  return a === b;
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`: numbers, and texts by their bytes. */
export function order(a: Value, b: Value, run: Run): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a !== 'string' || typeof b !== 'string') throw incompatible(a, b);
  run.spendOn(Math.min(a.length, b.length));
  return compareText(a, b);
}

function incompatible(a: Value, b: Value): TemplateError {
  const kind = a === undefined || b === undefined ? 'missing' : 'execution';
  return new TemplateError(kind, `${typeName(a)} and ${typeName(b)} cannot be compared`);
}
