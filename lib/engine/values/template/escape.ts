const HTML: Readonly<Record<string, string>> = {
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\0': '\ufffd',
};

export function escapeHtml(text: string): string {
  return text.replace(/["'&<>\0]/g, (character) => HTML[character] as string);
}

/** Text for a JavaScript string literal: quotes and markup escaped, unprintable characters as `\uXXXX`. */
export function escapeJs(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Go's js escapes control characters
  return text.replace(/[\0-\x1f\\'"<>&=\u0080-\u{10ffff}]/gu, (character) => {
    if (character === '\\' || character === "'" || character === '"') return `\\${character}`;
    if (character > '\x7f' && isPrintable(character)) return character;
    return `\\u${hex(character, 4).toUpperCase()}`;
  });
}

/** Text for the query of a URL; a space becomes `+`. */
export function escapeQuery(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (character) => `%${hex(character, 2).toUpperCase()}`)
    .replaceAll('%20', '+');
}

const SHORT: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};

/** A Go string literal (`%q`); `ascii` escapes what is not ASCII, `raw` uses back quotes where they can hold the text. */
export function quoteText(text: string, ascii: boolean, raw: boolean): string {
  if (raw && !text.includes('`') && /^(?:[\t\x20-\x7e]|[^\0-\x7f\ufeff\p{Cs}])*$/u.test(text)) return `\`${text}\``;
  return `"${escaped(text, '"', ascii)}"`;
}

/** A Go character constant (`%q` of an integer). */
export function quoteCharacter(character: string, ascii: boolean): string {
  return `'${escaped(character, "'", ascii)}'`;
}

function escaped(text: string, quote: string, ascii: boolean): string {
  return text.toWellFormed().replace(/[^\x20\x21\x23-\x26\x28-\x5b\x5d-\x7e]/gu, (character) => {
    if (character === '"' || character === "'") return character === quote ? `\\${character}` : character;
    const short = SHORT[character];
    if (short !== undefined) return short;
    if (character <= '\x7f') return `\\x${hex(character, 2)}`;
    if (!ascii && isPrintable(character)) return character;
    return character.length > 1 ? `\\U${hex(character, 8)}` : `\\u${hex(character, 4)}`;
  });
}

/** Go's notion: letters, marks, numbers, punctuation, symbols, and of the spaces only the ASCII one. */
export function isPrintable(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character);
}

function hex(character: string, digits: number): string {
  return (character.codePointAt(0) as number).toString(16).padStart(digits, '0');
}
