import { show } from '../../engine/conversion-error.ts';
import type { Json } from '../../engine/json.ts';
import { stringifyGoJson } from '../../engine/values/go-json.ts';

const MAX_CHARACTERS = 60;

/** A value as a report shows it: lists and objects as JSON, cut, for what differs is in them. */
export function showJson(value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return show(value);
  const text = stringifyGoJson(value);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…` : text;
}
