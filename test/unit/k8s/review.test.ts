import { describe, expect, test, vi } from 'vitest';
import { ConversionError } from '../../../lib/engine/conversion-error.ts';
import type { Json, JsonObject } from '../../../lib/engine/json.ts';
import type { Router } from '../../../lib/engine/route.ts';
import { parseJson } from '../../../lib/k8s/json.ts';
import {
  answerReview,
  failReview,
  failUnreadable,
  type ReviewAnswer,
  type ReviewContext,
  type ReviewRouter,
  reviewVersions,
} from '../../../lib/k8s/review.ts';

const group = 'demo.example.test';
const target = `widgets.${group}`;
const uid = '11111111-0000-4000-8000-000000000001';

/** Two versions; v2 is the hub and renames `spec.interval` to `spec.every`. v3 is v2 with losses. */
function fakeRouter(convert?: Router['convert']): ReviewRouter {
  const rename = (object: JsonObject, from: string): JsonObject => {
    const { interval, every, ...spec } = (object['spec'] ?? {}) as Record<string, Json>;
    const value = from === 'v1' ? interval : every;
    const renamed = value === undefined ? {} : { [from === 'v1' ? 'every' : 'interval']: value };
    const metadata = object['metadata'] ?? {};
    return { ...object, metadata, ...(object['spec'] !== undefined && { spec: { ...spec, ...renamed } }) };
  };
  return {
    versions: ['v2', 'v1', 'v3'],
    has: (version) => ['v1', 'v2', 'v3'].includes(version),
    lossless: (from, to) => from !== 'v3' && to !== 'v3',
    convert: convert ?? ((object, from) => rename(object, from)),
  };
}

function widget(version: string, name = 'w', spec: Json = { interval: '5m' }): JsonObject {
  return {
    apiVersion: `${group}/${version}`,
    kind: 'Widget',
    metadata: { name, namespace: 'ns', uid: `u-${name}` },
    spec,
  };
}

function review(objects: Json, desired = `${group}/v2`, apiVersion = 'apiextensions.k8s.io/v1'): JsonObject {
  return { kind: 'ConversionReview', apiVersion, request: { uid, desiredAPIVersion: desired, objects } };
}

function context(overrides: Partial<ReviewContext> & { router?: ReviewRouter } = {}) {
  const onCrash = vi.fn();
  const { router = fakeRouter(), ...rest } = overrides;
  return {
    target,
    plan: { group, router },
    deadlinePassed: () => false,
    newReference: () => 'ref-1',
    onCrash,
    ...rest,
  } satisfies ReviewContext;
}

function freeze<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) freeze(item as Json);
  return Object.freeze(value);
}

function answered(answer: ReviewAnswer) {
  if (answer.kind !== 'review') throw new Error(answer.message);
  const response = answer.body['response'] as JsonObject;
  const result = response['result'] as { status: string; message?: string };
  return {
    ...answer,
    response,
    converted: response['convertedObjects'] as readonly Json[],
    status: result.status,
    message: result.message,
  };
}

const ask = (body: Json, given?: Parameters<typeof context>[0]) => answered(answerReview(freeze(body), context(given)));

