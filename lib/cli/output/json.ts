import { type Json, jsonType } from '../../engine/json.ts';
import { JsonError } from '../../k8s/json.ts';
import type { Io } from '../io.ts';

// TypeScript's library does not know it yet; Node has had it since 22.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** JSON for people and scripts: two spaces a level, integers with all their digits. */
export function renderJson(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_key, item: Json) => {
      if (typeof item === 'number' && !Number.isFinite(item)) throw new JsonError(`${jsonType(item)} beyond JSON`);
      return typeof item === 'bigint' ? rawJSON(item.toString()) : item;
    },
    2,
  );
  return `${text}\n`;
}

export function printJson(io: Pick<Io, 'out'>, value: unknown): void {
  io.out(renderJson(value));
}
