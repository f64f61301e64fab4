import * as fc from 'fast-check';
import { getOwn, isArray, isObject, type Json, type JsonObject } from '../../../lib/engine/json.ts';
import type { Path } from '../../../lib/engine/path.ts';
import { byUtf8, same, valueAt } from './inspect.ts';
import {
  allOf,
  type Entry,
  entryAt,
  FREE_FORM,
  HOSTILE_KEYS,
  json,
  keys,
  map,
  OPEN_MAP,
  objectOf,
  orNull,
} from './json-arbitraries.ts';
import { type Flow, field, type Kit, LOSSY_RULE, moved, NO_INJECTION, type Piece, RETURNS, text } from './piece.ts';

/** Both directions of "fields, and the map that holds them as entries". */
function collapsing(strategy: 'FieldsToMap' | 'MapToFields'): Kit {
  const hubIsMap = strategy === 'MapToFields';
  return (spot) =>
    fc
      .tuple(fc.uniqueArray(keys, { minLength: 1, maxLength: 3 }), fc.constantFrom('Error', 'Error', 'Drop'))
      .map(([names, policy]): Piece => {
        const mapPath = field(spot, 'm');
        const fields = names.map((key, index) => ({ key, path: field(spot, `e${index}x`) }));
        const fieldSide: Piece['hub'] = {
          declares: fields.map(({ path }) => [path, { type: 'string' }] as const),
          values: allOf(...fields.map(({ path }) => entryAt(path, orNull(json)))),
        };
        const mapSide: Piece['hub'] = {
          declares: [[mapPath, { type: 'object', additionalProperties: { type: 'string' } }]],
          values: entryAt(
            mapPath,
            fc
              .tuple(fc.subarray(names, { minLength: 1 }), fc.array(json, { minLength: 3, maxLength: 3 }))
              .map(([present, values]) => objectOf(present.map((key, index) => [key, values[index] as Json]))),
          ),
        };
        const keyNames = objectOf(fields.filter(({ key }) => key !== '').map(({ key, path }) => [text(path), key]));
        // An empty key name means "no name of its own": the last segment of the path.
        const keyOf = ({ key, path }: { key: string; path: Path }) => (key === '' ? (path.at(-1) as string) : key);
        const entries = fields.map((one) => ({ at: [...mapPath, keyOf(one)], path: one.path }));
        const collapse = entries.map(({ at, path }) => moved(path, at));
        const expand = entries.map(({ at, path }) => moved(at, path));
        const paths = fields.map(({ path }) => text(path));
        const named = new Map(fields.map((one) => [one.key, keyOf(one)]));
        const spelled = mapSide.values.map((found) =>
          found.map(([path, value]): Entry => [path, renameKeys(value as JsonObject, named)]),
        );
        const maps = { ...mapSide, values: spelled };
        return {
          strategy,
          rule: {
            ...(policy === 'Error' ? {} : LOSSY_RULE),
            strategy,
            ...(hubIsMap
              ? { mapToFields: { hubMapPath: text(mapPath), spokePaths: paths, keyNames, onUnknownHubKey: policy } }
              : { fieldsToMap: { hubPaths: paths, spokeMapPath: text(mapPath), keyNames, onUnknownSpokeKey: policy } }),
          },
          hub: hubIsMap ? maps : fieldSide,
          spoke: hubIsMap ? fieldSide : maps,
          lossless: policy === 'Error',
          returns: RETURNS,
          flows: hubIsMap ? { hubToSpoke: expand, spokeToHub: collapse } : { hubToSpoke: collapse, spokeToHub: expand },
          injects: NO_INJECTION,
        };
      });
}

function renameKeys(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return objectOf(Object.keys(object).map((key) => [names.get(key) ?? key, object[key] as Json]));
}

export const fieldsToMap = collapsing('FieldsToMap');
export const mapToFields = collapsing('MapToFields');

const RENAMABLE = ['k', 'name', ...HOSTILE_KEYS].filter((key) => key !== '');

