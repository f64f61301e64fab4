import type { JsonObject } from '../engine/json.ts';
import type { Target } from './target.ts';

/** Stands in a URL where the path token belongs, when nobody gave one. */
export const TOKEN_PLACEHOLDER = 'REPLACE_WITH_TOKEN';

const KINDS = { CRD: 'CustomResourceDefinition', XRD: 'CompositeResourceDefinition' } as const;

interface ConversionPatch {
  readonly source: Target['source'];
  /** Of the CRD or XRD itself. */
  readonly apiVersion: string;
  readonly name: string;
  /** Besides the name. */
  readonly metadata?: JsonObject;
  /** `spec.conversion.webhook.clientConfig` (apiextensions.k8s.io/v1). */
  readonly clientConfig: JsonObject;
  readonly reviewVersions: readonly string[];
}

/** The object that points a CRD or XRD at a webhook by server-side apply; it has nothing else of the definition. */
export function renderConversionPatch(patch: ConversionPatch): JsonObject {
  const { source, apiVersion, name, metadata = {}, clientConfig, reviewVersions } = patch;
  const webhook = { clientConfig, conversionReviewVersions: reviewVersions };
  return {
    apiVersion,
    kind: KINDS[source],
    metadata: { name, ...metadata },
    spec: { conversion: { strategy: 'Webhook', webhook } },
  };
}
