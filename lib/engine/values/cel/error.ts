/**
 * `compile`: the expression is refused. `absent`: a field, key or element that the expression reads is not there.
 * `division`: by zero, or a modulus, which is what the size of an emptied map makes of it.
 * `limit`: the evaluation would cost too much. `evaluation`: any other failure on this object.
 */
type CelErrorKind = 'compile' | 'absent' | 'division' | 'evaluation' | 'limit';

export class CelError extends Error {
  override readonly name = 'CelError';
  readonly kind: CelErrorKind;
  /** A field that is not there may be why: the expression read it, or asked for it and went another way. */
  readonly afterAbsence: boolean;

  constructor(kind: CelErrorKind, message: string, afterAbsence = kind === 'absent') {
    super(message);
    this.kind = kind;
    this.afterAbsence = afterAbsence;
  }
}

/**
 * What the parts of an expression throw. Another part may absorb it (`a || b`, `exists`), once for each item of a list,
 * so it has no stack: making an Error takes as long as a thousand steps. The one that gets out becomes a CelError.
 */
export class Failure {
  readonly kind: CelErrorKind;
  readonly reason: string;
  #excerpt: string | undefined;

  constructor(kind: CelErrorKind, reason: string, excerpt?: string) {
    this.kind = kind;
    this.reason = reason;
    this.#excerpt = excerpt;
  }

  /** Names the part of the expression that failed, unless a smaller part is already named. */
  within(excerpt: string): this {
    this.#excerpt ??= excerpt;
    return this;
  }

  /** An Error without a stack: in a review an absent source is the normal case, and a stack takes 4 µs. */
  toError(metAbsence: boolean): CelError {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      const message = this.#excerpt === undefined ? this.reason : `${this.reason} in ${this.#excerpt}`;
      return new CelError(this.kind, message, metAbsence || this.kind === 'absent');
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }
}

/** A place in an expression; a node of the syntax tree is one. */
export interface Place {
  readonly input?: string;
  readonly pos: number;
  readonly start: number;
  readonly end: number;
}

/** How much of a long line is shown on each side of the place. */
const CONTEXT_LENGTH = 60;

/** A compile error that shows the source line with a caret under the place. */
export function compileError(reason: string, input: string, offset: number): CelError {
  const before = input.slice(0, offset);
  const lineEnd = input.indexOf('\n', offset);
  const start = Math.max(before.lastIndexOf('\n') + 1, offset - CONTEXT_LENGTH);
  const end = Math.min(lineEnd < 0 ? input.length : lineEnd, offset + CONTEXT_LENGTH);
  const gutter = `${before.split('\n').length} | `;
  const caret = `${' '.repeat(gutter.length + offset - start)}^`;
  return new CelError('compile', `${reason}\n${gutter}${input.slice(start, end)}\n${caret}`);
}

const EXCERPT_LENGTH = 60;

/** The text of a part of the expression, on one line and shortened. */
export function excerptOf(place: Place): string {
  const text = (place.input ?? '').slice(place.start, place.end).replace(/\s+/g, ' ');
  return text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text;
}
