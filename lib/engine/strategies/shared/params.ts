import * as z from 'zod/mini';
import type { Json } from '../../json.ts';

/** Parameter schemas that several strategies share. */
export const path = z.string();
export const paths = { hubPath: path, spokePath: path };
export const json = z.custom<Json>((value) => value !== undefined, 'a value is required');
export const existsOn = z.enum(['Hub', 'Spoke']);
export const onUnknown = z._default(z.enum(['Error', 'Drop']), 'Error');
export const flag = z._default(z.boolean(), false);
export const keyNames = z._default(z.record(z.string(), z.string()), {});
export const defaults = z._default(z.record(z.string(), json), {});
/** What a singleton or unwrap rule does with a source of another shape (D20). */
export const onWrongShape = z._default(z.enum(['Ignore', 'Error']), 'Ignore');
