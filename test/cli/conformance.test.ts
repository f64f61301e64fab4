import { describe, expect, test } from 'vitest';
import { leafDiff } from '../../lib/cli/conformance/leaf-diff.ts';
import { junitSuite, renderJunit } from '../../lib/cli/conformance/render-junit.ts';
import { hasFinding } from '../../lib/cli/conformance/report.ts';
import type { Sample } from '../../lib/cli/conformance/sample.ts';
import { checkSchema, prune } from '../../lib/cli/conformance/schema-check.ts';
import { testSamples } from '../../lib/cli/conformance/test-samples.ts';
import type { JsonObject } from '../../lib/engine/json.ts';
import { pathText } from '../../lib/engine/values/path-text.ts';
import { array, integer, object, openMap, preserve, spec, string } from '../support/plan.ts';
import { type ConversionInput, kettle, kettles } from './support/conversions.ts';

describe('the leaf diff', () => {
  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['equal objects', { spec: { a: 1 } }, { spec: { a: 1 } }, []],
    ['another value', { spec: { a: 1 } }, { spec: { a: 2 } }, ['spec.a']],
    ['another type', { spec: { a: '1' } }, { spec: { a: 1 } }, ['spec.a']],
    ['numbers by value, whatever their form', { spec: { a: 1e16 } }, { spec: { a: 10000000000000000n } }, []],
    ['absent and null alike', { spec: { a: null } }, { spec: {} }, []],
    ['{} is not absent', { spec: { a: {} } }, { spec: {} }, ['spec.a']],
    ['[] is not absent', { spec: { a: [] } }, { spec: {} }, ['spec.a']],
    ['a whole object that is gone is one place', { spec: { a: { b: 1, c: 2 } } }, { spec: {} }, ['spec.a']],
    ['elements one by one', { spec: { a: [1, { b: 2 }] } }, { spec: { a: [1, { b: 3 }] } }, ['spec.a[1].b']],
    ['lists of another length as one', { spec: { a: [1, 2] } }, { spec: { a: [1] } }, ['spec.a']],
    ['places in order', { z: 1, b: { c: 1 }, a: 1 }, { z: 2, b: { c: 2 }, a: 2 }, ['a', 'b.c', 'z']],
    [
      'what an apiserver owns not at all',
      { apiVersion: 'a/v1', kind: 'A', metadata: { uid: '1', resourceVersion: '1', generation: 1, name: 'a' } },
      { apiVersion: 'a/v2', kind: 'B', metadata: { creationTimestamp: 'now', name: 'b' } },
      ['metadata.name'],
    ],
    ['metadata that only the output has', { spec: {} }, { spec: {}, metadata: {} }, []],
  ])('%s', (_title, before, after, expected) => {
    expect(leafDiff(before, after).map(({ path }) => pathText(path))).toEqual(expected);
  });

  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['{} is absent', { spec: { a: {} } }, {}, []],
    ['what is in a lost object is lost leaf by leaf', { spec: { a: { b: 1, c: {} } } }, {}, ['spec.a.b']],
    ['[] is not absent', { spec: { a: [] } }, {}, ['spec.a']],
  ])('where empty is absent: %s', (_title, before, after, expected) => {
    const found = leafDiff(before, after, { emptyIsAbsent: true });
    expect(found.map(({ path }) => pathText(path))).toEqual(expected);
  });
});

