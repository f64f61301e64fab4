/**
 * - `parse`: the template is wrong; known before any data.
 * - `missing`: a key that the template uses is not in the data.
 * - `execution`: the data does not fit what the template does with it.
 * - `limit`: a bound on size, steps or depth was reached.
 */
export type TemplateErrorKind = 'parse' | 'missing' | 'execution' | 'limit';

/** Details quote the template, whose literals can be long. */
const MAX_DETAIL = 400;

/** A template that cannot be parsed or rendered. `message` starts with the place, `template 2:14: …` (line:column). */
export class TemplateError extends Error {
  readonly kind: TemplateErrorKind;
  /** The message without the place. */
  readonly detail: string;
  /** `line:column` in the template's text, both from 1; absent when the whole template is meant. */
  readonly place: string | undefined;

  constructor(kind: TemplateErrorKind, message: string, place?: string) {
    const detail = message.length > MAX_DETAIL ? `${message.slice(0, MAX_DETAIL)}…` : message;
    super(place === undefined ? `template: ${detail}` : `template ${place}: ${detail}`);
    this.name = 'TemplateError';
    this.kind = kind;
    this.detail = detail;
    this.place = place;
  }
}

/** `line:column` of an offset, counted only when an error is made. */
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `${before.split('\n').length}:${offset - before.lastIndexOf('\n')}`;
}

/** Adds the place to an error of a function that does not know where it was called. */
export function placed(error: unknown, text: string, offset: number, what: string): unknown {
  if (!(error instanceof TemplateError) || error.place !== undefined) return error;
  return new TemplateError(error.kind, `${what}: ${error.detail}`, placeOf(text, offset));
}
