import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { SLOTS, type Slot } from './slots.ts';

export interface FleetShape {
  readonly targets: number;
  /** How many strategies each spoke has, at least; more than there are count as all of them. */
  readonly strategiesMin: number;
  readonly strategiesMax: number;
  /** An integer of 32 bits. */
  readonly seed: number;
}

export const DEFAULT_SHAPE: FleetShape = { targets: 4, strategiesMin: 3, strategiesMax: 10, seed: 1 };

/** What each spoke of a target converts. */
export type Assignment = Readonly<Record<'v1' | 'v2', readonly Slot[]>>;
type Rows = Record<'v1' | 'v2', Slot[]>[];

/** The first 100 targets that the Go tool makes with its defaults, one a line: names of strategies. */
const RECORDED = join(import.meta.dirname, 'seed-1.jsonl');

/**
 * The strategies of each spoke of each target; all 29 occur. The same shape gives the same fleet on every machine.
 *
 * Seed 1 with the bounds 3 and 10 gives, for up to 100 targets, the fleet of the Go tool: its assignments are recorded.
 * All other shapes go by the same algorithm with another generator: their fleets are as good, and not those of the Go
 * tool.
 *
 * @throws Error when there is no such fleet
 */
export function assign(shape: FleetShape): Assignment[] {
  checkShape(shape);
  const strategiesMin = Math.min(shape.strategiesMin, SLOTS.length);
  const strategiesMax = Math.min(shape.strategiesMax, SLOTS.length);
  const rows = readRecorded(shape) ?? draw({ ...shape, strategiesMin, strategiesMax });
  placeMissing(rows, strategiesMax);
  return rows;
}

function checkShape({ targets, strategiesMin, strategiesMax, seed }: FleetShape): void {
  const isCount = (value: number) => Number.isSafeInteger(value) && value > 0;
  if (!isCount(targets)) throw new Error(`a fleet has at least 1 target, not ${targets}`);
  if (!isCount(strategiesMin)) throw new Error(`a spoke has at least 1 strategy, not ${strategiesMin}`);
  if (!isCount(strategiesMax) || strategiesMax < strategiesMin) {
    throw new Error(`a spoke cannot have at least ${strategiesMin} strategies and at most ${strategiesMax}`);
  }
  if (seed !== (seed | 0)) throw new Error(`a seed is an integer of 32 bits, not ${seed}`);
  if (2 * targets * strategiesMax < SLOTS.length) {
    const spokes = `${2 * targets} spokes with at most ${strategiesMax}`;
    throw new Error(`a fleet has all ${SLOTS.length} strategies: ${spokes} cannot have them`);
  }
}

function readRecorded({ targets, strategiesMin, strategiesMax, seed }: FleetShape): Rows | undefined {
  const { strategiesMin: min, strategiesMax: max, seed: recordedSeed } = DEFAULT_SHAPE;
  if (strategiesMin !== min || strategiesMax !== max || seed !== recordedSeed) return undefined;
  const lines = readFileSync(RECORDED, 'utf8').trimEnd().split('\n');
  if (targets > lines.length) return undefined;
  const slotOf = new Map(SLOTS.map((slot) => [slot.strategy, slot]));
  const read = (names: readonly string[]) => names.map((name) => slotOf.get(name) as Slot);
  return lines.slice(0, targets).map((line) => {
    const { v1, v2 } = JSON.parse(line);
    return { v1: read(v1), v2: read(v2) };
  });
}

/** One generator and one cursor for all: how many each spoke of a target has, then which, then in which order. */
function draw({ targets, strategiesMin, strategiesMax, seed }: FleetShape): Rows {
  const generator = xoroshiro128plus(seed);
  const between = (low: number, high: number) => uniformInt(generator, low, high);
  let cursor = 0;
  const pick = (count: number) => {
    const picked = Array.from({ length: count }, (_, index) => SLOTS[(cursor + index) % SLOTS.length] as Slot);
    cursor += count;
    return shuffle(picked, between);
  };
  return Array.from({ length: targets }, () => {
    const [first, second] = [between(strategiesMin, strategiesMax), between(strategiesMin, strategiesMax)];
    return { v1: pick(first), v2: pick(second) };
  });
}

function shuffle<T>(items: readonly T[], between: (low: number, high: number) => number): T[] {
  const rest = [...items];
  return items.map((_, index) => rest.splice(between(0, items.length - index - 1), 1)[0] as T);
}

/** A strategy that nobody has goes to the first spoke with room. There is one: a cursor that filled all has met all. */
function placeMissing(rows: Rows, strategiesMax: number): void {
  const spokes = rows.flatMap(({ v1, v2 }) => [v1, v2]);
  for (const slot of SLOTS) {
    if (spokes.some((spoke) => spoke.includes(slot))) continue;
    spokes.find((spoke) => spoke.length < strategiesMax)?.push(slot);
  }
}
