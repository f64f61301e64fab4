import { canonicalInteger } from '../../json.ts';

/** Every function here returns undefined for text that is no such literal of Go. */

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

const PIECE = /\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))|[^\\]/gu;

/** The text of `"…"` (escapes of Go) or of a raw string in back quotes (carriage returns are dropped, as Go does). */
export function unquote(literal: string): string | undefined {
  const body = literal.slice(1, -1);
  const quote = literal[0] as string;
  if (quote === '`') return body.replaceAll('\r', '');
  let text = '';
  let position = 0;
  for (const match of body.matchAll(PIECE)) {
    const piece = match[1] === undefined ? codePoint(match) : escapedLetter(match[1], quote);
    if (piece === undefined || match.index !== position) return undefined;
    text += piece;
    position += match[0].length;
  }
  return position === body.length ? text : undefined;
}

function escapedLetter(letter: string, quote: string): string | undefined {
  return letter === quote ? letter : ESCAPES[letter];
}

function codePoint([piece, , byte, short, long, octal]: RegExpExecArray): string | undefined {
  const hex = byte ?? short ?? long;
  const code = hex !== undefined ? Number.parseInt(hex, 16) : octal !== undefined ? Number.parseInt(octal, 8) : -1;
  if (code < 0) return piece;
  // A single byte from 0x80 is no text; Go keeps it and JSON would turn it into U+FFFD.
  if (code > 0x7f && (byte !== undefined || octal !== undefined)) return undefined;
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? undefined : String.fromCodePoint(code);
}

/** The code point of a character constant such as `'a'`. */
export function characterCode(literal: string): number | undefined {
  const text = unquote(literal);
  const code = text?.codePointAt(0);
  return code !== undefined && String.fromCodePoint(code) === text ? code : undefined;
}

const INTEGER = /^([+-]?)(0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?[0-9])*)$/;
const FLOAT = /^[+-]?(?:[0-9](?:_?[0-9])*\.?(?:[0-9](?:_?[0-9])*)?|\.[0-9](?:_?[0-9])*)(?:[eE][+-]?[0-9]+)?$/;

/** A number as Go writes it: decimal, `0x`, `0o`, `0b`, a leading 0 for octal, `_` between digits; integers of 64 bits. */
export function numberValue(literal: string): number | bigint | undefined {
  const [, sign, digits] = INTEGER.exec(literal) ?? [];
  if (digits !== undefined) {
    const plain = digits.replaceAll('_', '').replace(/^0(?=[0-7])/, '0o');
    const value = sign === '-' ? -BigInt(plain) : BigInt(plain);
    return BigInt.asIntN(64, value) === value ? canonicalInteger(value) : undefined;
  }
  if (!FLOAT.test(literal) || !/[.eE]/.test(literal)) return undefined;
  const value = Number(literal.replaceAll('_', ''));
  return Number.isFinite(value) ? value : undefined;
}
