import { randomUUID } from 'node:crypto';
import { isArray, isObject, type JsonObject } from '../../engine/json.ts';
import { JsonError, parseJson, stringifyJson } from '../../k8s/json.ts';
import type { Target } from '../../k8s/target.ts';
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

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its host name is not known',
  TIMEOUT: 'no answer in time',
};

/**
 * Asks a webhook what an apiserver would ask: one review of one object for each other version.
 * @returns why it is not fit to convert; undefined when it is
 */
export async function checkWebhook(
  webhook: Webhook,
  { group, versions, kind }: Target,
  { object, from }: { readonly object: JsonObject | undefined; readonly from: string },
  deps: Deps,
): Promise<string | undefined> {
  const uid = randomUUID();
  const sample = object ?? { apiVersion: `${group}/${from}`, kind, metadata: { name: 'convctl-wire', uid } };
  for (const { name } of versions.filter((version) => version.served && version.name !== from)) {
    const fault = await ask(webhook, { uid, desiredAPIVersion: `${group}/${name}`, objects: [sample] }, deps);
    if (fault !== undefined) return `${from} -> ${name}: ${fault}`;
  }
  return undefined;
}

async function ask({ url, ca }: Webhook, request: JsonObject, { send, env, timeoutMs }: Deps) {
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
  return faultOf(answer, request);
}

function faultOf({ status, text }: HttpAnswer, request: JsonObject): string | undefined {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
  const answer = isObject(body as JsonObject) ? (body as JsonObject) : {};
  if (status !== 200) return `it answers HTTP ${status}: ${at(answer, 'message') ?? 'no Status'}`;
  const { uid, desiredAPIVersion } = request;
  if (at(answer, 'response', 'uid') !== uid) return 'its answer is no ConversionReview with the uid of the request';
  if (at(answer, 'response', 'result', 'status') !== 'Success') {
    return `it answers Failure: ${at(answer, 'response', 'result', 'message') ?? 'without a reason'}`;
  }
  const converted = at(answer, 'response', 'convertedObjects');
  const [first] = isArray(converted) ? converted : [];
  return at(first, 'apiVersion') === desiredAPIVersion ? undefined : `it did not give the object at that version`;
}
