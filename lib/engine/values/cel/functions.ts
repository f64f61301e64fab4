import { sizeOf } from './equality.ts';
import { Failure } from './error.ts';
import { type Meter, textCost } from './evaluation.ts';
import { matches } from './matches.ts';
import type { StaticType } from './operators.ts';
import { decodeText, parseBool, parseDouble, parseInteger, renderDouble, sizeOfText } from './text.ts';
import {
  DURATION_UNITS,
  localDate,
  parseDuration,
  parseTimestamp,
  renderDuration,
  renderTimestamp,
  TIMESTAMP_PARTS,
} from './time.ts';
import { type Dictionary, Duration, int, type List, Timestamp, TypeName, typeOf, Uint, type Value } from './value.ts';

/** The TypeScript type of each CEL type. */
interface Types {
  bool: boolean;
  bytes: Uint8Array;
  double: number;
  duration: Duration;
  dyn: Value;
  int: bigint;
  list: List;
  map: Dictionary;
  null_type: null;
  string: string;
  timestamp: Timestamp;
  type: TypeName;
  uint: Uint;
}

/** How a function is called: `size(x)` is global, `x.size()` a method. */
export type Style = 'global' | 'method';

/** One signature of a function. A method's receiver is its first parameter; no function has more than two. */
export interface Overload {
  readonly style: Style;
  readonly name: string;
  readonly params: readonly StaticType[];
  readonly result: StaticType;
  readonly run: (first: Value, second: Value, meter: Meter) => Value;
}

function unary<First extends StaticType, Result extends StaticType>(
  name: string,
  param: First,
  result: Result,
  run: (first: Types[First], meter: Meter) => Types[Result],
  style: Style = 'global',
): Overload {
  return { style, name, params: [param], result, run: (first, _, meter) => run(first as Types[First], meter) };
}

function binary<First extends StaticType, Second extends StaticType, Result extends StaticType>(
  name: string,
  params: readonly [First, Second],
  result: Result,
  run: (first: Types[First], second: Types[Second], meter: Meter) => Types[Result],
  style: Style = 'method',
): Overload {
  return {
    style,
    name,
    params,
    result,
    run: (first, second, meter) => run(first as Types[First], second as Types[Second], meter),
  };
}

const SECOND = 1_000_000_000n;

const SIZES = (['global', 'method'] as const).flatMap((style) => [
  unary('size', 'string', 'int', sizeOfText, style),
  unary('size', 'bytes', 'int', (bytes) => BigInt(bytes.length), style),
  unary('size', 'list', 'int', (list) => BigInt(list.size), style),
  unary('size', 'map', 'int', (map, meter) => BigInt(sizeOf(map, meter)), style),
]);

const CONVERSIONS = [
  unary('dyn', 'dyn', 'dyn', (value) => value),
  unary('type', 'dyn', 'type', (value) => new TypeName(typeOf(value))),
  unary('bool', 'bool', 'bool', (value) => value),
  unary('bool', 'string', 'bool', parseBool),
  unary('bytes', 'bytes', 'bytes', (value) => value),
  unary('bytes', 'string', 'bytes', (text, meter) => Buffer.from(paid(text, meter), 'utf8')),
  unary('double', 'double', 'double', (value) => value),
  unary('double', 'int', 'double', Number),
  unary('double', 'uint', 'double', (value) => Number(value.value)),
  unary('double', 'string', 'double', parseDouble),
  unary('duration', 'duration', 'duration', (value) => value),
  unary('duration', 'int', 'duration', (nanos) => new Duration(nanos)),
  unary('duration', 'string', 'duration', parseDuration),
  unary('int', 'int', 'int', (value) => value),
  unary('int', 'double', 'int', (value) => int(truncate(value))),
  unary('int', 'uint', 'int', (value) => int(value.value)),
  unary('int', 'string', 'int', (text) => int(parseInteger(text))),
  unary('int', 'timestamp', 'int', ({ nanos }) => (nanos - (((nanos % SECOND) + SECOND) % SECOND)) / SECOND),
  unary('int', 'duration', 'int', ({ nanos }) => nanos),
  unary('string', 'string', 'string', (value) => value),
  unary('string', 'bool', 'string', String),
  unary('string', 'int', 'string', String),
  unary('string', 'uint', 'string', (value) => String(value.value)),
  unary('string', 'double', 'string', renderDouble),
  unary('string', 'bytes', 'string', decodeText),
  unary('string', 'timestamp', 'string', renderTimestamp),
  unary('string', 'duration', 'string', renderDuration),
  unary('timestamp', 'timestamp', 'timestamp', (value) => value),
  unary('timestamp', 'int', 'timestamp', (seconds) => new Timestamp(seconds * SECOND)),
  unary('timestamp', 'string', 'timestamp', parseTimestamp),
  unary('uint', 'uint', 'uint', (value) => value),
  unary('uint', 'int', 'uint', (value) => new Uint(value)),
  unary('uint', 'double', 'uint', (value) => new Uint(truncate(value))),
  unary('uint', 'string', 'uint', (text) => new Uint(parseInteger(text))),
];

const TEXT = [
  binary('contains', ['string', 'string'], 'bool', (text, part, meter) => {
    meter.spend(textCost(text.length) * textCost(part.length));
    return text.includes(part);
  }),
  binary('startsWith', ['string', 'string'], 'bool', (text, part, meter) => text.startsWith(paid(part, meter))),
  binary('endsWith', ['string', 'string'], 'bool', (text, part, meter) => text.endsWith(paid(part, meter))),
  binary('matches', ['string', 'string'], 'bool', matches),
  binary('matches', ['string', 'string'], 'bool', matches, 'global'),
];

/** Making the formatter of a time zone takes as long as a thousand steps. */
const ZONE_COST = 1000;

const TIMES = [
  ...Object.entries(TIMESTAMP_PARTS).flatMap(([name, part]) => [
    unary(name, 'timestamp', 'int', (time) => BigInt(part(localDate(time, 'UTC'))), 'method'),
    binary(name, ['timestamp', 'string'], 'int', (time, zone, meter) => {
      meter.spend(ZONE_COST);
      return BigInt(part(localDate(time, zone)));
    }),
  ]),
  ...Object.entries(DURATION_UNITS).map(([name, unit]) =>
    unary(name, 'duration', 'int', ({ nanos }) => nanos / unit, 'method'),
  ),
];

/** The functions of cel-go's standard library. There are no others: a config must not depend on extensions. */
export const FUNCTIONS: readonly Overload[] = [...SIZES, ...CONVERSIONS, ...TEXT, ...TIMES];

function paid(text: string, meter: Meter): string {
  meter.spend(textCost(text.length));
  return text;
}

function truncate(value: number): bigint {
  if (!Number.isFinite(value)) throw new Failure('evaluation', `integer overflow: ${renderDouble(value)}`);
  return BigInt(Math.trunc(value));
}
