import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../../lib/engine/json.ts';
import { parseTemplate, TemplateError } from '../../../../../lib/engine/values/template/template.ts';

function render(template: string, data: Record<string, Json> = {}): string {
  return parseTemplate(template).render(new Map(Object.entries(data)));
}

function failure(action: () => unknown): TemplateError {
  try {
    action();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('expected a TemplateError');
}

describe('numbers (D10)', () => {
  test.each<[string, Json, string]>([
    ['{{.v}}', 2097152, '2097152'],
    ['{{.v}}', -1e6, '-1000000'],
    ['{{.v}}', -0, '-0'],
    ['{{.v}}', 1e21, '1000000000000000000000'],
    ['{{.v}}', 18446744073709551615n, '18446744073709551615'],
    ['{{.v}}', -9223372036854775808n, '-9223372036854775808'],
    ['{{.v}}', [9007199254740993n, 1e6], '[9007199254740993 1000000]'],
    ['{{printf "%d %v %s" .v .v "x"}}', 9007199254740993n, '9007199254740993 9007199254740993 x'],
    ['{{printf "%.0f %.2e %x %T" .v .v .v .v}}', 9007199254740993n, '9007199254740993 9.01e+15 20000000000001 int64'],
    [
      '{{printf "%+d|%025d|%-20d|" .v .v .v}}',
      -9007199254740993n,
      '-9007199254740993|-000000009007199254740993|-9007199254740993   |',
    ],
    [
      '{{gt .v 9007199254740992}} {{eq .v 9007199254740993}} {{eq .v 9007199254740992.0}}',
      9007199254740993n,
      'true true false',
    ],
    ['{{if .v}}yes{{end}}', 9007199254740993n, 'yes'],
    ['{{9007199254740993}}', null, '9007199254740993'],
    ['{{.v}}', 1.5, '1.5'],
    ['{{.v}}', 1234567.8, '1.2345678e+06'],
    ['{{.v}}', 0.00001, '1e-05'],
  ])('%s of %s prints %s %s', (template, v, expected) => {
    expect(render(template, { v })).toBe(expected);
  });

  test('a whole number of the data compares with integers and with decimals', () => {
    expect(render('{{gt .v 3}} {{gt .v 3.0}} {{eq .v 5}} {{eq .v 5.0}} {{lt .v 4.5}}', { v: 5 })).toBe(
      'true true true true false',
    );
  });
});

describe('data', () => {
  test('an absent key that is used fails as missing, wherever it stands', () => {
    for (const template of ['{{.a}}', '{{if .a}}{{end}}', '{{print "x" .a}}', '{{range .a}}{{end}}', '{{$.b.c}}']) {
      expect(failure(() => render(template, { b: {} })).kind).toBe('missing');
    }
  });

  test('what fails because index found nothing fails as missing too; a null fails as it is', () => {
    for (const template of [
      '{{(index .m "k").x}}',
      '{{index .m "k" "x"}}',
      '{{len (index .m "k")}}',
      '{{lt (index .m "k") 1}}',
    ]) {
      expect(failure(() => render(template, { m: {} })).kind).toBe('missing');
      expect(failure(() => render(template, { m: { k: null } })).kind).toBe('execution');
    }
  });

  test('an absent key is no failure in a branch that is not taken', () => {
    expect(render('{{if .a}}{{.missing}}{{else}}{{or "x" .missing}}{{end}}', { a: false })).toBe('x');
  });

  test('null prints as Go prints nil', () => {
    expect(render('{{.n}}|{{print .n}}|{{.l}}', { n: null, l: [null] })).toBe('<no value>|<nil>|[<nil>]');
  });

  test('__proto__, constructor and toString are keys like others', () => {
    const data = JSON.parse('{"__proto__": {"constructor": "c"}, "toString": "t"}') as Record<string, Json>;
    expect(render('{{.__proto__.constructor}}{{.toString}}{{index . "__proto__"}}', data)).toBe('ctmap[constructor:c]');
    expect(failure(() => render('{{.constructor}}')).kind).toBe('missing');
    expect(failure(() => render('{{.m.hasOwnProperty}}', { m: {} })).kind).toBe('missing');
  });

  test('data is only read, and a template holds nothing of a rendering', () => {
    const data = { l: Object.freeze(['b', 'a']), m: Object.freeze({ z: 1, a: 2 }) };
    const template = parseTemplate('{{$x := "0"}}{{range .l}}{{$x = print $x .}}{{end}}{{$x}}{{.m}}{{slice .l 1}}');
    const map = new Map(Object.entries(data));
    expect(template.render(map)).toBe('0bamap[a:2 z:1][a]');
    expect(template.render(map)).toBe('0bamap[a:2 z:1][a]');
  });

  test('text is never cut inside a character', () => {
    expect(failure(() => render('{{slice .s 0 1}}', { s: 'é' })).message).toBe(
      'template 1:3: slice: the slice from byte 0 to 1 cuts a character in two',
    );
  });
});

describe('errors name the place and what to do', () => {
  test.each([
    ['{{ .value | nope }}', 'template 1:13: the function nope is not defined; the functions are and, eq, ge,'],
    ['a\n  {{.value', 'template 2:3: the action is not closed; end it with }}'],
    ['{{.some-key}}', 'template 1:8: unexpected "-" after .some; a key with such a character is read with index'],
    ['{{if .a}}\n{{if .b}}x{{end}}', 'template 1:1: if has no {{end}}'],
    ['x{{end}}', 'template 1:2: {{end}} without an if, with, range, define or block'],
    ['{{$x}}', 'template 1:3: the variable $x is not declared; declare it with {{$x := …}}'],
    ['{{template "t" .}}', 'template 1:1: the template "t" is not defined; define it with {{define "…"}}'],
    ['{{len .a .b}}', 'template 1:3: len takes 1 argument, not 2'],
    ['{{eq .a}}', 'template 1:3: eq takes at least 2 arguments, not 1'],
    ['{{slice}}', 'template 1:3: slice takes 1 to 4 arguments, not 0'],
    ['{{call .f}}', 'template 1:3: call is not supported: the data holds no functions'],
    [
      '{{printf "%y" .a}}',
      'template 1:10: printf: no verb is known at "%y"; write %% for a percent sign, or one of v s',
    ],
    [
      '{{printf "%[1]s" .a}}',
      'template 1:10: printf: the argument index in "%[1]s" is not supported; repeat the argument',
    ],
    ['{{printf "%9999999d" 1}}', 'template 1:10: printf: the width or precision of %9999999d is over 1000000'],
    ['{{.a .b}}', 'template 1:3: .a is not a function, so it takes no argument'],
    ['{{if ($x := .a)}}{{end}}', 'template 1:7: declare $x in an action of its own: {{$x := …}}'],
    ['{{"a\\q"}}', 'template 1:3: unexpected "a\\q": not a string literal of Go'],
    ['{{1i}}', 'template 1:3: unexpected 1i: not an integer of 64 bits or a decimal number'],
    ['{{block "b"}}', 'template 1:12: block needs a value'],
  ])('%s', (template, message) => {
    const error = failure(() => parseTemplate(template));
    expect(error.kind).toBe('parse');
    expect(error.message.startsWith(message), error.message).toBe(true);
  });

  test.each<[string, Record<string, Json>, string]>([
    ['{{.unit}}', {}, 'template 1:3: there is no "unit" in the data'],
    ['\n{{.a.b}}', { a: 'text' }, 'template 2:3: cannot take "b" of a string; only a map has fields'],
    ['{{.a.b}}', { a: null }, 'template 1:3: cannot take "b" of null'],
    ['{{range .a}}{{end}}', { a: 'text' }, 'template 1:1: range needs a list or a map, not a string'],
    ['{{lt .a 1}}', { a: '1' }, 'template 1:3: lt: a string and a whole number cannot be compared'],
    ['{{index .a 3}}', { a: [1] }, 'template 1:3: index: the index 3 is out of range'],
    ['{{printf .a 3}}', { a: '%y' }, 'template 1:3: printf: no verb is known at "%y"'],
    [
      '{{printf "%x" .a}}',
      { a: 2.5 },
      'template 1:3: printf: %x of a fraction (2.5) is not supported; use %f, %e or %g',
    ],
  ])('%s of %o', (template, data, message) => {
    const error = failure(() => render(template, data));
    expect(error.message.startsWith(message), error.message).toBe(true);
  });

  test('a message does not repeat a long literal', () => {
    expect(failure(() => parseTemplate(`{{${'1'.repeat(60_000)}}}`)).message.length).toBeLessThan(500);
  });
});

test('whatever the text and the data, a result is text and a failure is a TemplateError', () => {
  const fragment = fc.constantFrom(
    ...'{{ }} {{- -}} {{if {{else}} {{end}} {{range {{with {{define "t"}} {{template "t" {{break}} /* */ . .a .b.c $ $x'.split(
      ' ',
    ),
    ...':= = | ( ) , "s" `r` 1 2.5 nil true printf print len index slice eq lt and or not html js urlquery " "%d" {{.a}}'.split(
      ' ',
    ),
    ' ',
    '\n',
    'é',
  );
  const template = fc.array(fc.oneof(fragment, fc.constant(' '), fc.string({ maxLength: 3 })), { maxLength: 25 });
  const data = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.jsonValue() as fc.Arbitrary<Json>);
  fc.assert(
    fc.property(template, data, (parts, values) => {
      try {
        expect(typeof render(parts.join(''), values)).toBe('string');
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError);
      }
    }),
    { numRuns: 3000 },
  );
});
