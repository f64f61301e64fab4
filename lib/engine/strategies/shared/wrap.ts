import { RuleError } from '../../conversion-error.ts';
import {
  cloneJson,
  getOwn,
  isObject,
  type Json,
  type JsonObject,
  jsonType,
  type MutableObject,
  setOwn,
} from '../../json.ts';
import { propertiesOf } from '../../schema.ts';
import type { Field, RuleScope } from '../../strategy.ts';
import type { Convert } from './mapping.ts';

/** Ignore or refuse a source of another shape (D20). */
export type OnWrongShape = 'Ignore' | 'Error';

export function wrongShape(expected: string, onWrongShape: OnWrongShape): Convert {
  return (value, run) => {
    if (onWrongShape === 'Error') throw new RuleError(`expected ${expected}, found ${jsonType(value)}`);
    run.shapeMismatches++;
    return undefined;
  };
}

/** value → `{…defaults, key: value}`; the defaults stay out of fragments (D1). */
export function wrap(key: string, defaults: Readonly<Record<string, Json>>): Convert {
  const entries = Object.entries(defaults).filter(([name]) => name !== key);
  return (value, run) => {
    const object: MutableObject = {};
    if (!run.fragment) for (const [name, other] of entries) setOwn(object, name, cloneJson(other));
    setOwn(object, key, value);
    return object;
  };
}

/** `{key: value, …}` → value; an object without the key writes nothing. */
export function unwrap(key: string, onWrongShape: OnWrongShape): Convert {
  const refuse = wrongShape('object', onWrongShape);
  return (value, run) => (isObject(value) ? getOwn(value, key) : value === null ? undefined : refuse(value, run));
}

/** Whether an object field declares nothing beside `key`, so that unwrapping it loses nothing. */
export function holdsOnly(field: Field | undefined, key: string): boolean {
  return field === undefined || Object.keys(propertiesOf(field.node) ?? {}).every((name) => name === key);
}

/** Defaults towards the hub are fields that server-side apply cannot remove again (D1). */
export function warnHubDefaults(scope: RuleScope, hubPath: string, defaults: JsonObject): void {
  const keys = Object.keys(defaults);
  if (keys.length === 0) return;
  const message = `defaultsForOtherKeys writes ${keys.map((key) => `${hubPath}.${key}`).join(', ')} without a source`;
  const hint = 'put the defaults into the CRD schema: server-side apply cannot remove such a field';
  scope.warn('WRITES_WITHOUT_SOURCE', message, { path: hubPath, hint });
}
