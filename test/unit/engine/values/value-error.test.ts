import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../lib/engine/json.ts';
import { showValue, ValueError } from '../../../../lib/engine/values/value-error.ts';

describe('a value in a message', () => {
  test.each<[string, Json, string]>([
    ['a short string is quoted', 'XL', '"XL"'],
    ['64 characters are shown whole', 'x'.repeat(64), `"${'x'.repeat(64)}"`],
    ['a longer string is cut at 64 characters', 'x'.repeat(65), `"${'x'.repeat(64)}"…`],
    ['a megabyte is cut at 64 characters', 'y'.repeat(1_000_000), `"${'y'.repeat(64)}"…`],
    ['a line break cannot split the message', 'a\nb', '"a\\nb"'],
    ['a cut through a surrogate pair stays well-formed', `${'x'.repeat(63)}😀`, `"${'x'.repeat(63)}\ufffd"…`],
    ['a number', 2.5, '2.5'],
    ['an exact integer', 9007199254740993n, '9007199254740993'],
    ['a boolean', true, 'true'],
    ['null', null, 'null'],
    ['an array by its type', [1, 2], 'array'],
    ['an object by its type', { a: 1 }, 'object'],
  ])('%s', (_, value, shown) => expect(showValue(value)).toBe(shown));

  test('its error has a name of its own', () => {
    expect(new ValueError('x')).toBeInstanceOf(Error);
    expect(new ValueError('x').name).toBe('ValueError');
  });
});
