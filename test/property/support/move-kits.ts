import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../lib/engine/json.ts';
import type { Path } from '../../../lib/engine/path.ts';
import { anyTyped, type Entry, entryAt, json, keys, map, OPEN_MAP, objectOf, orNull } from './json-arbitraries.ts';
import { bothWays, field, type Kit, moved, NO_INJECTION, type Piece, RETURNS, type Spot, text } from './piece.ts';

/** Beside its old place, below the same path, or from one parent into another. */
function renamePaths(spot: Spot, layout: 'sibling' | 'same' | 'parents'): { hub: Path; spoke: Path } {
  if (layout === 'same') return { hub: field(spot, 'f'), spoke: field(spot, 'f') };
  if (layout === 'sibling') return { hub: field(spot, 'f'), spoke: field(spot, 'g') };
  return { hub: [...field(spot, 'p'), 'x'], spoke: [...field(spot, 'q'), 'y'] };
}

/** A parent that only one side has: it may be empty, null, or hold something that no schema knows. */
function withParent(path: Path, values: fc.Arbitrary<readonly Entry[]>): fc.Arbitrary<readonly Entry[]> {
  const parent = path.slice(0, -1);
  const filler = fc.option(
    fc.oneof(
      fc.constantFrom<Json>({}, null),
      json.map((value): Json => ({ undeclared: value })),
    ),
  );
  return fc.tuple(values, filler).map(([entries, other]): readonly Entry[] => {
    if (other === null) return entries;
    if (entries.length === 0) return [[parent, other]];
    const undeclared = (other as JsonObject)?.['undeclared'];
    return undeclared === undefined ? entries : [...entries, [[...parent, 'undeclared'], undeclared]];
  });
}

export const fieldRename: Kit = (spot) =>
  fc.tuple(anyTyped, fc.constantFrom('sibling', 'same', 'parents')).map(([{ node, values }, layout]): Piece => {
    const { hub, spoke } = renamePaths(spot, layout);
    const side = (path: Path) => {
      const entries = entryAt(path, orNull(values));
      return { declares: [[path, node]] as const, values: layout === 'parents' ? withParent(path, entries) : entries };
    };
    return {
      strategy: 'FieldRename',
      rule: { strategy: 'FieldRename', fieldRename: { hubPath: text(hub), spokePath: text(spoke) } },
      hub: side(hub),
      spoke: side(spoke),
      lossless: true,
      returns: RETURNS,
      flows: bothWays(moved, hub, spoke),
      injects: NO_INJECTION,
    };
  });

/** Both directions of "a value, and an object that holds it under one key". */
function wrapping(strategy: 'ScalarToObject' | 'ObjectToScalar'): Kit {
  const [block, wide, narrow] =
    strategy === 'ScalarToObject'
      ? (['scalarToObject', 'spoke', 'hub'] as const)
      : (['objectToScalar', 'hub', 'spoke'] as const);
  return (spot) =>
    fc
      .record({
        typed: anyTyped,
        key: keys,
        onWrongShape: fc.constantFrom('Ignore', 'Error'),
        defaults: fc.oneof({ arbitrary: fc.constant({}), weight: 3 }, { arbitrary: map, weight: 1 }),
      })
      .map(({ typed, key, onWrongShape, defaults }): Piece => {
        const paths = { [narrow]: field(spot, 'v'), [wide]: field(spot, 'o') } as Record<'hub' | 'spoke', Path>;
        const object = { type: 'object', properties: objectOf([[key, typed.node]]) };
        const inner = [...paths[wide], key];
        const gains = Object.keys(defaults).filter((name) => name !== key);
        return {
          strategy,
          rule: {
            strategy,
            [block]: {
              hubPath: text(paths.hub),
              spokePath: text(paths.spoke),
              key,
              defaultsForOtherKeys: defaults,
              onWrongShape,
            },
          },
          ...({
            [narrow]: { declares: [[paths[narrow], typed.node]], values: entryAt(paths[narrow], orNull(typed.values)) },
            [wide]: { declares: [[paths[wide], object]], values: entryAt(inner, orNull(typed.values)) },
          } as unknown as Pick<Piece, 'hub' | 'spoke'>),
          lossless: true,
          returns: { ...RETURNS, [wide]: Object.keys(defaults).every((name) => name === key) },
          flows: {
            [wide === 'spoke' ? 'hubToSpoke' : 'spokeToHub']: [moved(paths[narrow], inner)],
            [wide === 'spoke' ? 'spokeToHub' : 'hubToSpoke']: [moved(inner, paths[narrow])],
          } as unknown as Piece['flows'],
          injects: {
            ...NO_INJECTION,
            [wide === 'spoke' ? 'hubToSpoke' : 'spokeToHub']: gains.map((name) => [...paths[wide], name]),
          },
        };
      });
}

export const scalarToObject = wrapping('ScalarToObject');
export const objectToScalar = wrapping('ObjectToScalar');

const ITEM: JsonObject = { type: 'object', properties: { x: { type: 'string' }, y: OPEN_MAP } };
const items = orNull(fc.tuple(map, fc.boolean()).map(([other, x]) => (x ? { ...other, x: 'here' } : other)));

function singleton(strategy: 'SingletonArrayToObject' | 'ObjectToSingletonArray'): Kit {
  const hubIsList = strategy === 'SingletonArrayToObject';
  return (spot) => {
    const list = field(spot, 'l');
    const object = field(spot, 'o');
    const listSide: Piece['hub'] = {
      declares: [[list, { type: 'array', maxItems: 1, items: ITEM }]],
      values: entryAt(
        list,
        items.map((item) => [item]),
      ),
    };
    const objectSide: Piece['hub'] = { declares: [[object, ITEM]], values: entryAt(object, items) };
    const [hub, spoke] = hubIsList ? [list, object] : [object, list];
    const first = [...list, '0'];
    return fc.constant<Piece>({
      strategy,
      rule: {
        strategy,
        [hubIsList ? 'singletonArrayToObject' : 'objectToSingletonArray']: {
          hubPath: text(hub),
          spokePath: text(spoke),
        },
      },
      hub: hubIsList ? listSide : objectSide,
      spoke: hubIsList ? objectSide : listSide,
      lossless: true,
      returns: RETURNS,
      flows: hubIsList ? bothWays(moved, first, object) : bothWays(moved, object, first),
      injects: NO_INJECTION,
    });
  };
}

export const singletonArrayToObject = singleton('SingletonArrayToObject');
export const objectToSingletonArray = singleton('ObjectToSingletonArray');
