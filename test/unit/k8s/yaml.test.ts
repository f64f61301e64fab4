import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../lib/engine/json.ts';
import { stringifyJson } from '../../../lib/k8s/json.ts';
import { parseYaml } from '../../../lib/k8s/yaml.ts';
import { YamlError } from '../../../lib/k8s/yaml-error.ts';
import { sharedMaterial } from '../../support/shared.ts';

function failure(text: string): YamlError {
  try {
    parseYaml(text);
  } catch (error) {
    if (error instanceof YamlError) return error;
    throw error;
  }
  throw new Error(`no error for ${text.slice(0, 80)}`);
}

const one = (text: string): Json => {
  const documents = parseYaml(text);
  expect(documents).toHaveLength(1);
  return documents[0]?.value as Json;
};

describe('scalars, as kubectl reads them (R46)', () => {
  test.each<[string, Json]>([
    ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE'].map((t): [string, Json] => [t, true]),
    ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE'].map((t): [string, Json] => [
      t,
      false,
    ]),
    ...['', '~', 'null', 'Null', 'NULL'].map((t): [string, Json] => [t, null]),
    ['yES', 'yES'],
    ['0644', 420],
    ['-0644', -420],
    ['0o17', 15],
    ['0x1F', 31],
    ['-0x10', -16],
    ['0b101', 5],
    ['1_000_000', 1000000],
    ['0', 0],
    ['00', 0],
    ['+5', 5],
    ['08', 8],
    ['_1', '_1'],
    ['0x', '0x'],
    ['1:30', '1:30'],
    ['12:30:45', '12:30:45'],
    ['2024-01-02', '2024-01-02'],
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['1.10', 1.1],
    ['1.', 1],
    ['.5', 0.5],
    ['-.5', -0.5],
    ['1e3', 1000],
    ['1E-2', 0.01],
    ['1_0.5', 10.5],
    ['.', '.'],
    ['-x', '-x'],
    ['1.2.3', '1.2.3'],
    ['100m', '100m'],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', 18446744073709551615n],
    ['0xFFFFFFFFFFFFFFFF', 18446744073709551615n],
    ['18446744073709551616', 2 ** 64],
    ['0x10000000000000000', '0x10000000000000000'],
    ['"yes"', 'yes'],
    ["'0644'", '0644'],
    ['"1e3"', '1e3'],
    ['!!str 0644', '0644'],
    ['!!int "0644"', 420],
    ['!!float 5', 5],
    ['!!bool "yes"', true],
    ['! 5', '5'],
    ['<<', '<<'],
  ])('%s', (text, value) => {
    expect(one(`v: ${text}\n`)).toEqual({ v: value });
    if (text !== '') expect(one(`- ${text}\n- 1\n`)).toEqual([value, 1]);
  });

  test.each(['.inf', '-.INF', '+.Inf', '.nan', '.NaN', '1e400', '-1e999', '1_0e400', '9'.repeat(400)])(
    'refuses the number %s, which JSON cannot hold',
    (text) => {
      expect(failure(`a: 1\nb:\n  - ${text}\n`)).toMatchObject({
        line: 3,
        message: `line 3: ${text.slice(0, 64)} is a number that JSON cannot hold`,
        hint: 'put it in quotes if it is text',
      });
      expect(one(`a: "${text}"`)).toEqual({ a: text });
    },
  );

  test.each([
    '!Ref x',
    '!!binary aGk=',
    '!!set {a}',
    '!!timestamp 2024-01-02',
    '!custom [1]',
    '!!int x',
    '!!float ".inf"',
  ])('refuses the tag of %s', (text) =>
    expect(failure(`a: 1\nb: ${text}\n`)).toMatchObject({ line: 2, message: expect.stringMatching(/tag/) }),
  );
});

