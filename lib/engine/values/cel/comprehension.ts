import { ItemList } from './container.ts';
import { Failure } from './error.ts';
import { ABSORBED_COST, type Evaluation, type Run } from './evaluation.ts';
import { isDictionary, isList, typeOf, type Value } from './value.ts';

/** The parts of `range.macro(variable, predicate)` or `range.map(variable, filter, transform)`. */
export interface Comprehension {
  readonly range: Run;
  /** Where the iteration variable is kept during evaluation. */
  readonly slot: number;
  readonly step: Run;
  readonly filter?: Run;
}

/** Steps of one round in cel-go's model: the loop condition and the accumulator; and a list of one for each item kept. */
const ROUND_COST = 3;
const KEEP_COST = 11;

/** The macros, by name. */
export const MACROS: ReadonlyMap<string, (parts: Comprehension) => Run> = new Map([
  ['all', (parts) => quantifier(parts, false)],
  ['exists', (parts) => quantifier(parts, true)],
  ['exists_one', existsOne],
  ['filter', filter],
  ['map', map],
]);

/** `exists` ends at the first true, `all` at the first false; an error counts only when no item ends the search. */
function quantifier({ range, slot, step }: Comprehension, end: boolean): Run {
  return (evaluation) => {
    let failure: unknown;
    for (const item of itemsOf(range(evaluation), evaluation)) {
      evaluation.spend(ROUND_COST);
      evaluation.locals[slot] = item;
      try {
        if (bool(step(evaluation)) === end) return end;
      } catch (error) {
        failure ??= absorbed(error, evaluation);
      }
    }
    if (failure !== undefined) throw failure;
    return !end;
  };
}

function existsOne({ range, slot, step }: Comprehension): Run {
  return (evaluation) => {
    let found = 0;
    for (const item of itemsOf(range(evaluation), evaluation)) {
      evaluation.spend(ROUND_COST);
      evaluation.locals[slot] = item;
      if (bool(step(evaluation))) found++;
    }
    return found === 1;
  };
}

function filter({ range, slot, step }: Comprehension): Run {
  return (evaluation) => {
    const kept: Value[] = [];
    for (const item of itemsOf(range(evaluation), evaluation)) {
      evaluation.spend(ROUND_COST);
      evaluation.locals[slot] = item;
      if (bool(step(evaluation))) keep(kept, item, evaluation);
    }
    return new ItemList(kept);
  };
}

function map({ range, slot, step, filter: condition }: Comprehension): Run {
  return (evaluation) => {
    const mapped: Value[] = [];
    for (const item of itemsOf(range(evaluation), evaluation)) {
      evaluation.spend(ROUND_COST);
      evaluation.locals[slot] = item;
      if (condition === undefined || bool(condition(evaluation))) keep(mapped, step(evaluation), evaluation);
    }
    return new ItemList(mapped);
  };
}

function keep(items: Value[], item: Value, evaluation: Evaluation): void {
  evaluation.spend(KEEP_COST);
  items.push(item);
}

/** The items of a list, or the keys of a map. */
function* itemsOf(range: Value, evaluation: Evaluation): Generator<Value> {
  if (isDictionary(range)) {
    const keys = range.keys();
    evaluation.spend(keys.length);
    yield* keys;
  } else if (isList(range)) {
    for (let index = 0; index < range.size; index++) yield range.at(index);
  } else {
    throw new Failure('evaluation', `cannot iterate over ${typeOf(range)}, only over a list or a map`);
  }
}

/** A condition's value. */
export function bool(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  throw new Failure('evaluation', `no such overload: a condition must be bool, not ${typeOf(value)}`);
}

/** An error that another operand may make irrelevant. A spent budget never is. */
export function absorbed(error: unknown, evaluation: Evaluation): unknown {
  if (!(error instanceof Failure) || error.kind === 'limit') throw error;
  evaluation.spend(ABSORBED_COST);
  if (error.kind === 'absent') evaluation.noteAbsence();
  return error;
}
