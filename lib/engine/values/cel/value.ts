import { INT64_MAX, INT64_MIN } from '../decimal.ts';
import { Failure } from './error.ts';

/** The types of the standard library. */
export type CelType =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'int'
  | 'list'
  | 'map'
  | 'null_type'
  | 'string'
  | 'timestamp'
  | 'type'
  | 'uint';

/** A value during evaluation: int is `bigint`, double is `number`. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeName
  | List
  | Dictionary;

/** A map key; uint and whole double keys count as int keys, since `{1: x}[1.0]` and `{1: x}[1u]` find `x`. */
export type Key = string | bigint | boolean;

export interface List {
  readonly celType: 'list';
  readonly size: number;
  /** The item at an index from 0 to size - 1. */
  at(index: number): Value;
}

export interface Dictionary {
  readonly celType: 'map';
  readonly size: number;
  get(key: Key): Value | undefined;
  keys(): readonly Key[];
}

const MAX_UINT = 2n ** 64n - 1n;

export function isInt(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/** @throws Failure when an integer is not an int64 */
export function int(value: bigint): bigint {
  if (!isInt(value)) throw new Failure('evaluation', 'integer overflow');
  return value;
}

export class Uint {
  readonly celType = 'uint';
  readonly value: bigint;

  constructor(value: bigint) {
    if (value < 0n || value > MAX_UINT) throw new Failure('evaluation', 'unsigned integer overflow');
    this.value = value;
  }
}

const SECOND = 1_000_000_000n;
/** 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z. */
const MIN_TIMESTAMP = -62_135_596_800n * SECOND;
const MAX_TIMESTAMP = 253_402_300_800n * SECOND - 1n;

export class Timestamp {
  readonly celType = 'timestamp';
  /** Nanoseconds since 1970 UTC. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    if (nanos < MIN_TIMESTAMP || nanos > MAX_TIMESTAMP) throw new Failure('evaluation', 'timestamp overflow');
    this.nanos = nanos;
  }
}

export class Duration {
  readonly celType = 'duration';
  /** An int64, as in Go: up to 292 years. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    if (!isInt(nanos)) throw new Failure('evaluation', 'duration overflow');
    this.nanos = nanos;
  }
}

/** The value of `type(x)` and of type names such as `int`. */
export class TypeName {
  readonly celType = 'type';
  readonly of: CelType;

  constructor(of: CelType) {
    this.of = of;
  }
}

export function typeOf(value: Value): CelType {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    default:
      if (value === null) return 'null_type';
      return value instanceof Uint8Array ? 'bytes' : value.celType;
  }
}

export function isDictionary(value: Value): value is Dictionary {
  return typeof value === 'object' && value !== null && 'celType' in value && value.celType === 'map';
}

export function isList(value: Value): value is List {
  return typeof value === 'object' && value !== null && 'celType' in value && value.celType === 'list';
}

/** The key that a value stands for, or undefined when it cannot be a key. */
export function keyOf(value: Value): Key | undefined {
  if (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  return value instanceof Uint ? value.value : undefined;
}
