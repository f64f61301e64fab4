import { describe, expect, test } from 'vitest';
import { compileRegex, RegexError } from '../../../../lib/engine/values/regex.ts';

const found = (pattern: string, text: string) => {
  const groups = compileRegex(pattern).search(text);
  return groups && Object.fromEntries(groups);
};

describe('a search', () => {
  test.each([
    ['(?P<host>[^:]+):(?P<port>\\d+)', 'db:5432', { host: 'db', port: '5432' }],
    ['(?<host>[^:]+):(?<port>\\d+)', 'db:5432', { host: 'db', port: '5432' }],
    ['(?P<a>b+)', 'xxbbbyb', { a: 'bbb' }],
    ['(?P<a>a|ab)', 'ab', { a: 'a' }],
    ['(?P<a>x)?(?P<b>y)', 'y', { a: '', b: 'y' }],
    ['(?P<a>x*)', '', { a: '' }],
    ['(?i)(?P<a>abc)', 'xABC', { a: 'ABC' }],
    ['(?U)(?P<a>b+)', 'bbb', { a: 'b' }],
    ['(?s)^(?P<a>.+)$', 'a\nb', { a: 'a\nb' }],
    ['\\A(?P<a>[[:alpha:]]+)\\z', 'abc', { a: 'abc' }],
    ['(?P<a>\\Q.*\\E)', 'x.*', { a: '.*' }],
    ['^(?P<a>.)$', '🙂', { a: '🙂' }],
    ['(?P<a>\\p{Greek}+)', 'abγδ', { a: 'γδ' }],
    ['(?P<__proto__>a)(?P<constructor>b)', 'ab', { ['__proto__']: 'a', constructor: 'b' }],
    ['plain', 'a plain text', {}],
    ['(?P<a>x)', 'y', undefined],
    ['a$', 'a\n', undefined],
    ['^\\w$', 'é', undefined],
  ])('of %j in %j finds %j', (pattern, text, groups) => {
    expect(found(pattern, text)).toEqual(groups);
  });

  test('lists the groups in pattern order, digits included', () => {
    expect(compileRegex('(?P<b>x)(y)(?P<1>z)(?P<a>w)').names).toEqual(['b', '1', 'a']);
  });

  test('matches any part of a text', () => {
    expect(compileRegex('b').matches('abc')).toBe(true);
    expect(compileRegex('^b').matches('abc')).toBe(false);
  });
});

describe('a pattern is refused with reason, place and advice', () => {
  test.each([
    ['(?=a)', /Perl syntax at offset 0 \("\(\?="\); RE2 has no look-around/],
    ['ab(?<!a)', /named capture at offset 2/],
    ['(a)\\1', /invalid escape sequence at offset 3 .*no back-references/],
    ['(?P<a>x)(?P<a>y)', /duplicate capture group name at offset 4 .*a name of its own/],
    ['a{1001}', /repeat count/],
    ['(a{100}){100}', /repeat count/],
    ['(a', /missing closing \)/],
    ['[a', /missing closing \]/],
    ['a)', /balance the brackets/],
    ['a**', /nested repetition/],
    ['\\Z', /escape/],
    ['*a', /missing argument to repetition operator/],
    [`${'('.repeat(1500)}a${')'.repeat(1500)}`, /nests too deeply/],
    ['\\pL{1000}\\pL{1000}\\pL{1000}', /compiles to \d+ instructions, the limit is 3000/],
    ['a'.repeat(4097), /4097 bytes, the limit is 4096/],
    ['é'.repeat(2049), /4098 bytes, the limit is 4096/],
  ])('case %#', (pattern, reason) => {
    expect(() => compileRegex(pattern)).toThrow(RegexError);
    expect(() => compileRegex(pattern)).toThrow(reason);
  });
});

describe('hostile input', () => {
  test.each(['(a+)+$', '(a|a)+$', '(a|aa)+$', '(.*a){20}$', '^(\\w+\\s?)*$'])(
    '%j takes linear time',
    (pattern) => {
      const regex = compileRegex(`(?P<all>${pattern})`);
      const text = `${'a'.repeat(8000)}!`;
      expect(regex.search(text)).toBeUndefined();
      expect(regex.matches(text)).toBe(false);
    },
    5000,
  );

  test.each(['search', 'matches'] as const)('%s refuses a text above 8 KiB and names both sizes', (method) => {
    const regex = compileRegex('a');
    expect(regex[method]('a'.repeat(8192))).toBeTruthy();
    expect(() => regex[method]('a'.repeat(8193))).toThrow(RegexError);
    expect(() => regex[method]('é'.repeat(4097))).toThrow('the text has 8194 bytes, the limit for a pattern is 8192');
    expect(() => regex[method]('a'.repeat(2_000_000))).toThrow(/2000000 bytes/);
  });
});
