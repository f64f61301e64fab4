import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/engine/json.ts';
import { createRun } from '../../../lib/engine/run.ts';
import {
  analysePlan,
  array,
  codes,
  compilePlan,
  deepFreeze,
  object,
  openMap,
  spec,
  string,
} from '../../support/plan.ts';

const rename = (hubPath: string, spokePath: string) => ({
  strategy: 'FieldRename',
  fieldRename: { hubPath, spokePath },
});
const named = (fields: JsonObject): JsonObject => ({ kind: 'W', metadata: { name: 'w', uid: 'u' }, ...fields });

describe('copy on write', () => {
  test('what no rule touches is shared, and an object that does not change is the source itself', async () => {
    const schema = object({ spec: object({ a: string, keep: openMap }), status: openMap });
    const plan = await compilePlan({ hub: schema, spoke: schema, rules: [] });
    const source = deepFreeze(named({ spec: { a: '1', keep: { x: [1] } }, status: { y: 2 } }));
    expect(plan.toSpoke(source)).toBe(source);
    const renamed = await compilePlan({
      hub: object({ spec: object({ a: string, keep: openMap }), status: openMap }),
      spoke: object({ spec: object({ b: string, keep: openMap }), status: openMap }),
      rules: [rename('spec.a', 'spec.b')],
    });
    const output = renamed.toSpoke(source) as { spec: JsonObject; status: JsonObject };
    expect(output.status).toBe(source['status']);
    expect(output.spec['keep']).toBe((source['spec'] as JsonObject)['keep']);
    expect(output.spec).toEqual({ b: '1', keep: { x: [1] } });
  });

  test('a chain of 400 objects that becomes empty is walked once, not once for each level', async () => {
    const depth = 400;
    const keys = Array.from({ length: depth }, (_, index) => `k${index}`);
    const chain = (leaf: JsonObject): JsonObject => keys.reduceRight((inner, key) => object({ [key]: inner }), leaf);
    const value = (leaf: unknown): unknown => keys.reduceRight((inner, key) => ({ [key]: inner }), leaf);
    const plan = await compilePlan({
      hub: object({ spec: chain(string) }),
      spoke: object({ flat: string }),
      rules: [rename(`spec.${keys.join('.')}`, 'flat')],
    });
    const hub = named({ spec: value('x') as JsonObject });
    expect(plan.toSpoke(hub)).toEqual(named({ flat: 'x' }));
    expect(plan.toHub(named({ flat: 'x' }))).toEqual(hub);
  });

  test('an emptied container goes with its siblings kept, and one that came in empty stays', async () => {
    const plan = await compilePlan({
      hub: spec({ a: object({ b: object({ c: string }), d: object({ e: string }) }) }),
      spoke: spec({ c: string, a: object({ d: object({ e: string }) }) }),
      rules: [rename('spec.a.b.c', 'spec.c')],
    });
    expect(plan.toSpoke(named({ spec: { a: { b: { c: '1' }, d: { e: '2' } } } }))).toEqual(
      named({ spec: { a: { d: { e: '2' } }, c: '1' } }),
    );
    expect(plan.toSpoke(named({ spec: { a: { b: {} } } }))).toEqual(named({ spec: { a: { b: {} } } }));
  });
});

