import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, test } from 'vitest';
import { labelCompositions, selectVersion } from '../../lib/cli/authoring/kyverno/policies.ts';
import type { JsonObject } from '../../lib/engine/json.ts';

/** The parts of CEL that Kyverno adds for patches are maps here. */
const cel = new Environment({
  unlistedVariablesAreDyn: true,
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
});
const evaluate = (expression: string, object: JsonObject): unknown =>
  cel.evaluate(
    expression
      .replaceAll('JSONPatch{op:', '{"op":')
      .replaceAll(', path:', ', "path":')
      .replaceAll(', value:', ', "value":'),
    { object },
  );
const matches = ({ spec }: any, object: JsonObject): boolean =>
  spec.matchConditions.every(({ expression }: any) => evaluate(expression, object) === true);
const patchOf = ({ spec }: any, object: JsonObject): unknown =>
  evaluate(spec.mutations[0].jsonPatch.expression, object);

const composite = { group: 'kitchen.example.org', kind: 'XKettle', plural: 'xkettles', machinery: ['spec'] };
const options = { to: 'v2', labelKey: 'example.org/version' };

describe('the policy for Compositions', () => {
  const policy = labelCompositions(composite, options);
  const of = (apiVersion: string, kind: string, labels?: JsonObject) => ({
    metadata: { name: 'c', ...(labels && { labels }) },
    spec: { compositeTypeRef: { apiVersion, kind } },
  });

  test.each([
    ['one of the type', of('kitchen.example.org/v1', 'XKettle'), true],
    ['one with another label', of('kitchen.example.org/v1', 'XKettle', { a: 'b' }), true],
    [
      'one that has the label of another version',
      of('kitchen.example.org/v2', 'XKettle', { 'example.org/version': 'v1' }),
      true,
    ],
    ['not one that has the label', of('kitchen.example.org/v1', 'XKettle', { 'example.org/version': 'v1' }), false],
    ['not one of another kind', of('kitchen.example.org/v1', 'XPan'), false],
    ['not one of a group whose name only ends alike', of('my.kitchen.example.org/v1', 'XKettle'), false],
    ['not one of a group whose name only begins alike', of('kitchen.example.org.uk/v1', 'XKettle'), false],
  ])('labels %s', (_, object, expected) => {
    expect(matches(policy, object)).toBe(expected);
  });
});

describe('the policy for composites', () => {
  const select = { op: 'add', path: '/spec/compositionSelector/matchLabels/example.org~1version', value: 'v2' };

  test.each<[string, JsonObject, readonly JsonObject[]]>([
    [
      'no spec',
      {},
      [{ op: 'add', path: '/spec', value: { compositionSelector: { matchLabels: { 'example.org/version': 'v2' } } } }],
    ],
    [
      'no selector',
      { spec: { size: 1 } },
      [{ op: 'add', path: '/spec/compositionSelector', value: { matchLabels: { 'example.org/version': 'v2' } } }],
    ],
    [
      'an empty selector',
      { spec: { compositionSelector: {} } },
      [{ op: 'add', path: '/spec/compositionSelector/matchLabels', value: { 'example.org/version': 'v2' } }],
    ],
    ['another label', { spec: { compositionSelector: { matchLabels: { tier: 'gold' } } } }, [select]],
    [
      'a Composition and a revision',
      {
        spec: {
          compositionRef: { name: 'c' },
          compositionRevisionRef: { name: 'r' },
          compositionSelector: { matchLabels: {} },
        },
      },
      [{ op: 'remove', path: '/spec/compositionRef' }, { op: 'remove', path: '/spec/compositionRevisionRef' }, select],
    ],
  ])('makes one with %s select the version', (_, object, expected) => {
    const policy = selectVersion(composite, options);
    expect(matches(policy, object)).toBe(true);
    expect(patchOf(policy, object)).toEqual(expected);
  });

  test.each([
    [undefined, 'v1', true],
    [undefined, undefined, true],
    [undefined, 'v2', false],
    ['v1', 'v1', true],
    ['v1', undefined, false],
    ['v1', 'v1beta1', false],
    ['v1', 'v2', false],
  ])('with --from %s one that selects %s is changed: %s', (from, selected, expected) => {
    const labels = selected === undefined ? {} : { 'example.org/version': selected };
    const object = { spec: { compositionSelector: { matchLabels: labels } } };
    expect(matches(selectVersion(composite, { ...options, from }), object)).toBe(expected);
  });

  test('looks below spec.crossplane where Crossplane 2 keeps its fields', () => {
    const policy = selectVersion({ ...composite, machinery: ['spec', 'crossplane'] }, options);
    expect(
      patchOf(policy, { spec: { compositionRef: { name: 'mine' }, crossplane: { compositionRef: { name: 'c' } } } }),
    ).toEqual([
      { op: 'remove', path: '/spec/crossplane/compositionRef' },
      {
        op: 'add',
        path: '/spec/crossplane/compositionSelector',
        value: { matchLabels: { 'example.org/version': 'v2' } },
      },
    ]);
  });

  test('names of policies are DNS names', () => {
    const odd = { ...composite, plural: 'X_Kettles!' };
    expect((labelCompositions(odd, options) as any).metadata.name).toBe('label-compositions-x-kettles');
    expect((selectVersion(odd, options) as any).metadata.name).toBe('set-composition-version-selector-x-kettles');
  });
});
