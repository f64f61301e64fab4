import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject, MutableObject } from '../../lib/engine/json.ts';
import { applyPatch, type PatchMode, parsePatch } from '../../lib/engine/values/json-patch.ts';
import { ValueError } from '../../lib/engine/values/value-error.ts';
import { bytesOf, deepFreeze, put } from './support/inspect.ts';
import { patches, written } from './support/json-patch-kit.ts';
import { RUNS } from './support/scenario.ts';

const MODES: Readonly<Record<string, PatchMode>> = {
  offline: { skipMissing: false, onlyPresent: false, onCopy: () => {} },
  'in a review': { skipMissing: true, onlyPresent: false, onCopy: () => {} },
  'on a fragment': { skipMissing: true, onlyPresent: true, onCopy: () => {} },
};

const { operations, side } = patches({ base: ['spec'], id: '1' });
const objects = side.values.map((entries): JsonObject => {
  const object: MutableObject = {};
  for (const [path, value] of entries) put(object, path, value);
  return object;
});
const patch = operations.map((found) => parsePatch(written(found)).operations);

type Step = { readonly document: JsonObject; readonly skipped: number } | 'fails';

function apply(operations: Parameters<typeof applyPatch>[0], document: JsonObject, mode: PatchMode): Step {
  try {
    return applyPatch(operations, deepFreeze(document), mode);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return 'fails';
  }
}

/** Value by value: nothing of the old document is shared with the new one. */
function detached(document: JsonObject): JsonObject {
  const copy = (value: Json): Json =>
    Array.isArray(value)
      ? value.map(copy)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item as Json)]))
        : value;
  return copy(document) as JsonObject;
}

function parentOf(document: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = document;
  for (const token of path.slice(0, -1)) {
    if (Array.isArray(value))
      value = value[token.startsWith('-') ? value.length + Number(token) : Number(token)] as Json;
    else value = typeof value === 'object' && value !== null ? (value as JsonObject)[token] : undefined;
  }
  return value;
}

test.each(Object.keys(MODES))('%s a patch makes what its operations make one after another', async (name) => {
  const mode = MODES[name] as PatchMode;
  const property = fc.property(patch, objects, (operations, object) => {
    let step: Step = { document: object, skipped: 0 };
    let incomplete = false;
    for (const operation of operations) {
      const before = step.document;
      step = apply([operation], detached(before), mode);
      // After an operation that did nothing, or that made the parents of its place, a `test` that does not hold is no
      // fault of the object.
      if (step === 'fails' && incomplete) return;
      if (step === 'fails') break;
      const untouched = operation.op === 'add' && mode.onlyPresent && bytesOf(step.document) === bytesOf(before);
      const moves = operation.op === 'move' || operation.op === 'copy';
      const homeless = moves && mode.skipMissing && parentOf(before, operation.path) == null;
      if (step.skipped > 0 || untouched || homeless) incomplete = true;
      if (operation.op === 'test' && step.skipped > 0) break;
    }
    const whole = apply(operations, object, mode);
    if (step === 'fails' || whole === 'fails') expect(whole).toBe(step);
    else expect(bytesOf(whole.document)).toBe(bytesOf(step.document));
  });
  await fc.assert(property, { numRuns: 5 * RUNS.numRuns });
});

test.each(['in a review', 'on a fragment'])('%s an operation that is skipped changes nothing', async (name) => {
  const property = fc.property(patch, objects, (operations, object) => {
    for (const operation of operations) {
      const step = apply([operation], object, MODES[name] as PatchMode);
      if (step !== 'fails' && step.skipped > 0) expect(bytesOf(step.document)).toBe(bytesOf(object));
    }
  });
  await fc.assert(property, RUNS);
});