describe('errors at run time', () => {
  test('a value whose place is taken by something that is no object names its rule and path', async () => {
    const plan = await compilePlan({
      hub: spec({ a: string, q: string }),
      spoke: spec({ p: object({ a: string }), q: string }),
      rules: [rename('spec.a', 'spec.p.a')],
    });
    expect(() => plan.toSpoke(named({ spec: { a: '1', p: 'text' } }))).toThrow(
      'rule 0 FieldRename at spec.p.a: spec.p is string, not an object',
    );
    expect(plan.toSpoke(named({ spec: { a: '1', p: null } }))['spec']).toEqual({ p: { a: '1' } });
    expect(plan.toSpoke(named({ spec: { p: 'text', q: '' } }))['spec']).toEqual({ p: 'text', q: '' });
  });

  test('an element of a ForEach is named with its index and the inner rule', async () => {
    const items = (field: JsonObject) => spec({ list: array(object({ n: field })) });
    const plan = await compilePlan({
      hub: items(string),
      spoke: items({ type: 'integer' }),
      rules: [
        {
          strategy: 'ForEach',
          forEach: {
            hubItemsPath: 'spec.list',
            spokeItemsPath: 'spec.list',
            rules: [{ strategy: 'TypeCoerce', typeCoerce: { path: 'n' } }],
          },
        },
      ],
    });
    expect(() => plan.toSpoke(named({ spec: { list: [{ n: '1' }, { n: 'x' }] } }))).toThrow(
      'rule 0 ForEach at spec.list[1]: rule 0 TypeCoerce at n: value "x" is not a number',
    );
  });

  test('an unknown version names those that are known', async () => {
    const { router } = await compilePlan({ hub: spec({}), spoke: spec({}), rules: [] });
    expect(() => router.convert({}, 'v9', 'hub', createRun('review'))).toThrow(
      'version "v9" has no plan; known versions: hub, spoke',
    );
  });
});

test('copies that double the object each time are refused before they fill the memory', async () => {
  const copies = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/spec/m', path: `/spec/m/k${index}` }));
  const plan = await compilePlan({
    hub: spec({ m: openMap }),
    spoke: spec({ m: openMap }),
    rules: [{ strategy: 'JSONPatch', acknowledgeLossy: true, jsonPatch: { hubToSpoke: copies } }],
  });
  expect(() => plan.toSpoke(named({ spec: { m: { a: 1 } } }))).toThrow(
    'the rules add more than 4000000 characters to this object',
  );
});

test.each([
  ['copies', { strategy: 'JSONPatch', jsonPatch: { hubToSpoke: [{ op: 'copy', from: '/m', path: '/n' }] } }],
  [
    'constants',
    { strategy: 'Constant', constant: { path: 'n', existsOn: 'Spoke', value: { text: 'x'.repeat(10_000) } } },
  ],
])('what %s in the elements of a list add counts for the object', async (_what, rule) => {
  const items = (more: JsonObject) => spec({ list: array(object({ m: openMap, ...more })) });
  const nested = [{ ...rule, acknowledgeLossy: true } as unknown as JsonObject];
  const plan = await compilePlan({
    hub: items(rule.strategy === 'JSONPatch' ? { n: openMap } : {}),
    spoke: items({ n: openMap }),
    rules: [
      {
        strategy: 'ForEach',
        acknowledgeLossy: true,
        forEach: { hubItemsPath: 'spec.list', spokeItemsPath: 'spec.list', rules: nested },
      },
    ],
  });
  const list = (length: number) => named({ spec: { list: Array(length).fill({ m: { text: 'x'.repeat(10_000) } }) } });
  expect(() => plan.toSpoke(list(500))).toThrow('the rules add more than 4000000 characters to this object');
  expect(plan.toSpoke(list(300))).toBeTruthy();
});

test('a long list looks at the clock', async () => {
  const items = spec({ list: array(object({})) });
  const rules = [
    { strategy: 'ForEach', forEach: { hubItemsPath: 'spec.list', spokeItemsPath: 'spec.list', rules: [] } },
  ];
  const { router } = await compilePlan({ hub: items, spoke: items, rules });
  let looks = 0;
  const run = createRun('review', () => ++looks > 3);
  const long = named({ spec: { list: Array(1_000).fill({}) } });
  expect(() => router.convert(long, 'hub', 'spoke', run)).toThrow('spec.list[63]: the time for this review is over');
});

test('a label or an annotation belongs to one rule', async () => {
  const stash = (hubPath: string) => ({
    strategy: 'ToAnnotation',
    toAnnotation: { hubPath, key: 'x/y', restoreOnReverse: true },
  });
  const both = { hub: spec({ a: string, b: string }), spoke: spec({}), rules: [stash('spec.a'), stash('spec.b')] };
  expect((await codes(both)).errors).toEqual(['FIELD_CLAIMED_TWICE']);
  const back = {
    strategy: 'FromAnnotation',
    fromAnnotation: { spokePath: 'spec.c', key: 'x/y', stashOnReverse: true },
  };
  const crossed = { hub: spec({ a: string }), spoke: spec({ c: string }), rules: [stash('spec.a'), back] };
  expect((await codes(crossed)).errors).toEqual(['FIELD_CLAIMED_TWICE']);
});

