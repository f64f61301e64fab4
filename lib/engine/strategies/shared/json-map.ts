import type { Json } from '../../json.ts';
import { stringifyGoJson } from '../../values/go-json.ts';

/** A map whose keys are JSON values, compared by value; strings, numbers, booleans and objects never meet. */
export class JsonMap<Value> {
  private readonly scalars = new Map<Json, Value>();
  private readonly containers = new Map<string, Value>();

  get(key: Json): Value | undefined {
    return isContainer(key) ? this.containers.get(stringifyGoJson(key)) : this.scalars.get(key);
  }

  set(key: Json, value: Value): void {
    if (isContainer(key)) this.containers.set(stringifyGoJson(key), value);
    else this.scalars.set(key, value);
  }
}

function isContainer(key: Json): boolean {
  return typeof key === 'object' && key !== null;
}
