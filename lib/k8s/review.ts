import { ConversionError, show } from '../engine/conversion-error.ts';
import { getOwn, isArray, isObject, type Json, type JsonObject, jsonType } from '../engine/json.ts';
import type { Router } from '../engine/route.ts';
import { createRun, type Run } from '../engine/run.ts';
import { cut, describeObject, FailureList, MAX_MESSAGE } from './review-failures.ts';
import { checkConverted } from './review-metadata.ts';

/** What a review needs of a router. */
export type ReviewRouter = Pick<Router, 'versions' | 'has' | 'lossless' | 'convert'>;

export interface ReviewContext {
  /** Name of the CRD or XRD that the URL named. */
  readonly target: string;
  /** What is registered under that name. */
  readonly plan: { readonly group: string; readonly router: ReviewRouter } | undefined;
  /** Why there is no plan, when something is registered all the same. */
  readonly fault?: string | undefined;
  /** Asked before each object (R30). */
  readonly deadlinePassed: () => boolean;
  /** Makes the id that ties a crash's answer to its log line. */
  readonly newReference: () => string;
  /** Takes what was thrown; nothing of it enters the answer. */
  readonly onCrash: (error: unknown, reference: string) => void;
}

/** What telemetry wants to know of a review; no object bodies. */
export interface ReviewSummary {
  readonly result: 'success' | 'error' | 'bad_request' | 'not_registered' | 'panic';
  readonly uid: string;
  /** Source versions, each once. */
  readonly from: readonly string[];
  readonly to: string;
  /** How many objects the review holds. */
  readonly objects: number;
  /** Objects converted in a direction that the analysis calls lossy. */
  readonly lossy: number;
  readonly run: Readonly<Run>;
}

export type ReviewAnswer =
  /** HTTP 200, whatever the result: `body` is the ConversionReview to send. */
  | { readonly kind: 'review'; readonly body: JsonObject; readonly summary: ReviewSummary }
  /** HTTP 400 with this message: there is no uid to answer to. */
  | { readonly kind: 'not-a-review'; readonly message: string };

const REVIEW_VERSIONS = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];

/**
 * Answers a ConversionReview (R09, R10, R56 to R58): all objects in their order, or a Failure that names the first ten
 * that do not convert. An object already at the wanted version comes back as it is. Never throws; a crash is a Failure
 * with a reference id.
 */
export function answerReview(body: Json, context: ReviewContext): ReviewAnswer {
  const envelope = readEnvelope(body);
  if ('message' in envelope) return { kind: 'not-a-review', message: envelope.message };
  const review = new Review(envelope, context.deadlinePassed);
  try {
    return review.answer(context);
  } catch (error) {
    const reference = context.newReference();
    context.onCrash(error, reference);
    return review.fail('panic', `internal error, reference id ${reference}`);
  }
}

/**
 * The Failure to send for a review whose own answer cannot be sent: too large (R31), or a crash outside the conversion.
 * Undefined for what is not a review.
 */
export function failReview(body: Json, message: string): JsonObject | undefined {
  const envelope = readEnvelope(body);
  return 'message' in envelope ? undefined : renderFailure(envelope, message);
}

/**
 * The Failure to send for a body that `parseJson` refuses although it is JSON: a number beyond the range of a double, or
 * nesting too deep (R07). Undefined where no uid can be read from it.
 */
export function failUnreadable(text: string, message: string): JsonObject | undefined {
  try {
    return failReview(JSON.parse(text.replace(/^\ufeff/, '')) as Json, message);
  } catch {
    return undefined;
  }
}

/** The version names that a review needs plans for, each once: what it wants, and what its objects have. */
export function reviewVersions(body: Json): string[] {
  const envelope = readEnvelope(body);
  if ('message' in envelope) return [];
  const objects = getOwn(envelope.request, 'objects');
  const apiVersions = [getOwn(envelope.request, 'desiredAPIVersion')];
  if (isArray(objects)) for (const item of objects) if (isObject(item)) apiVersions.push(getOwn(item, 'apiVersion'));
  const versions = apiVersions.map((apiVersion) => splitApiVersion(apiVersion)?.version);
  return [...new Set(versions.filter((version) => version !== undefined))];
}

interface Envelope {
  readonly uid: string;
  readonly request: JsonObject;
  readonly review: JsonObject;
  /** That of the answer: the one of the review where it is known (R56). */
  readonly apiVersion: string;
}

function readEnvelope(body: Json): Envelope | { readonly message: string } {
  if (!isObject(body)) return { message: `the body is not a ConversionReview: it is ${jsonType(body)}` };
  const request = getOwn(body, 'request');
  if (!isObject(request)) return { message: 'the body is not a ConversionReview: it has no request' };
  const uid = getOwn(request, 'uid');
  if (typeof uid !== 'string' || uid === '') return { message: 'request.uid must be a non-empty string' };
  const apiVersion = REVIEW_VERSIONS.find((known) => known === getOwn(body, 'apiVersion'));
  return { uid, request, review: body, apiVersion: apiVersion ?? (REVIEW_VERSIONS[0] as string) };
}

