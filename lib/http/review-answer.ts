import type { Lookup, Registry, RegistryEntry } from '../configs/types.ts';
import type { Json, JsonObject } from '../engine/json.ts';
import { AppError } from '../errors.ts';
import { JsonError, parseJson, stringifyJson } from '../k8s/json.ts';
import { answerReview, failReview, failUnreadable, type ReviewSummary, reviewVersions } from '../k8s/review.ts';
import { describeError, type Log } from '../telemetry/log.ts';
import type { ReviewResult } from '../telemetry/metrics.ts';
import { MAX_RESULT_BYTES, oversize, renderJson } from './answer-size.ts';
import { type HttpRequest, type HttpResponse, MAX_REQUEST_BYTES } from './function-url.ts';
import { renderStatus } from './status.ts';

interface ReviewJob {
  readonly request: HttpRequest;
  readonly registry: Pick<Registry, 'lookup'>;
  readonly target: string;
  readonly deadlinePassed: () => boolean;
  readonly newId: () => string;
  readonly log: Log;
}

interface Answer {
  readonly response: HttpResponse;
  readonly result: ReviewResult;
  /** Missing for a body that is no review, without a plan to try, and after a crash outside the conversion. */
  readonly summary?: ReviewSummary;
  readonly entry?: RegistryEntry;
}

/**
 * Answers a request whose token is right; undefined when there is no config for its target. The body is read before the
 * one look-up, which needs its versions, but judged after it: an unknown target is one answer, whatever the body (R20).
 */
export async function answerRequest(job: ReviewJob): Promise<Answer | undefined> {
  const read = await readBody(job.request);
  try {
    const found = await job.registry.lookup(job.target, 'body' in read ? reviewVersions(read.body) : []);
    if (!found.known) return undefined;
    return 'body' in read
      ? await convertBody(read.body, found, job)
      : { response: read.response, result: 'bad_request' };
  } catch (error) {
    // Whatever broke, the apiserver discards an answer without the uid together with its message (R09).
    const reference = job.newId();
    const failure = 'body' in read && failReview(read.body, `internal error, reference id ${reference}`);
    if (!failure) throw error;
    logCrash(job, error, reference);
    return { response: await renderJson(stringifyJson(failure), undefined), result: 'panic' };
  }
}

async function convertBody(body: Json, { entry, error, settle }: Lookup, job: ReviewJob): Promise<Answer> {
  const { target, request } = job;
  // Nothing is wrong with the plan, as far as is known: client-go calls again when it is asked to (R11).
  if (entry === undefined && error === undefined) return { response: notLoadedYet(target), result: 'error' };
  const answer = answerReview(body, {
    target,
    plan: entry,
    fault: error,
    deadlinePassed: job.deadlinePassed,
    newReference: job.newId,
    onCrash: (thrown, reference) => logCrash(job, thrown, reference),
  });
  await settle();
  if (answer.kind === 'not-a-review') {
    return { response: renderStatus(new AppError('BAD_REQUEST', answer.message)), result: 'bad_request' };
  }
  const { response, oversized } = await renderReview(answer.body, body, request);
  const { summary } = answer;
  return { response, result: oversized ? 'error' : summary.result, summary, ...(entry && { entry }) };
}

function notLoadedYet(target: string): HttpResponse {
  const headers = { 'retry-after': '1' };
  return renderStatus(
    new AppError('UNAVAILABLE', `the plan of ${target} could not be read yet; try again`, { headers }),
  );
}

/** The answer as a response, or a Failure in its place when it is too large to send (R31). */
async function renderReview(review: JsonObject, body: Json, { headers }: HttpRequest) {
  const response = await renderJson(stringifyJson(review), headers.get('accept-encoding'));
  const bytes = oversize(response);
  if (bytes === undefined) return { response, oversized: false };
  const failure = failReview(
    body,
    `the converted list is ${bytes} bytes; the limit is ${MAX_RESULT_BYTES}: ask for it with a smaller limit`,
  );
  return { response: await renderJson(stringifyJson(failure ?? null), undefined), oversized: true };
}

/** The parsed body, or the answer to one that cannot be read: a Failure where it holds a uid, else a Status. */
async function readBody(request: HttpRequest): Promise<{ body: Json } | { response: HttpResponse }> {
  if (request.bodyBytes > MAX_REQUEST_BYTES) {
    const message = `the review is ${request.bodyBytes} bytes; the limit is ${MAX_REQUEST_BYTES}`;
    return { response: renderStatus(new AppError('TOO_LARGE', message)) };
  }
  try {
    return { body: parseJson(request.text()) };
  } catch (error) {
    if (error instanceof AppError) return { response: renderStatus(error) };
    if (!(error instanceof JsonError)) throw error;
    const message = `the body cannot be read: ${error.message}`;
    const failure = failUnreadable(request.text(), message);
    if (failure !== undefined) return { response: await renderJson(stringifyJson(failure), undefined) };
    return { response: renderStatus(new AppError('BAD_REQUEST', message)) };
  }
}

function logCrash({ log, target }: ReviewJob, error: unknown, reference: string): void {
  log.error('review crashed', { target, reference, ...describeError(error) });
}
