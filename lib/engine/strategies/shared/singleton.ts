import { isArray } from '../../json.ts';
import type { Convert } from './mapping.ts';
import { type OnWrongShape, wrongShape } from './wrap.ts';

/** value → `[value]`. */
export const enclose: Convert = (value) => [value];

/** `[value, …]` → value; an empty list writes nothing. */
export function first(onWrongShape: OnWrongShape): Convert {
  const refuse = wrongShape('array', onWrongShape);
  return (value, run) => (isArray(value) ? value[0] : value === null ? undefined : refuse(value, run));
}
