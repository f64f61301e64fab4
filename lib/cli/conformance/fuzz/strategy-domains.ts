import { getOwn, isArray, isObject, type Json, type JsonObject } from '../../../engine/json.ts';
import { parsePath } from '../../../engine/path.ts';
import type { Side } from '../../../engine/strategy.ts';
import { scale } from '../../../engine/values/decimal.ts';
import { formatDurationSeconds } from '../../../engine/values/duration.ts';
import { isLabelValue } from '../../../engine/values/label.ts';
import { formatMilli } from '../../../engine/values/quantity.ts';
import { matchesPattern } from '../schema-values.ts';
import type { Domain, Fields, RuleSide } from './domains.ts';
import { type Fc, kept, textsMatching } from './values.ts';

/** For each strategy what its fields hold so that the rule carries them (`explain` has the domains in words). */
export const DOMAINS: Readonly<Record<string, (rule: RuleSide) => Fields>> = {
  EnumRemap: ({ side, params }) => {
    const values = listAt(params, 'mapping').flatMap((pair) => (isObject(pair) ? (getOwn(pair, side) ?? []) : []));
    return values.length === 0 ? [] : [[text(params, 'path'), ({ fc }) => fc.constantFrom(...values)]];
  },
  TypeCoerce: (rule) => [[text(rule.params, 'path'), coerced(rule)]],
  NumericScale: ({ side, params, kindOf }) => {
    const path = text(params, `${side}Path`);
    const integer = kindOf(side, path) === 'integer';
    const factor = params['factor'] as number | bigint;
    const toSide = (count: number): Json => (side === 'hub' ? scale(count, factor, 'multiply', integer) : count);
    return [[path, ({ fc }) => fc.integer({ min: -1000, max: 1000 }).map(toSide)]];
  },
  Quantity: ({ side, params, kindOf }) => {
    const canonical = (fc: Fc) => fc.integer({ min: -1_000_000, max: 1_000_000 });
    const spelt = ['500m', '2', '1.5', '2Gi', '12e6', '0.5'];
    const path = text(params, `${side}Path`);
    if (kindOf(side, path) !== 'string') return [[path, ({ fc }) => canonical(fc)]];
    return [[path, ({ fc }) => fc.oneof(canonical(fc).map(formatMilli), fc.constantFrom(...spelt))]];
  },
  Duration: ({ side, params, kindOf }) => {
    const seconds = (fc: Fc) => fc.integer({ min: 0, max: 1_000_000 });
    const path = text(params, `${side}Path`);
    if (kindOf(side, path) !== 'string') return [[path, ({ fc }) => seconds(fc)]];
    const spelt = ['5m', '90s', '1h30m', '1.5h'];
    return [[path, ({ fc }) => fc.oneof(seconds(fc).map(formatDurationSeconds), fc.constantFrom(...spelt))]];
  },
  ListJoin: ({ side, params }) => separated(side === 'hub', text(params, `${side}Path`), text(params, 'separator')),
  ListSplit: ({ side, params }) => separated(side === 'spoke', text(params, `${side}Path`), text(params, 'separator')),
  MapKeyRename: ({ side, params }) => {
    const renames = isObject(params['renames']) ? params['renames'] : {};
    const names = side === 'hub' ? Object.keys(renames) : Object.values(renames).map(String);
    const others = side === 'hub' ? Object.values(renames).map(String) : Object.keys(renames);
    const keys = [...new Set([...names, ...(others.includes('a') ? [] : ['a'])])];
    return [[text(params, `${side}Path`), ({ withKeys }) => withKeys(keys)]];
  },
  FieldsToMap: ({ side, params }) => (side === 'spoke' ? knownKeys(params, 'spokeMapPath', 'hubPaths') : []),
  MapToFields: ({ side, params }) => (side === 'hub' ? knownKeys(params, 'hubMapPath', 'spokePaths') : []),
  ArrayToMapByKey: ({ side, params }) => [
    [text(params, `${side}Path`), keyed(side === 'hub', text(params, 'keyField'))],
  ],
  MapToArrayByKey: ({ side, params }) => [
    [text(params, `${side}Path`), keyed(side === 'spoke', text(params, 'keyField'))],
  ],
  SingletonArrayToObject: ({ side, params }) => (side === 'hub' ? [[text(params, 'hubPath'), filled]] : []),
  ObjectToSingletonArray: ({ side, params }) => (side === 'spoke' ? [[text(params, 'spokePath'), filled]] : []),
  ObjectToScalar: ({ side, params }) =>
    side === 'hub' ? [[text(params, 'hubPath'), holding(text(params, 'key'))]] : [],
  ScalarToObject: ({ side, params }) =>
    side === 'spoke' ? [[text(params, 'spokePath'), holding(text(params, 'key'))]] : [],
  ScalarToFields: (rule) => splitJoin(rule, 'hub', 'spokeFields'),
  FieldsToScalar: (rule) => splitJoin(rule, 'spoke', 'hubFields'),
  ToLabel: ({ side, params }) => (side === 'hub' ? [[text(params, 'hubPath'), labelValue(params)]] : []),
  FromLabel: ({ side, params }) => (side === 'spoke' ? [[text(params, 'spokePath'), labelValue(params)]] : []),
};

function text(params: JsonObject, key: string): string {
  const value = getOwn(params, key);
  return typeof value === 'string' ? value : '';
}

