import { RuleError } from '../../conversion-error.ts';
import { isArray, type Json, type JsonObject, jsonType } from '../../json.ts';
import { spend } from '../../run.ts';
import { isScalarKind, itemsOf, type ScalarKind, shapeOf } from '../../schema.ts';
import type { Field, RuleScope, Side } from '../../strategy.ts';
import { coerceScalar } from '../../values/number-text.ts';
import { type Convert, nullable } from './mapping.ts';

/** `["a", "b"]` → `"a,b"`. */
export function joinList(separator: string): Convert {
  return nullable((list, run) => {
    if (!isArray(list)) throw new RuleError(`expected an array, found ${jsonType(list)}`);
    spend(run, list.length * separator.length);
    let text = '';
    for (let index = 0; index < list.length; index++) {
      const item = list[index] as Json;
      if (index > 0) text += separator;
      text += typeof item === 'string' ? item : String(coerceScalar(item, 'string', 'Error'));
    }
    return text;
  });
}

/** `"a,b"` → `["a", "b"]`; an empty string is an empty list; an empty separator splits into characters. */
export function splitList(separator: string, item: ScalarKind): Convert {
  return nullable((text) => {
    if (typeof text !== 'string') throw new RuleError(`expected a string, found ${jsonType(text)}`);
    if (text === '') return [];
    const parts = separator === '' ? [...text] : text.split(separator);
    return item === 'string' ? parts : parts.map((part) => coerceScalar(part, item, 'Error'));
  });
}

export function itemKind(node: JsonObject): ScalarKind {
  return shapeOf(itemsOf(node) ?? {}).kind as ScalarKind;
}

/** Claims both sides: a list of scalars on one, a string on the other. */
export function claimSeparated(
  scope: RuleScope,
  side: { list: Side; text: Side },
  paths: { list: string; text: string },
): void {
  const list = scope.field(side.list, paths.list);
  const text = scope.field(side.text, paths.text);
  scope.claim(side.list, list);
  scope.claim(side.text, text);
  if (side.list === 'hub') scope.compareOwnership(list, text);
  else scope.compareOwnership(text, list);
  if (list !== undefined && !isScalarList(list)) {
    const hint = 'the list needs `items` of type string, integer, number or boolean';
    scope.error('KIND_NOT_SCALAR_LIST', `${paths.list} is no list of scalars`, {
      path: paths.list,
      side: side.list,
      hint,
    });
  }
  if (text !== undefined && text.kind !== 'string') {
    const hint = 'the other side of the list must be type: string';
    const where = { path: paths.text, side: side.text, hint };
    scope.error('KIND_NOT_STRING', `${paths.text} is ${text.kind}, not a string`, where);
  }
}

function isScalarList(field: Field): boolean {
  return field.kind === 'array' && isScalarKind(itemKind(field.node));
}
