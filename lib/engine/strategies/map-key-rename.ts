import * as z from 'zod/mini';
import { RuleError, show } from '../conversion-error.ts';
import { isObject, type Json, jsonType, type MutableObject, setOwn } from '../json.ts';
import { defineStrategy, LOSSLESS } from '../strategy.ts';
import { type Convert, mapBoth, nullable } from './shared/mapping.ts';
import { paths, stringMap } from './shared/params.ts';

const params = z.strictObject({ ...paths, renames: stringMap });

/** Renames keys of a free-form map; other keys stay. */
export const mapKeyRename = defineStrategy({
  name: 'MapKeyRename',
  summary: 'renames keys of a free-form map',
  domain: 'maps in which no key equals the new name of another',
  params,
  analyse({ hubPath, spokePath, renames }, scope) {
    const hub = scope.field('hub', hubPath);
    const spoke = scope.field('spoke', spokePath);
    for (const [side, field] of [
      ['hub', hub],
      ['spoke', spoke],
    ] as const) {
      scope.claim(side, field);
      if (field === undefined || (field.kind === 'object' && field.opaque)) continue;
      const hint = 'the field needs additionalProperties or x-kubernetes-preserve-unknown-fields';
      const message = `${field.text} is no free-form map on the ${side}`;
      scope.error('KIND_NOT_MAP', message, { path: field.text, side, hint });
    }
    scope.compareOwnership(hub, spoke);
    const entries = Object.entries(renames);
    const hint = 'write hubKey: spokeKey, each key once';
    if (entries.length === 0) scope.error('RENAMES_EMPTY', 'renames is empty', { param: 'renames', hint });
    if (entries.some(([hub, spoke]) => hub === '' || spoke === ''))
      scope.error('RENAMES_EMPTY', 'a key is empty', { param: 'renames', hint });
    if (new Set(entries.map(([, spoke]) => spoke)).size < entries.length) {
      scope.error('RENAMES_COLLIDE', 'two hub keys get the same spoke key', { param: 'renames', hint });
    }
    return LOSSLESS;
  },
  compile(rule, compiler) {
    const entries = Object.entries(rule.renames);
    mapBoth(compiler, rule, {
      hubToSpoke: rename(new Map(entries)),
      spokeToHub: rename(new Map(entries.map(([hub, spoke]) => [spoke, hub]))),
    });
  },
});

function rename(names: ReadonlyMap<string, string>): Convert {
  return nullable((map) => {
    if (!isObject(map)) throw new RuleError(`expected an object, found ${jsonType(map)}`);
    const renamed: MutableObject = {};
    for (const key in map) {
      const name = names.get(key) ?? key;
      if (Object.hasOwn(renamed, name)) throw new RuleError(`two keys become ${show(name)}`);
      setOwn(renamed, name, map[key] as Json);
    }
    return renamed;
  });
}