describe('keys', () => {
  test('become text where they are numbers or booleans, as in kubectl', () => {
    expect(one('1: a\n0644: b\nyes: c\n1.5: d\n9007199254740993: e\n"2": f\n')).toEqual({
      1: 'a',
      420: 'b',
      true: 'c',
      1.5: 'd',
      '9007199254740993': 'e',
      2: 'f',
    });
  });

  test.each(['~: a', '? [1, 2]\n: a', '? {b: 1}\n: a', '{[1]: a}'])('must not be null or a collection: %s', (text) => {
    expect(failure(text)).toMatchObject({
      line: 1,
      message: 'line 1: a key must be a string, a number or a boolean',
      hint: 'put the key in quotes',
    });
  });

  test.each([
    ['a: 1\nb: 2\na: 3\n', 3, 'a'],
    ['x:\n  - k: 1\n    "k": 2\n', 3, 'k'],
    ['1: a\n"1": b\n', 2, '1'],
    ['{"a": 1,\n "a": 2}', 2, 'a'],
  ])('that are there twice are an error with the line: %j', (text, line, key) => {
    expect(failure(text)).toMatchObject({
      line,
      message: `line ${line}: duplicate key "${key}"`,
      hint: 'keep one of the two entries',
    });
  });

  test('keep prototype names as data (C04)', () => {
    const value = one('__proto__: {polluted: 1}\nconstructor: a\nprototype: c\n');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor', 'prototype']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(failure('__proto__: 1\n__proto__: 2\n').line).toBe(2);
  });
});

describe('anchors and merge keys', () => {
  test('are written out', () => {
    expect(one('a: &x {k: 1, m: 2}\nb: *x\nc: [*x, *x]\n')).toEqual({
      a: { k: 1, m: 2 },
      b: { k: 1, m: 2 },
      c: [
        { k: 1, m: 2 },
        { k: 1, m: 2 },
      ],
    });
  });

  test('merge one mapping or a list of them; own keys win, then the first', () => {
    const text = 'p: &p {a: 1, b: 1}\nq: &q {b: 2, c: 2}\nr: {<<: [*p, *q], c: 3}\ns: {a: 9, <<: *p}\nt: {"<<": 1}\n';
    expect(one(text)).toMatchObject({ r: { a: 1, b: 1, c: 3 }, s: { a: 9, b: 1 }, t: { '<<': 1 } });
  });

  test.each([
    ['a: *nope', /unidentified alias/],
    ['a: {<<: 1}', /cannot merge/],
    ['a: &a [1, *a]', /anchor "a" contains itself/],
    ['a: &a {b: {c: *a}}', /anchor "a" contains itself/],
  ])('%s is refused', (text, reason) => {
    expect(failure(text)).toMatchObject({ line: 1, message: expect.stringMatching(reason) });
  });

  test.each(['list', 'merge'])(
    'that expand without bound (billion laughs by %s) are refused before they do',
    (kind) => {
      const repeated = (name: string) =>
        kind === 'list' ? `[${`*${name},`.repeat(10)}]` : `{<<: *${name}, x: [${`*${name},`.repeat(10)}]}`;
      let text = `a0: &a0 ${kind === 'list' ? '[lol]' : '{k: lol}'}\n`;
      for (let level = 1; level < 30; level++) text += `a${level}: &a${level} ${repeated(`a${level - 1}`)}\n`;
      expect(failure(text)).toMatchObject({
        line: expect.any(Number),
        message: expect.stringMatching(/aliases expand to more than 16777216 characters/),
      });
    },
  );

  test('of an earlier document are unknown in the next', () => {
    expect(failure('a: &x 1\n---\nb: *x\n')).toMatchObject({
      line: 3,
      message: expect.stringMatching(/unidentified alias/),
    });
  });
});

