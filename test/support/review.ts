import type { Json, JsonObject } from '../../lib/engine/json.ts';
import type { Router } from '../../lib/engine/route.ts';
import { parseJson } from '../../lib/k8s/json.ts';
import { answerReview, type ReviewSummary } from '../../lib/k8s/review.ts';

export const GROUP = 'demo.example.test';
const UID = '11111111-0000-4000-8000-000000000001';

/** A ConversionReview of the group of the cases. */
function reviewOf(objects: readonly Json[], version: string): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: UID, desiredAPIVersion: `${GROUP}/${version}`, objects: [...objects] },
  };
}

export interface Reviewed {
  readonly status: string;
  readonly message: string;
  readonly objects: readonly JsonObject[];
  readonly summary: ReviewSummary;
}

/** Sends objects (or the text of one) through the review protocol over a router. */
export function reviewWith(router: Router, objects: readonly (JsonObject | string)[], version: string): Reviewed {
  const parsed = objects.map((object) => (typeof object === 'string' ? parseJson(object) : object));
  const answer = answerReview(reviewOf(parsed, version), {
    target: `widgets.${GROUP}`,
    plan: { group: GROUP, router },
    deadlinePassed: () => false,
    newReference: () => 'ref-1',
    onCrash: (error) => {
      throw error;
    },
  });
  if (answer.kind !== 'review') throw new Error(answer.message);
  const { result, convertedObjects } = answer.body['response'] as unknown as {
    result: { status: string; message?: string };
    convertedObjects: JsonObject[];
  };
  return { status: result.status, message: result.message ?? '', objects: convertedObjects, summary: answer.summary };
}

/** A widget of the cases. */
export function widget(
  version: string,
  fields: JsonObject,
  metadata: JsonObject = { name: 'w', uid: 'u' },
): JsonObject {
  return { apiVersion: `${GROUP}/${version}`, kind: 'Widget', metadata, ...fields };
}
