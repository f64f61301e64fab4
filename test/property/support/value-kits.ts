import * as fc from 'fast-check';
import { canonicalInteger, type Json } from '../../../lib/engine/json.ts';
import type { Path } from '../../../lib/engine/path.ts';
import { canonical } from './inspect.ts';
import {
  booleans,
  entryAt,
  int64s,
  integers,
  json,
  map,
  orNull,
  scalars,
  strings,
  TYPED,
  type Typed,
} from './json-arbitraries.ts';
import {
  bothWays,
  derived,
  field,
  type Kit,
  LOSSY_RULE,
  NO_INJECTION,
  type Piece,
  RETURNS,
  type Spot,
  text,
} from './piece.ts';

/** A rule from one field to one field that changes its value. */
function valuePiece(
  strategy: string,
  paths: { hub: Path; spoke: Path },
  rule: Piece['rule'],
  sides: { hub: Typed; spoke: Typed },
  lossless: boolean,
): Piece {
  return {
    strategy,
    rule: { ...(lossless ? {} : LOSSY_RULE), strategy, ...rule },
    hub: { declares: [[paths.hub, sides.hub.node]], values: entryAt(paths.hub, sides.hub.values) },
    spoke: { declares: [[paths.spoke, sides.spoke.node]], values: entryAt(paths.spoke, sides.spoke.values) },
    lossless,
    returns: RETURNS,
    flows: bothWays(derived, paths.hub, paths.spoke),
    injects: NO_INJECTION,
  };
}

function twoFields(spot: Spot): { hub: Path; spoke: Path; rule: { hubPath: string; spokePath: string } } {
  const [hub, spoke] = [field(spot, 'a'), field(spot, 'b')];
  return { hub, spoke, rule: { hubPath: text(hub), spokePath: text(spoke) } };
}

function oneField(spot: Spot): { hub: Path; spoke: Path } {
  return { hub: field(spot, 'c'), spoke: field(spot, 'c') };
}

const POLICIES = ['Error', 'Error', 'Drop'] as const;

/** Objects and lists may be enum values too. */
export const enumRemap: Kit = (spot) => {
  const values = fc.oneof(
    { arbitrary: scalars, weight: 4 },
    { arbitrary: json, weight: 1 },
    { arbitrary: map, weight: 1 },
  );
  const distinct = fc.uniqueArray(values, { minLength: 3, maxLength: 3, selector: canonical });
  return fc.tuple(distinct, distinct, fc.constantFrom(...POLICIES)).map(([hub, spoke, policy]) => {
    // An unlisted null is carried as it is (D17), so it must not be what another value becomes; `Drop` comes first.
    const nulls = policy === 'Drop' || [...hub, ...spoke].includes(null) ? [] : [null];
    const mapping = hub.map((value, index) => ({ hub: value, spoke: spoke[index] as Json }));
    const node = { 'x-kubernetes-int-or-string': true };
    const side = (listed: readonly Json[]): Typed => ({ node, values: fc.constantFrom(...listed, ...nulls) });
    const paths = oneField(spot);
    const policies = { onUnmappedHubValue: policy, onUnmappedSpokeValue: policy };
    const rule = { enumRemap: { path: text(paths.hub), mapping, ...policies } };
    return valuePiece('EnumRemap', paths, rule, { hub: side(hub), spoke: side(spoke) }, policy === 'Error');
  });
};

/** Decimals whose text is the same in every language: no exponent, nothing to cut. */
const plainDecimals = fc.constantFrom(0.5, -2.25, 3.125, 100.1);
const wholes = integers;
const plainNumbers = fc.oneof(wholes, plainDecimals);
const asText = (values: fc.Arbitrary<Json>): Typed => ({
  node: { type: 'string' },
  values: orNull(values.map(String)),
});
const asKind = (kind: 'string' | 'integer' | 'number' | 'boolean', values: fc.Arbitrary<Json>): Typed => {
  return { node: TYPED[kind].node, values: orNull(values) };
};

/** Each pair of kinds with the values that have one spelling in both. */
const COERCIONS: readonly (readonly [Typed, Typed])[] = [
  [asText(wholes), asKind('integer', wholes)],
  [asText(plainNumbers), asKind('number', plainNumbers)],
  [asText(booleans), asKind('boolean', booleans)],
  [asKind('integer', wholes), asKind('number', wholes)],
  [asKind('string', strings), asKind('string', strings)],
];

const FRACTIONS = ['Error', 'Error', 'Truncate', 'Round'] as const;

export const typeCoerce: Kit = (spot) =>
  fc
    .tuple(fc.constantFrom(...COERCIONS), fc.boolean(), fc.constantFrom(...FRACTIONS))
    .map(([[one, other], turned, policy]) => {
      const paths = oneField(spot);
      const sides = turned ? { hub: other, spoke: one } : { hub: one, spoke: other };
      const rule = { typeCoerce: { path: text(paths.hub), onFractionalInteger: policy } };
      const rounds = policy !== 'Error' && [one, other].some(({ node }) => node['type'] === 'integer');
      return valuePiece('TypeCoerce', paths, rule, sides, !rounds);
    });

const small = fc.integer({ min: -1_000_000, max: 1_000_000 });

