import { Failure } from './error.ts';
import type { Dictionary, Value } from './value.ts';

/** R36, and the peer's limit. One step is about a field access, or ten characters of text. */
const COST_LIMIT = 1_000_000;

/** What an evaluation pays with, and remembers. */
export interface Meter {
  /** The expression asked for a field, and went another way because it is not there. */
  noteAbsence(): void;
  /** @throws Failure `limit` once the evaluation has spent its budget */
  spend(cost: number): void;
}

/** The state of one evaluation: its input, its iteration variables and what is left of its budget. */
export class Evaluation implements Meter {
  readonly object: Dictionary;
  readonly locals: Value[] = [];
  #left = COST_LIMIT;
  #metAbsence = false;

  constructor(object: Dictionary) {
    this.object = object;
  }

  get metAbsence(): boolean {
    return this.#metAbsence;
  }

  noteAbsence(): void {
    this.#metAbsence = true;
  }

  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw new Failure('limit', `the evaluation costs more than ${COST_LIMIT} steps`);
  }
}

/** A compiled expression. */
export type Run = (evaluation: Evaluation) => Value;

/** A failure that an operator absorbs: throwing one takes as long as some steps. */
export const ABSORBED_COST = 10;

/** What reading a text costs: a tenth of a step for each character, at least one. */
export function textCost(length: number): number {
  return Math.ceil(length / 10) || 1;
}
