import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { ValueError } from './value-error.ts';

/** Why a pattern or a text was refused; the message says where, why and what to do. */
export class RegexError extends ValueError {
  override readonly name = 'RegexError';
}

/** A compiled RE2 pattern. Searches take linear time, are unanchored, and prefer what Perl would (leftmost-first). */
export interface Regex {
  /** The named groups, in pattern order. */
  readonly names: readonly string[];
  /** Instructions of the compiled program; a search costs at most this many steps per character. */
  readonly size: number;
  /**
   * The named groups of the first match, or undefined without one. A group that did not take part is `''`.
   * @throws RegexError when the text is longer than 8 KiB
   */
  search(text: string): ReadonlyMap<string, string> | undefined;
  /**
   * Whether any part of the text matches.
   * @throws RegexError when the text is longer than 8 KiB
   */
  matches(text: string): boolean;
}

/** R35: 8 KiB of text for one pattern. */
const MAX_TEXT_BYTES = 8 * 1024;
const MAX_PATTERN_BYTES = 4 * 1024;
/** 3,000 instructions over 8 KiB of hostile text were measured at 0.4 to 1.1 s; a pattern of 4 KiB can reach 400,000. */
const MAX_PROGRAM_SIZE = 3000;

/**
 * Compiles a pattern in Go's RE2 syntax: `(?P<n>…)` and `(?<n>…)` name groups; look-around and back-references do not
 * exist.
 * @throws RegexError when the pattern is not RE2, names a group twice, or is too large
 */
export function compileRegex(pattern: string): Regex {
  const bytes = Buffer.byteLength(pattern);
  if (bytes > MAX_PATTERN_BYTES) {
    throw new RegexError(`the pattern has ${bytes} bytes, the limit is ${MAX_PATTERN_BYTES}: shorten it`);
  }
  const re2 = compileRe2(pattern);
  const size = re2.programSize();
  if (size > MAX_PROGRAM_SIZE) {
    throw new RegexError(
      `the pattern ${quote(pattern)} compiles to ${size} instructions, the limit is ${MAX_PROGRAM_SIZE}: ` +
        'lower its repeat counts',
    );
  }
  // Peer: Go lets the last of several groups with one name win; RE2 in JavaScript refuses duplicates.
  const groups = Object.entries(re2.namedGroups()).sort(([, a], [, b]) => a - b);
  return {
    names: groups.map(([name]) => name),
    size,
    search(text) {
      checkText(text);
      const matcher = re2.matcher(text);
      if (!matcher.find()) return undefined;
      const found = new Map<string, string>();
      for (const [name, index] of groups) found.set(name, matcher.group(index) ?? '');
      return found;
    },
    matches(text) {
      checkText(text);
      return re2.test(text);
    },
  };
}

function compileRe2(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new RegexError(describe(pattern, error));
  }
}

function describe(pattern: string, error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) return `the pattern ${quote(pattern)} is not RE2: ${error.message}`;
  const reason = error.getDescription();
  const fragment = error.getPattern() ?? '';
  const offset = fragment === '' ? -1 : pattern.indexOf(fragment);
  const place = offset < 0 ? '' : ` at offset ${offset} (${quote(fragment)})`;
  return `the pattern ${quote(pattern)} is not RE2: ${reason}${place}; ${adviceFor(reason)}`;
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/Perl syntax|named capture/, 'RE2 has no look-around and no atomic groups, and a name is letters, digits and _'],
  [/escape sequence/, 'RE2 has no back-references; write \\\\ for a backslash'],
  [/duplicate/, 'give each group a name of its own'],
  [/repeat count/, 'repeat counts go up to 1000, also multiplied when nested'],
  [/nested repetition/, 'put the inner repetition in a group'],
  [/missing closing|unexpected \)/, 'balance the brackets, or escape them with \\'],
  [/nests too deeply/, 'flatten the groups'],
];

function adviceFor(reason: string): string {
  return ADVICE.find(([kind]) => kind.test(reason))?.[1] ?? 'see the RE2 syntax of Go regular expressions';
}

function checkText(text: string): void {
  // A UTF-16 unit is at most three bytes of UTF-8, so short texts need no count.
  if (text.length * 3 <= MAX_TEXT_BYTES) return;
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_TEXT_BYTES) {
    throw new RegexError(`the text has ${bytes} bytes, the limit for a pattern is ${MAX_TEXT_BYTES} bytes`);
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
