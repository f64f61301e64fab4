import { reservedSegment } from '../path.ts';

/** The reference tokens of a JSON pointer (RFC 6901), unescaped. */
export type Tokens = readonly string[];

/** Parses a pointer as a rule may use it, or says what is wrong with it. The root cannot be patched. */
export function parsePointer(pointer: string): { tokens: Tokens } | { reason: string } {
  if (pointer === '' || pointer === '/') return { reason: 'the whole object cannot be patched: name a field' };
  if (!pointer.startsWith('/')) return { reason: `"${pointer}" must start with "/"` };
  if (/~(?![01])/.test(pointer)) return { reason: `"${pointer}" has a "~" that is neither ~0 nor ~1` };
  const tokens = pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const reserved = reservedSegment(tokens);
  return reserved === undefined ? { tokens } : { reason: `"${pointer}" contains "${reserved}"` };
}

const INDEX = /^(?:0|-?[1-9]\d*)$/;

/** An array index: negative ones count from the end, as in the peer; undefined when the token is none. */
export function parseIndex(token: string, length: number): number | undefined {
  if (!INDEX.test(token)) return undefined;
  const index = Number(token);
  return index < 0 ? index + length : index;
}
