import * as fc from 'fast-check';
import type { Path } from '../../../lib/engine/path.ts';
import { allOf, entryAt, FREE_FORM, json, map, orNull } from './json-arbitraries.ts';
import { derived, field, type Kit, LOSSY_RULE, NEVER_RETURNS, type Piece, text } from './piece.ts';

interface Names {
  /** The two source fields as expressions. */
  readonly a: string;
  readonly b: string;
  /** The two target fields as keys of the result. */
  readonly x: string;
  readonly y: string;
}

/** Expressions over fields that may be absent, with `has` and without. */
const EXPRESSIONS: readonly ((names: Names) => string)[] = [
  ({ a, x }) => `{"${x}": ${a}}`,
  ({ a, b, x, y }) => `{"${x}": ${a}, "${y}": ${b}}`,
  ({ a, x }) => `has(${a}) ? {"${x}": ${a}} : {}`,
  ({ a, b, x }) => `has(${a}) && has(${b}) ? {"${x}": [${a}, ${b}]} : {}`,
  ({ a, b, x }) => `{"${x}": has(${a}) ? ${a} : ${b}}`,
  ({ a, x, y }) => `{"${x}": ${a}, "${y}": "fixed"}`,
  ({ x, y }) => `{"${x}": {"k": [1, 2], "constructor": {}}, "${y}": ["a", {"b": null}]}`,
  ({ a, x }) => `{"${x}": has(${a}) ? dyn(${a}) : dyn("none")}`,
  ({ a, x }) => `{"${x}": {"k": {"__proto__": ${a}}, "n": 1}}`,
  ({ a, b, x }) => `{"${x}": [${a}, ${b}].map(v, [v])}`,
  ({ a, b, x }) => `${a} == ${b} ? {"${x}": true} : {"${x}": ${b}}`,
  ({ a, x }) => `{"${x}": string(${a} == null)}`,
  ({ a, x }) => `{"${x}": ${a}.map(k, k)[0]}`,
  ({ a, b, x, y }) => `{"${x}": object.metadata.labels["team"], "${y}": has(${a}) ? ${a} : ${b}}`,
];

export const cel: Kit = (spot) => {
  const hub = { a: field(spot, 'a'), b: field(spot, 'b') };
  const spoke = { a: field(spot, 'x'), b: field(spot, 'y') };
  const side = ({ a, b }: { a: Path; b: Path }): Piece['hub'] => ({
    declares: [
      [a, FREE_FORM],
      [b, { 'x-kubernetes-int-or-string': true }],
    ],
    values: allOf(entryAt(a, orNull(map)), entryAt(b, json)),
  });
  const write = (make: (names: Names) => string, from: { a: Path; b: Path }, to: { a: Path; b: Path }) =>
    make({ a: `object.${text(from.a)}`, b: `object.${text(from.b)}`, x: text(to.a), y: text(to.b) });
  const flows = (from: readonly Path[], to: readonly Path[]) =>
    to.flatMap((target) => from.map((source) => derived(source, target)));
  const expressions = fc.constantFrom(...EXPRESSIONS);
  return fc.tuple(expressions, expressions).map(
    ([down, up]): Piece => ({
      strategy: 'CEL',
      rule: {
        ...LOSSY_RULE,
        strategy: 'CEL',
        cel: {
          hubPaths: [text(hub.a), text(hub.b)],
          spokePaths: [text(spoke.a), text(spoke.b)],
          hubToSpoke: write(down, hub, spoke),
          spokeToHub: write(up, spoke, hub),
        },
      },
      hub: side(hub),
      spoke: side(spoke),
      lossless: false,
      returns: NEVER_RETURNS,
      flows: {
        hubToSpoke: flows([hub.a, hub.b], [spoke.a, spoke.b]),
        spokeToHub: flows([spoke.a, spoke.b], [hub.a, hub.b]),
      },
      injects: { hubToSpoke: [spoke.a, spoke.b], spokeToHub: [hub.a, hub.b] },
    }),
  );
};
