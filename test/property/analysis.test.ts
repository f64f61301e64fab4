import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyse, type ConversionSource } from '../../lib/engine/analyse.ts';
import { compile } from '../../lib/engine/compile.ts';
import { ConversionError } from '../../lib/engine/conversion-error.ts';
import { type Diagnostic, hasErrors } from '../../lib/engine/diagnostic.ts';
import {
  getOwn,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableObject,
  setOwn,
} from '../../lib/engine/json.ts';
import type { Path } from '../../lib/engine/path.ts';
import type { Router } from '../../lib/engine/route.ts';
import { createRun } from '../../lib/engine/run.ts';
import { strategies } from '../../lib/engine/strategies/index.ts';
import { bytesOf, canonical, deepFreeze } from './support/inspect.ts';
import { json, keys, map, OPEN_MAP } from './support/json-arbitraries.ts';
import { KITS, NAMES } from './support/kits.ts';
import type { Kit } from './support/piece.ts';
import { objectsOf, RUNS, scenarios } from './support/scenario.ts';

/**
 * Analysis must answer, with findings that can be shown; what it accepts must compile, and a plan must answer any object
 * with JSON or a ConversionError.
 */
async function answers(source: ConversionSource, objects: readonly JsonObject[]): Promise<void> {
  const analysis = await analyse(source);
  expect(analysis.ok).toBe(!hasErrors(analysis.diagnostics));
  expect(analysis.diagnostics.filter((diagnostic) => !isShowable(diagnostic))).toEqual([]);
  if (!analysis.ok) {
    expect(() => compile(analysis)).toThrow('cannot be compiled');
    return;
  }
  const router = compile(analysis);
  for (const from of router.versions) {
    for (const to of router.versions) {
      if (from === to) continue;
      for (const [index, object] of objects.entries()) answersWith(router, object, from, to, index % 2 === 0);
    }
  }
}

function isShowable({ code, severity, message }: Diagnostic): boolean {
  return /^[A-Z][A-Z0-9_]+$/.test(code) && (severity === 'error' || severity === 'warning') && message !== '';
}

function answersWith(router: Router, object: JsonObject, from: string, to: string, review: boolean): void {
  let output: JsonObject;
  try {
    output = router.convert(object, from, to, createRun(review ? 'review' : 'offline'));
  } catch (error) {
    if (error instanceof ConversionError && error.message !== '') return;
    throw error;
  }
  // Throws for what is no JSON.
  bytesOf(output);
  if (!isObject(output['metadata'])) throw new Error('the output has no metadata');
}

function shown(source: ConversionSource): ConversionSource {
  return Object.defineProperty(source, fc.toStringMethod, { value: () => bytesOf(source as unknown as Json) });
}

describe('any JSON at all', () => {
  const word = fc.constantFrom<Json>(
    'object',
    'array',
    'string',
    'integer',
    'number',
    'boolean',
    'spec',
    'spec.a',
    '',
    'a.b',
    '__proto__',
  );
  const node: fc.Arbitrary<Json> = fc.letrec<{ node: Json }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      { arbitrary: fc.constantFrom<Json>(OPEN_MAP, { type: 'string' }, { type: 'object' }, {}), weight: 3 },
      { arbitrary: json, weight: 1 },
      {
        arbitrary: fc
          .record(
            {
              type: word,
              properties: fc.oneof(
                json,
                fc.dictionary(fc.constantFrom('spec', 'a', 'b', '', 'constructor'), tie('node')),
              ),
              items: tie('node'),
              additionalProperties: tie('node'),
              oneOf: json,
              $ref: json,
              maxItems: json,
              enum: json,
              required: json,
              'x-kubernetes-preserve-unknown-fields': json,
            },
            { requiredKeys: [] },
          )
          .map((found): Json => ({ ...found }) as JsonObject),
        weight: 3,
      },
    ),
  })).node;
  const root = node.map((spec): JsonObject => ({ type: 'object', properties: { spec } }));
  const schemas: fc.Arbitrary<JsonObject> = fc.oneof({ arbitrary: root, weight: 3 }, { arbitrary: map, weight: 1 });

  /** The right block with the right keys, and anything as their values. */
  const rule: fc.Arbitrary<Json> = fc.constantFrom(...strategies).chain(({ name, block, params }) => {
    const shape = Object.keys((params as unknown as { def: { shape: object } }).def.shape);
    const value = fc.oneof(word, json, fc.array(word, { maxLength: 2 }));
    const block_ = fc.tuple(...shape.map((key) => value.map((chosen): [string, Json] => [key, chosen])));
    return fc.tuple(block_, fc.option(fc.tuple(keys, json))).map(
      ([entries, extra]): Json => ({
        strategy: name,
        acknowledgeLossy: true,
        [block]: Object.fromEntries(entries),
        ...(extra === null ? {} : { [extra[0]]: extra[1] }),
      }),
    );
  });
  const rules = fc.array(fc.oneof({ arbitrary: rule, weight: 3 }, { arbitrary: json, weight: 1 }), { maxLength: 3 });
  const names = fc.constantFrom('v1', 'v2', 'v3', '', '__proto__');
  const sources: fc.Arbitrary<ConversionSource> = fc
    .record({
      hubVersion: names,
      versions: fc.array(
        fc.record(
          { name: names, served: fc.boolean(), storage: fc.boolean(), schema: schemas },
          { requiredKeys: ['name', 'served', 'storage'] },
        ),
        { maxLength: 3 },
      ),
      spokes: fc.array(fc.record({ version: names, rules }), { maxLength: 2 }),
      unmappedFieldPolicy: fc.constantFrom('Error', 'Warn'),
    })
    .map((source) => shown(source));

  test('as versions, schemas and rules', async () => {
    await fc.assert(
      fc.asyncProperty(sources, fc.array(map, { maxLength: 2 }), async (source, objects) => {
        await answers(source, objects.map(deepFreeze));
      }),
      RUNS,
    );
  });

  test('as the rules of a target that is well declared', async () => {
    const declared: JsonObject = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: OPEN_MAP, b: { type: 'string' } } } },
    };
    const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema: declared }));
    await fc.assert(
      fc.asyncProperty(rules, json, async (given, value) => {
        const source = { hubVersion: 'v1', versions, spokes: [{ version: 'v2', rules: given }] };
        await answers(source, [{ spec: value }, { metadata: value, spec: { a: value, b: value } }].map(deepFreeze));
      }),
      RUNS,
    );
  });
});

