import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../lib/engine/json.ts';
import { compileCel } from '../../../../../lib/engine/values/cel/cel.ts';

const thousand = Array.from({ length: 1000 }, (_, index) => index);
const object: JsonObject = {
  million: Array.from({ length: 1_000_000 }, (_, index) => index),
  thousand,
  wide: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, index])),
  text: 'a'.repeat(1_000_000),
  other: `${'a'.repeat(999_999)}b`,
  page: 'ab'.repeat(4096),
};
const twice = (condition: string) => `object.thousand.exists(x, object.thousand.exists(y, ${condition}))`;

/** `[seed].map(a1, [step of a1].map(a2, …a40))`: what doubles in each step is 2^40 times as large. */
function doubling(seed: string, step: (name: string) => string): string {
  let expression = 'a40';
  for (let level = 40; level > 0; level--) {
    expression = `[${level === 1 ? seed : step(`a${level - 1}`)}].map(a${level}, ${expression})`;
  }
  return expression;
}

describe('an evaluation that costs more than a million steps ends', () => {
  test.each([
    ['all over a million', 'object.million.all(x, true)'],
    ['exists over a million', 'object.million.exists(x, false)'],
    ['exists_one over a million', 'object.million.exists_one(x, x == 1)'],
    ['map over a million', 'object.million.map(x, x)'],
    ['filter over a million', 'object.million.filter(x, x > 0)'],
    ['three loops in each other', 'object.thousand.map(x, object.thousand.map(y, object.thousand.map(z, x + y + z)))'],
    ['errors that exists absorbs', 'object.million.exists(x, x.a == 1)'],
    ['errors that || absorbs', 'object.million.exists(x, x.a == 1 || x.b == 1)'],
    ['nothing absorbs the limit', `${twice('x + y < 0')} || true`],
    ['texts that double', doubling('object.text', (name) => `${name} + ${name}`)],
    ['lists that double', doubling('object.thousand', (name) => `${name} + ${name}`)],
    ['a result that doubles', doubling('"ab"', (name) => `[${name}, ${name}]`)],
    ['a result that repeats the input', 'object.thousand.map(x, object.thousand)'],
    ['a result that repeats a long key', 'object.thousand.map(x, {object.text: x})'],
    ['membership in a million', twice('-1 in object.million')],
    ['comparing long texts', twice('object.text == object.other')],
    ['ordering long texts', twice('object.text < object.other && false')],
    ['searching long texts', twice('object.text.contains(object.other)')],
    ['counting long texts', twice('size(object.text) == 1')],
    ['converting long texts', twice('double(object.text) == 1.0')],
    ['counting wide maps', twice('size(object.wide) == 1')],
    ['iterating wide maps', twice('object.wide.all(key, false)')],
    ['comparing wide maps', twice('object.wide == {"a": 1}')],
    ['long lists made again and again', `object.thousand.map(x, object.thousand.map(y, [${'1,'.repeat(900)}]))`],
    ['regular expressions', twice('object.page.matches("(?:a|b)*a(?:a|b){500}[cd]")')],
    ['patterns made again and again', twice('object.page.matches("(a|b)*c" + string(x) + string(y))')],
    ['time zones', twice('timestamp(x).getHours("Europe/Paris") == 24')],
  ])(
    '%s',
    (_, expression) => {
      const program = compileCel(`{"x": ${expression}}`, undefined);
      expect(() => program.evaluate(object)).toThrow(expect.objectContaining({ name: 'CelError', kind: 'limit' }));
    },
    10_000,
  );

  test('the error says so', () => {
    const program = compileCel('{"x": object.million.all(x, true)}', undefined);
    expect(() => program.evaluate(object)).toThrow(
      'the evaluation costs more than 1000000 steps in object.million.all(x, true)',
    );
  });

  test('the next evaluation starts anew', () => {
    const program = compileCel('{"x": size(object.list.map(x, x))}', undefined);
    expect(() => program.evaluate({ list: object['million'] as number[] })).toThrow();
    expect(program.evaluate({ list: thousand })).toEqual({ x: 1000 });
  });

  test('the input may be in the result once, however large it is', () => {
    expect(compileCel('{"x": object}', undefined).evaluate(object)['x']).toBe(object);
  });

  test('a text above 8 KiB is no input for a pattern', () => {
    const program = compileCel('{"x": object.text.matches("a") || true}', undefined);
    expect(() => program.evaluate({ text: 'é'.repeat(4097) })).toThrow(
      expect.objectContaining({ kind: 'limit', message: expect.stringMatching(/8194 bytes.* 8192 bytes/) }),
    );
  });

  test('objects that nest too deeply for the stack are refused', () => {
    let [left, right]: JsonObject[] = [{}, {}];
    for (let depth = 0; depth < 100_000; depth++)
      [left, right] = [{ a: left as JsonObject }, { a: right as JsonObject }];
    const program = compileCel('{"x": object.left == object.right}', undefined);
    expect(() => program.evaluate({ left: left as JsonObject, right: right as JsonObject })).toThrow(
      expect.objectContaining({ kind: 'limit' }),
    );
  });
});

describe('an expression that is too large is refused', () => {
  test.each([
    ['text', `{}${' '.repeat(16 * 1024)}`, /16386 characters, the limit is 16384/],
    ['parentheses', `${'('.repeat(5000)}1${')'.repeat(5000)}`, /maxDepth/],
    ['negations', `{"x": ${'!'.repeat(16_000)}true}`, /nests too deeply/],
    ['lists', `${'['.repeat(5000)}${']'.repeat(5000)}`, /maxDepth/],
    ['fields', `{"x": object${'.a'.repeat(5000)}}`, /maxDepth/],
    ['operators', `{"x": 1${'+1'.repeat(600)}}`, /deeper than 500 levels/],
    ['nodes', `[${'1+1,'.repeat(900)}${'[1,1,1,1],'.repeat(1100)}]`, /max(AstNodes|ListElements)/],
  ])('%s', (_, expression, reason) => {
    expect(() => compileCel(expression, undefined)).toThrow(
      expect.objectContaining({ kind: 'compile', message: expect.stringMatching(reason) }),
    );
  });

  test('a chain of 200 choices is not too large', () => {
    const choices = Array.from({ length: 200 }, (_, index) => `object.n == ${index} ? "n${index}" : `).join('');
    expect(compileCel(`{"x": ${choices}"other"}`, undefined).evaluate({ n: 199 })).toEqual({ x: 'n199' });
  });
});
