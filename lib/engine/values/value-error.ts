import { type Json, jsonType } from '../json.ts';

/** A message is read in one line of a status, and a value can be megabytes long. */
const SHOWN_CHARACTERS = 64;

/** A value that cannot be converted. The message names the value; the rule and the path are added by the caller. */
export class ValueError extends Error {
  override readonly name: string = 'ValueError';
}

/** A value as messages show it: scalars as JSON text cut at 64 characters, `null`, and containers by their type. */
export function showValue(value: Json): string {
  if (typeof value === 'string') {
    return value.length > SHOWN_CHARACTERS
      ? `${JSON.stringify(value.slice(0, SHOWN_CHARACTERS).toWellFormed())}…`
      : JSON.stringify(value);
  }
  return typeof value === 'object' ? jsonType(value) : String(value);
}
