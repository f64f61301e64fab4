import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConversionError } from '../../lib/engine/conversion-error.ts';
import { cloneJson, type JsonObject } from '../../lib/engine/json.ts';
import { createRun } from '../../lib/engine/run.ts';
import { bytesOf, deepFreeze, vandalise } from './support/inspect.ts';
import { KITS, NAMES } from './support/kits.ts';
import { fragmentOf } from './support/parts.ts';
import type { Kit } from './support/piece.ts';
import { BOTH_WAYS, build, type Example, examples, RUNS, scenarios } from './support/scenario.ts';

/** Runs a check for generated objects of a strategy; `check` says whether the object converted at all. */
async function forObjectsOf(name: string, check: (example: Example) => Promise<boolean>): Promise<void> {
  let converted = 0;
  const property = fc.asyncProperty(examples(scenarios([KITS[name] as Kit]), BOTH_WAYS), async (example) => {
    if (await check(example)) converted++;
  });
  await fc.assert(property, RUNS);
  expect(converted).toBeGreaterThan(RUNS.numRuns / 4);
}

/** The bytes of the output, or of the message of the ConversionError. */
function outcome(convert: () => JsonObject): { readonly converted: boolean; readonly bytes: string } {
  try {
    return { converted: true, bytes: bytesOf(convert()) };
  } catch (error) {
    // A write to a frozen input would be a TypeError.
    if (!(error instanceof ConversionError)) throw error;
    return { converted: false, bytes: error.message };
  }
}

describe('a conversion has no effect but its output', () => {
  test.each(NAMES)(
    '%s: a deep-frozen input converts, to the same bytes every time and by every plan of its config',
    (name) =>
      forObjectsOf(name, async ({ scenario, object, from, to }) => {
        const { router } = await build(scenario.source);
        const other = await build(scenario.source);
        for (const input of [deepFreeze(object), deepFreeze(fragmentOf(object))]) {
          const first = outcome(() => router.convert(input, from, to, createRun('review')));
          expect(outcome(() => router.convert(input, from, to, createRun('review')))).toEqual(first);
          expect(outcome(() => other.router.convert(cloneJson(input), from, to, createRun('review')))).toEqual(first);
          if (!first.converted) return false;
        }
        return true;
      }),
  );

  test.each(NAMES)('%s: nothing of the plan is reachable from its output', (name) =>
    forObjectsOf(name, async ({ scenario, object, from, to }) => {
      const { router } = await build(scenario.source);
      const convert = () => router.convert(cloneJson(object), from, to, createRun('review'));
      const before = outcome(convert);
      if (!before.converted) return false;
      vandalise(convert());
      expect(outcome(convert)).toEqual(before);
      return true;
    }),
  );
});
