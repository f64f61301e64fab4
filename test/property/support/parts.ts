import * as fc from 'fast-check';
import type { JsonObject } from '../../../lib/engine/json.ts';
import type { Path } from '../../../lib/engine/path.ts';
import { fieldsIn, without } from './inspect.ts';

/** Which fields go, as indexes into the fields that an object turns out to have. */
export type Removal = readonly number[];

export const removals: fc.Arbitrary<Removal> = fc.array(fc.nat({ max: 63 }), { maxLength: 5 });

/** The object without some of its fields; lists stay whole. */
export function partOf(object: JsonObject, removal: Removal): JsonObject {
  const fields = fieldsIn(object).filter(([first]) => first !== 'apiVersion' && first !== 'kind');
  return without(
    object,
    removal.map((index) => fields[index % fields.length] as Path),
  );
}

/** The object as a part of it looks in a review (no uid) or offline (no name), so that no leaf may be invented. */
export function fragmentOf(object: JsonObject): JsonObject {
  const { metadata, ...rest } = object;
  if (metadata === undefined) return object;
  const { uid: _uid, name: _name, ...other } = metadata as JsonObject;
  return { ...rest, metadata: other };
}
