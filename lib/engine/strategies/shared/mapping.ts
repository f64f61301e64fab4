import { compileGet } from '../../access.ts';
import type { Json } from '../../json.ts';
import { parsePath } from '../../path.ts';
import type { Run } from '../../run.ts';
import type { Direction, RuleCompiler } from '../../strategy.ts';

/** A value at its new place, or undefined when the rule writes nothing. */
export type Convert = (value: Json, run: Run) => Json | undefined;

/** Compiles "one field to one field": an absent source writes nothing. */
function mapField(compiler: RuleCompiler, direction: Direction, from: string, to: string, convert: Convert): void {
  const read = compileGet(parsePath(from));
  const slot = compiler.slot(direction, parsePath(to));
  compiler.op(direction, (source, slots, run) => {
    const value = read(source);
    if (value !== undefined) slots[slot] = convert(value, run);
  });
}

/** The two directions of a rule between one hub field and one spoke field. */
export function mapBoth(
  compiler: RuleCompiler,
  paths: { readonly hubPath: string; readonly spokePath: string },
  convert: { readonly hubToSpoke: Convert; readonly spokeToHub: Convert },
): void {
  mapField(compiler, 'hubToSpoke', paths.hubPath, paths.spokePath, convert.hubToSpoke);
  mapField(compiler, 'spokeToHub', paths.spokePath, paths.hubPath, convert.spokeToHub);
}

/** Carries a null as it is (D17): objects stored before their schema hold nulls, and one must not stop a list. */
export function nullable(convert: Convert): Convert {
  return (value, run) => (value === null ? null : convert(value, run));
}
