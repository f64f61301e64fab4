import * as z from 'zod/mini';
import { compileGet } from '../access.ts';
import { ConversionError, RuleError } from '../conversion-error.ts';
import { isArray, isObject, type Json, jsonType } from '../json.ts';
import { parsePath } from '../path.ts';
import { itemsOf } from '../schema.ts';
import {
  type Direction,
  defineStrategy,
  type Field,
  type ListConverter,
  LOSSLESS,
  type RuleCompiler,
} from '../strategy.ts';
import { json, path } from './shared/params.ts';

/** Elements between two looks at the clock. One element takes half a second at most (CEL's and RE2's budgets). */
const DEADLINE_INTERVAL = 16;

const params = z.strictObject({ hubItemsPath: path, spokeItemsPath: path, rules: z.array(json) });

/** Converts each element of a list by rules of its own, whose paths are relative to the element. */
export const forEach = defineStrategy({
  name: 'ForEach',
  summary: 'converts each element of a list by nested rules',
  domain: 'lists of objects in the domains of the nested rules',
  params,
  analyse(rule, scope) {
    const hub = scope.field('hub', rule.hubItemsPath);
    const spoke = scope.field('spoke', rule.spokeItemsPath);
    scope.claim('hub', hub);
    scope.claim('spoke', spoke);
    let lists = true;
    for (const [side, field] of [
      ['hub', hub],
      ['spoke', spoke],
    ] as const) {
      if (field === undefined || isList(field)) continue;
      lists = false;
      const hint = 'ForEach needs type: array with one `items` schema';
      scope.error('KIND_NOT_LIST', `${field.text} is no list with an item schema`, { path: field.text, side, hint });
    }
    if (hub === undefined || spoke === undefined || !lists) {
      scope.nestedForm(rule.rules);
      return LOSSLESS;
    }
    scope.compareOwnership(hub, spoke, false);
    return scope.nested({ hub, spoke }, rule.rules);
  },
  compile(rule, compiler) {
    const nested = compiler.nested();
    compileEach(compiler, 'hubToSpoke', [rule.hubItemsPath, rule.spokeItemsPath], nested.hubToSpoke);
    compileEach(compiler, 'spokeToHub', [rule.spokeItemsPath, rule.hubItemsPath], nested.spokeToHub);
  },
});

function isList(field: Field): boolean {
  return field.kind === 'array' && itemsOf(field.node) !== undefined;
}

function compileEach(
  compiler: RuleCompiler,
  direction: Direction,
  [from, to]: readonly [string, string],
  convert: ListConverter,
): void {
  const read = compileGet(parsePath(from));
  const readTarget = from === to ? undefined : compileGet(parsePath(to));
  const slot = compiler.slot(direction, parsePath(to));
  compiler.op(direction, (source, slots, run) => {
    const list = read(source);
    if (list === undefined) return;
    if (list === null) {
      slots[slot] = null;
      return;
    }
    if (!isArray(list)) throw new RuleError(`expected an array, found ${jsonType(list)}`);
    if (readTarget !== undefined) checkTarget(readTarget(source), list.length, to);
    const items: Json[] = new Array(list.length);
    let index = 0;
    try {
      for (; index < list.length; index++) {
        if (index % DEADLINE_INTERVAL === DEADLINE_INTERVAL - 1 && run.expired?.()) {
          throw new RuleError('the time for this review is over');
        }
        const item = list[index];
        if (!isObject(item)) throw new RuleError(`expected an object, found ${jsonType(item)}`);
        items[index] = convert(item, run);
      }
    } catch (error) {
      if (!(error instanceof ConversionError || error instanceof RuleError)) throw error;
      throw new RuleError(error.message, `[${index}]`, { cause: error });
    }
    slots[slot] = items;
  });
}

/** Peer: a list that is already at the destination must have the same length, since the elements are paired. */
function checkTarget(target: Json | undefined, length: number, to: string): void {
  if (target === undefined || (isArray(target) && target.length === length)) return;
  throw new RuleError(`length mismatch: ${to} is there too, and has not ${length} elements`);
}
