import { compileGet } from '../../access.ts';
import { RuleError, show } from '../../conversion-error.ts';
import { isObject, type Json, jsonType, type MutableObject, setOwn } from '../../json.ts';
import { type Path, parsePath } from '../../path.ts';
import type { Direction, Field, Place, RuleCompiler, RuleScope, Side } from '../../strategy.ts';
import { compareUtf8 } from '../../values/go-json.ts';

/** One field and the key that it has in the map. */
interface KeyField {
  readonly key: string;
  readonly path: Path;
  readonly text: string;
}

/** Pairs fields with their keys: `keyNames` is keyed by the printed path, otherwise the last segment is the key. */
export function keyFields(paths: readonly string[], keyNames: Readonly<Record<string, string>>): KeyField[] {
  const fields = paths.map((text) => {
    const path = parsePath(text);
    return { key: (Object.hasOwn(keyNames, text) && keyNames[text]) || (path.at(-1) ?? ''), path, text };
  });
  return fields.sort((a, b) => compareUtf8(a.key, b.key));
}

/** Several fields as the one object that they are to a map; undefined for a single one, and where one is unknown. */
export function placeOfFields(fields: readonly (Field | undefined)[]): Place | undefined {
  const known = fields.filter((field) => field !== undefined);
  if (known.length < 2 || known.length < fields.length) return undefined;
  const properties = Object.fromEntries(known.map(({ node }, index) => [String(index), node]));
  return { node: { type: 'object', properties }, text: known.map(({ text }) => text).join(', ') };
}

/** Two fields under one key would overwrite each other. True if there are none. */
export function checkKeys(scope: RuleScope, side: Side, fields: readonly KeyField[], keyNames: object): boolean {
  const known = new Set(fields.map((field) => field.text));
  for (const name of Object.keys(keyNames)) {
    if (known.has(name)) continue;
    const hint = 'correct the path in keyNames, or remove the entry';
    scope.warn('KEY_NAME_UNUSED', `keyNames has ${name}, which is not among the ${side} fields`, {
      path: name,
      side,
      hint,
    });
  }
  const twice = fields.filter((field, index) => fields[index + 1]?.key === field.key);
  for (const { key, text } of twice) {
    const hint = 'give each field its own key in keyNames';
    scope.warn('KEY_NAME_DUPLICATE', `more than one field has the key "${key}": the last one wins`, {
      path: text,
      side,
      hint,
    });
  }
  return twice.length === 0;
}

/** fields → map: an entry for each field that is present; none, and no map is written. */
export function compileCollapse(
  compiler: RuleCompiler,
  direction: Direction,
  fields: readonly KeyField[],
  mapPath: string,
): void {
  const readers = fields.map(({ key, path }) => ({ key, read: compileGet(path) }));
  const slot = compiler.slot(direction, parsePath(mapPath));
  compiler.op(direction, (source, slots) => {
    let map: MutableObject | undefined;
    for (let index = 0; index < readers.length; index++) {
      const { key, read } = readers[index] as (typeof readers)[number];
      const value = read(source);
      if (value === undefined) continue;
      map ??= {};
      setOwn(map, key, value);
    }
    slots[slot] = map;
  });
}

/** map → fields: known keys go to their fields; another key is an error or is dropped. */
export function compileExpand(
  compiler: RuleCompiler,
  direction: Direction,
  fields: readonly KeyField[],
  mapPath: string,
  onUnknown: 'Error' | 'Drop',
): void {
  const read = compileGet(parsePath(mapPath));
  const slotsByKey = new Map<string, number[]>();
  for (const { key, path } of fields) {
    slotsByKey.set(key, [...(slotsByKey.get(key) ?? []), compiler.slot(direction, path)]);
  }
  compiler.op(direction, (source, slots) => {
    const map = read(source);
    if (map === undefined || map === null) return;
    if (!isObject(map)) throw new RuleError(`expected an object, found ${jsonType(map)}`);
    for (const key in map) {
      const targets = slotsByKey.get(key);
      if (targets === undefined) {
        if (onUnknown === 'Drop') continue;
        throw new RuleError(`key ${show(key)} has no field`);
      }
      for (let index = 0; index < targets.length; index++) slots[targets[index] as number] = map[key] as Json;
    }
  });
}