describe('the schema check', () => {
  const fields: JsonObject = {
    a: { type: 'string', enum: ['x', 'y'] },
    text: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]+$' },
    n: { type: 'integer', minimum: 1, maximum: 10, exclusiveMaximum: true, multipleOf: 3 },
    big: { type: 'integer', format: 'int32' },
    ratio: { type: 'number' },
    when: { type: 'string', format: 'date-time' },
    port: { 'x-kubernetes-int-or-string': true },
    list: { type: 'array', items: { type: 'string' }, maxItems: 2, 'x-kubernetes-list-type': 'set' },
    users: {
      ...array({ ...object({ name: string, role: string }), required: ['name'] }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    map: { type: 'object', additionalProperties: integer, minProperties: 1 },
    free: preserve,
    open: openMap,
    bare: { type: 'object' },
    need: { ...object({ must: string, given: { type: 'string', default: 'a' } }), required: ['must', 'given'] },
    maybe: { type: 'string', nullable: true },
    one: { type: 'object', properties: { p: string, q: string }, oneOf: [{ required: ['p'] }, { required: ['q'] }] },
    res: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: object({ a: string }) } },
  };

  test.each<[string, JsonObject, string[]]>([
    ['a value of the enum', { a: 'x' }, []],
    ['a value outside of the enum', { a: 'z' }, ['schema-violation spec.a: "z" is not one of "x", "y"']],
    ['a wrong type, and nothing more about it', { a: 5 }, ['schema-violation spec.a: must be a string, found 5']],
    ['a text too short', { text: 'a' }, ['schema-violation spec.text: has 1 characters, at least 2 are allowed']],
    ['characters, not code units', { text: 'abcd' }, []],
    ['a text of another pattern', { text: 'AB' }, ['schema-violation spec.text: "AB" does not match ^[a-z]+$']],
    [
      'a number at an exclusive bound',
      { n: 10 },
      ['schema-violation spec.n: 10 must be less than 10', 'schema-violation spec.n: 10 is no multiple of 3'],
    ],
    ['a number below', { n: 0 }, ['schema-violation spec.n: 0 must be at least 1']],
    ['a fraction where an integer belongs', { n: 1.5 }, ['schema-violation spec.n: must be an integer, found 1.5']],
    ['an integer beyond int32', { big: 2147483648 }, ['schema-violation spec.big: 2147483648 is no int32']],
    ['an exact integer as a number', { ratio: 9007199254740993n }, []],
    ['a time', { when: '2024-01-01T00:00:00Z' }, []],
    ['no time', { when: 'yesterday' }, ['schema-violation spec.when: "yesterday" is no date-time']],
    ['an integer or a string', { port: 'http' }, []],
    ['neither', { port: true }, ['schema-violation spec.port: must be an integer or a string, found boolean']],
    ['a set with twins', { list: ['a', 'a'] }, ['schema-violation spec.list: holds an element twice']],
    ['too many items', { list: ['a', 'b', 'c'] }, ['schema-violation spec.list: has 3 items, at most 2 are allowed']],
    ['a null in a list', { list: [null] }, ['schema-violation spec.list[0]: must not be null']],
    [
      'a list map with one key twice',
      { users: [{ name: 'a' }, { name: 'a', role: 'b' }] },
      ['schema-violation spec.users: holds the key ["a"] twice'],
    ],
    ['an element without its key', { users: [{ role: 'a' }] }, ['schema-violation spec.users[0].name: is required']],
    ['an undeclared key', { zz: 1 }, ['pruned spec.zz: 1 is not in the schema']],
    [
      'an undeclared key of an element',
      { users: [{ name: 'a', zz: {}, yy: [] }] },
      ['pruned spec.users[0].yy: array is not in the schema'],
    ],
    ['a map with a wrong value', { map: { a: 'b' } }, ['schema-violation spec.map.a: must be an integer, found "b"']],
    ['an empty map that must not be', { map: {} }, ['schema-violation spec.map: has 0 keys, at least 1 are allowed']],
    ['anything in a free field', { free: { a: [{ b: null }] }, open: { c: 1 } }, []],
    ['a key of an object that declares none', { bare: { a: 1 } }, ['pruned spec.bare.a: 1 is not in the schema']],
    [
      'a missing required field, unless it has a default',
      { need: {} },
      ['schema-violation spec.need.must: is required'],
    ],
    ['a null for a required field', { need: { must: null } }, ['schema-violation spec.need.must: is required']],
    ['a null where there is none', { a: null, maybe: null }, []],
    ['one of two alternatives', { one: { p: 'a' } }, []],
    [
      'both of them',
      { one: { p: 'a', q: 'b' } },
      ['schema-violation spec.one: fits 2 schemas of oneOf instead of one'],
    ],
    [
      'the head of an embedded resource',
      { res: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' }, spec: { a: 'b' } } },
      [],
    ],
    ['another key of one', { res: { data: 1 } }, ['pruned spec.res.data: 1 is not in the schema']],
  ])('%s', (_title, given, expected) => {
    const found = checkSchema(spec(fields), kettle('v1', given), 'CRD');
    expect(found.map(({ type, path, detail }) => `${type} ${pathText(path)}: ${detail}`)).toEqual(expected);
  });

  test('what Crossplane adds to an XRD is declared', () => {
    const composite = { spec: { compositionRef: { name: 'a' }, crossplane: {} }, status: { conditions: [{}] } };
    const schema = object({ spec: object({ a: string }), status: object({ a: string }) });
    expect(checkSchema(schema, composite, 'XRD')).toEqual([]);
    expect(checkSchema(schema, composite, 'CRD').map(({ path }) => pathText(path))).toEqual([
      'spec.compositionRef',
      'status.conditions',
    ]);
  });

  test('a pruned object is without what its schema does not declare, and nothing else', () => {
    const given = kettle('v1', { a: 'x', zz: 1, users: [{ name: 'a', zz: 1 }, { name: 'b' }], free: { zz: 1 } });
    const schema = spec(fields);
    expect(prune(given, checkSchema(schema, given, 'CRD'))).toEqual(
      kettle('v1', { a: 'x', users: [{ name: 'a' }, { name: 'b' }], free: { zz: 1 } }),
    );
  });
});

