import { describe, expect, test } from 'vitest';
import {
  canonicalInteger,
  cloneJson,
  getOwn,
  type Json,
  type JsonObject,
  jsonEqual,
  setOwn,
} from '../../../lib/engine/json.ts';
import { compilePlan, spec, string } from '../../support/plan.ts';

const proto = JSON.parse('{"__proto__": {"a": 1}}') as JsonObject;

describe('jsonEqual', () => {
  test.each<[Json | undefined, Json | undefined, boolean]>([
    [1, 1, true],
    [0, -0, true],
    ['5', 5, false],
    [1e16, 10000000000000000n, true],
    [9007199254740993n, 9007199254740992, false],
    ['10000000000000000', 10000000000000000n, false],
    [null, undefined, false],
    [[1, [2]], [1, [2]], true],
    [[], {}, false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { a: 1, b: null }, false],
    [proto, {}, false],
    [proto, JSON.parse('{"__proto__": {"a": 1}}') as Json, true],
  ])('%s and %s: %s', (a, b, equal) => {
    expect(jsonEqual(a, b)).toBe(equal);
    expect(jsonEqual(b, a)).toBe(equal);
  });
});

test('a copy is deep, and keeps the key __proto__ as data', () => {
  const copy = cloneJson(proto);
  expect(Object.keys(copy)).toEqual(['__proto__']);
  expect(getOwn(copy, '__proto__')).not.toBe(getOwn(proto, '__proto__'));
  expect(getOwn({}, 'constructor')).toBeUndefined();
  const target = {};
  setOwn(target, '__proto__', 1);
  expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
});

test.each([
  [5n, 5],
  [9007199254740991n, 9007199254740991],
  [9007199254740992n, 9007199254740992n],
  [-9007199254740993n, -9007199254740993n],
])('the canonical form of %d is %d', (integer, form) => {
  expect(canonicalInteger(integer)).toBe(form);
});

test('EnumRemap tells strings, numbers, booleans, null and objects apart, and compares numbers by value', async () => {
  const hubs = ['1', 1, true, null, {}, '{}', '\u0000{}', 10000000000000000n];
  const mapping = hubs.map((hub, index) => ({ hub, spoke: `v${index}` }));
  const rule = { strategy: 'EnumRemap', enumRemap: { path: 'spec.t', mapping } };
  const plan = await compilePlan({ hub: spec({ t: string }), spoke: spec({ t: string }), rules: [rule] });
  const mapped = [...hubs, 1e16].map((t) => plan.toSpoke({ metadata: {}, spec: { t } })['spec']);
  expect(mapped).toEqual([...hubs.map((_, index) => ({ t: `v${index}` })), { t: 'v7' }]);
});
