import * as fc from 'fast-check';
import { isArray, isObject, type Json, type JsonObject, type MutableObject } from '../../../lib/engine/json.ts';
import type { Path } from '../../../lib/engine/path.ts';
import type { Direction, Side } from '../../../lib/engine/strategy.ts';
import { put, same, startsWith, valueAt } from './inspect.ts';
import { type Entry, entryAt, hostileKeys, json, orNull } from './json-arbitraries.ts';
import { type Flow, field, type Kit, LOSSY_RULE, NO_INJECTION, type Piece, text } from './piece.ts';
import { schemaOf } from './schema-of.ts';

/** A list whose elements one or two of the given kits convert; each element may hold undeclared fields too. */
export function forEachOf(kits: readonly Kit[]): Kit {
  return (spot) => {
    const nested = (index: number) => fc.constantFrom(...kits).chain((kit) => kit({ base: [], id: `${index}` }));
    return fc
      .tuple(fc.oneof(fc.tuple(nested(1)), fc.tuple(nested(1), nested(2))), fc.boolean())
      .map(([pieces, sameList]): Piece => {
        const hub = field(spot, 'l');
        const spoke = sameList ? hub : field(spot, 'k');
        const lossless = pieces.every((piece) => piece.lossless);
        const side = (name: Side, path: Path): Piece['hub'] => ({
          declares: [[path, { type: 'array', items: schemaOf(pieces.flatMap((piece) => piece[name].declares)) }]],
          values: entryAt(path, orNull(fc.array(elementOf(pieces, name), { maxLength: 2 }))),
        });
        const returns = (name: Side) => pieces.every((piece) => piece.returns[name]);
        return {
          strategy: 'ForEach',
          rule: {
            ...(lossless ? {} : LOSSY_RULE),
            strategy: 'ForEach',
            forEach: { hubItemsPath: text(hub), spokeItemsPath: text(spoke), rules: pieces.map((piece) => piece.rule) },
          },
          hub: side('hub', hub),
          spoke: side('spoke', spoke),
          lossless,
          returns: { hub: returns('hub'), spoke: returns('spoke') },
          flows: {
            hubToSpoke: [eachElement(pieces, 'hubToSpoke', hub, spoke)],
            spokeToHub: [eachElement(pieces, 'spokeToHub', spoke, hub)],
          },
          injects: NO_INJECTION,
        };
      });
  };
}

function elementOf(pieces: readonly Piece[], side: Side): fc.Arbitrary<JsonObject> {
  const undeclared = fc.array(fc.tuple(hostileKeys, json), { maxLength: 1 });
  return fc.tuple(undeclared, ...pieces.map((piece) => piece[side].values)).map(([extra, ...entries]) => {
    const element: MutableObject = {};
    for (const [path, value] of entries.flat() as Entry[]) put(element, path, value);
    for (const [key, value] of extra) put(element, [key], value);
    return element;
  });
}

function eachElement(pieces: readonly Piece[], direction: Direction, from: Path, to: Path): Flow {
  return {
    to,
    traced([index, ...rest], value, input, whole) {
      const list = valueAt(input, from);
      if (index === undefined) return same(list, value);
      const element = isArray(list) ? list[Number(index)] : undefined;
      // An element stays even when a rule took its last field away.
      return isObject(element) && (rest.length === 0 || isTraced(pieces, direction, rest, value, element, whole));
    },
  };
}

/** Whether a leaf of the output has a source: at the same path, or where a rule says. */
export function isTraced(
  pieces: readonly Piece[],
  direction: Direction,
  path: Path,
  value: Json,
  input: JsonObject,
  whole: boolean,
): boolean {
  if (same(valueAt(input, path), value)) return true;
  return pieces.some((piece) => {
    if (whole && piece.injects[direction].some((injected) => startsWith(path, injected))) return true;
    return piece.flows[direction].some(
      ({ to, traced }) => startsWith(path, to) && traced(path.slice(to.length), value, input, whole),
    );
  });
}
