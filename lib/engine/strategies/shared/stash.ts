import { compileGet } from '../../access.ts';
import { RuleError } from '../../conversion-error.ts';
import { getOwn, type Json, jsonType } from '../../json.ts';
import { type Path, parsePath, renderPath } from '../../path.ts';
import type { Run } from '../../run.ts';
import { lookup, shapeOf } from '../../schema.ts';
import { type Direction, KEEP, type RuleCompiler, type RuleScope, type Side } from '../../strategy.ts';
import { parseJson } from '../../values/exact-json.ts';
import { stringifyGoJson } from '../../values/go-json.ts';
import { isAnnotationKey, isLabelKey, isLabelValue } from '../../values/label.ts';

/** Where metadata keeps a value that the other version has no field for. */
export type Store = 'annotations' | 'labels';
export type Serialization = 'JSON' | 'String';

/** Kubernetes' limits: a label value of 63 characters, all annotations of an object together 256 KiB. */
const MAX_LENGTH: Readonly<Record<Store, number>> = { labels: 63, annotations: 256 * 1024 };

interface Stash {
  readonly store: Store;
  readonly key: string;
  readonly serialization: Serialization;
}

/** Compiles field → metadata. An absent field leaves the metadata as it is. */
export function compileStash(compiler: RuleCompiler, direction: Direction, fieldPath: string, stash: Stash): void {
  const read = compileGet(parsePath(fieldPath));
  const slot = compiler.slot(direction, metadataPath(stash), KEEP);
  const encode = stash.serialization === 'String' ? encodeString : stringifyGoJson;
  compiler.op(direction, (source, slots) => {
    const value = read(source);
    if (value === undefined || (value === null && stash.serialization === 'String')) return;
    const text = encode(value);
    if (stash.store === 'labels' && !isLabelValue(text)) {
      throw new RuleError(`label value "${text.slice(0, MAX_LENGTH.labels)}" is not valid for label ${stash.key}`);
    }
    slots[slot] = text;
  });
}

/**
 * Compiles metadata → field, and takes the key away. A stash that cannot be read leaves the field absent and the key
 * where it is, as evidence, and is counted (D2): users can write any annotation, and a read must survive it.
 */
export function compileRestore(compiler: RuleCompiler, direction: Direction, fieldPath: string, stash: Stash): void {
  const read = compileGet(metadataPath(stash));
  const field = compiler.slot(direction, parsePath(fieldPath));
  const slot = compiler.slot(direction, metadataPath(stash), KEEP);
  const decode = stash.serialization === 'String' ? (text: string) => text : decodeJson;
  compiler.op(direction, (source, slots, run) => {
    const raw = read(source);
    if (raw === undefined) return;
    const value = typeof raw === 'string' ? decode(raw) : undefined;
    if (value === undefined) {
      ignore(run);
      return;
    }
    slots[field] = value;
    slots[slot] = undefined;
  });
}

/** Compiles taking the key away without reading it. */
export function compileStrip(compiler: RuleCompiler, direction: Direction, stash: Stash): void {
  const slot = compiler.slot(direction, metadataPath(stash), KEEP);
  compiler.op(direction, (_source, slots) => {
    slots[slot] = undefined;
  });
}

/** Takes the key, and reports a bad one and values that may not fit (R25). */
export function checkStash(
  scope: RuleScope,
  field: ReturnType<typeof stashField>,
  /** `restored`: whether the way back reads it. */
  stash: Stash & { readonly restored: boolean },
): void {
  const { text: path, side } = field;
  scope.claimMetadata(metadataPath(stash));
  warnPruned(scope, side, path);
  if (field.node !== undefined && stash.restored) {
    const place = { node: field.node, text: path };
    const metadata = { node: { type: 'string' }, text: renderPath(metadataPath(stash)) };
    if (side === 'hub') scope.compareOwnership(place, metadata);
    else scope.compareOwnership(metadata, place);
  }
  if (stash.store === 'labels' && !isLabelKey(stash.key)) {
    const hint = 'a label key is an optional DNS prefix and a name of up to 63 letters, digits, "-", "_" and "."';
    scope.error('LABEL_KEY_INVALID', `"${stash.key}" is not a label key`, { param: 'key', hint });
  }
  if (stash.store === 'annotations' && !isAnnotationKey(stash.key)) {
    const hint = 'an annotation key is an optional DNS prefix and a name of up to 63 letters, digits, "-", "_" and "."';
    scope.warn('ANNOTATION_KEY_INVALID', `the apiserver will refuse the annotation key "${stash.key}"`, {
      param: 'key',
      hint,
    });
  }
  if (stash.store === 'labels' && stash.serialization === 'JSON' && field.kind === 'string') {
    const hint = 'set serialization: String';
    scope.warn('LABEL_NEVER_FITS', `${path}: a string in JSON has quotes, which no label value may have`, {
      path,
      hint,
    });
  }
  const limit = MAX_LENGTH[stash.store];
  if (field.kind !== 'string' || field.maxLength <= limit) return;
  const hint = 'bound the field in its schema, or expect conversions of longer values to fail';
  scope.warn(
    'STASH_MAY_NOT_FIT',
    `${path} has no maxLength of at most ${limit}: its value may not fit into ${stash.store}`,
    {
      path,
      side,
      hint,
    },
  );
}

/** Inside a list's element, metadata is a field like another, and the other side must declare it. */
function warnPruned(scope: RuleScope, side: Side, path: string): void {
  const other = scope.schema(side === 'hub' ? 'spoke' : 'hub');
  if (scope.depth === 0 || shapeOf(other).opaque || 'node' in lookup(other, ['metadata'])) return;
  const hint = 'stash a field of the object itself, or declare metadata in the items of the other side';
  scope.warn('STASH_PRUNED', `${path} is stashed in an element's metadata, which the apiserver prunes`, {
    path,
    side,
    hint,
  });
}

/** What {@link checkStash} needs to know of a field. */
export function stashField(scope: RuleScope, side: Side, text: string) {
  const field = scope.field(side, text);
  scope.claimTree(side, field);
  const maxLength = field === undefined ? 0 : getOwn(field.node, 'maxLength');
  return {
    text,
    side,
    node: field?.node,
    kind: field?.kind ?? 'unknown',
    maxLength: typeof maxLength === 'number' ? maxLength : Infinity,
  };
}

function metadataPath(stash: Stash): Path {
  return ['metadata', stash.store, stash.key];
}

function encodeString(value: Json): string {
  if (typeof value === 'string') return value;
  throw new RuleError(`expected a string, found ${jsonType(value)}: set serialization: JSON to keep other values`);
}

function decodeJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function ignore(run: Run): void {
  run.stashIgnored++;
}
