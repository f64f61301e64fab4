import { type Analysis, analyse } from '../../lib/engine/analyse.ts';
import { compile } from '../../lib/engine/compile.ts';
import type { Json, JsonObject } from '../../lib/engine/json.ts';
import type { Router } from '../../lib/engine/route.ts';
import { createRun, type Run } from '../../lib/engine/run.ts';

/** Schemas in short: `object({spec: object({size: string})})`. */
export const string: JsonObject = { type: 'string' };
export const integer: JsonObject = { type: 'integer' };
export const number: JsonObject = { type: 'number' };
export const boolean: JsonObject = { type: 'boolean' };
export const openMap: JsonObject = { type: 'object', additionalProperties: true };
export const preserve: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
export const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
export const array = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });

/** A whole object's schema with the given `spec` fields. */
export const spec = (fields: JsonObject): JsonObject => object({ spec: object(fields) });

export interface PlanInput {
  readonly hub: JsonObject;
  readonly spoke: JsonObject;
  readonly rules: readonly JsonObject[];
  readonly policy?: 'Error' | 'Warn';
}

/** Analyses one spoke's rules; versions are called `hub` and `spoke`. */
export function analysePlan({ hub, spoke, rules, policy = 'Error' }: PlanInput): Promise<Analysis> {
  return analyse({
    hubVersion: 'hub',
    versions: [
      { name: 'hub', served: true, storage: true, schema: hub },
      { name: 'spoke', served: true, storage: false, schema: spoke },
    ],
    spokes: [{ version: 'spoke', rules }],
    unmappedFieldPolicy: policy,
  });
}

/** A compiled plan with short conversions that also give the run's counters. */
export interface TestPlan {
  readonly router: Router;
  readonly analysis: Analysis;
  toSpoke(object: JsonObject, mode?: Run['mode']): JsonObject;
  toHub(object: JsonObject, mode?: Run['mode']): JsonObject;
  readonly run: Run;
}

export async function compilePlan(input: PlanInput): Promise<TestPlan> {
  const analysis = await analysePlan(input);
  const errors = analysis.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(`the test's rules have errors: ${errors.map((e) => e.message).join('; ')}`);
  const router = compile(analysis);
  const runs = { offline: createRun('offline'), review: createRun('review') };
  return {
    router,
    analysis,
    run: runs.review,
    toSpoke: (source, mode = 'offline') => router.convert(source, 'hub', 'spoke', runs[mode]),
    toHub: (source, mode = 'offline') => router.convert(source, 'spoke', 'hub', runs[mode]),
  };
}

/** Codes of an analysis' findings, errors first. */
export async function codes(input: PlanInput): Promise<{ errors: string[]; warnings: string[] }> {
  const { diagnostics } = await analysePlan(input);
  const of = (severity: string) => diagnostics.filter((found) => found.severity === severity).map(({ code }) => code);
  return { errors: of('error'), warnings: of('warning') };
}

/** Freezes a value with everything in it: a conversion that writes to its input then throws. */
export function deepFreeze<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const key of Reflect.ownKeys(value)) deepFreeze((value as Record<PropertyKey, Json>)[key] as Json);
    Object.freeze(value);
  }
  return value;
}
