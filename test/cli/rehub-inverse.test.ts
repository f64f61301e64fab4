import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { invertRule } from '../../lib/cli/authoring/rehub/invert.ts';
import { createReport } from '../../lib/cli/authoring/rehub/report.ts';
import { placesOf, renderRule, viewsOf } from '../../lib/cli/authoring/rehub/rule-view.ts';
import { strategies } from '../../lib/engine/strategies/index.ts';
import { SLOTS } from '../bench/scalegen/slots.ts';
import { bytesOf } from '../property/support/inspect.ts';
import { KITS, NAMES } from '../property/support/kits.ts';
import type { Kit } from '../property/support/piece.ts';
import { BOTH_WAYS, build, examples, type Scenario, scenarios } from '../property/support/scenario.ts';
import { object } from '../support/plan.ts';
import { expectSame, turnAround } from './support/rehub.ts';

const RUNS = { numRuns: 100 };
/** Both ways between the version that becomes the hub and each of the others. */
const WITH_V2 = [...BOTH_WAYS, ['v2', 'v3'], ['v3', 'v2']] as const;
/** How many of the generated configs may be refused, or said to differ, at most; the others must convert the same. */
const LEFT = { one: 0.7, two: 0.95 };

/** Where one operation of a patch names a part of what another names, the engine goes by the order of the two lists. */
function isNested({ pieces }: Scenario): boolean {
  return pieces.some(({ rule }) => {
    const pointers = [...bytesOf(rule).matchAll(/"(?:path|from)":"(\/[^"]*)"/g)].map(
      ([, pointer]) => pointer as string,
    );
    return pointers.some((a) => pointers.some((b) => b.startsWith(`${a}/`)));
  });
}

async function compare(kits: readonly Kit[], spokes: 1 | 2, left: number): Promise<void> {
  const routes = spokes === 1 ? BOTH_WAYS : WITH_V2;
  let skipped = 0;
  await fc.assert(
    fc.asyncProperty(examples(scenarios(kits, { spokes }), routes), async ({ scenario, object: source, from, to }) => {
      const before = await build(scenario.source);
      const { refused, remarks, router } = await turnAround(scenario.source, 'v2');
      if (refused.length > 0 || remarks.length > 0 || isNested(scenario)) skipped++;
      else expectSame(before.router, router as never, source, from, to);
    }),
    RUNS,
  );
  expect(skipped).toBeLessThanOrEqual(left * RUNS.numRuns);
}

describe('a generated rule, turned around', () => {
  test.each(NAMES)('%s: between the two versions everything converts as before', (name) =>
    compare([KITS[name] as Kit], 1, LEFT.one),
  );

  test.each(NAMES)('%s: so it does between the new hub and a third version', (name) =>
    compare([KITS[name] as Kit, KITS[name] as Kit], 2, LEFT.two),
  );
});

describe('the rules of the scale fleet', () => {
  const hub = object({ spec: object(Object.assign({}, ...SLOTS.map((slot) => slot.hub))) });
  const views = viewsOf(
    SLOTS.map(({ strategy, rule }) => ({ strategy, ...rule })),
    { spoke: 'v1' },
  );
  const report = createReport([]);
  const invert = (view: (typeof views)[number]) => invertRule(view, { hub, report });

  test('there is one of each strategy', () => {
    expect(views.map(({ strategy }) => strategy).sort()).toEqual(strategies.map(({ name }) => name).sort());
  });

  test.each(views.map((view) => [view.strategy, view] as const))(
    '%s: turned around twice it is the same',
    (_, view) => {
      const twice = invert(invert(view) as never);
      // What was left to its default is written out.
      const written = /^(ToLabel|FromLabel)$/.test(view.strategy) ? { serialization: 'String' } : {};
      expect(renderRule(twice as never)).toEqual(renderRule({ ...view, params: { ...view.params, ...written } }));
    },
  );

  test.each(views.map((view) => [view.strategy, view] as const))('%s: its fields change sides', (_, view) => {
    const inverse = invert(view) as never;
    expect(placesOf(inverse, 'hub')).toEqual(placesOf(view, 'spoke'));
    expect(placesOf(inverse, 'spoke')).toEqual(placesOf(view, 'hub'));
  });

  test('no parameter of any strategy names a side and stays on it', () => {
    const kept = views.flatMap((view) => {
      const inverse = invert(view);
      const names = Object.keys(view.params).filter((name) => /hub|spoke/i.test(name));
      return names.filter((name) => inverse?.strategy === view.strategy && !(mirror(name) in inverse.params));
    });
    expect(kept).toEqual([]);
  });
});

function mirror(name: string): string {
  return name.replace(
    /hub|spoke|Hub|Spoke/g,
    (side) => ({ hub: 'spoke', spoke: 'hub', Hub: 'Spoke', Spoke: 'Hub' })[side] as string,
  );
}