describe('documents', () => {
  test('come in order, without the empty ones', () => {
    const text = '# only a comment\n---\n---\na: 1\n---\n~\n...\n---\nb: 2\n---\n';
    expect(parseYaml(text).map(({ value }) => value)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(parseYaml('')).toEqual([]);
    expect(parseYaml('\ufeff# nothing\n')).toEqual([]);
  });

  test('of kind List stand for their items, also nested ones', () => {
    const text = `
apiVersion: v1
kind: List
items:
- kind: A
  spec: {x: 1}
- kind: List
  items: [{kind: B}]
---
kind: C
---
kind: List
items: []
---
kind: WidgetList
items: [{kind: D}]
`;
    const documents = parseYaml(text);
    expect(documents.map(({ value }) => value)).toEqual([
      { kind: 'A', spec: { x: 1 } },
      { kind: 'B' },
      { kind: 'C' },
      { kind: 'WidgetList', items: [{ kind: 'D' }] },
    ]);
    expect(documents[0]?.lineOf(['spec', 'x'])).toBe(6);
    expect(documents[1]?.lineOf(['kind'])).toBe(8);
    expect(documents[2]?.lineOf(['kind'])).toBe(10);
  });

  test('may start with a byte order mark and end lines in any way', () => {
    expect(one('\ufeffa: 1\r\nb: 2\r\n')).toEqual({ a: 1, b: 2 });
  });

  test.each([
    ['a: 1\n\tb: 2\n', 2, /tab characters/],
    ['a: [1\n', 2, /./],
    ['a: b: c\n', 1, /./],
    ['a: 1\n b: 2\n', 2, /bad indentation/],
    ['a: 1\nb: \u0007\n', 2, /non-printable/],
    [`a: ${'['.repeat(1000)}${']'.repeat(1000)}`, 1, /maxDepth/],
    ['a: \0', 1, /null byte/],
  ])('that are malformed are refused with the line: %j', (text, line, reason) => {
    expect(failure(text)).toMatchObject({ line, message: expect.stringMatching(reason) });
  });

  test('are quoted in messages only in part', () => {
    expect(failure(`a: *${'x'.repeat(10_000)}`).message.length).toBeLessThan(300);
    expect(failure(`a: !${'x'.repeat(10_000)} b`).message.length).toBeLessThan(300);
  });

  test('take 400 levels and refuse a text that is too long', () => {
    expect(() => parseYaml(`${'['.repeat(400)}${']'.repeat(400)}`)).not.toThrow();
    expect(() =>
      parseYaml(`${Array.from({ length: 100 }, (_, i) => `${'  '.repeat(i)}a:`).join('\n')} 1`),
    ).not.toThrow();
    expect(failure(`a: ${'x'.repeat(16 * 1024 * 1024)}`).message).toBe('the text is longer than 16777216 characters');
  });
});

describe('lineOf', () => {
  const text = `# comment
spec:
  group: demo.example.test
  versions:
    - name: v1
      served: true

    -
      name: v2
  "quoted": {flow: [1,
    2]}
  1: number
base: &base
  shared: x
derived:
  <<: *base
  own: y
list: [*base]
text: |
  a
  b
after: 1
`;
  const [document] = parseYaml(text);

  test.each<[(string | number)[], number | undefined]>([
    [[], 2],
    [['spec'], 2],
    [['spec', 'group'], 3],
    [['spec', 'versions'], 4],
    [['spec', 'versions', 0], 5],
    [['spec', 'versions', 0, 'served'], 6],
    [['spec', 'versions', 1, 'name'], 9],
    [['spec', 'quoted', 'flow', 1], 11],
    [['spec', '1'], 12],
    [['derived', 'shared'], 14],
    [['derived', 'own'], 17],
    [['list', 0, 'shared'], 14],
    [['after'], 22],
    [['spec', 'nope'], undefined],
    [['spec', 'versions', 2], undefined],
    [['spec', 'group', 'deeper'], undefined],
    [['constructor'], undefined],
  ])('%j is line %s', (path, line) => expect(document?.lineOf(path)).toBe(line));

  test('counts Windows and old Mac line ends, and lines of earlier documents', () => {
    expect(parseYaml('a: 1\r\nb: 2\r\n')[0]?.lineOf(['b'])).toBe(2);
    expect(parseYaml('a: 1\n---\nb:\n  - 1\n  - 2\n')[1]?.lineOf(['b', 1])).toBe(5);
  });
});

describe('JSON text', () => {
  test('is read with all digits', () => {
    expect(one('{"a": 9007199254740993,\n\t"b": [1.0, "yes", null, "\\ud83d\\ude00\\/"]}')).toEqual({
      a: 9007199254740993n,
      b: [1, 'yes', null, '😀/'],
    });
  });

  test('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify({ value }, null, indent);
        // Control characters beyond JSON's own are no YAML, and refused.
        fc.pre(!/[\u007f-\u0084\u0086-\u009f\ufffe\uffff]/.test(text));
        expect(stringifyJson(one(text))).toBe(stringifyJson(JSON.parse(text)));
      }),
      { numRuns: 1000 },
    );
  });
});

const { path: folder, missing } = sharedMaterial('real-crds');

test.skipIf(missing !== undefined)(`reads CRDs of real projects${missing ? ` (${missing})` : ''}`, () => {
  for (const file of readdirSync(folder)) {
    const documents = parseYaml(readFileSync(join(folder, file), 'utf8'));
    expect(documents.map(({ value }) => (value as { kind: string }).kind)).toEqual(['CustomResourceDefinition']);
  }
});
