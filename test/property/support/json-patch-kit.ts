import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../lib/engine/json.ts';
import type { Path } from '../../../lib/engine/path.ts';
import type { Direction } from '../../../lib/engine/strategy.ts';
import { startsWith, valueAt } from './inspect.ts';
import { allOf, entryAt, json, map, OPEN_MAP } from './json-arbitraries.ts';
import { type Flow, field, type Kit, LOSSY_RULE, NEVER_RETURNS, type Piece, type Spot } from './piece.ts';

interface Operation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: Path;
  readonly from?: Path;
  readonly value?: Json;
  readonly skipIfMissing?: boolean;
}

/** Both sides declare the same four fields; the patches say what becomes of them. */
function fieldsOf(spot: Spot) {
  const object = field(spot, 'o');
  return {
    scalar: field(spot, 's'),
    open: field(spot, 'm'),
    list: field(spot, 'l'),
    object,
    x: [...object, 'x'],
    y: [...object, 'y'],
  };
}

/** Paths that meet: containers with what is in them, and where it may go. */
function familiesOf({ scalar, open, list, object, x, y }: ReturnType<typeof fieldsOf>): readonly (readonly Path[])[] {
  const inOpen = (...keys: string[]): Path => [...open, ...keys];
  const inList = (...tokens: string[]): Path => [...list, ...tokens];
  const inY: Path = [...y, 'k'];
  const maps = [open, inOpen('k'), inOpen('size'), inOpen('k', 'deep'), y];
  const items = [list, inList('0'), inList('0', 'k'), inList('1', 'k'), inList('-'), inList('-1'), inList('-1', 'k')];
  const across = [open, inOpen('k'), list, inList('-'), object, y, inY];
  const others = [scalar, inOpen('a/b~c'), inOpen('0'), inList('1'), x];
  return [maps, items, across, [...maps, ...items, object, ...others]];
}

function render(path: Path): string {
  return path.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Few values, so that a `test` often finds what it wants. */
const small: fc.Arbitrary<Json> = fc.oneof(
  { arbitrary: fc.constantFrom<Json>('v', 1, null, {}, { k: 1 }, { k: 1, size: 2 }, [{ k: 1 }]), weight: 9 },
  { arbitrary: json, weight: 1 },
);

/** Few paths and values in one patch, so that its operations meet. */
function operationsOn(families: readonly (readonly Path[])[]): fc.Arbitrary<readonly Operation[]> {
  const paths = fc.oneof(...families.map((family) => fc.subarray([...family], { minLength: 2, maxLength: 3 })));
  const chosen = fc.tuple(paths, fc.tuple(small, small));
  return chosen.chain(([some, values]) => {
    const path = fc.constantFrom(...some);
    const value = fc.constantFrom(...values);
    const one: fc.Arbitrary<Operation> = fc.oneof(
      fc.record({ op: fc.constantFrom('add', 'replace'), path, value }),
      fc.record({ op: fc.constant('remove'), path }),
      fc.record({ op: fc.constant('test'), path, value }),
      fc
        .record({ op: fc.constantFrom('move', 'copy'), path, from: path })
        .filter(({ path: to, from }) => !startsWith(to, from)),
    );
    const skippable = fc.tuple(one, fc.constantFrom(false, false, true)).map(([operation, skipIfMissing]) => {
      return skipIfMissing ? { ...operation, skipIfMissing } : operation;
    });
    return fc.array(skippable, { maxLength: 4 });
  });
}

/** Operations and the fields that they are about. */
export function patches(spot: Spot): {
  readonly operations: fc.Arbitrary<readonly Operation[]>;
  readonly side: Piece['hub'];
} {
  const fields = fieldsOf(spot);
  const { scalar, open, list, object, x, y } = fields;
  const side: Piece['hub'] = {
    declares: [
      [scalar, { 'x-kubernetes-int-or-string': true }],
      [open, OPEN_MAP],
      [list, { type: 'array', items: OPEN_MAP }],
      [object, { type: 'object', properties: {} }],
      [x, { type: 'string' }],
      [y, OPEN_MAP],
    ],
    values: allOf(
      entryAt(scalar, fc.constantFrom<Json>('v', 1, null)),
      entryAt(open, fc.oneof(map, fc.constantFrom<JsonObject>({}, { k: 1 }, { k: 1, size: 2 }, { k: { deep: 1 } }))),
      entryAt(list, fc.array(small, { maxLength: 2 })),
      entryAt(x, fc.constantFrom<Json>('v', 1)),
      entryAt(y, fc.constantFrom<Json>({}, { k: 1 }, { k: 1, size: 2 })),
    ),
  };
  return { operations: operationsOn(familiesOf(fields)), side };
}

/** Operations as a rule has them. */
export function written(operations: readonly Operation[]) {
  return operations.map(({ path, from, ...other }) => ({
    ...other,
    path: render(path),
    ...(from === undefined ? {} : { from: render(from) }),
  }));
}

export const jsonPatch: Kit = (spot) => {
  const fields = fieldsOf(spot);
  const { scalar, open, object } = fields;
  const { operations, side } = patches(spot);
  return fc.tuple(operations, operations).map(([down, up]): Piece => {
    const flows = (list: readonly Operation[]) =>
      [scalar, open, fields.list, object].map((to) => patched(to, fields.list, list));
    const adds = (list: readonly Operation[]) =>
      list.filter(({ op }) => op !== 'remove').map(({ path }) => declared(path, fields.list));
    return {
      strategy: 'JSONPatch',
      rule: { ...LOSSY_RULE, strategy: 'JSONPatch', jsonPatch: { hubToSpoke: written(down), spokeToHub: written(up) } },
      hub: side,
      spoke: side,
      lossless: false,
      returns: NEVER_RETURNS,
      flows: { hubToSpoke: flows(down), spokeToHub: flows(up) } satisfies Record<Direction, readonly Flow[]>,
      injects: { hubToSpoke: adds(down), spokeToHub: adds(up) },
    };
  });
};

/** Operations shift the elements of a list, so a list is one source. */
function declared(path: Path, list: Path): Path {
  return startsWith(path, list) ? list : path;
}

function related(a: Path, b: Path): boolean {
  return startsWith(a, b) || startsWith(b, a);
}

/** A leaf of a patched field comes from the field itself, or from where the operations moved or copied from. */
function patched(to: Path, list: Path, operations: readonly Operation[]): Flow {
  return {
    to,
    traced(suffix, _value, input) {
      const sources = [declared([...to, ...suffix], list)];
      for (const { path, from } of [...operations].reverse()) {
        if (!sources.some((source) => related(declared(path, list), source))) continue;
        sources.push(declared(path, list), ...(from === undefined ? [] : [declared(from, list)]));
      }
      return sources.some((source) => valueAt(input, source) !== undefined);
    },
  };
}
