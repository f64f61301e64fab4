import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../lib/engine/json.ts';
import { CelError, compileCel } from '../../../../../lib/engine/values/cel/cel.ts';

const integer = { type: 'integer' };
const number = { type: 'number' };
const schema: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        n: integer,
        big: integer,
        ratio: number,
        counts: { type: 'object', additionalProperties: integer },
        items: { type: 'array', items: { type: 'object', properties: { n: integer, ratio: number } } },
        matrix: { type: 'array', items: { type: 'array', items: number } },
      },
    },
  },
};
const object: JsonObject = {
  kind: 'Widget',
  metadata: { generation: 3, labels: { 'app.example.org/name': 'web' } },
  spec: {
    n: 5,
    big: 9007199254740993n,
    ratio: 5,
    undeclared: 7,
    half: 0.5,
    name: 'alpha',
    none: null,
    empty: [],
    on: true,
    counts: { a: 1, b: 2 },
    tags: ['x', 'y', 'drop'],
    items: [
      { n: 1, ratio: 2 },
      { n: 2, ratio: 3 },
    ],
    matrix: [[1, 2], [3]],
  },
};

function evaluate(expression: string, input: JsonObject = object): unknown {
  return compileCel(`{"x": ${expression}}`, schema).evaluate(input)['x'];
}

