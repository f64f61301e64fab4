import { isArray, isObject, type Json, type JsonObject } from '../json.ts';
import { ValueError } from './value-error.ts';

/** Far above what an API server stores, far below what the call stack holds. */
const MAX_DEPTH = 1000;

/** Strings made of these need no escape: printable ASCII without `"`, `\`, `<`, `>`, `&`. */
const NEEDS_CARE = /[^ !#-%'-;=?-[\]-~]/;
const HTML_AND_SEPARATORS = /[<>&\u2028\u2029]/g;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * JSON text as Go's `encoding/json` prints it: keys sorted by their UTF-8 bytes, no spaces, `<`, `>`, `&`, U+2028
 * and U+2029 escaped (`\u003c`), half of a surrogate pair as `\ufffd`, −0 as `-0`; integers are exact.
 * Throws {@link ValueError} for NaN, infinities and nesting deeper than 1,000.
 */
export function stringifyGoJson(value: Json): string {
  return print(value, 0);
}

function print(value: Json, depth: number): string {
  if (typeof value === 'string') return printString(value);
  if (typeof value === 'number') return printNumber(value);
  if (depth > MAX_DEPTH) throw new ValueError(`value is nested deeper than ${MAX_DEPTH} levels`);
  if (isArray(value)) return printArray(value, depth);
  return isObject(value) ? printObject(value, depth) : String(value);
}

function printArray(items: readonly Json[], depth: number): string {
  let text = '[';
  for (const item of items) {
    if (text.length > 1) text += ',';
    text += print(item, depth + 1);
  }
  return `${text}]`;
}

function printObject(object: JsonObject, depth: number): string {
  let text = '{';
  for (const key of Object.keys(object).sort(compareUtf8)) {
    if (text.length > 1) text += ',';
    text += `${printString(key)}:${print(object[key] as Json, depth + 1)}`;
  }
  return `${text}}`;
}

function printNumber(value: number): string {
  if (!Number.isFinite(value)) throw new ValueError(`value ${value} is not a finite number`);
  return Object.is(value, -0) ? '-0' : String(value);
}

function printString(text: string): string {
  if (!NEEDS_CARE.test(text)) return `"${text}"`;
  if (text.isWellFormed()) return escapeHtml(JSON.stringify(text));
  const parts = text.split(LONE_SURROGATE).map((part) => escapeHtml(JSON.stringify(part)).slice(1, -1));
  return `"${parts.join('\\ufffd')}"`;
}

function escapeHtml(json: string): string {
  return json.replace(HTML_AND_SEPARATORS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Compares strings by their UTF-8 bytes, which is by code point. The order of `<` is by UTF-16 units: it puts
 * surrogate pairs (U+10000 and above) before U+E000 to U+FFFF.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return left < 0xd800 || right < 0xd800 ? left - right : rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Moves the surrogates behind U+FFFF. */
function rank(unit: number): number {
  return unit < 0xe000 ? unit + 0x2800 : unit;
}
