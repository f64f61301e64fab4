import { Failure } from './error.ts';
import { type Meter, textCost } from './evaluation.ts';
import {
  type Dictionary,
  Duration,
  isDictionary,
  isList,
  keyOf,
  type List,
  Timestamp,
  TypeName,
  typeOf,
  Uint,
  type Value,
} from './value.ts';

/** Equality of any two values: numbers by value whatever their type, values of different types are unequal. */
export function equal(left: Value, right: Value, meter: Meter): boolean {
  meter.spend(1);
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length === right.length) meter.spend(textCost(left.length));
    return left === right;
  }
  if (left === null || right === null) return left === right;
  const order = compareNumbers(left, right);
  if (order !== undefined) return order === 0;
  if (isList(left)) return isList(right) && equalLists(left, right, meter);
  if (isDictionary(left)) return isDictionary(right) && equalMaps(left, right, meter);
  if (left instanceof TypeName) return right instanceof TypeName && left.of === right.of;
  return typeOf(left) === typeOf(right) && compare(left, right, meter) === 0;
}

function equalLists(left: List, right: List, meter: Meter): boolean {
  if (left.size !== right.size) return false;
  for (let index = 0; index < left.size; index++) {
    if (!equal(left.at(index), right.at(index), meter)) return false;
  }
  return true;
}

function equalMaps(left: Dictionary, right: Dictionary, meter: Meter): boolean {
  if (sizeOf(left, meter) !== sizeOf(right, meter)) return false;
  return left.keys().every((key) => {
    const other = right.get(key);
    return other !== undefined && equal(left.get(key) as Value, other, meter);
  });
}

/** An object of the input has to be counted, so each key costs a step. */
export function sizeOf(map: Dictionary, meter: Meter): number {
  const { size } = map;
  meter.spend(size);
  return size;
}

/** `value in container`: an item of a list, or a key of a map. */
export function contains(value: Value, container: Value, meter: Meter): boolean {
  if (isList(container)) {
    for (let index = 0; index < container.size; index++) {
      if (equal(value, container.at(index), meter)) return true;
    }
    return false;
  }
  if (!isDictionary(container)) throw noOverload('in', value, container);
  const key = keyOf(value);
  const present = key !== undefined && container.get(key) !== undefined;
  if (!present) meter.noteAbsence();
  return present;
}

/** Below, at or above zero as `left` is before, equal to or after `right`; NaN when they are not comparable numbers. */
export function compare(left: Value, right: Value, meter: Meter, operator = '=='): number {
  const order = compareNumbers(left, right);
  if (order !== undefined) return order;
  if (typeof left === 'string' && typeof right === 'string') {
    meter.spend(textCost(left.length + right.length));
    // By code point, as in Go: JavaScript's own order puts U+1F600 before U+FF00.
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    meter.spend(textCost(Math.min(left.length, right.length)));
    return Buffer.compare(left, right);
  }
  if (
    (left instanceof Timestamp && right instanceof Timestamp) ||
    (left instanceof Duration && right instanceof Duration)
  ) {
    return orderOf(left.nanos, right.nanos);
  }
  throw noOverload(operator, left, right);
}

/** Numbers of all types compare by their exact value. */
function compareNumbers(left: Value, right: Value): number | undefined {
  const a = left instanceof Uint ? left.value : left;
  const b = right instanceof Uint ? right.value : right;
  if ((typeof a === 'bigint' || typeof a === 'number') && (typeof b === 'bigint' || typeof b === 'number')) {
    return orderOf(a, b);
  }
  return undefined;
}

function orderOf(a: bigint | number, b: bigint | number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a >= b ? 0 : Number.NaN;
}

export function noOverload(operator: string, left: Value, right: Value): Failure {
  return new Failure('evaluation', `no such overload: ${typeOf(left)} ${operator} ${typeOf(right)}`);
}
