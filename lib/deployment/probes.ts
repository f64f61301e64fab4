import { SELF_TEST_PATH } from '../http/self-test-definition.ts';
import { type Answer, checkStatus, fieldOf, quote, readJson } from './answer.ts';
import type { Deployed } from './deployed.ts';
import { checkAnswer, renderReview } from './review.ts';

/** One request to a new version, and what its answer must be. */
export interface Probe {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the request with this id. */
  readonly body?: (id: string) => string;
  /** Undefined for the right answer, else a sentence that says what differs. */
  readonly judge: (id: string, answer: Answer) => string | undefined;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** What a new version is asked before it gets traffic. */
export const PROBES: Readonly<Record<Deployed, readonly Probe[]>> = {
  convert: [{ method: 'POST', path: SELF_TEST_PATH, headers: JSON_TYPE, body: renderReview, judge: checkAnswer }],
  api: [
    { method: 'GET', path: '/healthz', judge: checkHealth },
    { method: 'GET', path: '/readyz', judge: checkHealth },
    // A bearer token that is none: 401 says that the version could read the secret, 503 that it could not.
    { method: 'GET', path: '/api/v1/configs', headers: { authorization: 'Bearer none' }, judge: checkRefusal },
  ],
};

function checkHealth(_id: string, { status, body }: Answer): string | undefined {
  const json = readJson(body);
  const wrongStatus = checkStatus(status, json);
  if (wrongStatus !== undefined) return wrongStatus;
  return fieldOf(json, 'status') === 'ok' ? undefined : 'the answer is not {"status":"ok"}';
}

function checkRefusal(_id: string, { status, body }: Answer): string | undefined {
  if (status === 401) return undefined;
  return `the answer to an unknown token is HTTP ${status}, expected 401${quote(fieldOf(readJson(body), 'detail'))}`;
}
