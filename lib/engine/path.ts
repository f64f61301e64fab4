/** A field path: object keys from the root. Written `spec.size`: split at every dot, no escapes, no indices. */
export type Path = readonly string[];

/** Names that would reach into the prototype chain; refused in rules, ordinary data keys elsewhere (D6). */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

export function parsePath(text: string): Path {
  return text === '' ? [] : text.split('.');
}

export function renderPath(path: Path): string {
  return path.join('.');
}

export function reservedSegment(path: Path): string | undefined {
  return path.find((segment) => RESERVED.has(segment));
}