describe('a good config with something wrong in it', () => {
  /** Replaces, removes or doubles one value somewhere in a JSON value. */
  function mutated(value: Json, [at, how, other]: readonly [number, string, Json]): Json {
    const places = placesIn(value);
    const place = places[at % places.length] as Path;
    return edit(value, place, how, other);
  }

  function placesIn(value: Json, path: Path = []): Path[] {
    if (typeof value !== 'object' || value === null) return [path];
    const children = Object.entries(value as JsonObject).flatMap(([key, child]) => placesIn(child, [...path, key]));
    return path.length === 0 && children.length > 0 ? children : [path, ...children];
  }

  function edit(value: Json, [key, ...rest]: Path, how: string, other: Json): Json {
    if (key === undefined) return other;
    if (isArray(value)) {
      const index = Number(key);
      if (rest.length > 0 || how === 'replace')
        return value.map((item, at) => (at === index ? edit(item, rest, how, other) : item));
      return how === 'remove' ? value.filter((_item, at) => at !== index) : [...value, value[index] as Json];
    }
    const copy: MutableObject = {};
    for (const [name, child] of Object.entries(value as JsonObject)) {
      if (name !== key) setOwn(copy, name, child);
      else if (rest.length > 0 || how === 'replace') setOwn(copy, name, edit(child, rest, how, other));
      else if (how === 'double') setOwn(copy, `${name}2`, child);
    }
    return copy;
  }

  const mutation = fc.tuple(
    fc.nat({ max: 500 }),
    fc.constantFrom('replace', 'replace', 'remove', 'double'),
    fc.oneof(
      json,
      fc.constantFrom<Json>(
        'spec',
        'spec.a1',
        'metadata.name',
        'object',
        'array',
        'Drop',
        '/spec/a',
        '{{.a',
        '(?P<a',
        'object.spec',
      ),
    ),
  );

  test.each(NAMES)('%s', async (name) => {
    const cases = scenarios([KITS[name] as Kit]).chain((scenario) =>
      fc.tuple(
        fc.array(mutation, { maxLength: 2 }).map((mutations) => {
          const { hubVersion, versions, spokes } = scenario.source as unknown as Record<string, Json>;
          const changed = mutations.reduce((value, one) => mutated(value, one), {
            rules: spokes,
            versions,
          } as Json) as JsonObject;
          return shown(repaired(hubVersion as string, changed));
        }),
        fc
          .tuple(objectsOf(scenario, 'v1'), objectsOf(scenario, 'v2'), mutation)
          .map(([hub, spoke, one]) => [hub, mutated(hub, one), mutated(spoke, one), spoke].filter(isObject)),
      ),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([source, objects]) => {
        await answers(source, objects.map(deepFreeze));
      }),
      RUNS,
    );
  });

  function nameOf(entry: JsonObject, key: string): string {
    const name = getOwn(entry, key);
    return typeof name === 'string' ? name : '';
  }

  /** The envelope is typed: what the parsers of CRDs and configs hand on always has it. */
  function repaired(hubVersion: string, changed: JsonObject): ConversionSource {
    const list = (key: string) => {
      const value = getOwn(changed, key);
      return isArray(value) ? value.filter(isObject) : [];
    };
    return {
      hubVersion,
      versions: list('versions').map((version) => {
        const schema = getOwn(version, 'schema');
        const named = {
          name: nameOf(version, 'name'),
          served: version['served'] === true,
          storage: version['storage'] === true,
        };
        return isObject(schema) ? { ...named, schema } : named;
      }),
      spokes: list('rules').map((spoke) => {
        const rules = getOwn(spoke, 'rules');
        return { version: nameOf(spoke, 'version'), rules: isArray(rules) ? rules : [] };
      }),
    };
  }
});

test('analysis finds the same, in the same order, whatever ran before', async () => {
  const any: Kit = (spot) => fc.constantFrom(...Object.values(KITS)).chain((kit) => kit(spot));
  await fc.assert(
    fc.asyncProperty(scenarios([any, any], { spokes: 2 }), async ({ source }) => {
      const found = async () => canonical((await analyse(source)).diagnostics as unknown as Json);
      expect(await found()).toBe(await found());
    }),
    RUNS,
  );
});
