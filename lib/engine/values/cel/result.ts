import { canonicalInteger, type Json, type JsonObject, type MutableObject, setOwn } from '../../json.ts';
import { EntryMap, ItemList, JsonList, JsonMap } from './container.ts';
import { Failure } from './error.ts';
import { type Meter, textCost } from './evaluation.ts';
import { renderDouble } from './text.ts';
import { renderTimestamp } from './time.ts';
import { Duration, isDictionary, Timestamp, TypeName, typeOf, Uint, type Value } from './value.ts';

/**
 * The JSON of a result: ints and uints exact, bytes in base64, timestamps in RFC 3339, durations in nanoseconds.
 * Subtrees of the input are shared, not copied. What the answer repeats is paid for each time, since it will be
 * printed each time.
 * @throws Failure when the result is no map with string keys, or holds what JSON cannot
 */
export function resultOf(value: Value, meter: Meter): JsonObject {
  if (!isDictionary(value)) throw new Failure('evaluation', `the result must be a map, not ${typeOf(value)}`);
  return toJson(value, { meter, shared: new Set() }) as JsonObject;
}

interface Rendering {
  readonly meter: Meter;
  /** Containers of the input that the result holds already. */
  readonly shared: Set<object>;
}

function toJson(value: Value, rendering: Rendering): Json {
  switch (typeof value) {
    case 'string':
      rendering.meter.spend(textCost(value.length));
      return value;
    case 'bigint':
      return canonicalInteger(value);
    case 'number':
      if (!Number.isFinite(value)) throw new Failure('evaluation', `the result holds ${renderDouble(value)}`);
      return value;
    case 'boolean':
      return value;
    default:
      return value === null ? null : objectToJson(value, rendering);
  }
}

function objectToJson(value: Value & object, rendering: Rendering): Json {
  rendering.meter.spend(1);
  if (value instanceof JsonMap || value instanceof JsonList) return share(value.json, rendering);
  if (value instanceof EntryMap) return mapToJson(value, rendering);
  if (value instanceof ItemList) return value.items.map((item) => toJson(item, rendering));
  if (value instanceof Uint) return canonicalInteger(value.value);
  if (value instanceof Uint8Array) {
    rendering.meter.spend(textCost(value.length));
    return Buffer.from(value).toString('base64');
  }
  if (value instanceof Timestamp) return renderTimestamp(value);
  if (value instanceof Duration) return canonicalInteger(value.nanos);
  throw new Failure('evaluation', `a result cannot hold a ${value instanceof TypeName ? 'type' : typeOf(value)}`);
}

function mapToJson({ entries }: EntryMap, rendering: Rendering): JsonObject {
  const object: MutableObject = {};
  entries.forEach((value, key) => {
    if (typeof key !== 'string') {
      throw new Failure('evaluation', `the keys of the result must be strings, not ${typeOf(key)} ${key}`);
    }
    rendering.meter.spend(textCost(key.length));
    setOwn(object, key, toJson(value, rendering));
  });
  return object;
}

function share(json: JsonObject | readonly Json[], { meter, shared }: Rendering): Json {
  if (shared.has(json)) payFor(json, meter);
  shared.add(json);
  return json;
}

function payFor(json: Json, meter: Meter): void {
  meter.spend(typeof json === 'string' ? textCost(json.length) : 1);
  if (typeof json !== 'object' || json === null) return;
  for (const key of Object.keys(json)) {
    meter.spend(textCost(key.length));
    payFor((json as JsonObject)[key] as Json, meter);
  }
}