describe('a successful review', () => {
  test('has the uid, the version and the kind of the request, and the objects in their order', () => {
    const { body, summary } = ask(review([widget('v1', 'a'), widget('v1', 'b', { interval: '6m', x: 1 })]));
    expect(body).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: {
        uid,
        convertedObjects: [widget('v2', 'a', { every: '5m' }), widget('v2', 'b', { every: '6m', x: 1 })],
        result: { status: 'Success' },
      },
    });
    expect(summary).toMatchObject({ result: 'success', uid, from: ['v1'], to: 'v2', objects: 2, lossy: 0 });
  });

  test.each(['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'])('answers %s in kind (R56)', (apiVersion) => {
    expect(ask(review([widget('v1')], undefined, apiVersion)).body['apiVersion']).toBe(apiVersion);
    expect(ask(review([5], undefined, apiVersion)).body['apiVersion']).toBe(apiVersion);
  });

  test.each<[string, Json]>([
    ['an empty list', []],
    ['null, which Go writes for an empty list', null],
  ])('may have no objects: %s', (_name, objects) => {
    const { status, converted, summary } = ask(review(objects));
    expect([status, converted, summary.result, summary.objects]).toEqual(['Success', [], 'success', 0]);
  });

  test('takes each object from its own version, and gives back those at the target as they are (R57)', () => {
    const atTarget = widget('v2', 'b', { every: '1m' });
    const { converted, summary } = ask(review([widget('v1', 'a'), atTarget, widget('v3', 'c', { every: '2m' })]));
    expect(converted[1]).toBe(atTarget);
    expect(converted.map((object) => (object as JsonObject)['apiVersion'])).toEqual(Array(3).fill(`${group}/v2`));
    expect(summary).toMatchObject({ from: ['v1', 'v2', 'v3'], lossy: 1 });
  });

  test('gives a fragment without metadata an empty one, and nothing else (C01)', () => {
    for (const fragment of [{}, { metadata: {} }]) {
      const object = { apiVersion: `${group}/v1`, kind: 'Widget', spec: { interval: '5m' }, ...fragment };
      expect(ask(review([object])).converted).toEqual([
        { apiVersion: `${group}/v2`, kind: 'Widget', metadata: {}, spec: { every: '5m' } },
      ]);
    }
    const { metadata, ...rest } = widget('v1');
    const held = { ...rest, metadata: { name: 'w', finalizers: ['f'] } };
    expect(ask(review([held])).converted).toEqual([{ ...held, apiVersion: `${group}/v2`, spec: { every: '5m' } }]);
  });

  test('reads the run counters of the engine', () => {
    const convert: Router['convert'] = (object, _from, _to, run) => {
      run.absentSkipped += 2;
      run.stashIgnored += 1;
      expect(run.mode).toBe('review');
      return { ...object };
    };
    const { summary } = ask(review([widget('v1'), widget('v1')]), { router: fakeRouter(convert) });
    expect(summary.run).toMatchObject({ absentSkipped: 4, stashIgnored: 2, shapeMismatches: 0 });
  });

  test('keeps prototype names that are data (C04), and the input untouched', () => {
    const object = parseJson(
      `{"apiVersion":"${group}/v1","kind":"Widget","metadata":{"name":"w"},"__proto__":{"polluted":1},"spec":{"labels":{"constructor":"a","__proto__":"b"}}}`,
    );
    const [converted] = ask(review([object])).converted as [JsonObject];
    expect(Object.keys(converted)).toContain('__proto__');
    expect(Object.getPrototypeOf(converted)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('what is not a review', () => {
  test.each<Json>([
    null,
    'text',
    5,
    [],
    {},
    { request: null },
    { request: [] },
    { request: {} },
    { request: { uid: '' } },
    { request: { uid: 5 } },
  ])('has no uid to answer to: %j', (body) => {
    expect(answerReview(body, context())).toEqual({ kind: 'not-a-review', message: expect.stringMatching(/./) });
    expect(failReview(body, 'x')).toBeUndefined();
    expect(reviewVersions(body)).toEqual([]);
  });
});

describe('a Failure', () => {
  test.each<[string, Json, string, RegExp]>([
    [
      'only a uid (H03)',
      { request: { uid } },
      'bad_request',
      /apiVersion of the review is nothing, expected apiextensions/,
    ],
    [
      'an unknown review version',
      review([], undefined, 'apiextensions.k8s.io/v2'),
      'bad_request',
      /"apiextensions.k8s.io\/v2"/,
    ],
    [
      'another kind',
      { ...review([]), kind: 'AdmissionReview' },
      'bad_request',
      /kind of the review is "AdmissionReview"/,
    ],
    ['no desired version', review([], ''), 'bad_request', /desiredAPIVersion/],
    ['a desired version without group', review([widget('v1')], 'v2'), 'bad_request', /<group>\/<version>/],
    ['a desired version of another group', review([widget('v1')], 'other.test/v2'), 'bad_request', /not of group demo/],
    ['objects that are no list', review({}), 'bad_request', /must be a list/],
    ['an item that is no object', review([null]), 'bad_request', /^item 0 is null, expected a JSON object$/],
    [
      'an unknown wanted version',
      review([widget('v1')], `${group}/v9`),
      'error',
      /^Widget ns\/w \(uid u-w, item 0\): v1 -> v9: widgets\.demo\.example\.test has no version "v9"; it has v2, v1, v3$/,
    ],
    [
      'an unknown source version',
      review([widget('v7')]),
      'error',
      /v7 -> v2: .* has no version "v7"; it has v2, v1, v3$/,
    ],
    [
      'an object of another group',
      review([{ apiVersion: 'other.test/v1', kind: 'Widget' }]),
      'error',
      /^Widget \(item 0\): v1 -> v2: apiVersion "other.test\/v1" is not of group demo.example.test$/,
    ],
    ['an object without apiVersion', review([{}]), 'error', /^object \(item 0\): apiVersion nothing is not of group/],
  ])('answers %s', (_name, body, result, message) => {
    const answer = ask(body);
    expect(answer).toMatchObject({ status: 'Failure', converted: [], message: expect.stringMatching(message) });
    expect(answer.response['uid']).toBe(uid);
    expect(answer.summary).toMatchObject({ uid, result });
    expect(answer.body['apiVersion']).toBe('apiextensions.k8s.io/v1');
  });

  test('names a target that is not registered', () => {
    const { message, summary } = ask(review([widget('v1')]), { plan: undefined });
    expect(message).toBe(`no conversion is registered for ${target}: check its config`);
    expect(summary).toMatchObject({ result: 'not_registered', to: 'v2', objects: 1 });
  });

  test('names a plan that cannot be loaded, with the reason', () => {
    const { message, summary } = ask(review([widget('v1')]), { plan: undefined, fault: 'revision 3: no way' });
    expect(message).toBe(`the plan of ${target} cannot be loaded: revision 3: no way`);
    expect(summary).toMatchObject({ result: 'error', to: 'v2', objects: 1 });
  });

  const failing: Router['convert'] = (object) => {
    const { size } = object['spec'] as { size?: string };
    if (size === undefined) return { ...object };
    const where = { rule: 7, strategy: 'EnumRemap', path: 'spec.size' };
    throw new ConversionError(`value "${size}" is not mapped`, where);
  };

  test('names object, versions, rule and path (R10, H01)', () => {
    const { message, summary } = ask(review([widget('v1', 'w', { size: 'XL' })]), { router: fakeRouter(failing) });
    expect(message).toBe(
      'Widget ns/w (uid u-w, item 0): v1 -> v2: rule 7 EnumRemap at spec.size: value "XL" is not mapped',
    );
    expect(summary.result).toBe('error');
  });

  test.each<[Json, string]>([
    [{ name: 'w' }, 'Widget w (item 0)'],
    [{ name: 'w', namespace: 'ns' }, 'Widget ns/w (item 0)'],
    [{ namespace: 'ns', generateName: 'w-' }, 'Widget ns (item 0)'],
    [{ name: 5, uid: 'u' }, 'Widget (uid u, item 0)'],
    [null, 'Widget (item 0)'],
  ])('of an object with metadata %j names it %s', (metadata, name) => {
    const object = { ...widget('v1', 'w', { size: 'XL' }), metadata };
    const { message } = ask(review([object]), { router: fakeRouter(failing) });
    expect(message?.startsWith(`${name}: v1 -> v2: `)).toBe(true);
  });

  test('names the first 10 of 11 failing objects and their number (R58)', () => {
    const objects = Array.from({ length: 12 }, (_, i) => widget('v1', `w${i}`, i === 4 ? {} : { size: `s${i}` }));
    const { message, converted } = ask(review(objects), { router: fakeRouter(failing) });
    expect(converted).toEqual([]);
    expect(message).toMatch(/^11 of 12 objects failed: Widget ns\/w0 .*; and 1 more$/);
    expect(message?.split('; ')).toHaveLength(11);
    expect(message).toContain('(uid u-w10, item 10)');
    expect(message).not.toContain('item 4)');
    expect(message).not.toContain('item 11)');
  });

  test('of one object among many says so, also when another is no object', () => {
    const answer = ask(review([widget('v1', 'a', {}), widget('v1', 'b', { size: 'XL' }), 'x']), {
      router: fakeRouter(failing),
    });
    expect(answer.message).toMatch(
      /^2 of 3 objects failed: Widget ns\/b .*; item 2 is string, expected a JSON object$/,
    );
    expect(answer.summary.result).toBe('error');
  });

  test('stays small whatever the objects hold', () => {
    const router = fakeRouter(() => {
      throw new ConversionError('x'.repeat(100_000));
    });
    const huge = { ...widget('v1', 'n'.repeat(100_000)), kind: '😀'.repeat(100_000) };
    const { message = '' } = ask(review(Array.from({ length: 50 }, () => huge)), { router });
    expect(message.length).toBeLessThan(12_000);
    expect(message.isWellFormed()).toBe(true);
    expect(message).toMatch(/; and 40 more$/);
  });

  test('of a deadline tells how far it came (R30)', () => {
    let calls = 0;
    const { message, converted, summary } = ask(review(Array.from({ length: 5 }, () => widget('v1'))), {
      deadlinePassed: () => ++calls > 3,
    });
    expect([message, converted, summary.result]).toEqual(['deadline, 3 of 5 done', [], 'error']);
  });

  test.each([
    ['an error', new TypeError('secret value at stack')],
    ['a string', 'secret value'],
    ['nothing', undefined],
  ])('of a crash with %s has a reference and no detail (H02)', (_name, thrown) => {
    const router = fakeRouter((object) => {
      if ((object['metadata'] as JsonObject)['name'] === 'b') throw thrown;
      return { ...object };
    });
    const given = context({ router });
    const answer = answered(answerReview(review([widget('v1', 'a'), widget('v1', 'b')]), given));
    expect(answer).toMatchObject({ status: 'Failure', converted: [], message: 'internal error, reference id ref-1' });
    expect(answer.response['uid']).toBe(uid);
    expect(answer.summary).toMatchObject({ result: 'panic', uid, objects: 2, from: ['v1'], to: 'v2' });
    expect(JSON.stringify(answer.body)).not.toContain('secret');
    expect(given.onCrash).toHaveBeenCalledExactlyOnceWith(thrown, 'ref-1');
    expect(answered(answerReview(review([widget('v1', 'a')]), given)).status).toBe('Success');
  });

  test('of a crash in the deadline or the router is answered too', () => {
    const crash = () => {
      throw new RangeError('Maximum call stack size exceeded');
    };
    expect(ask(review([widget('v1')]), { deadlinePassed: crash }).summary.result).toBe('panic');
    expect(ask(review([widget('v1')]), { router: { ...fakeRouter(), has: crash } }).summary.result).toBe('panic');
  });
});

describe('the check of what came out', () => {
  const plain = widget('v1');

  test.each<[string, JsonObject, string]>([
    ['kind', { kind: 'Gadget' }, 'the conversion changed kind'],
    ['no metadata', { metadata: null }, 'the conversion left no metadata object'],
    ['name', { metadata: { name: 'x', namespace: 'ns', uid: 'u-w' } }, 'the conversion changed metadata.name'],
    ['namespace', { metadata: { name: 'w', uid: 'u-w' } }, 'the conversion changed metadata.namespace'],
    ['uid', { metadata: { name: 'w', namespace: 'ns', uid: 'x' } }, 'the conversion changed metadata.uid'],
  ])('refuses a changed %s (R09)', (_name, change, message) => {
    const { message: text } = ask(review([plain]), { router: fakeRouter((object) => ({ ...object, ...change })) });
    expect(text).toBe(`Widget ns/w (uid u-w, item 0): v1 -> v2: ${message}`);
  });

  const withMetadata = (more: JsonObject, input = plain) => {
    const metadata = { ...(input['metadata'] as JsonObject), ...more };
    return ask(review([input]), { router: fakeRouter((object) => ({ ...object, metadata })) });
  };

  test.each<[JsonObject, RegExp]>([
    [{ annotations: 'x' }, /metadata.annotations "x", not an object/],
    [{ annotations: { a: 5 } }, /metadata.annotations a is 5, not a string/],
    [{ annotations: { 'a b': 'x' } }, /"a b" is not a key/],
    [{ labels: { a: true } }, /metadata.labels a is true, not a string/],
    [{ labels: { a: 'x y' } }, /"x y" is not a value that label a may have/],
    [{ labels: { a: 'x'.repeat(64) } }, /is not a value that label a may have/],
    [{ labels: { 'A.b/c': 'x' } }, /"A.b\/c" is not a key/],
  ])('refuses %j (R24, R25)', (more, message) => {
    expect(withMetadata(more)).toMatchObject({ status: 'Failure', message: expect.stringMatching(message) });
  });

  test.each<JsonObject>([
    { labels: { a: '', 'x.y/z': 'v1.2' } },
    { annotations: { 'X.y/Z': 'any text at all\n' } },
    { annotations: {} },
  ])('takes %j', (more) => expect(withMetadata(more).status).toBe('Success'));

  test('leaves alone what came in so', () => {
    const odd = { ...plain, metadata: { name: 'w', labels: { 'not a key': 5 }, annotations: null } };
    expect(withMetadata({}, odd).status).toBe('Success');
    expect(withMetadata({ labels: { 'not a key': 5, b: 'c' } }, odd).status).toBe('Success');
  });

  const key = 'demo.example.test/script';
  const fits = 262_144 - key.length - 'a'.length - 'bc'.length;

  test('limits all annotations to 262144 bytes and names the largest (R25, C13)', () => {
    expect(withMetadata({ annotations: { a: 'bc', [key]: 'x'.repeat(fits) } }).status).toBe('Success');
    expect(withMetadata({ annotations: { a: 'bc', [key]: 'x'.repeat(fits + 1) } }).message).toBe(
      `Widget ns/w (uid u-w, item 0): v1 -> v2: annotation ${key} has ${fits + 1} bytes; all annotations have 262145, the limit is 262144`,
    );
    expect(withMetadata({ annotations: { [key]: 'x'.repeat(300_002) } }).message).toContain('has 300002 bytes');
    expect(withMetadata({ annotations: { a: 'ä'.repeat(131_072) } }).message).toContain('has 262144 bytes');
  });

  test('does not measure annotations that the conversion did not touch', () => {
    const annotations = { [key]: 'x'.repeat(300_000) };
    const large = { ...plain, metadata: { name: 'w', annotations } };
    expect(withMetadata({ annotations }, large).status).toBe('Success');
  });
});

test('failReview answers with the uid and version of the review', () => {
  expect(failReview(review([widget('v1')], undefined, 'apiextensions.k8s.io/v1beta1'), 'too large')).toEqual({
    apiVersion: 'apiextensions.k8s.io/v1beta1',
    kind: 'ConversionReview',
    response: { uid, convertedObjects: [], result: { status: 'Failure', message: 'too large' } },
  });
});

describe('failUnreadable', () => {
  const text = `{"apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"${uid}","objects":[{"spec":{"big":1E400}}]}}`;

  test('finds the uid of a review that holds a number beyond a double (C03)', () => {
    expect(() => parseJson(text)).toThrow('the number at request.objects[0].spec.big is beyond the range of a double');
    for (const body of [text, `\ufeff${text}`]) {
      expect(failUnreadable(body, 'why')).toMatchObject({
        apiVersion: 'apiextensions.k8s.io/v1',
        response: { uid, convertedObjects: [], result: { status: 'Failure', message: 'why' } },
      });
    }
  });

  test('finds the uid of a review that is nested too deep', () => {
    const deep = text.replace('1E400', `${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(failUnreadable(deep, 'why')).toMatchObject({ response: { uid } });
  });

  test.each(['not json', '', '{}', '[1E400]'])('answers %j with nothing', (body) => {
    expect(failUnreadable(body, 'why')).toBeUndefined();
  });
});

test.each<[Json, string[]]>([
  [review([widget('v1'), widget('v2'), widget('v1'), 5, {}]), ['v2', 'v1']],
  [review([], 'v2'), []],
  [review(5), ['v2']],
  [{ request: { uid } }, []],
])('reviewVersions names each version once (%#)', (body, versions) => expect(reviewVersions(body)).toEqual(versions));
