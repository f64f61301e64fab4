import { ConversionError, show } from '../engine/conversion-error.ts';
import { getOwn, isObject, type Json, type JsonObject } from '../engine/json.ts';
import { isAnnotationKey, isLabelKey, isLabelValue } from '../engine/values/label.ts';

/** Kubernetes' limit for the keys and values of all annotations of an object, in bytes (R25). */
const MAX_ANNOTATION_BYTES = 262_144;
const UNTOUCHED = ['name', 'namespace', 'uid'] as const;

/**
 * Checks what the apiserver would refuse, or worse restore silently, after a conversion (R09, R24, R25): `kind` and the
 * identity in `metadata` are as before, `metadata` is an object, changed labels and annotations are legal. Costs three
 * comparisons for an object whose metadata no rule touched.
 *
 * @throws ConversionError that says what is wrong
 */
export function checkConverted(before: JsonObject, after: JsonObject): void {
  if (getOwn(before, 'kind') !== getOwn(after, 'kind')) throw new ConversionError('the conversion changed kind');
  const metadata = getOwn(after, 'metadata');
  if (!isObject(metadata)) throw new ConversionError('the conversion left no metadata object');
  const original = getOwn(before, 'metadata');
  if (metadata === original) return;
  const known = isObject(original) ? original : {};
  for (const key of UNTOUCHED) {
    if (getOwn(metadata, key) !== getOwn(known, key)) {
      throw new ConversionError(`the conversion changed metadata.${key}`);
    }
  }
  for (const { store, isKey, isValue } of STORES) {
    const map = getOwn(metadata, store);
    const previous = getOwn(known, store);
    if (map === undefined || map === previous) continue;
    if (!isObject(map)) throw new ConversionError(`the conversion made metadata.${store} ${show(map)}, not an object`);
    checkEntries(store, map, isObject(previous) ? previous : {}, isKey, isValue);
    if (store === 'annotations') checkSize(map);
  }
}

const STORES = [
  { store: 'labels', isKey: isLabelKey, isValue: isLabelValue },
  { store: 'annotations', isKey: isAnnotationKey, isValue: () => true },
] as const;

function checkEntries(
  store: string,
  map: JsonObject,
  previous: JsonObject,
  isKey: (key: string) => boolean,
  isValue: (value: string) => boolean,
): void {
  for (const [key, value] of Object.entries(map)) {
    if (getOwn(previous, key) === value) continue;
    if (!isKey(key)) throw new ConversionError(`${show(key)} is not a key that metadata.${store} may have`);
    if (typeof value !== 'string')
      throw new ConversionError(`metadata.${store} ${key} is ${show(value)}, not a string`);
    if (!isValue(value)) throw new ConversionError(`${show(value)} is not a value that label ${key} may have`);
  }
}

function checkSize(annotations: JsonObject): void {
  let total = 0;
  let largest = { key: '', bytes: -1 };
  for (const [key, value] of Object.entries(annotations)) {
    const bytes = byteLength(value);
    total += byteLength(key) + bytes;
    if (bytes > largest.bytes) largest = { key, bytes };
  }
  if (total <= MAX_ANNOTATION_BYTES) return;
  throw new ConversionError(
    `annotation ${largest.key} has ${largest.bytes} bytes; all annotations have ${total}, the limit is ${MAX_ANNOTATION_BYTES}`,
  );
}

function byteLength(value: Json | undefined): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}
