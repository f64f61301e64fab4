import { getOwn, isArray, isObject, type Json, type JsonObject, jsonEqual } from '../engine/json.ts';
import { type DocumentPath, pathText } from '../engine/values/path-text.ts';
import { SELF_TEST_GROUP } from '../http/self-test-definition.ts';
import { stringifyJson } from '../k8s/json.ts';
import { type Answer, checkStatus, fieldOf, quote, readJson } from './answer.ts';

/** An integer that a double does not hold: 2^53 + 1. */
const SERIAL = 9_007_199_254_740_993n;
const ROUTES = { '1': 'main line', constructor: 'siding' };
/** In no schema, so it goes along as it is. */
const NOTE = { kept: [null, {}, ''] };

const turntable = (version: string, number: number, spec: JsonObject): JsonObject => ({
  apiVersion: `${SELF_TEST_GROUP}/${version}`,
  kind: 'Turntable',
  metadata: { name: `turntable-${number}`, namespace: 'yard', uid: `00000000-0000-4000-8000-00000000000${number}` },
  spec,
});

/** One object of another spoke, which goes through the hub, and one of the hub. */
const OBJECTS: readonly JsonObject[] = [
  turntable('v1', 1, {
    name: 'north',
    size: 'small',
    serial: SERIAL,
    tracks: { byName: ROUTES },
    turnTime: '1m30s',
    note: NOTE,
  }),
  turntable('v2', 2, { title: 'south', size: 'M', serial: 7, routes: {}, turnTime: '45s' }),
];
const CONVERTED: readonly JsonObject[] = [
  turntable('v3', 1, {
    title: 'north',
    size: 'S',
    serial: SERIAL,
    routes: ROUTES,
    turnSeconds: 90,
    power: 'electric',
    note: NOTE,
  }),
  turntable('v3', 2, { title: 'south', size: 'M', serial: 7, routes: {}, turnSeconds: 45, power: 'electric' }),
];

/**
 * The recorded review, as the text of a body. With a `uid` that nobody used before, an answer from a cache, or to
 * another review, is told from the right one.
 */
export function renderReview(uid: string): string {
  return stringifyJson({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid, desiredAPIVersion: `${SELF_TEST_GROUP}/v3`, objects: OBJECTS },
  });
}

/**
 * Compares an answer with the one that the recorded review must get, as JSON values with exact integers. Undefined when
 * it is right, else one sentence that says what differs.
 */
export function checkAnswer(uid: string, { status, body }: Answer): string | undefined {
  const json = readJson(body);
  const wrongStatus = checkStatus(status, json);
  if (wrongStatus !== undefined) return wrongStatus;
  if (json === undefined) return `the answer is not JSON (${body.length} characters)`;
  const response = fieldOf(json, 'response');
  const answered = fieldOf(response, 'uid');
  if (answered !== uid)
    return `the answer is to another review than ${uid}; its uid${quote(answered) || ' is missing'}`;
  const result = fieldOf(response, 'result');
  if (fieldOf(result, 'status') !== 'Success') return `the review failed${quote(fieldOf(result, 'message'))}`;
  const path = firstDifference(expectedAnswer(uid), json);
  return path && `the answer differs from the recorded one at ${pathText(path)}`;
}

function expectedAnswer(uid: string): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: { uid, result: { status: 'Success' }, convertedObjects: CONVERTED },
  };
}

/** The path of the first value that is not as expected; undefined when all are. */
function firstDifference(expected: Json | undefined, found: Json | undefined): DocumentPath | undefined {
  if (jsonEqual(expected, found)) return undefined;
  for (const key of commonKeys(expected, found)) {
    const at = (value: Json | undefined) => getOwn(value as JsonObject, String(key));
    const path = firstDifference(at(expected), at(found));
    if (path !== undefined) return [key, ...path];
  }
  return [];
}

/** The keys to look below: none unless both are objects, or both are lists. */
function commonKeys(a: Json | undefined, b: Json | undefined): (string | number)[] {
  if (isArray(a) && isArray(b)) return Array.from({ length: Math.max(a.length, b.length) }, (_, index) => index);
  return isObject(a) && isObject(b) ? [...new Set([...Object.keys(a), ...Object.keys(b)])] : [];
}
