import type { Registries, Registry } from '../configs/types.ts';
import { AppError } from '../errors.ts';
import type { ReviewSummary } from '../k8s/review.ts';
import { type Log, redactPath } from '../telemetry/log.ts';
import type { Telemetry } from '../telemetry/metrics.ts';
import type { HttpRequest, HttpResponse, Invocation } from './function-url.ts';
import { createHttpHandler, type FunctionUrlHandler } from './handler.ts';
import { answerRequest } from './review-answer.ts';
import { createSelfTest } from './self-test.ts';
import { SELF_TEST_PATH } from './self-test-definition.ts';
import { createStatusRenderer } from './status.ts';

export interface ConvertOptions {
  readonly registries: Registries;
  /** Also serve `POST /convert/{target}`, without endpoint and token, from every config there is. */
  readonly development: boolean;
  /** How long a review may take, in milliseconds; cut to 25 s and to what the invocation has left. */
  readonly deadlineMs: number;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
  readonly telemetry: Telemetry;
}

/** What the path of a conversion URL names. */
interface Address {
  readonly target: string;
  readonly endpoint?: string;
  readonly token?: string;
}

/** The apiserver gives up after 30 s; a review that would take longer is answered before (R30). */
const MAX_DEADLINE_MS = 25_000;
/** What rendering, compressing and sending the answer may need of the invocation's time. */
const RESERVE_MS = 1_000;
/** Longest text of a caller's own that enters a log line. */
const MAX_LOGGED = 64;
/** Longest reason why a plan is not loaded; it can quote the config. */
const MAX_LOGGED_REASON = 1_000;

/**
 * The handler of the `convert` function: `POST /convert/{endpoint}/{token}/{target}` with a ConversionReview. Any
 * content type and any query is taken (R27, R45). A review that fails is HTTP 200 with a Failure (R10); every 4xx and
 * 5xx has a Kubernetes `Status` as its body (R11). `POST /convert/self-test` takes the recorded review.
 */
export function createConvertHandler(options: ConvertOptions): FunctionUrlHandler {
  const { registries, telemetry, log, newId, now } = options;
  const selfTest = createSelfTest(options);

  const handle = async (request: HttpRequest, invocation: Invocation): Promise<HttpResponse> => {
    const started = now();
    const deadline = started + allowedTime(options.deadlineMs, invocation);
    const deadlinePassed = () => now() > deadline;
    if (request.path === SELF_TEST_PATH) {
      requirePost(request);
      return await selfTest(request, deadlinePassed);
    }
    const address = readAddress(request.segments, options.development);
    requirePost(request);
    const { target, endpoint } = address;
    const registry = await openRegistry(registries, address);
    if (registry === undefined) throw refuse(request, log);
    const answer = await answerRequest({ request, registry, target, deadlinePassed, newId, log });
    // The look that ran beside the conversion is how an instance learns that a token has ended.
    if (!isAdmitted(registries, address)) throw refuse(request, log);
    if (answer === undefined) {
      telemetry.review({ result: 'not_registered', durationMs: now() - started, ...describe(undefined) });
      throw refuse(request, log);
    }
    telemetry.review({
      result: answer.result,
      durationMs: now() - started,
      target,
      ...(endpoint !== undefined && { endpoint }),
      ...(answer.entry && { revision: answer.entry.revision }),
      ...describe(answer.summary),
    });
    reportRegistry(registry, telemetry, log);
    return answer.response;
  };

  return createHttpHandler({ handle, renderError: createStatusRenderer(options) });
}

function readAddress(segments: readonly string[], development: boolean): Address {
  const [root, ...rest] = segments;
  if (root === 'convert' && rest.length === 3) {
    const [endpoint = '', token = '', target = ''] = rest;
    return { endpoint, token, target };
  }
  if (root === 'convert' && rest.length === 1 && development) return { target: rest[0] ?? '' };
  throw notFound();
}

function openRegistry(registries: Registries, { endpoint, token }: Address): Promise<Registry | undefined> {
  return endpoint === undefined || token === undefined ? registries.all() : registries.open(endpoint, token);
}

function isAdmitted(registries: Registries, { endpoint, token }: Address): boolean {
  return endpoint === undefined || token === undefined || registries.admits(endpoint, token);
}

function allowedTime(deadlineMs: number, { getRemainingTimeInMillis }: Invocation): number {
  const left = getRemainingTimeInMillis ? getRemainingTimeInMillis() - RESERVE_MS : MAX_DEADLINE_MS;
  return Math.min(deadlineMs, MAX_DEADLINE_MS, left);
}

/** A review as telemetry takes it; text of the caller's own is cut. */
function describe(summary: ReviewSummary | undefined) {
  if (summary === undefined) return { objects: 0, lossy: 0, absentSkipped: 0, stashIgnored: 0, shapeMismatches: 0 };
  const { uid, from, to, objects, lossy, run } = summary;
  const { absentSkipped, stashIgnored, shapeMismatches } = run;
  const cut = (text: string) => text.slice(0, MAX_LOGGED);
  const names = { uid: cut(uid), from: cut(from.join(',')), to: cut(to) };
  return { ...names, objects, lossy, absentSkipped, stashIgnored, shapeMismatches };
}

function reportRegistry(registry: Registry, telemetry: Telemetry, log: Log): void {
  const { compiles, loadFailures, compileDurations, lookFailures } = registry.drain();
  if (compiles + loadFailures.length > 0) {
    const compileMs = compileDurations.reduce((sum, duration) => sum + duration, 0);
    telemetry.registry({ size: registry.size, compileMs, compileErrors: loadFailures.length });
  }
  for (const { target, revision, reason } of loadFailures) {
    log.error('plan not loaded', { target, revision, reason: reason.slice(0, MAX_LOGGED_REASON) });
  }
  if (lookFailures > 0) log.warn('configs not read', { failures: lookFailures });
}

/** A wrong token and an unknown target are one answer, and one line in the log (R20). */
function refuse({ path }: HttpRequest, log: Log): AppError {
  log.info('conversion URL not known', { path: redactPath(path).slice(0, 4 * MAX_LOGGED) });
  return notFound();
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'no conversion is served at this URL: check its endpoint, token and target');
}

function requirePost({ method }: HttpRequest): void {
  if (method === 'POST') return;
  throw new AppError('METHOD_NOT_ALLOWED', `${method} is not allowed here; send the ConversionReview with POST`, {
    headers: { allow: 'POST' },
  });
}
