import type { Strategy } from '../strategy.ts';
import { arrayToMapByKey } from './array-to-map-by-key.ts';
import { cel } from './cel.ts';
import { constant } from './constant.ts';
import { defaultValue } from './default-value.ts';
import { deleteField } from './delete.ts';
import { duration } from './duration.ts';
import { enumRemap } from './enum-remap.ts';
import { fieldRename } from './field-rename.ts';
import { fieldsToMap } from './fields-to-map.ts';
import { fieldsToScalar } from './fields-to-scalar.ts';
import { forEach } from './for-each.ts';
import { fromAnnotation } from './from-annotation.ts';
import { fromLabel } from './from-label.ts';
import { jsonPatch } from './json-patch.ts';
import { listJoin } from './list-join.ts';
import { listSplit } from './list-split.ts';
import { mapKeyRename } from './map-key-rename.ts';
import { mapToArrayByKey } from './map-to-array-by-key.ts';
import { mapToFields } from './map-to-fields.ts';
import { numericScale } from './numeric-scale.ts';
import { objectToScalar } from './object-to-scalar.ts';
import { objectToSingletonArray } from './object-to-singleton-array.ts';
import { quantity } from './quantity.ts';
import { scalarToFields } from './scalar-to-fields.ts';
import { scalarToObject } from './scalar-to-object.ts';
import { singletonArrayToObject } from './singleton-array-to-object.ts';
import { toAnnotation } from './to-annotation.ts';
import { toLabel } from './to-label.ts';
import { typeCoerce } from './type-coerce.ts';

/** The strategies, in the order in which documentation lists them. A new one is its file and a line here. */
export const strategies: readonly Strategy[] = [
  fieldRename,
  scalarToObject,
  objectToScalar,
  singletonArrayToObject,
  objectToSingletonArray,
  fieldsToMap,
  mapToFields,
  toAnnotation,
  toLabel,
  fromAnnotation,
  fromLabel,
  enumRemap,
  defaultValue,
  constant,
  deleteField,
  jsonPatch,
  forEach,
  typeCoerce,
  scalarToFields,
  fieldsToScalar,
  arrayToMapByKey,
  mapToArrayByKey,
  numericScale,
  listJoin,
  listSplit,
  quantity,
  duration,
  mapKeyRename,
  cel,
];
