import * as z from 'zod/mini';
import { compileGet } from '../access.ts';
import type { JsonObject } from '../json.ts';
import { library } from '../libraries.ts';
import { type Path, renderPath } from '../path.ts';
import { spend } from '../run.ts';
import { isStructured, lookup } from '../schema.ts';
import {
  type Direction,
  defineStrategy,
  KEEP,
  LOSSLESS,
  LOSSY,
  type RuleCompiler,
  type RuleScope,
  type Side,
  sourceSide,
  targetSide,
} from '../strategy.ts';
import type { PatchOperation } from '../values/json-patch.ts';
import { flag, json } from './shared/params.ts';

const operation = z.strictObject({
  op: z.string(),
  path: z.string(),
  from: z.optional(z.string()),
  value: z.optional(json),
  skipIfMissing: z.optional(z.boolean()),
});
const params = z.strictObject({
  hubToSpoke: z._default(z.array(operation), []),
  spokeToHub: z._default(z.array(operation), []),
  losslessOverride: flag,
});
type Params = z.infer<typeof params>;

const DIRECTIONS = ['hubToSpoke', 'spokeToHub'] as const;

/** Patches the object; what the operations name is copied out of the patched one. */
export const jsonPatch = defineStrategy({
  name: 'JSONPatch',
  summary: 'applies a JSON Patch (RFC 6902) in each direction',
  domain: 'objects for which the two patches are inverse to each other',
  params,
  analyse(rule, scope) {
    const pointers: Path[] = [];
    for (const direction of DIRECTIONS) {
      const { operations, problems } = library('jsonPatch').parsePatch(rule[direction]);
      for (const problem of problems) {
        const hint = 'operations are those of RFC 6902, on fields of the object';
        scope.error('PATCH_INVALID', `${direction}: ${problem}`, { param: direction, hint });
      }
      pointers.push(...pointersOf(operations));
      if (direction === 'spokeToHub') warnAdds(scope, operations);
    }
    for (const side of ['hub', 'spoke'] as const) claimAll(scope, side, pointers);
    const hint = 'test it on samples; losslessOverride: true takes your word for it';
    scope.warn('PATCH_UNVERIFIED', 'nothing proves what a patch keeps', { hint });
    return rule.losslessOverride ? LOSSLESS : LOSSY;
  },
  compile(rule, compiler) {
    for (const direction of DIRECTIONS) compileDirection(rule, compiler, direction);
  },
});

function pointersOf(operations: readonly PatchOperation[]): Path[] {
  return operations.flatMap(({ path, from }) => (from.length > 0 ? [path, from] : [path]));
}

function claimAll(scope: RuleScope, side: Side, pointers: readonly Path[]): void {
  for (const { path, inside } of merged(pointers.map((pointer) => fieldOf(scope.schema(side), pointer)))) {
    if (inside) scope.claimInside(side, path);
    else scope.claimPath(side, path);
  }
}

function warnAdds(scope: RuleScope, operations: readonly PatchOperation[]): void {
  for (const { op, path } of operations) {
    if (op !== 'add') continue;
    const text = renderPath(path);
    const hint = 'server-side apply cannot remove a field that a rule writes: put the value into the CRD schema';
    scope.warn('WRITES_WITHOUT_SOURCE', `adds the hub field ${text} without a source`, { path: text, hint });
  }
}

function compileDirection(rule: Params, compiler: RuleCompiler, direction: Direction): void {
  const { applyPatch, parsePatch } = library('jsonPatch');
  const { operations } = parsePatch(rule[direction]);
  if (operations.length === 0) return;
  const outputs = outermost(operations.map(({ path }) => fieldOf(compiler.schema(targetSide(direction)), path))).map(
    ({ path, inside }) => ({ read: compileGet(path), slot: compiler.slot(direction, path, inside ? KEEP : undefined) }),
  );
  const schema = compiler.schema(sourceSide(direction));
  const sources = pointersOf(operations).map((pointer) => compileGet(fieldOf(schema, pointer).path));
  compiler.op(direction, (source, slots, run) => {
    if (run.fragment && sources.every((read) => read(source) === undefined)) return;
    const onCopy = (characters: number): void => spend(run, characters);
    const mode = { skipMissing: run.mode === 'review', onlyPresent: run.fragment, onCopy };
    const { document, skipped } = applyPatch(operations, source, mode);
    run.absentSkipped += skipped;
    for (const { read, slot } of outputs) slots[slot] = read(document);
  });
}

interface PatchedField {
  readonly path: Path;
  /** The pointer leads into a field that is copied whole: a list's element, a map's entry. */
  readonly inside: boolean;
}

/** The smallest declared field that contains what a pointer names (D6); an undeclared key of an object is its own. */
function fieldOf(schema: JsonObject, pointer: Path): PatchedField {
  // Labels and annotations are not for schemas to declare: what a patch leaves alone of them stays.
  if (pointer[0] === 'metadata') return { path: pointer, inside: true };
  for (let length = 1; length < pointer.length; length++) {
    const found = lookup(schema, pointer.slice(0, length));
    if ('reason' in found) break;
    if (!isStructured(found.node) && !('node' in lookup(found.node, pointer.slice(length)))) {
      return { path: pointer.slice(0, length), inside: true };
    }
  }
  return { path: pointer, inside: false };
}

/** Each field once. What one pointer names is whole, whichever others lead into it, before or after. */
function merged(fields: readonly PatchedField[]): PatchedField[] {
  const byPath = new Map<string, PatchedField>();
  for (const { path, inside } of fields) {
    const key = JSON.stringify(path);
    byPath.set(key, { path, inside: inside && (byPath.get(key)?.inside ?? true) });
  }
  return [...byPath.values()];
}

function outermost(fields: readonly PatchedField[]): PatchedField[] {
  return merged(fields).filter(
    ({ path }) => !fields.some((other) => other.path.length < path.length && startsWith(path, other.path)),
  );
}

function startsWith(path: Path, prefix: Path): boolean {
  return prefix.every((segment, index) => path[index] === segment);
}
