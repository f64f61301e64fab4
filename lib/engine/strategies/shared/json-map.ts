import type { Json } from '../../json.ts';
import { stringifyGoJson } from '../../values/go-json.ts';

/** A map whose keys are JSON values, compared by value; strings, numbers, booleans and objects never meet. */
export class JsonMap<Value> {
  private readonly scalars = new Map<Json, Value>();
  private readonly containers = new Map<string, Value>();

  get(key: Json): Value | undefined {
    return isContainer(key) ? this.containers.get(stringifyGoJson(key)) : this.scalars.get(canonical(key));
  }

  set(key: Json, value: Value): void {
    if (isContainer(key)) this.containers.set(stringifyGoJson(key), value);
    else this.scalars.set(canonical(key), value);
  }
}

function isContainer(key: Json): boolean {
  return typeof key === 'object' && key !== null;
}

/** Integers beyond 2^53 are bigints, also where their text had an exponent and made them a double. */
function canonical(key: Json): Json {
  return typeof key === 'number' && Number.isInteger(key) && !Number.isSafeInteger(key) ? BigInt(key) : key;
}
