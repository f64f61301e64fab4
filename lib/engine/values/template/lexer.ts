import { placeOf, TemplateError } from './template-error.ts';

type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'field'
  | 'dot'
  | 'variable'
  | 'identifier'
  | 'keyword'
  | 'number'
  | 'char'
  | 'string'
  | 'raw'
  | 'pipe'
  | 'declare'
  | 'assign'
  | 'comma'
  | 'left'
  | 'right'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly offset: number;
  /** White space stands before it: operands must be separated, the names of a chain must not. */
  readonly spaced: boolean;
}

const KEYWORDS = new Set('block break continue define else end false if nil range template true with'.split(' '));

/** Tried in order at a token's first character. `terminated` names must end at a space or one of `. , | : ) (`. */
const RULES: readonly { kind: TokenKind; pattern: RegExp; terminated?: true }[] = [
  { kind: 'number', pattern: /[+-]?\.?[0-9](?:[eE][+-]|[\p{L}\p{Nd}_.])*/uy },
  { kind: 'field', pattern: /\.[\p{L}\p{Nd}_]+/uy, terminated: true },
  { kind: 'dot', pattern: /\./uy, terminated: true },
  { kind: 'variable', pattern: /\$[\p{L}\p{Nd}_]*/uy, terminated: true },
  { kind: 'identifier', pattern: /[\p{L}\p{Nd}_]+/uy, terminated: true },
  { kind: 'string', pattern: /"(?:[^"\\\n]|\\[^\n])*"/uy },
  { kind: 'raw', pattern: /`[^`]*`/uy },
  { kind: 'char', pattern: /'(?:[^'\\\n]|\\[^\n])*'/uy },
  { kind: 'pipe', pattern: /\|/uy },
  { kind: 'declare', pattern: /:=/uy },
  { kind: 'assign', pattern: /=/uy },
  { kind: 'comma', pattern: /,/uy },
  { kind: 'left', pattern: /\(/uy },
  { kind: 'right', pattern: /\)/uy },
];

const TERMINATOR = /$|[ \t\r\n.,|:)(]|\}\}/uy;

/** Splits a template into text and the tokens of its actions; comments and trimmed white space are gone. */
export function lex(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  let trimNext = false;
  while (position < text.length) {
    const open = text.indexOf('{{', position);
    const end = open < 0 ? text.length : open;
    const trims = open >= 0 && text[open + 2] === '-' && isSpace(text[open + 3]);
    const from = trimNext ? skipSpace(text, position, end) : position;
    const to = trims ? skipSpaceBack(text, from, end) : end;
    if (from < to) tokens.push({ kind: 'text', text: text.slice(from, to), offset: from, spaced: false });
    if (open < 0) break;
    const inner = open + (trims ? 4 : 2);
    const close = text.startsWith('/*', inner) ? skipComment(text, open, inner) : lexAction(text, open, inner, tokens);
    trimNext = close.trims;
    position = close.end;
  }
  tokens.push({ kind: 'end', text: '', offset: text.length, spaced: false });
  return tokens;
}

interface Close {
  readonly end: number;
  readonly trims: boolean;
}

function lexAction(text: string, open: number, inner: number, tokens: Token[]): Close {
  tokens.push({ kind: 'open', text: '{{', offset: open, spaced: false });
  let position = inner;
  let spaced = true;
  for (;;) {
    const close = closeAt(text, position);
    if (close) {
      tokens.push({ kind: 'close', text: '}}', offset: position, spaced });
      return close;
    }
    if (position >= text.length) throw problem(text, open, 'the action is not closed; end it with }}');
    if (isSpace(text[position])) {
      spaced = true;
      position++;
    } else {
      const token = tokenAt(text, position, spaced);
      tokens.push(token);
      spaced = false;
      position += token.text.length;
    }
  }
}

function tokenAt(text: string, offset: number, spaced: boolean): Token {
  for (const { kind, pattern, terminated } of RULES) {
    pattern.lastIndex = offset;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) continue;
    if (terminated) checkTerminator(text, offset, found);
    return { kind: kind === 'identifier' && KEYWORDS.has(found) ? 'keyword' : kind, text: found, offset, spaced };
  }
  const character = String.fromCodePoint(text.codePointAt(offset) as number);
  if ('"`\''.includes(character)) throw problem(text, offset, `the text that starts with ${character} is not closed`);
  throw problem(text, offset, `unexpected ${JSON.stringify(character)} in an action`);
}

function checkTerminator(text: string, offset: number, found: string): void {
  const end = offset + found.length;
  TERMINATOR.lastIndex = end;
  if (TERMINATOR.test(text)) return;
  const character = JSON.stringify(String.fromCodePoint(text.codePointAt(end) as number));
  const hint = found.startsWith('.')
    ? '; a key with such a character is read with index: {{index . "some-key"}}'
    : '; separate it with a space';
  throw problem(text, end, `unexpected ${character} after ${found}${hint}`);
}

/** The right delimiter at this position; with a trim marker it is a space, `-` and `}}`. */
function closeAt(text: string, position: number): Close | undefined {
  if (text.startsWith('}}', position)) return { end: position + 2, trims: false };
  if (isSpace(text[position]) && text.startsWith('-}}', position + 1)) return { end: position + 4, trims: true };
  return undefined;
}

function skipComment(text: string, open: number, inner: number): Close {
  const end = text.indexOf('*/', inner + 2);
  if (end < 0) throw problem(text, open, 'the comment is not closed; end it with */}}');
  const close = closeAt(text, end + 2);
  if (!close) throw problem(text, end + 2, 'a comment must fill its action: {{/* … */}}');
  return close;
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n';
}

function skipSpace(text: string, from: number, to: number): number {
  let position = from;
  while (position < to && isSpace(text[position])) position++;
  return position;
}

function skipSpaceBack(text: string, from: number, to: number): number {
  let position = to;
  while (position > from && isSpace(text[position - 1])) position--;
  return position;
}

function problem(text: string, offset: number, detail: string): TemplateError {
  return new TemplateError('parse', detail, placeOf(text, offset));
}
