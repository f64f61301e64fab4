import { lex, type Token } from './lexer.ts';
import { MAX_DEPTH } from './limits.ts';
import { placeOf, TemplateError } from './template-error.ts';

/** The tokens of one template, read from left to right; counts the nesting of what is being parsed. */
export class TokenReader {
  readonly text: string;
  readonly #tokens: readonly Token[];
  #position = 0;
  #depth = 0;

  constructor(text: string) {
    this.text = text;
    this.#tokens = lex(text);
  }

  /** The token `ahead` places further; the last token, `end`, never runs out. */
  peek(ahead = 0): Token {
    return (this.#tokens[this.#position + ahead] ?? this.#tokens.at(-1)) as Token;
  }

  next(): Token {
    const token = this.peek();
    this.#position++;
    return token;
  }

  /** Runs `parse` one level deeper. */
  nested<T>(offset: number, parse: () => T): T {
    if (this.#depth >= MAX_DEPTH) {
      const detail = `blocks and parentheses are nested more than ${MAX_DEPTH} deep`;
      throw new TemplateError('limit', detail, placeOf(this.text, offset));
    }
    this.#depth++;
    const result = parse();
    this.#depth--;
    return result;
  }

  problem(offset: number, detail: string): TemplateError {
    return new TemplateError('parse', detail, placeOf(this.text, offset));
  }

  /** The error for the token that comes next. */
  unexpected(context: string): TemplateError {
    const { kind, text, offset } = this.peek();
    return this.problem(offset, `unexpected ${kind === 'end' ? 'end of the template' : text} in ${context}`);
  }
}