test.each([['{"spec.b": null}'], ['{"spec": {"b": null}}']])(
  'CEL writes a null, nested or dotted: %s',
  async (expression) => {
    const plan = await compilePlan({
      hub: spec({ a: string }),
      spoke: spec({ b: string }),
      rules: [
        {
          strategy: 'CEL',
          acknowledgeLossy: true,
          cel: { hubPaths: ['spec.a'], spokePaths: ['spec.b'], hubToSpoke: expression, spokeToHub: '{}' },
        },
      ],
    });
    expect(plan.toSpoke(named({ spec: { a: '1' } }))['spec']).toEqual({ b: null });
  },
);

test('a trace says what each rule wrote and took away', async () => {
  const rules = [
    rename('spec.a', 'spec.b'),
    { strategy: 'ToAnnotation', toAnnotation: { hubPath: 'spec.n', key: 'k', restoreOnReverse: true } },
  ];
  const { router } = await compilePlan({ hub: spec({ a: string, n: string }), spoke: spec({ b: string }), rules });
  const spoke = named({ metadata: { name: 'w', annotations: { k: '"hi"' } }, spec: {} });
  expect(router.trace(spoke, 'spoke', 'hub', createRun('offline'))).toEqual([
    { direction: 'spokeToHub', spoke: 'spoke', rule: 0, strategy: 'FieldRename', wrote: [], removed: [] },
    {
      direction: 'spokeToHub',
      spoke: 'spoke',
      rule: 1,
      strategy: 'ToAnnotation',
      wrote: ['spec.n'],
      removed: ['metadata.annotations.k'],
    },
  ]);
  expect(router.trace(spoke, 'hub', 'hub', createRun('offline'))).toEqual([]);
});

describe('a JSONPatch on metadata', () => {
  const patched = (hubToSpoke: JsonObject[]) => ({
    hub: object({ metadata: { type: 'object' }, spec: object({ a: string }) }),
    spoke: object({ metadata: { type: 'object' }, spec: object({ a: string }) }),
    rules: [{ strategy: 'JSONPatch', acknowledgeLossy: true, jsonPatch: { hubToSpoke } }],
  });

  test('writes and removes annotations and labels, and leaves the others alone', async () => {
    const plan = await compilePlan(
      patched([
        { op: 'add', path: '/metadata/annotations/x~1y', value: 'new' },
        { op: 'remove', path: '/metadata/labels/old' },
      ]),
    );
    const metadata = { name: 'w', annotations: { keep: '1' }, labels: { old: 'x', keep: '2' } };
    expect(plan.toSpoke({ metadata, spec: {} })['metadata']).toEqual({
      name: 'w',
      annotations: { keep: '1', 'x/y': 'new' },
      labels: { keep: '2' },
    });
    expect(plan.toHub({ metadata, spec: {} })['metadata']).toEqual(metadata);
  });

  test('is refused for other metadata', async () => {
    const found = await codes(patched([{ op: 'replace', path: '/metadata/name', value: 'x' }]));
    expect(found.errors).toContain('PATH_METADATA');
  });
});

test('a default is no reason to keep a field of the other side that has the same path', async () => {
  const plan = await compilePlan({
    hub: spec({ a: { type: 'integer' }, b: string }),
    spoke: spec({ a: string }),
    rules: [
      rename('spec.b', 'spec.a'),
      {
        strategy: 'DefaultValue',
        acknowledgeLossy: true,
        defaultValue: { path: 'spec.a', existsOn: 'Hub', default: 7 },
      },
    ],
  });
  expect(plan.toHub(named({ spec: { a: 'text' } }))['spec']).toEqual({ a: 7, b: 'text' });
});

