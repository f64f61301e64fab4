import { describe, expect, test } from 'vitest';
import { type Assignment, assign, DEFAULT_SHAPE, type FleetShape } from '../../../bench/scalegen/assignment.ts';
import { SLOTS, type Slot } from '../../../bench/scalegen/slots.ts';

const assignNames = (shape: Partial<FleetShape>) =>
  assign({ ...DEFAULT_SHAPE, ...shape }).map(({ v1, v2 }) => [names(v1), names(v2)]);
const names = (slots: readonly Slot[]) => slots.map(({ strategy }) => strategy);
const spokesOf = (rows: readonly Assignment[]) => rows.flatMap(({ v1, v2 }) => [v1, v2]);

/** Of the Go tool. */
const DEFAULT_FLEET = [
  [
    'NumericScale FieldRename TypeCoerce EnumRemap',
    'ArrayToMapByKey MapKeyRename ObjectToScalar Duration Quantity ForEach ScalarToObject ListSplit ListJoin MapToArrayByKey',
  ],
  [
    'ObjectToSingletonArray FieldsToMap SingletonArrayToObject',
    'ToAnnotation ToLabel FromLabel MapToFields FromAnnotation',
  ],
  ['Constant Delete DefaultValue', 'FieldRename ScalarToFields FieldsToScalar JSONPatch CEL'],
  [
    'ListJoin MapKeyRename Duration NumericScale TypeCoerce Quantity ListSplit EnumRemap',
    'MapToArrayByKey ForEach ArrayToMapByKey',
  ],
].map((row) => row.map((spoke) => spoke.split(' ')));

describe('the recorded fleet', () => {
  test('is what the Go tool makes with its defaults', () => {
    expect(assignNames({})).toEqual(DEFAULT_FLEET);
  });

  test.each([3, 20, 100])('of %i targets begins with that of fewer', (targets) => {
    const fleet = assignNames({ targets });
    expect(fleet).toHaveLength(targets);
    expect(fleet.slice(0, 4)).toEqual(DEFAULT_FLEET.slice(0, targets));
    expect(assignNames({ targets: 100 }).slice(0, targets)).toEqual(fleet);
  });

  test('of 100 targets goes round the catalogue with one cursor', () => {
    let cursor = 0;
    for (const spoke of spokesOf(assign({ ...DEFAULT_SHAPE, targets: 100 }))) {
      const next = Array.from(spoke, (_, index) => SLOTS[(cursor + index) % SLOTS.length]);
      expect(new Set(spoke)).toEqual(new Set(next));
      cursor += spoke.length;
    }
  });

  test.each([{ targets: 101 }, { seed: 2 }, { strategiesMin: 2 }, { strategiesMax: 11 }])(
    'is not that of %o',
    (shape) => {
      expect(assignNames(shape).slice(0, 4)).not.toEqual(DEFAULT_FLEET);
    },
  );
});

test('strategies that nobody has drawn go to the first spokes with room', () => {
  // Two targets draw 22 of the 29; the second spoke is full.
  const [first, second] = assignNames({ targets: 2 });
  const missing = 'Constant Delete JSONPatch ScalarToFields FieldsToScalar CEL DefaultValue'.split(' ');
  const added = names(SLOTS).filter((name) => missing.includes(name));
  expect(first).toEqual([[...(DEFAULT_FLEET[0]?.[0] ?? []), ...added.slice(0, 6)], DEFAULT_FLEET[0]?.[1]]);
  expect(second).toEqual([[...(DEFAULT_FLEET[1]?.[0] ?? []), ...added.slice(6)], DEFAULT_FLEET[1]?.[1]]);
});

describe('a fleet of another shape', () => {
  test('is the same on every machine', () => {
    expect(assignNames({ seed: 2 })[0]).toEqual([
      ['EnumRemap', 'NumericScale', 'ListJoin', 'TypeCoerce', 'ListSplit', 'Quantity', 'Duration', 'FieldRename'],
      ['MapKeyRename', 'MapToArrayByKey', 'ForEach', 'ArrayToMapByKey'],
    ]);
  });

  const SHAPES: Partial<FleetShape>[] = [
    { seed: 0 },
    { seed: -(2 ** 31) },
    { seed: 2 ** 31 - 1, targets: 30 },
    { targets: 150 },
    { targets: 1, strategiesMin: 1, strategiesMax: 15 },
    { targets: 15, strategiesMin: 1, strategiesMax: 1 },
    { targets: 1, strategiesMin: 29, strategiesMax: 29 },
    { targets: 2, strategiesMin: 40, strategiesMax: 50 },
    ...[2, 3, 4, 5].map((seed) => ({ seed, targets: 2 })),
  ];

  test.each(SHAPES)('has all strategies and keeps its bounds: %o', (more) => {
    const shape = { ...DEFAULT_SHAPE, ...more };
    const spokes = spokesOf(assign(shape));
    expect(new Set(spokes.flat())).toEqual(new Set(SLOTS));
    expect(spokes).toHaveLength(2 * shape.targets);
    for (const spoke of spokes) {
      expect(new Set(spoke).size).toBe(spoke.length);
      expect(spoke.length).toBeGreaterThanOrEqual(Math.min(shape.strategiesMin, SLOTS.length));
      expect(spoke.length).toBeLessThanOrEqual(shape.strategiesMax);
    }
  });

  test('differs from seed to seed, in numbers and in order', () => {
    const fleets = Array.from({ length: 20 }, (_, seed) => assign({ ...DEFAULT_SHAPE, seed, targets: 10 }));
    const counts = fleets.map((rows) => spokesOf(rows).map((spoke) => spoke.length));
    expect(new Set(counts.map(String)).size).toBe(20);
    expect(new Set(counts.flat())).toEqual(new Set([3, 4, 5, 6, 7, 8, 9, 10]));
    const full = Array.from({ length: 20 }, (_, seed) =>
      assignNames({ seed, targets: 1, strategiesMin: 29, strategiesMax: 29 }),
    );
    expect(new Set(full.flat(2).map(String)).size).toBe(40);
  });
});

test.each<[Partial<FleetShape>, string]>([
  [{ targets: 0 }, 'a fleet has at least 1 target, not 0'],
  [{ targets: 1.5 }, 'a fleet has at least 1 target, not 1.5'],
  [{ strategiesMin: 0 }, 'a spoke has at least 1 strategy, not 0'],
  [{ strategiesMin: 5, strategiesMax: 4 }, 'a spoke cannot have at least 5 strategies and at most 4'],
  [{ strategiesMax: Number.NaN }, 'a spoke cannot have at least 3 strategies and at most NaN'],
  [{ seed: 0.5 }, 'a seed is an integer of 32 bits, not 0.5'],
  [{ seed: 2 ** 31 }, 'a seed is an integer of 32 bits, not 2147483648'],
  [{ targets: 1 }, 'a fleet has all 29 strategies: 2 spokes with at most 10 cannot have them'],
  [{ targets: 4, strategiesMax: 3 }, 'a fleet has all 29 strategies: 8 spokes with at most 3 cannot have them'],
])('the shape %o is refused', (shape, message) => {
  expect(() => assignNames(shape)).toThrow(new Error(message));
});
