import { expect, test } from 'vitest';
import { parseTemplate } from '../../../../../lib/engine/values/template/template.ts';

test.each<[string, string[]]>([
  ['plain', []],
  ['{{.value}}{{.unit}}', ['unit', 'value']],
  ['{{.a.b}}{{.a.c}}', ['a']],
  ['v{{.value}}{{if .unit}}.{{.unit}}{{end}}', ['unit', 'value']],
  ['{{if .a}}{{.b}}{{else if .c}}{{.d}}{{else}}{{.e}}{{end}}', ['a', 'b', 'c', 'd', 'e']],
  ['{{range .items}}{{.name}}{{$.sep}}{{else}}{{.none}}{{end}}', ['items', 'none', 'sep']],
  ['{{with .a}}{{.b}}{{else}}{{.c}}{{end}}', ['a', 'c']],
  ['{{with .}}{{.b}}{{end}}', ['b']],
  ['{{$d := .}}{{with .a}}{{$d.b}}{{end}}{{$x := .c}}{{$x.d}}', ['a', 'b', 'c']],
  ['{{range $k, $v := .}}{{$k}}{{$v.x}}{{end}}', []],
  ['{{index . "some-key"}}{{index .m "k"}}', ['m', 'some-key']],
  ['{{printf "%s" (print .a | len | print .b)}}', ['a', 'b']],
  ['{{(.).a}}{{(.m).b}}', ['a', 'm']],
  ['{{define "t"}}{{.a}}{{template "u" .}}{{end}}{{define "u"}}{{$.b}}{{end}}{{template "t" .}}', ['a', 'b']],
  ['{{define "t"}}{{.x}}{{end}}{{template "t" .a}}{{block "b" .}}{{.c}}{{end}}', ['a', 'c']],
  ['{{define "t"}}{{.x}}{{end}}', []],
  ['{{.__proto__}}', ['__proto__']],
])('%s names the fields %o', (template, fields) => {
  expect(parseTemplate(template).fields).toEqual(fields);
});
