import type { Json, JsonObject } from './json.ts';
import type { Path } from './path.ts';

export type Getter = (source: JsonObject) => Json | undefined;

/** Names that every object or array inherits or has: reading them needs the own-property check. */
function isInherited(key: string): boolean {
  return key in Object.prototype || key in Array.prototype || /^\d+$/.test(key);
}

type Step = (value: Json | undefined) => Json | undefined;

function stepInto(key: string): Step {
  if (isInherited(key)) {
    return (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
        ? (value as JsonObject)[key]
        : undefined;
  }
  return (value) => (typeof value === 'object' && value !== null ? (value as JsonObject)[key] : undefined);
}

/**
 * A reader of one path: walks objects only; a missing key, or anything but an object on the way, reads as undefined.
 * A present null is a value. The steps are chosen here, so that reading is a few property loads.
 */
export function compileGet(path: Path): Getter {
  const steps = path.map(stepInto);
  const [first, second, third] = steps;
  if (first === undefined) return (source) => source;
  if (second === undefined) return first;
  if (third === undefined) return (source) => second(first(source));
  if (steps.length === 3) return (source) => third(second(first(source)));
  return (source) => {
    let value: Json | undefined = source;
    for (const step of steps) value = step(value);
    return value;
  };
}
