import fc from 'fast-check';
import { CORE_SCHEMA, load, loadAll, YAML11_SCHEMA } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { renderYaml, renderYamlStream } from '../../lib/cli/output/yaml.ts';
import type { Json } from '../../lib/engine/json.ts';
import { parseYaml } from '../../lib/k8s/yaml.ts';

/** Texts that YAML 1.1, YAML 1.2 or kubectl take for something else when they are not quoted. */
const TRAPS = [
  ...['y', 'Yes', 'NO', 'on', 'off', 'true', 'FALSE', 'null', '~', '', '<<', '=', '---', '...', '-', '?', ':'],
  ...['0644', '0o644', '0x1F', '0b11', '1_000', '0_1', '0b1_1', '1:30', '1:30.5', '190:20:30', '+1', '-0', '08'],
  ...['1e3', '1e400', '.inf', '-.INF', '.nan', '.5', '5.', '1_0e5', '1.e+5', '2020-01-01', '2020-01-01T00:00:00Z'],
  ...['a: b', '# x', 'a #b', '- a', ' x', 'x ', '\t', '@x', '`x', '%x', '!x', '&a', '*a', '{a}', '[a]', '"q"', "it's"],
  ...['a\nb', 'a\n', '\n', '\u0085', '\u2028', '\u0000', 'é🙂', '|', '>', ',', '::'],
];

describe('texts that look like something else', () => {
  test.each(TRAPS)('%j stays text, as a value, as a key and in a list', (trap) => {
    for (const value of [trap, { [trap]: trap }, [trap]]) {
      const yaml = renderYaml(value);
      expect(parseYaml(yaml)[0]?.value ?? null).toEqual(value);
      expect(load(yaml, { schema: CORE_SCHEMA })).toEqual(value);
      expect(load(yaml, { schema: YAML11_SCHEMA })).toEqual(value);
    }
  });

  test('any text stays text', async () => {
    await fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 8 }), (text) => {
        expect(parseYaml(renderYaml({ text }))[0]?.value).toEqual({ text });
      }),
    );
  });
});

test.each<[string, Json]>([
  ['integers beyond 2^53', [9007199254740993n, 18446744073709551615n, -9223372036854775808n]],
  ['doubles', [0.1, -2.5, 1e21, 1e-7, 1e300, 1.5e-10]],
  ['empty and nested collections', { a: {}, b: [], c: [[1, [2]], { d: [{ e: {} }] }] }],
  ['keys of every kind', JSON.parse('{"__proto__": {"constructor": 1}, "10": "a", "a.b/c": null}')],
])('%s come back as they were', (_title, value) => {
  expect(parseYaml(renderYaml(value))[0]?.value).toEqual(value);
});

test('long lines are not folded, lists are not indented, and equal parts are written out', () => {
  const part = { name: 'a'.repeat(200), words: 'word '.repeat(60).trim() };
  const yaml = renderYaml({ list: [part, part] });
  expect(yaml.split('\n')).toHaveLength(6);
  expect(yaml).toMatch(/^list:\n- name: a+\n {2}words: word/);
  expect(yaml).not.toMatch(/[&*]/);
});

test('documents of a stream stay documents', () => {
  const documents: Json[] = [{ a: 1 }, { text: '---\nb: 2\n' }, { c: [] }];
  expect(loadAll(renderYamlStream(documents))).toEqual(documents);
});
