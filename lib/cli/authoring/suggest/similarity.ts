/** How alike two names are, from 0 to 1: letters and digits count, whatever their case. */
export function similarity(a: string, b: string): number {
  const [left, right] = [bytesOf(a), bytesOf(b)];
  const longer = Math.max(left.length, right.length);
  return longer === 0 ? 1 : 1 - distance(left, right) / longer;
}

function bytesOf(name: string): Uint8Array {
  return new TextEncoder().encode(name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase());
}

/** Levenshtein's: bytes to insert, delete or replace. */
function distance(a: Uint8Array, b: Uint8Array): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, byte] of a.entries()) {
    const next = [index + 1];
    for (const [column, other] of b.entries()) {
      const replaced = (row[column] as number) + (byte === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] as number) + 1, (next[column] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
