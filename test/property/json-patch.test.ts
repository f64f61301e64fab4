import fc from 'fast-check';
import fastJsonPatch, { type Operation } from 'fast-json-patch';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../lib/engine/json.ts';
import { applyPatch, parsePatch } from '../../lib/engine/values/json-patch.ts';
import { ValueError } from '../../lib/engine/values/value-error.ts';
import { deepFreeze } from '../support/plan.ts';

// No empty key: as an index into a list, fast-json-patch takes an empty token for 0.
const key = fc.constantFrom('a', 'b', 'c~d', 'e/f');
const { document } = fc.letrec<{ document: JsonObject; value: Json }>((tie) => ({
  document: fc.dictionary(key, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>,
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Json>(null, true, 0, 1.5, 'x', ''),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('document'),
  ),
}));
const pointer = fc
  .array(fc.oneof(key, fc.constantFrom('0', '1', '2', '-')), { minLength: 1, maxLength: 3 })
  .map((tokens) => `/${tokens.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`);
const operation = fc.record({
  op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
  path: pointer,
  from: pointer,
  value: fc.constantFrom<Json>('new', 7, null, { n: [1] }),
});

const asJson = (value: unknown): string => JSON.stringify(value);

/** What a patch makes, or that it fails. */
function outcome(apply: () => unknown): string {
  try {
    return asJson(apply());
  } catch (error) {
    if (
      error instanceof ValueError ||
      (error as Error).name.includes('JsonPatchError') ||
      'index' in (error as object)
    ) {
      return 'fails';
    }
    throw error;
  }
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}

test('a patch makes what fast-json-patch makes, and never changes its input', () => {
  fc.assert(
    fc.property(document, fc.array(operation, { minLength: 1, maxLength: 4 }), (source, operations) => {
      const { operations: compiled, problems } = parsePatch(operations);
      fc.pre(problems.length === 0);
      // Left out: `test` of an absent path for null passes here, as in the peer.
      fc.pre(!operations.some(({ op, value }) => op === 'test' && value === null));
      const frozen = deepFreeze(structuredClone(source) as JsonObject);
      const ours = outcome(() =>
        sorted(applyPatch(compiled, frozen, { skipMissing: false, onlyPresent: false, onCopy: () => {} }).document),
      );
      // Left out: that library does not check the index of what a move or copy adds (RFC 6902, 4.1, does).
      const intoList = operations.some(({ op, path }) => (op === 'move' || op === 'copy') && /\/\d+$/.test(path));
      fc.pre(!(ours === 'fails' && intoList));
      const theirs = outcome(() => {
        const { newDocument } = fastJsonPatch.applyPatch(
          structuredClone(source) as object,
          JSON.parse(JSON.stringify(operations)) as Operation[],
          true,
          true,
        );
        return sorted(newDocument as Json);
      });
      expect({ ours }).toEqual({ ours: theirs });
    }),
    { numRuns: 2000 },
  );
});
