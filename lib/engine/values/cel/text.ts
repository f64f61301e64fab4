import { Failure } from './error.ts';
import { type Meter, textCost } from './evaluation.ts';

/** Go's `%g` with the shortest digits, which is how cel-go prints a double: `1e+06`, `0.5`, `1e-05`. */
export function renderDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const [digits = '0', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  const sign = Object.is(value, -0) ? '-' : '';
  if (exponent >= -4 && exponent < 6) return sign + value.toString();
  return `${digits}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent).toString().padStart(2, '0')}`;
}

const INTEGER = /^[+-]?\d{1,40}$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const WORDS = /^([+-]?)(inf|infinity|nan)$/i;

export function parseInteger(text: string): bigint {
  if (!INTEGER.test(text)) throw notA('integer', text);
  return BigInt(text.replace(/^\+/, ''));
}

/** Peer: Go's hexadecimal floats and digit separators are refused. */
export function parseDouble(text: string): number {
  if (text.length <= 400 && DECIMAL.test(text)) {
    const value = Number(text);
    if (Number.isFinite(value)) return value;
  }
  const [, sign, word] = WORDS.exec(text) ?? [];
  if (word === undefined) throw notA('number', text);
  if (word.toLowerCase() === 'nan') return Number.NaN;
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

export function parseBool(text: string): boolean {
  if (/^(?:1|t|T|true|True|TRUE)$/.test(text)) return true;
  if (/^(?:0|f|F|false|False|FALSE)$/.test(text)) return false;
  throw notA('bool', text);
}

function notA(what: string, text: string): Failure {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return new Failure('evaluation', `cannot convert ${JSON.stringify(shown)} to ${what}`);
}

/** Code points, as in Go. */
export function sizeOfText(text: string, meter: Meter): bigint {
  meter.spend(textCost(text.length));
  let size = text.length;
  for (let index = 1; index < text.length; index++) {
    if (isSurrogate(text, index - 1, 0xd800) && isSurrogate(text, index, 0xdc00)) {
      size--;
      index++;
    }
  }
  return BigInt(size);
}

function isSurrogate(text: string, index: number, first: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === first;
}

export function decodeText(bytes: Uint8Array, meter: Meter): string {
  meter.spend(textCost(bytes.length));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure('evaluation', 'the bytes are not UTF-8');
  }
}
