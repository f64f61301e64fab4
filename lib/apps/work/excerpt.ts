const LINES = 20;
const BYTES = 4_000;
/** Shorter values are numbers, names of stages and such: hiding them would make texts unreadable. */
const SHORT = 8;

/**
 * The end of a log or an answer, as it may be kept: without values of variables, which can be secrets that were put there
 * by mistake, at most 20 lines and 4,000 bytes.
 */
export function excerptOf(text: string, env: Readonly<Record<string, string>>): string | undefined {
  const lines = redact(text, env).trimEnd().split(/\r?\n/).slice(-LINES).join('\n');
  return cutStart(lines, BYTES) || undefined;
}

export function redact(text: string, env: Readonly<Record<string, string>>): string {
  const values = Object.values(env)
    .filter((value) => value.length > SHORT)
    // As it is, and as it stands in JSON.
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  // Longest first: one value can be part of another.
  return values.sort((a, b) => b.length - a.length).reduce((rest, value) => rest.replaceAll(value, '***'), text);
}

/** The last `bytes` of UTF-8, from a whole character on. */
function cutStart(text: string, bytes: number): string {
  const buffer = Buffer.from(text);
  if (buffer.length <= bytes) return text;
  let start = buffer.length - bytes;
  while (((buffer[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return buffer.subarray(start).toString();
}
