import { cloneJson, isPartOf, type Json, type JsonObject, jsonEqual, sizeOf } from '../json.ts';
import { Draft } from './json-draft.ts';
import { parsePointer, type Tokens } from './json-pointer.ts';
import { ValueError } from './value-error.ts';

/** One compiled operation of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: Tokens;
  readonly from: Tokens;
  /** Undefined for the operations that take none, and for a `test` without one: it passes on an absent path. */
  readonly value: Json | undefined;
  /** Leave the operation out where its path is missing, in every mode; a `test` then ends the rule. */
  readonly skipIfMissing: boolean;
}

/** One operation as a rule has it. */
export interface RawOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string | undefined;
  readonly value?: Json | undefined;
  readonly skipIfMissing?: boolean | undefined;
}

/** How an operation on a path that is not there ends. */
export interface PatchMode {
  /** Skip the operation (a review, D1) instead of failing. */
  readonly skipMissing: boolean;
  /** `add` writes only where something is already (a fragment, D1). */
  readonly onlyPresent: boolean;
  /** Told how many characters of JSON a copy adds, about, before it is made. @throws when it is too much */
  readonly onCopy: (characters: number) => void;
}

const KINDS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/** Compiles the operations of one direction; each problem names its index. */
export function parsePatch(raw: readonly RawOperation[]): {
  operations: PatchOperation[];
  problems: string[];
} {
  const problems: string[] = [];
  const operations: PatchOperation[] = [];
  for (const [index, { op, path, from, value, skipIfMissing = false }] of raw.entries()) {
    const at = `operation ${index} (${op})`;
    if (!KINDS.has(op)) problems.push(`${at}: unknown op; use ${[...KINDS].join(', ')}`);
    if ((op === 'add' || op === 'replace') && value === undefined) problems.push(`${at}: \`value\` is missing`);
    const moves = op === 'move' || op === 'copy';
    if (moves && from === undefined) problems.push(`${at}: \`from\` is missing`);
    const target = parsePointer(path);
    if ('reason' in target) problems.push(`${at}: path ${target.reason}`);
    const origin = moves && from !== undefined ? parsePointer(from) : { tokens: [] };
    if ('reason' in origin) problems.push(`${at}: from ${origin.reason}`);
    if ('reason' in target || 'reason' in origin) continue;
    if (op === 'move' && path.startsWith(`${from}/`)) problems.push(`${at}: cannot move a value into itself`);
    const tokens = { path: target.tokens, from: origin.tokens };
    operations.push({ op: op as PatchOperation['op'], ...tokens, value, skipIfMissing });
  }
  return { operations, problems };
}

/**
 * Applies operations to a copy-on-write draft of the source; the source is never changed.
 * @returns the patched object, and how many operations were skipped because their path is missing
 * @throws ValueError naming the operation
 */
export function applyPatch(
  operations: readonly PatchOperation[],
  source: JsonObject,
  mode: PatchMode,
): { document: JsonObject; skipped: number } {
  const draft = new Draft(source);
  const doubtful = new DoubtfulPaths();
  let skipped = 0;
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index] as PatchOperation;
    if (operation.op === 'add' && mode.onlyPresent && !draft.has(operation.path)) {
      doubtful.add(operation.path);
      continue;
    }
    const homeless = isHomeless(draft, operation);
    const result = step(draft, operation, mode);
    if (result === DONE) {
      if (homeless) doubtful.add(operation.path);
      else doubtful.follow(operation);
      continue;
    }
    const skips = mode.skipMissing || operation.skipIfMissing;
    if (!skips || (result === OTHER && !doubtful.has(operation.path))) throw failure(index, operation, result);
    skipped++;
    if (operation.op === 'test') break;
    doubtful.add(operation.path);
  }
  return { document: draft.root, skipped };
}

/** Whether a value goes where the object has no parent for it: written for a whole object, the patch expected one. */
function isHomeless(draft: Draft, { op, path }: PatchOperation): boolean {
  if (op !== 'copy' && op !== 'move') return false;
  const parent = draft.get(path.slice(0, -1));
  return parent === undefined || parent === null;
}

/** Where an operation that was left out would have written, and where its value would have gone from there. */
class DoubtfulPaths {
  private readonly paths: Tokens[] = [];

  add(path: Tokens): void {
    this.paths.push(path);
  }

  /** Whether a path is one of them, or above or below one. */
  has(path: Tokens): boolean {
    return this.paths.some((other) => {
      const [short, long] = path.length < other.length ? [path, other] : [other, path];
      return short.every(
        (token, index) => token === long[index] || (isListPosition(token) && isListPosition(long[index])),
      );
    });
  }

  follow({ op, from, path }: PatchOperation): void {
    if (this.paths.length > 0 && (op === 'copy' || op === 'move') && this.has(from)) this.add(path);
  }
}

/** An operation on a list shifts what comes behind it, so any two positions are taken for the same. */
function isListPosition(token: string | undefined): boolean {
  return token === '-' || (token !== undefined && /^-?\d+$/.test(token));
}

/** How an operation ended: done, or why not. */
type Result = string;
const DONE: Result = 'done';
const ABSENT: Result = 'the path does not exist';
const ORPHAN: Result = 'its parent does not exist';
const PARTIAL: Result = 'the test failed: the value is incomplete';
const OTHER: Result = 'the test failed: the value is another one';

function failure(index: number, { op, path }: PatchOperation, what: Result): ValueError {
  return new ValueError(`jsonPatch: operation ${index} (${op} /${path.join('/')}): ${what}`);
}

function step(draft: Draft, { op, path, from, value }: PatchOperation, mode: PatchMode): Result {
  switch (op) {
    case 'test':
      return test(draft.get(path), value ?? null);
    case 'remove':
      return draft.remove(path) === undefined ? ABSENT : DONE;
    case 'replace':
      return draft.replace(path, cloneJson(value as Json)) ? DONE : ABSENT;
    case 'add':
      if (mode.onlyPresent) return draft.replace(path, cloneJson(value as Json)) ? DONE : ABSENT;
      return draft.add(path, cloneJson(value as Json)) ? DONE : ORPHAN;
    case 'copy': {
      const copied = draft.get(from);
      if (copied === undefined) return `/${from.join('/')} does not exist`;
      mode.onCopy(sizeOf(copied));
      if (mode.skipMissing) draft.makeParents(path);
      return draft.add(path, cloneJson(copied)) ? DONE : ORPHAN;
    }
    default:
      return move(draft, from, path, mode.skipMissing);
  }
}

/** All or nothing: tried on a copy, since taking the value out may move or remove the place where it should go. */
function move(draft: Draft, from: Tokens, path: Tokens, makeParents: boolean): Result {
  const trial = new Draft(draft.root);
  const moved = trial.remove(from);
  if (moved === undefined) return `/${from.join('/')} does not exist`;
  // In a review the value is there, so it must arrive: a parent that the object lacks is made.
  if (makeParents) trial.makeParents(path);
  if (!trial.add(path, moved)) return ORPHAN;
  draft.adopt(trial);
  return DONE;
}

/** An absent target passes where null is expected, as in the peer. */
function test(actual: Json | undefined, expected: Json): Result {
  if (actual === undefined) return expected === null ? DONE : ABSENT;
  if (jsonEqual(actual, expected)) return DONE;
  return isPartOf(actual, expected) ? PARTIAL : OTHER;
}