const RENAME = { strategy: 'FieldRename', fieldRename: { hubPath: 'spec.title', spokePath: 'spec.name' } };
const OPTIONS = { mode: 'offline', skipIdentity: false, pairs: [], now: () => 0 } as const;

async function report(input: ConversionInput, objects: readonly JsonObject[], options: object = {}) {
  const samples = objects.map((each, index): Sample => ({ name: `s${index}`, object: each }));
  return testSamples(await kettles(input), samples, { ...OPTIONS, ...options });
}

describe('the coverage of rules', () => {
  const when = { ...RENAME, when: { path: 'spec.mode', equals: 'on' } };
  const mode = { mode: string };

  test.each<[string, ConversionInput, JsonObject[], number[]]>([
    [
      'a rule with nothing to do does not count',
      { hub: { title: string }, spoke: { name: string }, rules: [RENAME] },
      [kettle('v2', {})],
      [0],
    ],
    [
      'one that writes counts, once a sample',
      { hub: { title: string }, spoke: { name: string }, rules: [RENAME] },
      [kettle('v2', { title: 'a' }), kettle('v1', { name: 'b' })],
      [2],
    ],
    [
      'one whose condition does not hold does not count',
      { hub: { title: string, ...mode }, spoke: { name: string, ...mode }, rules: [when] },
      [kettle('v2', { title: 'a', mode: 'off' })],
      [0],
    ],
    [
      'one whose condition holds counts',
      { hub: { title: string, ...mode }, spoke: { name: string, ...mode }, rules: [when] },
      [kettle('v2', { title: 'a', mode: 'on' })],
      [1],
    ],
    [
      'a Delete counts where its field is there',
      {
        hub: { debug: string },
        spoke: {},
        rules: [
          { strategy: 'Delete', acknowledgeLossy: true, reason: 'r', delete: { path: 'spec.debug', existsOn: 'Hub' } },
        ],
      },
      [kettle('v2', { debug: 'a' }), kettle('v2', {}), kettle('v1', {})],
      [1],
    ],
    [
      'a rule that writes on the way back counts',
      {
        hub: {},
        spoke: { fixed: string },
        rules: [
          {
            strategy: 'Constant',
            acknowledgeLossy: true,
            reason: 'r',
            constant: { path: 'spec.fixed', existsOn: 'Spoke', value: 'a' },
          },
        ],
      },
      [kettle('v1', { fixed: 'a' })],
      [1],
    ],
  ])('%s', async (_title, input, objects, expected) => {
    const { ruleCoverage } = await report(input, objects);
    expect(ruleCoverage.map(({ matchedSamples }) => matchedSamples)).toEqual(expected);
  });

  test('from spoke to spoke the rules of both count', async () => {
    const older = {
      fields: { label: string },
      rules: [{ ...RENAME, fieldRename: { hubPath: 'spec.title', spokePath: 'spec.label' } }],
    };
    const input = { hub: { title: string }, spoke: { name: string }, rules: [RENAME], older };
    const pairs = [{ from: 'v1', to: 'v0' }];
    const { samples } = await report(input, [kettle('v1', { name: 'a' })], { pairs });
    expect(samples[0]?.paths[0]?.rulesMatched).toEqual(['v1:rule[0]:FieldRename', 'v0:rule[0]:FieldRename']);
  });

  test('a rule that no sample exercised is a finding for --fail-on warn and --strict alone', async () => {
    const idle = await report({ hub: { title: string }, spoke: { name: string }, rules: [RENAME] }, [kettle('v2', {})]);
    expect([hasFinding(idle, 'loss', false), hasFinding(idle, 'warn', false), hasFinding(idle, 'loss', true)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(hasFinding(idle, 'none', true)).toBe(false);
  });
});

describe('an object that is lost with its last field', () => {
  const drop = (field: string) => {
    const params = { path: `spec.${field}`, existsOn: 'Hub' };
    return { strategy: 'Delete', acknowledgeLossy: true, reason: 'r', delete: params };
  };

  test.each<[string, JsonObject, [string, string][]]>([
    ['is acknowledged when all its fields are', { a: '1', b: '2' }, [['spec', 'acknowledged-loss']]],
    ['is not when one of them is not', { a: '1', c: '3' }, [['spec', 'unacknowledged-loss']]],
    ['is kept when it was empty', {}, []],
  ])('%s', async (_title, given, expected) => {
    const input = { hub: { o: object({ a: string, b: string, c: string }) }, spoke: {}, warn: true };
    const found = await report({ ...input, rules: [drop('o.a'), drop('o.b')] }, [kettle('v2', { o: given })]);
    const issues = found.samples.flatMap(({ paths }) => paths.flatMap((path) => path.issues ?? []));
    expect(issues.map(({ field, type }) => [field, type])).toEqual(expected);
  });
});

test('a version pair is one way, and not each way to its second version', async () => {
  const input = { hub: { title: string }, spoke: { name: string }, rules: [RENAME] };
  const found = await report(input, [kettle('v1', {}), kettle('v2', {})], { pairs: [{ from: 'v1', to: 'v2' }] });
  expect(found.samples.map(({ paths }) => paths.map(({ from, to }) => `${from} ${to}`))).toEqual([['v1 v2'], []]);
});

describe('absent sources', () => {
  const cel = {
    strategy: 'CEL',
    acknowledgeLossy: true,
    reason: 'r',
    cel: {
      hubPaths: ['spec.both'],
      spokePaths: ['spec.a'],
      hubToSpoke: '{"spec.a": object.spec.both}',
      spokeToHub: '{"spec.both": object.spec.a}',
    },
  };
  const input = { hub: { both: string }, spoke: { a: string }, rules: [cel] };

  test('fail offline, as in the Go tool', async () => {
    const { summary, samples } = await report(input, [kettle('v2', {})]);
    expect(summary).toMatchObject({ errors: 1, pass: 1 });
    expect(samples[0]?.paths[1]?.issues?.[0]).toMatchObject({ field: '(conversion)', type: 'error' });
  });

  test('are skipped in a review', async () => {
    expect((await report(input, [kettle('v2', {})], { mode: 'review' })).summary).toMatchObject({ errors: 0, pass: 2 });
  });

  test('a named sample counts as a whole object in a review, so defaults are written', async () => {
    const rules = [
      {
        strategy: 'DefaultValue',
        acknowledgeLossy: true,
        reason: 'r',
        defaultValue: { path: 'spec.size', existsOn: 'Hub', default: 'S' },
      },
    ];
    const { ruleCoverage } = await report({ hub: { size: string }, spoke: {}, rules }, [kettle('v1', {})], {
      mode: 'review',
    });
    expect(ruleCoverage[0]?.matchedSamples).toBe(1);
  });
});

describe('what an apiserver would do to a converted object', () => {
  const input = {
    hub: { size: { type: 'string', enum: ['S'] }, list: array(object({ a: string, b: string })) },
    spoke: { size: string, list: array(object({ a: string })) },
    rules: [],
  };
  const issuesOf = (found: Awaited<ReturnType<typeof report>>) =>
    found.samples.flatMap(({ paths }) => paths.flatMap(({ issues = [] }) => issues.map((issue) => issue.detail)));

  test('a value that the other version does not allow is reported, and the path passes', async () => {
    const found = await report(input, [kettle('v1', { size: 'XL' })]);
    expect(issuesOf(found)).toEqual(['v2 would refuse it: "XL" is not one of "S"']);
    expect(found.summary).toMatchObject({ pass: 2, schemaIssues: 1 });
    expect([hasFinding(found, 'loss', false), hasFinding(found, 'loss', true)]).toEqual([false, true]);
  });

  test('what it would prune is reported', async () => {
    const found = await report(input, [kettle('v2', { list: [{ a: '1', b: '2' }] })], { skipIdentity: true });
    expect(issuesOf(found)).toEqual(['v1 would drop it: "2" is not in the schema']);
  });

  test('a fault that the sample has itself is reported once, at its own version', async () => {
    const found = await report(input, [kettle('v2', { zz: 1 })]);
    expect(issuesOf(found)).toEqual(['v2 would drop it: 1 is not in the schema']);
  });
});

describe('a JUnit report', () => {
  test('escapes what XML cannot hold', async () => {
    const found = await report({ hub: { a: string, b: string }, spoke: { b: string }, rules: [], warn: true }, [
      kettle('v2', { a: '<&>"\u0001\ud800', b: '1' }),
    ]);
    const xml = renderJunit([junitSuite(found, 'prod <1>/')]);
    expect(xml).toContain('<testsuite name="prod &lt;1&gt;/CRD/kettles.example.org" tests="2" failures="1" errors="0"');
    expect(xml).toContain('&lt;&amp;&gt;');
    expect([...xml].every((char) => char >= ' ' || char === '\n')).toBe(true);
  });
});

test('samples of a source that gives them one by one are tested as they come', async () => {
  const seen: number[] = [];
  async function* pages(): AsyncGenerator<Sample> {
    yield { name: 'cluster:a/one', object: kettle('v2', { title: 'a' }) };
    yield { name: 'cluster:a/two', object: kettle('v2', { title: 'b' }) };
  }
  const conversion = await kettles({ hub: { title: string }, spoke: { name: string }, rules: [RENAME] });
  const found = await testSamples(conversion, pages(), { ...OPTIONS, onSample: (done) => seen.push(done) });
  expect(found.samples.map(({ file }) => file)).toEqual(['cluster:a/one', 'cluster:a/two']);
  expect(seen).toEqual([1, 2]);
});
