import * as fc from 'fast-check';
import { type Analysis, analyse, type ConversionSource } from '../../../lib/engine/analyse.ts';
import { compile } from '../../../lib/engine/compile.ts';
import type { Json, JsonObject, MutableObject } from '../../../lib/engine/json.ts';
import type { Path } from '../../../lib/engine/path.ts';
import type { Router } from '../../../lib/engine/route.ts';
import type { Side } from '../../../lib/engine/strategy.ts';
import { bytesOf, put, startsWith, valueAt } from './inspect.ts';
import { anyTyped, type Entry, hostileKeys, json, orNull, type Typed } from './json-arbitraries.ts';
import type { Declaration, Kit, Piece } from './piece.ts';
import { schemaOf } from './schema-of.ts';

export const RUNS = { numRuns: 1000 };
export const BOTH_WAYS = [
  ['v1', 'v2'],
  ['v2', 'v1'],
] as const;
export const OVER_THE_HUB = [
  ['v2', 'v3'],
  ['v3', 'v2'],
] as const;

/** A config with generated rules, and what is needed to make objects for it. */
export interface Scenario {
  readonly source: ConversionSource;
  readonly pieces: readonly Piece[];
  /** The spoke that each piece's rule belongs to, by index. */
  readonly owners: readonly string[];
  readonly places: readonly Path[];
  readonly identity: readonly { readonly path: Path; readonly typed: Typed }[];
}

interface Options {
  /** How many spokes the rules are spread over; 1 when absent. */
  readonly spokes?: 1 | 2;
  /** Some of the rules apply only when the field `mode` is "on". */
  readonly when?: boolean;
}

const MODE: Typed = { node: { type: 'string' }, values: fc.constantFrom('on', 'on', 'off') };
const WHEN = { when: { path: 'mode', equals: 'on' } };

/** Declared parents: some rules work there, the others are for undeclared and identical fields. */
const PLACES: readonly Path[] = [['spec'], ['spec'], ['spec', 'deep'], ['status'], []];
const META: readonly Declaration[] = [
  [['apiVersion'], { type: 'string' }],
  [['kind'], { type: 'string' }],
  [['metadata'], { type: 'object' }],
];

/** Rules from the given generators, one after another, spread over one spoke or two. */
export function scenarios(kits: readonly Kit[], options: Options = {}): fc.Arbitrary<Scenario> {
  const places = kits.map(() => fc.constantFrom(...PLACES));
  return fc.tuple(...places).chain((bases) =>
    fc
      .record({
        pieces: fc.tuple(...kits.map((kit, index) => kit({ base: bases[index] as Path, id: `${index + 1}` }))),
        identity: fc.array(fc.tuple(fc.constantFrom(...PLACES), anyTyped), { maxLength: 2 }),
        owners: fc.tuple(...kits.map(() => (options.spokes === 2 ? fc.constantFrom('v2', 'v3') : fc.constant('v2')))),
        when: fc.tuple(...kits.map(() => (options.when ? fc.boolean() : fc.constant(false)))),
      })
      .map(({ pieces: unconditional, identity, owners, when }): Scenario => {
        const pieces = unconditional.map((piece, index) =>
          when[index] ? { ...piece, rule: { ...piece.rule, ...WHEN } } : piece,
        );
        const same = identity.map(([base, typed], index) => ({ path: [...base, `same${index}`], typed }));
        if (when.includes(true)) same.push({ path: ['mode'], typed: MODE });
        const source = sourceOf(pieces, owners, same, options.spokes ?? 1);
        return {
          source,
          pieces,
          owners,
          places: [...new Set([...bases, ...identity.map(([base]) => base)])],
          identity: same,
        };
      }),
  );
}

function sourceOf(
  pieces: readonly Piece[],
  owners: readonly string[],
  identity: Scenario['identity'],
  spokes: 1 | 2,
): ConversionSource {
  const names = spokes === 2 ? ['v2', 'v3'] : ['v2'];
  const common = [...META, ...identity.map(({ path, typed }): Declaration => [path, typed.node])];
  const schema = (version: string) =>
    schemaOf([...common, ...pieces.flatMap((piece, index) => piece[sideOf(owners[index], version)].declares)]);
  return {
    hubVersion: 'v1',
    versions: ['v1', ...names].map((name) => ({ name, served: true, storage: name === 'v1', schema: schema(name) })),
    spokes: names.map((version) => ({
      version,
      rules: pieces.filter((_piece, index) => owners[index] === version).map((piece) => piece.rule),
    })),
  };
}

