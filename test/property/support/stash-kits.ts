import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../lib/engine/json.ts';
import type { Path } from '../../../lib/engine/path.ts';
import { goBytesOf } from './inspect.ts';
import { entryAt, HOSTILE_KEYS, json, map, OPEN_MAP, orNull, strings, TYPED } from './json-arbitraries.ts';
import { derived, field, type Kit, LOSSY_RULE, NO_INJECTION, type Piece, RETURNS, text } from './piece.ts';

interface StashValues {
  readonly serialization: 'JSON' | 'String';
  readonly node: JsonObject;
  readonly values: fc.Arbitrary<Json>;
  /** What may be in the metadata of an object that never had the field. */
  readonly stashed: fc.Arbitrary<Json>;
}

const STRUCTURED: JsonObject = { type: 'object', properties: { x: { type: 'string' }, y: OPEN_MAP } };
const LABEL_VALUES = ['', 'a', '5', 'true', 'null', 'web-1', 'a.b_c', 'x'.repeat(63)];

/** Text that is no JSON stays where it is (D2); any other must be as Go prints it, keys in the order of their bytes. */
const jsonTexts = fc.oneof(
  { arbitrary: json.map(goText), weight: 3 },
  { arbitrary: fc.constantFrom<Json>('', '{"a":', 'plain text', 'nul'), weight: 1 },
  { arbitrary: fc.constant<Json>('{"\uffee":1,"🙂":{"10":1,"9":2}}'), weight: 1 },
);

/** Keys sorted, and `<`, `>`, `&`, U+2028 and U+2029 escaped. */
function goText(value: Json): string {
  return goBytesOf(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const ANNOTATIONS: readonly StashValues[] = [
  { serialization: 'JSON', node: OPEN_MAP, values: orNull(map), stashed: jsonTexts },
  { serialization: 'JSON', node: STRUCTURED, values: orNull(map), stashed: jsonTexts },
  { serialization: 'JSON', ...TYPED.number, stashed: jsonTexts },
  { serialization: 'JSON', node: { type: 'string' }, values: json, stashed: jsonTexts },
  { serialization: 'String', ...TYPED.string, stashed: strings },
];
const labelTexts: fc.Arbitrary<Json> = fc.constantFrom(...LABEL_VALUES);
const LABELS: readonly StashValues[] = [
  { serialization: 'String', node: { type: 'string', maxLength: 63 }, values: labelTexts, stashed: labelTexts },
  {
    serialization: 'JSON',
    node: { 'x-kubernetes-int-or-string': true },
    values: fc.constantFrom<Json>(null, true, 0, 5, 18446744073709551615n, 0.5),
    stashed: labelTexts,
  },
];

const ANNOTATION_KEYS = ['example.org/stash', ...HOSTILE_KEYS.filter((key) => key !== '')];
const LABEL_KEYS = ['example.org/stash', 'constructor', 'prototype', '0', '10', 'a.b'];

const KINDS = {
  ToAnnotation: {
    block: 'toAnnotation',
    owner: 'hub',
    store: 'annotations',
    path: 'hubPath',
    flag: 'restoreOnReverse',
  },
  ToLabel: { block: 'toLabel', owner: 'hub', store: 'labels', path: 'hubPath', flag: 'restoreOnReverse' },
  FromAnnotation: {
    block: 'fromAnnotation',
    owner: 'spoke',
    store: 'annotations',
    path: 'spokePath',
    flag: 'stashOnReverse',
  },
  FromLabel: { block: 'fromLabel', owner: 'spoke', store: 'labels', path: 'spokePath', flag: 'stashOnReverse' },
} as const;

/** A field of one side, kept in the metadata of the other. Two stashes of one object have keys of their own. */
function stashing(strategy: keyof typeof KINDS): Kit {
  const { block, owner, store, path, flag } = KINDS[strategy];
  const sources = (store === 'labels' ? LABELS : ANNOTATIONS).filter(
    ({ serialization }) => strategy !== 'FromLabel' || serialization === 'String',
  );
  return (spot) =>
    fc
      .record({
        source: fc.constantFrom(...sources),
        key: fc.constantFrom(...(store === 'labels' ? LABEL_KEYS : ANNOTATION_KEYS)),
        kept: fc.oneof({ arbitrary: fc.constant(true), weight: 3 }, { arbitrary: fc.constant(false), weight: 1 }),
      })
      .map(({ source, key, kept }): Piece => {
        const at = field(spot, 's');
        const stash: Path = ['metadata', store, spot.id === '1' ? key : `${key}${spot.id}`];
        const hubOwns = owner === 'hub';
        const owning: Piece['hub'] = { declares: [[at, source.node]], values: entryAt(at, source.values) };
        const other: Piece['hub'] = { declares: [], values: entryAt(stash, source.stashed) };
        const forth = [derived(at, stash)];
        const back = [derived(stash, at)];
        // FromX restores on the way to the spoke whatever `stashOnReverse` says; ToX only with its flag.
        const restores = !hubOwns || kept;
        const stashes = hubOwns || kept;
        return {
          strategy,
          rule: {
            ...(kept ? {} : LOSSY_RULE),
            strategy,
            [block]: { [path]: text(at), key: stash[2] as string, serialization: source.serialization, [flag]: kept },
          },
          hub: hubOwns ? owning : other,
          spoke: hubOwns ? other : owning,
          lossless: kept,
          returns: kept ? RETURNS : { hub: false, spoke: false },
          flows: {
            hubToSpoke: hubOwns ? forth : restores ? back : [],
            spokeToHub: hubOwns ? (restores ? back : []) : stashes ? forth : [],
          },
          injects: NO_INJECTION,
        };
      });
}

export const toAnnotation = stashing('ToAnnotation');
export const toLabel = stashing('ToLabel');
export const fromAnnotation = stashing('FromAnnotation');
export const fromLabel = stashing('FromLabel');
