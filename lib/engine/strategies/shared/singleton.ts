import { isArray } from '../../json.ts';
import { itemsOf } from '../../schema.ts';
import type { Field, RuleScope, Side } from '../../strategy.ts';
import type { Convert } from './mapping.ts';
import { type OnWrongShape, wrongShape } from './wrap.ts';

/** Warns of what the items of the list and the object that one of them becomes declare differently. */
export function compareElement(
  scope: RuleScope,
  { list, field }: { list: Side; field: Field | undefined },
  object: Field | undefined,
): void {
  const items = field && itemsOf(field.node);
  if (field === undefined || items === undefined || object === undefined) return;
  const element = { node: items, text: `${field.text}[]` };
  if (list === 'hub') scope.compareInner(element, object);
  else scope.compareInner(object, element);
}

/** value → `[value]`. */
export const enclose: Convert = (value) => [value];

/** `[value, …]` → value; an empty list writes nothing. */
export function first(onWrongShape: OnWrongShape): Convert {
  const refuse = wrongShape('array', onWrongShape);
  return (value, run) => (isArray(value) ? value[0] : value === null ? undefined : refuse(value, run));
}
