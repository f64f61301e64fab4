import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, MutableObject } from '../../lib/engine/json.ts';
import type { Path } from '../../lib/engine/path.ts';
import { createRun } from '../../lib/engine/run.ts';
import { bytesOf, deepFreeze, fieldsIn, put, without } from './support/inspect.ts';
import { json } from './support/json-arbitraries.ts';
import { KITS, NAMES } from './support/kits.ts';
import { fragmentOf, partOf, type Removal, removals } from './support/parts.ts';
import type { Kit } from './support/piece.ts';
import { BOTH_WAYS, build, type Example, examples, OVER_THE_HUB, RUNS, scenarios } from './support/scenario.ts';

/** Sometimes a field has a value that no schema allows: the object may convert all the same. */
const oddities = fc.option(fc.tuple(fc.nat({ max: 63 }), json), { freq: 2 });

type Oddity = typeof oddities extends fc.Arbitrary<infer Value> ? Value : never;

function ownFields(object: JsonObject): Path[] {
  return fieldsIn(object).filter(([first]) => first !== 'apiVersion' && first !== 'kind' && first !== 'metadata');
}

function strange(object: JsonObject, oddity: Oddity): JsonObject {
  const fields = ownFields(object);
  if (oddity === null || fields.length === 0) return object;
  const [index, value] = oddity;
  const changed: MutableObject = { ...without(object, []) };
  put(changed, fields[index % fields.length] as Path, value);
  return changed;
}

/** Whether the whole object converts; its part must then convert too. */
async function survives(
  { scenario, object, from, to }: Example,
  removal: Removal,
  anonymous: boolean,
  oddity: Oddity,
): Promise<boolean> {
  const { router } = await build(scenario.source);
  const whole = deepFreeze(strange(object, oddity));
  try {
    router.convert(whole, from, to, createRun('review'));
  } catch {
    return false;
  }
  const rest = partOf(whole, removal);
  const part = deepFreeze(anonymous ? fragmentOf(rest) : rest);
  try {
    router.convert(part, from, to, createRun('review'));
  } catch (error) {
    throw new Error(`${bytesOf(whole)} converts, but its part ${bytesOf(part)} does not`, { cause: error });
  }
  return true;
}

async function allSurvive(example: fc.Arbitrary<Example>, numRuns = RUNS.numRuns): Promise<void> {
  let converted = 0;
  const property = fc.asyncProperty(example, removals, fc.boolean(), oddities, async (...args) => {
    if (await survives(...args)) converted++;
  });
  await fc.assert(property, { numRuns });
  // Otherwise the objects would say little about their parts.
  expect(converted).toBeGreaterThan(numRuns / 4);
}

describe('an object that converts still does when any of its fields are gone (D1)', () => {
  test.each(NAMES)('%s', async (name) => {
    // What one operation of a patch does to the next takes more luck to find.
    const numRuns = name === 'JSONPatch' ? 5 * RUNS.numRuns : RUNS.numRuns;
    await allSurvive(examples(scenarios([KITS[name] as Kit], { when: true }), BOTH_WAYS), numRuns);
  });

  test('several rules, from spoke to spoke', async () => {
    const any: Kit = (spot) => fc.constantFrom(...Object.values(KITS)).chain((kit) => kit(spot));
    await allSurvive(examples(scenarios([any, any, any], { spokes: 2, when: true }), OVER_THE_HUB));
  });
});