export const mapKeyRename: Kit = (spot) =>
  fc
    .record({
      from: fc.uniqueArray(fc.constantFrom(...RENAMABLE), { minLength: 2, maxLength: 2 }),
      to: fc.uniqueArray(fc.constantFrom('renamed', '__proto__', 'constructor', '7', '名'), {
        minLength: 2,
        maxLength: 2,
      }),
      swap: fc.boolean(),
      node: fc.constantFrom(OPEN_MAP, FREE_FORM),
    })
    .map(({ from, to, swap, node }): Piece => {
      const hub = field(spot, 'm');
      const spoke = field(spot, 'n');
      const targets = swap ? [...from].reverse() : to;
      const pairs = from.map((key, index) => [key, targets[index] as string] as const);
      const forth = new Map(pairs);
      const back = new Map(pairs.map(([a, b]) => [b, a]));
      const names = (own: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
        map.map((value) => objectOf(Object.entries(value).filter(([key]) => own.has(key) || !other.has(key))));
      const some = (own: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
        fc
          .tuple(names(own, other), fc.subarray([...own.keys()]), json)
          .map(([rest, chosen, value]) =>
            objectOf([...Object.entries(rest), ...chosen.map((key): [string, Json] => [key, value])]),
          );
      return {
        strategy: 'MapKeyRename',
        rule: {
          strategy: 'MapKeyRename',
          mapKeyRename: { hubPath: text(hub), spokePath: text(spoke), renames: objectOf(pairs) },
        },
        hub: { declares: [[hub, node]], values: entryAt(hub, orNull(some(forth, back))) },
        spoke: { declares: [[spoke, node]], values: entryAt(spoke, orNull(some(back, forth))) },
        lossless: true,
        returns: RETURNS,
        flows: { hubToSpoke: [renamed(hub, spoke, back)], spokeToHub: [renamed(spoke, hub, forth)] },
        injects: NO_INJECTION,
      };
    });

function renamed(from: Path, to: Path, origin: ReadonlyMap<string, string>): Flow {
  return {
    to,
    traced([key, ...rest], value, input) {
      if (key === undefined) return same(valueAt(input, from), value);
      return same(valueAt(input, [...from, origin.get(key) ?? key, ...rest]), value);
    },
  };
}

/** Both directions of "a list of objects, and a map by one of their fields". */
function keyed(strategy: 'ArrayToMapByKey' | 'MapToArrayByKey'): Kit {
  const hubIsList = strategy === 'ArrayToMapByKey';
  return (spot) =>
    fc.constantFrom('name', '__proto__', 'constructor', '0').map((keyField): Piece => {
      const list = field(spot, 'l');
      const byKey = field(spot, 'm');
      const entries = fc
        .uniqueArray(fc.tuple(keys, map), { maxLength: 3, selector: ([key]) => key })
        .map((found) =>
          found.map(
            ([key, value]) => [key, objectOf(Object.entries(value).filter(([name]) => name !== keyField))] as const,
          ),
        );
      const lists = entries.map((found) =>
        [...found]
          .sort(([a], [b]) => byUtf8(a, b))
          .map(([key, value]) => objectOf([...Object.entries(value), [keyField, key]])),
      );
      const item = { type: 'object', properties: objectOf([[keyField, { type: 'string' }]]) };
      const listSide: Piece['hub'] = {
        declares: [[list, { type: 'array', items: item }]],
        values: entryAt(list, orNull(lists)),
      };
      const mapSide: Piece['hub'] = {
        declares: [[byKey, OPEN_MAP]],
        values: entryAt(byKey, orNull(entries.map(objectOf))),
      };
      const [hub, spoke] = hubIsList ? [list, byKey] : [byKey, list];
      const toMap = listed(list, byKey, keyField);
      const toList = unlisted(byKey, list, keyField);
      return {
        strategy,
        rule: {
          ...LOSSY_RULE,
          strategy,
          [hubIsList ? 'arrayToMapByKey' : 'mapToArrayByKey']: { hubPath: text(hub), spokePath: text(spoke), keyField },
        },
        hub: hubIsList ? listSide : mapSide,
        spoke: hubIsList ? mapSide : listSide,
        lossless: false,
        returns: RETURNS,
        flows: { hubToSpoke: [hubIsList ? toMap : toList], spokeToHub: [hubIsList ? toList : toMap] },
        injects: NO_INJECTION,
      };
    });
}

export const arrayToMapByKey = keyed('ArrayToMapByKey');
export const mapToArrayByKey = keyed('MapToArrayByKey');

function listed(from: Path, to: Path, keyField: string): Flow {
  return {
    to,
    traced([key, ...rest], value, input) {
      const list = valueAt(input, from);
      if (key === undefined) return isArray(list) ? list.length === 0 : same(list, value);
      const item = isArray(list) ? list.find((one) => isObject(one) && getOwn(one, keyField) === key) : undefined;
      if (!isObject(item)) return false;
      return rest.length > 0 ? same(valueAt(item, rest), value) : same(value, {}) && Object.keys(item).length === 1;
    },
  };
}

function unlisted(from: Path, to: Path, keyField: string): Flow {
  return {
    to,
    traced([index, ...rest], value, input) {
      const byKey = valueAt(input, from);
      if (index === undefined) return isObject(byKey) ? Object.keys(byKey).length === 0 : same(byKey, value);
      if (!isObject(byKey)) return false;
      const key = Object.keys(byKey).sort(byUtf8)[Number(index)];
      if (key === undefined) return false;
      return rest.length === 1 && rest[0] === keyField ? value === key : same(valueAt(byKey, [key, ...rest]), value);
    },
  };
}
