import {
  cloneJson,
  getOwn,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  jsonEqual,
  type MutableObject,
  setOwn,
} from '../json.ts';
import { parseIndex, parsePointer, type Tokens } from './json-pointer.ts';
import { ValueError } from './value-error.ts';

/** One compiled operation of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: Tokens;
  readonly from: Tokens;
  /** Undefined for the operations that take none, and for a `test` without one: it passes on an absent path. */
  readonly value: Json | undefined;
}

/** How an operation on a path that is not there ends. */
export interface PatchMode {
  /** Skip the operation (a review, D1) instead of failing. */
  readonly skipMissing: boolean;
  /** `add` writes only where something is already (a fragment, D1). */
  readonly onlyPresent: boolean;
}

const KINDS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/** Compiles the operations of one direction; each problem names its index. */
export function parsePatch(
  raw: readonly { op: string; path: string; from?: string | undefined; value?: Json | undefined }[],
): {
  operations: PatchOperation[];
  problems: string[];
} {
  const problems: string[] = [];
  const operations: PatchOperation[] = [];
  for (const [index, { op, path, from, value }] of raw.entries()) {
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
    operations.push({ op: op as PatchOperation['op'], path: target.tokens, from: origin.tokens, value });
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
  let skipped = 0;
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index] as PatchOperation;
    const result = step(draft, operation, mode);
    if (result === 'done') continue;
    if (!mode.skipMissing) throw failure(index, operation, result);
    skipped++;
    if (operation.op === 'test') break;
  }
  return { document: draft.root, skipped };
}

/** What an operation found missing, or `done`. */
type Result = 'done' | string;

function failure(index: number, { op, path }: PatchOperation, what: string): ValueError {
  return new ValueError(`jsonPatch: operation ${index} (${op} /${path.join('/')}): ${what}`);
}

function step(draft: Draft, operation: PatchOperation, mode: PatchMode): Result {
  const { op, path, from, value } = operation;
  if (op === 'test') return test(draft.get(path), value, mode);
  if (op === 'remove') return draft.remove(path) === undefined ? 'the path does not exist' : 'done';
  if (op === 'replace') return draft.replace(path, cloneJson(value as Json)) ? 'done' : 'the path does not exist';
  if (op === 'add') {
    if (mode.onlyPresent) {
      if (draft.has(path)) draft.replace(path, cloneJson(value as Json));
      return 'done';
    }
    return draft.add(path, cloneJson(value as Json)) ? 'done' : 'its parent does not exist';
  }
  const moved = draft.get(from);
  if (moved === undefined) return `/${from.join('/')} does not exist`;
  if (!draft.canAdd(path)) return 'its parent does not exist';
  if (op === 'move') draft.remove(from);
  return draft.add(path, moved) ? 'done' : 'its parent does not exist';
}

/** An absent target passes only where nothing, or null, is expected; in a review it ends the rule. */
function test(actual: Json | undefined, expected: Json | undefined, mode: PatchMode): Result {
  if (actual === undefined) return expected === undefined || expected === null ? 'done' : 'the path does not exist';
  if (jsonEqual(actual, expected ?? null)) return 'done';
  if (mode.skipMissing && isPartOf(actual, expected ?? null)) return 'the value is incomplete';
  throw new ValueError('jsonPatch: test failed: the value is another one');
}

/** Whether `part` is `whole` with some object fields left out, as in a fragment. */
function isPartOf(part: Json, whole: Json): boolean {
  if (!isObject(part) || !isObject(whole)) return jsonEqual(part, whole);
  return Object.keys(part).every((key) => {
    const other = getOwn(whole, key);
    return other !== undefined && isPartOf(part[key] as Json, other);
  });
}

type Container = MutableObject | Json[];

/** A copy of an object that copies only the containers on the way to what is changed. */
class Draft {
  readonly root: MutableObject;
  private readonly owned = new Set<Container>();

  constructor(source: JsonObject) {
    this.root = { ...source };
    this.owned.add(this.root);
  }

  get(tokens: Tokens): Json | undefined {
    let value: Json | undefined = this.root;
    for (const token of tokens) {
      if (value === undefined) return undefined;
      value = childOf(value, token);
    }
    return value;
  }

  has(tokens: Tokens): boolean {
    return isObject(this.get(tokens.slice(0, -1))) && this.get(tokens) !== undefined;
  }

  canAdd(tokens: Tokens): boolean {
    const parent = this.get(tokens.slice(0, -1));
    if (!isArray(parent)) return isObject(parent);
    const token = tokens.at(-1) as string;
    const index = token === '-' ? parent.length : parseIndex(token, parent.length + 1);
    return index !== undefined && index >= 0 && index <= parent.length;
  }

  add(tokens: Tokens, value: Json): boolean {
    if (!this.canAdd(tokens)) return false;
    const parent = this.writable(tokens.slice(0, -1));
    const token = tokens.at(-1) as string;
    if (Array.isArray(parent)) {
      parent.splice(token === '-' ? parent.length : (parseIndex(token, parent.length + 1) as number), 0, value);
    } else {
      setOwn(parent, token, value);
    }
    return true;
  }

  replace(tokens: Tokens, value: Json): boolean {
    if (this.get(tokens) === undefined) return false;
    const parent = this.writable(tokens.slice(0, -1));
    const token = tokens.at(-1) as string;
    if (Array.isArray(parent)) parent[parseIndex(token, parent.length) as number] = value;
    else setOwn(parent, token, value);
    return true;
  }

  remove(tokens: Tokens): Json | undefined {
    const value = this.get(tokens);
    if (value === undefined) return undefined;
    const parent = this.writable(tokens.slice(0, -1));
    const token = tokens.at(-1) as string;
    if (Array.isArray(parent)) parent.splice(parseIndex(token, parent.length) as number, 1);
    else delete parent[token];
    return value;
  }

  /** The container at a path that exists, copied unless it is ours already. */
  private writable(tokens: Tokens): Container {
    let node: Container = this.root;
    for (const token of tokens) {
      const child = childOf(node as Json, token) as Container;
      const key = Array.isArray(node) ? (parseIndex(token, node.length) as number) : token;
      if (this.owned.has(child)) {
        node = child;
        continue;
      }
      const copy: Container = Array.isArray(child) ? [...child] : { ...child };
      this.owned.add(copy);
      (node as Record<string | number, Json>)[key] = copy;
      node = copy;
    }
    return node;
  }
}

function childOf(value: Json, token: string): Json | undefined {
  if (isObject(value)) return getOwn(value, token);
  if (!isArray(value)) return undefined;
  const index = parseIndex(token, value.length);
  return index === undefined ? undefined : value[index];
}
