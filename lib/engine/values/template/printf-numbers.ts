import { exactDecimal, exponentForm, positionalForm, roundDecimal, shortestDecimal } from './decimal.ts';
import { isPrintable, quoteCharacter } from './escape.ts';
import { pad, type Spec } from './printf-spec.ts';
import { TemplateError } from './template-error.ts';
import { numberText } from './text.ts';
import { isWhole } from './value.ts';

const BASES: Readonly<Record<string, number>> = { d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

/**
 * A number under a verb, undefined when it does not fit. Peer: every number is a double there, which `%d` refuses; here a
 * whole number is an integer for the integer verbs and a double for the others (D10).
 */
export function numberVerbText(spec: Spec, value: number | bigint): string | undefined {
  const { verb } = spec;
  if ('eEfFgGv'.includes(verb)) return floatText(spec, value);
  if (isWhole(value)) {
    if (verb in BASES) return integerText(spec, value);
    if (verb === 'c') return pad(spec, character(value));
    if (verb === 'q') return pad(spec, quoteCharacter(character(value), spec.plus));
    if (verb === 'U') return pad({ ...spec, zero: false }, unicodeText(spec, BigInt(value)));
  } else if ('xXb'.includes(verb)) {
    throw new TemplateError('execution', `%${verb} of a fraction (${value}) is not supported; use %f, %e or %g`);
  }
  return undefined;
}

function integerText(spec: Spec, value: number | bigint): string {
  const { verb, precision, width } = spec;
  const negative = value < 0;
  const sign = signOf(spec, negative);
  const zeros = precision ?? (spec.zero ? width - sign.length : 0);
  // A zero with precision 0 prints nothing but its padding.
  if (precision === 0 && Number(value) === 0) return ' '.repeat(width);
  let digits = magnitude(value, BASES[verb] as number).padStart(zeros, '0');
  if (verb === 'X') digits = digits.toUpperCase();
  if (spec.sharp) {
    if (verb === 'b' || verb === 'x' || verb === 'X') digits = `0${verb}${digits}`;
    else if (verb !== 'd' && !digits.startsWith('0')) digits = `0${digits}`;
  }
  if (verb === 'O') digits = `0o${digits}`;
  return pad({ ...spec, zero: false }, sign + digits);
}

function magnitude(value: number | bigint, base: number): string {
  if (base === 10 && typeof value === 'number') return numberText(Math.abs(value));
  const whole = BigInt(value);
  return (whole < 0n ? -whole : whole).toString(base);
}

function signOf(spec: Spec, negative: boolean): string {
  return negative ? '-' : spec.plus ? '+' : spec.space ? ' ' : '';
}

/** U+FFFD for what is no Unicode character. */
function character(value: number | bigint): string {
  const code = Number(value);
  const valid = code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return valid ? String.fromCodePoint(code) : '\ufffd';
}

/** `U+00E9`, with `#` also the character: `U+00E9 'é'`. */
function unicodeText(spec: Spec, value: bigint): string {
  const code = BigInt.asUintN(64, value);
  const hex = code
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(4, spec.precision ?? 0), '0');
  const shown = spec.sharp && code <= 0x10ffffn ? character(Number(code)) : '';
  return `U+${hex}${shown !== '' && isPrintable(shown) ? ` '${shown}'` : ''}`;
}

function floatText(spec: Spec, value: number | bigint): string {
  const size = typeof value === 'bigint' ? (value < 0n ? -value : value) : Math.abs(value);
  const sign = signOf(spec, value < 0 || Object.is(value, -0));
  const digits = unsignedFloat(spec, size);
  return spec.zero ? sign + digits.padStart(spec.width - sign.length, '0') : pad(spec, sign + digits);
}

function unsignedFloat({ verb, precision }: Spec, size: number | bigint): string {
  switch (verb) {
    case 'e':
    case 'E': {
      const places = precision ?? 6;
      const text = exponentForm(roundDecimal(exactDecimal(size), places + 1), places);
      return verb === 'E' ? text.toUpperCase() : text;
    }
    case 'f':
    case 'F': {
      const exact = exactDecimal(size);
      return positionalForm(roundDecimal(exact, exact.point + (precision ?? 6)), precision ?? 6);
    }
    case 'v':
      if (precision === undefined) return typeof size === 'bigint' ? String(size) : numberText(size);
      return generalForm(size, precision);
    default:
      return verb === 'G' ? generalForm(size, precision).toUpperCase() : generalForm(size, precision);
  }
}

/** `%g`: the exponent form for an exponent below -4 or not below the precision (6 for the shortest digits). */
function generalForm(size: number | bigint, precision: number | undefined): string {
  const wanted = precision === 0 ? 1 : precision;
  const decimal = wanted === undefined ? shortestDecimal(Number(size)) : roundDecimal(exactDecimal(size), wanted);
  const { digits, point } = decimal;
  let bound = wanted ?? 6;
  if (wanted !== undefined && wanted > digits.length && digits.length >= point) bound = digits.length;
  const exponent = point - 1;
  if (digits !== '' && (exponent < -4 || exponent >= bound)) return exponentForm(decimal, digits.length - 1);
  return positionalForm(decimal, Math.max(digits.length - point, 0));
}
