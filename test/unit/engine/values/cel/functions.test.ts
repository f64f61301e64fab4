import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../lib/engine/json.ts';
import { compileCel } from '../../../../../lib/engine/values/cel/cel.ts';

function evaluate(expression: string, input: JsonObject = {}): unknown {
  return compileCel(`{"x": ${expression}}`, undefined).evaluate(input)['x'];
}

describe('conversions', () => {
  test.each([
    ['int(1.9)', 1],
    ['int(-1.9)', -1],
    ['int("-9223372036854775808")', -9223372036854775808n],
    ['int("+007")', 7],
    ['int(5u)', 5],
    ['int(timestamp("1969-12-31T23:59:59.5Z"))', -1],
    ['int(duration("2s"))', 2_000_000_000],
    ['uint(3) + uint("4") + uint(5.9)', 12],
    ['double("1.5e3")', 1500],
    ['double(".5") + double("5.")', 5.5],
    ['double(2) / 4', 0.5],
    ['double("-inf") < double("1")', true],
    ['string(1000000.0)', '1e+06'],
    ['string(1e6)', '1e+06'],
    ['string(999999.5)', '999999.5'],
    ['string(1234567.8)', '1.2345678e+06'],
    ['string(0.0001)', '0.0001'],
    ['string(0.00001)', '1e-05'],
    ['string(1e100)', '1e+100'],
    ['string(2.0)', '2'],
    ['string(-0.0)', '-0'],
    ['string(double("nan")) + string(double("inf")) + string(double("-Infinity"))', 'NaN+Inf-Inf'],
    ['string(2097152)', '2097152'],
    ['string(18446744073709551615u)', '18446744073709551615'],
    ['string(true)', 'true'],
    ['string(b"\\xc3\\xa9")', 'é'],
    ['string(timestamp(0))', '1970-01-01T00:00:00Z'],
    ['string(duration("-90.5s"))', '-90.5s'],
    ['string(duration("1h"))', '3600s'],
    ['bytes("é")', 'w6k='],
    ['bool("True") && !bool("f")', true],
    ['dyn(1) == dyn(1.0)', true],
    ['timestamp(1.0 < 2.0 ? 60 : 0)', '1970-01-01T00:01:00Z'],
    ['timestamp("0001-01-01T00:00:00Z")', '0001-01-01T00:00:00Z'],
    ['timestamp("2024-01-01T00:00:00.123456789123Z")', '2024-01-01T00:00:00.123456789Z'],
    ['duration("1h.5m2.000000001s")', 3_632_000_000_001],
    ['duration("+1µs") == duration("1000ns") && duration("0") == duration("-0s")', true],
    ['duration(1000)', 1000],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test.each([
    'int("")',
    'int(" 1")',
    'int("1_000")',
    'int("0x10")',
    'int("9223372036854775808")',
    'int(9223372036854775807.0)',
    'int(0.0 / 0.0)',
    'int(18446744073709551615u)',
    'uint(-1)',
    'uint(-1.5)',
    'uint("18446744073709551616")',
    'double("")',
    'double("1e999")',
    'double("1_0")',
    'double("x")',
    'bool("yes")',
    'string(b"\\xff")',
    'timestamp("2024-02-30T00:00:00Z")',
    'timestamp("2024-01-01 00:00:00Z")',
    'timestamp("2024-01-01")',
    'timestamp("0000-12-31T00:00:00Z")',
    'timestamp(253402300800)',
    'timestamp("9999-12-31T23:59:59Z") + duration("1s")',
    'duration("1d")',
    'duration("")',
    'duration("1")',
    'duration("3000000h")',
    'duration("2000000h") + duration("2000000h")',
  ])('%s fails', (expression) => {
    expect(() => evaluate(expression)).toThrow(expect.objectContaining({ name: 'CelError', kind: 'evaluation' }));
  });
});

describe('text and sizes', () => {
  test.each([
    ['size("é🙂")', 2],
    ['"".size()', 0],
    ['size(b"\\xff\\xfe") + b"a".size()', 3],
    ['size([1, 2]) + {"a": 1}.size()', 3],
    ['"abc".contains("bc") && "abc".startsWith("ab") && "abc".endsWith("bc")', true],
    ['"abc".contains("")', true],
    ['"abc".matches("^a.c$")', true],
    ['matches("xabcx", "b")', true],
    ['"ABC".matches("(?i)abc")', true],
    ['"a1".matches("(?P<l>[[:alpha:]])\\\\d\\\\z")', true],
    ['["a+", "b"].filter(p, "b".matches(p))', ['b']],
    ['"a".matches("a" + "+")', true],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test('of the input are counted too', () => {
    const input = { text: '🙂', list: [1, 2, 3], map: { a: 1, b: 2 } };
    expect(evaluate('[size(object.text), size(object.list), object.map.size()]', input)).toEqual([1, 3, 2]);
  });

  test('a pattern that is only known later fails on the object', () => {
    const error = expect.objectContaining({ kind: 'evaluation', message: expect.stringMatching(/is not RE2/) });
    expect(() => evaluate('"a".matches(object.p)', { p: '(a' })).toThrow(error);
    expect(() => evaluate('object.p.matches("a")', { p: 5 })).toThrow(/no such overload: matches\(int, string\)/);
  });

  test('many patterns that are only known later are compiled and forgotten', () => {
    const patterns = Array.from({ length: 150 }, (_, index) => `^a${index}$`);
    const program = compileCel('{"x": object.patterns.filter(p, "a7".matches(p))}', undefined);
    expect(program.evaluate({ patterns })).toEqual({ x: ['^a7$'] });
    expect(program.evaluate({ patterns })).toEqual({ x: ['^a7$'] });
  });
});

describe('parts of a time', () => {
  test.each([
    ['getFullYear()', 2024],
    ['getMonth()', 11],
    ['getDate()', 31],
    ['getDayOfMonth()', 30],
    ['getDayOfWeek()', 2],
    ['getDayOfYear()', 365],
    ['getHours()', 23],
    ['getMinutes()', 30],
    ['getSeconds()', 5],
    ['getMilliseconds()', 250],
    ['getFullYear("Europe/Berlin")', 2025],
    ['getHours("Europe/Berlin")', 0],
    ['getDayOfYear("+05:30")', 0],
    ['getHours("-08:00")', 15],
    ['getMinutes("05:45")', 15],
    ['getMilliseconds("America/New_York")', 250],
  ])('%s', (call, value) => {
    expect(evaluate(`timestamp("2024-12-31T23:30:05.25Z").${call}`)).toBe(value);
  });

  test('before 1970 they count from the day before', () => {
    expect(evaluate('timestamp("1969-12-31T23:59:59.75Z").getSeconds()')).toBe(59);
    expect(evaluate('timestamp("1969-12-31T23:59:59.75Z").getMilliseconds()')).toBe(750);
    expect(evaluate('timestamp("1969-12-31T23:59:59.75Z").getMinutes("Asia/Kolkata")')).toBe(29);
  });

  test('of a duration are whole units', () => {
    const expression = '[d.getHours(), d.getMinutes(), d.getSeconds(), d.getMilliseconds()]';
    expect(evaluate(`[duration("-1h30m0.5s")].map(d, ${expression})[0]`)).toEqual([-1, -90, -5400, -5_400_500]);
  });

  test('an unknown time zone fails', () => {
    expect(() => evaluate('timestamp(0).getHours("Mars/Olympus")')).toThrow(/unknown time zone "Mars\/Olympus"/);
  });
});
