import { compileRevision } from '../configs/compile-revision.ts';
import type { Lookup, Registries } from '../configs/types.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { HttpRequest, HttpResponse } from './function-url.ts';
import { answerRequest } from './review-answer.ts';
import { SELF_TEST_GROUP, SELF_TEST_SOURCE, SELF_TEST_TARGET } from './self-test-definition.ts';

interface SelfTestOptions {
  readonly registries: Pick<Registries, 'ready'>;
  readonly newId: () => string;
  readonly log: Log;
}

type SelfTest = (request: HttpRequest, deadlinePassed: () => boolean) => Promise<HttpResponse>;

/** The recorded review has about 1 KiB. Anybody may send one, so it must not cost more than it needs. */
const MAX_BODY_BYTES = 16 * 1024;

/**
 * Answers a review from a plan that is built in, by the same way as any other: what a deployment and the synthetic
 * review ask a version. It needs no token, for it shows nothing of anybody's configs; it needs the table, because a
 * version that cannot read its endpoints would refuse every review.
 *
 * It is in no review metric. One every five minutes would be all the traffic of a quiet fleet, and dilute the error
 * ratio of any other; what fails here is told by the synthetic review's own metric.
 */
export function createSelfTest({ registries, newId, log }: SelfTestOptions): SelfTest {
  let plan: Promise<Lookup> | undefined;
  return async (request, deadlinePassed) => {
    if (request.bodyBytes > MAX_BODY_BYTES) {
      const size = `the review is ${request.bodyBytes} bytes; the limit of the self-test is ${MAX_BODY_BYTES}`;
      throw new AppError('TOO_LARGE', size);
    }
    await registries.ready();
    plan ??= compilePlan();
    const found = await plan;
    const registry = { lookup: async () => found };
    const answer = await answerRequest({ request, registry, target: SELF_TEST_TARGET, deadlinePassed, newId, log });
    if (answer === undefined) throw new Error('the target of the self-test is not known to itself');
    return answer.response;
  };
}

async function compilePlan(): Promise<Lookup> {
  const router = await compileRevision(SELF_TEST_SOURCE);
  const names = { target: SELF_TEST_TARGET, group: SELF_TEST_GROUP, kind: 'Turntable' };
  const entry = { ...names, revision: 1, planHash: 'built-in', router, compiledAt: 0 };
  return { known: true, entry, settle: async () => {} };
}
