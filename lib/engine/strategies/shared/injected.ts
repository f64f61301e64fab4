import { compileGet } from '../../access.ts';
import { cloneJson, type Json, sizeOf } from '../../json.ts';
import { parsePath } from '../../path.ts';
import { spend } from '../../run.ts';
import { KEEP, type RuleCompiler, type RuleScope, type Side, sourceSide } from '../../strategy.ts';

type ExistsOn = 'Hub' | 'Spoke';

export function sideOf(existsOn: ExistsOn): Side {
  return existsOn === 'Hub' ? 'hub' : 'spoke';
}

/** Claims a field that one side has and the other cannot give a value to. */
export function claimInjected(scope: RuleScope, path: string, existsOn: ExistsOn): void {
  const side = sideOf(existsOn);
  scope.claim(side, scope.field(side, path));
  if (side === 'spoke') return;
  const hint =
    'put the default into the CRD schema: the rule overwrites what is applied at the hub, and server-side apply cannot remove it';
  scope.warn('WRITES_WITHOUT_SOURCE', `writes the hub field ${path} without a source`, { path, hint });
}

/** Writes a value of its own towards the side that has the field; never into a fragment (D1). */
export function compileInjected(
  compiler: RuleCompiler,
  rule: { readonly path: string; readonly existsOn: ExistsOn; readonly value: Json; readonly keepPresent: boolean },
): void {
  const direction = rule.existsOn === 'Hub' ? 'spokeToHub' : 'hubToSpoke';
  const path = parsePath(rule.path);
  const read = compileGet(path);
  const slot = compiler.slot(direction, path);
  // A field that the other side declares at the same path is another one, which other rules convert.
  const keepsPresent = rule.keepPresent && compiler.node(sourceSide(direction), path) === undefined;
  const size = sizeOf(rule.value);
  compiler.op(direction, (source, slots, run) => {
    if (keepsPresent && read(source) !== undefined) slots[slot] = KEEP;
    else if (!run.fragment) {
      spend(run, size);
      slots[slot] = cloneJson(rule.value);
    }
  });
}
