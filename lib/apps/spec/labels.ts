import type { JsonObject } from '../../engine/json.ts';
import { type Findings, show } from './problems.ts';

const MAX_LABELS = 32;
const MAX_KEY = 255;
const MAX_VALUE = 4096;
/** All together, in UTF-8: the item of an app has 350 KB, and room for what is written into it later is needed. */
const MAX_BYTES = 64 * 1024;
const RESERVED = 'platform-reserved.';

export function parseLabels(labels: JsonObject, { wrong }: Findings): Record<string, string> {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS)
    wrong(['labels'], `has ${entries.length} entries, at most ${MAX_LABELS} are possible`);
  const kept: Record<string, string> = {};
  for (const [key, value] of entries.slice(0, MAX_LABELS)) {
    const fault = keyFault(key) ?? valueFault(value);
    if (fault === undefined) kept[key] = value as string;
    else wrong(['labels', key], fault);
  }
  const bytes = Buffer.byteLength(JSON.stringify(kept));
  if (bytes > MAX_BYTES) wrong(['labels'], `are too long together: ${bytes} bytes, at most ${MAX_BYTES}`);
  return kept;
}

function keyFault(key: string): string | undefined {
  if (key === '' || key.length > MAX_KEY) return `its key must have 1 to ${MAX_KEY} characters`;
  // Databases and clients that build objects key by key would lose it without a word.
  if (key === '__proto__') return 'cannot be the key of a label';
  return key.startsWith(RESERVED) ? `its key must not begin with ${show(RESERVED)}` : undefined;
}

function valueFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  return value.length > MAX_VALUE ? `is too long: ${value.length} characters, at most ${MAX_VALUE}` : undefined;
}
