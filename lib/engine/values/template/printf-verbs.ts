import { quoteText } from './escape.ts';
import { MAX_OUTPUT } from './limits.ts';
import { numberVerbText } from './printf-numbers.ts';
import { pad, type Spec } from './printf-spec.ts';
import { TemplateError } from './template-error.ts';
import { listText } from './text.ts';
import { goType, isNil, isNumber, type Value } from './value.ts';

export const VERBS: ReadonlySet<string> = new Set('vsqdxXoObcUeEfFgGtT%');

/** A verb applies to each element of a list, and to each key and value of a map. */
export function verbText(spec: Spec, value: Value): string {
  if (spec.verb === 'T') return pad(spec, truncated(spec, goType(value)));
  if (isNil(value)) return spec.verb === 'v' ? pad(spec, '<nil>') : `%!${spec.verb}(<nil>)`;
  return listText(value, (scalar) => scalarText(spec, scalar) ?? wrongVerb(spec, scalar));
}

/** Undefined when the verb does not fit the type. */
function scalarText(spec: Spec, value: Value): string | undefined {
  if (typeof value === 'string') return stringText(spec, value);
  if (isNumber(value)) return numberVerbText(spec, value);
  return spec.verb === 'v' || spec.verb === 't' ? pad(spec, String(value)) : undefined;
}

function wrongVerb(spec: Spec, value: Value): string {
  return `%!${spec.verb}(${goType(value)}=${scalarText({ ...spec, verb: 'v' }, value)})`;
}

function stringText(spec: Spec, text: string): string | undefined {
  switch (spec.verb) {
    case 'v':
    case 's':
      return pad(spec, truncated(spec, text));
    case 'q':
      return pad(spec, quoteText(bounded(truncated(spec, text)), spec.plus, spec.sharp));
    case 'x':
      return bytesText(spec, text);
    case 'X':
      return bytesText(spec, text).toUpperCase();
    default:
      return undefined;
  }
}

/** The first code points, as many as the precision says. */
function truncated({ precision }: Spec, text: string): string {
  if (precision === undefined || precision >= text.length) return text;
  let end = 0;
  for (let count = 0; count < precision && end < text.length; count++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The UTF-8 bytes in hexadecimal; `#` puts 0x before it, a space puts spaces (and 0x) between the bytes. */
function bytesText(spec: Spec, text: string): string {
  // The precision counts bytes, of which a UTF-16 unit has at least one; one unit more keeps a pair whole.
  const needed = spec.precision === undefined ? bounded(text) : text.slice(0, spec.precision + 1);
  const bytes = new TextEncoder().encode(needed).subarray(0, spec.precision);
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const prefix = spec.sharp && pairs.length > 0 ? '0x' : '';
  return pad(spec, prefix + pairs.join(spec.space ? ` ${prefix}` : ''));
}

/** Text whose escaped form would be over the limit is refused before it is made. */
function bounded(text: string): string {
  if (text.length > MAX_OUTPUT) {
    throw new TemplateError('limit', `the text is longer than ${MAX_OUTPUT} characters`);
  }
  return text;
}
