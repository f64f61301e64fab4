import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../lib/configs/parse-config.ts';
import { readResource } from '../../lib/configs/resource.ts';
import { analyse } from '../../lib/engine/analyse.ts';
import { compile } from '../../lib/engine/compile.ts';
import { ConversionError } from '../../lib/engine/conversion-error.ts';
import type { JsonObject } from '../../lib/engine/json.ts';
import { createRun } from '../../lib/engine/run.ts';
import { parseJson, stringifyJson } from '../../lib/k8s/json.ts';
import { parseTarget } from '../../lib/k8s/target.ts';
import { sharedMaterial } from '../support/shared.ts';
import { firstDifference } from './vector.ts';

interface Fixture {
  readonly hub: string;
  readonly analysis: Record<
    string,
    { ok: boolean; lossless?: object; uncoveredHub?: string[]; uncoveredSpoke?: string[] }
  >;
  readonly conversions?: readonly {
    from: string;
    to: string;
    input: JsonObject;
    output?: JsonObject;
    back?: JsonObject;
    fails?: boolean;
  }[];
}

const { path: folder, missing } = sharedMaterial('peer-fixtures');
const expectedFile = join(folder, 'expected.json');
const fixtures = existsSync(expectedFile)
  ? Object.entries(parseJson(readFileSync(expectedFile, 'utf8')) as unknown as Record<string, Fixture>)
  : [];

// No decision of D1 to D20 changes a result here: every one equals the peer's.
describe.skipIf(missing !== undefined)(`the peer's own example sets${missing ? ` (${missing})` : ''}`, () => {
  test('are 23', () => {
    expect(fixtures).toHaveLength(23);
  });

  test.each(fixtures)('%s: analysis and conversions are the same', async (name, fixture) => {
    const analysis = await analyseSet(name);
    for (const [version, expected] of Object.entries(fixture.analysis)) {
      const spoke = analysis.spokes.find((candidate) => candidate.version === version);
      const errors = analysis.diagnostics.filter((found) => found.severity === 'error' && found.spoke === version);
      expect({ version, ok: errors.length === 0 }).toEqual({ version, ok: expected.ok });
      if (expected.lossless !== undefined) expect(spoke?.lossless).toEqual(expected.lossless);
      if (expected.uncoveredHub !== undefined)
        expect([...(spoke?.uncoveredHub ?? [])].sort()).toEqual(expected.uncoveredHub);
      if (expected.uncoveredSpoke !== undefined) {
        expect([...(spoke?.uncoveredSpoke ?? [])].sort()).toEqual(expected.uncoveredSpoke);
      }
    }
    expect(analysis.hubVersion).toBe(fixture.hub);
    if (!analysis.ok) return;
    const router = compile(analysis);
    for (const { from, to, input, output, back, fails } of fixture.conversions ?? []) {
      if (fails) {
        expect(() => router.convert(input, from, to, createRun('offline'))).toThrow(ConversionError);
        continue;
      }
      const converted = router.convert(input, from, to, createRun('offline'));
      expect(firstDifference(output, withoutApiVersion(converted), '')).toBeUndefined();
      if (back === undefined) continue;
      const returned = router.convert(converted, to, from, createRun('offline'));
      expect(firstDifference(back, withoutApiVersion(returned), '')).toBeUndefined();
    }
  });
});

async function analyseSet(name: string) {
  const [configText, schemaText] = ['config.yaml', 'schema.yaml'].map((file) =>
    readFileSync(join(folder, name, file), 'utf8'),
  ) as [string, string];
  const config = readResource(configText, 'config', stringifyJson);
  const schema = readResource(schemaText, 'schema', stringifyJson);
  if (config.value === undefined || schema.value === undefined) throw new Error(`${name} cannot be read`);
  const parsed = parseConfig(config.value);
  expect(parsed.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const { target } = parseTarget(schema.value.value);
  if (parsed.value === undefined || target === undefined) throw new Error(`${name} has errors`);
  return analyse({ ...parsed.value, versions: target.versions });
}

function withoutApiVersion({ apiVersion: _, ...rest }: JsonObject): JsonObject {
  return rest;
}
