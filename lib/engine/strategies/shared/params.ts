import * as z from 'zod/mini';
import { isObject, type Json, type JsonObject } from '../../json.ts';

/** Parameter schemas that several strategies share. */
export const path = z.string();
export const paths = { hubPath: path, spokePath: path };
export const json = z.custom<Json>((value) => value !== undefined, 'a value is required');
export const existsOn = z.enum(['Hub', 'Spoke']);
export const onUnknown = z._default(z.enum(['Error', 'Drop']), 'Error');
export const flag = z._default(z.boolean(), false);
/** Maps are taken as they are: a zod record drops the key `__proto__`, which is data (D6). */
export const stringMap = z.custom<Readonly<Record<string, string>>>(
  (value) => isObject(value) && Object.values(value).every((item) => typeof item === 'string'),
  'expected a map with string values',
);
/** Group name → path, at least one: without fields the scalar would be lost. */
export const groupFields = stringMap.check(
  z.refine((value) => Object.keys(value).length > 0, 'expected at least one group: path'),
);
export const keyNames = z._default(stringMap, {});
export const defaults = z._default(z.custom<JsonObject>(isObject, 'expected a map'), {});
/** What a singleton or unwrap rule does with a source of another shape (D20). */
export const onWrongShape = z._default(z.enum(['Ignore', 'Error']), 'Ignore');
