import { MAX_DEPTH, MAX_LEVELS, MAX_OUTPUT, MAX_STEPS } from './limits.ts';
import { TemplateError } from './template-error.ts';
import { isList, isMap, isNil, type MapValue, sortedKeys, type Value } from './value.ts';

/** One rendering: what it has written and what it has used of its bounds. */
export class Run {
  output = '';
  #steps = 0;
  #calls = 0;
  #levels = 0;
  #keys: Map<MapValue, readonly string[]> | undefined;

  write(text: string): void {
    this.output += text;
    if (this.output.length > MAX_OUTPUT) throw tooLong('the output');
  }

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) {
      throw new TemplateError('limit', `more than ${MAX_STEPS} steps; shorten its loops`);
    }
  }

  /** Work in proportion to a length: 64 characters or elements are a step. */
  spendOn(length: number): void {
    if (length >= 64) this.spend(length >> 6);
  }

  /** The text that a function made. */
  made(text: string): string {
    if (text.length > MAX_OUTPUT) throw tooLong('the result of a function');
    this.spendOn(text.length);
    return text;
  }

  /** Enters a called template; `levels` counts the call and the blocks around it. */
  enter(levels: number): void {
    this.#calls++;
    this.#levels += levels;
    if (this.#calls > MAX_DEPTH)
      throw new TemplateError('limit', `templates call each other more than ${MAX_DEPTH} deep`);
    if (this.#levels > MAX_LEVELS) {
      throw new TemplateError('limit', 'templates that call each other nest their blocks too deep');
    }
  }

  leave(levels: number): void {
    this.#calls--;
    this.#levels -= levels;
  }

  /** The sorted keys of a map; a loop that asks again does not pay again. */
  keys(map: MapValue): readonly string[] {
    this.#keys ??= new Map();
    let keys = this.#keys.get(map);
    if (keys === undefined) {
      keys = sortedKeys(map);
      this.#keys.set(map, keys);
    }
    return keys;
  }

  /** Go's truth: false, 0, "", nil, an empty list and an empty map are false. */
  truth(value: Value): boolean {
    if (typeof value === 'string') return value.length > 0;
    if (typeof value === 'boolean') return value;
    if (isNil(value)) return false;
    if (isList(value)) return value.length > 0;
    return isMap(value) ? this.keys(value).length > 0 : value !== 0 && value !== 0n;
  }
}

/** The variables of one template body; slot 0 is `$`. */
export interface Frame {
  readonly run: Run;
  readonly variables: Value[];
}

export function createFrame(run: Run, slots: number, dot: Value): Frame {
  const variables = new Array<Value>(slots);
  variables[0] = dot;
  return { run, variables };
}

function tooLong(what: string): TemplateError {
  return new TemplateError('limit', `${what} is longer than ${MAX_OUTPUT} characters`);
}
