import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/engine/json.ts';
import { analysePlan, array, object, openMap, spec, string } from '../../support/plan.ts';

const rename = (hubPath: string, spokePath: string) => ({
  strategy: 'FieldRename',
  fieldRename: { hubPath, spokePath },
});

describe('a part that server-side apply drops stays where the other version owns the whole (measured on Kubernetes)', () => {
  const two = object({ name: string, cidr: string });
  const atomic = { ...two, 'x-kubernetes-map-type': 'atomic' };
  const map = { type: 'object', additionalProperties: object({ cidr: string }) };
  const list = array(two);
  const keyed = array(two, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] });
  const set = array(string, { 'x-kubernetes-list-type': 'set' });
  const lossy = { acknowledgeLossy: true, reason: 'r' };
  const one = { hubPath: 'spec.h', spokePath: 'spec.s' };
  const rule = (strategy: string, more: JsonObject = {}, params: JsonObject = one): JsonObject => ({
    strategy,
    ...lossy,
    [`${strategy.charAt(0).toLowerCase()}${strategy.slice(1)}`]: { ...params, ...more },
  });
  const byName = { keyField: 'name' };
  const comma = { separator: ',' };
  const each = { hubItemsPath: 'spec.h', spokeItemsPath: 'spec.s' };
  const sameFields = { rules: [rename('name', 'name'), rename('cidr', 'cidr')] };

  test.each<[string, JsonObject, JsonObject, JsonObject, string[]]>([
    ['a list and a map', list, map, rule('ArrayToMapByKey', byName), ['spec.s']],
    ['a keyed list and a map', keyed, map, rule('ArrayToMapByKey', byName), []],
    [
      'a list and an atomic map',
      list,
      { ...map, 'x-kubernetes-map-type': 'atomic' },
      rule('ArrayToMapByKey', byName),
      [],
    ],
    ['a map and a list', map, list, rule('MapToArrayByKey', byName), ['spec.h']],
    ['a list of one and an object', list, two, rule('SingletonArrayToObject'), ['spec.s']],
    ['a list of one and an atomic object', list, atomic, rule('SingletonArrayToObject'), []],
    ['an object and a list of one', two, list, rule('ObjectToSingletonArray'), ['spec.h']],
    ['an object of one field, dropped with it', object({ name: string }), list, rule('ObjectToSingletonArray'), []],
    ['a set and a text', set, string, rule('ListJoin', comma), ['spec.h']],
    ['a list and a text', array(string), string, rule('ListJoin', comma), []],
    ['a text and a set', string, set, rule('ListSplit', comma), ['spec.s']],
    ['a list that is keyed at one version', list, keyed, rule('FieldRename'), ['spec.s']],
    ['lists that are keyed at both versions', keyed, keyed, rule('FieldRename'), []],
    ['items of a list that is keyed at one version', keyed, list, rule('ForEach', sameFields, each), ['spec.h']],
    [
      'maps of which one is atomic',
      openMap,
      { ...openMap, 'x-kubernetes-map-type': 'atomic' },
      rule('MapKeyRename', { renames: { a: 'b' } }),
      ['spec.h'],
    ],
  ])('%s', async (_what, hubField, spokeField, given, expected) => {
    const { diagnostics } = await analysePlan({
      hub: spec({ h: hubField }),
      spoke: spec({ s: spokeField }),
      rules: [given],
    });
    const found = diagnostics.filter(({ code }) => code === 'DROPPED_PART_STAYS');
    expect(found.map(({ path }) => path)).toEqual(expected);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test.each<[string, JsonObject, JsonObject, string[]]>([
    [
      'an object in an annotation',
      two,
      rule('ToAnnotation', { restoreOnReverse: true }, { hubPath: 'spec.h', key: 'k' }),
      ['spec.h'],
    ],
    [
      'an atomic object in an annotation',
      atomic,
      rule('ToAnnotation', { restoreOnReverse: true }, { hubPath: 'spec.h', key: 'k' }),
      [],
    ],
    ['a text in a label', string, rule('ToLabel', { restoreOnReverse: true }, { hubPath: 'spec.h', key: 'k' }), []],
  ])('%s', async (_what, field, given, expected) => {
    const { diagnostics } = await analysePlan({ hub: spec({ h: field }), spoke: spec({}), rules: [given] });
    expect(diagnostics.filter(({ code }) => code === 'DROPPED_PART_STAYS').map(({ path }) => path)).toEqual(expected);
  });

  test('a field that both versions have alike but for its ownership, without a rule', async () => {
    const { diagnostics } = await analysePlan({ hub: spec({ l: keyed }), spoke: spec({ l: list }), rules: [] });
    expect(diagnostics.map(({ code, severity, path }) => [code, severity, path])).toEqual([
      ['DROPPED_PART_STAYS', 'warning', 'spec.l'],
    ]);
  });

  const eachOf = (hubList: JsonObject, spokeList: JsonObject) => {
    const inner = rule('ArrayToMapByKey', byName, { hubPath: 'z', spokePath: 'z' });
    const rules = [rule('ForEach', { rules: [inner] }, { hubItemsPath: 'spec.h', spokeItemsPath: 'spec.h' })];
    return analysePlan({ hub: spec({ h: hubList }), spoke: spec({ h: spokeList }), rules });
  };

  test('items of a list are owned with it, unless it is keyed at both versions', async () => {
    const [hubItems, spokeItems] = [object({ name: string, z: list }), object({ name: string, z: map })];
    const byKey = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
    expect((await eachOf(array(hubItems), array(spokeItems))).diagnostics).toEqual([]);
    const { diagnostics } = await eachOf(array(hubItems, byKey), array(spokeItems, byKey));
    expect(diagnostics.map(({ code, path }) => [code, path])).toEqual([['DROPPED_PART_STAYS', 'spec.h.z']]);
  });

  const fieldsToMap = (more: JsonObject) => ({ hubPaths: ['spec.a', 'spec.b'], spokeMapPath: 'spec.m', ...more });
  const mapToFields = { hubMapPath: 'spec.m', spokePaths: ['spec.a', 'spec.b'] };
  const openAtomic = { type: 'object', additionalProperties: string, 'x-kubernetes-map-type': 'atomic' };
  const open = { type: 'object', additionalProperties: string };
  const mapOf = (values: JsonObject) => ({ type: 'object', additionalProperties: values });
  const pair = object({ a: string, b: string });
  const atomicPair = { ...pair, 'x-kubernetes-map-type': 'atomic' };
  const inner = object({ inner: pair });
  const renames = [rename('spec.o.a', 'spec.a'), rename('spec.o.b', 'spec.b')];

  test.each<[string, JsonObject, JsonObject, JsonObject[], string[]]>([
    [
      'fields and an atomic map',
      { a: string, b: string },
      { m: openAtomic },
      [rule('FieldsToMap', {}, fieldsToMap({}))],
      ['spec.a, spec.b'],
    ],
    ['fields and a map', { a: string, b: string }, { m: open }, [rule('FieldsToMap', {}, fieldsToMap({}))], []],
    [
      'an atomic map and fields',
      { m: openAtomic },
      { a: string, b: string },
      [rule('MapToFields', {}, mapToFields)],
      ['spec.a, spec.b'],
    ],
    ['fields taken out of an atomic object', { o: atomicPair }, { a: string, b: string }, renames, ['spec.a, spec.b']],
    ['fields taken out of an object', { o: pair }, { a: string, b: string }, renames, []],
    [
      'one field taken out of an atomic object',
      { o: { ...object({ a: string }), 'x-kubernetes-map-type': 'atomic' } },
      { a: string },
      [rename('spec.o.a', 'spec.a')],
      [],
    ],
    [
      'fields moved from one atomic object to another',
      { o: atomicPair },
      { p: atomicPair },
      [rename('spec.o.a', 'spec.p.a'), rename('spec.o.b', 'spec.p.b')],
      [],
    ],
    ['the same object, atomic at the hub', { o: atomicPair }, { o: pair }, [], ['spec.o.a, spec.o.b']],
    [
      'an object of one field that has parts',
      { h: inner },
      { s: array(inner) },
      [rule('ObjectToSingletonArray')],
      ['spec.h'],
    ],
    [
      'maps whose lists are keyed at one version',
      { h: mapOf(keyed) },
      { s: mapOf(list) },
      [rule('FieldRename')],
      ['spec.h.*'],
    ],
    [
      'keyed lists whose items are atomic at one version',
      { h: keyed },
      { s: { ...keyed, items: atomic } },
      [rule('FieldRename')],
      ['spec.h[]'],
    ],
    [
      'an object that is stashed and never restored',
      { h: two },
      {},
      [rule('ToAnnotation', {}, { hubPath: 'spec.h', key: 'k' })],
      [],
    ],
  ])('%s', async (_what, hubFields, spokeFields, rules, expected) => {
    const { diagnostics } = await analysePlan({ hub: spec(hubFields), spoke: spec(spokeFields), rules });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(diagnostics.filter(({ code }) => code === 'DROPPED_PART_STAYS').map(({ path }) => path)).toEqual(expected);
  });

  test.each<[string, JsonObject, JsonObject, string, string]>([
    [
      'a list',
      list,
      map,
      'ArrayToMapByKey',
      'declare spec.h x-kubernetes-list-type: map, or spec.s x-kubernetes-map-type: atomic',
    ],
    ['a text', set, string, 'ListJoin', 'declare spec.h x-kubernetes-list-type: atomic'],
  ])(
    'the hint says what a schema can do where the whole is %s',
    async (_what, hubField, spokeField, strategy, hint) => {
      const given = rule(strategy, strategy === 'ListJoin' ? comma : byName);
      const { diagnostics } = await analysePlan({
        hub: spec({ h: hubField }),
        spoke: spec({ s: spokeField }),
        rules: [given],
      });
      expect(diagnostics).toMatchObject([{ code: 'DROPPED_PART_STAYS', hint }]);
    },
  );

  test.each<[string, JsonObject, string[]]>([
    [
      'ScalarToFields',
      {
        hubPath: 'spec.h',
        spokeFields: { a: 'spec.a', b: 'spec.b' },
        pattern: '(?P<a>.)(?P<b>.)',
        joinTemplate: '{{.a}}{{.b}}',
      },
      ['spec.a'],
    ],
    ['CEL', { hubPaths: ['spec.h'], spokePaths: ['spec.a', 'spec.b'], hubToSpoke: '{}', spokeToHub: '{}' }, ['spec.a']],
    ['CEL', { hubPaths: ['spec.h'], spokePaths: ['spec.a'], hubToSpoke: '{}', spokeToHub: '{}' }, []],
  ])('%s says which fields need each other', async (strategy, params, expected) => {
    const given = { strategy, ...lossy, [strategy === 'CEL' ? 'cel' : 'scalarToFields']: params };
    const spoke = spec(expected.length > 0 ? { a: string, b: string } : { a: string });
    const { diagnostics } = await analysePlan({ hub: spec({ h: string }), spoke, rules: [given] });
    expect(diagnostics.filter(({ code }) => code === 'PARTS_NEED_EACH_OTHER').map(({ path }) => path)).toEqual(
      expected,
    );
  });
});