function listAt(params: JsonObject, key: string): readonly Json[] {
  const value = getOwn(params, key);
  return isArray(value) ? value : [];
}

/** Text in the form that comes back; whole numbers where the other side is integer. */
function coerced({ side, params, kindOf }: RuleSide): Domain {
  const path = text(params, 'path');
  const [own, other] = [kindOf(side, path), kindOf(side === 'hub' ? 'spoke' : 'hub', path)];
  const whole = (fc: Fc) => fc.integer({ min: -1000, max: 1000 });
  return ({ fc, values }) => {
    if (own === 'string' && other === 'boolean') return fc.constantFrom('true', 'false');
    if (own === 'string' && other !== 'string') return whole(fc).map(String);
    if (own !== 'boolean' && own !== 'string' && other === 'boolean') return fc.constantFrom(0, 1);
    return own === 'number' && other === 'integer' ? whole(fc) : values;
  };
}

/** Elements that are not empty and share no character with the separator, as a list or joined. */
function separated(isList: boolean, path: string, separator: string): Fields {
  // Without a separator every character is an element.
  const isClean = (item: Json) =>
    item !== null &&
    (separator === '' ? [...String(item)].length === 1 : item !== '') &&
    ![...separator].some((char) => String(item).includes(char));
  if (isList) return [[path, ({ values }) => values.filter((list) => !isArray(list) || list.every(isClean))]];
  const joined: Domain = ({ fc }) => {
    const items = fc.constantFrom('a', 'b', '5', 'web').filter(isClean);
    return fc.array(items, { maxLength: 3 }).map((list) => list.join(separator));
  };
  return [[path, joined]];
}

const filled: Domain = ({ values }) => values.filter((value) => !isArray(value) || value.length > 0);

function holding(key: string): Domain {
  return ({ values }) => values.filter((value) => !isObject(value) || getOwn(value, key) !== undefined);
}

/** Maps with some of the keys that the fields have. */
function knownKeys(params: JsonObject, mapPath: string, paths: string): Fields {
  const names = getOwn(params, 'keyNames');
  const keys = listAt(params, paths).map((path) => {
    const named = isObject(names) ? getOwn(names, String(path)) : undefined;
    return typeof named === 'string' && named !== '' ? named : (parsePath(String(path)).at(-1) ?? '');
  });
  const isFilled = (map: Json) => isObject(map) && Object.keys(map).length > 0;
  return [
    [
      text(params, mapPath),
      ({ withKeys, values, node }) => (getOwn(node, 'properties') ? values : withKeys(keys)).filter(isFilled),
    ],
  ];
}

/** Lists with a key that is there once, in any order: that it is lost is acknowledged; maps of objects without it. */
function keyed(isList: boolean, key: string): Domain {
  return ({ values }) => values.map((value) => (isList ? byKey(value, key) : withoutKey(value, key)));
}

function byKey(list: Json, key: string): Json {
  if (!isArray(list)) return list;
  const items = list.filter(isObject).map((item, index) => {
    const own = getOwn(item, key);
    return { ...item, [key]: typeof own === 'string' ? own : `k${index}` };
  });
  return [...new Map(items.map((item) => [String(item[key]), item])).values()];
}

function withoutKey(map: Json, key: string): Json {
  if (!isObject(map)) return map;
  const entries = Object.entries(map).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return Object.fromEntries(entries.map(([name, { [key]: _, ...rest }]) => [name, rest]));
}

function splitJoin({ side, params }: RuleSide, scalar: Side, fieldsKey: string): Fields {
  const pattern = text(params, 'pattern');
  const matching = (source: string | undefined): Domain => {
    return ({ fc, values, node }) => {
      if (source === undefined) return values;
      const isText = getOwn(node, 'type') === 'string';
      const texts = isText ? textsMatching(fc, source) : undefined;
      return texts ?? kept(fc, values, (value) => matchesPattern(source, String(value)) !== false) ?? values;
    };
  };
  if (side === scalar) return [[text(params, `${side}Path`), matching(pattern)]];
  const fields = getOwn(params, fieldsKey);
  return Object.entries(isObject(fields) ? fields : {}).map(([group, path]) => {
    const source = groupSource(pattern, group);
    return [String(path), matching(source && `^(?:${source})$`)];
  });
}

/** What stands inside a named group of a pattern. */
function groupSource(pattern: string, group: string): string | undefined {
  const open = ['(?P<', '(?<'].map((prefix) => `${prefix}${group}>`).find((prefix) => pattern.includes(prefix));
  if (open === undefined) return undefined;
  const start = pattern.indexOf(open) + open.length;
  let depth = 1;
  let inClass = false;
  for (let index = start; index < pattern.length; index++) {
    const char = pattern[index];
    if (char === '\\') index++;
    else if (inClass) inClass = char !== ']';
    else if (char === '[') inClass = true;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return pattern.slice(start, index);
  }
  return undefined;
}

function labelValue(params: JsonObject): Domain {
  const isText = getOwn(params, 'serialization') === 'String' || getOwn(params, 'serialization') === undefined;
  return ({ fc, values, node }) => {
    if (getOwn(node, 'type') !== 'string' || getOwn(node, 'enum') !== undefined || !isText) return values;
    return fc.oneof(
      fc.constantFrom('gold', 'a_b.c', ''),
      values.filter((value) => isLabelValue(String(value))),
    );
  };
}
