import { type Analysis, analyse } from '../../lib/engine/analyse.ts';
import { compile } from '../../lib/engine/compile.ts';
import { ConversionError } from '../../lib/engine/conversion-error.ts';
import { isArray, isObject, type Json, type JsonObject, jsonEqual } from '../../lib/engine/json.ts';
import { createRun } from '../../lib/engine/run.ts';

/** One line of a vector file: a config for one spoke, what analysis says of it, and conversions with their results. */
export interface Vector {
  readonly id: string;
  readonly hub: JsonObject;
  readonly spoke: JsonObject;
  readonly rules: readonly Json[];
  readonly analysis: {
    readonly ok: boolean;
    readonly lossless?: { readonly hubToSpoke: boolean; readonly spokeToHub: boolean };
    readonly uncoveredHub?: readonly string[];
    readonly uncoveredSpoke?: readonly string[];
  };
  readonly conversions: readonly {
    readonly direction: 'hubToSpoke' | 'spokeToHub';
    readonly object: JsonObject;
    readonly output?: JsonObject;
    readonly fails?: true;
  }[];
}

export interface Check {
  readonly id: string;
  /** What differs, with the path; undefined when the check passes. */
  readonly difference: string | undefined;
}

/** Runs a vector: one check for its analysis, one for each conversion. */
export async function checkVector(vector: Vector): Promise<Check[]> {
  const analysis = await analyse({
    hubVersion: 'hub',
    versions: [
      { name: 'hub', served: true, storage: true, schema: vector.hub },
      { name: 'spoke', served: true, storage: false, schema: vector.spoke },
    ],
    spokes: [{ version: 'spoke', rules: vector.rules }],
  });
  const checks: Check[] = [{ id: `${vector.id} analysis`, difference: analysisDifference(vector, analysis) }];
  const router = analysis.ok ? compile(analysis) : undefined;
  for (const [index, { direction, object, output, fails }] of vector.conversions.entries()) {
    const id = `${vector.id} conversion ${index} (${direction})`;
    if (router === undefined) {
      checks.push({ id, difference: 'the config was refused' });
      continue;
    }
    const [from, to] = direction === 'hubToSpoke' ? ['hub', 'spoke'] : ['spoke', 'hub'];
    let difference: string | undefined;
    try {
      const converted = router.convert(object, from, to, createRun('offline'));
      difference = fails ? 'converted, but must fail' : firstDifference(output, converted, '');
    } catch (error) {
      const expected = fails && error instanceof ConversionError;
      difference = expected ? undefined : `failed: ${(error as Error).name}: ${(error as Error).message}`;
    }
    checks.push({ id, difference });
  }
  return checks;
}

function analysisDifference(vector: Vector, analysis: Analysis): string | undefined {
  const { ok, lossless, uncoveredHub, uncoveredSpoke } = vector.analysis;
  const spoke = analysis.spokes[0];
  if (analysis.ok !== ok) {
    const errors = analysis.diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
    return `ok: expected ${ok}, got ${analysis.ok}: ${errors.join('; ')}`;
  }
  if (lossless !== undefined && !jsonEqual({ ...lossless }, { ...spoke?.lossless })) {
    return `lossless: expected ${JSON.stringify(lossless)}, got ${JSON.stringify(spoke?.lossless)}`;
  }
  return (
    setDifference('uncoveredHub', uncoveredHub, spoke?.uncoveredHub) ??
    setDifference('uncoveredSpoke', uncoveredSpoke, spoke?.uncoveredSpoke)
  );
}

function setDifference(name: string, expected: readonly string[] | undefined, actual: readonly string[] = []) {
  if (expected === undefined) return undefined;
  const [a, b] = [[...expected].sort().join(', '), [...actual].sort().join(', ')];
  return a === b ? undefined : `${name}: expected [${a}], got [${b}]`;
}

/** The first place where two JSON values differ: numbers by value (`-0` equals `0`), key order free. */
export function firstDifference(expected: Json | undefined, actual: Json | undefined, at: string): string | undefined {
  if (isObject(expected) && isObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const [a, b] = [expected, actual].map((side) => (Object.hasOwn(side, key) ? side[key] : undefined));
      const found = firstDifference(a, b, at === '' ? key : `${at}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isArray(expected) && isArray(actual) && expected.length === actual.length) {
    for (const [index, item] of expected.entries()) {
      const found = firstDifference(item, actual[index], `${at}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return jsonEqual(expected, actual) ? undefined : `${at}: expected ${text(expected)}, got ${text(actual)}`;
}

function text(value: Json | undefined): string {
  return JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? item.toString() : item)) ?? 'nothing';
}
