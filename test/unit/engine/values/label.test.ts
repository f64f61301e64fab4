import { describe, expect, test } from 'vitest';
import { isAnnotationKey, isLabelKey, isLabelValue } from '../../../../lib/engine/values/label.ts';

const name63 = `a${'-'.repeat(61)}z`;
const prefix253 = `${'a.'.repeat(126)}b`;

describe('isLabelKey', () => {
  test.each(['a', 'A9', 'a-b_c.d', name63, 'example.org/a', 'a/b', 'x-y.z0/A.b', `${prefix253}/a`])(
    'takes %s',
    (key) => {
      expect(isLabelKey(key)).toBe(true);
    },
  );

  test.each([
    '',
    '-a',
    'a-',
    '.a',
    'a b',
    'ä',
    `${name63}z`,
    '/a',
    'a/',
    'a/b/c',
    'Example.org/a',
    'a..b/c',
    '-a.b/c',
    'a_b/c',
    `${prefix253}a/a`,
    'a\n',
  ])('refuses %j', (key) => expect(isLabelKey(key)).toBe(false));
});

test('an annotation key may have capitals in its prefix too', () => {
  expect(isAnnotationKey('Example.org/Name')).toBe(true);
  expect(isAnnotationKey('example org/name')).toBe(false);
});

describe('isLabelValue', () => {
  test.each(['', 'a', 'v1.2_x-Y', name63])('takes %j', (value) => expect(isLabelValue(value)).toBe(true));
  test.each(['-', 'a-', 'a/b', 'a b', `${name63}z`, 'x\n'])('refuses %j', (value) =>
    expect(isLabelValue(value)).toBe(false),
  );
});
