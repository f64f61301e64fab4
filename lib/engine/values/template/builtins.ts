import type { Json } from '../../json.ts';
import { equal, order } from './comparison.ts';
import { escapeHtml, escapeJs, escapeQuery } from './escape.ts';
import { MAX_OUTPUT } from './limits.ts';
import { type Format, formatted, parseFormat } from './printf.ts';
import type { Run } from './run.ts';
import { TemplateError } from './template-error.ts';
import { plainText, textOf } from './text.ts';
import { byteAt, byteLength, sliceBytes } from './utf8.ts';
import { entryOf, isList, isMap, isNil, isWhole, typeName, type Value } from './value.ts';

export interface Builtin {
  readonly least: number;
  readonly most: number;
  readonly call: (args: readonly Value[], run: Run) => Value;
}

const MANY = Number.POSITIVE_INFINITY;

/** The functions of Go's text/template, without `and` and `or`, which the compiler makes: they may skip arguments. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['not', { least: 1, most: 1, call: ([value], run) => !run.truth(value) }],
  ['len', { least: 1, most: 1, call: ([value], run) => lengthOf(value, run) }],
  ['index', { least: 1, most: MANY, call: indexed }],
  ['slice', { least: 1, most: 4, call: sliced }],
  ['print', { least: 0, most: MANY, call: (args, run) => joined(args, false, run) }],
  ['println', { least: 0, most: MANY, call: (args, run) => `${joined(args, true, run)}\n` }],
  ['printf', { least: 1, most: MANY, call: printf }],
  ['html', { least: 0, most: MANY, call: (args, run) => run.made(escapeHtml(shown(args, run))) }],
  ['js', { least: 0, most: MANY, call: (args, run) => run.made(escapeJs(shown(args, run))) }],
  ['urlquery', { least: 0, most: MANY, call: (args, run) => run.made(escapeQuery(shown(args, run))) }],
  ['eq', { least: 2, most: MANY, call: ([first, ...rest], run) => rest.some((value) => equal(first, value, run)) }],
  ['ne', { least: 2, most: 2, call: ([a, b], run) => !equal(a, b, run) }],
  ['lt', { least: 2, most: 2, call: ([a, b], run) => order(a, b, run) < 0 }],
  ['le', { least: 2, most: 2, call: ([a, b], run) => order(a, b, run) <= 0 }],
  ['gt', { least: 2, most: 2, call: ([a, b], run) => order(a, b, run) > 0 }],
  ['ge', { least: 2, most: 2, call: ([a, b], run) => order(a, b, run) >= 0 }],
]);

/** Go's Sprint and Sprintln: a space between all operands, or between two of which neither is a string. */
function joined(args: readonly Value[], spaced: boolean, run: Run): string {
  let text = '';
  for (const [index, value] of args.entries()) {
    if (index > 0 && (spaced || (typeof value !== 'string' && typeof args[index - 1] !== 'string'))) text += ' ';
    text += plainText(value);
    // The arguments may be many and large: stop before all of them are text.
    if (text.length > MAX_OUTPUT) break;
  }
  return run.made(text);
}

/** What the escapers escape: nil is `<no value>` to them, as it is to an action. */
function shown(args: readonly Value[], run: Run): string {
  const values = args.map((value) => (isNil(value) ? textOf(value) : value));
  return joined(values, false, run);
}

function printf([format, ...args]: readonly Value[], run: Run): string {
  if (typeof format !== 'string') throw unusable('the format must be a string, not', format);
  return formatted(parseFormat(format, 'execution'), args, run);
}

/** `printf` with a format that is known when the template is parsed. */
export function printfWith(format: Format): Builtin['call'] {
  return (args, run) => formatted(format, args.slice(1), run);
}

function lengthOf(value: Value, run: Run): number {
  if (typeof value === 'string') {
    run.spendOn(value.length);
    return byteLength(value);
  }
  if (isList(value)) return value.length;
  if (isMap(value)) return run.keys(value).length;
  throw unusable('there is no length of', value);
}

/** `index x 1 "a"` is x[1]["a"]; a string gives the byte, a map without the key gives nil. */
function indexed([item, ...keys]: readonly Value[], run: Run): Value {
  if (isNil(item)) throw unusable('cannot index', item);
  return keys.reduce((container, key) => indexOne(container, key, run), item);
}

function indexOne(container: Value, key: Value, run: Run): Value {
  if (isMap(container)) {
    if (typeof key !== 'string') throw unusable('a map is indexed with a string, not', key);
    return entryOf(container, key);
  }
  if (isList(container)) return container[position(key, container.length - 1)];
  if (typeof container !== 'string') throw unusable('cannot index', container);
  run.spendOn(container.length);
  return byteAt(container, position(key, byteLength(container) - 1));
}

function position(index: Value, most: number): number {
  if (!isWhole(index)) throw unusable('an index must be a whole number, not', index);
  const number = Number(index);
  if (number < 0 || number > most) throw new TemplateError('execution', `the index ${index} is out of range`);
  return number;
}

/** `slice x 1 2` is x[1:2]; of a string it counts bytes. */
function sliced([item, ...indexes]: readonly Value[], run: Run): Value {
  const isText = typeof item === 'string';
  if (!isText && !isList(item)) throw unusable('cannot slice', item);
  if (isText && indexes.length > 2) throw new TemplateError('execution', 'a string takes two slice indexes at most');
  run.spendOn(item.length);
  const length = isText ? byteLength(item) : item.length;
  const [from = 0, to = length, capacity = to] = indexes.map((index) => position(index, length));
  if (from > to || to > capacity) throw new TemplateError('execution', `a slice cannot go from ${from} to ${to}`);
  if (!isText) return item.slice(from, to) as Json[];
  const text = sliceBytes(item, from, to);
  if (text === undefined) {
    throw new TemplateError('execution', `the slice from byte ${from} to ${to} cuts a character in two`);
  }
  return text;
}

function unusable(what: string, value: Value): TemplateError {
  return new TemplateError(value === undefined ? 'missing' : 'execution', `${what} ${typeName(value)}`);
}