function splitApiVersion(apiVersion: Json | undefined): { group: string; version: string } | undefined {
  if (typeof apiVersion !== 'string') return undefined;
  const slash = apiVersion.indexOf('/');
  if (slash < 1 || slash === apiVersion.length - 1) return undefined;
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

function renderFailure({ apiVersion, uid }: Envelope, message: string): JsonObject {
  const response = { uid, convertedObjects: [], result: { status: 'Failure', message } };
  return { apiVersion, kind: 'ConversionReview', response };
}

/** What an object converts under. */
interface Job {
  readonly router: ReviewRouter;
  readonly target: string;
  readonly group: string;
  readonly to: string;
  readonly desiredAPIVersion: string;
}

class Review {
  readonly #envelope: Envelope;
  readonly #run: Run;
  readonly #from = new Set<string>();
  #to = '';
  #objects = 0;
  #lossy = 0;

  constructor(envelope: Envelope, deadlinePassed: () => boolean) {
    this.#envelope = envelope;
    this.#run = createRun('review', deadlinePassed);
  }

  fail(result: ReviewSummary['result'], message: string): ReviewAnswer {
    return { kind: 'review', body: renderFailure(this.#envelope, message), summary: this.#summary(result) };
  }

  answer(context: ReviewContext): ReviewAnswer {
    const { request } = this.#envelope;
    const desiredAPIVersion = getOwn(request, 'desiredAPIVersion');
    const desired = splitApiVersion(desiredAPIVersion);
    const objects = getOwn(request, 'objects') === null ? [] : getOwn(request, 'objects');
    this.#to = desired?.version ?? '';
    this.#objects = isArray(objects) ? objects.length : 0;

    const fault = this.#fault();
    if (fault) return this.fail('bad_request', fault);
    if (!desired) return this.fail('bad_request', 'request.desiredAPIVersion must be <group>/<version>');
    if (!isArray(objects)) return this.fail('bad_request', 'request.objects must be a list');
    const { plan, target } = context;
    if (!plan) return this.#failWithoutPlan(context);
    if (desired.group !== plan.group) {
      return this.fail('bad_request', `${show(desiredAPIVersion)} is not of group ${plan.group}, which ${target} has`);
    }
    const job = { ...plan, target, to: desired.version, desiredAPIVersion: desiredAPIVersion as string };
    return this.#convertAll(objects, job, context.deadlinePassed);
  }

  #failWithoutPlan({ target, fault }: ReviewContext): ReviewAnswer {
    if (fault !== undefined) {
      return this.fail('error', cut(`the plan of ${cut(target)} cannot be loaded: ${fault}`, MAX_MESSAGE));
    }
    return this.fail('not_registered', `no conversion is registered for ${cut(target)}: check its config`);
  }

  /** What is wrong with the review itself. */
  #fault(): string | undefined {
    const apiVersion = getOwn(this.#envelope.review, 'apiVersion');
    if (apiVersion !== this.#envelope.apiVersion) {
      return `apiVersion of the review is ${show(apiVersion)}, expected ${REVIEW_VERSIONS.join(' or ')}`;
    }
    const kind = getOwn(this.#envelope.review, 'kind') ?? 'ConversionReview';
    return kind === 'ConversionReview' ? undefined : `kind of the review is ${show(kind)}, expected ConversionReview`;
  }

  #convertAll(objects: readonly Json[], job: Job, deadlinePassed: () => boolean): ReviewAnswer {
    const convertedObjects: Json[] = [];
    const failures = new FailureList(objects.length);
    for (const [index, item] of objects.entries()) {
      if (deadlinePassed()) return this.fail('error', `deadline, ${index} of ${objects.length} done`);
      if (!isObject(item)) {
        failures.addMalformed(`item ${index} is ${jsonType(item)}, expected a JSON object`);
        continue;
      }
      try {
        convertedObjects.push(this.#convert(item, job));
      } catch (error) {
        if (!(error instanceof ConversionError)) throw error;
        const from = splitApiVersion(getOwn(item, 'apiVersion'))?.version;
        const direction = from === undefined ? '' : `${cut(from)} -> ${job.to}: `;
        failures.add(`${describeObject(item, index)}: ${direction}${error.message}`);
      }
    }
    if (failures.total > 0) return this.fail(failures.onlyMalformed ? 'bad_request' : 'error', failures.render());
    const { uid, apiVersion } = this.#envelope;
    const response = { uid, convertedObjects, result: { status: 'Success' } };
    return {
      kind: 'review',
      body: { apiVersion, kind: 'ConversionReview', response },
      summary: this.#summary('success'),
    };
  }

  #convert(item: JsonObject, { router, target, group, to, desiredAPIVersion }: Job): JsonObject {
    const apiVersion = getOwn(item, 'apiVersion');
    const source = splitApiVersion(apiVersion);
    if (source?.group !== group) throw new ConversionError(`apiVersion ${show(apiVersion)} is not of group ${group}`);
    const from = source.version;
    this.#from.add(from);
    if (from === to) return item;
    for (const version of [from, to]) {
      if (router.has(version)) continue;
      throw new ConversionError(`${target} has no version ${show(version)}; it has ${router.versions.join(', ')}`);
    }
    const converted = { ...router.convert(item, from, to, this.#run), apiVersion: desiredAPIVersion };
    checkConverted(item, converted);
    if (!router.lossless(from, to)) this.#lossy++;
    return converted;
  }

  #summary(result: ReviewSummary['result']): ReviewSummary {
    const { uid } = this.#envelope;
    const from = [...this.#from];
    return { result, uid, from, to: this.#to, objects: this.#objects, lossy: this.#lossy, run: this.#run };
  }
}
