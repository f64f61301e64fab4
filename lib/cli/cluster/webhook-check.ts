import { randomUUID } from 'node:crypto';
import { getOwn, isArray, isObject, type JsonObject } from '../../engine/json.ts';
import { JsonError, parseJson, stringifyJson } from '../../k8s/json.ts';
import type { HttpAnswer, Send } from '../remote/http.ts';
import { at } from './definitions.ts';

export interface Webhook {
  readonly url: string;
  /** The only CA that is trusted, PEM. */
  readonly ca?: string;
}

interface Deps {
  readonly send: Send;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

const IDENTITY = [['kind'], ['metadata', 'name'], ['metadata', 'namespace'], ['metadata', 'uid']] as const;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its host name is not known',
  TIMEOUT: 'no answer in time',
};

/**
 * Asks a webhook what an apiserver would ask: to give an object at each of these versions, and each of them back.
 * @returns why it is not fit to convert; undefined when it is
 */
export async function checkWebhook(
  webhook: Webhook,
  object: JsonObject,
  versions: readonly string[],
  deps: Deps,
): Promise<string | undefined> {
  const [group = '', from = ''] = String(getOwn(object, 'apiVersion')).split('/');
  for (const version of versions) {
    const there = await ask(webhook, object, `${group}/${version}`, deps);
    if (typeof there === 'string') return `${from} -> ${version}: ${there}`;
    const back = version === from ? there : await ask(webhook, there, `${group}/${from}`, deps);
    if (typeof back === 'string') return `${version} -> ${from}: ${back}`;
  }
  return undefined;
}

/** @returns the object at the version, or why it was not given */
async function ask(
  { url, ca }: Webhook,
  object: JsonObject,
  desiredAPIVersion: string,
  { send, env, timeoutMs }: Deps,
): Promise<JsonObject | string> {
  const request = { uid: randomUUID(), desiredAPIVersion, objects: [object] };
  const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
  let answer: HttpAnswer;
  try {
    answer = await send({
      method: 'POST',
      // As the apiserver appends it.
      url: new URL(`${url}?timeout=30s`),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: stringifyJson(review),
      timeoutMs,
      env,
      ...(ca !== undefined && { ca }),
    });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    return `it cannot be reached: ${REASONS[code] ?? (message || code)}`;
  }
  return readAnswer(answer, request, object);
}

function readAnswer(
  { status, text }: HttpAnswer,
  { uid, desiredAPIVersion }: { readonly uid: string; readonly desiredAPIVersion: string },
  object: JsonObject,
): JsonObject | string {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
  const answer = isObject(body as JsonObject) ? (body as JsonObject) : {};
  if (status !== 200) return `it answers HTTP ${status}: ${at(answer, 'message') ?? 'no Status'}`;
  if (at(answer, 'response', 'uid') !== uid) return 'its answer is no ConversionReview with the uid of the request';
  if (at(answer, 'response', 'result', 'status') !== 'Success') {
    return `it answers Failure: ${at(answer, 'response', 'result', 'message') ?? 'without a reason'}`;
  }
  const converted = at(answer, 'response', 'convertedObjects');
  const [first, ...more] = isArray(converted) ? converted : [];
  if (!isObject(first) || more.length > 0) return 'it did not give one object for one';
  if (at(first, 'apiVersion') !== desiredAPIVersion) return 'it did not give the object at that version';
  // An apiserver refuses what has another identity.
  const changed = IDENTITY.find((path) => at(first, ...path) !== at(object, ...path));
  return changed === undefined ? first : `it changed ${changed.join('.')}`;
}
