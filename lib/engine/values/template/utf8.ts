/** Positions in a text counted in UTF-8 bytes, as Go counts them. A lone surrogate counts as U+FFFD. */

export function byteLength(text: string): number {
  let length = 0;
  for (const character of text) length += bytesOf(character.codePointAt(0) as number);
  return length;
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

export function byteAt(text: string, offset: number): number | undefined {
  return new TextEncoder().encode(text)[offset];
}

/** The text between two byte offsets; undefined when one of them is inside a character. */
export function sliceBytes(text: string, from: number, to: number): string | undefined {
  const bytes = new TextEncoder().encode(text);
  if (isInside(bytes, from) || isInside(bytes, to)) return undefined;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(from, to));
}

function isInside(bytes: Uint8Array, offset: number): boolean {
  return ((bytes[offset] ?? 0) & 0xc0) === 0x80;
}
