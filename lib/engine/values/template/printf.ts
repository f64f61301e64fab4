import { MAX_OUTPUT } from './limits.ts';
import { plainVerb, type Spec } from './printf-spec.ts';
import { VERBS, verbText } from './printf-verbs.ts';
import type { Run } from './run.ts';
import { TemplateError } from './template-error.ts';
import { goType, isNil, isWhole, type Value } from './value.ts';

/** A parsed format: text, and directives that take arguments in order. */
export type Format = readonly (string | Directive)[];

interface Directive {
  readonly flags: string;
  /** `*` takes the number from the arguments. */
  readonly width: number | '*' | undefined;
  readonly precision: number | '*' | undefined;
  readonly verb: string;
}

/** Widths and precisions; Go has a bound of this size too. */
const MAX_WIDTH = 1_000_000;

const DIRECTIVE = /%([#0+\- ]*)(\*|[0-9]+)?(?:\.(\*|[0-9]+)?)?(\S|$)/suy;

/** Throws a {@link TemplateError} of this kind on a verb that does not exist here and on `[n]` argument indexes. */
export function parseFormat(format: string, kind: 'parse' | 'execution'): Format {
  const parts: (string | Directive)[] = [];
  let position = 0;
  while (position < format.length) {
    const percent = format.indexOf('%', position);
    if (percent !== position) parts.push(format.slice(position, percent < 0 ? undefined : percent));
    if (percent < 0) break;
    DIRECTIVE.lastIndex = percent;
    const match = DIRECTIVE.exec(format);
    const verb = match?.[4] ?? '';
    if (!match || !VERBS.has(verb)) throw new TemplateError(kind, unknownVerb(format, percent, verb));
    parts.push(verb === '%' ? '%' : directive(match, kind));
    position = percent + match[0].length;
  }
  return parts;
}

function unknownVerb(format: string, percent: number, verb: string): string {
  const shown = JSON.stringify(format.slice(percent, percent + 12));
  if (verb === '[') return `the argument index in ${shown} is not supported; repeat the argument`;
  return `no verb is known at ${shown}; write %% for a percent sign, or one of ${[...VERBS].join(' ')}`;
}

function directive([whole, flags = '', width, precision, verb = '']: RegExpExecArray, kind: 'parse' | 'execution') {
  const hasPrecision = whole.slice(0, -verb.length).includes('.');
  const parsed: Directive = {
    flags,
    width: size(width),
    precision: hasPrecision ? size(precision ?? '0') : undefined,
    verb,
  };
  if (Number(parsed.width) > MAX_WIDTH || Number(parsed.precision) > MAX_WIDTH) {
    throw new TemplateError(kind, `the width or precision of ${whole} is over ${MAX_WIDTH}`);
  }
  if (flags.includes('#') && 'veEfFgG'.includes(verb)) {
    throw new TemplateError(kind, `${whole}: the flag # is not supported with %${verb}`);
  }
  return parsed;
}

function size(text: string | undefined): number | '*' | undefined {
  return text === undefined || text === '*' ? text : Number(text);
}

/** Go's Sprintf, with its marks for missing, surplus and ill-typed arguments: `%!d(string=hi)`. */
export function formatted(format: Format, args: readonly Value[], run: Run): string {
  let text = '';
  let position = 0;
  for (const part of format) {
    if (typeof part === 'string') {
      text += part;
    } else {
      const width = part.width === '*' ? starred(args[position++], 'WIDTH') : { value: part.width, bad: '' };
      const precision = part.precision === '*' ? starred(args[position++], 'PREC') : { value: part.precision, bad: '' };
      text += width.bad + precision.bad;
      if (position >= args.length) text += `%!${part.verb}(MISSING)`;
      else text += verbText(spec(part, width.value, precision.value), args[position]);
      position++;
    }
    // A format can hold thousands of wide directives: stop before they are all made.
    if (text.length > MAX_OUTPUT) break;
  }
  return run.made(position < args.length ? text + surplus(args.slice(position)) : text);
}

function starred(value: Value, name: 'WIDTH' | 'PREC'): { value: number | undefined; bad: string } {
  const usable = isWhole(value) && Math.abs(Number(value)) <= MAX_WIDTH;
  const number = usable ? Number(value) : undefined;
  if (number === undefined || (name === 'PREC' && number < 0)) return { value: undefined, bad: `%!(BAD${name})` };
  return { value: number, bad: '' };
}

function spec({ flags, verb }: Directive, width: number | undefined, precision: number | undefined): Spec {
  const left = flags.includes('-') || (width ?? 0) < 0;
  return {
    verb,
    width: Math.abs(width ?? 0),
    precision,
    left,
    // %+v is Go's form for structs; a sign is not part of it.
    plus: flags.includes('+') && verb !== 'v',
    space: flags.includes(' '),
    sharp: flags.includes('#'),
    zero: flags.includes('0') && !left,
  };
}

function surplus(args: readonly Value[]): string {
  let text = '';
  for (const arg of args) {
    text += `${text && ', '}${isNil(arg) ? '<nil>' : `${goType(arg)}=${verbText(plainVerb, arg)}`}`;
    if (text.length > MAX_OUTPUT) break;
  }
  return `%!(EXTRA ${text})`;
}
