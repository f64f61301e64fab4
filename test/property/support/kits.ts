import { cel } from './cel-kit.ts';
import { forEachOf } from './for-each-kit.ts';
import { constant, defaultValue, deleteField } from './injection-kits.ts';
import { jsonPatch } from './json-patch-kit.ts';
import { arrayToMapByKey, fieldsToMap, mapKeyRename, mapToArrayByKey, mapToFields } from './map-kits.ts';
import {
  fieldRename,
  objectToScalar,
  objectToSingletonArray,
  scalarToObject,
  singletonArrayToObject,
} from './move-kits.ts';
import type { Kit } from './piece.ts';
import { fieldsToScalar, scalarToFields } from './split-kits.ts';
import { fromAnnotation, fromLabel, toAnnotation, toLabel } from './stash-kits.ts';
import { duration, enumRemap, listJoin, listSplit, numericScale, quantity, typeCoerce } from './value-kits.ts';

const FLAT: Readonly<Record<string, Kit>> = {
  FieldRename: fieldRename,
  ScalarToObject: scalarToObject,
  ObjectToScalar: objectToScalar,
  SingletonArrayToObject: singletonArrayToObject,
  ObjectToSingletonArray: objectToSingletonArray,
  FieldsToMap: fieldsToMap,
  MapToFields: mapToFields,
  ToAnnotation: toAnnotation,
  ToLabel: toLabel,
  FromAnnotation: fromAnnotation,
  FromLabel: fromLabel,
  EnumRemap: enumRemap,
  DefaultValue: defaultValue,
  Constant: constant,
  Delete: deleteField,
  JSONPatch: jsonPatch,
  TypeCoerce: typeCoerce,
  ScalarToFields: scalarToFields,
  FieldsToScalar: fieldsToScalar,
  ArrayToMapByKey: arrayToMapByKey,
  MapToArrayByKey: mapToArrayByKey,
  NumericScale: numericScale,
  ListJoin: listJoin,
  ListSplit: listSplit,
  Quantity: quantity,
  Duration: duration,
  MapKeyRename: mapKeyRename,
  CEL: cel,
};

/** Strategies that can keep every value both ways without anybody's word for it. */
const LOSSLESS = [
  'FieldRename',
  'ScalarToObject',
  'ObjectToScalar',
  'SingletonArrayToObject',
  'ObjectToSingletonArray',
  'FieldsToMap',
  'MapToFields',
  'ToAnnotation',
  'ToLabel',
  'FromAnnotation',
  'FromLabel',
  'EnumRemap',
  'TypeCoerce',
  'NumericScale',
  'ListJoin',
  'ListSplit',
  'MapKeyRename',
];

const flat = Object.values(FLAT);
const losslessFlat = LOSSLESS.map((name) => FLAT[name] as Kit);

/** A list in a list, as deep as ForEach rules may nest. */
const forEach = forEachOf([...flat, forEachOf(flat)]);

/** One generator of rules for each strategy. */
export const KITS: Readonly<Record<string, Kit>> = { ...FLAT, ForEach: forEach };

/** Generators of rules that may be lossless, ForEach among them; the caller keeps those that are. */
export const LOSSLESS_KITS: readonly Kit[] = [...losslessFlat, forEachOf([...losslessFlat, forEachOf(losslessFlat)])];

export const NAMES: readonly string[] = Object.keys(KITS);
