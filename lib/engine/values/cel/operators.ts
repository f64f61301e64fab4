import { ItemList } from './container.ts';
import { compare, contains, equal, noOverload } from './equality.ts';
import { Failure } from './error.ts';
import { type Meter, textCost } from './evaluation.ts';
import { type CelType, Duration, int, isList, type List, Timestamp, typeOf, Uint, type Value } from './value.ts';

/** What is known about a value before evaluation. */
export type StaticType = CelType | 'dyn';

/** Whether an argument can be passed, as far as its type is known. */
export function accepts(param: StaticType, argument: StaticType): boolean {
  return param === argument || param === 'dyn' || argument === 'dyn';
}

export interface Operator {
  /** Left, right, result. Analysis refuses other operands where their types are known. */
  readonly signatures: readonly (readonly [StaticType, StaticType, StaticType])[];
  readonly run: (left: Value, right: Value, meter: Meter) => Value;
}

/** D7: an int and a double mix, since configs written for the peer see every number as a double. */
const ARITHMETIC = [
  ['int', 'int', 'int'],
  ['double', 'double', 'double'],
  ['int', 'double', 'double'],
  ['double', 'int', 'double'],
  ['uint', 'uint', 'uint'],
] as const;

const NUMBERS = ['int', 'uint', 'double'] as const;
const ORDERED = (['bool', 'string', 'bytes', 'timestamp', 'duration'] as const).map(
  (type) => [type, type, 'bool'] as const,
);
const NUMBER_PAIRS = NUMBERS.flatMap((left) => NUMBERS.map((right) => [left, right, 'bool'] as const));
const COMPARISONS = [...NUMBER_PAIRS, ...ORDERED];
const EQUALITIES = [
  ...COMPARISONS,
  ...(['list', 'map', 'type'] as const).map((type) => [type, type, 'bool'] as const),
  ['null_type', 'dyn', 'bool'] as const,
  ['dyn', 'null_type', 'bool'] as const,
];

export const OPERATORS: Readonly<Record<string, Operator>> = {
  '+': {
    signatures: [
      ...ARITHMETIC,
      ['string', 'string', 'string'],
      ['bytes', 'bytes', 'bytes'],
      ['list', 'list', 'list'],
      ['timestamp', 'duration', 'timestamp'],
      ['duration', 'timestamp', 'timestamp'],
      ['duration', 'duration', 'duration'],
    ],
    run: add,
  },
  '-': {
    signatures: [
      ...ARITHMETIC,
      ['timestamp', 'timestamp', 'duration'],
      ['timestamp', 'duration', 'timestamp'],
      ['duration', 'duration', 'duration'],
    ],
    run: subtract,
  },
  '*': { signatures: ARITHMETIC, run: (left, right) => arithmetic(MULTIPLY, left, right) },
  '/': { signatures: ARITHMETIC, run: (left, right) => arithmetic(DIVIDE, left, right) },
  '%': {
    signatures: [
      ['int', 'int', 'int'],
      ['uint', 'uint', 'uint'],
    ],
    run: modulo,
  },
  '==': { signatures: EQUALITIES, run: equal },
  '!=': { signatures: EQUALITIES, run: (left, right, meter) => !equal(left, right, meter) },
  '<': { signatures: COMPARISONS, run: (left, right, meter) => compare(left, right, meter, '<') < 0 },
  '<=': { signatures: COMPARISONS, run: (left, right, meter) => compare(left, right, meter, '<=') <= 0 },
  '>': { signatures: COMPARISONS, run: (left, right, meter) => compare(left, right, meter, '>') > 0 },
  '>=': { signatures: COMPARISONS, run: (left, right, meter) => compare(left, right, meter, '>=') >= 0 },
  in: {
    signatures: [
      ['dyn', 'list', 'bool'],
      ['dyn', 'map', 'bool'],
    ],
    run: contains,
  },
};

interface Arithmetic {
  readonly symbol: string;
  readonly whole: (left: bigint, right: bigint) => bigint;
  readonly real: (left: number, right: number) => number;
}

const ADD: Arithmetic = { symbol: '+', whole: (a, b) => a + b, real: (a, b) => a + b };
const SUBTRACT: Arithmetic = { symbol: '-', whole: (a, b) => a - b, real: (a, b) => a - b };
const MULTIPLY: Arithmetic = { symbol: '*', whole: (a, b) => a * b, real: (a, b) => a * b };
const DIVIDE: Arithmetic = {
  symbol: '/',
  whole: (a, b) => {
    if (b === 0n) throw new Failure('division', 'division by zero');
    return a / b;
  },
  real: (a, b) => a / b,
};

function arithmetic(operation: Arithmetic, left: Value, right: Value): Value {
  if (typeof left === 'bigint') {
    if (typeof right === 'bigint') return int(operation.whole(left, right));
    if (typeof right === 'number') return operation.real(Number(left), right);
  } else if (typeof left === 'number') {
    if (typeof right === 'number') return operation.real(left, right);
    if (typeof right === 'bigint') return operation.real(left, Number(right));
  } else if (left instanceof Uint && right instanceof Uint) {
    return new Uint(operation.whole(left.value, right.value));
  }
  throw noOverload(operation.symbol, left, right);
}

function add(left: Value, right: Value, meter: Meter): Value {
  if (typeof left === 'bigint' || typeof left === 'number') return arithmetic(ADD, left, right);
  if (typeof left === 'string' && typeof right === 'string') {
    meter.spend(textCost(left.length + right.length));
    return left + right;
  }
  if (isList(left) && isList(right)) {
    meter.spend(left.size + right.size);
    return new ItemList([...itemsOf(left), ...itemsOf(right)]);
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    meter.spend(textCost(left.length + right.length));
    return Buffer.concat([left, right]);
  }
  if (left instanceof Timestamp && right instanceof Duration) return new Timestamp(left.nanos + right.nanos);
  if (left instanceof Duration && right instanceof Timestamp) return new Timestamp(left.nanos + right.nanos);
  if (left instanceof Duration && right instanceof Duration) return new Duration(left.nanos + right.nanos);
  return arithmetic(ADD, left, right);
}

function itemsOf(list: List): Value[] {
  return Array.from({ length: list.size }, (_, index) => list.at(index));
}

function subtract(left: Value, right: Value): Value {
  if (left instanceof Timestamp && right instanceof Timestamp) return new Duration(left.nanos - right.nanos);
  if (left instanceof Timestamp && right instanceof Duration) return new Timestamp(left.nanos - right.nanos);
  if (left instanceof Duration && right instanceof Duration) return new Duration(left.nanos - right.nanos);
  return arithmetic(SUBTRACT, left, right);
}

/** As in Go the sign is the dividend's, and the smallest int by -1 overflows. Doubles have no remainder. */
function modulo(left: Value, right: Value): Value {
  const a = left instanceof Uint && right instanceof Uint ? left.value : left;
  const b = left instanceof Uint && right instanceof Uint ? right.value : right;
  if (typeof a !== 'bigint' || typeof b !== 'bigint') throw noOverload('%', left, right);
  if (b === 0n) throw new Failure('division', 'modulus by zero');
  if (left instanceof Uint) return new Uint(a % b);
  int(a / b);
  return a % b;
}

export function negate(value: Value): Value {
  if (typeof value === 'bigint') return int(-value);
  if (typeof value === 'number') return -value;
  throw new Failure('evaluation', `no such overload: -${typeOf(value)}`);
}