function sideOf(owner: string | undefined, version: string): Side {
  return owner === version ? 'spoke' : 'hub';
}

/** Schema-valid objects of one version, in the domain of every rule; undeclared fields at every level. */
export function objectsOf(scenario: Scenario, version: string): fc.Arbitrary<JsonObject> {
  const { pieces, owners, identity, places } = scenario;
  const sides = pieces.map((piece, index) => piece[sideOf(owners[index], version)]);
  return fc
    .record({
      values: fc.tuple(...sides.map((side) => side.values)),
      identical: fc.tuple(...identity.map(({ typed }) => fc.option(orNull(typed.values), { nil: undefined }))),
      extras: fc.array(fc.tuple(fc.constantFrom<Path>([], ...places), hostileKeys, json), { maxLength: 2 }),
      metadata: fc.constantFrom<JsonObject>(
        {},
        { namespace: 'ns' },
        { labels: { team: 'a' } },
        { annotations: { valueOf: 'x' } },
      ),
      empties: fc.array(
        fc.tuple(fc.constantFrom(['spec'], ['spec', 'deep'], ['status']), fc.constantFrom<Json>({}, null)),
        { maxLength: 2 },
      ),
    })
    .map(({ values, identical, extras, metadata, empties }) => {
      const object: MutableObject = {
        apiVersion: 'example.org/v1',
        kind: 'Widget',
        metadata: { ...metadata, name: 'w', uid: 'u-1' },
      };
      for (const [path, value] of values.flat() as Entry[]) put(object, path, value);
      for (const [index, { path }] of identity.entries()) {
        const value = identical[index];
        if (value !== undefined) put(object, path, value);
      }
      for (const [base, key, value] of extras) put(object, [...base, key], value);
      for (const [path, value] of empties) if (mayBeEmpty(scenario, object, path, values)) put(object, path, value);
      return object;
    });
}

/**
 * An empty parent stays empty only if no rule writes into it: a parent that became empty because its last field was
 * moved is removed, and nobody can tell it from one that came in empty.
 */
function mayBeEmpty(
  { pieces }: Scenario,
  object: JsonObject,
  path: Path,
  values: readonly (readonly Entry[])[],
): boolean {
  if (valueAt(object, path) !== undefined || valueAt(object, path.slice(0, -1)) === null) return false;
  return pieces.every((piece, index) => {
    const declares = [...piece.hub.declares, ...piece.spoke.declares];
    const inside = declares.some(([declared]) => startsWith(declared, path));
    const injects = [...piece.injects.hubToSpoke, ...piece.injects.spokeToHub];
    return !inside || (injects.length === 0 && values[index]?.length === 0);
  });
}

export interface Compiled {
  readonly analysis: Analysis;
  readonly router: Router;
}

/** Analyses and compiles; an error in a generated config is a fault of the generator, or of the analysis. */
export async function build(source: ConversionSource): Promise<Compiled> {
  const analysis = await analyse(source);
  if (!analysis.ok) {
    const errors = analysis.diagnostics.filter(({ severity }) => severity === 'error');
    throw new Error(`the config has errors: ${errors.map(({ code, message }) => `${code} ${message}`).join('; ')}`);
  }
  return { analysis, router: compile(analysis) };
}

/** A scenario with an object for it, as fast-check prints it. */
export interface Example {
  readonly scenario: Scenario;
  readonly object: JsonObject;
  readonly from: string;
  readonly to: string;
}

export function examples(
  scenario: fc.Arbitrary<Scenario>,
  routes: readonly (readonly [string, string])[],
): fc.Arbitrary<Example> {
  return scenario
    .chain((chosen) =>
      fc
        .constantFrom(...routes)
        .chain(([from, to]) =>
          objectsOf(chosen, from).map((object): Example => ({ scenario: chosen, object, from, to })),
        ),
    )
    .map(printable);
}

function printable(example: Example): Example {
  const { scenario, object, from, to } = example;
  const shown = () =>
    `${from} -> ${to}\nobject ${bytesOf(object)}\nsource ${bytesOf(scenario.source as unknown as Json)}`;
  return { ...example, [fc.toStringMethod]: shown } as Example;
}
