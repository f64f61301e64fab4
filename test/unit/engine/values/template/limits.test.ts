import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../../lib/engine/json.ts';
import { MAX_OUTPUT, MAX_TEXT } from '../../../../../lib/engine/values/template/limits.ts';
import { parseTemplate, TemplateError } from '../../../../../lib/engine/values/template/template.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const map = (count: number) => Object.fromEntries(numbers(count).map((index) => [`k${index}`, index]));
const text = 'x'.repeat(3_000_000);

function nestedList(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

const data = new Map<string, Json>([
  ['long', numbers(90_000)],
  ['short', numbers(300)],
  ['map', map(50_000)],
  ['text', text],
  // Equal, but another string: comparing them takes all their length.
  ['other', ['x'.repeat(1_500_000), 'x'.repeat(1_500_000)].join('')],
  ['deep', nestedList(5000)],
  ['a', 'x'],
]);

function outcome(template: string): string {
  try {
    return `${parseTemplate(template).render(data).length} characters`;
  } catch (error) {
    if (error instanceof TemplateError && error.kind === 'limit') return error.detail;
    throw error;
  }
}

const repeat = (count: number, part: (index: number) => string) => numbers(count).map(part).join('');

describe('a template that would take too long or too much is ended by a limit', () => {
  test.each([
    [
      'a template that calls itself',
      '{{define "t"}}{{template "t" .}}{{end}}{{template "t" .}}',
      /call each other more than 100 deep/,
    ],
    [
      'the same inside many blocks',
      `{{define "t"}}${'{{if .a}}'.repeat(90)}{{template "t" .}}${'{{end}}'.repeat(90)}{{end}}{{template "t" .}}`,
      /nest their blocks too deep/,
    ],
    [
      'templates that each call the next twice',
      `${repeat(60, (n) => `{{define "t${n}"}}{{template "t${n + 1}" .}}{{template "t${n + 1}" .}}{{end}}`)}{{define "t60"}}{{end}}{{template "t0" .}}`,
      /100000 steps/,
    ],
    ['loops in loops', '{{range .short}}{{range $.short}}{{range $.short}}x{{end}}{{end}}{{end}}', /100000 steps/],
    ['loops in loops without a body', '{{range .long}}{{range $.long}}{{end}}{{end}}', /100000 steps/],
    ['long expressions in a loop', `{{range .long}}{{if and ${'$ '.repeat(10_000)}}}{{end}}{{end}}`, /100000 steps/],
    [
      'a pipeline of thousands in a loop',
      `{{range .long}}{{$x := "a"${' | print'.repeat(5000)}}}{{end}}`,
      /100000 steps/,
    ],
    [
      'a text that doubles',
      '{{$x := "abcdefgh"}}{{range .long}}{{$x = print $x $x}}{{end}}',
      /result of a function is longer/,
    ],
    ['thousands of wide directives', `{{printf "${'%1000000s'.repeat(5000)}" .a}}`, /result of a function is longer/],
    ['thousands of large arguments', `{{$x := print ${'.map '.repeat(5000)}}}`, /result of a function is longer/],
    ['wide text in a loop', '{{range .long}}{{$x := printf "%500000s" $.a}}{{end}}', /100000 steps/],
    ['the length of a long text in a loop', '{{range .long}}{{$x := len $.text}}{{end}}', /100000 steps/],
    ['comparisons of long texts in a loop', '{{range .long}}{{$x := eq $.text $.other}}{{end}}', /100000 steps/],
    ['slices of long lists in a loop', '{{range .long}}{{$x := slice $.long 1}}{{end}}', /100000 steps/],
    [
      'the keys of a large map in a loop',
      '{{range .long}}{{range $.map}}{{break}}{{end}}{{len $.map}}{{end}}',
      /100000 steps/,
    ],
    ['escaping a long text', '{{html .text}}', /result of a function is longer/],
    ['quoting a long text', '{{printf "%q" .text}}', /longer than/],
    ['an output that is too long', '{{.text}}', /output is longer/],
    ['data nested thousands deep', '{{.deep}}', /nested more than 1000 deep/],
    ['parentheses inside each other', `{{${'('.repeat(30_000)}}}`, /nested more than 100 deep/],
    ['blocks inside each other', '{{if .a}}'.repeat(7000), /nested more than 100 deep/],
    ['a text over 64 KiB', 'x'.repeat(MAX_TEXT + 1), /text is longer than 65536/],
  ])('%s', (_name, template, message) => {
    expect(outcome(template)).toMatch(message);
  });
});

describe('what stays below the limits works', () => {
  test.each([
    ['a text of 64 KiB', 'x'.repeat(MAX_TEXT), MAX_TEXT],
    ['an output of 1 MiB', `{{slice .text ${text.length - MAX_OUTPUT}}}`, MAX_OUTPUT],
    ['a loop over tens of thousands', '{{range .long}}x{{end}}', 90_000],
    [
      'a recursion of dozens',
      `{{define "t"}}x{{if lt (len .) 90}}{{template "t" (print . "x")}}{{end}}{{end}}{{template "t" ""}}`,
      91,
    ],
    ['a hundred blocks inside each other', `${'{{if .a}}'.repeat(100)}x${'{{end}}'.repeat(100)}`, 1],
    ['a hundred parentheses', `{{${'('.repeat(100)}.a${')'.repeat(100)}}}`, 1],
    ['thousands of else if', `{{if not .a}}${'{{else if not .a}}'.repeat(3000)}{{else}}x{{end}}`, 1],
    ['thousands of stages', `{{.a${'|print'.repeat(9000)}}}`, 1],
    ['spaces in all places', `${' '.repeat(30_000)}{{- ${' '.repeat(30_000)}.a -}}`, 1],
  ])('%s', (_name, template, length) => {
    expect(outcome(template)).toBe(`${length} characters`);
  });
});
