import { getOwn, isObject, type Json, type JsonObject } from '../../engine/json.ts';
import { type Findings, show } from './problems.ts';

type Path = readonly string[];

/** Reads the keys of one object of a body; `null` counts as absent, as in the Go peer. Each fault is a finding. */
export interface Fields {
  whole(key: string, range: { readonly from: number; readonly to: number; readonly unit?: string }): number | undefined;
  text(key: string, longest: number): string | undefined;
  /** The empty text counts as absent. */
  choice<T extends string>(key: string, choices: readonly T[]): T | undefined;
  object(key: string): JsonObject | undefined;
  list(key: string): readonly Json[] | undefined;
  value(key: string): Json | undefined;
}

export function readFields(source: JsonObject, path: Path, { wrong }: Findings): Fields {
  const value = (key: string): Json | undefined => {
    const found = getOwn(source, key);
    return found === null ? undefined : found;
  };
  const read = <T extends Json>(key: string, is: (found: Json) => found is T, what: string): T | undefined => {
    const found = value(key);
    if (found === undefined || is(found)) return found;
    wrong([...path, key], `must be ${what}`);
    return undefined;
  };
  const text = (key: string, longest: number): string | undefined => {
    const found = read(key, isText, 'a text');
    if (found === undefined || found.length <= longest) return found;
    wrong([...path, key], `is too long: ${found.length} characters, at most ${longest}`);
    return undefined;
  };
  return {
    value,
    text,
    whole(key, { from, to, unit }) {
      const found = value(key);
      if (found === undefined) return undefined;
      if (typeof found === 'number' && Number.isInteger(found) && found >= from && found <= to) return found;
      wrong([...path, key], `must be a whole number from ${from} to ${to}${unit ? ` (${unit})` : ''}`);
      return undefined;
    },
    choice(key, choices) {
      const found = text(key, 255);
      if (found === undefined || found === '') return undefined;
      const chosen = choices.find((choice) => choice === found);
      if (chosen === undefined) wrong([...path, key], `must be one of ${choices.join(', ')}, not ${show(found)}`);
      return chosen;
    },
    object: (key) => read(key, isObject, 'an object'),
    list: (key) => read(key, isList, 'a list'),
  };
}

function isText(value: Json): value is string {
  return typeof value === 'string';
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
