import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { divide } from '../../lib/cli/authoring/rehub/quotient.ts';
import type { JsonObject } from '../../lib/engine/json.ts';
import { createRun } from '../../lib/engine/run.ts';
import { build } from '../property/support/scenario.ts';
import { integer, number, spec } from '../support/plan.ts';
import { turnAround } from './support/rehub.ts';

describe('the quotient of two factors', () => {
  test.each([
    [1, 0.001, 1000],
    [1, 1000, 0.001],
    [1, 0.0009765625, 1024],
    [1, 1024, 0.0009765625],
    // A double divides this to 99999.99999999999.
    [1, 0.00001, 100000],
    [1, 1e-7, 10000000],
    [1, 1e21, 1e-21],
    [1, -0.5, -2],
    [1, 1, 1],
    [0.3, 0.1, 3],
    [60, 3600000, 0.000016666666666666667],
    [1, 3, 0.3333333333333333],
    [1, 0.016666666666666666, 60],
    [1, 9007199254740993n, 1.1102230246251565e-16],
    [18014398509481984n, 9007199254740992n, 2],
  ])('%d / %d is %d', (a, b, expected) => {
    expect(divide(a, b).value).toBe(expected);
  });

  test.each([
    [1, 0.001, true],
    [1, 0.00001, true],
    [0.3, 0.1, true],
    [1, 3, false],
    [1, 0.016666666666666666, false],
    [1, 9007199254740993n, false],
  ])('%d / %d is exact: %s', (a, b, exact) => {
    expect(divide(a, b).exact).toBe(exact);
  });

  test('what is called exact gives 1 again, and the factor again', () => {
    const factor = fc
      .tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: -9, max: 9 }))
      .map(([digits, exponent]) => Number(`${digits}e${exponent}`));
    void fc.assert(
      fc.property(factor, (given) => {
        const { value, exact } = divide(1, given);
        if (exact) expect(divide(1, value)).toEqual({ value: given, exact: true });
        else expect(value).toBe(1 / given);
      }),
    );
  });
});

describe('D15: a scaled number, turned around', () => {
  const whole = (fields: JsonObject): JsonObject => ({ kind: 'W', metadata: { name: 'w', uid: 'u' }, spec: fields });
  const plans = async (factor: number, [hub, spoke]: readonly [JsonObject, JsonObject]) => {
    const source = {
      hubVersion: 'v1',
      versions: [
        { name: 'v1', served: true, storage: true, schema: spec({ a: hub }) },
        { name: 'v2', served: true, storage: false, schema: spec({ b: spoke }) },
      ],
      spokes: [
        {
          version: 'v2',
          rules: [
            {
              strategy: 'NumericScale',
              acknowledgeLossy: true,
              reason: 'whole numbers are rounded',
              numericScale: { hubPath: 'spec.a', spokePath: 'spec.b', factor },
            },
          ],
        },
      ],
    };
    const { router: after, remarks } = await turnAround(source, 'v2');
    return { before: (await build(source)).router, after: after as NonNullable<typeof after>, remarks };
  };
  const read = (object: JsonObject) => Object.values(object['spec'] as JsonObject)[0];
  const run = createRun('offline');

  test.each([0.001, 1000, 0.5, 1024, 60, 3, 1 / 3, 1e-5, -2.5])(
    'by %d: whole numbers there and back are what they were',
    async (factor) => {
      const { before, after } = await plans(factor, [integer, number]);
      void fc.assert(
        fc.property(fc.integer({ min: -1e9, max: 1e9 }), (value) => {
          const there = (router: typeof before) =>
            read(router.convert(router.convert(whole({ a: value }), 'v1', 'v2', run), 'v2', 'v1', run));
          expect(there(after)).toBe(there(before));
          expect(there(after)).toBe(value);
        }),
      );
    },
  );

  test.each([0.001, 1000, 1e-5, 0.25, 1024])(
    'by %d: each way gives what it gave, but for the last bit of a double',
    async (factor) => {
      const { before, after, remarks } = await plans(factor, [number, number]);
      expect(remarks).toEqual([]);
      void fc.assert(
        fc.property(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), fc.boolean(), (value, down) => {
          const [object, from, to] = down ? [whole({ a: value }), 'v1', 'v2'] : [whole({ b: value }), 'v2', 'v1'];
          const [was, is] = [before, after].map((router) =>
            Number(read(router.convert(object, from as string, to as string, run))),
          );
          const exact = Number.isInteger(Math.log2(factor));
          expect(Math.abs((is as number) - (was as number))).toBeLessThanOrEqual(
            exact ? 0 : Math.abs(was as number) * 2 ** -51,
          );
        }),
      );
    },
  );

  test('a factor whose inverse is no decimal is said', async () => {
    const { remarks } = await plans(3, [number, number]);
    expect(remarks).toEqual(['1/3 is no decimal: the draft has 0.3333333333333333, and the last digits may differ']);
  });
});
