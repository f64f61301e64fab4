import { compileRegex, type Regex, RegexError } from '../regex.ts';
import { Failure } from './error.ts';
import type { Meter } from './evaluation.ts';

/** What compiling a pattern costs for each character: 4 KiB of a hostile one take half a second. */
const COMPILE_COST = 100;
const MAX_CACHED = 100;

/** Patterns that are not known before evaluation. */
const cache = new Map<string, Regex>();

/** `text.matches(pattern)`: RE2, unanchored. A cached pattern costs the same, so that equal inputs give equal results. */
export function matches(text: string, pattern: string, meter: Meter): boolean {
  meter.spend(pattern.length * COMPILE_COST);
  let regex = cache.get(pattern);
  if (regex === undefined) {
    regex = compilePattern(pattern, (reason) => new Failure('evaluation', reason));
    const [oldest] = cache.size < MAX_CACHED ? [] : cache.keys();
    if (oldest !== undefined) cache.delete(oldest);
    cache.set(pattern, regex);
  }
  return test(regex, text, meter);
}

export function compilePattern(pattern: string, refuse: (reason: string) => unknown): Regex {
  try {
    return compileRegex(pattern);
  } catch (error) {
    throw error instanceof RegexError ? refuse(error.message) : error;
  }
}

/** Costs what cel-go estimates, with the program's size in place of the pattern's. */
export function test(regex: Regex, text: string, meter: Meter): boolean {
  meter.spend(Math.ceil(text.length / 10) * Math.ceil(regex.size / 4));
  try {
    return regex.matches(text);
  } catch (error) {
    throw error instanceof RegexError ? new Failure('limit', error.message) : error;
  }
}