/** Factors with spoke values whose products are exact, and within int64. */
const SCALES = [
  ...[1000, 1024, 60, -2].map((factor) => {
    const large = [9007199254740993n, -9007199254740993n, 4611686018427387n, 10000000000000n];
    const times = (value: number | bigint): Json => canonicalInteger(BigInt(value) * BigInt(factor));
    const within = large.filter((value) => BigInt.asIntN(64, value * BigInt(factor)) === value * BigInt(factor));
    const spokes: fc.Arbitrary<number | bigint> = fc.oneof(small, fc.constantFrom(...within.map(canonicalInteger)));
    return { factor, spokes, times };
  }),
  ...[0.5, 0.25].map((factor) => {
    const spokes: fc.Arbitrary<number | bigint> = small.map((value) => value * 4);
    return { factor, spokes, times: (value: number | bigint): Json => Number(value) * factor };
  }),
];

/** hub = spoke × factor, with products that are exact: beyond 2^53 as integers. */
export const numericScale: Kit = (spot) =>
  fc
    .tuple(fc.constantFrom(...SCALES), fc.constantFrom('number', 'integer'))
    .map(([{ factor, spokes, times }, kind]) => {
      const sides = {
        hub: { node: { type: kind }, values: orNull(spokes.map(times)) },
        spoke: { node: { type: kind }, values: orNull(spokes) },
      };
      const { hub, spoke, rule } = twoFields(spot);
      return valuePiece(
        'NumericScale',
        { hub, spoke },
        { numericScale: { ...rule, factor } },
        sides,
        kind === 'number',
      );
    });

const ITEM_VALUES: Readonly<Record<'string' | 'integer' | 'number' | 'boolean', readonly Json[]>> = {
  string: ['a', 'b c', 'é🙂', 'null', '5', '__proto__', 'x\ny'],
  integer: [0, 7, 300, 9007199254740993n, 18446744073709551615n],
  number: [0, 7, 2.5, 0.125],
  boolean: [false, true],
};

/** Item types with their values for each separator: no character of it is in an element. */
const SEPARATED = [',', ';', ', ', '--', '|', '🙂|'].flatMap((separator) =>
  Object.entries(ITEM_VALUES).map(([type, values]) => {
    const free = values.filter((value) => ![...separator].some((character) => String(value).includes(character)));
    return { separator, type, values: free };
  }),
);

/** Without a separator every character is an element. */
const CHARACTERS: typeof SEPARATED = [
  { separator: '', type: 'string', values: ['a', 'é', '🙂', ' '] },
  { separator: '', type: 'integer', values: [0, 7] },
];

/** A list of scalars, and its elements in one string; no element is empty. */
function separated(strategy: 'ListJoin' | 'ListSplit'): Kit {
  const block = strategy === 'ListJoin' ? 'listJoin' : 'listSplit';
  return (spot) =>
    fc.constantFrom(...SEPARATED, ...CHARACTERS).map(({ separator, type, values }) => {
      const lists = fc.array(fc.constantFrom(...values), { maxLength: 3 });
      const joins = lists.map((items) => items.map(String).join(separator));
      const list: Typed = { node: { type: 'array', items: { type } }, values: orNull(lists) };
      const joined: Typed = { node: { type: 'string' }, values: orNull(joins) };
      const { hub, spoke, rule } = twoFields(spot);
      const sides = strategy === 'ListJoin' ? { hub: list, spoke: joined } : { hub: joined, spoke: list };
      return valuePiece(strategy, { hub, spoke }, { [block]: { ...rule, separator } }, sides, true);
    });
}

export const listJoin = separated('ListJoin');
export const listSplit = separated('ListSplit');

/** Text of a unit on one side, its count on the other. */
function unit(strategy: 'Quantity' | 'Duration', pairs: fc.Arbitrary<readonly [string, number | bigint]>): Kit {
  return (spot) =>
    fc.boolean().map((hubIsText) => {
      const texts: Typed = { node: { type: 'string' }, values: orNull(pairs.map(([canonicalText]) => canonicalText)) };
      const counts: Typed = { node: { type: 'integer' }, values: orNull(pairs.map(([, count]) => count)) };
      const { hub, spoke, rule } = twoFields(spot);
      const sides = hubIsText ? { hub: texts, spoke: counts } : { hub: counts, spoke: texts };
      return valuePiece(strategy, { hub, spoke }, { [strategy.toLowerCase()]: rule }, sides, false);
    });
}

const SUFFIXES = ['m', '', 'k', 'M', 'G', 'T', 'P'];
const DECIMALS = SUFFIXES.map((_, power) => 1000n ** BigInt(power));

/** Canonical: the largest suffix that leaves no fraction. */
function quantityOf(milli: number | bigint): readonly [string, number | bigint] {
  const exact = BigInt(milli);
  if (exact === 0n) return ['0', 0];
  const power = DECIMALS.findLastIndex((size) => exact % size === 0n);
  return [`${exact / (DECIMALS[power] as bigint)}${SUFFIXES[power]}`, canonicalInteger(exact)];
}

function durationOf(seconds: number): readonly [string, number] {
  const size = Math.abs(seconds);
  const [h, m, s] = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60];
  const shown = h > 0 ? `${h}h${m}m${s}s` : m > 0 ? `${m}m${s}s` : `${s}s`;
  return [`${seconds < 0 ? '-' : ''}${shown}`, seconds];
}

const milliUnits = fc.oneof(
  int64s,
  fc.integer({ min: -5_000_000, max: 5_000_000 }),
  fc.constantFrom(500, 1500, 10n ** 18n, 2000000000000),
);
const seconds = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }),
  fc.constantFrom(0, 60, 3600, 9223372036, -9223372036),
);

export const quantity = unit('Quantity', milliUnits.map(quantityOf));
export const duration = unit('Duration', seconds.map(durationOf));