describe('a JSONPatch in a review', () => {
  const patch = (hubToSpoke: JsonObject[]) => ({
    hub: spec({ a: string, n: object({ b: string }), c: string }),
    spoke: spec({ a: string, n: object({ b: string }), c: string }),
    rules: [{ strategy: 'JSONPatch', acknowledgeLossy: true, jsonPatch: { hubToSpoke } }],
  });

  test('makes the parents of what it moves: a value that is there must arrive', async () => {
    const plan = await compilePlan(patch([{ op: 'move', from: '/spec/a', path: '/spec/n/b' }]));
    expect(plan.toSpoke(named({ spec: { a: 'x' } }), 'review')['spec']).toEqual({ n: { b: 'x' } });
    expect(plan.toSpoke(named({ spec: { a: 'x', n: null } }), 'review')['spec']).toEqual({ n: { b: 'x' } });
    expect(() => plan.toSpoke(named({ spec: { a: 'x' } }))).toThrow('its parent does not exist');
  });

  test('fails a test of a value that no skipped operation would have touched', async () => {
    const operations = [
      { op: 'remove', path: '/spec/a' },
      { op: 'test', path: '/spec/c', value: 'right' },
    ];
    const plan = await compilePlan(patch(operations));
    expect(() => plan.toSpoke(named({ spec: { c: 'wrong' } }), 'review')).toThrow('operation 1 (test /spec/c)');
    const related = await compilePlan(
      patch([{ op: 'copy', from: '/spec/a', path: '/spec/c' }, operations[1] as JsonObject]),
    );
    expect(related.toSpoke(named({ spec: { c: 'wrong' } }), 'review')['spec']).toEqual({ c: 'wrong' });
  });
});

test('a stash inside a list is warned about: the apiserver prunes metadata that the items do not declare', async () => {
  const items = (more: JsonObject) => spec({ list: array(object(more)) });
  const inner = { strategy: 'ToAnnotation', toAnnotation: { hubPath: 'n', key: 'k', restoreOnReverse: true } };
  const each = {
    strategy: 'ForEach',
    forEach: { hubItemsPath: 'spec.list', spokeItemsPath: 'spec.list', rules: [inner] },
  };
  const { warnings } = await codes({ hub: items({ n: { type: 'integer' } }), spoke: items({}), rules: [each] });
  expect(warnings).toEqual(['STASH_PRUNED']);
});

test('a key with a dot is not the field that prints like it', async () => {
  const { errors } = await codes({
    hub: spec({ 'a.b': string }),
    spoke: spec({ a: object({ b: string }) }),
    rules: [],
  });
  expect(errors).toEqual(['FIELD_UNCOVERED', 'FIELD_UNCOVERED']);
});

test.each(['18446744073709551616', '-1e21'])(
  'TypeCoerce of %s to an integer is an error, not other digits',
  async (text) => {
    const plan = await compilePlan({
      hub: spec({ n: string }),
      spoke: spec({ n: { type: 'integer' } }),
      rules: [{ strategy: 'TypeCoerce', typeCoerce: { path: 'spec.n' } }],
    });
    expect(() => plan.toSpoke(named({ spec: { n: text } }))).toThrow('is out of range');
    expect(plan.toSpoke(named({ spec: { n: '18446744073709551615' } }))['spec']).toEqual({ n: 18446744073709551615n });
  },
);

test('an overlap inside a ForEach names whole paths', async () => {
  const items = (more: JsonObject) => spec({ list: array(object(more)) });
  const each = {
    strategy: 'ForEach',
    forEach: {
      hubItemsPath: 'spec.list',
      spokeItemsPath: 'spec.list',
      rules: [rename('q', 'r.x'), rename('p', 'r')],
    },
  };
  const inner = object({ x: string });
  const input = { hub: items({ q: string, p: inner }), spoke: items({ r: inner }), rules: [each] };
  const { diagnostics } = await analysePlan(input);
  const overlap = diagnostics.find(({ code }) => code === 'CLAIMS_OVERLAP');
  expect(overlap).toMatchObject({ path: 'spec.list.r.x', rule: 0, nested: [1] });
  expect(overlap?.message).toContain('lies inside spec.list.r ');
});
