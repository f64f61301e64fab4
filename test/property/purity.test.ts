import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConversionSource } from '../../lib/engine/analyse.ts';
import { ConversionError } from '../../lib/engine/conversion-error.ts';
import { cloneJson, type JsonObject } from '../../lib/engine/json.ts';
import { createRun } from '../../lib/engine/run.ts';
import { bytesOf, deepFreeze, vandalise } from './support/inspect.ts';
import { KITS, NAMES } from './support/kits.ts';
import { fragmentOf } from './support/parts.ts';
import type { Kit } from './support/piece.ts';
import { BOTH_WAYS, build, type Example, examples, RUNS, scenarios } from './support/scenario.ts';

/** Runs a check for generated objects of a strategy; `check` says whether the object converted at all. */
async function forObjectsOf(
  name: string,
  check: (example: Example, whole: boolean) => Promise<boolean>,
): Promise<void> {
  let converted = 0;
  const example = examples(scenarios([KITS[name] as Kit]), BOTH_WAYS);
  const property = fc.asyncProperty(example, fc.boolean(), async (chosen, whole) => {
    if (await check(chosen, whole)) converted++;
  });
  await fc.assert(property, RUNS);
  expect(converted).toBeGreaterThan(RUNS.numRuns / 4);
}

/** The bytes of the output, or undefined when the object does not convert. */
function outcome(convert: () => JsonObject): string | undefined {
  try {
    return bytesOf(convert());
  } catch (error) {
    // A write to a frozen input would be a TypeError.
    if (error instanceof ConversionError) return undefined;
    throw error;
  }
}

describe('a conversion has no effect but its output', () => {
  test.each(NAMES)(
    '%s: a deep-frozen input converts, to the same bytes every time and by every plan of its config',
    (name) =>
      forObjectsOf(name, async ({ scenario, object, from, to }, whole) => {
        const { router } = await build(scenario.source);
        const other = await build(scenario.source);
        const input = deepFreeze(whole ? object : fragmentOf(object));
        const first = outcome(() => router.convert(input, from, to, createRun('review')));
        expect(outcome(() => router.convert(input, from, to, createRun('review')))).toBe(first);
        expect(outcome(() => other.router.convert(cloneJson(input), from, to, createRun('review')))).toBe(first);
        return first !== undefined;
      }),
  );

  test.each(NAMES)('%s: nothing of the plan is reachable from its output', (name) =>
    forObjectsOf(name, async ({ scenario, object, from, to }) => {
      // A plan that is reachable would be spoiled with its config, and fast-check still needs that.
      const source = cloneJson(scenario.source as unknown as JsonObject) as unknown as ConversionSource;
      const { router } = await build(source);
      const convert = () => router.convert(cloneJson(object), from, to, createRun('review'));
      const before = outcome(convert);
      if (before === undefined) return false;
      vandalise(convert());
      expect(outcome(convert)).toBe(before);
      return true;
    }),
  );
});
