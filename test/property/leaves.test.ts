import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConversionError } from '../../lib/engine/conversion-error.ts';
import type { JsonObject } from '../../lib/engine/json.ts';
import { createRun, isFragment } from '../../lib/engine/run.ts';
import { isTraced } from './support/for-each-kit.ts';
import { bytesOf, deepFreeze, leavesIn } from './support/inspect.ts';
import { KITS, NAMES } from './support/kits.ts';
import { fragmentOf, partOf, removals } from './support/parts.ts';
import type { Kit } from './support/piece.ts';
import { BOTH_WAYS, build, type Example, examples, RUNS, scenarios } from './support/scenario.ts';

/**
 * The leaves of the output that come from nowhere. An empty object is a leaf: so a parent that is made without a child,
 * or left behind without one, is found too. `metadata` is always an object.
 */
async function invented(
  { scenario, from, to }: Example,
  object: JsonObject,
  mode: 'review' | 'offline',
): Promise<string[] | undefined> {
  const { router } = await build(scenario.source);
  const direction = from === 'v1' ? 'hubToSpoke' : 'spokeToHub';
  const whole = !isFragment(object, mode);
  let output: JsonObject;
  try {
    output = router.convert(deepFreeze(object), from, to, createRun(mode));
  } catch (error) {
    // Whether a part converts is another property; offline it need not.
    expect(error).toBeInstanceOf(ConversionError);
    return undefined;
  }
  return leavesIn(output)
    .filter(
      ({ path, value }) =>
        bytesOf([...path]) !== '["metadata"]' && !isTraced(scenario.pieces, direction, path, value, object, whole),
    )
    .map(({ path, value }) => `${path.join('.')} = ${bytesOf(value)}`);
}

async function noneInvented(name: string, part: (object: JsonObject) => JsonObject): Promise<void> {
  let converted = 0;
  const example = examples(scenarios([KITS[name] as Kit], { when: true }), BOTH_WAYS);
  const modes = fc.constantFrom('review' as const, 'review' as const, 'offline' as const);
  const property = fc.asyncProperty(example, removals, modes, async (chosen, removal, mode) => {
    const found = await invented(chosen, part(partOf(chosen.object, removal)), mode);
    if (found !== undefined) converted++;
    expect(found ?? []).toEqual([]);
  });
  await fc.assert(property, RUNS);
  expect(converted).toBeGreaterThan(RUNS.numRuns / 4);
}

describe('every leaf of the output is the image of a leaf of the input', () => {
  test.each(NAMES)('%s: in a fragment (R01, D1)', (name) => noneInvented(name, fragmentOf));

  test.each(NAMES)(
    '%s: in a whole object, but for what the rule itself injects; no parent is left empty (R61)',
    (name) => noneInvented(name, (object) => object),
  );
});
