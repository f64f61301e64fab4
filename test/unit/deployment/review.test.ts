import { beforeAll, describe, expect, test } from 'vitest';
import { compileRevision } from '../../../lib/configs/compile-revision.ts';
import { checkAnswer, renderReview } from '../../../lib/deployment/review.ts';
import type { Json } from '../../../lib/engine/json.ts';
import { SELF_TEST_GROUP, SELF_TEST_SOURCE, SELF_TEST_TARGET } from '../../../lib/http/self-test-definition.ts';
import { parseJson, stringifyJson } from '../../../lib/k8s/json.ts';
import { answerReview } from '../../../lib/k8s/review.ts';

const UID = '6a1f0f4e-0000-4000-8000-000000000001';
let right: string;

beforeAll(async () => {
  const plan = { group: SELF_TEST_GROUP, router: await compileRevision(SELF_TEST_SOURCE) };
  const answer = answerReview(parseJson(renderReview(UID)), {
    target: SELF_TEST_TARGET,
    plan,
    deadlinePassed: () => false,
    newReference: () => 'ref-1',
    onCrash: (error) => {
      throw error;
    },
  });
  right = answer.kind === 'review' ? stringifyJson(answer.body) : answer.message;
});

/** The right answer with one thing changed. */
function changed(change: (answer: any) => void): string {
  const answer = parseJson(right) as any;
  change(answer);
  return stringifyJson(answer as Json);
}

test('what the engine answers is what was recorded', () => {
  expect(checkAnswer(UID, { status: 200, body: right })).toBeUndefined();
});

test('key order and white space are free', () => {
  const { response, ...rest } = parseJson(right) as any;
  const { uid, result, convertedObjects } = response;
  const body = `\n ${stringifyJson({ response: { result, convertedObjects, uid }, ...rest })}\n`;
  expect(checkAnswer(UID, { status: 200, body })).toBeUndefined();
});

test('the review goes through a rule in each direction and holds an integer that no double holds', () => {
  const { request } = parseJson(renderReview(UID)) as any;
  expect(request.objects.map(({ apiVersion }: any) => apiVersion.split('/')[1])).toEqual(['v1', 'v2']);
  expect(request.desiredAPIVersion).toBe(`${SELF_TEST_GROUP}/v3`);
  expect(request.objects[0].spec.serial).toBe(2n ** 53n + 1n);
  expect(renderReview(UID).length).toBeLessThan(1_024);
});

describe('a wrong answer is told by what differs', () => {
  test.each<[string, (answer: any) => void, string]>([
    ['the uid of another review', ({ response }) => (response.uid = 'u-2'), `another review than ${UID}; its uid: u-2`],
    ['no uid', ({ response }) => delete response.uid, `another review than ${UID}; its uid is missing`],
    ['no response', (answer) => delete answer.response, `another review than ${UID}; its uid is missing`],
    [
      'a Failure',
      ({ response }) =>
        Object.assign(response, { result: { status: 'Failure', message: 'why' }, convertedObjects: [] }),
      'the review failed: why',
    ],
    ['no result', ({ response }) => delete response.result, 'the review failed'],
    ['an object too few', ({ response }) => response.convertedObjects.pop(), 'at response.convertedObjects[1]'],
    ['an object too many', ({ response }) => response.convertedObjects.push({}), 'at response.convertedObjects[2]'],
    [
      'objects in another order',
      ({ response }) => response.convertedObjects.reverse(),
      'at response.convertedObjects[0]',
    ],
    [
      'a rounded integer',
      ({ response }) => (response.convertedObjects[0].spec.serial = 2 ** 53),
      'at response.convertedObjects[0].spec.serial',
    ],
    [
      'an integer as text',
      ({ response }) => (response.convertedObjects[1].spec.serial = '7'),
      'at response.convertedObjects[1].spec.serial',
    ],
    [
      'a default left out',
      ({ response }) => delete response.convertedObjects[1].spec.power,
      'at response.convertedObjects[1].spec.power',
    ],
    [
      'a null left out',
      ({ response }) => response.convertedObjects[0].spec.note.kept.shift(),
      'at response.convertedObjects[0].spec.note.kept[0]',
    ],
    [
      'a key too many',
      ({ response }) => (response.convertedObjects[0].spec['a.b'] = 1),
      'at response.convertedObjects[0].spec["a.b"]',
    ],
    ['another kind', (answer) => (answer.kind = 'Status'), 'at kind'],
  ])('%s', (_name, change, message) => {
    expect(checkAnswer(UID, { status: 200, body: changed(change) })).toMatch(message);
  });

  test.each([
    [503, '{"kind":"Status","message":"no table"}', 'the answer is HTTP 503, expected 200: no table'],
    [403, '{"Message":"Forbidden"}', 'the answer is HTTP 403, expected 200'],
    [502, '<html>', 'the answer is HTTP 502, expected 200'],
    [404, '', 'the answer is HTTP 404, expected 200'],
    [201, '{}', 'the answer is HTTP 201, expected 200'],
    [200, '', 'the answer is not JSON (0 characters)'],
    [200, '<html>canary</html>', 'the answer is not JSON (19 characters)'],
    [200, 'null', `the answer is to another review than ${UID}; its uid is missing`],
    [200, '[]', `the answer is to another review than ${UID}; its uid is missing`],
  ])('HTTP %i with the body %j', (status, body, message) => {
    expect(checkAnswer(UID, { status, body })).toBe(message);
  });

  test('in one short sentence, however long the answer is', () => {
    const long = 'x'.repeat(100_000);
    const failure = changed(({ response }) => (response.result = { status: 'Failure', message: long }));
    const answers = [
      { status: 500, body: JSON.stringify({ message: long }) },
      { status: 200, body: failure },
      { status: 200, body: changed(({ response }) => (response.uid = long)) },
      { status: 200, body: changed(({ response }) => (response.convertedObjects[0].spec.title = long)) },
    ];
    for (const answer of answers) expect(checkAnswer(UID, answer)?.length).toBeLessThan(500);
  });
});
