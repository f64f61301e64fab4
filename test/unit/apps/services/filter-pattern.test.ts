import { expect, test } from 'vitest';
import { renderFilterPattern } from '../../../../lib/apps/services/filter-pattern.ts';

test.each([
  ['a word', 'error', '"error"'],
  ['several words', 'user 7 failed', '"user 7 failed"'],
  ['signs of the language of patterns', '-a ?b [c] {d} %e% *', '"-a ?b [c] {d} %e% *"'],
  ['quotes', 'says "no" again', '"says" "no" "again"'],
  ['backslashes', 'C:\\temp\\x', '"C:" "temp" "x"'],
  ['control characters', 'a\tb\nc\u0000d', '"a" "b" "c" "d"'],
  ['spaces at the ends', '  x  ', '"x"'],
  ['nothing that could be a term', ' "\\" ', undefined],
  ['nothing', '', undefined],
])('a pattern for %s lets the lines pass that hold the text', (_what, text, pattern) => {
  expect(renderFilterPattern(text)).toBe(pattern);
});

test('a long text is cut to what CloudWatch takes, with whole characters', () => {
  for (const text of ['x'.repeat(3_000), 'a"'.repeat(2_000), `${'x'.repeat(1_021)}🎠`, `${'x'.repeat(1_022)}"y`]) {
    const pattern = renderFilterPattern(text) ?? '';
    expect(pattern.length).toBeLessThanOrEqual(1_024);
    expect(pattern).toMatch(/^"[^"]+"( "[^"]+")*$/);
    expect(pattern.isWellFormed()).toBe(true);
  }
});
