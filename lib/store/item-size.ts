import { AppError } from '../errors.ts';
import type { Attribute, Item } from './ports.ts';

/** Above this a value is split or refused. DynamoDB ends at 400 KB; the rest is room for the other attributes (R39). */
export const MAX_ITEM_BYTES = 350 * 1024;

/** A stamp above this is milliseconds by mistake: as seconds it is the year 5138 (R38). */
const MAX_TTL_SECONDS = 1e11;

/** Size of an item as DynamoDB counts it: UTF-8 bytes of names and values, 3 bytes for a container, 1 for an entry. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    if (value !== undefined) bytes += Buffer.byteLength(name) + attributeBytes(value);
  }
  return bytes;
}

function attributeBytes(value: Attribute): number {
  if (value === null || typeof value === 'boolean') return 1;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 1;
  if (value instanceof Uint8Array) return value.length;
  let bytes = 3;
  if (Array.isArray(value)) {
    for (const entry of value as readonly Attribute[]) bytes += 1 + attributeBytes(entry);
    return bytes;
  }
  for (const [name, entry] of Object.entries(value)) {
    if (entry !== undefined) bytes += 1 + Buffer.byteLength(name) + attributeBytes(entry);
  }
  return bytes;
}

/** Refuses what must never reach the table: an item that is too large, a TTL that is not in seconds. */
export function checkItem(item: Item): void {
  const bytes = itemBytes(item);
  if (bytes > MAX_ITEM_BYTES) {
    const size = `${Math.ceil(bytes / 1024)} KB, the limit is ${MAX_ITEM_BYTES / 1024} KB`;
    throw new AppError('TOO_LARGE', `${item.pk} / ${item.sk} cannot be stored: it is ${size}. Make it smaller.`);
  }
  const { expiresAt } = item;
  if (expiresAt !== undefined && !(Number.isInteger(expiresAt) && expiresAt > 0 && expiresAt < MAX_TTL_SECONDS)) {
    throw new AppError('INTERNAL', `${item.pk} / ${item.sk}: expiresAt ${expiresAt} is not in epoch seconds`);
  }
}
