import {
  boolYaml11Tag,
  defineMappingTag,
  defineScalarTag,
  mergeTag,
  NOT_RESOLVED,
  nullCoreTag,
  Schema,
  seqTag,
  strTag,
} from 'js-yaml';
import { getOwn, type Json, type MutableObject, setOwn } from '../engine/json.ts';
import { exactNumber } from '../engine/values/exact-json.ts';

const INTEGER = /^[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/;
/** A sign, `0b` and 64 digits. */
const MAX_INTEGER_LENGTH = 67;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const SPECIAL_FLOAT = /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/;
const NUMBER_START = [...'+-0123456789'];

/** Integers as kubectl's decoder reads them: 0644 and 0o644 octal, 0x, 0b, underscores; never base 60 (`1:30`). */
const intTag = defineScalarTag<number | bigint>('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: NUMBER_START,
  identify: () => false,
  resolve: (source) => {
    const text = source.replaceAll('_', '');
    if (text.length > MAX_INTEGER_LENGTH || !INTEGER.test(text)) return NOT_RESOLVED;
    const [sign, digits] = /^[-+]/.test(text) ? [text[0], text.slice(1)] : ['', text];
    const magnitude = BigInt(/^0\d/.test(digits) ? `0o${digits}` : digits);
    const integer = sign === '-' ? -magnitude : magnitude;
    const exact = exactNumber(integer.toString(), Number(integer));
    // Beyond int64 and uint64 a decimal is a double, which is the next tag's; other bases are text then.
    return typeof exact === 'bigint' || Number.isSafeInteger(exact) ? exact : NOT_RESOLVED;
  },
});

const floatTag = defineScalarTag<number>('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: [...NUMBER_START, '.'],
  identify: () => false,
  resolve: (source) => {
    const text = source.replaceAll('_', '');
    return FLOAT.test(text) ? Number(text) : NOT_RESOLVED;
  },
});

const mapTag = defineMappingTag<MutableObject>('tag:yaml.org,2002:map', {
  create: () => ({}),
  identify: () => false,
  addPair: (object, key, value) => {
    const text = keyText(key);
    if (text === undefined) return 'a key must be a string, a number or a boolean';
    setOwn(object, text, value as Json);
    return '';
  },
  has: (object, key) => Object.hasOwn(object, keyText(key) ?? ''),
  keys: (object) => Object.keys(object),
  get: (object, key) => getOwn(object, keyText(key) ?? ''),
});

const IMPLICIT_TAGS = [nullCoreTag, boolYaml11Tag, intTag, floatTag, mergeTag];

/**
 * The scalars of kubectl's YAML decoder (sigs.k8s.io/yaml over go-yaml 2, R46): YAML 1.1 booleans (`y`, `yes`, `on`) and
 * octal numbers, no base 60, dates stay text, integers exact to uint64. Tags beyond the JSON types are refused.
 */
export const KUBERNETES_SCHEMA = new Schema([strTag, seqTag, mapTag, ...IMPLICIT_TAGS]);

/** What an unquoted, untagged scalar stands for. */
export function plainValue(text: string): unknown {
  for (const tag of IMPLICIT_TAGS) {
    const value = tag.resolve(text, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value;
  }
  return text;
}

/** The text under which JSON keeps a YAML key (`1: a` is `{"1": "a"}`), as kubectl does; undefined where it refuses. */
export function keyText(key: unknown): string | undefined {
  if (typeof key === 'string') return key;
  return typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean' ? String(key) : undefined;
}

/** Whether an unquoted scalar is a number that JSON cannot hold. */
export function isBeyondJson(text: string): boolean {
  if (SPECIAL_FLOAT.test(text)) return true;
  const digits = text.replaceAll('_', '');
  return FLOAT.test(digits) && !Number.isFinite(Number(digits));
}
