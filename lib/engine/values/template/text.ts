import { shortestDecimal } from './decimal.ts';
import { TemplateError } from './template-error.ts';
import { entryOf, isList, isNil, type MapValue, sortedKeys, type Value } from './value.ts';

/** Nesting of data that is still printed; the API server allows more, a template never needs it. */
const MAX_PRINTED_DEPTH = 1000;

/** A value as an action prints it: Go's `%v`, except that nil is `<no value>` and whole numbers are whole (D10). */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  return isNil(value) ? '<no value>' : plainText(value);
}

/** A value as `print` and `%v` print it. */
export function plainText(value: Value): string {
  return listText(value, (scalar) => {
    if (typeof scalar === 'number') return numberText(scalar);
    return String(scalar);
  });
}

/** `[1 2]`, `map[a:1 b:2]` with sorted keys; `scalarText` makes the text of strings, booleans and numbers. */
export function listText(value: Value, scalarText: (value: Value) => string, depth = 0): string {
  if (depth > MAX_PRINTED_DEPTH) {
    throw new TemplateError('limit', `the printed value is nested more than ${MAX_PRINTED_DEPTH} deep`);
  }
  if (isNil(value)) return '<nil>';
  if (typeof value !== 'object') return scalarText(value);
  if (isList(value)) return `[${value.map((item) => listText(item, scalarText, depth + 1)).join(' ')}]`;
  const entry = (key: string) =>
    `${scalarText(key)}:${listText(entryOf(value as MapValue, key), scalarText, depth + 1)}`;
  return `map[${sortedKeys(value as MapValue)
    .map(entry)
    .join(' ')}]`;
}

/**
 * Whole numbers with all their digits. Peer: from a decimal exponent of 6 on it prints the exponent form (D10).
 * Other numbers as Go's `%v`: shortest digits that round-trip, in exponent form below 1e-4 and from 1e6 on.
 */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value)) {
    if (size >= 1e21) return wholeDigits(value);
    return Object.is(value, -0) ? '-0' : String(value);
  }
  if (size >= 1e-4 && size < 1e6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

function wholeDigits(value: number): string {
  const { digits, point } = shortestDecimal(Math.abs(value));
  return (value < 0 ? '-' : '') + digits.padEnd(point, '0');
}
