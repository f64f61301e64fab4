import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/engine/json.ts';
import type { Router } from '../../lib/engine/route.ts';
import { createRun } from '../../lib/engine/run.ts';
import { strategies } from '../../lib/engine/strategies/index.ts';
import { canonical, deepFreeze } from './support/inspect.ts';
import { KITS, LOSSLESS_KITS, NAMES } from './support/kits.ts';
import { fragmentOf } from './support/parts.ts';
import type { Kit } from './support/piece.ts';
import { BOTH_WAYS, build, examples, OVER_THE_HUB, RUNS, scenarios } from './support/scenario.ts';

function there(router: Router, object: JsonObject, from: string, to: string, mode: 'review' | 'offline'): JsonObject {
  return router.convert(router.convert(object, from, to, createRun(mode)), to, from, createRun(mode));
}

/** The two modes differ in what they do about absent sources, so both must keep what is there. */
function returns(router: Router, object: JsonObject, from: string, to: string): void {
  const expected = canonical(object);
  for (const mode of ['review', 'offline'] as const)
    expect(canonical(there(router, object, from, to, mode))).toBe(expected);
  const fragment = deepFreeze(fragmentOf(object));
  expect(canonical(there(router, fragment, from, to, 'review'))).toBe(canonical(fragment));
}

test('there are generated rules of every strategy', () => {
  expect([...NAMES].sort()).toEqual(strategies.map(({ name }) => name).sort());
});

describe('a rule alone, in its domain', () => {
  const returning = NAMES.filter((name) => name !== 'CEL' && name !== 'JSONPatch');
  test.each(returning)('%s: an object comes back as it was', async (name) => {
    const kit: Kit = (spot) => (KITS[name] as Kit)(spot).filter(({ returns }) => returns.hub || returns.spoke);
    const example = examples(scenarios([kit]), BOTH_WAYS).filter(({ scenario, from }) =>
      scenario.pieces.every((piece) => piece.returns[from === 'v1' ? 'hub' : 'spoke']),
    );
    await fc.assert(
      fc.asyncProperty(example, async ({ scenario, object, from, to }) => {
        const { router, analysis } = await build(scenario.source);
        const lossless = scenario.pieces.every((piece) => piece.lossless);
        expect(analysis.lossless).toBe(lossless);
        returns(router, deepFreeze(object), from, to);
      }),
      RUNS,
    );
  });
});

describe('a plan that is lossless both ways', () => {
  const lossless = fc.constantFrom(...LOSSLESS_KITS);
  const kit: Kit = (spot) =>
    lossless.chain((chosen) =>
      chosen(spot).filter((piece) => piece.lossless && piece.returns.hub && piece.returns.spoke),
    );

  test.each([
    ['hub to spoke and back', 1, [['v1', 'v2']]],
    ['spoke to hub and back', 1, [['v2', 'v1']]],
    ['spoke to spoke and back, over the hub', 2, OVER_THE_HUB],
  ] as const)('several rules: %s changes nothing', async (_title, spokes, routes) => {
    const example = fc
      .integer({ min: 2, max: 4 })
      .chain((count) => examples(scenarios(new Array(count).fill(kit), { spokes }), routes));
    await fc.assert(
      fc.asyncProperty(example, async ({ scenario, object, from, to }) => {
        const { router, analysis } = await build(scenario.source);
        expect(analysis.lossless).toBe(true);
        expect(router.lossless(from, to) && router.lossless(to, from)).toBe(true);
        returns(router, deepFreeze(object), from, to);
      }),
      RUNS,
    );
  });
});