function failure(run: () => unknown): CelError {
  try {
    run();
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('D7: numbers have the types that the schema declares', () => {
  test.each([
    ['object.spec.n / 2', 2],
    ['object.spec.ratio / 2', 2.5],
    ['object.spec.undeclared / 2', 3],
    ['object.spec.half * 2', 1],
    ['object.spec.n % 2', 1],
    ['object.spec.counts.a / 2', 0],
    ['object.spec["n"] / 2', 2],
    ['object.spec.items[1].n / 4', 0],
    ['object.spec.items[1].ratio / 4', 0.75],
    ['object.spec.items.map(i, i.ratio / 2)', [1, 1.5]],
    ['object.spec.matrix.map(row, row.map(cell, cell / 2))', [[0.5, 1], [1.5]]],
    ['[object.spec][0].ratio / 2', 2.5],
    ['(object.spec.on ? object.spec : object.spec).ratio / 2', 2.5],
    ['type(object.spec.n) == int', true],
    ['type(object.spec.ratio) == double', true],
    ['type(object.metadata.generation) == int', true],
    ['object.spec.big + 1', 9007199254740994n],
    ['object.spec.big - 9007199254740990', 3],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test('without a schema whole numbers are ints and others doubles', () => {
    const { x } = compileCel('{"x": [object.a / 2, object.b * 2]}', undefined).evaluate({ a: 5, b: 0.5 });
    expect(x).toEqual([2, 1]);
  });

  test.each([
    ['a fraction in an integer field', { n: 1.5 }, 'object.spec.n * 2', 3],
    ['a whole double beyond int64 in an integer field', { n: 1e300 }, 'object.spec.n', 1e300],
    ['text in an integer field', { n: '5' }, 'object.spec.n + "!"', '5!'],
    ['a uint64 in an integer field', { n: 18446744073709551615n }, 'object.spec.n / 5u', 3689348814741910323n],
    ['a large integer in a number field', { ratio: 9007199254740993n }, 'object.spec.ratio', 9007199254740993n],
  ])('%s keeps its value', (_, spec, expression, value) => {
    expect(evaluate(expression, { spec })).toEqual(value);
  });
});

describe('D7: an int and a double mix', () => {
  test.each([
    ['object.spec.n + 1.0', 6],
    ['object.spec.n + 1', 6],
    ['int(object.spec.n) / 256', 0],
    ['object.spec.n * 2', 10],
    ['object.spec.ratio + 1', 6],
    ['object.spec.n / 2.0', 2.5],
    ['7.5 - object.spec.n', 2.5],
    ['object.spec.n > 4.5 && object.spec.ratio <= 5', true],
    ['object.spec.n == 5.0 && 5u == object.spec.ratio', true],
    ['object.spec.big == 9007199254740992.0', false],
    ['object.spec.big > 9007199254740992.0', true],
    ['2.0 in [1, 2]', true],
    ['{1: "a"}[1.0] + {1u: "b"}[1]', 'ab'],
    ['[1, 2.0, 3u] == [1.0, 2, 3]', true],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });
});

describe('results', () => {
  test.each([
    ['{"spec": {"a": [null, {}, []]}}', { spec: { a: [null, {}, []] } }],
    ['object.spec.none', null],
    ['object.spec.empty', []],
    ['[]', []],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615u', 18446744073709551615n],
    ['5u', 5],
    ['0.1 + 0.2', 0.30000000000000004],
    ['b"ab" + b"\\xff"', 'YWL/'],
    ['timestamp("2024-02-29T12:00:00.120+02:00")', '2024-02-29T10:00:00.12Z'],
    ['duration("1h2.5m")', 3_750_000_000_000],
    ['duration("200000h")', 720_000_000_000_000_000n],
    ['object.spec.items', object['spec'] && (object['spec'] as JsonObject)['items']],
    ['{"__proto__": 1, "constructor": 2}', JSON.parse('{"__proto__": 1, "constructor": 2}')],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toStrictEqual(value);
  });

  test('dotted keys stay as they are', () => {
    const result = compileCel('{"spec.a": object.spec.n, "spec.b": {"c.d": 1}}', schema).evaluate(object);
    expect(result).toEqual({ 'spec.a': 5, 'spec.b': { 'c.d': 1 } });
  });

  test('a map of the input is a result as it is', () => {
    expect(compileCel('object.spec.counts', schema).evaluate(object)).toEqual({ a: 1, b: 2 });
  });

  test('subtrees of the input are shared and the input is not changed', () => {
    const input = deepFreeze({ spec: { list: [1, { a: 2 }] } });
    const { x } = compileCel('{"x": object.spec.list}', undefined).evaluate(input);
    expect(x).toBe(input.spec.list);
  });

  test('a list that the expression made is new in each result', () => {
    const program = compileCel('{"x": [1, {"a": b"x"}]}', undefined);
    expect(program.evaluate({})['x']).not.toBe(program.evaluate({})['x']);
  });

  test.each([
    ['1', 'the result must be a map, not int'],
    ['[1]', 'the result must be a map, not list'],
    ['null', 'the result must be a map, not null_type'],
    ['{1: 2}', 'the keys of the result must be strings, not int 1'],
    ['{"a": {true: 2}}', 'the keys of the result must be strings, not bool true'],
    ['{"a": 0.0 / 0.0}', 'the result holds NaN'],
    ['{"a": [1.0 / 0.0]}', 'the result holds +Inf'],
    ['{"a": int}', 'a result cannot hold a type'],
  ])('%s is no result', (expression, reason) => {
    const error = failure(() => compileCel(expression, undefined).evaluate({}));
    expect(error).toMatchObject({ kind: 'evaluation', message: reason });
  });
});

describe('operators', () => {
  test.each([
    ['-7 / 2', -3],
    ['-7 % 3', -1],
    ['7u / 2u', 3],
    ['"é" + "🙂"', 'é🙂'],
    ['[1] + [2, 3]', [1, 2, 3]],
    ['!object.spec.on', false],
    ['-object.spec.n', -5],
    ['-object.spec.half', -0.5],
    ['object.spec.n > 3 ? "big" : "small"', 'big'],
    ['object.spec.on ? 1 : "one"', 1],
    ['"b" in object.spec.counts', true],
    ['"y" in object.spec.tags', true],
    ['3 in [1, 2]', false],
    ['object.spec.none == null', true],
    ['object.spec.n == object.spec.name', false],
    ['{"a": [1, {"b": null}]} == {"a": [1.0, {"b": null}]}', true],
    ['object.spec.items[0] == {"n": 1, "ratio": 2}', true],
    ['object.spec.counts != {"a": 1, "c": 2}', true],
    ['"\\uff00" < "🙂"', true],
    ['"a" < "ab" && "B" < "a"', true],
    ['false < true && b"a" < b"b"', true],
    ['timestamp(10) - timestamp(4) == duration("6s")', true],
    ['timestamp(10) + duration("1.5s") - duration("500ms")', '1970-01-01T00:00:11Z'],
    ['duration("1m") + duration("1s") > duration("60s")', true],
    ['type(1) == type(2) && type(null) == null_type && type([]) == list', true],
    ['type(timestamp(0)) == google.protobuf.Timestamp', true],
    ['0.0 / 0.0 == 0.0 / 0.0', false],
    ['"""a\n"b"""', 'a\n"b'],
    ['r"\\d" + \'\\u0041\'', '\\dA'],
    ['0x10 + 1e2', 116],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test.each([
    ['false && object.nope', false],
    ['object.nope && false', false],
    ['true || object.nope', true],
    ['object.nope || true', true],
    ['object.spec.n || true', true],
  ])('%s is decided by one operand, whatever the other does', (expression, value) => {
    expect(evaluate(expression)).toBe(value);
  });
});

describe('macros', () => {
  test.each([
    ['has(object.spec.n)', true],
    ['has(object.spec.none)', true],
    ['has(object.spec.nope)', false],
    ['has(object.spec.items[0].n)', true],
    ['has(object.spec.items[0].nope)', false],
    ['has(object.metadata.labels.app)', false],
    ['has(object.spec.none.deep)', false],
    ['has(object.spec.name.deep)', false],
    ['has({"a": 1}.a)', true],
    ['object.spec.items.all(i, i.n > 0)', true],
    ['object.spec.items.all(i, i.n > 1)', false],
    ['object.spec.items.exists(i, i.n == 2)', true],
    ['object.spec.items.exists_one(i, i.n > 0)', false],
    ['object.spec.tags.filter(t, t != "drop").map(t, t + "!")', ['x!', 'y!']],
    ['object.spec.items.map(i, i.n > 1, i.ratio)', [3]],
    ['object.spec.counts.map(key, key)', ['a', 'b']],
    ['object.spec.counts.exists(key, object.spec.counts[key] == 2)', true],
    [
      '[[1, 2], [3]].map(x, x.map(y, [x.size(), y]))',
      [
        [
          [2, 1],
          [2, 2],
        ],
        [[1, 3]],
      ],
    ],
    ['[1, 2].map(x, [x + 1].map(x, x * 10)[0] + x)', [21, 32]],
    ['[1].map(object, object + 1)', [2]],
    ['[1, 2, 3].exists(x, x / 0 == 1 || x == 3)', true],
    ['[{"a": 1}, {}].exists(x, x.a == 1)', true],
    ['[{}, {"a": 1}].all(x, x.a == 2)', false],
    ['[].all(x, false) && ![].exists(x, true)', true],
  ])('%s', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test('deep has() reads its operand, as in cel-go, so guards are written level by level', () => {
    expect(failure(() => evaluate('has(object.nope.deep)')).kind).toBe('absent');
    expect(evaluate('has(object.nope) && has(object.nope.deep)')).toBe(false);
  });
});

describe('keys of objects are data', () => {
  const data: JsonObject = JSON.parse('{"m": {"constructor": "c", "__proto__": {"x": 1}, "": 0, "toString": 2}}');

  test.each([
    ['object.m["constructor"]', 'c'],
    ['object.m.constructor', 'c'],
    ['object.m.__proto__.x', 1],
    ['object.m[""]', 0],
    ['object.m', data['m']],
    ['{"constructor": object.m.constructor}.constructor', 'c'],
    ['has(object.constructor)', false],
    ['has({}.constructor) || has(object.toString)', false],
    ['"__proto__" in object', false],
    ['"__proto__" in object.m', true],
    ['object.m == {"constructor": "c", "__proto__": {"x": 1}, "": 0, "toString": 2}', true],
  ])('%s', (expression, value) => {
    expect(evaluate(expression, data)).toStrictEqual(value);
  });

  test('an inherited name is absent', () => {
    expect(failure(() => evaluate('object.constructor', data)).kind).toBe('absent');
    expect(failure(() => evaluate('object["hasOwnProperty"]', data)).kind).toBe('absent');
  });
});

describe('what fails on an object names the part of the expression', () => {
  test.each([
    ['absent', 'object.spec.nope + 1', 'no such key: nope in object.spec.nope'],
    ['absent', 'object.nope.deep', 'no such key: nope in object.nope'],
    ['absent', 'object.metadata.labels["a"]', 'no such key: a in object.metadata.labels["a"]'],
    ['absent', 'object.spec.none.deep', 'no such key: deep in object.spec.none.deep'],
    ['absent', 'object.spec.name.deep', 'no such key: deep in object.spec.name.deep'],
    ['absent', 'object.nope || false', 'no such key: nope in object.nope'],
    ['absent', '[{}].all(x, x.a == 1)', 'no such key: a in x.a'],
    ['evaluation', 'object.spec.tags.first', 'a list has no field first in object.spec.tags.first'],
    ['absent', 'object.spec.empty[0]', 'index out of bounds: 0 in object.spec.empty[0]'],
    ['absent', 'object.spec.tags[-1]', 'index out of bounds: -1 in object.spec.tags[-1]'],
    ['evaluation', 'object.spec.tags["0"]', 'the index of a list must be an int in object.spec.tags["0"]'],
    ['division', 'object.spec.n / 0', 'division by zero in object.spec.n / 0'],
    ['division', 'object.spec.n % 0', 'modulus by zero in object.spec.n % 0'],
    ['evaluation', '9223372036854775807 + object.spec.n', /^integer overflow in 9223372036854775807/],
    ['evaluation', '-(object.spec.n - 5 - 9223372036854775807 - 1)', /^integer overflow in -\(/],
    ['evaluation', '(object.spec.n - 6 - 9223372036854775807) / (4 - object.spec.n)', /^integer overflow/],
    ['evaluation', '(object.spec.n - 6 - 9223372036854775807) % (4 - object.spec.n)', /^integer overflow/],
    ['evaluation', '1u - 2u', 'unsigned integer overflow in 1u - 2u'],
    ['evaluation', 'object.spec.ratio % 2', 'no such overload: double % int in object.spec.ratio % 2'],
    ['evaluation', 'object.spec.name + object.spec.n', /^no such overload: string \+ int/],
    ['evaluation', 'object.spec.n < object.spec.name', /^no such overload: int < string/],
    ['evaluation', 'object.spec.n in object.spec.name', /^no such overload: int in string/],
    ['evaluation', '-object.spec.name', 'no such overload: -string in -object.spec.name'],
    ['evaluation', 'object.spec.n ? 1 : 2', /a condition must be bool, not int in object\.spec\.n$/],
    ['evaluation', 'object.spec.n && true', /a condition must be bool, not int/],
    ['evaluation', 'object.spec.tags.filter(t, t)', /a condition must be bool, not string/],
    ['evaluation', 'object.spec.n.map(x, x)', /^cannot iterate over int/],
    ['evaluation', 'object.spec.name.getHours()', 'no such overload: getHours(string) in object.spec.name.getHours()'],
    ['evaluation', 'object.spec.name.startsWith(object.spec.n)', /^no such overload: startsWith\(string, int\)/],
    ['evaluation', '{object.spec.half: 1}', /^a map key cannot be double/],
    ['evaluation', '{"a": 1, object.spec.name.startsWith("a") ? "a" : "b": 2}', /^repeated key: a/],
  ])('%s: %s', (kind, expression, message) => {
    const error = failure(() => evaluate(expression));
    expect(error.kind).toBe(kind);
    if (typeof message === 'string') expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
  });
});

describe('what is refused before any object', () => {
  test.each([
    ['', /Unexpected token/],
    ['object.x +', /Unexpected token/],
    ['{"a": 1', /Expected/],
    ['{"a": objec.x}', /undeclared reference to "objec"/],
    ['{"a": x}', /undeclared reference to "x"/],
    ['{"a": 9223372036854775808}', /beyond 64 bits/],
    ['{"a": 18446744073709551616u}', /Invalid integer/],
    ['{"a": "x" + 1}', /no such overload: string \+ int/],
    ['{"a": 1 == "a"}', /no such overload: int == string/],
    ['{"a": 1.0 % 2}', /no such overload: double % int/],
    ['{"a": 1u + 1}', /no such overload: uint \+ int/],
    ['{"a": object + 1}', /no such overload: map \+ int/],
    ['{"a": -"x"}', /no such overload: -string/],
    ['{"a": 1 ? 2 : 3}', /a condition must be bool, not int/],
    ['{"a": !1}', /a condition must be bool, not int/],
    ['{"a": "x".y}', /type string has no fields/],
    ['{"a": "x"[0]}', /type string cannot be indexed/],
    ['{"a": 1.map(x, x)}', /./],
    ['{"a": (1).map(x, x)}', /cannot iterate over int/],
    ['{"a": [1].map(x.y, 1)}', /iteration variable|variable name/],
    ['{"a": [1].all(x)}', /all\(\) takes a variable and a condition/],
    ['{"a": [1].map(x)}', /map\(\) takes a variable and one or two expressions/],
    ['{"a": has(object)}', /has\(\) takes one field selection/],
    ['{"a": has(object["x"])}', /has\(\) takes one field selection/],
    ['{"a": size(1)}', /no such overload: size\(int\)/],
    ['{"a": "x".startsWith()}', /no such overload: startsWith\(string\)/],
    ['{"a": object.x.matches("(?=a)")}', /look-around/],
    ['{"a": matches(object.x, "a(")}', /is not RE2/],
    ['{"a": object.?x}', /./],
  ])('%s', (expression, reason) => {
    const error = failure(() => compileCel(expression, schema));
    expect(error.kind).toBe('compile');
    expect(error.message).toMatch(reason);
  });

  test.each([
    '"a".lowerAscii()',
    '"a".upperAscii()',
    '" a".trim()',
    '"a".indexOf("a")',
    '"a".lastIndexOf("a")',
    '"a".substring(0)',
    '"a,b".split(",")',
    '["a"].join()',
    'b"a".hex()',
    'b"a".base64()',
    'b"{}".json()',
    'b"a".at(0)',
    'cel.bind(x, 1, x)',
    'optional.of(1)',
    'now()',
    'math.greatest(1, 2)',
    '[1].sum()',
  ])('%s is an extension', (expression) => {
    const error = failure(() => compileCel(`{"x": ${expression}}`, undefined));
    expect(error.kind).toBe('compile');
    expect(error.message).toMatch(/only the functions of the CEL standard library|undeclared reference/);
  });

  test('the error shows the line and a caret', () => {
    const error = failure(() => compileCel('{\n  "a": 1,\n  "b": nope(object)\n}', undefined));
    expect(error.message).toBe(
      'unknown function "nope": only the functions of the CEL standard library exist here\n' +
        '3 |   "b": nope(object)\n' +
        '           ^',
    );
  });

  test('a long line is cut around the caret', () => {
    const error = failure(() => compileCel(`{"a": "${'x'.repeat(300)}" + 1, "b": "${'y'.repeat(300)}"}`, undefined));
    const [, line = '', caret = ''] = error.message.split('\n');
    expect(line.length).toBeLessThan(130);
    expect(caret.length).toBeLessThanOrEqual(line.length);
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
